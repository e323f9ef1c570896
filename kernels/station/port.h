/* port.h - an output port: packets wait in one or more queues, and one at a time is sent at the link's rate. What is
 * left to a scheduler is which is next, and which are let in.
 */
#ifndef KERNELS_STATION_PORT_H
#define KERNELS_STATION_PORT_H

#include "../link_schedule.h"
#include "station.h"

/* A queue of guests, in the order in which they came. */
struct fifo {
    uint32_t head, tail; /* places in the port's shelf */
    uint32_t n;
    uint64_t bytes; /* on the link */
};

/* Takes the next packet to be sent out of the queues. False: there is none. */
typedef bool port_pull(struct sim *s, struct station *station, struct guest *next);

/* Begins the state of each station that is a port. */
struct port {
    port_pull *pull;
    struct guest serving;
    bool is_cut;         /* the link goes down at end_ps, and the packet is lost */
    struct link_now now; /* of links with a schedule */
    int64_t end_ps;      /* of its service; TIME_NEVER: idle */
    struct guest *guest; /* the shelf: `room` places */
    uint32_t *next;      /* of each place */
    uint32_t free, room;
    uint32_t waiting; /* in all queues */
    uint64_t bytes;
    uint32_t largest_bytes; /* packet so far */
    int64_t changed_ps;     /* waiting was the same since then */
};

/* Carves a station's state of so many bytes, which begins with a port: that is empty, the rest 0. Returns the state;
 * NULL: only measured. */
void *port_lay_out(struct carver *c, struct station *station, size_t bytes, port_pull *pull);

/* Bytes that a packet takes on its link. */
uint32_t guest_bytes(const struct guest *guest);

/* Its flow and direction: 2 * flow + 1 for what travels back. */
uint32_t guest_stream(const struct guest *guest);

/* Puts a guest at a queue's end, takes the first out; counted for the bottleneck's metrics. */
void port_put(struct sim *s, struct port *port, struct fifo *q, const struct guest *guest);
struct guest port_take(struct sim *s, struct port *port, struct fifo *q);

/* Whether a queue that holds so much has room for another packet. */
bool port_has_room(const struct station *station, uint64_t packets, uint64_t bytes, uint32_t more_bytes);

/* A packet arrives now: what begins or ends at this instant comes first, so that its place is free (as on links without
 * a station). False: the link is down, and the packet is lost. */
bool port_begin(struct sim *s, struct station *station, const struct guest *guest);
/* If the link is idle and up: the next packet begins its service. */
void port_serve(struct sim *s, struct station *station);

/* A packet arrives now for a queue that has the link's limit: it is let in and perhaps served, or dropped. */
void port_offer(struct sim *s, struct station *station, const struct guest *guest, struct fifo *q);

/* station_ops.on_event: a service ends, or the link may have come up. */
void port_on_event(struct sim *s, struct station *station);

#endif
