/* vegas.c - TCP Vegas as published (Brakmo, O'Malley, Peterson, SIGCOMM 1994; Brakmo and Peterson, JSAC 13(8), 1995),
 * with the rerouting fix of La, Walrand and Anantharam (1998) as an option.
 *
 * Once per round, with the mean RTT of it: diff = cwnd (RTT - base) / RTT against alpha and beta, one segment up or
 * down. Slow start doubles every other round and ends when diff passes gamma after a round that stood still.
 *
 * Departures: `cwnd += 1 during the next RTT` happens at once; leaving slow start does not cut the window; cwnd after a
 * timeout is the recovery scheme's (the paper has 2); fine timeouts are recovery `vegas`. Rerouting fix: our reading of
 * delta (part of the base RTT) and gamma (segments queued); the window is left alone when the base changes.
 */
#include "vegas_round.h"

struct reroute {
    int64_t block_min_ps, high_min_ps; /* least RTT of the block under way, of the run of blocks that were too high */
    uint32_t segments, samples, high_blocks;
};

struct vegas {
    struct vegas_round round;
    struct delay_timeout timeout;
    struct reroute reroute;
    bool is_frozen;
};

static void vegas_start(struct sim *s, struct flow *f)
{
    CC_STATE(f, struct vegas)->round.begin_ps = s->now_ps;
}

static void take_min(int64_t *min_ps, int64_t x_ps)
{
    if (*min_ps == 0 || x_ps < *min_ps)
        *min_ps = x_ps;
}

/* A least RTT that stays too high for several blocks, though little is queued: the path has changed, not its queue. */
static void look_for_new_path(const struct flow *f, struct vegas *c, uint32_t acked, int64_t rtt_ps)
{
    const struct cc_delay_params *p = &f->cfg->delay;
    struct reroute *r = &c->reroute;
    if (r->segments < p->vegas_reroute_k) {
        r->segments += acked;
        return;
    }
    take_min(&r->block_min_ps, rtt_ps);
    if (++r->samples < p->vegas_reroute_n)
        return;
    double limit_ps = (double)c->round.base_ps * (1 + p->vegas_reroute_delta);
    bool is_high =
        (double)r->block_min_ps > limit_ps && delay_backlog(f->cwnd, r->block_min_ps, rtt_ps) <= p->vegas_reroute_gamma;
    r->high_blocks = is_high ? r->high_blocks + 1 : 0;
    if (is_high)
        take_min(&r->high_min_ps, r->block_min_ps);
    if (r->high_blocks >= p->vegas_reroute_l)
        c->round.base_ps = r->high_min_ps;
    if (!is_high || r->high_blocks >= p->vegas_reroute_l) {
        r->high_min_ps = 0;
        r->high_blocks = 0;
    }
    r->block_min_ps = 0;
    r->samples = 0;
}

static void vegas_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    struct vegas *c = CC_STATE(f, struct vegas);
    vegas_round_sample(&c->round, rtt_ps);
    if (f->cfg->delay.vegas_reroute_fix && rtt_ps > 0)
        look_for_new_path(f, c, acked, rtt_ps);
}

static void vegas_step(struct sim *s, struct flow *f, double diff)
{
    if (diff > f->cfg->delay.vegas_beta)
        vegas_shrink(s, f);
    else if (diff < f->cfg->delay.vegas_alpha)
        growth_set_cwnd(s, f, f->cwnd + 1);
}

static void vegas_once_per_round(struct sim *s, struct flow *f, struct vegas *c, const struct vegas_report *report)
{
    int64_t rtt_ps = report->sum_ps / report->count;
    /* More arrived than an empty path would let through: the base is of another path. */
    if ((double)report->sent * (double)c->round.base_ps > f->cwnd * (double)rtt_ps)
        c->round.base_ps = rtt_ps;
    double diff = delay_backlog(f->cwnd, c->round.base_ps, rtt_ps);
    if (f->cwnd >= f->ssthresh) {
        vegas_step(s, f, diff);
        return;
    }
    c->is_frozen = !c->is_frozen;
    if (!c->is_frozen && diff > f->cfg->delay.vegas_gamma)
        tcp_set_ssthresh(s, f, f->cwnd);
}

static void vegas_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct vegas *c = CC_STATE(f, struct vegas);
    struct vegas_report report;
    if (vegas_round_end(&c->round, s, f, &report))
        vegas_once_per_round(s, f, c, &report);
    if (f->cwnd < f->ssthresh && !c->is_frozen) {
        double cwnd = f->cwnd + acked;
        growth_set_cwnd(s, f, cwnd < f->ssthresh ? cwnd : f->ssthresh);
    }
}

/* A quarter less; half where the lost segment had been sent again already. */
static double vegas_ssthresh(struct sim *s, struct flow *f)
{
    delay_timeout_ask(s, &CC_STATE(f, struct vegas)->timeout, f->cwnd / 2);
    return growth_at_least_min(f->cwnd * (f->una < f->high_retransmitted ? 0.5 : 0.75));
}

static void vegas_on_timeout(struct sim *s, struct flow *f)
{
    delay_timeout_answer(s, f, &CC_STATE(f, struct vegas)->timeout);
}

const struct cc_ops cc_vegas = {
    .item = {"vegas", "keeps alpha to beta segments queued on the path", "Brakmo and Peterson, JSAC 13(8), 1995", NULL},
    .on_ack = vegas_on_ack,
    .ssthresh = vegas_ssthresh,
    .start = vegas_start,
    .on_rtt = vegas_on_rtt,
    .on_timeout = vegas_on_timeout,
};
