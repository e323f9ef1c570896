/* linux26_round.h - round-trip times by rounds as tcp_vegas of Linux 2.6.22 has them: microseconds plus 1; a round is
 * over when una has passed what was next when it began; measuring begins anew when the connection is open again.
 */
#ifndef KERNELS_CC_LINUX26_ROUND_H
#define KERNELS_CC_LINUX26_ROUND_H

#include "linux26.h"

enum { LINUX26_NO_RTT = 0x7fffffff, LINUX26_FEW_SAMPLES = 2 };

struct linux26_round {
    bool has_begun, is_on;    /* on: not since a loss */
    uint32_t base_us, min_us; /* least ever and of the round */
    uint32_t samples;
    uint32_t begin, begin_una; /* snd_nxt when this round and the one before began */
};

static inline void linux26_round_enable(const struct flow *f, struct linux26_round *r)
{
    if (!r->has_begun)
        r->base_us = LINUX26_NO_RTT;
    r->has_begun = r->is_on = true;
    r->begin = f->next;
    r->samples = 0;
    r->min_us = LINUX26_NO_RTT;
}

/* An ACK's RTT; -1: none can be told. */
static inline void linux26_round_note(const struct flow *f, struct linux26_round *r, int64_t rtt_ps)
{
    if (!r->has_begun)
        linux26_round_enable(f, r);
    if (rtt_ps < 0)
        return;
    uint32_t rtt_us = (uint32_t)(rtt_ps / PS_PER_US) + 1;
    r->base_us = rtt_us < r->base_us ? rtt_us : r->base_us;
    r->min_us = rtt_us < r->min_us ? rtt_us : r->min_us;
    r->samples++;
}

static inline bool linux26_round_is_over(const struct flow *f, const struct linux26_round *r)
{
    return f->una > r->begin;
}

/* Segments sent in the round that is over. */
static inline uint32_t linux26_round_window(const struct linux26_round *r)
{
    return r->begin - r->begin_una;
}

static inline void linux26_round_next(const struct flow *f, struct linux26_round *r)
{
    r->begin_una = r->begin;
    r->begin = f->next;
    r->samples = 0;
    r->min_us = LINUX26_NO_RTT;
}

#endif
