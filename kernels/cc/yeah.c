/* yeah.c - YeAH-TCP: Scalable's growth while the queue is short, Reno's and a voluntary reduction when it is not
 * (Baiocchi, Castellani, Vacirca 2007).
 *
 * The rules are those of Linux 6.1 tcp_yeah.c, in whole segments: the only form whose constants are settled. The queue
 * is in whole packets, cut. RTTs are not rounded to microseconds.
 */
#include "hystart.h"

#include "rtt_round.h"

enum { YEAH_COUNT = 100, YEAH_GAMMA = 1, YEAH_EPSILON_SHIFT = 1, YEAH_DELTA_SHIFT = 3, YEAH_SAMPLES = 2 };

struct yeah {
    struct hystart hystart;
    struct linux_growth growth;
    struct rtt_round round;
    uint32_t reno_count;           /* window that competing Reno flows would leave; 0: not begun */
    uint32_t slow_rounds;          /* rounds of slow mode in a row; 0: fast mode */
    uint32_t fast_rounds, backlog; /* backlog: packets queued, in the last round */
};

static uint32_t yeah_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t yeah_max(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void yeah_slow_round(struct sim *s, struct flow *f, struct yeah *c, uint32_t *cwnd)
{
    if (c->backlog > f->cfg->window.yeah_alpha && *cwnd > c->reno_count) {
        uint32_t taken = yeah_min(c->backlog / YEAH_GAMMA, *cwnd >> YEAH_EPSILON_SHIFT);
        *cwnd = yeah_max(*cwnd - taken, c->reno_count);
        tcp_set_ssthresh(s, f, *cwnd);
    }
    c->reno_count = c->reno_count <= CWND_MIN_SEGS ? yeah_max(*cwnd / 2, CWND_MIN_SEGS) : c->reno_count + 1;
    c->slow_rounds++;
}

static void yeah_decide(struct sim *s, struct flow *f, struct yeah *c, uint32_t *cwnd)
{
    const struct cc_window_params *p = &f->cfg->window;
    const struct rtt_round *r = &c->round;
    int64_t queueing_ps = r->min_ps - r->base_ps;
    c->backlog = (uint32_t)((double)queueing_ps * *cwnd / (double)r->min_ps);
    if (c->backlog > p->yeah_alpha || queueing_ps > r->base_ps / p->yeah_phi) {
        yeah_slow_round(s, f, c, cwnd);
        return;
    }
    if (++c->fast_rounds > p->yeah_zeta) {
        c->reno_count = CWND_MIN_SEGS;
        c->fast_rounds = 0;
    }
    c->slow_rounds = 0;
}

static void yeah_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct yeah *c = CC_STATE(f, struct yeah);
    c->reno_count = yeah_max(c->reno_count, CWND_MIN_SEGS);
    uint32_t cwnd = linux_cwnd(f), left = hystart_linux_slow_start(f, &c->hystart, &c->growth, acked, &cwnd);
    if (left > 0)
        linux_avoid(&c->growth, c->slow_rounds > 0 ? cwnd : yeah_min(cwnd, YEAH_COUNT), left, &cwnd);
    if (rtt_round_is_over(&c->round, f)) {
        if (c->round.n > YEAH_SAMPLES)
            yeah_decide(s, f, c, &cwnd);
        rtt_round_begin(&c->round, f);
    }
    growth_set_cwnd(s, f, cwnd);
}

static double yeah_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct yeah *c = CC_STATE(f, struct yeah);
    uint32_t cwnd = linux_cwnd(f), taken = yeah_max(cwnd / 2, CWND_MIN_SEGS);
    if (c->slow_rounds < f->cfg->window.yeah_rho)
        taken = yeah_max(yeah_min(c->backlog, taken), cwnd >> YEAH_DELTA_SHIFT);
    c->fast_rounds = 0;
    c->reno_count = yeah_max(c->reno_count / 2, CWND_MIN_SEGS);
    c->growth.count = 0;
    return growth_at_least_min((double)cwnd - taken);
}

static void yeah_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)acked;
    struct yeah *c = CC_STATE(f, struct yeah);
    rtt_round_note(&c->round, rtt_ps);
    hystart_sample(s, f, &c->hystart, rtt_ps);
}

const struct cc_ops cc_yeah = {
    .item = {"yeah", "scalable growth while the queue is short, else Reno's",
             "Baiocchi, Castellani, Vacirca 2007; Linux 6.1 tcp_yeah.c", NULL},
    .on_ack = yeah_on_ack,
    .ssthresh = yeah_ssthresh,
    .on_rtt = yeah_on_rtt,
    .on_timeout = hystart_on_timeout,
};
