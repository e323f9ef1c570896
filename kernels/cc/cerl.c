/* cerl.c - TCP CERL: a loss is taken as random while the queue is short (El-Ocla, Wireless Networks 16(1), 2010).
 *
 * l = (RTT - T) B against N = A l_max: the bottleneck's rate B cancels, so that the test is RTT - T < A (RTT - T)max of
 * all samples so far. A congestive loss halves once per window; any other leaves cwnd and ssthresh as they were.
 *
 * Departures: the largest RTT - T is not computed anew when T falls. Before the first sample, or while all RTTs are
 * equal, a loss counts as congestion. Recovery runs with cwnd as it was; ssthresh comes back when it is over.
 */
#include "delay.h"

struct cerl {
    struct delay_rtt rtt;
    struct delay_timeout timeout;
    struct delay_keep keep;
    int64_t over_max_ps; /* largest RTT - T */
    uint32_t cut_next;   /* next to send at the last reduction */
    bool has_cut;
};

static void cerl_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    (void)acked;
    struct cerl *c = CC_STATE(f, struct cerl);
    delay_rtt_sample(&c->rtt, rtt_ps);
    if (c->rtt.last_ps - c->rtt.min_ps > c->over_max_ps)
        c->over_max_ps = c->rtt.last_ps - c->rtt.min_ps;
}

/* Exact at the limit, which counts as congestion. */
static bool cerl_is_random(const struct sim *s, const struct flow *f)
{
    (void)s;
    const struct cerl *c = CC_STATE(f, struct cerl);
    enum { UNIT = 1000000 };
    int64_t a = (int64_t)(f->cfg->delay.cerl_a * UNIT + 0.5);
    return (delay_wide)(c->rtt.last_ps - c->rtt.min_ps) * UNIT < (delay_wide)c->over_max_ps * a;
}

static double cerl_ssthresh(struct sim *s, struct flow *f)
{
    struct cerl *c = CC_STATE(f, struct cerl);
    double half = cc_reno.ssthresh(s, f);
    delay_timeout_ask(s, &c->timeout, half);
    if (cerl_is_random(s, f) || (c->has_cut && f->una < c->cut_next))
        return delay_keep_both(&c->keep, f->cwnd, f->ssthresh);
    c->has_cut = true;
    c->cut_next = f->next;
    c->keep.cwnd = 0;
    return half;
}

static void cerl_on_timeout(struct sim *s, struct flow *f)
{
    struct cerl *c = CC_STATE(f, struct cerl);
    c->keep.cwnd = 0;
    delay_timeout_answer(s, f, &c->timeout);
}

static void cerl_on_recovery_exit(struct sim *s, struct flow *f)
{
    delay_keep_restore(s, f, &CC_STATE(f, struct cerl)->keep);
}

static void cerl_on_ack(struct sim *s, struct flow *f, double acked)
{
    cc_reno.on_ack(s, f, acked);
}

const struct cc_ops cc_cerl = {
    .item = {"cerl", "no reduction for a loss while the queue is short", "El-Ocla, Wireless Networks 16(1), 2010",
             NULL},
    .on_ack = cerl_on_ack,
    .ssthresh = cerl_ssthresh,
    .on_rtt = cerl_on_rtt,
    .on_timeout = cerl_on_timeout,
    .on_recovery_exit = cerl_on_recovery_exit,
    .is_random = cerl_is_random,
};
