/* error.h - error models: which packets a link direction loses. One file each; the operations below are all of it.
 *
 * A model either knows how far its next loss is (in bits or in packets: nothing is drawn until then), or it judges
 * every packet.
 */
#ifndef KERNELS_ERROR_H
#define KERNELS_ERROR_H

#include "../random.h"
#include "../registry.h"
#include "../scenario.h"

struct packet;

struct error_state {
    const struct error_ops *ops;
    struct random_stream random;
    double p;    /* ber, per, per_retransmission */
    int64_t gap; /* gap models: bits or packets before the next loss */
    const struct link_cfg *link;
    const struct channel_cfg *channel;
    bool bad;                      /* gilbert, onoff: in the bad state */
    int64_t change_ps;             /* onoff: when the state ends */
    uint32_t data_seen, acks_seen; /* list: arrivals so far */
    enum direction direction;      /* list: which entries act here */
    bool both;                     /* list: a shared link carries both kinds */
};

struct error_ops {
    struct item item;
    /* Whether a link direction has this model. */
    bool (*is_on)(const struct link_cfg *link, enum direction direction);
    /* Whether it draws random numbers. */
    bool is_random;
    /* Prepares the state (ops, link, channel, direction, random are set). */
    void (*start)(struct error_state *e);
    /* Gap models: bits of the gap used up by a byte, by a packet; a loss when the gap falls below 0, then `start`
     * again. */
    int64_t gap_per_byte, gap_per_packet;
    /* Other models: judges the packet arriving now; `bytes` as on the link. */
    bool (*is_lost)(struct error_state *e, const struct packet *p, uint32_t bytes);
};

/* Random elements of a link direction: of the models that were there first, by their place in the list, all together;
 * later ones have elements of their own kind (see setup_links.c), so that adding one changes no other's numbers. */
enum { ERROR_MODELS_FIRST = 6 };

#endif
