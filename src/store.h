/* store.h - the HDF5 file made from the journals, and reading it back. Only store_*.c and store.c call HDF5.
 *
 * The library is not used by several threads at once: one thread of the process calls these, no lock is taken.
 */
#ifndef SRC_STORE_H
#define SRC_STORE_H

#include "journal.h"
#include "replicate.h"

#include <stdio.h>

struct provenance {
    const char *command_line;
    const char *const *sets; /* every --set */
    uint32_t nsets;
    uint32_t nhosts, nranks, nthreads;
    double cpu_s;
    const char *start_time, *end_time; /* ISO 8601, UTC */
};

struct store_outcome {
    uint64_t points, replications,
        failed;              /* selected points; replications that the rule uses, and failed ones of them */
    uint64_t missing_points; /* not finished (with `partial` only) */
};

/* Writes OUT.h5 from what the set holds: to OUT.h5.tmp, closed, fsync, renamed. A point whose rule is not yet met is
 * refused (err names the first and counts them), unless `partial`: then its reason is STOP_TIME. An OUT.h5 that is
 * there is replaced: the caller has asked about --force. Replications that failed are listed by store_list_failed. */
int store_write(const char *output, const struct sweep *sweep, const struct journal_set *set,
                const struct provenance *prov, bool partial, struct store_outcome *outcome, struct error *err);

/* Writes one line for each of the first `most` failed replications that store_write would use: point, replication, why.
 */
int store_list_failed(const struct sweep *sweep, const struct journal_set *set, uint64_t most, FILE *out,
                      struct error *err);

/* What made a journal: the sweep file's text, the --set list, seed, replications and the command lines so far, in
 * OUT.h5.journal/{sweep.yaml,sets,run,history}; so that `merge OUT.h5` needs no other argument. Called once at each
 * start of a run, by one rank, under the shard's lock. */
int store_run_info_save(const char *output, const struct sweep *sweep, const struct provenance *prov,
                        struct error *err);
/* Loads the sweep as it was run. Texts of *prov stay valid until store_run_info_free. */
struct run_info;
int store_run_info_load(struct run_info **out, const char *output, struct error *err);
struct sweep *store_run_info_sweep(struct run_info *info);
const struct provenance *store_run_info_provenance(const struct run_info *info);
void store_run_info_free(struct run_info *info);

/* --- reading, for `show` ----------------------------------------------------------------------------------------- */

struct table_coordinate { /* values along one dimension; a zip or sample dimension has several */
    char *name, *units;   /* units: "" for text */
    uint32_t dimension, length;
    double *number; /* SI; NULL for text */
    char **text;
};

struct table_metric {
    double *mean;                /* one value a grid point; NaN where there is none */
    double *sd, *half_width, *n; /* the same; NULL for a model, which has only the prediction */
    char *units;
};

struct store_table {
    struct h5 *h5;
    uint32_t ndimensions, ncoordinates;
    uint32_t *lengths; /* of the dimensions, the last fastest */
    struct table_coordinate *coordinates;
    uint64_t npoints;                            /* of the whole grid, left-out ones included */
    char **reasons;                              /* stop_reason of each; "" = left out */
    char *title, *version, *commit, *start_time; /* of the root attributes */
    uint64_t seed, points, replications;
    double cpu_s, confidence;
};

int store_open(struct store_table **out, const char *path, struct error *err);
void store_close(struct store_table *table);
/* Reads /NAME and its _sd, _ci, _n. An unknown name is EXIT_BAD_INPUT and names those that are there. */
int store_read_metric(const struct store_table *table, const char *name, struct table_metric *out, struct error *err);
void store_metric_free(struct table_metric *metric);

/* Prints the table of `tcpsweep show` (metric NULL: an overview and goodput; by: the axis that goes over the columns,
 * or NULL; csv: SI values). */
int show_table(const char *path, const char *metric, const char *by, bool csv, FILE *out, struct error *err);

#endif
