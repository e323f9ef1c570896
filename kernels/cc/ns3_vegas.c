/* ns3_vegas.c - Vegas and Veno as ns-3 3.48 has them (tcp-vegas.cc, tcp-veno.cc).
 *
 * vegas_ns3: a loss leaves the window at ssthresh, which Vegas keeps at three quarters of cwnd or more, where the paper
 *   and Linux halve; diff = cwnd - cwnd base/min in whole segments; duplicates count as samples and switch it off.
 * RTTs are the smoothed one, whose first value is the handshake's, with its short packets: so at first less than any of
 *   data.
 * veno_ns3: the counter of samples is cleared at every ACK, so growth is always Reno's; the queue is that of the last
 *   ACK's RTT; a loss leaves four fifths or half of what is in flight.
 */
#include "ns3.h"

enum { ALPHA = 2, BETA = 4, GAMMA = 1, FEW_SAMPLES = 2, VENO_BETA = 3 };

struct vegas {
    int64_t base_ps, min_ps; /* 0: none */
    uint32_t samples, begin;
    bool is_off;
    uint32_t queued; /* veno */
};

static void note(struct vegas *c, int64_t rtt_ps)
{
    if (rtt_ps <= 0)
        return;
    c->base_ps = c->base_ps && c->base_ps < rtt_ps ? c->base_ps : rtt_ps;
    c->min_ps = c->min_ps && c->min_ps < rtt_ps ? c->min_ps : rtt_ps;
    c->samples++;
}

static void vegas_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    (void)acked;
    (void)rtt_ps;
    note(CC_STATE(f, struct vegas), f->rto.srtt_ps);
}

static void enable(const struct flow *f, struct vegas *c)
{
    c->is_off = false;
    c->begin = f->next;
    c->samples = 0;
    c->min_ps = 0;
}

static double vegas_threshold(const struct flow *f, double cwnd)
{
    return growth_at_least_min(f->ssthresh < cwnd - 1 ? f->ssthresh : cwnd - 1);
}

static double decide(struct sim *s, struct flow *f, const struct vegas *c)
{
    uint32_t window = ns3_whole(f->cwnd);
    uint32_t target = (uint32_t)(window * ((double)c->base_ps / (double)c->min_ps)), queued = window - target;
    double cwnd = f->cwnd, ssthresh = f->ssthresh;
    if (queued > GAMMA && cwnd < ssthresh) {
        cwnd = window < target + 1 ? window : target + 1;
        ssthresh = vegas_threshold(f, cwnd);
    } else if (cwnd < ssthresh) {
        cwnd += 1;
    } else if (queued > BETA) {
        cwnd = window - 1;
        ssthresh = vegas_threshold(f, cwnd);
    } else if (queued < ALPHA) {
        cwnd = window + 1;
    }
    tcp_set_ssthresh(s, f, ssthresh > 3 * cwnd / 4 ? ssthresh : 3 * cwnd / 4);
    return cwnd;
}

static void vegas_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct vegas *c = CC_STATE(f, struct vegas);
    double cwnd = f->cwnd;
    if (c->is_off && f->mode == MODE_OPEN) {
        cwnd = ns3_newreno(f, cwnd, acked);
        enable(f, c);
    } else if (c->is_off) {
        cwnd = ns3_newreno(f, cwnd, acked);
    } else if (f->una >= c->begin) {
        c->begin = f->next;
        cwnd = c->samples <= FEW_SAMPLES ? ns3_newreno(f, cwnd, acked) : decide(s, f, c);
        c->samples = 0;
        c->min_ps = 0;
    } else if (cwnd < f->ssthresh) {
        cwnd += 1;
    }
    growth_set_cwnd(s, f, cwnd);
}

static void vegas_on_duplicate(struct sim *s, struct flow *f)
{
    (void)s;
    CC_STATE(f, struct vegas)->is_off = true;
}

static double vegas_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    CC_STATE(f, struct vegas)->is_off = true;
    return vegas_threshold(f, f->cwnd);
}

static void vegas_on_recovery_exit(struct sim *s, struct flow *f)
{
    (void)s;
    enable(f, CC_STATE(f, struct vegas));
}

const struct cc_ops cc_vegas_ns3 = {
    .item = {"vegas_ns3", "TcpVegas of ns-3", "ns-3 3.48, tcp-vegas.cc", NULL},
    .on_ack = vegas_on_ack,
    .ssthresh = vegas_ssthresh,
    .on_rtt = vegas_on_rtt,
    .on_duplicate = vegas_on_duplicate,
    .on_recovery_exit = vegas_on_recovery_exit,
};

static void veno_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct vegas *c = CC_STATE(f, struct vegas);
    uint32_t window = ns3_whole(f->cwnd);
    double share = c->min_ps ? (double)c->base_ps / (double)c->min_ps : 0;
    c->queued = window - (uint32_t)(window * share);
    growth_set_cwnd(s, f, ns3_newreno(f, f->cwnd, acked));
    c->samples = 0;
    c->min_ps = 0;
}

static double veno_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    bool is_random = CC_STATE(f, struct vegas)->queued < VENO_BETA;
    return growth_at_least_min(growth_pipe(f) * (is_random ? 0.8 : 0.5));
}

const struct cc_ops cc_veno_ns3 = {
    .item = {"veno_ns3", "TcpVeno of ns-3", "ns-3 3.48, tcp-veno.cc", NULL},
    .on_ack = veno_on_ack,
    .ssthresh = veno_ssthresh,
    .on_rtt = vegas_on_rtt,
};
