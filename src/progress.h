/* progress.h - how far a run is: one line that renews itself on a terminal, one line a minute elsewhere. */
#ifndef SRC_PROGRESS_H
#define SRC_PROGRESS_H

#include "schedule.h"

struct progress {
    bool quiet, terminal;
    uint64_t npoints;
    double cost_of_one;    /* one replication of every point */
    uint32_t least;        /* replications of a point */
    double start_s, due_s; /* monotonic */
};

void progress_start(struct progress *progress, bool quiet);
void progress_show(struct progress *progress, const struct schedule_state *state);
void progress_end(struct progress *progress); /* leaves the line */

/* `1:02:03`, `2:03 min`, `12 s` */
void progress_time(double seconds, char *text, size_t size);

#endif
