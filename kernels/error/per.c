/* per.c - independent packet loss: each packet is lost with the same probability, whatever its size. */
#include "error.h"

static bool per_is_on(const struct link_cfg *link, enum direction direction)
{
    return link->channel[direction].per > 0 && link->channel[direction].error.per_correlation == 0;
}

static void per_start(struct error_state *e)
{
    e->gap = random_gap(&e->random, e->channel->per);
}

const struct error_ops error_per = {
    .item = {"per", "independent packet loss", "Bernoulli trials",
             "netem loss random, ErrorModel (ns-2, unit pkt), RateErrorModel (ns-3, packet units)"},
    .is_on = per_is_on,
    .is_random = true,
    .start = per_start,
    .gap_per_packet = 1,
};
