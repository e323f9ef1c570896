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
#include "link_arq.h"
#include "packet.h"
#include "queue/managed.h"
#include "queue/queue.h"
#include "sim.h"

struct sim;
struct flow;

struct jitter_state;

struct ring {
    struct packet *slot;
    uint32_t mask;
    uint32_t head, tail; /* free running; tail - head packets inside */
    uint32_t room;       /* packets that may simply be put at its end: mask + 1, or 0 behind what may reorder */
    uint32_t source;     /* of its events */
};

enum {
    HOP_METERED = 1, /* busy and waiting time are summed: the bottleneck */
    HOP_TAIL = 2,    /* a queue of so many packets that can overflow */
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
    struct managed *managed; /* NULL: drops only what it has no room for */
    struct arq_state *arq;   /* NULL: a frame is sent once */
    struct station *station; /* NULL: departures are known on arrival */
    double rate_bps;
    const struct channel_cfg *channel;
    uint32_t step; /* schedule: steps in force at the last arrival */
    bool is_up;
    uint16_t id; /* link * 2 + direction */
    uint16_t nerrors;
    struct error_state *errors;
    int64_t busy_ps, waiting_ps; /* in the measuring window; metered hops only */
    struct jitter_state *jitter; /* NULL: all packets have the same delay */
};

/* A run is a hop and those walked behind it that are never slower. A stream's packets of the largest size leave the
 * first at least one such service apart, so they never wait in the rest: the rest is one delay to them. (With s_h(x) >=
 * s_i(x) for every size x: what hop i has to serve from packet m on, s_i(m) + ... + s_i(n-1), never exceeds the spacing
 * s_h(m+1) + ... + s_h(n) that hop h gives them, if n is a largest packet.) This is the short way; other packets go hop
 * by hop. */
struct run {
    int64_t service_ps; /* at the first hop, of a packet of the usual size */
    int64_t delay_ps;   /* from the end of that service to the run's end */
    int64_t last_ps; /* the end of that service for the last packet by the short way; -1: `free_ps` is right behind */
    uint32_t usual_bytes; /* the stream's usual packet: full segments, the largest; ACKs without blocks */
    uint32_t length;      /* hops behind the first */
    bool is_short;        /* no packet above the usual size may still wait in it, and the first hop is simple enough */
    struct hop *errors;   /* the one hop with error models, or NULL */
    int64_t gap;          /* that a packet of the usual size uses up there */
    int64_t past_errors_ps; /* from its far end to the run's end */
};

struct stage {
    struct hop *hop;    /* NULL: the stream's end */
    bool is_walked;     /* packets pass the hop at once */
    struct run run;     /* that begins here */
    struct stage *next; /* behind the run */
    struct ring *ring;  /* where packets wait for their time, or NULL */
};

struct stream {
    struct stage *stage; /* nhops + 1, the last is the end */
    uint32_t nhops;
};

/* Sends a packet of a flow on its way at p->t_ps: until it has to wait, ends, or is lost. */
void net_walk(struct sim *s, struct flow *f, const struct packet *p);

/* A packet has left a station at p->t_ps: over the link's delay and error models, and on. */
void net_leave_station(struct sim *s, struct flow *f, struct stage *stage, struct packet *p);

/* Counts a packet lost at t_ps. */
void net_count_drop(struct sim *s, struct flow *f, const struct hop *hop, const struct packet *p, int64_t t_ps,
                    enum drop_cause cause);

/* Marks a packet at t_ps, if it can carry a mark. */
void net_mark(struct sim *s, struct flow *f, const struct hop *hop, struct packet *p, int64_t t_ps);

/* The part of [from_ps, to_ps) that lies in the measuring window. */
int64_t net_clip(const struct sim *s, int64_t from_ps, int64_t to_ps);

/* Serialisation time of a packet at a constant rate, rounded to the nearest picosecond. */
int64_t net_transmission_ps(double rate_bps, uint32_t bytes);

/* The same for an IP packet of `bytes` at a hop, with what the link adds. */
int64_t net_service_ps(const struct hop *hop, uint32_t bytes);

#endif
