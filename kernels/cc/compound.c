/* compound.c - Compound TCP: Reno's window plus one that grows fast while there is no queue (Tan, Song, Zhang,
 * Sridharan 2006; draft-sridharan-tcpm-ctcp-02).
 *
 * The flow's cwnd is the sum; the delay window is kept here. Choices: the RTT of a round is the mean of its samples;
 * gamma is fixed (the draft tunes it between 5 and 30); zeta is a parameter, as the sources leave it open.
 */
#include "hystart.h"

#include "../detmath.h"
#include "rtt_round.h"

struct compound {
    struct hystart hystart;
    struct rtt_round round;
    double delay_window; /* dwnd, part of cwnd */
};

/* The delay window after a round in which `backlog` packets were queued. */
static double compound_next(const struct cc_window_params *p, double window, double delay_window, double backlog)
{
    double change = -p->ctcp_zeta * backlog;
    if (backlog < p->ctcp_gamma) {
        change = p->ctcp_alpha * det_pow(window, p->ctcp_k) - 1;
        change = change > 0 ? change : 0;
    }
    return delay_window + change > 0 ? delay_window + change : 0;
}

static double compound_decide(const struct flow *f, struct compound *c, double cwnd)
{
    const struct cc_window_params *p = &f->cfg->window;
    const struct rtt_round *r = &c->round;
    double before = c->delay_window;
    if (r->n > 0 && cwnd >= p->ctcp_low_window) {
        double mean_ps = r->sum_ps / r->n;
        c->delay_window = compound_next(p, cwnd, before, cwnd * (mean_ps - (double)r->base_ps) / mean_ps);
    }
    rtt_round_begin(&c->round, f);
    return cwnd + (c->delay_window - before);
}

static void compound_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct compound *c = CC_STATE(f, struct compound);
    double cwnd = f->cwnd;
    if (c->delay_window > cwnd - 1)
        c->delay_window = cwnd > 1 ? cwnd - 1 : 0; /* others have cut cwnd */
    acked = hystart_slow_start(f, &c->hystart, acked, &cwnd);
    if (acked > 0)
        cwnd += acked / cwnd;
    if (rtt_round_is_over(&c->round, f)) {
        if (acked > 0)
            cwnd = compound_decide(f, c, cwnd);
        else
            rtt_round_begin(&c->round, f);
    }
    growth_set_cwnd(s, f, cwnd);
}

static double compound_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct compound *c = CC_STATE(f, struct compound);
    double window = growth_window_at_loss(f);
    double half = (window > c->delay_window ? window - c->delay_window : 0) / 2;
    double rest = window * (1 - f->cfg->window.ctcp_beta) - half;
    c->delay_window = rest > 0 ? rest : 0;
    return growth_at_least_min(half + c->delay_window);
}

static void compound_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)acked;
    struct compound *c = CC_STATE(f, struct compound);
    rtt_round_note(&c->round, rtt_ps);
    hystart_sample(s, f, &c->hystart, rtt_ps);
}

static void compound_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    struct compound *c = CC_STATE(f, struct compound);
    c->delay_window = 0;
    hystart_timeout(&c->hystart);
}

const struct cc_ops cc_compound = {
    .item = {"compound", "Reno's window plus one that follows delay",
             "Tan, Song, Zhang, Sridharan 2006; draft-sridharan-tcpm-ctcp-02", "ctcp"},
    .on_ack = compound_on_ack,
    .ssthresh = compound_ssthresh,
    .on_rtt = compound_on_rtt,
    .on_timeout = compound_on_timeout,
};
