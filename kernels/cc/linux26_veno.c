/* linux26_veno.c - Veno as Linux 2.6.22 has it in ns-2.35 (linux/src/tcp_veno.c), in integers.
 *
 * Against Linux 6.x (veno.c): the RTT is the least since cwnd was last in full use, and none at all means congestion;
 * the queue at a loss is that of the last ACK that was looked at; steps count ACKs.
 */
#include "linux26_round.h"

enum { BETA = 3 << 1 };

struct veno {
    struct linux26_growth growth;
    struct linux26_round rtt; /* its rounds are not used */
    uint32_t queued;          /* halves of a segment */
    bool has_waited;
};

static void veno_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    struct veno *c = CC_STATE(f, struct veno);
    c->has_waited |= !c->rtt.has_begun;
    c->growth.acked += acked;
    linux26_round_note(f, &c->rtt, rtt_ps);
}

static uint32_t avoid(const struct flow *f, struct veno *c, uint32_t cwnd)
{
    if (c->growth.count < cwnd) {
        c->growth.count++;
        return cwnd;
    }
    c->growth.count = 0;
    if (c->queued < BETA)
        return linux26_one_more(f, cwnd);
    c->has_waited = !c->has_waited;
    return c->has_waited ? cwnd : linux26_one_more(f, cwnd);
}

static void veno_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    struct veno *c = CC_STATE(f, struct veno);
    uint32_t cwnd = linux_cwnd(f);
    if (!c->rtt.is_on) {
        growth_set_cwnd(s, f, linux26_reno(f, &c->growth, cwnd));
        return;
    }
    if (c->rtt.samples <= LINUX26_FEW_SAMPLES) {
        cwnd = linux26_reno(f, &c->growth, cwnd);
    } else {
        c->queued = (cwnd << 1) - (uint32_t)(((uint64_t)cwnd * c->rtt.base_us << 1) / c->rtt.min_us);
        cwnd = linux26_in_slow_start(f) ? linux26_slow_start(f, &c->growth, cwnd) : avoid(f, c, cwnd);
        cwnd = cwnd > CWND_MIN_SEGS ? cwnd : CWND_MIN_SEGS;
    }
    c->rtt.min_us = LINUX26_NO_RTT;
    growth_set_cwnd(s, f, cwnd);
}

static double veno_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct veno *c = CC_STATE(f, struct veno);
    c->rtt.is_on = false;
    return linux26_reduce(&c->growth, c->queued < BETA ? linux_cwnd(f) * 4 / 5 : linux_cwnd(f) / 2);
}

static void veno_on_recovery_exit(struct sim *s, struct flow *f)
{
    (void)s;
    struct veno *c = CC_STATE(f, struct veno);
    c->rtt.is_on = true;
    c->rtt.min_us = LINUX26_NO_RTT;
}

const struct cc_ops cc_veno_linux26 = {
    .item = {"veno_linux26", "veno of Linux 2.6.22", "ns-2 2.35, linux/src/tcp_veno.c", NULL},
    .on_ack = veno_on_ack,
    .ssthresh = veno_ssthresh,
    .on_rtt = veno_on_rtt,
    .on_recovery_exit = veno_on_recovery_exit,
};
