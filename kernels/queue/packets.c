/* packets.c - drop-tail, limit in packets.
 *
 * The ring holds the service starts of the last `limit` packets let in: the queue is full exactly while the oldest of
 * them has not begun. Nothing is ever taken out, so a packet costs one load, one compare and one store.
 */
#include "queue.h"

#include <stddef.h>

static uint64_t packets_slots(uint64_t limit)
{
    return limit;
}

static bool packets_admit(struct queue_state *q, int64_t t_ps, int64_t start_ps, uint32_t bytes)
{
    (void)bytes;
    if (q->limit == 0)
        return start_ps <= t_ps;
    struct queue_slot *oldest = &q->slot[q->tail];
    if (oldest->start_ps > t_ps)
        return false;
    oldest->start_ps = start_ps;
    q->tail = q->tail + 1 == q->slots ? 0 : q->tail + 1;
    return true;
}

const struct queue_ops queue_packets = {
    .item = {"packets", "drop-tail, limit in packets (the one in service not counted)", "-",
             "DropTail (ns-2, limit - 1), DropTailQueue (ns-3), pfifo (Linux)"},
    .unit = QUEUE_PACKETS,
    .slots = packets_slots,
    .admit = packets_admit,
};
