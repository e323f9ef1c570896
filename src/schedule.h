/* schedule.h - what one rank has to run, and in which order; its threads take work from here.
 *
 *   points not begun --> jobs (a point up to its next look) --> chunks (what a thread runs at once)
 *
 * Points are begun most expensive first. When all replications of a job's look are in, the stopping rule decides: done,
 * or more replications. Other ranks get whole points as long as there are some, then tasks, parts of a job whose values
 * come back to the owner. All functions may be called from any thread.
 */
#ifndef SRC_SCHEDULE_H
#define SRC_SCHEDULE_H

#include "journal.h"
#include "replicate.h"

struct schedule;

struct schedule_setup {
    const struct sweep *sweep;
    const struct journal_set *found; /* replications that need not run again, or NULL */
    const double *cost;              /* of one replication, by point */
    const uint64_t *points;          /* this rank's, in order; copied */
    uint64_t npoints;
    uint32_t workers; /* threads of this rank */
    uint32_t ranks;
};

struct task { /* replications first .. first+count-1 of a point */
    uint64_t point;
    uint32_t first, count;
};

struct job { /* what running a point's replications needs; read-only for threads */
    uint64_t point;
    struct scenario *scenario;
    struct hash128 hash;        /* of the scenario */
    struct hash128 random_hash; /* what its random streams come from */
    size_t bytes;               /* sim_bytes(scenario) */
};

struct chunk {
    struct job *job;
    uint32_t first, count;
};

struct schedule_state {
    uint64_t points;               /* decided here */
    uint64_t decided_replications; /* of those points */
    uint64_t replications;         /* run here */
    double cost_done;              /* of replications run here, and of those found by decided points */
    double cost_left;              /* of those known to be still needed here */
    double kernel_cpu_s;
};

enum { TASK_MAX = 4096, CHUNK_MAX = 4096 };

int schedule_open(struct schedule **out, const struct schedule_setup *setup, struct error *err);
void schedule_close(struct schedule *schedule);

/* --- threads ----------------------------------------------------------------------------------------------------- */

/* Waits for work. False: the schedule has ended. */
bool schedule_take(struct schedule *schedule, struct chunk *chunk);
/* Hands back a chunk with the rule's metric of its first `done` replications (fewer than all only after the end). */
void schedule_done(struct schedule *schedule, const struct chunk *chunk, uint32_t done, const double *values,
                   double cpu_s);
/* Ends it because of an error, of which the first is kept. */
void schedule_fail(struct schedule *schedule, const struct error *err);
bool schedule_ended(const struct schedule *schedule);

/* --- the rank's main thread -------------------------------------------------------------------------------------- */

void schedule_end(struct schedule *schedule);
/* Returns -1 with the error that ended it. */
int schedule_error(const struct schedule *schedule, struct error *err);
/* Waits until there is news (a thread idle, another rank's task done, the end), at most so long. */
void schedule_wait(struct schedule *schedule, double seconds);
struct schedule_state schedule_state(struct schedule *schedule);

/* Whether threads have nothing to do, or soon will. */
bool schedule_hungry(struct schedule *schedule);
/* Cuts off points for another rank, at most `max`; returns their number. */
uint32_t schedule_cut_points(struct schedule *schedule, uint64_t *points, uint32_t max);
void schedule_add_points(struct schedule *schedule, const uint64_t *points, uint32_t n);
/* Cuts off a part of a job for another rank; false if there is none worth the way. */
bool schedule_cut_task(struct schedule *schedule, struct task *task);
void schedule_add_task(struct schedule *schedule, uint32_t owner, const struct task *task);
/* A task of another rank that has been run here; `values` has room for TASK_MAX. */
bool schedule_next_return(struct schedule *schedule, uint32_t *owner, struct task *task, double *values);
/* The values of a task that another rank has run for us. */
void schedule_returned(struct schedule *schedule, const struct task *task, const double *values);

#endif
