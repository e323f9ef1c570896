/* instance.h - the state of one running instance: everything lives in one block of the caller's memory. */
#ifndef KERNELS_INSTANCE_H
#define KERNELS_INSTANCE_H

#include "flow.h"

enum source_kind { SOURCE_ACK, SOURCE_STAGE, SOURCE_TIMERS };

struct source {
    enum source_kind kind;
    uint32_t stage;
    struct flow *flow;
    struct stream *stream;
};

struct sim {
    int64_t now_ps;
    int64_t mark_ps;        /* the measuring window's begin, until then */
    int64_t from_ps, to_ps; /* measuring window (from, to]; the run ends at `to` */
    struct events events;   /* streams, and one for all timers */
    struct events timers;   /* a leaf per flow, and the measuring window's begin */
    struct source *sources;
    uint32_t nsources; /* the last are the timers */
    uint32_t nflows, nhops;
    struct flow *flows;
    struct hop *hops;
    const struct scenario *scenario;
    const struct sim_trace *trace;
    struct sim_key key;
    enum sim_status status;
    struct hop *bottleneck;
};

static inline enum phase sim_phase(const struct sim *s, int64_t t_ps)
{
    return (enum phase)((t_ps > s->from_ps) + (t_ps > s->to_ps));
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

static inline void ring_push(struct sim *s, struct ring *ring, uint32_t source, const struct packet *p)
{
    uint32_t n = ring->tail - ring->head;
    if (__builtin_expect(n > ring->mask, 0)) {
        sim_fail(s, SIM_LIMIT);
        return;
    }
    uint32_t at = ring->tail++;
    while (__builtin_expect(ring->may_disorder, 0) && n > 0 && ring->slot[(at - 1) & ring->mask].t_ps > p->t_ps) {
        ring->slot[at & ring->mask] = ring->slot[(at - 1) & ring->mask];
        at--;
        n--;
    }
    ring->slot[at & ring->mask] = *p;
    if (n == 0)
        events_set(&s->events, source, p->t_ps);
}

static inline void ring_drop_first(struct sim *s, struct ring *ring, uint32_t source)
{
    ring->head++;
    events_advance(&s->events, source,
                   ring->head == ring->tail ? TIME_NEVER : ring->slot[ring->head & ring->mask].t_ps);
}

static inline struct packet ring_pop(struct sim *s, struct ring *ring, uint32_t source)
{
    struct packet p = ring->slot[ring->head & ring->mask];
    ring_drop_first(s, ring, source);
    return p;
}

/* The earliest timer of a flow (or, numbered nflows, the begin of the measuring window) is now at t_ps, as already
 * noted in the flow (or in mark_ps). */
static inline void sim_set_timer(struct sim *s, uint32_t timer, int64_t t_ps)
{
    events_set(&s->timers, timer, t_ps);
    uint32_t first = events_next(&s->timers);
    events_set(&s->events, s->nsources - 1, first < s->nflows ? s->flows[first].timer_ps : s->mark_ps);
}

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
