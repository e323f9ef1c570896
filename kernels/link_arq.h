/* link_arq.h - a link that retransmits by itself (stop and wait): up to N tries a frame, each lost with probability p.
 *
 * `frame` draws how many tries a packet takes, a geometric law cut at N: it occupies the link for each of them and the
 * wait for its acknowledgement, and is lost after N. Packets stay in order, so a stream still walks. `shortcut` is the
 * same in the mean, for links whose acknowledgements take no time: rate and loss are replaced before the run, by
 * C (1-p) / (1-p^N) and p^N, the delay stays.
 */
#ifndef KERNELS_LINK_ARQ_H
#define KERNELS_LINK_ARQ_H

#include <stdbool.h>
#include <stdint.h>

#include "random.h"
#include "scenario.h"

struct arq_state {
    const struct arq_cfg *cfg;
    struct random_stream random;
};

/* Loss after the last try, p^N. */
double arq_residual(const struct arq_cfg *arq);

/* Tries per frame in the mean, (1-p^N) / (1-p). */
double arq_mean_tries(const struct arq_cfg *arq);

/* Draws the tries of a frame. False: they were all lost. */
bool arq_try(struct arq_state *arq, uint32_t *tries);

/* Puts the shortcut's rate and loss in the place of a channel's own, if that is how it retransmits. */
void arq_shorten(struct channel_cfg *channel);

#endif
