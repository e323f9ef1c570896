/* dctcp.c - Data Center TCP: the window shrinks with the part of the segments that were marked (RFC 8257).
 *
 * Per window: F = marked / acknowledged, alpha = (1 - g) alpha + g F, alpha = 1 at the start. The first mark of a
 * window: cwnd = cwnd (1 - alpha / 2). Growth and losses as Reno; a marked ACK does not grow.
 *
 * Wants marks from the instantaneous queue (mark_weight 1) and each ACK's own (ecn: accurate); without them it is Reno.
 *
 * Departure: segments, not bytes, are counted.
 */
#include "delay.h"

struct dctcp {
    double alpha;
    uint32_t acked, marked; /* segments in this window */
    uint32_t window_end;
    uint32_t cut_next; /* next to send at the last reduction for a mark */
    bool has_begun, has_cut;
    int64_t mark_ps; /* time of the last marked ACK */
};

static void dctcp_begin(struct dctcp *c, const struct flow *f)
{
    if (c->has_begun)
        return;
    c->has_begun = true;
    c->alpha = 1;
    c->window_end = f->next;
}

static void dctcp_start(struct sim *s, struct flow *f)
{
    (void)s;
    dctcp_begin(CC_STATE(f, struct dctcp), f);
}

/* Once per window, and not while a loss is being repaired. */
static void dctcp_reduce(struct sim *s, struct flow *f, struct dctcp *c)
{
    if (f->mode != MODE_OPEN || (c->has_cut && f->una <= c->cut_next))
        return;
    c->has_cut = true;
    c->cut_next = f->next;
    f->count.ecn_reductions++;
    double cwnd = growth_at_least_min(f->cwnd * (1 - c->alpha / 2));
    tcp_set_ssthresh(s, f, cwnd);
    tcp_set_cwnd(s, f, cwnd);
}

static void dctcp_end_window(const struct flow *f, struct dctcp *c)
{
    double g = f->cfg->delay.dctcp_g;
    c->alpha = (1 - g) * c->alpha + g * (double)c->marked / (double)c->acked;
    c->acked = c->marked = 0;
    c->window_end = f->next;
}

static void dctcp_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)rtt_ps;
    struct dctcp *c = CC_STATE(f, struct dctcp);
    dctcp_begin(c, f);
    c->acked += acked;
    if (f->una > c->window_end)
        dctcp_end_window(f, c);
    if (delay_is_marked(s, c->mark_ps))
        dctcp_reduce(s, f, c);
}

static void dctcp_on_mark(struct sim *s, struct flow *f, uint32_t acked)
{
    struct dctcp *c = CC_STATE(f, struct dctcp);
    c->marked += acked;
    c->mark_ps = s->now_ps;
}

static void dctcp_on_duplicate(struct sim *s, struct flow *f)
{
    struct dctcp *c = CC_STATE(f, struct dctcp);
    if (delay_is_marked(s, c->mark_ps))
        dctcp_reduce(s, f, c);
}

static void dctcp_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct dctcp *c = CC_STATE(f, struct dctcp);
    if (!delay_is_marked(s, c->mark_ps))
        cc_reno.on_ack(s, f, acked);
}

static double dctcp_ssthresh(struct sim *s, struct flow *f)
{
    return cc_reno.ssthresh(s, f);
}

const struct cc_ops cc_dctcp = {
    .item = {"dctcp", "reduces by the part of segments that were marked", "RFC 8257", "TcpDctcp (ns-3)"},
    .on_ack = dctcp_on_ack,
    .ssthresh = dctcp_ssthresh,
    .start = dctcp_start,
    .on_rtt = dctcp_on_rtt,
    .on_duplicate = dctcp_on_duplicate,
    .on_mark = dctcp_on_mark,
};
