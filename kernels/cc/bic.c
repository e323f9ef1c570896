/* bic.c - BIC: binary search between the window after the last loss and the one before it.
 *
 * bic: the pseudo-code of Xu, Harfoush, Rhee, INFOCOM 2004, in real arithmetic. Fast convergence takes the mean of
 *   maximum and minimum (the prose has a minus, which cannot be meant). The paper does not treat timeouts: the search
 *   is forgotten, as in Linux. Smin is a floor of the step, so the window creeps past the old maximum.
 * bic_linux: Linux 6.1 tcp_bic.c in whole segments, module parameters at their defaults, clock of 250 Hz.
 * bic_linux26: the same of Linux 2.6.22 as in ns-2.35 (linux/src/tcp_bic.c): the same search and reduction; a step
 * counts ACKs (linux26.h), and the clock has 1000 Hz.
 */
#include "hystart.h"
#include "linux26.h"

#include <string.h>

static const double BIC_MAX_WINDOW = 1e9; /* no maximum is known */

struct bic {
    struct hystart hystart;
    double max, min, target; /* of the search; max 0: not begun */
    double probe_step;       /* above the old maximum: segments per round trip, doubling; 0: searching */
    double probe_target;     /* cwnd at which the step doubles */
};

/* Segments per round trip at this window. */
static double bic_step(const struct cc_window_params *p, const struct bic *c, double cwnd)
{
    if (c->probe_step > 0)
        return c->probe_step;
    double distance = c->target - cwnd;
    if (distance >= p->bic_smax)
        return p->bic_smax;
    return distance > p->bic_smin ? distance : p->bic_smin;
}

/* What the search makes of the window that the step led to. */
static void bic_advance(const struct cc_window_params *p, struct bic *c, double cwnd)
{
    if (c->probe_step > 0) {
        if (cwnd < c->probe_target)
            return;
        c->probe_step *= 2;
        c->probe_target = cwnd + c->probe_step;
        if (c->probe_step >= p->bic_smax)
            c->probe_step = 0; /* the maximum is unknown by now: Smax from here */
    } else if (c->max > cwnd) {
        c->min = cwnd;
        c->target = (c->max + c->min) / 2;
    } else {
        c->probe_step = 1;
        c->probe_target = cwnd + 1;
        c->max = BIC_MAX_WINDOW;
        c->target = c->max;
    }
}

static void bic_on_ack(struct sim *s, struct flow *f, double acked)
{
    const struct cc_window_params *p = &f->cfg->window;
    struct bic *c = CC_STATE(f, struct bic);
    double cwnd = f->cwnd;
    acked = hystart_slow_start(f, &c->hystart, acked, &cwnd);
    if (acked > 0 && cwnd < p->bic_low_window) {
        cwnd += acked / cwnd;
    } else if (acked > 0) {
        if (c->max == 0)
            c->max = c->target = BIC_MAX_WINDOW;
        cwnd += bic_step(p, c, cwnd) * acked / cwnd;
        bic_advance(p, c, cwnd);
    }
    growth_set_cwnd(s, f, cwnd);
}

static double bic_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    const struct cc_window_params *p = &f->cfg->window;
    struct bic *c = CC_STATE(f, struct bic);
    double window = growth_window_at_loss(f);
    if (window < p->bic_low_window)
        return growth_at_least_min(window / 2);
    double before = c->max > 0 ? c->max : BIC_MAX_WINDOW;
    c->max = window;
    c->min = window * (1 - p->bic_beta);
    if (before > c->max && before < BIC_MAX_WINDOW)
        c->max = (c->max + c->min) / 2; /* fast convergence */
    c->target = (c->max + c->min) / 2;
    c->probe_step = 0;
    return growth_at_least_min(c->min);
}

static void bic_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    memset(CC_STATE(f, struct bic), 0, sizeof(struct bic));
}

const struct cc_ops cc_bic = {
    .item = {"bic", "binary search for the window",
             "Xu, Harfoush, Rhee: Binary Increase Congestion Control, INFOCOM 2004", NULL},
    .on_ack = bic_on_ack,
    .ssthresh = bic_ssthresh,
    .on_rtt = hystart_on_rtt,
    .on_timeout = bic_on_timeout,
};

/* --- Linux -------------------------------------------------------------------------------------------------------- */

enum { BIC_LOW_WINDOW = 14, BIC_MAX_INCREMENT = 16, BIC_B = 4, BIC_SMOOTH = 20, BIC_BETA = 819, BIC_SCALE = 1024 };
enum { BIC_RATIO_SHIFT = 4, BIC_FIRST_RATIO = 2 << BIC_RATIO_SHIFT }; /* segments per ACK, scaled */

struct bic_linux {
    struct hystart hystart;
    struct linux_growth growth;
    uint32_t last_max, last_cwnd, per; /* per: segments acknowledged for each one of growth */
    uint32_t ratio;                    /* segments per ACK << 4; 0: not begun */
    int64_t last_tick;
};

/* Segments acknowledged for each one of growth, without the correction for delayed ACKs. */
static uint32_t bic_linux_search(uint32_t cwnd, uint32_t last_max)
{
    if (cwnd < last_max) {
        uint32_t distance = (last_max - cwnd) / BIC_B;
        if (distance > BIC_MAX_INCREMENT)
            return cwnd / BIC_MAX_INCREMENT;
        return distance <= 1 ? cwnd * BIC_SMOOTH / BIC_B : cwnd / distance;
    }
    if (cwnd < last_max + BIC_B)
        return cwnd * BIC_SMOOTH / BIC_B;
    if (cwnd < last_max + BIC_MAX_INCREMENT * (BIC_B - 1))
        return cwnd * (BIC_B - 1) / (cwnd - last_max);
    return cwnd / BIC_MAX_INCREMENT;
}

