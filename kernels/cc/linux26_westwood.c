/* linux26_westwood.c - Westwood+ as Linux 2.6.22 has it in ns-2.35 (linux/src/tcp_westwood.c), in integers.
 *
 * Against Linux 6.1 (westwood.c): the estimate is the window during recovery, which then stays, since ns-2 never
 * reports the end of a reduction; ssthresh is half of cwnd, also after a timeout. Rates are in bytes per clock tick, of
 * packets with their headers; the RTT is the smoothed one.
 */
#include "linux26.h"

enum { SHIFT = 3, LEAST_WINDOW = LINUX26_HZ / 20, FIRST_RTT = 20 * LINUX26_HZ };

struct westwood {
    struct linux26_growth growth;
    bool has_begun, has_min;
    uint32_t first, second; /* bandwidth, filtered once and twice */
    uint32_t bytes, accounted, una;
    uint32_t rtt, min;
    int64_t window_tick;
};

static void filter(struct westwood *c, uint32_t ticks)
{
    uint32_t sample = c->bytes / ticks;
    bool is_first = c->first == 0 && c->second == 0;
    c->first = is_first ? sample : (7 * c->first + sample) >> SHIFT;
    c->second = is_first ? sample : (7 * c->second + c->first) >> SHIFT;
}

static void close_window(const struct sim *s, const struct flow *f, struct westwood *c)
{
    int64_t tick = linux26_tick(s), ticks = tick - c->window_tick;
    if (!c->has_begun) {
        c->has_begun = true;
        c->una = f->una;
        c->window_tick = tick;
        return;
    }
    if (c->rtt == 0 || ticks <= (c->rtt > LEAST_WINDOW ? c->rtt : LEAST_WINDOW))
        return;
    filter(c, (uint32_t)ticks);
    c->bytes = 0;
    c->window_tick = tick;
}

/* Bytes that an ACK reports while something is amiss: duplicates count for one packet each, and are taken off later. */
static uint32_t count(const struct flow *f, struct westwood *c)
{
    uint32_t packet = f->full_bytes, bytes = (f->una - c->una) * packet;
    c->una = f->una;
    if (bytes == 0) {
        c->accounted += packet;
        return packet;
    }
    if (bytes == packet)
        return bytes;
    if (c->accounted >= bytes) {
        c->accounted -= bytes;
        return packet;
    }
    bytes -= c->accounted;
    c->accounted = 0;
    return bytes;
}

static void take(const struct sim *s, const struct flow *f, struct westwood *c, bool is_usual)
{
    close_window(s, f, c);
    if (is_usual) {
        c->bytes += (f->una - c->una) * f->full_bytes;
        c->una = f->una;
    } else {
        c->bytes += count(f, c);
    }
    c->min = c->has_min && c->min < c->rtt ? c->min : c->rtt;
    c->has_min = true;
}

static void westwood_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)rtt_ps;
    struct westwood *c = CC_STATE(f, struct westwood);
    c->growth.acked += acked;
    c->rtt = linux26_srtt_8(f) >> 3;
    take(s, f, c, f->mode == MODE_OPEN && f->newly_sacked == 0);
}

static void westwood_on_duplicate(struct sim *s, struct flow *f)
{
    struct westwood *c = CC_STATE(f, struct westwood);
    if (!c->has_begun)
        c->rtt = FIRST_RTT;
    take(s, f, c, false);
}

static void westwood_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    growth_set_cwnd(s, f, linux26_reno(f, &CC_STATE(f, struct westwood)->growth, linux_cwnd(f)));
}

static double westwood_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return linux26_reduce(&CC_STATE(f, struct westwood)->growth, linux_cwnd(f) / 2);
}

static double westwood_recovery_window(struct sim *s, struct flow *f)
{
    (void)s;
    const struct westwood *c = CC_STATE(f, struct westwood);
    return growth_at_least_min((double)((uint64_t)c->second * c->min / f->full_bytes));
}

const struct cc_ops cc_westwood_linux26 = {
    .item = {"westwood_linux26", "westwood of Linux 2.6.22", "ns-2 2.35, linux/src/tcp_westwood.c", NULL},
    .on_ack = westwood_on_ack,
    .ssthresh = westwood_ssthresh,
    .on_rtt = westwood_on_rtt,
    .on_duplicate = westwood_on_duplicate,
    .recovery_window = westwood_recovery_window,
};
