/* cubic.c - CUBIC: the window is a cubic function of the time since the last loss.
 *
 * cubic: RFC 9438 sections 4.2 to 4.8, in real arithmetic.
 *   - An ACK of several segments counts as so many ACKs (growth: ack counts one).
 *   - The window never falls on an ACK: in the Reno-friendly region it is max(cwnd, W_est).
 *   - A stage that begins above W_max has its plateau where it begins, with K = 0.
 *   - Time in which the flow was idle or did not use its window does not count (4.2).
 *   - Spurious events (4.9) are not undone.
 * cubic_linux: Linux 6.1 tcp_cubic.c in whole segments, clock of 250 Hz, module parameters at their defaults. The cube
 *   root is exact; Linux's has an error of 0.2 % on average. Idle time runs from the last ACK, not the last sending.
 */
#include "hystart.h"

#include <string.h>

#include "../detmath.h"
#include "../rto.h"

/* Time that a flow spends without using its window. */
struct cubic_pause {
    int64_t last_ack_ps;
    bool was_idle; /* nothing was outstanding after that ACK */
};

/* What of the time since the ACK before this one was idle; `all`: or not limited by cwnd. */
static int64_t cubic_pause_ps(const struct sim *s, const struct flow *f, struct cubic_pause *p, int64_t rtt_ps,
                              bool all)
{
    int64_t gap_ps = s->now_ps - p->last_ack_ps, pause_ps = 0;
    if (p->last_ack_ps > 0 && p->was_idle)
        pause_ps = gap_ps > rtt_ps ? gap_ps - rtt_ps : 0;
    else if (p->last_ack_ps > 0 && all && f->mode == MODE_OPEN && !f->may_grow)
        pause_ps = gap_ps;
    p->last_ack_ps = s->now_ps;
    p->was_idle = f->una == f->end;
    return pause_ps;
}

/* --- RFC 9438 ----------------------------------------------------------------------------------------------------- */

static const double CUBIC_MAX_GROWTH = 1.5; /* of the target over cwnd */

struct cubic {
    struct hystart hystart;
    struct cubic_pause pause;
    bool is_running;          /* a stage of congestion avoidance has begun */
    int64_t epoch_ps;         /* its begin */
    double w_max, cwnd_prior; /* at the last loss; 0: none */
    double origin, k;         /* plateau of the stage, segments, and time to it, s */
    double w_est, alpha;      /* Reno's window since then */
};

static double cubic_window(const struct cc_window_params *p, const struct cubic *c, double t_s)
{
    double d = t_s - c->k;
    return p->cubic_c * d * d * d + c->origin;
}

static void cubic_begin(const struct sim *s, const struct cc_window_params *p, struct cubic *c, double cwnd)
{
    c->is_running = true;
    c->epoch_ps = s->now_ps;
    c->origin = c->w_max > cwnd ? c->w_max : cwnd;
    c->k = det_cbrt((c->origin - cwnd) / p->cubic_c);
    c->w_est = cwnd;
    c->alpha = 3 * (1 - p->cubic_beta) / (1 + p->cubic_beta);
    if (c->cwnd_prior == 0)
        c->cwnd_prior = cwnd; /* slow start ended without a loss */
}

static double cubic_grow(const struct sim *s, const struct flow *f, struct cubic *c, double cwnd, double acked)
{
    const struct cc_window_params *p = &f->cfg->window;
    double t_s = (double)(s->now_ps - c->epoch_ps) / (double)PS_PER_S;
    double target = cubic_window(p, c, t_s + rto_srtt_s(&f->rto, f->cfg));
    double highest = CUBIC_MAX_GROWTH * cwnd;
    target = target < cwnd ? cwnd : target > highest ? highest : target;
    c->w_est += c->alpha * acked / cwnd;
    if (c->w_est >= c->cwnd_prior)
        c->alpha = 1;
    if (p->cubic_reno_friendly && cubic_window(p, c, t_s) < c->w_est)
        return c->w_est > cwnd ? c->w_est : cwnd;
    return cwnd + (target - cwnd) * acked / cwnd;
}

