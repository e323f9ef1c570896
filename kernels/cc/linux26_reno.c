/* linux26_reno.c - Reno and Scalable TCP as Linux 2.6.22 has them in ns-2.35 (linux/src/tcp_cong.c, tcp_scalable.c).
 *
 * Against Linux 6.1 (reno.c, scalable.c): see linux26.h; Scalable grows by one in min(cwnd, 50) + 1 ACKs, where 6.1
 * has 100 segments.
 */
#include "linux26.h"

enum { SCALABLE_COUNT = 50, SCALABLE_SHIFT = 3 };

double linux26_half_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return (uint32_t)f->ssthresh / 2;
}

void linux26_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    (void)rtt_ps;
    CC_STATE(f, struct linux26_growth)->acked += acked;
}

static void reno_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    growth_set_cwnd(s, f, linux26_reno(f, CC_STATE(f, struct linux26_growth), linux_cwnd(f)));
}

static double reno_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return linux26_reduce(CC_STATE(f, struct linux26_growth), linux_cwnd(f) / 2);
}

const struct cc_ops cc_reno_linux26 = {
    .item = {"reno_linux26", "reno of Linux 2.6.22", "ns-2 2.35, linux/src/tcp_cong.c", NULL},
    .on_ack = reno_on_ack,
    .ssthresh = reno_ssthresh,
    .on_rtt = linux26_on_rtt,
    .recovery_window = linux26_half_ssthresh,
};

static void scalable_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    struct linux26_growth *g = CC_STATE(f, struct linux26_growth);
    uint32_t cwnd = linux_cwnd(f);
    if (linux26_in_slow_start(f))
        cwnd = linux26_slow_start(f, g, cwnd);
    else
        cwnd = linux26_avoid(f, g, cwnd < SCALABLE_COUNT ? cwnd : SCALABLE_COUNT, cwnd);
    growth_set_cwnd(s, f, cwnd);
}

static double scalable_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    uint32_t cwnd = linux_cwnd(f);
    return linux26_reduce(CC_STATE(f, struct linux26_growth), cwnd - (cwnd >> SCALABLE_SHIFT));
}

const struct cc_ops cc_scalable_linux26 = {
    .item = {"scalable_linux26", "scalable of Linux 2.6.22", "ns-2 2.35, linux/src/tcp_scalable.c", NULL},
    .on_ack = scalable_on_ack,
    .ssthresh = scalable_ssthresh,
    .on_rtt = linux26_on_rtt,
    .recovery_window = linux26_half_ssthresh,
};
