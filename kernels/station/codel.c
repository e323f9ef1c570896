/* codel.c - a link whose queue CoDel looks after (RFC 8289). A packet that finds no room is dropped on arrival. */
#include "codel_queue.h"

struct codel_station {
    struct port port; /* first */
    struct fifo queue;
    struct codel codel;
};

static bool codel_is_on(const struct link_cfg *link, enum direction direction)
{
    return link->channel[direction].aqm.kind == AQM_CODEL;
}

static bool pull(struct sim *s, struct station *station, struct guest *next)
{
    struct codel_station *state = station->state;
    return codel_pull(s, station, &state->queue, &state->codel, next);
}

static void codel_lay_out(struct carver *c, const struct scenario *sc, struct station *station)
{
    (void)sc;
    port_lay_out(c, station, sizeof(struct codel_station), pull);
}

static void codel_take(struct sim *s, struct station *station, const struct guest *guest)
{
    struct codel_station *state = station->state;
    port_offer(s, station, guest, &state->queue);
}

const struct station_ops station_codel = {
    .item = {"codel", "drops when the delay in the queue has been above a target for an interval", "RFC 8289",
             "codel (Linux), CoDelQueueDisc (ns-3)"},
    .is_on = codel_is_on,
    .lay_out = codel_lay_out,
    .take = codel_take,
    .on_event = port_on_event,
};
