/* veno.c - TCP Veno: Vegas's queue estimate tells random losses from congestion (Fu and Liew, JSAC 21(2), 2003), and
 * Linux's integer form (rules of Linux 6.6 restated).
 *
 * N = cwnd (RTT - BaseRTT) / RTT. N below veno_beta: Reno's growth, and a loss costs a fifth; otherwise growth with
 * every other ACK, and a loss halves. A timeout halves. Paper: smoothed RTT, BaseRTT learnt anew after each loss.
 * Linux: the last ACK's RTT in whole us plus 1, base kept, N in halves of a segment, growth of one segment every other
 * window, Reno until there are three samples.
 *
 * Departures: N equal to veno_beta counts as congestion; before the first sample N is 0.
 */
#include "delay.h"
#include "linux_growth.h"

/* --- paper -------------------------------------------------------------------------------------------------------- */

struct veno {
    struct delay_rtt rtt;
    struct delay_timeout timeout;
    bool skips; /* the next ACK of a congested path does not grow the window */
};

static bool veno_is_congested(const struct flow *f, const struct veno *c)
{
    return delay_backlog(f->cwnd, c->rtt.min_ps, c->rtt.smoothed_ps) >= f->cfg->delay.veno_beta;
}

static bool veno_is_random(const struct sim *s, const struct flow *f)
{
    (void)s;
    return !veno_is_congested(f, CC_STATE(f, struct veno));
}

static void veno_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    (void)acked;
    delay_rtt_sample(&CC_STATE(f, struct veno)->rtt, rtt_ps);
}

static void veno_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct veno *c = CC_STATE(f, struct veno);
    if (f->cwnd >= f->ssthresh && veno_is_congested(f, c)) {
        c->skips = !c->skips;
        if (!c->skips)
            return;
    }
    cc_reno.on_ack(s, f, acked);
}

static double veno_ssthresh(struct sim *s, struct flow *f)
{
    struct veno *c = CC_STATE(f, struct veno);
    double window = f->cwnd * (veno_is_congested(f, c) ? 0.5 : 0.8);
    delay_timeout_ask(s, &c->timeout, f->cwnd / 2);
    c->rtt.min_ps = 0;
    return growth_at_least_min(window);
}

static void veno_on_timeout(struct sim *s, struct flow *f)
{
    delay_timeout_answer(s, f, &CC_STATE(f, struct veno)->timeout);
}

const struct cc_ops cc_veno = {
    .item = {"veno", "a loss costs less while little is queued", "Fu and Liew, JSAC 21(2), 2003", NULL},
    .on_ack = veno_on_ack,
    .ssthresh = veno_ssthresh,
    .on_rtt = veno_on_rtt,
    .on_timeout = veno_on_timeout,
    .is_random = veno_is_random,
};

/* --- Linux -------------------------------------------------------------------------------------------------------- */

enum { FEW_SAMPLES = 2, US = 1000000 };

struct veno_linux {
    struct linux_growth growth;
    uint32_t base_us, last_us; /* plus 1; 0: none */
    uint32_t samples;
    bool has_waited; /* congested: a window without growth has passed */
};

static void linux_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    (void)acked;
    struct veno_linux *c = CC_STATE(f, struct veno_linux);
    if (rtt_ps <= 0)
        return;
    c->last_us = (uint32_t)(rtt_ps / US) + 1;
    if (c->base_us == 0 || c->last_us < c->base_us)
        c->base_us = c->last_us;
    c->samples += c->samples <= FEW_SAMPLES;
}

/* Whether the queue is below veno_beta, in halves of a segment. */
static bool linux_is_free(const struct flow *f, const struct veno_linux *c)
{
    if (c->last_us == 0)
        return true;
    uint64_t cwnd = linux_cwnd(f), target = (cwnd * c->base_us * 2) / c->last_us;
    return (double)(cwnd * 2 - target) < 2 * f->cfg->delay.veno_beta;
}

static bool linux_is_random(const struct sim *s, const struct flow *f)
{
    (void)s;
    return linux_is_free(f, CC_STATE(f, struct veno_linux));
}

/* Congested: one segment more every other window. */
static void grow_slowly(struct veno_linux *c, uint32_t acked, uint32_t *cwnd)
{
    if (c->growth.count < *cwnd) {
        c->growth.count += acked;
        return;
    }
    *cwnd += c->has_waited;
    c->has_waited = !c->has_waited;
    c->growth.count = 0;
}

static void linux_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct veno_linux *c = CC_STATE(f, struct veno_linux);
    uint32_t cwnd = linux_cwnd(f), left = linux_acked(&c->growth, acked);
    bool is_free = c->samples <= FEW_SAMPLES || linux_is_free(f, c);
    left = linux_slow_start(f, left, &cwnd);
    if (left && is_free)
        linux_avoid(&c->growth, cwnd, left, &cwnd);
    else if (left)
        grow_slowly(c, left, &cwnd);
    growth_set_cwnd(s, f, growth_at_least_min(cwnd));
}

static double linux_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct veno_linux *c = CC_STATE(f, struct veno_linux);
    uint32_t cwnd = linux_cwnd(f);
    c->growth.count = 0;
    return growth_at_least_min(linux_is_free(f, c) ? cwnd * 4 / 5 : cwnd / 2);
}

const struct cc_ops cc_veno_linux = {
    .item = {"veno_linux", "Veno in Linux's integers", "Linux 6.6, tcp_veno.c", NULL},
    .on_ack = linux_on_ack,
    .ssthresh = linux_ssthresh,
    .on_rtt = linux_on_rtt,
    .is_random = linux_is_random,
};