static uint32_t bic_linux_per(uint32_t cwnd, uint32_t last_max, uint32_t ratio)
{
    if (cwnd <= BIC_LOW_WINDOW)
        return cwnd;
    uint32_t per = bic_linux_search(cwnd, last_max);
    if (last_max == 0 && per > BIC_SMOOTH)
        per = BIC_SMOOTH;
    per = (per << BIC_RATIO_SHIFT) / ratio;
    return per ? per : 1;
}

static void bic_linux_update(const struct sim *s, struct bic_linux *c, uint32_t cwnd)
{
    int64_t tick = s->now_ps / LINUX_TICK_PS;
    if (cwnd == c->last_cwnd && tick - c->last_tick <= LINUX_HZ / 32)
        return;
    c->last_cwnd = cwnd;
    c->last_tick = tick;
    c->per = bic_linux_per(cwnd, c->last_max, c->ratio ? c->ratio : BIC_FIRST_RATIO);
}

static void bic_linux_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct bic_linux *c = CC_STATE(f, struct bic_linux);
    uint32_t cwnd = linux_cwnd(f), left = hystart_linux_slow_start(f, &c->hystart, &c->growth, acked, &cwnd);
    if (left > 0) {
        bic_linux_update(s, c, cwnd);
        linux_avoid(&c->growth, c->per, left, &cwnd);
    }
    growth_set_cwnd(s, f, cwnd);
}

/* Remembers the window at a loss; returns what remains of it. */
static uint32_t bic_linux_reduce(struct bic_linux *c, uint64_t cwnd)
{
    c->last_max = (uint32_t)(cwnd < c->last_max ? cwnd * (BIC_SCALE + BIC_BETA) / (2 * BIC_SCALE) : cwnd);
    return (uint32_t)(cwnd <= BIC_LOW_WINDOW ? cwnd / 2 : cwnd * BIC_BETA / BIC_SCALE);
}

static double bic_linux_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct bic_linux *c = CC_STATE(f, struct bic_linux);
    c->growth.count = 0;
    return growth_at_least_min(bic_linux_reduce(c, linux_cwnd(f)));
}

static void bic_linux_note_ratio(const struct flow *f, struct bic_linux *c, uint32_t acked)
{
    if (f->mode != MODE_OPEN)
        return;
    uint32_t ratio = c->ratio ? c->ratio : BIC_FIRST_RATIO;
    c->ratio = ratio + acked - (ratio >> BIC_RATIO_SHIFT);
}

static void bic_linux_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    struct bic_linux *c = CC_STATE(f, struct bic_linux);
    hystart_sample(s, f, &c->hystart, rtt_ps);
    bic_linux_note_ratio(f, c, acked);
}

static void bic_linux_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    memset(CC_STATE(f, struct bic_linux), 0, sizeof(struct bic_linux));
}

const struct cc_ops cc_bic_linux = {
    .item = {"bic_linux", "bic in whole segments, with Linux's parameters", "Linux 6.1 tcp_bic.c", NULL},
    .on_ack = bic_linux_on_ack,
    .ssthresh = bic_linux_ssthresh,
    .on_rtt = bic_linux_on_rtt,
    .on_timeout = bic_linux_on_timeout,
};

struct bic_linux26 {
    struct linux26_growth growth;
    struct bic_linux search;
};

static void bic_linux26_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    struct bic_linux26 *c = CC_STATE(f, struct bic_linux26);
    uint32_t cwnd = linux_cwnd(f);
    if (linux26_in_slow_start(f)) {
        growth_set_cwnd(s, f, linux26_slow_start(f, &c->growth, cwnd));
        return;
    }
    int64_t tick = linux26_tick(s);
    if (cwnd != c->search.last_cwnd || tick - c->search.last_tick > LINUX26_HZ / 32) {
        c->search.last_cwnd = cwnd;
        c->search.last_tick = tick;
        c->search.per = bic_linux_per(cwnd, c->search.last_max, c->search.ratio ? c->search.ratio : BIC_FIRST_RATIO);
    }
    growth_set_cwnd(s, f, linux26_avoid(f, &c->growth, c->search.per, cwnd));
}

static double bic_linux26_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct bic_linux26 *c = CC_STATE(f, struct bic_linux26);
    return linux26_reduce(&c->growth, bic_linux_reduce(&c->search, linux_cwnd(f)));
}

static void bic_linux26_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    (void)rtt_ps;
    struct bic_linux26 *c = CC_STATE(f, struct bic_linux26);
    c->growth.acked += acked;
    bic_linux_note_ratio(f, &c->search, acked);
}

static void bic_linux26_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    memset(CC_STATE(f, struct bic_linux26), 0, sizeof(struct bic_linux26));
}

const struct cc_ops cc_bic_linux26 = {
    .item = {"bic_linux26", "bic of Linux 2.6.22", "ns-2 2.35, linux/src/tcp_bic.c", NULL},
    .on_ack = bic_linux26_on_ack,
    .ssthresh = bic_linux26_ssthresh,
    .on_rtt = bic_linux26_on_rtt,
    .on_timeout = bic_linux26_on_timeout,
};
