/* linux26_vegas.c - Vegas as Linux 2.6.22 has it in ns-2.35 (linux/src/tcp_vegas.c), in integers.
 *
 * Against Linux 6.x (vegas_linux.c): the queue is that of the window sent in the last round, in halves of a segment;
 * the step starts from the window of the round before; leaving slow start sets ssthresh to 2; ssthresh is not kept
 * above three quarters of cwnd.
 */
#include "linux26_round.h"

enum { ALPHA = 2 << 1, BETA = 4 << 1, GAMMA = 1 << 1 };

struct vegas {
    struct linux26_growth growth;
    struct linux26_round round;
    uint32_t old_cwnd; /* when the round began */
};

static uint32_t decide(struct sim *s, struct flow *f, struct vegas *c, uint32_t window, uint32_t old_cwnd)
{
    const struct linux26_round *r = &c->round;
    uint32_t cwnd = linux_cwnd(f), target = (uint32_t)(((uint64_t)window * r->base_us << 1) / r->min_us);
    uint32_t queued = (window << 1) - target;
    if (linux26_in_slow_start(f)) {
        if (queued > GAMMA) {
            tcp_set_ssthresh(s, f, 2);
            cwnd = cwnd < (target >> 1) + 1 ? cwnd : (target >> 1) + 1;
        }
        cwnd = linux26_slow_start(f, &c->growth, cwnd);
    } else {
        int64_t wanted = (int64_t)old_cwnd + (queued > BETA ? -1 : queued < ALPHA ? 1 : 0);
        cwnd += wanted > cwnd ? 1 : wanted < cwnd ? -1 : 0;
    }
    return cwnd > CWND_MIN_SEGS ? cwnd : CWND_MIN_SEGS;
}

static uint32_t reno(const struct flow *f, struct vegas *c)
{
    return f->may_grow ? linux26_reno(f, &c->growth, linux_cwnd(f)) : linux_cwnd(f);
}

static uint32_t grow(struct sim *s, struct flow *f, struct vegas *c)
{
    if (!c->round.is_on)
        return reno(f, c);
    if (!linux26_round_is_over(f, &c->round))
        return linux26_in_slow_start(f) ? linux26_slow_start(f, &c->growth, linux_cwnd(f)) : linux_cwnd(f);
    uint32_t window = linux26_round_window(&c->round), old_cwnd = c->old_cwnd;
    c->old_cwnd = linux_cwnd(f);
    uint32_t cwnd = c->round.samples <= LINUX26_FEW_SAMPLES ? reno(f, c) : decide(s, f, c, window, old_cwnd);
    linux26_round_next(f, &c->round);
    return cwnd;
}

/* The window moves here: it does so whether or not it was in full use. */
static void vegas_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    struct vegas *c = CC_STATE(f, struct vegas);
    c->growth.acked += acked;
    linux26_round_note(f, &c->round, rtt_ps);
    if (f->mode != MODE_RECOVERY)
        growth_set_cwnd(s, f, grow(s, f, c));
}

static void vegas_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)s;
    (void)f;
    (void)acked;
}

static double vegas_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct vegas *c = CC_STATE(f, struct vegas);
    c->round.is_on = false;
    return linux26_reduce(&c->growth, linux_cwnd(f) / 2);
}

static void vegas_on_recovery_exit(struct sim *s, struct flow *f)
{
    (void)s;
    linux26_round_enable(f, &CC_STATE(f, struct vegas)->round);
}

const struct cc_ops cc_vegas_linux26 = {
    .item = {"vegas_linux26", "vegas of Linux 2.6.22", "ns-2 2.35, linux/src/tcp_vegas.c", NULL},
    .on_ack = vegas_on_ack,
    .ssthresh = vegas_ssthresh,
    .on_rtt = vegas_on_rtt,
    .on_recovery_exit = vegas_on_recovery_exit,
    .recovery_window = linux26_half_ssthresh,
};
