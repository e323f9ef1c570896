/* abe.h - available bandwidth of Jersey (Xu, Tian, Ansari, JSAC 22(4), 2004) and NewJersey (Computer Networks 47(6),
 * 2005): R = (RTT R' + L) / (t - t' + RTT) at each ACK, after the time-sliding window of Clark and Fang 1998.
 *
 * A duplicate counts one segment, which the cumulative ACK that follows does not count again. t is the ACK's time, or,
 * in flows whose ACKs carry it (TABE), the time at which they left the receiver: whole us, modulo 2^32.
 */
#ifndef KERNELS_CC_ABE_H
#define KERNELS_CC_ABE_H

#include "../tcp.h"

struct abe {
    double rate;         /* R, segments per ps */
    double pending;      /* segments not yet in the estimate */
    int64_t arrival_ps;  /* t' */
    uint32_t duplicates; /* counted ahead of the cumulative ACK */
};

static inline void abe_start(const struct sim *s, struct abe *a)
{
    a->arrival_ps = s->now_ps - s->now_ps % PS_PER_US;
}

static inline int64_t abe_arrival_ps(const struct sim *s, const struct flow *f, const struct abe *a)
{
    if (!f->wants_arrivals)
        return s->now_ps;
    uint32_t before_us = (uint32_t)(a->arrival_ps / PS_PER_US);
    return a->arrival_ps + (int32_t)(f->arrival_us - before_us) * PS_PER_US;
}

static inline void abe_estimate(const struct sim *s, const struct flow *f, struct abe *a, int64_t rtt_ps,
                                double segments)
{
    int64_t arrival_ps = abe_arrival_ps(s, f, a);
    double rtt = (double)rtt_ps, gap = (double)(arrival_ps - a->arrival_ps);
    a->pending += segments;
    if (gap <= 0 || rtt <= 0)
        return;
    a->rate = (rtt * a->rate + a->pending) / (gap + rtt);
    a->pending = 0;
    a->arrival_ps = arrival_ps;
}

static inline void abe_on_new_ack(const struct sim *s, const struct flow *f, struct abe *a, int64_t rtt_ps,
                                  uint32_t acked)
{
    uint32_t counted = a->duplicates < acked ? a->duplicates : acked;
    if (acked <= 1)
        counted = 0;
    a->duplicates -= counted;
    abe_estimate(s, f, a, rtt_ps, acked > counted ? acked - counted : 1);
}

static inline void abe_on_duplicate(const struct sim *s, const struct flow *f, struct abe *a, int64_t rtt_ps)
{
    a->duplicates++;
    abe_estimate(s, f, a, rtt_ps, 1);
}

/* The window that this rate fills: RTT R in whole segments, at least 2. */
static inline double abe_window(const struct abe *a, int64_t rtt_ps)
{
    double window = (double)rtt_ps * a->rate;
    if (!(window > 2))
        return 2;
    return window < SEGMENTS_MAX ? (double)(uint32_t)window : SEGMENTS_MAX;
}

#endif
