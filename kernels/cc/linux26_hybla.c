/* linux26_hybla.c - Hybla as Linux 2.6.22 has it in ns-2.35 (linux/src/tcp_hybla.c), in integers.
 *
 * Against the paper (hybla.c): rho in eighths, 2^rho by a table of eighths, cwnd after the first ACK is the whole part
 * of rho, the initial ssthresh is not scaled; nothing but the open state is Hybla's.
 */
#include "linux26.h"

enum { FRACTIONS = 8, ONE = 128, ONE_SHIFT = 7, RHO_MAX = 16 }; /* 2^16 segments are more than any window */

static const uint8_t power_of_eighth[FRACTIONS] = {128, 139, 152, 165, 181, 197, 215, 234}; /* 128 x 2^(i/8) */

struct hybla {
    struct linux26_growth growth;
    bool has_begun;
    uint32_t rho_8, min_srtt_8; /* rho << 3; least smoothed RTT, ticks << 3 */
    uint32_t cents;             /* growth of less than a segment, << 7 */
};

static void hybla_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)rtt_ps;
    struct hybla *c = CC_STATE(f, struct hybla);
    uint32_t srtt_8 = linux26_srtt_8(f), rtt0 = (uint32_t)(f->cfg->window.hybla_rtt0_ps / LINUX26_TICK_PS);
    c->growth.acked += acked;
    if (c->has_begun && srtt_8 >= c->min_srtt_8)
        return;
    c->min_srtt_8 = srtt_8;
    c->rho_8 = srtt_8 / (rtt0 ? rtt0 : 1);
    c->rho_8 = c->rho_8 > FRACTIONS ? c->rho_8 : FRACTIONS;
    if (!c->has_begun)
        growth_set_cwnd(s, f, c->rho_8 >> 3);
    c->has_begun = true;
}

static void hybla_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    struct hybla *c = CC_STATE(f, struct hybla);
    uint32_t cwnd = linux_cwnd(f), ssthresh = (uint32_t)f->ssthresh;
    if (f->mode != MODE_OPEN || !c->has_begun) {
        growth_set_cwnd(s, f, linux26_reno(f, &c->growth, cwnd));
        return;
    }
    bool is_slow_start = cwnd < ssthresh;
    uint32_t whole = c->rho_8 >> 3 < RHO_MAX ? c->rho_8 >> 3 : RHO_MAX;
    uint32_t increment =
        is_slow_start ? (1u << whole) * power_of_eighth[c->rho_8 % FRACTIONS] - ONE : (c->rho_8 * c->rho_8 << 1) / cwnd;
    c->cents += increment % ONE;
    cwnd += (increment >> ONE_SHIFT) + (c->cents >> ONE_SHIFT);
    c->cents %= ONE;
    if (is_slow_start && cwnd > ssthresh)
        cwnd = ssthresh;
    growth_set_cwnd(s, f, cwnd);
}

static double hybla_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return linux26_reduce(&CC_STATE(f, struct hybla)->growth, linux_cwnd(f) / 2);
}

const struct cc_ops cc_hybla_linux26 = {
    .item = {"hybla_linux26", "hybla of Linux 2.6.22", "ns-2 2.35, linux/src/tcp_hybla.c", NULL},
    .on_ack = hybla_on_ack,
    .ssthresh = hybla_ssthresh,
    .on_rtt = hybla_on_rtt,
    .recovery_window = linux26_half_ssthresh,
};
