/* linux26_compound.c - Compound TCP, a module for Linux 2.6 that ns-2.35 carries (linux/src/tcp_compound.c), in
 * integers.
 *
 * Against the paper (compound.c): the delay window grows by win^0.75 / 8 - 1 and the queue is that of the window sent
 * in the last round, in halves of a segment; a loss halves the whole window.
 *
 * Departure: duplicate ACKs give no sample; they are never the least of a round.
 */
#include "linux26_round.h"

#include <math.h>

enum { GAMMA = 30 << 1, ALPHA_SHIFT = 3 };

struct compound {
    struct linux26_growth growth;
    struct linux26_round round;
    uint32_t window, delay_window; /* cwnd is their sum */
};

static uint32_t power_of_three_quarters(uint32_t window)
{
    return (uint32_t)sqrt(window * sqrt(window));
}

/* cwnd may have been changed elsewhere. */
static void follow(struct compound *c, uint32_t cwnd)
{
    if (c->window + c->delay_window <= cwnd)
        return;
    if (c->window > cwnd || c->delay_window > cwnd) {
        c->window = cwnd;
        c->delay_window = 0;
    } else {
        c->window = cwnd - c->delay_window;
    }
}

static void compound_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    struct compound *c = CC_STATE(f, struct compound);
    if (!c->round.has_begun)
        c->window = linux_cwnd(f);
    c->growth.acked += acked;
    linux26_round_note(f, &c->round, rtt_ps);
    if (f->mode != MODE_RECOVERY)
        follow(c, linux_cwnd(f));
}

static void decide(struct compound *c)
{
    const struct linux26_round *r = &c->round;
    uint32_t sent = linux26_round_window(r);
    uint32_t queued = (sent << 1) - (uint32_t)(((uint64_t)sent * r->base_us << 1) / r->min_us);
    if (queued < GAMMA) {
        uint32_t step = power_of_three_quarters(sent) >> ALPHA_SHIFT;
        c->delay_window += step > 1 ? step - 1 : 0;
    } else {
        c->delay_window = c->delay_window << 1 < queued ? 0 : ((c->delay_window << 1) - queued) >> 1;
    }
}

static void compound_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    struct compound *c = CC_STATE(f, struct compound);
    uint32_t cwnd = linux_cwnd(f);
    bool grows = c->window <= (uint32_t)f->ssthresh;
    c->growth.count += !grows && c->growth.count < cwnd;
    if (c->growth.count >= cwnd) {
        c->growth.count = 0;
        grows = true;
    }
    c->window += grows && cwnd < f->cfg->cwnd_max_segs;
    if (linux26_round_is_over(f, &c->round)) {
        if (c->round.samples > LINUX26_FEW_SAMPLES)
            decide(c);
        linux26_round_next(f, &c->round);
    }
    growth_set_cwnd(s, f, c->window + c->delay_window);
}

static double compound_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return linux26_reduce(&CC_STATE(f, struct compound)->growth, linux_cwnd(f) / 2);
}

static void compound_on_recovery_exit(struct sim *s, struct flow *f)
{
    (void)s;
    linux26_round_enable(f, &CC_STATE(f, struct compound)->round);
}

const struct cc_ops cc_compound_linux26 = {
    .item = {"compound_linux26", "compound of Linux 2.6", "ns-2 2.35, linux/src/tcp_compound.c", NULL},
    .on_ack = compound_on_ack,
    .ssthresh = compound_ssthresh,
    .on_rtt = compound_on_rtt,
    .on_recovery_exit = compound_on_recovery_exit,
    .recovery_window = linux26_half_ssthresh,
};
