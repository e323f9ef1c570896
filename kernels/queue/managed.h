/* managed.h - queue disciplines that decide on a packet's fate when it arrives: they pass, mark or drop it. One file
 * each.
 *
 * What they decide depends on earlier arrivals only, so a packet still walks through (net.c, queue_takes). Behind them
 * the queue's own limit holds.
 */
#ifndef KERNELS_QUEUE_MANAGED_H
#define KERNELS_QUEUE_MANAGED_H

#include "../random.h"
#include "../registry.h"
#include "queue.h"

enum verdict { VERDICT_PASS, VERDICT_MARK, VERDICT_DROP };

/* A packet at the moment at which it arrives. */
struct arrival {
    int64_t t_ps;
    int64_t free_ps;    /* when the link has sent all that it has accepted */
    int64_t service_ps; /* that the packet takes */
    uint32_t bytes;     /* on the link */
    bool is_ecn_capable;
};

struct mark_state {
    double average, threshold; /* packets */
};

struct red_state {
    double min, max, weight, max_p; /* worked out from `auto`, or as the key says; max_p moves with ARED */
    double average;                 /* packets */
    uint32_t passed;                /* between the thresholds, since the last drop or mark */
    int64_t service_ps;             /* of a mean packet */
    int64_t next_ps;                /* ARED: the next adaptation */
};

struct pie_state {
    double p, accumulated;
    double delay_s, old_delay_s; /* at the last update, and at the one before */
    int64_t burst_ps;            /* allowance left */
    int64_t next_ps;             /* the next update */
    uint32_t largest_bytes;      /* packet so far */
};

struct managed {
    const struct managed_ops *ops;
    const struct channel_cfg *channel;
    struct random_stream random;
    struct queue_slot *slot; /* ring: those let in; behind head they may still wait */
    uint32_t slots, head, n; /* n: in the ring */
    uint64_t bytes;          /* of those */
    union {
        struct mark_state mark;
        struct red_state red;
        struct pie_state pie;
    } state;
};

struct managed_ops {
    struct item item; /* its name is that of `aqm` */
    enum aqm_kind kind;
    bool is_random;
    /* Prepares the state (channel, random are set); limit: of the queue, packets (infinite where it is not in packets).
     */
    void (*start)(struct managed *m, double limit);
    /* What becomes of an arriving packet; those that wait no more have been taken out (n, bytes). */
    enum verdict (*arrives)(struct managed *m, const struct arrival *a);
};

/* The discipline of a link direction, or NULL. */
const struct managed_ops *managed_of(const struct channel_cfg *channel);

/* A packet arrives. */
enum verdict managed_arrives(struct managed *m, const struct arrival *a);

/* It is let in and begins service at start_ps. False: the ring is full. */
bool managed_waits(struct managed *m, int64_t t_ps, int64_t start_ps, uint32_t bytes);

/* An average over the queue lengths that arrivals find, (1 - w) average + w n; a link that was idle for k packet times
 * first counts as k arrivals that found nothing (Floyd and Jacobson 1993). */
double managed_average(const struct managed *m, double average, double weight, const struct arrival *a,
                       int64_t service_ps);

/* A drop that may be a mark. */
enum verdict managed_verdict(const struct managed *m, const struct arrival *a);

/* red.c: red_min with `auto` worked out. */
double red_least(const struct channel_cfg *channel);

/* red.c: p_b. pie.c: p after an update with these delays. Both are pure. */
double red_probability(double average, double min, double max, double max_p, bool is_gentle);
double pie_probability(const struct pie_params *pie, double p, double delay_s, double old_delay_s);

#endif
