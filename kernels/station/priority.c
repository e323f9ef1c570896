/* priority.c - a link with strict priorities: the next packet is the first of the highest level that has any. A packet
 * in service is not interrupted. Each level has a queue of its own with the link's limit, as Linux's prio has.
 */
#include "port.h"

#include "../app/app.h"

struct priority_station {
    struct port port; /* first */
    struct fifo level[PRIORITY_LEVELS];
};

static bool priority_is_on(const struct link_cfg *link, enum direction direction)
{
    return link->channel[direction].aqm.scheduler == SCHEDULER_PRIORITY;
}

/* Cross traffic goes first where nothing is said. */
static uint32_t level_of(const struct flow_cfg *flow)
{
    if (flow->priority != PRIORITY_AUTO)
        return flow->priority;
    return flow->app.ops->transport == TRANSPORT_UDP;
}

static bool pull(struct sim *s, struct station *station, struct guest *next)
{
    struct priority_station *state = station->state;
    for (int level = PRIORITY_LEVELS - 1; level >= 0; level--)
        if (state->level[level].n > 0) {
            *next = port_take(s, &state->port, &state->level[level]);
            return true;
        }
    return false;
}

static void priority_lay_out(struct carver *c, const struct scenario *sc, struct station *station)
{
    (void)sc;
    port_lay_out(c, station, sizeof(struct priority_station), pull);
}

static void priority_take(struct sim *s, struct station *station, const struct guest *guest)
{
    struct priority_station *state = station->state;
    port_offer(s, station, guest, &state->level[level_of(guest->flow->flow_cfg)]);
}

const struct station_ops station_priority = {
    .item = {"priority", "strict priorities by the flows' `priority`, not preemptive", "-",
             "prio (Linux), PrioQueueDisc (ns-3)"},
    .is_on = priority_is_on,
    .lay_out = priority_lay_out,
    .take = priority_take,
    .on_event = port_on_event,
};
