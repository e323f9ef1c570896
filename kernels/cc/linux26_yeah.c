/* linux26_yeah.c - YeAH as Linux 2.6.22 has it in ns-2.35 (linux/src/tcp_yeah.c), in integers.
 *
 * Against Linux 6.1 (yeah.c): no part of an ACK goes from slow start to avoidance, Scalable's step needs one more than
 * min(cwnd, 100) segments, and rounds end only where cwnd was in full use.
 */
#include "linux26_round.h"

enum { ALPHA = 80, PHI = 8, RHO = 16, ZETA = 50, DELTA_SHIFT = 3, SCALABLE_COUNT = 100 };

struct yeah {
    struct linux26_growth growth;
    struct linux26_round round;
    uint32_t backlog, slow_rounds, fast_rounds, reno_count, acked;
};

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void yeah_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    struct yeah *c = CC_STATE(f, struct yeah);
    c->growth.acked += acked;
    c->reno_count = larger(c->reno_count, CWND_MIN_SEGS);
    if (f->mode == MODE_OPEN)
        c->acked = acked;
    linux26_round_note(f, &c->round, rtt_ps);
}

static uint32_t grow(const struct flow *f, struct yeah *c, uint32_t cwnd)
{
    if (linux26_in_slow_start(f))
        return linux26_slow_start(f, &c->growth, cwnd);
    uint32_t per = c->slow_rounds > 0 ? cwnd : smaller(cwnd, SCALABLE_COUNT) + 1;
    c->growth.count += c->slow_rounds > 0 ? c->growth.count < cwnd : c->acked;
    if (c->slow_rounds == 0)
        c->acked = 1;
    if (c->growth.count < per)
        return cwnd;
    c->growth.count = 0;
    return linux26_one_more(f, cwnd);
}

static uint32_t decide(struct sim *s, struct flow *f, struct yeah *c, uint32_t cwnd)
{
    uint32_t queueing_us = c->round.min_us - c->round.base_us;
    c->backlog = (uint32_t)((uint64_t)cwnd * queueing_us / c->round.min_us);
    if (c->backlog <= ALPHA && queueing_us <= c->round.base_us / PHI) {
        if (++c->fast_rounds > ZETA) {
            c->reno_count = CWND_MIN_SEGS;
            c->fast_rounds = 0;
        }
        c->slow_rounds = 0;
        return cwnd;
    }
    if (c->backlog > ALPHA && cwnd > c->reno_count) {
        cwnd = larger(cwnd - smaller(c->backlog, cwnd >> 1), c->reno_count);
        tcp_set_ssthresh(s, f, cwnd);
    }
    c->reno_count = c->reno_count <= CWND_MIN_SEGS ? larger(cwnd >> 1, CWND_MIN_SEGS) : c->reno_count + 1;
    c->slow_rounds++;
    return cwnd;
}

static void yeah_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    struct yeah *c = CC_STATE(f, struct yeah);
    uint32_t cwnd = grow(f, c, linux_cwnd(f));
    if (linux26_round_is_over(f, &c->round)) {
        if (c->round.samples > LINUX26_FEW_SAMPLES)
            cwnd = decide(s, f, c, cwnd);
        linux26_round_next(f, &c->round);
    }
    growth_set_cwnd(s, f, cwnd);
}

static double yeah_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct yeah *c = CC_STATE(f, struct yeah);
    uint32_t cwnd = linux_cwnd(f), taken = larger(cwnd >> 1, CWND_MIN_SEGS);
    if (c->slow_rounds < RHO)
        taken = larger(smaller(c->backlog, taken), cwnd >> DELTA_SHIFT);
    c->fast_rounds = 0;
    c->reno_count = larger(c->reno_count >> 1, CWND_MIN_SEGS);
    return linux26_reduce(&c->growth, cwnd > taken ? cwnd - taken : 0);
}

static void yeah_on_recovery_exit(struct sim *s, struct flow *f)
{
    (void)s;
    linux26_round_enable(f, &CC_STATE(f, struct yeah)->round);
}

const struct cc_ops cc_yeah_linux26 = {
    .item = {"yeah_linux26", "yeah of Linux 2.6.22", "ns-2 2.35, linux/src/tcp_yeah.c", NULL},
    .on_ack = yeah_on_ack,
    .ssthresh = yeah_ssthresh,
    .on_rtt = yeah_on_rtt,
    .on_recovery_exit = yeah_on_recovery_exit,
    .recovery_window = linux26_half_ssthresh,
};
