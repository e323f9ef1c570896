/* unlimited.c - a queue that never drops. */
#include "queue.h"

#include <stddef.h>

static uint64_t unlimited_slots(uint64_t limit)
{
    (void)limit;
    return 0;
}

const struct queue_ops queue_unlimited = {
    .item = {"unlimited", "never drops", "-", NULL},
    .unit = QUEUE_UNLIMITED,
    .slots = unlimited_slots,
};
