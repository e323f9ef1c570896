/* hybla.c - TCP Hybla: long round trips grow as fast as one of RTT0 would (Caini, Firrincieli 2004).
 *
 * rho = max(RTT/RTT0, 1), of the least SRTT so far. Slow start 2^rho - 1 per step, at most to ssthresh; avoidance
 * rho^2/cwnd per segment. Initial window and threshold are multiplied by rho, known from the handshake. In 2^rho, rho
 * is at most 16, and growth while a timeout is being repaired is Reno's, both as in Linux: slow start by 2^rho would
 * fill the queue with retransmissions again and again. No pacing, which the paper asks for. Losses halve.
 */
#include "growth.h"

#include "../detmath.h"
#include "../rto.h"

static const double HYBLA_LN2 = 0.69314718055994530942, HYBLA_RHO_MAX = 16;

struct hybla {
    double min_srtt_s; /* 0: none */
    double rho;
    double slow_start; /* segments per step: 2^rho - 1 */
};

static void hybla_note(const struct flow *f, struct hybla *c)
{
    double srtt_s = f->rto.has_sample ? rto_srtt_s(&f->rto, f->cfg) : 0;
    if (c->rho > 0 && (srtt_s == 0 || (c->min_srtt_s > 0 && srtt_s >= c->min_srtt_s)))
        return;
    double rho = srtt_s * (double)PS_PER_S / (double)f->cfg->window.hybla_rtt0_ps;
    c->min_srtt_s = srtt_s;
    c->rho = rho > 1 ? rho : 1;
    c->slow_start = det_exp(HYBLA_LN2 * (c->rho < HYBLA_RHO_MAX ? c->rho : HYBLA_RHO_MAX)) - 1;
}

static void hybla_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct hybla *c = CC_STATE(f, struct hybla);
    double cwnd = f->cwnd;
    hybla_note(f, c);
    bool is_open = f->mode == MODE_OPEN, is_slow_start = cwnd < f->ssthresh;
    acked = growth_slow_start(f, acked, growth_limit(f), is_open ? c->slow_start : 1, &cwnd);
    if (is_slow_start && cwnd > f->ssthresh)
        cwnd = f->ssthresh;
    if (acked > 0)
        cwnd += (is_open ? c->rho * c->rho : 1) * acked / cwnd;
    growth_set_cwnd(s, f, cwnd);
}

static double hybla_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return growth_at_least_min(growth_window_at_loss(f) / 2);
}

static void hybla_start(struct sim *s, struct flow *f)
{
    struct hybla *c = CC_STATE(f, struct hybla);
    hybla_note(f, c);
    double ssthresh = f->ssthresh * c->rho;
    growth_set_cwnd(s, f, f->cwnd * c->rho);
    tcp_set_ssthresh(s, f, ssthresh < SSTHRESH_UNLIMITED ? ssthresh : SSTHRESH_UNLIMITED);
}

const struct cc_ops cc_hybla = {
    .item = {"hybla", "long round trips grow as fast as short ones", "Caini, Firrincieli 2004", NULL},
    .on_ack = hybla_on_ack,
    .ssthresh = hybla_ssthresh,
    .start = hybla_start,
};
