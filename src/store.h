/* store.h - the HDF5 file made from the journals. The only file that calls HDF5 is store.c. */
#ifndef SRC_STORE_H
#define SRC_STORE_H

#include "journal.h"
#include "replicate.h"

struct provenance {
    const char *command_line;
    const char *const *sets; /* every --set */
    uint32_t nsets;
    uint32_t nhosts, nranks, nthreads;
    double cpu_s;
    const char *start_time, *end_time; /* ISO 8601, UTC */
};

struct store_outcome {
    uint64_t points, replications, failed, missing_points;
};

/* Writes OUT.h5 from what the set holds: to OUT.h5.tmp, closed, fsync, renamed. A point whose rule is not yet met is
 * refused (err names the first and counts them), unless `partial`: then its reason is STOP_TIME. */
int store_write(const char *output, const struct sweep *sweep, const struct journal_set *set,
                const struct provenance *prov, bool partial, struct store_outcome *outcome, struct error *err);

/* The sweep file's text and --set list kept in an existing output or journal (journal: OUT.h5.journal/sweep.yaml and
 * sets), so that `merge OUT.h5` needs no other argument. */
int store_run_info_save(const char *output, const struct sweep *sweep, const struct provenance *prov, struct error *err);

/* Reading for `show`: */
struct store_table; /* coordinates and metrics of a file */
int store_open(struct store_table **out, const char *path, struct error *err);
void store_close(struct store_table *table);

#endif