static void cubic_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct cubic *c = CC_STATE(f, struct cubic);
    double cwnd = f->cwnd;
    if (cwnd < f->ssthresh)
        c->is_running = false;
    acked = hystart_slow_start(f, &c->hystart, acked, &cwnd);
    if (acked > 0) {
        if (!c->is_running)
            cubic_begin(s, &f->cfg->window, c, cwnd);
        cwnd = cubic_grow(s, f, c, cwnd, acked);
    }
    growth_set_cwnd(s, f, cwnd);
}

static double cubic_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    const struct cc_window_params *p = &f->cfg->window;
    struct cubic *c = CC_STATE(f, struct cubic);
    bool converges = p->cubic_fast_convergence && f->cwnd < c->w_max;
    c->w_max = converges ? f->cwnd * (1 + p->cubic_beta) / 2 : f->cwnd;
    c->cwnd_prior = f->cwnd;
    c->is_running = false;
    return growth_at_least_min(p->cubic_beta * growth_window_at_loss(f));
}

static void cubic_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)acked;
    struct cubic *c = CC_STATE(f, struct cubic);
    c->epoch_ps += cubic_pause_ps(s, f, &c->pause, rtt_ps, true);
    hystart_sample(s, f, &c->hystart, rtt_ps);
}

/* 4.8: the stage that follows starts from its own window. */
static void cubic_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    struct cubic *c = CC_STATE(f, struct cubic);
    c->w_max = 0;
    c->is_running = false;
    hystart_timeout(&c->hystart);
}

const struct cc_ops cc_cubic = {
    .item = {"cubic", "cubic function of the time since the last loss", "RFC 9438", NULL},
    .on_ack = cubic_on_ack,
    .ssthresh = cubic_ssthresh,
    .on_rtt = cubic_on_rtt,
    .on_timeout = cubic_on_timeout,
};

/* --- Linux -------------------------------------------------------------------------------------------------------- */

enum { CUBIC_BETA = 717, CUBIC_SCALE = 1024, CUBIC_C = 410, CUBIC_TIME_HZ = 1024, CUBIC_C_SHIFT = 40 };
enum { CUBIC_FIRST_PER = 20, CUBIC_LEAST_PER = 2, CUBIC_MAX_OFFSET = (1 << 18) - 1 };
enum { CUBIC_RENO_SCALE = 8 * (CUBIC_SCALE + CUBIC_BETA) / 3 / (CUBIC_SCALE - CUBIC_BETA) }; /* 8/alpha: 15 */

struct cubic_linux {
    struct hystart hystart;
    struct cubic_pause pause;
    struct linux_growth growth;
    bool is_running;
    uint32_t last_max, last_cwnd, origin;
    uint32_t per;              /* segments acknowledged for each one of growth */
    uint32_t acked, reno_cwnd; /* Reno's window since the stage began */
    int64_t k;                 /* time to the plateau, 1/1024 s */
    int64_t epoch_tick, last_tick;
    int64_t min_ps; /* least RTT */
};

/* K in 1/1024 s for a plateau so many segments above cwnd. */
static uint32_t cubic_linux_k(uint32_t distance)
{
    return det_cube_root((UINT64_C(1) << CUBIC_C_SHIFT) / CUBIC_C * distance);
}

static void cubic_linux_begin(struct cubic_linux *c, int64_t tick, uint32_t cwnd, uint32_t acked)
{
    c->is_running = true;
    c->epoch_tick = tick;
    c->acked = acked;
    c->reno_cwnd = cwnd;
    c->origin = c->last_max > cwnd ? c->last_max : cwnd;
    c->k = cubic_linux_k(c->origin - cwnd);
}

