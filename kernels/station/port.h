/* port.h - an output port: packets wait in one or more queues, and one at a time is sent at the link's rate. What is
 * left to a scheduler is which is next, and which are let in.
 */
#ifndef KERNELS_STATION_PORT_H
#define KERNELS_STATION_PORT_H

#include "station.h"

/* A queue of guests, in the order in which they came. */
struct fifo {
    uint32_t head, tail; /* places in the port's shelf */
    uint32_t n;
    uint64_t bytes; /* on the link */
};

/* Begins the state of each station that is a port. */
struct port {
    /* Takes the next packet to be sent out of the queues. False: there is none. */
    bool (*pull)(struct sim *s, struct station *station, struct guest *next);
    struct guest serving;
    int64_t end_ps;      /* of its service; TIME_NEVER: idle */
    struct guest *guest; /* the shelf: `room` places */
    uint32_t *next;      /* of each place */
    uint32_t free, room;
    uint32_t waiting; /* in all queues */
    uint64_t bytes;
    uint32_t largest_bytes; /* packet so far */
    int64_t changed_ps;     /* waiting was the same since then */
};

/* Carves the shelf; base NULL: only measures. Returns what to give to port_init. */
struct port port_carve(struct carver *c, const struct station *station);

/* Everything empty. */
void port_init(struct port *port);

/* Bytes that a packet takes on its link. */
uint32_t guest_bytes(const struct guest *guest);

/* Its flow and direction: 2 * flow + 1 for what travels back. */
uint32_t guest_stream(const struct guest *guest);

/* Puts a guest at a queue's end, takes the first out; counted for the bottleneck's metrics. */
void port_put(struct sim *s, struct port *port, struct fifo *q, const struct guest *guest);
struct guest port_take(struct sim *s, struct port *port, struct fifo *q);

/* Whether a queue that holds so much has room for another packet. */
bool port_has_room(const struct station *station, uint64_t packets, uint64_t bytes, uint32_t more_bytes);

/* A packet arrives now: ends a service that ends at this instant, so that its place is free (as on links without a
 * station). */
void port_begin(struct sim *s, struct station *station);
/* If the link is idle: the next packet begins its service. */
void port_serve(struct sim *s, struct station *station);

/* station_ops.on_event: the service ends. */
void port_on_event(struct sim *s, struct station *station);

#endif
