/* net.h - links and streams: how a packet travels.
 *
 * A hop is one direction of a link (or a whole link with a shared duplex): a FIFO server with a queue, error models and
 * a propagation delay. A stream is one flow in one direction over its hops. As long as a hop is entered by one stream
 * only, in order, a packet is carried through it at once, also into the future ("walked"). Where streams meet, or
 * behind an element that can reorder, it waits in the stage's ring until its time has come: an event.
 */
#ifndef KERNELS_NET_H
#define KERNELS_NET_H

#include "error/error.h"
#include "events.h"
#include "packet.h"
#include "queue/queue.h"
#include "sim.h"

struct sim;
struct flow;

struct ring {
    struct packet *slot;
    bool may_disorder; /* behind an element that can reorder: a newcomer finds its place */
    uint32_t mask;
    uint32_t head, tail; /* free running; tail - head packets inside */
};

enum {
    HOP_ERRORS = 1,
    HOP_METERED = 2, /* busy and waiting time are summed: the bottleneck */
    HOP_TAIL = 4,    /* a queue of so many packets */
    HOP_FULL = 8,    /* a schedule, a queue that can overflow, or a rate of no whole ps per byte */
};

struct hop {
    int64_t free_ps; /* when the server has sent all it has accepted */
    int64_t delay_ps;
    int64_t ps_per_byte;                       /* 0 where it is not whole */
    int64_t gap, gap_per_byte, gap_per_packet; /* of a lone gap error model; a packet below 0 is looked at */
    uint32_t overhead_bytes;
    uint32_t extras;                   /* HOP_... */
    const struct queue_ops *queue_ops; /* NULL: can't overflow */
    struct queue_state queue;
    double rate_bps;
    const struct channel_cfg *channel;
    uint32_t step; /* schedule: steps in force at the last arrival */
    bool is_up;
    uint16_t id; /* link * 2 + direction */
    uint16_t nerrors;
    struct error_state *errors;
    int64_t busy_ps, waiting_ps; /* in the measuring window; metered hops only */
};

/* A run is a walked hop and those walked behind it that are never slower. Packets of the largest size leave the first
 * at least one such service apart, so they never wait in the rest: the rest is one delay to them. (With s_h(x) >=
 * s_i(x) for every size x: what hop i has to serve from packet m on, s_i(m) + ... + s_i(n-1), never exceeds the spacing
 * s_h(m+1) + ... + s_h(n) that hop h gives them, if n is a largest packet.) Other packets go hop by hop. */
struct run {
    uint32_t length;    /* hops behind the first */
    int64_t delay_ps;   /* of them all, for a packet of the usual size */
    struct hop *errors; /* the one among them with an error model, or NULL */
    int64_t errors_ps;  /* from the first hop's far end to that one's */
    bool was_usual;     /* the last packet took the short way: `free_ps` behind the first hop is to be worked out */
};

struct stage {
    struct hop *hop;    /* NULL: the stream's end */
    struct hop *walked; /* the same, NULL also where packets wait */
    int64_t usual_ps;   /* service time of a packet of the stream's usual size */
    struct run run;     /* that begins here; length 0 inside one */
    struct ring *ring;  /* NULL: walked */
    uint32_t source;    /* of its ring's events */
};

struct stream {
    struct flow *flow;
    struct stage *stage; /* nhops + 1, the last is the end */
    uint32_t nhops;
    uint32_t usual_bytes; /* full segments, the largest; ACKs without blocks */
    bool may_wait;        /* a packet above the usual size has passed: all go hop by hop until none waits */
    enum direction direction;
};

/* Carries a packet (p->t_ps = arrival at the stage) from a stage on, until it has to wait, ends, or is lost. */
void net_walk(struct sim *s, struct stream *stream, struct packet *p, uint32_t from);

/* A packet's time has come at a stage with a ring. */
void net_arrive(struct sim *s, struct stream *stream, uint32_t at);

/* Serialisation time of a packet at a constant rate, rounded to the nearest picosecond. */
int64_t net_transmission_ps(double rate_bps, uint32_t bytes);

#endif
