/* worker.h - the threads of a rank: run chunks and write the results to the rank's journal. */
#ifndef SRC_WORKER_H
#define SRC_WORKER_H

#include "schedule.h"

#include <pthread.h>
#include <stdatomic.h>

struct team { /* what the threads of a rank share */
    const struct sweep *sweep;
    struct schedule *schedule;
    struct journal *journal;
    pthread_mutex_t journal_lock;
    bool unsynced;               /* records since the last team_sync; under the lock */
    atomic_uint_fast64_t failed; /* replications with a status other than SIM_OK */
};

/* One thread: until the schedule ends. An error ends the schedule. */
void worker_run(struct team *team);

/* Makes durable what has been recorded. */
int team_sync(struct team *team, struct error *err);

#endif
