/* htcp.c - H-TCP: the longer since the last loss, the faster the growth (Leith, Shorten 2004; draft-leith-tcp-htcp-06).
 *
 * Choices where the sources leave it open: throughput is that of the last whole round before a loss; the largest RTT is
 * of the time since the last loss; the first loss, and one with no sample, halve. RTT scaling is optional there, a key
 * here (on in Linux).
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
