/* linux_growth.h - Linux's growth in whole segments: slow start by segments acknowledged, and the counter of congestion
 * avoidance (Linux 6.1 tcp_cong.c; the rules are restated, no code is taken).
 *
 * An algorithm keeps a struct linux_growth in its state and clears `count` at each reduction, as Linux does.
 */
#ifndef KERNELS_CC_LINUX_GROWTH_H
#define KERNELS_CC_LINUX_GROWTH_H

#include "growth.h"

enum { LINUX_HZ = 250 }; /* as distributions build it */
static const int64_t LINUX_TICK_PS = PS_PER_S / LINUX_HZ;

struct linux_growth {
    uint32_t count; /* segments acknowledged towards the next step */
    double part;    /* of a segment, where segments differ in size */
};

static inline uint32_t linux_cwnd(const struct flow *f)
{
    return f->cwnd > 1 ? (uint32_t)f->cwnd : 1;
}

/* Whole segments that an ACK acknowledges; the rest is kept for the next. */
static inline uint32_t linux_acked(struct linux_growth *g, double acked)
{
    g->part += acked;
    uint32_t whole = (uint32_t)g->part;
    g->part -= whole;
    return whole;
}

static inline bool linux_in_slow_start(const struct flow *f)
{
    return linux_cwnd(f) < (uint32_t)f->ssthresh;
}

/* Grows *cwnd, at most to ssthresh; returns the segments that are left for congestion avoidance. */
static inline uint32_t linux_slow_start(struct flow *f, uint32_t acked, uint32_t *cwnd)
{
    uint32_t ssthresh = (uint32_t)f->ssthresh;
    if (*cwnd >= ssthresh) {
        f->slow_start_after_rto = false;
        return acked;
    }
    uint32_t step = acked < ssthresh - *cwnd ? acked : ssthresh - *cwnd;
    *cwnd += step;
    return acked - step;
}

/* One segment more per `per` acknowledged. Credit from a larger `per` is worth one segment. */
static inline void linux_avoid(struct linux_growth *g, uint32_t per, uint32_t acked, uint32_t *cwnd)
{
    if (g->count >= per) {
        g->count = 0;
        *cwnd += 1;
    }
    g->count += acked;
    if (g->count >= per) {
        *cwnd += g->count / per;
        g->count %= per;
    }
}

/* Linux's halving: tcp_reno_ssthresh. */
static inline double linux_half(struct flow *f, struct linux_growth *g)
{
    g->count = 0;
    return growth_at_least_min(linux_cwnd(f) / 2);
}

#endif
