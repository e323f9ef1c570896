/* retransmission.c - further loss of retransmitted data packets only (the "retransmission loss" of Sreekumari et al.,
 * Int. J. Distributed Sensor Networks 2013, 592502, there made indirectly through up and down times).
 */
#include "../packet.h"
#include "error.h"

#include <stddef.h>

static bool retransmission_is_on(const struct link_cfg *link, enum direction direction)
{
    return link->channel[direction].per_retransmission > 0;
}

static void retransmission_start(struct error_state *e)
{
    e->p = e->channel->per_retransmission;
}

static bool retransmission_is_lost(struct error_state *e, const struct packet *p, uint32_t bytes)
{
    (void)bytes;
    return !(p->flags & PACKET_ACK) && p->transmission > 1 && random_uniform(&e->random) < e->p;
}

const struct error_ops error_retransmission = {
    .item = {"per_retransmission", "independent loss of retransmitted data packets only",
             "Sreekumari et al., IJDSN 2013, 592502", NULL},
    .is_on = retransmission_is_on,
    .is_random = true,
    .start = retransmission_start,
    .is_lost = retransmission_is_lost,
};
