/* htcp.c - H-TCP: the longer since the last loss, the faster the growth (Leith, Shorten 2004; draft-leith-tcp-htcp-06).
 *
 * Choices where the sources leave it open: throughput is that of the last whole round before a loss; the largest RTT is
 * of the time since the last loss; the first loss, and one with no sample, halve. RTT scaling is optional there, a key
 * here (on in Linux).
 *
 * htcp_linux: Linux 6.1 tcp_htcp.c in whole segments and ticks of 250 Hz. alpha and beta in 1/128; alpha is worked out
 * anew at a loss, still with the time since the one before, and at each step of the window; the time since a loss
 * counts from the end of its recovery; growth is per segment acknowledged.
 */
#include "hystart.h"

struct htcp {
    struct hystart hystart;
    int64_t loss_ps;        /* the last loss, or the start */
    int64_t min_ps, max_ps; /* RTT: ever, since the last loss; 0: none */
    int64_t round_ps;       /* begin of the round */
    uint32_t round_una, round_end;
    double rate, rate_at_loss; /* segments per second; 0: none */
    double taken;              /* 1 - beta of the last loss; 0: none yet, as after a halving */
};

static const double HTCP_SLOPE = 10, HTCP_SCALE_RTT_S = 0.1, HTCP_SCALE_MIN = 0.1, HTCP_SCALE_MAX = 2;

static double htcp_clamp(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

/* alpha: segments per round trip. */
static double htcp_increase(const struct sim *s, const struct flow *f, const struct htcp *c)
{
    const struct cc_window_params *p = &f->cfg->window;
    double d = (double)(s->now_ps - c->loss_ps - p->htcp_delta_l_ps) / (double)PS_PER_S;
    double factor = d > 0 ? 1 + HTCP_SLOPE * d + d / 2 * (d / 2) : 1;
    if (p->htcp_rtt_scaling && c->min_ps > 0)
        factor *= htcp_clamp((double)c->min_ps / (double)PS_PER_S / HTCP_SCALE_RTT_S, HTCP_SCALE_MIN, HTCP_SCALE_MAX);
    double alpha = 2 * (c->taken > 0 ? c->taken : 0.5) * factor;
    return alpha > 1 ? alpha : 1;
}

static void htcp_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct htcp *c = CC_STATE(f, struct htcp);
    double cwnd = f->cwnd;
    acked = hystart_slow_start(f, &c->hystart, acked, &cwnd);
    if (acked > 0)
        cwnd += htcp_increase(s, f, c) * acked / cwnd;
    growth_set_cwnd(s, f, cwnd);
}

/* beta: the part that remains. */
static double htcp_decrease(const struct cc_window_params *p, const struct htcp *c)
{
    double change = c->rate - c->rate_at_loss;
    if (c->rate == 0 || c->rate_at_loss == 0 || (change < 0 ? -change : change) > p->htcp_delta_b * c->rate_at_loss)
        return p->htcp_beta_min;
    if (c->max_ps == 0)
        return p->htcp_beta_min;
    return htcp_clamp((double)c->min_ps / (double)c->max_ps, p->htcp_beta_min, p->htcp_beta_max);
}

static double htcp_ssthresh(struct sim *s, struct flow *f)
{
    struct htcp *c = CC_STATE(f, struct htcp);
    double beta = htcp_decrease(&f->cfg->window, c);
    c->taken = 1 - beta;
    c->rate_at_loss = c->rate;
    c->loss_ps = s->now_ps;
    c->max_ps = 0;
    return growth_at_least_min(beta * growth_window_at_loss(f));
}

static void htcp_note_rate(const struct sim *s, const struct flow *f, struct htcp *c)
{
    if (f->una <= c->round_end)
        return;
    if (s->now_ps > c->round_ps && f->mode == MODE_OPEN && c->round_end > 0)
        c->rate = (f->una - c->round_una) * (double)PS_PER_S / (double)(s->now_ps - c->round_ps);
    c->round_ps = s->now_ps;
    c->round_una = f->una;
    c->round_end = f->next > f->una ? f->next : f->una;
}

