/* bytes.c - drop-tail, limit in bytes. */
#include "queue.h"

#include <stddef.h>

enum { SMALLEST_PACKET_BYTES = 28 };

static uint64_t bytes_slots(uint64_t limit)
{
    return limit / SMALLEST_PACKET_BYTES + 2; /* one stays free */
}

/* Takes out what has begun service by t_ps. */
static void drain(struct queue_state *q, int64_t t_ps)
{
    while (q->head != q->tail && q->slot[q->head].start_ps <= t_ps) {
        q->waiting_bytes -= q->slot[q->head].bytes;
        q->head = q->head + 1 == q->slots ? 0 : q->head + 1;
    }
}

static bool bytes_admit(struct queue_state *q, int64_t t_ps, int64_t start_ps, uint32_t bytes)
{
    drain(q, t_ps);
    if (start_ps <= t_ps)
        return true;
    if (q->waiting_bytes + bytes > q->limit)
        return false;
    q->slot[q->tail] = (struct queue_slot){start_ps, bytes};
    q->tail = q->tail + 1 == q->slots ? 0 : q->tail + 1;
    q->waiting_bytes += bytes;
    return true;
}

const struct queue_ops queue_bytes = {
    .item = {"bytes", "drop-tail, limit in bytes (the packet in service not counted)", "-",
             "DropTail queue_in_bytes (ns-2), bfifo (Linux)"},
    .unit = QUEUE_BYTES,
    .slots = bytes_slots,
    .admit = bytes_admit,
};
