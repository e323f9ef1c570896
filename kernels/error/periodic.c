/* periodic.c - every n-th packet that reaches the link's end is lost. */
#include "error.h"

static bool periodic_is_on(const struct link_cfg *link, enum direction direction)
{
    return link->channel[direction].error.loss_every > 0;
}

static void periodic_start(struct error_state *e)
{
    e->gap = (int64_t)e->channel->error.loss_every - 1;
}

const struct error_ops error_periodic = {
    .item = {"loss_every", "every n-th packet", "ns-2 errmodel.cc (PeriodicErrorModel)", "PeriodicErrorModel (ns-2)"},
    .is_on = periodic_is_on,
    .is_random = false,
    .start = periodic_start,
    .gap_per_packet = 1,
};
