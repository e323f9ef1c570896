/* linux26.h - growth in whole segments as in Linux 2.6.22, one step an ACK (tcp_cong.c with tcp_abc 1, as ns-2.35 has
 * it; the rules are restated, no code is taken).
 *
 * Against Linux 6.1: slow start still goes on at cwnd = ssthresh, by one segment an ACK; in congestion avoidance a
 * module counts ACKs, not segments; reno alone counts segments, also those of a recovery. An algorithm keeps a struct
 * linux26_growth first in its state. Recovery `linux26` calls on_ack only where cwnd was in full use.
 */
#ifndef KERNELS_CC_LINUX26_H
#define KERNELS_CC_LINUX26_H

#include "linux_growth.h"

#include "../rto.h"

enum { LINUX26_HZ = 1000 }; /* ns-2's jiffies */
static const int64_t LINUX26_TICK_PS = PS_PER_S / LINUX26_HZ;

struct linux26_growth {
    uint32_t count; /* snd_cwnd_cnt */
    uint32_t acked; /* bytes_acked, in segments */
};

static inline int64_t linux26_tick(const struct sim *s)
{
    return s->now_ps / LINUX26_TICK_PS;
}

/* srtt in ticks, times 8. */
static inline uint32_t linux26_srtt_8(const struct flow *f)
{
    return (uint32_t)(rto_srtt_s(&f->rto, f->cfg) * 8 * LINUX26_HZ + 0.5);
}

static inline bool linux26_in_slow_start(const struct flow *f)
{
    return f->cwnd <= f->ssthresh;
}

static inline uint32_t linux26_one_more(const struct flow *f, uint32_t cwnd)
{
    return cwnd < f->cfg->cwnd_max_segs ? cwnd + 1 : cwnd;
}

static inline uint32_t linux26_slow_start(const struct flow *f, struct linux26_growth *g, uint32_t cwnd)
{
    if (g->acked == 0)
        return cwnd;
    g->acked = 0;
    g->count += cwnd;
    while (cwnd > 0 && g->count >= cwnd) {
        g->count -= cwnd;
        if (cwnd >= f->cfg->cwnd_max_segs)
            break;
        cwnd++;
    }
    return cwnd;
}

/* One segment more after `per` ACKs. */
static inline uint32_t linux26_avoid(const struct flow *f, struct linux26_growth *g, uint32_t per, uint32_t cwnd)
{
    if (g->count < per) {
        g->count++;
        return cwnd;
    }
    g->count = 0;
    return linux26_one_more(f, cwnd);
}

static inline uint32_t linux26_reno(const struct flow *f, struct linux26_growth *g, uint32_t cwnd)
{
    if (cwnd <= (uint32_t)f->ssthresh)
        return linux26_slow_start(f, g, cwnd);
    if (g->acked < cwnd)
        return cwnd;
    g->acked -= cwnd;
    return linux26_one_more(f, cwnd);
}

/* A loss: counting begins anew. Returns what remains, at least 2. */
static inline double linux26_reduce(struct linux26_growth *g, uint32_t window)
{
    *g = (struct linux26_growth){0};
    return growth_at_least_min(window);
}

/* tcp_reno_min_cwnd: half of ssthresh while recovery lasts. */
double linux26_half_ssthresh(struct sim *s, struct flow *f);
/* For modules that look at no RTT. */
void linux26_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps);

#endif
