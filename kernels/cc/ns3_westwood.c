/* ns3_westwood.c - Westwood+ as ns-3 3.48 has it (tcp-westwood-plus.cc).
 *
 * Against Grieco and Mascolo (westwood.c): duplicates count a segment each, and the ACK that ends recovery counts all
 * it passes once more; the filter is Tustin's with a fixed weight of 0.9; ssthresh, and with it the window after a
 * loss, may exceed the window before.
 */
#include "ns3.h"

static const double WEIGHT = 0.9;

struct westwood {
    int64_t min_ps, last_rtt_ps, sample_ps, due_ps; /* sample: the RTT that the present count is for; 0: none */
    double acked, rate, last_sample;                /* segments, segments per second */
};

static void close_sample(const struct sim *s, struct westwood *c)
{
    if (c->sample_ps == 0 || s->now_ps < c->due_ps)
        return;
    double sample = c->acked * (double)PS_PER_S / (double)c->sample_ps;
    c->rate = c->rate * WEIGHT + (sample + c->last_sample) / 2 * (1 - WEIGHT);
    c->last_sample = sample;
    c->acked = 0;
    c->sample_ps = 0;
}

static void take(const struct sim *s, struct westwood *c, double acked)
{
    close_sample(s, c);
    if (c->last_rtt_ps == 0)
        return;
    c->acked += acked;
    if (c->sample_ps == 0) {
        c->sample_ps = c->last_rtt_ps;
        c->due_ps = s->now_ps + c->last_rtt_ps;
    }
}

/* Segments that ns-3 reports for an ACK which moves una: in recovery one, after duplicates what they have not counted,
 * at the end of a timeout's repair those beyond `recover`. */
static uint32_t reported(const struct flow *f, uint32_t acked)
{
    if (f->mode == MODE_RECOVERY)
        return f->una < f->recover ? 1 : acked;
    if (f->mode == MODE_LOSS)
        return f->una < f->recover ? acked : f->una - f->recover;
    return acked > f->duplicate_acks ? acked - f->duplicate_acks : 0;
}

/* The handshake's RTT counts: its packets are short, so it is less than any of data. */
static void westwood_start(struct sim *s, struct flow *f)
{
    (void)s;
    if (f->rto.has_sample)
        CC_STATE(f, struct westwood)->min_ps = f->rto.srtt_ps;
}

static void westwood_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    struct westwood *c = CC_STATE(f, struct westwood);
    (void)rtt_ps;
    c->last_rtt_ps = f->rto.srtt_ps;
    c->min_ps = c->min_ps && c->min_ps < c->last_rtt_ps ? c->min_ps : c->last_rtt_ps;
    take(s, c, reported(f, acked));
}

static void westwood_on_duplicate(struct sim *s, struct flow *f)
{
    take(s, CC_STATE(f, struct westwood), 1);
}

static void westwood_on_ack(struct sim *s, struct flow *f, double acked)
{
    growth_set_cwnd(s, f, ns3_newreno(f, f->cwnd, acked));
}

static double westwood_ssthresh(struct sim *s, struct flow *f)
{
    struct westwood *c = CC_STATE(f, struct westwood);
    close_sample(s, c);
    return growth_at_least_min(c->rate * (double)c->min_ps / (double)PS_PER_S);
}

const struct cc_ops cc_westwood_ns3 = {
    .item = {"westwood_ns3", "TcpWestwoodPlus of ns-3", "ns-3 3.48, tcp-westwood-plus.cc", NULL},
    .on_ack = westwood_on_ack,
    .ssthresh = westwood_ssthresh,
    .start = westwood_start,
    .on_rtt = westwood_on_rtt,
    .on_duplicate = westwood_on_duplicate,
};
