/* port.c - see port.h. */
#include "port.h"

#include "../net.h"

enum { NOWHERE = UINT32_MAX };

struct port port_carve(struct carver *c, const struct station *station)
{
    uint64_t room = station->most_packets + 1;
    struct port port = {.guest = carve(c, room * sizeof *port.guest), .room = (uint32_t)room};
    port.next = carve(c, room * sizeof *port.next);
    return port;
}

void port_init(struct port *port)
{
    for (uint32_t i = 0; i < port->room; i++)
        port->next[i] = i + 1 < port->room ? i + 1 : NOWHERE;
    port->end_ps = TIME_NEVER;
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

static void end_service(struct sim *s, struct port *port)
{
    struct guest guest = port->serving;
    port->end_ps = TIME_NEVER;
    station_forward(s, &guest);
}

void port_serve(struct sim *s, struct station *station)
{
    struct port *port = station->state;
    if (port->end_ps != TIME_NEVER || !port->pull(s, station, &port->serving))
        return;
    struct hop *hop = port->serving.stage->hop;
    port->end_ps = hop->free_ps = s->now_ps + net_service_ps(hop, port->serving.packet.bytes);
    if (hop->extras & HOP_METERED)
        hop->busy_ps += net_clip(s, s->now_ps, port->end_ps);
    station_set(s, station, port->end_ps);
}

void port_begin(struct sim *s, struct station *station)
{
    struct port *port = station->state;
    if (port->end_ps <= s->now_ps)
        port_on_event(s, station);
}

void port_on_event(struct sim *s, struct station *station)
{
    end_service(s, station->state);
    port_serve(s, station);
}
