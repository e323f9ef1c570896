/* exchange.h - how ranks share work: a rank whose threads run out asks the others in turn, and rank 0 knows when all is
 * done. Two-sided messages, served by the main thread of each rank while its workers compute. */
#ifndef SRC_EXCHANGE_H
#define SRC_EXCHANGE_H

#include "schedule.h"

struct exchange_setup {
    struct schedule *schedule;
    uint64_t npoints; /* to be decided, over all ranks */
    /* Called a few times a second, on rank 0 with the sums over all ranks as last heard, elsewhere with its own.
     * Returns false to stop the run everywhere. */
    bool (*watch)(void *ctx, const struct schedule_state *state);
    void *ctx;
};

/* Serves until all ranks have ended. */
void exchange_run(const struct exchange_setup *setup);

#endif
