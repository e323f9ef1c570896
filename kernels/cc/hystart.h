/* hystart.h - slow start that ends before it overflows a queue: HyStart as in Linux, HyStart++ of RFC 9406 (key
 * hystart). For any algorithm with a slow start whose state begins with a struct hystart.
 */
#ifndef KERNELS_CC_HYSTART_H
#define KERNELS_CC_HYSTART_H

#include "linux_growth.h"

struct hystart {
    int64_t min_ps;                      /* linux: of the connection; 0: none */
    int64_t round_min_ps, last_round_ps; /* least RTT of this round and of the one before; 0: none */
    int64_t baseline_ps;                 /* rfc9406: least RTT of the round in which CSS began */
    int64_t round_start_ps, last_ack_ps;
    uint32_t round_end; /* the round is over when una has passed it */
    uint32_t samples;   /* of the round */
    uint32_t css_rounds;
    bool is_cautious; /* rfc9406: conservative slow start (CSS) */
    bool is_over;     /* it has ended a slow start (linux: until a timeout) */
};

/* Looks at a round-trip time; may end slow start by setting ssthresh to cwnd. una has the ACK's number, cwnd has not
 * yet grown for it. */
void hystart_sample(struct sim *s, struct flow *f, struct hystart *h, int64_t rtt_ps);
/* Segments of growth per step of slow start: 1, in CSS 1/4. */
double hystart_factor(const struct flow *f, const struct hystart *h);
/* L of RFC 3465, which RFC 9406 sets. */
double hystart_limit(const struct flow *f, const struct hystart *h);

/* Slow start's part of an ACK, in real arithmetic and in Linux's whole segments: see growth.h and linux_growth.h. */
static inline double hystart_slow_start(struct flow *f, const struct hystart *h, double acked, double *cwnd)
{
    if (f->cfg->window.hystart != HYSTART_RFC9406)
        return growth_slow_start(f, acked, growth_limit(f), 1, cwnd);
    return growth_slow_start(f, acked, hystart_limit(f, h), hystart_factor(f, h), cwnd);
}

static inline uint32_t hystart_linux_slow_start(struct flow *f, const struct hystart *h, struct linux_growth *g,
                                                double acked, uint32_t *cwnd)
{
    return linux_slow_start(f, linux_acked(g, acked * hystart_factor(f, h)), cwnd);
}

/* A timeout: forgets what it knows. */
void hystart_timeout(struct hystart *h);

/* Hooks for algorithms that need these events for nothing else. */
void hystart_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps);
void hystart_on_timeout(struct sim *s, struct flow *f);

#endif
