/* linux26_htcp.c - H-TCP as Linux 2.6.22 has it in ns-2.35 (linux/src/tcp_htcp.c), in integers.
 *
 * Against the paper (htcp.c): alpha in 1/128 is worked out when cwnd grows and at a loss, from whole multiples of
 * Reno's growth; RTTs are of the smoothed one, which ns-2 feeds with the samples of duplicate ACKs too; the largest may
 * rise by 20 ms at a time only and decays by a twentieth at each loss; RTT scaling is on, between 1/2 and 10; the rate
 * decides about the window only where it changed by less than a fifth, and not at the first loss.
 */
#include "linux26.h"

enum { SHIFT = 7, ALPHA_BASE = 1 << SHIFT, BETA_MIN = 1 << (SHIFT - 1), BETA_MAX = 102, HZ = LINUX26_HZ };
enum { MAX_STEP = HZ / 50, LEAST_RTT = HZ / 100, FEW_RTTS = 3 };

struct htcp {
    struct linux26_growth growth;
    bool is_running, may_adapt;
    uint32_t alpha, beta; /* << 7 */
    uint32_t acked;       /* segments of this ACK, or 1 */
    uint32_t min, max;    /* RTT, ticks */
    int64_t loss_tick;    /* of the last loss, or of the end of its recovery */
    uint32_t packets;     /* acknowledged since rate_tick */
    int64_t rate_tick;
    int64_t max_rate, old_max_rate, rate;
};

static void begin(const struct sim *s, struct htcp *c)
{
    if (c->is_running)
        return;
    c->is_running = true;
    c->alpha = ALPHA_BASE;
    c->beta = BETA_MIN;
    c->acked = 1;
    c->loss_tick = linux26_tick(s);
}

static int64_t rtts_since_loss(const struct sim *s, const struct htcp *c)
{
    return c->min ? (linux26_tick(s) - c->loss_tick) / c->min : 0;
}

static void note_rtt(const struct sim *s, const struct flow *f, struct htcp *c)
{
    uint32_t srtt = linux26_srtt_8(f) >> 3;
    if (c->min == 0 || srtt < c->min)
        c->min = srtt;
    if (f->mode != MODE_OPEN || rtts_since_loss(s, c) <= FEW_RTTS)
        return;
    c->max = c->max > c->min ? c->max : c->min;
    if (c->max < srtt && srtt <= c->max + MAX_STEP)
        c->max = srtt;
}

static void set_alpha(const struct sim *s, struct htcp *c)
{
    int64_t ticks = linux26_tick(s) - c->loss_tick, factor = 1;
    if (ticks > HZ) {
        ticks -= HZ;
        factor = 1 + (10 * ticks + (ticks / 2) * (ticks / 2) / HZ) / HZ;
    }
    if (c->min) {
        int64_t scale = (HZ << 3) / (10 * (int64_t)c->min);
        scale = scale < 1 << 2 ? 1 << 2 : scale > 10 << 3 ? 10 << 3 : scale;
        factor = (factor << 3) / scale;
        factor = factor ? factor : 1;
    }
    c->alpha = (uint32_t)(2 * factor * (ALPHA_BASE - c->beta));
    c->alpha = c->alpha ? c->alpha : ALPHA_BASE;
}

static void htcp_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    struct htcp *c = CC_STATE(f, struct htcp);
    uint32_t cwnd = linux_cwnd(f);
    begin(s, c);
    if (linux26_in_slow_start(f)) {
        growth_set_cwnd(s, f, linux26_slow_start(f, &c->growth, cwnd));
        return;
    }
    note_rtt(s, f, c);
    if ((uint64_t)c->growth.count * c->alpha >> SHIFT >= cwnd) {
        cwnd = linux26_one_more(f, cwnd);
        c->growth.count = 0;
        set_alpha(s, c);
    } else {
        c->growth.count += c->acked;
    }
    c->acked = 1;
    growth_set_cwnd(s, f, cwnd);
}

static void set_beta(struct htcp *c)
{
    int64_t before = c->old_max_rate, change = 5 * c->max_rate;
    c->old_max_rate = c->max_rate;
    c->beta = BETA_MIN;
    if (change < 4 * before || change > 6 * before) {
        c->may_adapt = false;
    } else if (c->may_adapt && c->min > LEAST_RTT && c->max) {
        uint32_t ratio = (c->min << SHIFT) / c->max;
        c->beta = ratio < BETA_MIN ? BETA_MIN : ratio > BETA_MAX ? BETA_MAX : ratio;
    } else {
        c->may_adapt = true;
    }
}

static double htcp_ssthresh(struct sim *s, struct flow *f)
{
    struct htcp *c = CC_STATE(f, struct htcp);
    begin(s, c);
    set_beta(c);
    set_alpha(s, c);
    if (c->min > 0 && c->max > c->min)
        c->max = c->min + (c->max - c->min) * 95 / 100;
    c->loss_tick = linux26_tick(s);
    return linux26_reduce(&c->growth, linux_cwnd(f) * c->beta >> SHIFT);
}

static void note_rate(const struct sim *s, const struct flow *f, struct htcp *c, uint32_t acked)
{
    int64_t tick = linux26_tick(s), gap = tick - c->rate_tick;
    if (f->mode != MODE_OPEN) {
        c->packets = 0;
        c->rate_tick = tick;
        return;
    }
    c->packets += acked;
    uint32_t alpha = c->alpha >> SHIFT ? c->alpha >> SHIFT : 1, cwnd = linux_cwnd(f);
    if (cwnd < alpha || c->packets < cwnd - alpha || c->min == 0 || gap < c->min)
        return;
    int64_t rate = (int64_t)c->packets * HZ / gap;
    if (rtts_since_loss(s, c) <= FEW_RTTS) {
        c->max_rate = c->rate = rate;
    } else {
        c->rate = (3 * c->rate + rate) / 4;
        c->max_rate = c->rate > c->max_rate ? c->rate : c->max_rate;
    }
    c->packets = 0;
    c->rate_tick = tick;
}

static void htcp_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)rtt_ps;
    struct htcp *c = CC_STATE(f, struct htcp);
    begin(s, c);
    c->growth.acked += acked;
    if (f->mode == MODE_OPEN)
        c->acked = acked;
    note_rate(s, f, c, acked);
}

static void htcp_on_recovery_exit(struct sim *s, struct flow *f)
{
    CC_STATE(f, struct htcp)->loss_tick = linux26_tick(s);
}

const struct cc_ops cc_htcp_linux26 = {
    .item = {"htcp_linux26", "htcp of Linux 2.6.22", "ns-2 2.35, linux/src/tcp_htcp.c", NULL},
    .on_ack = htcp_on_ack,
    .ssthresh = htcp_ssthresh,
    .on_rtt = htcp_on_rtt,
    .on_recovery_exit = htcp_on_recovery_exit,
};
