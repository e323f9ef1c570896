/* reno.c - slow start and congestion avoidance of RFC 5681, with the growth rules that implementations use (growth.h),
 * and in whole segments as Linux has it.
 *
 * reno_linux: RFC 5681 as Linux 6.1 tcp_cong.c: the counter of congestion avoidance, ssthresh from cwnd.
 */
#include "hystart.h"

static void reno_on_ack(struct sim *s, struct flow *f, double acked)
{
    double cwnd = f->cwnd;
    if (cwnd < f->ssthresh)
        acked = hystart_slow_start(f, CC_STATE(f, struct hystart), acked, &cwnd);
    else
        acked = growth_avoidance(f, acked);
    if (acked > 0)
        cwnd += acked / cwnd;
    growth_set_cwnd(s, f, cwnd);
}

static double reno_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return growth_window_at_loss(f) / 2;
}

const struct cc_ops cc_reno = {
    .item = {"reno", "slow start and congestion avoidance, halving on loss", "RFC 5681 3.1, RFC 3465",
             "TcpLinuxReno, TcpNewReno (ns-3)"},
    .on_ack = reno_on_ack,
    .ssthresh = reno_ssthresh,
    .on_rtt = hystart_on_rtt,
    .on_timeout = hystart_on_timeout,
};

struct reno_linux {
    struct hystart hystart;
    struct linux_growth growth;
};

static void reno_linux_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct reno_linux *c = CC_STATE(f, struct reno_linux);
    uint32_t cwnd = linux_cwnd(f), left = hystart_linux_slow_start(f, &c->hystart, &c->growth, acked, &cwnd);
    if (left > 0)
        linux_avoid(&c->growth, cwnd, left, &cwnd);
    growth_set_cwnd(s, f, cwnd);
}

static double reno_linux_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return linux_half(f, &CC_STATE(f, struct reno_linux)->growth);
}

const struct cc_ops cc_reno_linux = {
    .item = {"reno_linux", "reno in whole segments", "Linux 6.1 tcp_cong.c", NULL},
    .on_ack = reno_linux_on_ack,
    .ssthresh = reno_linux_ssthresh,
    .on_rtt = hystart_on_rtt,
    .on_timeout = hystart_on_timeout,
};
