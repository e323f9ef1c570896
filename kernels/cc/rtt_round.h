/* rtt_round.h - round-trip times by rounds: a round is over when una has passed what was sent at its begin.
 *
 * An algorithm notes samples in on_rtt and decides in on_ack, once a round, then begins the next.
 */
#ifndef KERNELS_CC_RTT_ROUND_H
#define KERNELS_CC_RTT_ROUND_H

#include "../tcp.h"

struct rtt_round {
    int64_t base_ps, max_ps; /* least and largest so far; 0: none */
    int64_t min_ps;          /* least of the round */
    double sum_ps;           /* of the round */
    uint32_t n;              /* samples of the round */
    uint32_t end;
};

static inline void rtt_round_note(struct rtt_round *r, int64_t rtt_ps)
{
    if (rtt_ps < 0) /* none with this ACK (Karn) */
        return;
    if (r->base_ps == 0 || rtt_ps < r->base_ps)
        r->base_ps = rtt_ps;
    if (rtt_ps > r->max_ps)
        r->max_ps = rtt_ps;
    if (r->n == 0 || rtt_ps < r->min_ps)
        r->min_ps = rtt_ps;
    r->sum_ps += (double)rtt_ps;
    r->n++;
}

static inline bool rtt_round_is_over(const struct rtt_round *r, const struct flow *f)
{
    return f->una > r->end;
}

static inline void rtt_round_begin(struct rtt_round *r, const struct flow *f)
{
    r->sum_ps = 0;
    r->n = 0;
    r->end = f->next > f->una ? f->next : f->una;
}

#endif
