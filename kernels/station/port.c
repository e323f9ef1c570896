/* port.c - see port.h. */
#include "port.h"

#include "../net.h"

enum { NOWHERE = UINT32_MAX };

void *port_lay_out(struct carver *c, struct station *station, size_t bytes, port_pull *pull)
{
    uint64_t room = station->most_packets + 1;
    const struct channel_cfg *channel = &station->link->channel[station->direction];
    struct port *port = station->state = carve_zero(c, bytes);
    struct guest *guest = carve(c, room * sizeof *guest);
    uint32_t *next = carve(c, room * sizeof *next);
    if (!port)
        return NULL;
    *port = (struct port){.pull = pull,
                          .guest = guest,
                          .next = next,
                          .room = (uint32_t)room,
                          .now = {channel->rate_bps, channel->delay_ps, true, 0},
                          .end_ps = TIME_NEVER};
    for (uint32_t i = 0; i < port->room; i++)
        next[i] = i + 1 < port->room ? i + 1 : NOWHERE;
    return port;
}

uint32_t guest_bytes(const struct guest *guest)
{
    return guest->packet.bytes + guest->stage->hop->overhead_bytes;
}

uint32_t guest_stream(const struct guest *guest)
{
    return 2 * guest->flow->id + (guest->packet.flags & PACKET_ACK ? 1 : 0);
}

/* --- queues ------------------------------------------------------------------------------------------------------- */

static void meter_waiting(const struct sim *s, struct port *port, struct hop *hop)
{
    if (hop->extras & HOP_METERED)
        hop->waiting_ps += port->waiting * net_clip(s, port->changed_ps, s->now_ps);
    port->changed_ps = s->now_ps;
}

void port_put(struct sim *s, struct port *port, struct fifo *q, const struct guest *guest)
{
    uint32_t at = port->free;
    if (at == NOWHERE) {
        sim_fail(s, SIM_LIMIT);
        return;
    }
    meter_waiting(s, port, guest->stage->hop);
    port->free = port->next[at];
    port->guest[at] = *guest;
    if (q->n++ == 0)
        q->head = at;
    else
        port->next[q->tail] = at;
    q->tail = at;
    q->bytes += guest_bytes(guest);
    if (guest_bytes(guest) > port->largest_bytes)
        port->largest_bytes = guest_bytes(guest);
    port->waiting++;
    port->bytes += guest_bytes(guest);
}

struct guest port_take(struct sim *s, struct port *port, struct fifo *q)
{
    uint32_t at = q->head;
    struct guest guest = port->guest[at];
    meter_waiting(s, port, guest.stage->hop);
    q->head = port->next[at];
    q->n--;
    q->bytes -= guest_bytes(&guest);
    port->next[at] = port->free;
    port->free = at;
    port->waiting--;
    port->bytes -= guest_bytes(&guest);
    return guest;
}

bool port_has_room(const struct station *station, uint64_t packets, uint64_t bytes, uint32_t more_bytes)
{
    switch (station->limit.unit) {
    case QUEUE_PACKETS:
        return packets < station->limit.n;
    case QUEUE_BYTES:
        return bytes + more_bytes <= station->limit.n;
    default:
        return true;
    }
}

/* --- the link ----------------------------------------------------------------------------------------------------- */

static const struct channel_cfg *channel_of(const struct station *station)
{
    return &station->link->channel[station->direction];
}

/* Brings a link with a schedule up to now. */
static void follow_schedule(struct sim *s, const struct station *station, struct port *port)
{
    const struct channel_cfg *channel = channel_of(station);
    if (channel->nsteps == 0)
        return;
    link_apply_steps(&port->now, channel, s->now_ps);
    struct hop *hop = station->hop[station->direction];
    hop->delay_ps = port->now.delay_ps, hop->rate_bps = port->now.rate_bps;
}

/* When the packet in service will have been sent, or is cut off. */
static int64_t end_of_service(struct sim *s, const struct station *station, struct port *port)
{
    const struct channel_cfg *channel = channel_of(station);
    const struct guest *guest = &port->serving;
    port->is_cut = false;
    if (channel->nsteps == 0)
        return s->now_ps + net_service_ps(guest->stage->hop, guest->packet.bytes);
    struct link_now now = port->now;
    int64_t start_ps = s->now_ps, end_ps = link_serve(&now, channel, &start_ps, guest_bytes(guest));
    port->is_cut = end_ps < 0;
    return port->is_cut ? start_ps : end_ps;
}

/* Down: looks again at the next step. */
static void wait_for_step(struct sim *s, const struct station *station, const struct port *port)
{
    const struct channel_cfg *channel = channel_of(station);
    station_set(s, station, port->now.step < channel->nsteps ? channel->steps[port->now.step].at_ps : TIME_NEVER);
}

static void end_service(struct sim *s, struct port *port)
{
    struct guest guest = port->serving;
    port->end_ps = TIME_NEVER;
    if (port->is_cut)
        station_drop(s, &guest, CAUSE_DOWN);
    else
        station_forward(s, &guest);
}

void port_serve(struct sim *s, struct station *station)
{
    struct port *port = station->state;
    if (port->end_ps != TIME_NEVER)
        return;
    follow_schedule(s, station, port);
    if (!port->now.is_up) {
        wait_for_step(s, station, port);
        return;
    }
    if (!port->pull(s, station, &port->serving))
        return;
    struct hop *hop = port->serving.stage->hop;
    port->end_ps = hop->free_ps = end_of_service(s, station, port);
    if (hop->extras & HOP_METERED && !port->is_cut)
        hop->busy_ps += net_clip(s, s->now_ps, port->end_ps);
    station_set(s, station, port->end_ps);
}

bool port_begin(struct sim *s, struct station *station, const struct guest *guest)
{
    struct port *port = station->state;
    follow_schedule(s, station, port);
    if (port->end_ps <= s->now_ps)
        port_on_event(s, station);
    else if (port->waiting > 0)
        port_serve(s, station);
    if (!port->now.is_up)
        station_drop(s, guest, CAUSE_DOWN);
    return port->now.is_up;
}

void port_offer(struct sim *s, struct station *station, const struct guest *guest, struct fifo *q)
{
    struct port *port = station->state;
    if (!port_begin(s, station, guest))
        return;
    if (port->end_ps != TIME_NEVER && !port_has_room(station, q->n, q->bytes, guest_bytes(guest))) {
        station_drop(s, guest, CAUSE_QUEUE);
        return;
    }
    port_put(s, port, q, guest);
    port_serve(s, station);
}

void port_on_event(struct sim *s, struct station *station)
{
    struct port *port = station->state;
    follow_schedule(s, station, port);
    if (port->end_ps != TIME_NEVER)
        end_service(s, port);
    port_serve(s, station);
}
