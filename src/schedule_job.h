/* schedule_job.h - a point up to its next look, or a part of another rank's point. Used by schedule.c only. */
#ifndef SRC_SCHEDULE_JOB_H
#define SRC_SCHEDULE_JOB_H

#include "schedule.h"

struct work { /* a job and how far it is */
    struct job job;
    const struct schedule_setup *setup;
    bool borrowed; /* from rank `owner` */
    uint32_t owner;
    bool random;
    uint32_t first; /* replications first .. target-1 */
    uint32_t target;
    uint32_t cursor;      /* all below have been handed out */
    uint32_t todo, done;  /* not handed out; in */
    uint32_t found;       /* in without being run: from journals */
    double cost;          /* of one replication */
    unsigned char *given; /* by replication - first: handed out or in */
    double *values;       /* the rule's metric, by replication - first */
};

/* A point up to its first look; NULL with *err if that cannot be. */
struct work *work_point(const struct schedule_setup *setup, uint64_t point, struct error *err);
/* A part of another rank's point. */
struct work *work_task(const struct schedule_setup *setup, uint32_t owner, const struct task *task, struct error *err);
void work_free(struct work *work);

/* The next replications not handed out, in one piece of at most `limit`. */
uint32_t work_cut(struct work *work, uint32_t limit, uint32_t *first);
void work_put(struct work *work, uint32_t first, uint32_t count, const double *values);

/* With all replications of a look in: whether the point is decided; otherwise sets up the next look (again and again if
 * journals hold all of it). Returns -1 with *err without memory. */
int work_look(struct work *work, bool *decided, struct error *err);

#endif
