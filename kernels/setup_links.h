/* setup_links.h - the part of setup.c about links: hops with their queues and error models, and stations. */
#ifndef KERNELS_SETUP_LINKS_H
#define KERNELS_SETUP_LINKS_H

#include "carver.h"
#include "instance.h"

/* What enters a hop. */
struct hop_use {
    uint32_t streams;
    uint32_t first_flow;   /* `bdp` is reckoned by it */
    uint64_t most_packets; /* inside at once, by the flows' windows */
};

/* Index in sim.hops. */
uint32_t setup_hop_index(const struct scenario *sc, struct hop_ref ref);

/* A direction's queue limit, `bdp` worked out. */
struct queue_limit setup_queue_limit(const struct scenario *sc, const struct channel_cfg *channel,
                                     const struct hop_use *use);

/* Carves hop `index` into its first state; hop NULL: only measures. */
void setup_hop(struct carver *c, const struct scenario *sc, uint32_t index, struct sim_key key,
               const struct hop_use *use, struct hop *hop);

/* The station that a hop belongs to, or NULL. A station for both directions belongs to the link's first. */
const struct station_ops *setup_station_ops(const struct scenario *sc, uint32_t index);

/* Carves the instance's stations, one after another; s NULL: only measures. Returns how many. */
uint32_t setup_stations(struct carver *c, const struct scenario *sc, struct sim_key key, const struct hop_use *uses,
                        struct sim *s);

#endif
