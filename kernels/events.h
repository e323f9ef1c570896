/* events.h - which source of events is next: a winner tree over the sources' earliest times.
 *
 * A source is a stream's queue or a flow's timers: each has its own events in order and shows only its first here.
 * Sources at the same instant go by their number, the lowest first.
 */
#ifndef KERNELS_EVENTS_H
#define KERNELS_EVENTS_H

#include <stdint.h>

struct event_node {
    int64_t t_ps;
    uint32_t source;
};

struct events {
    struct event_node *node; /* 1 = the winner; leaves from `leaves` on; 2 * leaves in all */
    uint32_t leaves;         /* a power of two */
};

static inline uint32_t events_leaves(uint32_t sources)
{
    uint32_t n = 2;
    while (n < sources)
        n *= 2;
    return n;
}

/* Every source at `t_ps` (normally TIME_NEVER). */
static inline void events_init(struct events *e, struct event_node *nodes, uint32_t leaves, int64_t t_ps)
{
    e->node = nodes;
    e->leaves = leaves;
    for (uint32_t i = 0; i < leaves; i++)
        nodes[leaves + i] = (struct event_node){t_ps, i};
    for (uint32_t i = leaves - 1; i >= 1; i--)
        nodes[i] = nodes[2 * i];
}

static inline void events_set(struct events *e, uint32_t source, int64_t t_ps)
{
    struct event_node *node = e->node;
    uint32_t i = e->leaves + source;
    node[i].t_ps = t_ps;
    if (e->leaves == 2)
        return; /* events_next compares the two itself */
    struct event_node winner = {t_ps, source};
    do {
        const struct event_node *other = &node[i ^ 1];
        if (other->t_ps < winner.t_ps + (i & 1)) /* odd: the other is the left one, which wins ties */
            winner = *other;
        i >>= 1;
        if (node[i].source == winner.source && winner.source != source)
            return; /* another wins here, as before: nothing changes above */
        node[i] = winner;
    } while (i > 1);
}

static inline struct event_node events_next(const struct events *e)
{
    if (e->leaves == 2)
        return e->node[3].t_ps < e->node[2].t_ps ? e->node[3] : e->node[2];
    return e->node[1];
}

#endif
