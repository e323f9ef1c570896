/* hybla.c - TCP Hybla: long round trips grow as fast as one of RTT0 would (Caini, Firrincieli 2004).
 *
 * rho = max(RTT/RTT0, 1), of the least SRTT so far. Slow start 2^rho - 1 per step, at most to ssthresh; avoidance
 * rho^2/cwnd per segment. Initial window and threshold are multiplied by rho, known from the handshake. In 2^rho, rho
 * is at most 16, and growth while a timeout is being repaired is Reno's, both as in Linux: slow start by 2^rho would
 * fill the queue with retransmissions again and again. No pacing, which the paper asks for. Losses halve.
 *
 * hybla_linux: Linux 6.1 tcp_hybla.c in integers: rho in eighths, growth in 1/128 of a segment per ACK, however many it
 * acknowledges; the connection begins with rho segments.
 */
#include "linux_growth.h"

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

/* --- Linux -------------------------------------------------------------------------------------------------------- */

enum { HYBLA_EIGHTHS = 8, HYBLA_ONE = 128, HYBLA_WHOLE_MAX = 16 };

static const uint8_t hybla_power_of_eighth[HYBLA_EIGHTHS] = {128, 139, 152, 165,
                                                             181, 197, 215, 234}; /* 128 x 2^(i/8) */

struct hybla_linux {
    struct linux_growth growth;
    uint32_t rho_8;    /* rho times 8 */
    double min_srtt_s; /* 0: none */
    uint32_t part;     /* growth of less than a segment, 1/128 */
};

static void hybla_linux_note(const struct flow *f, struct hybla_linux *c)
{
    double srtt_s = f->rto.has_sample ? rto_srtt_s(&f->rto, f->cfg) : 0;
    if (c->rho_8 > 0 && srtt_s >= c->min_srtt_s)
        return;
    uint32_t rho_8 = (uint32_t)(HYBLA_EIGHTHS * srtt_s * (double)PS_PER_S / (double)f->cfg->window.hybla_rtt0_ps);
    c->min_srtt_s = srtt_s;
    c->rho_8 = rho_8 > HYBLA_EIGHTHS ? rho_8 : HYBLA_EIGHTHS;
}

static uint32_t hybla_linux_reno(struct flow *f, struct hybla_linux *c, double acked, uint32_t cwnd)
{
    uint32_t left = linux_slow_start(f, linux_acked(&c->growth, acked), &cwnd);
    if (left > 0)
        linux_avoid(&c->growth, cwnd, left, &cwnd);
    return cwnd;
}

/* By one ACK; the counter serves where that is less than 1/128 of a segment. */
static uint32_t hybla_linux_grow(const struct flow *f, struct hybla_linux *c, uint32_t cwnd)
{
    bool is_slow_start = linux_in_slow_start(f);
    uint32_t whole = c->rho_8 / HYBLA_EIGHTHS < HYBLA_WHOLE_MAX ? c->rho_8 / HYBLA_EIGHTHS : HYBLA_WHOLE_MAX;
    uint32_t step = is_slow_start ? (1u << whole) * hybla_power_of_eighth[c->rho_8 % HYBLA_EIGHTHS] - HYBLA_ONE
                                  : 2 * c->rho_8 * c->rho_8 / cwnd;
    c->growth.count += !is_slow_start && step < HYBLA_ONE;
    c->part += step % HYBLA_ONE;
    cwnd += step / HYBLA_ONE + c->part / HYBLA_ONE;
    if (c->part >= HYBLA_ONE)
        c->growth.count = 0;
    c->part %= HYBLA_ONE;
    if (step == 0 && c->growth.count >= cwnd) {
        cwnd++;
        c->growth.count = 0;
    }
    return is_slow_start && cwnd > (uint32_t)f->ssthresh ? (uint32_t)f->ssthresh : cwnd;
}

static void hybla_linux_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct hybla_linux *c = CC_STATE(f, struct hybla_linux);
    hybla_linux_note(f, c);
    uint32_t cwnd = linux_cwnd(f);
    growth_set_cwnd(s, f, f->mode == MODE_OPEN ? hybla_linux_grow(f, c, cwnd) : hybla_linux_reno(f, c, acked, cwnd));
}

static double hybla_linux_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return linux_half(f, &CC_STATE(f, struct hybla_linux)->growth);
}

static void hybla_linux_start(struct sim *s, struct flow *f)
{
    struct hybla_linux *c = CC_STATE(f, struct hybla_linux);
    hybla_linux_note(f, c);
    growth_set_cwnd(s, f, c->rho_8 / HYBLA_EIGHTHS);
}

const struct cc_ops cc_hybla_linux = {
    .item = {"hybla_linux", "hybla in Linux's integers, growth per ACK", "Linux 6.1 tcp_hybla.c", NULL},
    .on_ack = hybla_linux_on_ack,
    .ssthresh = hybla_linux_ssthresh,
    .start = hybla_linux_start,
};
