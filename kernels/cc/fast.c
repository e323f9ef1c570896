/* fast.c - FAST TCP: the window that keeps alpha packets queued (Wei, Jin, Low, Hegde 2006).
 *
 * Every other round w = min(2w, (1-gamma) w + gamma (w baseRTT/RTT + alpha)), RTT smoothed with weight min(3/w, 1/4).
 * Losses halve. The source does not say how slow start ends without a loss: here after a round in which more than alpha
 * packets were queued.
 */
#include "growth.h"

#include "rtt_round.h"

static const double FAST_WEIGHT = 3, FAST_WEIGHT_MAX = 0.25;

struct fast {
    struct rtt_round round;
    double rtt_ps;  /* smoothed; 0: none */
    bool is_second; /* round of the two between updates */
};

static double fast_window(const struct cc_window_params *p, double w, double base_ps, double rtt_ps)
{
    double next = (1 - p->fast_gamma) * w + p->fast_gamma * (w * base_ps / rtt_ps + p->fast_alpha);
    return next < 2 * w ? next : 2 * w;
}

static void fast_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct fast *c = CC_STATE(f, struct fast);
    double cwnd = f->cwnd;
    bool is_slow_start = cwnd < f->ssthresh;
    growth_slow_start(f, acked, growth_limit(f), 1, &cwnd);
    if (rtt_round_is_over(&c->round, f)) {
        const struct rtt_round *r = &c->round;
        double base_ps = (double)r->base_ps;
        if (is_slow_start && r->n > 0 && cwnd * (1 - base_ps / (double)r->min_ps) > f->cfg->window.fast_alpha)
            tcp_set_ssthresh(s, f, cwnd);
        if (!is_slow_start && c->is_second && c->rtt_ps > 0)
            cwnd = growth_at_least_min(fast_window(&f->cfg->window, cwnd, base_ps, c->rtt_ps));
        c->is_second = !is_slow_start && !c->is_second;
        rtt_round_begin(&c->round, f);
    }
    growth_set_cwnd(s, f, cwnd);
}

static double fast_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return growth_at_least_min(growth_window_at_loss(f) / 2);
}

static void fast_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    (void)acked;
    struct fast *c = CC_STATE(f, struct fast);
    double weight = FAST_WEIGHT / f->cwnd < FAST_WEIGHT_MAX ? FAST_WEIGHT / f->cwnd : FAST_WEIGHT_MAX;
    if (rtt_ps < 0) /* none with this ACK (Karn) */
        return;
    rtt_round_note(&c->round, rtt_ps);
    c->rtt_ps = c->rtt_ps == 0 ? (double)rtt_ps : (1 - weight) * c->rtt_ps + weight * (double)rtt_ps;
}

const struct cc_ops cc_fast = {
    .item = {"fast", "window that keeps fast_alpha packets queued", "Wei, Jin, Low, Hegde 2006", NULL},
    .on_ack = fast_on_ack,
    .ssthresh = fast_ssthresh,
    .on_rtt = fast_on_rtt,
};