static void htcp_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)acked;
    struct htcp *c = CC_STATE(f, struct htcp);
    if (rtt_ps >= 0 && (c->min_ps == 0 || rtt_ps < c->min_ps))
        c->min_ps = rtt_ps;
    if (rtt_ps > c->max_ps)
        c->max_ps = rtt_ps;
    htcp_note_rate(s, f, c);
    hystart_sample(s, f, &c->hystart, rtt_ps);
}

static void htcp_start(struct sim *s, struct flow *f)
{
    CC_STATE(f, struct htcp)->loss_ps = s->now_ps;
}

const struct cc_ops cc_htcp = {
    .item = {"htcp", "growth that rises with the time since the last loss",
             "Leith, Shorten 2004; draft-leith-tcp-htcp-06", NULL},
    .on_ack = htcp_on_ack,
    .ssthresh = htcp_ssthresh,
    .start = htcp_start,
    .on_rtt = htcp_on_rtt,
    .on_timeout = hystart_on_timeout,
};

/* --- Linux -------------------------------------------------------------------------------------------------------- */

enum { HTCP_SHIFT = 7, HTCP_ONE = 1 << HTCP_SHIFT, HTCP_BETA_MIN = HTCP_ONE / 2, HTCP_BETA_MAX = 102 };
enum { HTCP_MAX_STEP = LINUX_HZ / 50, HTCP_LEAST_RTT = LINUX_HZ / 100, HTCP_FEW_RTTS = 3 }; /* 20 ms, 10 ms */
enum { HTCP_SCALE_LOW = 4, HTCP_SCALE_HIGH = 80 };                                          /* 1/2 and 10, times 8 */

struct htcp_linux {
    struct linux_growth growth;
    bool may_adapt;
    uint32_t alpha, beta;                  /* times 128; 0: not begun */
    uint32_t acked;                        /* segments of this ACK, or 1 */
    int64_t min, max;                      /* RTT, ticks; 0: none */
    int64_t loss_tick, rate_tick;          /* rate_tick: begin of the count of packets */
    int64_t packets, rate, most, old_most; /* packets acknowledged; rates, segments per second */
};

static int64_t htcp_linux_tick(const struct sim *s)
{
    return s->now_ps / LINUX_TICK_PS;
}

static void htcp_linux_set_alpha(const struct sim *s, struct htcp_linux *c)
{
    int64_t ticks = htcp_linux_tick(s) - c->loss_tick, factor = 1;
    if (ticks > LINUX_HZ) {
        ticks -= LINUX_HZ;
        factor = 1 + (10 * ticks + (ticks / 2) * (ticks / 2) / LINUX_HZ) / LINUX_HZ;
    }
    if (c->min > 0) {
        int64_t scale = 8 * LINUX_HZ / (10 * c->min);
        scale = scale < HTCP_SCALE_LOW ? HTCP_SCALE_LOW : scale > HTCP_SCALE_HIGH ? HTCP_SCALE_HIGH : scale;
        factor = 8 * factor / scale > 0 ? 8 * factor / scale : 1;
    }
    c->alpha = (uint32_t)(2 * factor * (HTCP_ONE - c->beta));
}

static void htcp_linux_set_beta(struct htcp_linux *c)
{
    int64_t before = c->old_most;
    c->old_most = c->most;
    c->beta = HTCP_BETA_MIN;
    if (5 * c->most < 4 * before || 5 * c->most > 6 * before) {
        c->may_adapt = false;
    } else if (c->may_adapt && c->min > HTCP_LEAST_RTT && c->max > 0) {
        int64_t ratio = c->min * HTCP_ONE / c->max;
        c->beta = (uint32_t)(ratio < HTCP_BETA_MIN ? HTCP_BETA_MIN : ratio > HTCP_BETA_MAX ? HTCP_BETA_MAX : ratio);
    } else {
        c->may_adapt = true;
    }
}

