/* events.h - which source of events is next: a winner tree over the sources' earliest times.
 *
 * A source is a stream's queue, or all timers: each has its own events in order and shows only its first here. A key is
 * the time with the source's number below it, so one comparison orders both: sources at the same instant go by number,
 * the lowest first. What lies beyond the horizon is all the same. Where time and number do not fit 64 bits (thousands
 * of sources over hours) the time loses its last bits: order within a few ps then goes by number.
 */
#ifndef KERNELS_EVENTS_H
#define KERNELS_EVENTS_H

#include <stddef.h>
#include <stdint.h>

struct events {
    uint64_t *key;      /* 1 = the winner; leaves from `leaves` on; 2 * leaves in all */
    uint32_t leaves;    /* a power of two; below it a key has its source's number */
    uint32_t mask;      /* leaves - 1 */
    int64_t beyond_ps;  /* one above the horizon */
    uint64_t scale;     /* time times scale is a key's upper part: as many leaves, nearly always */
    uint64_t time_bits; /* the bits of that */
    uint64_t end;       /* keys from here on are beyond the horizon */
};

static inline uint32_t events_leaves(uint32_t sources)
{
    uint32_t n = 2;
    while (n < sources)
        n *= 2;
    return n;
}

static inline uint64_t events_key(const struct events *e, uint32_t source, int64_t t_ps)
{
    int64_t t = t_ps < e->beyond_ps ? t_ps : e->beyond_ps;
    return ((uint64_t)t * e->scale & e->time_bits) | source;
}

/* Every source beyond the horizon. */
static inline void events_init(struct events *e, uint64_t *keys, uint32_t leaves, int64_t horizon_ps)
{
    *e = (struct events){
        .key = keys, .leaves = leaves, .mask = leaves - 1, .beyond_ps = horizon_ps + 1, .scale = leaves};
    while ((uint64_t)e->beyond_ps > UINT64_MAX / e->scale)
        e->scale /= 2;
    e->time_bits = ~(uint64_t)(leaves - 1);
    e->end = events_key(e, 0, e->beyond_ps);
    for (uint32_t i = 0; i < leaves; i++)
        keys[leaves + i] = events_key(e, i, e->beyond_ps);
    for (uint32_t i = leaves - 1; i >= 1; i--)
        keys[i] = keys[2 * i];
}

/* The source has a new earliest time. */
static inline void events_set(struct events *e, uint32_t source, int64_t t_ps)
{
    uint64_t *key = e->key, winner = events_key(e, source, t_ps);
    size_t i = e->leaves + source;
    key[i] = winner;
    do {
        uint64_t other = key[i ^ 1];
        winner = other < winner ? other : winner;
        i >>= 1;
        if (key[i] == winner)
            return; /* nothing changes above */
        key[i] = winner;
    } while (i > 1);
}

/* The same for the source that is next: all above it changes, up to the root. */
static inline void events_advance(struct events *e, uint32_t source, int64_t t_ps)
{
    uint64_t *key = e->key, winner = events_key(e, source, t_ps);
    size_t i = e->leaves + source;
    key[i] = winner;
    do {
        uint64_t other = key[i ^ 1];
        winner = other < winner ? other : winner;
        i >>= 1;
        key[i] = winner;
    } while (i > 1);
}

/* Whether anything is due by the horizon. */
static inline int events_pending(const struct events *e)
{
    return e->key[1] < e->end;
}

/* Nothing is due any more. */
static inline void events_stop(struct events *e)
{
    e->end = 0;
}

/* The earliest key of all sources but the one that is next. */
static inline uint64_t events_second(const struct events *e)
{
    uint64_t second = UINT64_MAX;
    for (size_t i = e->leaves + (e->key[1] & e->mask); i > 1; i >>= 1)
        second = e->key[i ^ 1] < second ? e->key[i ^ 1] : second;
    return second;
}

/* The source that is next. */
static inline uint32_t events_next(const struct events *e)
{
    return (uint32_t)e->key[1] & e->mask;
}

#endif
