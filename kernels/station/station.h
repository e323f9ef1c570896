/* station.h - links whose departures are not known when a packet arrives: schedulers, a cell switch, a radio medium.
 * One file each.
 *
 * Packets arrive at a station in the order of time, as events, and it keeps them in memory of its own until it hands
 * them on (station_forward) or drops them (station_drop). What it has to do later is one event that it sets itself
 * (station_set). A station stands for a link's direction, or for both where they share what it is about.
 */
#ifndef KERNELS_STATION_STATION_H
#define KERNELS_STATION_STATION_H

#include "../carver.h"
#include "../instance.h"
#include "../random.h"
#include "../registry.h"

/* A packet inside a station: it leaves with the flow and stage that it came with. */
struct guest {
    struct packet packet; /* t_ps: when it came */
    struct flow *flow;
    struct stage *stage;
};

struct station {
    const struct station_ops *ops;
    const struct link_cfg *link;
    enum direction direction; /* the first of those that it stands for */
    struct hop *hop[2];       /* by direction; only one of them where each direction has a station of its own */
    struct random_stream random;
    uint64_t most_packets;    /* inside at once, by the flows' windows */
    struct queue_limit limit; /* of that direction's queue */
    uint32_t streams;         /* that enter: flows, each direction for itself */
    uint32_t timer;           /* of its events, see sim_set_other_timer */
    void *state;              /* the station's own, as lay_out has carved it */
};

struct station_ops {
    struct item item;
    /* Whether a link direction has such a station. */
    bool (*is_on)(const struct link_cfg *link, enum direction direction);
    bool is_both;   /* one station for both directions of the link */
    bool is_random; /* draws random numbers, whatever the settings */
    /* Carves the state and puts it in order; without memory (station->state NULL after carving) it only measures:
     * ops, link, direction, most_packets, limit and streams are set then, nothing else. */
    void (*lay_out)(struct carver *c, const struct scenario *sc, struct station *station);
    /* A packet arrives, now (s->now_ps). */
    void (*take)(struct sim *s, struct station *station, const struct guest *guest);
    /* The time given to station_set has come. */
    void (*on_event)(struct sim *s, struct station *station);
};

/* The station's next event is at t_ps; TIME_NEVER: none. */
void station_set(struct sim *s, const struct station *station, int64_t t_ps);

/* The packet's service ends now: over the link's delay and error models, and on. */
void station_forward(struct sim *s, const struct guest *guest);

/* The packet is lost now. */
void station_drop(struct sim *s, const struct guest *guest, enum drop_cause cause);

/* The same at a time that need not have come yet: for packets that leave the station in that order. */
void station_forward_at(struct sim *s, const struct guest *guest, int64_t t_ps);
void station_drop_at(struct sim *s, const struct guest *guest, int64_t t_ps, enum drop_cause cause);

/* Marks the packet now, if it can carry a mark (RFC 3168). */
void station_mark(struct sim *s, struct guest *guest);

/* A packet arrives at a stage whose hop has a station. */
void station_take(struct sim *s, struct flow *f, struct stage *stage, const struct packet *p);

#endif
