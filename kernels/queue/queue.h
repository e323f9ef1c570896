/* queue.h - queue disciplines that can be decided when a packet arrives: one file each.
 *
 * A link is a FIFO server, so the time at which a packet's service would begin is known on arrival; a discipline says
 * whether the packet is let in. Times and sizes are all it sees.
 */
#ifndef KERNELS_QUEUE_H
#define KERNELS_QUEUE_H

#include "../registry.h"
#include "../scenario.h"

struct queue_limit {
    enum queue_unit unit; /* unlimited, packets or bytes */
    uint64_t n;           /* of those that may wait */
};

struct queue_slot {
    int64_t start_ps; /* when the packet leaves the queue for the link */
    uint32_t bytes;
};

struct queue_state {
    uint64_t limit; /* packets or bytes that may wait */
    uint64_t waiting_bytes;
    uint32_t slots, head, tail; /* ring; tail: next free */
    struct queue_slot *slot;
};

struct queue_ops {
    struct item item;
    enum queue_unit unit;
    /* Ring slots needed for a limit. */
    uint64_t (*slots)(uint64_t limit);
    /* Whether the packet arriving at t_ps may wait until start_ps; if so it is remembered. */
    bool (*admit)(struct queue_state *q, int64_t t_ps, int64_t start_ps, uint32_t bytes);
};

#endif
