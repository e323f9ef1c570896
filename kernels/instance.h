/* instance.h - the state of one running instance: everything lives in one block of the caller's memory. */
#ifndef KERNELS_INSTANCE_H
#define KERNELS_INSTANCE_H

#include "flow.h"

/* The ACKs of a flow (no stage), a stage with a ring, or all timers (no flow). */
struct source {
    struct flow *flow;
    struct stage *stage;
};

struct sim {
    int64_t now_ps;
    int64_t other_ps;       /* the earliest of those that are not a flow's */
    int64_t from_ps, to_ps; /* measuring window (from, to]; the run ends at `to` */
    struct events events;   /* streams, and one for all timers */
    struct events timers;   /* a leaf per flow, and one for all others */
    struct source *sources;
    uint32_t nsources; /* the last are the timers */
    uint32_t nflows, nhops;
    struct flow *flows;
    struct hop *hops;
    struct station *stations;
    const struct scenario *scenario;
    const struct sim_trace *trace;
    struct sim_key key;
    enum sim_status status;
    struct hop *bottleneck;
    struct events others; /* timers: the measuring window's begin, and a leaf per station */
    int64_t *other_timer_ps;
    uint64_t exchanges, exchanges_failed; /* of frames on radio links, in the measuring window */
};

static inline enum phase sim_phase(const struct sim *s, int64_t t_ps)
{
    return (enum phase)((t_ps > s->from_ps) + (t_ps > s->to_ps));
}

/* When the next event is, at most a few ps too early (see events.h). */
static inline int64_t sim_next_ps(const struct sim *s)
{
    return (int64_t)((s->events.key[1] & s->events.time_bits) / s->events.scale);
}

/* Trace rows cost one test when no trace is wanted. */
void sim_trace_row(const struct sim *s, int64_t t_ps, const struct flow *f, enum trace_event event,
                   const struct hop *hop, int64_t a, int64_t b, double x);

#define TRACE(s, ...)                                                                                                  \
    do {                                                                                                               \
        if (__builtin_expect((s)->trace != NULL, 0))                                                                   \
            sim_trace_row(s, __VA_ARGS__);                                                                             \
    } while (0)

/* Ends the run with a status. */
static inline void sim_fail(struct sim *s, enum sim_status status)
{
    s->status = status;
    events_stop(&s->events);
}

/* ring_push where a packet may have to go before others, or the ring is full. */
void ring_insert(struct sim *s, struct ring *ring, const struct packet *p, int64_t t_ps);

/* A packet waits from now to t_ps. */
static inline void ring_push(struct sim *s, struct ring *ring, const struct packet *p, int64_t t_ps)
{
    uint32_t n = ring->tail - ring->head;
    if (__builtin_expect(n >= ring->room, 0)) {
        struct packet copy = *p;
        ring_insert(s, ring, &copy, t_ps);
        return;
    }
    /* field by field: most packets come in registers */
    ring->slot[ring->tail++ & ring->mask] = (struct packet){
        .t_ps = t_ps,
        .stamp_ps = p->stamp_ps,
        .seq = p->seq,
        .payload = p->payload,
        .transmission = p->transmission,
        .bytes = p->bytes,
        .flags = p->flags,
        .sack_blocks = p->sack_blocks,
    };
    if (n == 0)
        events_set(&s->events, ring->source, t_ps);
}

/* Takes out the first packet, which is the earliest of all. It stays readable in its slot until the next is pushed. */
static inline const struct packet *ring_pop(struct sim *s, struct ring *ring)
{
    const struct packet *first = &ring->slot[ring->head++ & ring->mask];
    events_advance(&s->events, ring->source,
                   ring->head == ring->tail ? TIME_NEVER : ring->slot[ring->head & ring->mask].t_ps);
    return first;
}

/* The earliest timer of a flow (or, numbered nflows, of all others) is now at t_ps, as already noted in the flow (or in
 * other_ps). */
static inline void sim_set_timer(struct sim *s, uint32_t timer, int64_t t_ps)
{
    events_set(&s->timers, timer, t_ps);
    uint32_t first = events_next(&s->timers);
    events_set(&s->events, s->nsources - 1, first < s->nflows ? s->flows[first].timer_ps : s->other_ps);
}

/* The same for timer 0 of the others, the begin of the measuring window, or for 1 + that of a station. */
void sim_set_other_timer(struct sim *s, uint32_t timer, int64_t t_ps);

/* Brings a timer's deadline forward or back; TIME_NEVER stops it. Lazy: the tree learns only of earlier ones. */
static inline void flow_set_timer(struct sim *s, struct flow *f, enum timer timer, int64_t t_ps)
{
    f->deadline_ps[timer] = t_ps;
    if (t_ps < f->timer_ps) {
        f->timer_ps = t_ps;
        sim_set_timer(s, f->id, t_ps);
    }
}

#endif
