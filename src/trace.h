/* trace.h - the rows of one replication, collected, put into time order, and written as CSV. */
#ifndef SRC_TRACE_H
#define SRC_TRACE_H

#include "../kernels/sim.h"
#include "error.h"

struct trace_entry {
    struct trace_row row;
    uint64_t order; /* of arrival: rows of the same time keep it */
};

struct trace {
    struct trace_entry *entries;
    uint64_t count, capacity;
    int64_t end_ps;     /* later rows are left out: the kernel walks packets beyond the end of the run */
    bool out_of_memory; /* rows are missing */
};

/* What sim_run is given to fill an empty trace: {.end_ps = end of the run}. */
struct sim_trace trace_sink(struct trace *trace);

/* Sorts by time; rows of the same time stay in the order in which they came. */
void trace_sort(struct trace *trace);

/* Header, then one line a row: t_s,flow,event,link,direction,a,b,x; columns that mean nothing for an event are empty.
 */
int trace_write_csv(const struct trace *trace, const struct scenario *sc, const char *path, struct error *err);

void trace_free(struct trace *trace);

/* Names of enum drop_cause. */
enum { DROP_CAUSES = CAUSE_RETRY + 1 };
extern const char *const drop_cause_names[DROP_CAUSES];
extern const char *const direction_names[2];

#endif