static uint32_t cubic_linux_per(const struct cubic_linux *c, int64_t tick, uint32_t cwnd)
{
    int64_t ticks = tick - c->epoch_tick + (c->min_ps + LINUX_TICK_PS - 1) / LINUX_TICK_PS;
    int64_t t = ticks * CUBIC_TIME_HZ / LINUX_HZ, offset = t < c->k ? c->k - t : t - c->k;
    if (offset > CUBIC_MAX_OFFSET)
        offset = CUBIC_MAX_OFFSET;
    int64_t delta = (int64_t)((uint64_t)CUBIC_C * offset * offset * offset >> CUBIC_C_SHIFT);
    int64_t target = t < c->k ? c->origin - delta : c->origin + delta;
    uint32_t per = target > cwnd ? (uint32_t)(cwnd / (target - cwnd)) : 100 * cwnd;
    return c->last_max == 0 && per > CUBIC_FIRST_PER ? CUBIC_FIRST_PER : per;
}

static uint32_t cubic_linux_friendly(struct cubic_linux *c, uint32_t cwnd)
{
    uint32_t step = cwnd * CUBIC_RENO_SCALE >> 3;
    while (c->acked > step) {
        c->acked -= step;
        c->reno_cwnd++;
    }
    if (c->reno_cwnd <= cwnd)
        return c->per;
    uint32_t most = cwnd / (c->reno_cwnd - cwnd);
    return c->per > most ? most : c->per;
}

static void cubic_linux_update(const struct sim *s, struct cubic_linux *c, uint32_t cwnd, uint32_t acked)
{
    int64_t tick = s->now_ps / LINUX_TICK_PS;
    c->acked += acked;
    if (c->last_cwnd == cwnd && tick - c->last_tick <= LINUX_HZ / 32)
        return;
    if (!c->is_running || tick != c->last_tick) {
        c->last_cwnd = cwnd;
        c->last_tick = tick;
        if (!c->is_running)
            cubic_linux_begin(c, tick, cwnd, acked);
        c->per = cubic_linux_per(c, tick, cwnd);
    }
    c->per = cubic_linux_friendly(c, cwnd);
    if (c->per < CUBIC_LEAST_PER)
        c->per = CUBIC_LEAST_PER;
}

static void cubic_linux_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct cubic_linux *c = CC_STATE(f, struct cubic_linux);
    uint32_t cwnd = linux_cwnd(f), left = hystart_linux_slow_start(f, &c->hystart, &c->growth, acked, &cwnd);
    if (left > 0) {
        cubic_linux_update(s, c, cwnd, left);
        linux_avoid(&c->growth, c->per, left, &cwnd);
    }
    growth_set_cwnd(s, f, cwnd);
}

static double cubic_linux_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct cubic_linux *c = CC_STATE(f, struct cubic_linux);
    uint64_t cwnd = linux_cwnd(f);
    c->growth.count = 0;
    c->is_running = false;
    c->last_max = (uint32_t)(cwnd < c->last_max ? cwnd * (CUBIC_SCALE + CUBIC_BETA) / (2 * CUBIC_SCALE) : cwnd);
    return growth_at_least_min((double)(cwnd * CUBIC_BETA / CUBIC_SCALE));
}

/* Samples of the first second of a stage are not looked at: they may be of the recovery before it. */
static void cubic_linux_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)acked;
    struct cubic_linux *c = CC_STATE(f, struct cubic_linux);
    c->epoch_tick += cubic_pause_ps(s, f, &c->pause, rtt_ps, false) / LINUX_TICK_PS;
    if (rtt_ps < 0 || (c->is_running && s->now_ps / LINUX_TICK_PS - c->epoch_tick < LINUX_HZ))
        return;
    if (c->min_ps == 0 || rtt_ps < c->min_ps)
        c->min_ps = rtt_ps;
    hystart_sample(s, f, &c->hystart, rtt_ps);
}

static void cubic_linux_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    struct cubic_linux *c = CC_STATE(f, struct cubic_linux);
    struct cubic_pause pause = c->pause;
    memset(c, 0, sizeof *c);
    c->pause = pause;
}

const struct cc_ops cc_cubic_linux = {
    .item = {"cubic_linux", "cubic in whole segments, with Linux's parameters", "Linux 6.1 tcp_cubic.c", NULL},
    .on_ack = cubic_linux_on_ack,
    .ssthresh = cubic_linux_ssthresh,
    .on_rtt = cubic_linux_on_rtt,
    .on_timeout = cubic_linux_on_timeout,
};
