/* link_jitter.h - delays that vary from packet to packet: netem's jitter and reordering.
 *
 * Each packet's delay is the link's own and a random part more or less: uniform in +- jitter, or normal with that
 * deviation, never below 0 in all. With `reorder` a packet (with `reorder_gap` g only each g-th at most) goes without
 * any delay. A packet that is faster than the one before it overtakes, unless the order is kept: then it arrives with
 * it. Linux net/sched/sch_netem.c (netem_enqueue, tabledist, get_crandom); tc-netem(8).
 *
 * Departures: the normal law is not netem's table, and its correlation leaves the deviation as it is. Correlated
 * uniform numbers are netem's, (1 - rho) u + rho last, which makes them lie closer together.
 *
 * The error models of the link judge a packet before this.
 */
#ifndef KERNELS_LINK_JITTER_H
#define KERNELS_LINK_JITTER_H

#include "random.h"
#include "scenario.h"

struct jitter_state {
    const struct jitter_cfg *cfg;
    struct random_stream random;
    double last;     /* random number of the packet before */
    int64_t last_ps; /* latest arrival so far */
    uint32_t since;  /* packets since one went without delay */
};

/* Whether a direction's delays vary. */
bool jitter_is_on(const struct channel_cfg *channel);
/* Whether packets may overtake. */
bool jitter_reorders(const struct channel_cfg *channel);

/* When a packet arrives that would after delay_ps, at t_ps. */
int64_t jitter_arrival_ps(struct jitter_state *j, int64_t t_ps, int64_t delay_ps);

#endif