static void htcp_linux_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct htcp_linux *c = CC_STATE(f, struct htcp_linux);
    uint32_t cwnd = linux_cwnd(f);
    if (linux_in_slow_start(f)) {
        linux_slow_start(f, linux_acked(&c->growth, acked), &cwnd);
    } else if ((uint64_t)c->growth.count * c->alpha >> HTCP_SHIFT >= cwnd) {
        cwnd++;
        c->growth.count = 0;
        htcp_linux_set_alpha(s, c);
        c->acked = 1;
    } else {
        c->growth.count += c->acked;
        c->acked = 1;
    }
    growth_set_cwnd(s, f, cwnd);
}

static double htcp_linux_ssthresh(struct sim *s, struct flow *f)
{
    struct htcp_linux *c = CC_STATE(f, struct htcp_linux);
    htcp_linux_set_beta(c);
    htcp_linux_set_alpha(s, c);
    if (c->min > 0 && c->max > c->min)
        c->max = c->min + (c->max - c->min) * 95 / 100;
    c->loss_tick = htcp_linux_tick(s);
    c->growth.count = 0;
    return growth_at_least_min((uint32_t)((uint64_t)linux_cwnd(f) * c->beta >> HTCP_SHIFT));
}

static void htcp_linux_note_rtt(const struct flow *f, struct htcp_linux *c, int64_t rtt_ps)
{
    int64_t rtt = (rtt_ps + LINUX_TICK_PS - 1) / LINUX_TICK_PS;
    if (c->min == 0 || rtt < c->min)
        c->min = rtt;
    if (f->mode != MODE_OPEN)
        return;
    c->max = c->max > c->min ? c->max : c->min;
    if (c->max < rtt && rtt <= c->max + HTCP_MAX_STEP)
        c->max = rtt;
}

static void htcp_linux_note_rate(const struct sim *s, const struct flow *f, struct htcp_linux *c, uint32_t acked)
{
    int64_t tick = htcp_linux_tick(s), gap = tick - c->rate_tick,
            step = c->alpha >> HTCP_SHIFT ? c->alpha >> HTCP_SHIFT : 1;
    if (f->mode != MODE_OPEN) {
        c->packets = 0;
        c->rate_tick = tick;
        return;
    }
    c->packets += acked;
    if (c->packets < (int64_t)linux_cwnd(f) - step || c->min == 0 || gap < c->min)
        return;
    int64_t rate = c->packets * LINUX_HZ / gap;
    if ((tick - c->loss_tick) / c->min <= HTCP_FEW_RTTS) {
        c->most = c->rate = rate;
    } else {
        c->rate = (3 * c->rate + rate) / 4;
        c->most = c->rate > c->most ? c->rate : c->most;
    }
    c->packets = 0;
    c->rate_tick = tick;
}

static void htcp_linux_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    struct htcp_linux *c = CC_STATE(f, struct htcp_linux);
    if (f->mode == MODE_OPEN)
        c->acked = acked;
    if (rtt_ps > 0)
        htcp_linux_note_rtt(f, c, rtt_ps);
    htcp_linux_note_rate(s, f, c, acked);
}

static void htcp_linux_on_recovery_exit(struct sim *s, struct flow *f)
{
    CC_STATE(f, struct htcp_linux)->loss_tick = htcp_linux_tick(s);
}

static void htcp_linux_start(struct sim *s, struct flow *f)
{
    struct htcp_linux *c = CC_STATE(f, struct htcp_linux);
    c->alpha = HTCP_ONE;
    c->beta = HTCP_BETA_MIN;
    c->acked = 1;
    c->loss_tick = c->rate_tick = htcp_linux_tick(s);
}

const struct cc_ops cc_htcp_linux = {
    .item = {"htcp_linux", "htcp in whole segments, with Linux's parameters", "Linux 6.1 tcp_htcp.c", NULL},
    .on_ack = htcp_linux_on_ack,
    .ssthresh = htcp_linux_ssthresh,
    .start = htcp_linux_start,
    .on_rtt = htcp_linux_on_rtt,
    .on_recovery_exit = htcp_linux_on_recovery_exit,
};
