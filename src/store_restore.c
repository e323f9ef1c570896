/* store_restore.c - /replications back into records. The sweep that OUT.h5 was made from is in its attributes; it says
 * which scenario each row is of. */
#define _GNU_SOURCE /* asprintf */
#include "store_restore.h"
#include "build.h"
#include "store_hdf5.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4096 };

struct block { /* some rows of /replications */
    uint64_t point[BLOCK];
    uint32_t replication[BLOCK], status[BLOCK];
    double metric[METRIC_COUNT][BLOCK];
};

struct restore {
    struct h5 h5;
    const char *output;
    struct journal *journal;
    struct sweep *sweep; /* as it was run */
    struct block *block;
    uint64_t hashed; /* the point that `hash` is of */
    struct hash128 hash;
};

/* --- the sweep as it was run ------------------------------------------------------------------------------------- */

/* Refuses what another seed or program has made: its numbers do not go with ours. */
static int check_origin(const struct restore *r, uint64_t seed, struct error *err)
{
    int failed = 0;
    char *version = h5_read_attr_text(r->h5.file, "version"), *commit = h5_read_attr_text(r->h5.file, "commit");
    uint64_t its_seed = h5_read_attr_u64(r->h5.file, "seed");
    if (!version || !commit || strcmp(version, build_info.version) != 0 || strcmp(commit, build_info.commit) != 0)
        failed =
            error_set(err, EXIT_BAD_INPUT,
                      "%s: made by tcpsweep %s (%s), this is %s (%s): go on with that one, or start afresh with "
                      "--force",
                      r->output, version ? version : "?", commit ? commit : "?", build_info.version, build_info.commit);
    else if (its_seed != seed)
        failed = error_set(err, EXIT_BAD_INPUT,
                           "%s: made with seed %" PRIu64 ", expected %" PRIu64 ": give that seed, or start afresh with "
                           "--force",
                           r->output, its_seed, seed);
    free(version);
    free(commit);
    return failed;
}

/* sweep_load wants a file: it gets one in the journal folder for the moment. */
static int load_text(struct restore *r, const char *text, const struct override *sets, uint32_t nsets,
                     struct error *err)
{
    char path[4096];
    journal_path(path, sizeof path, r->output, "restore-XXXXXX");
    const int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file)
        return error_set(err, EXIT_ENVIRONMENT, "%s: cannot write", path);
    bool written = fputs(text, file) >= 0;
    written = fclose(file) == 0 && written;
    int failed = written ? sweep_load(&r->sweep, path, sets, nsets, err)
                         : error_set(err, EXIT_ENVIRONMENT, "%s: cannot write", path);
    unlink(path);
    return failed;
}

static int load_sweep(struct restore *r, struct error *err)
{
    char *text = h5_read_attr_text(r->h5.file, "sweep"), *lines = h5_read_attr_text(r->h5.file, "set");
    uint32_t nsets = 0;
    struct override *sets = lines ? calloc(strlen(lines) + 1, sizeof *sets) : NULL;
    int failed = text && sets ? 0 : error_set(err, EXIT_BAD_INPUT, "%s: does not say what sweep it is of", r->output);
    for (char *save, *line = failed ? NULL : strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        sets[nsets++].text = line;
    failed = failed || load_text(r, text, sets, nsets, err);
    if (!failed)
        sweep_set_seed(r->sweep, h5_read_attr_u64(r->h5.file, "seed"));
    free(sets);
    free(lines);
    free(text);
    return failed ? -1 : 0;
}

/* --- rows -------------------------------------------------------------------------------------------------------- */

static void read_column(struct restore *r, const char *name, hid_t type, hsize_t start, hsize_t count, void *values)
{
    char path[128];
    snprintf(path, sizeof path, "replications/%s", name);
    const hid_t dataset = r->h5.failed ? -1 : h5_check(&r->h5, H5Dopen2(r->h5.file, path, H5P_DEFAULT));
    if (dataset < 0)
        return;
    const hid_t file = H5Dget_space(dataset), memory = H5Screate_simple(1, &count, NULL);
    h5_check(&r->h5, H5Sselect_hyperslab(file, H5S_SELECT_SET, &start, NULL, &count, NULL));
    h5_check(&r->h5, H5Dread(dataset, type, memory, file, H5P_DEFAULT, values));
    H5Sclose(memory);
    H5Sclose(file);
    H5Dclose(dataset);
}

static int append_row(struct restore *r, uint32_t row, struct error *err)
{
    double values[METRIC_COUNT];
    const struct block *block = r->block;
    if (block->point[row] >= sweep_npoints(r->sweep))
        return error_set(err, EXIT_BAD_INPUT, "%s: /replications has a point that its sweep does not have", r->output);
    if (block->point[row] != r->hashed) {
        r->hashed = block->point[row];
        r->hash = sweep_point_hash(r->sweep, r->hashed);
    }
    for (int m = 0; m < METRIC_COUNT; m++)
        values[m] = block->metric[m][row];
    return journal_append(r->journal,
                          &(struct record){.scenario = r->hash,
                                           .replication = block->replication[row],
                                           .status = block->status[row],
                                           .values = values},
                          err);
}

static int append_rows(struct restore *r, uint64_t *restored, struct error *err)
{
    const hid_t column = h5_check(&r->h5, H5Dopen2(r->h5.file, "replications/point", H5P_DEFAULT));
    const uint64_t rows = column < 0 ? 0 : h5_npoints(column);
    h5_close_dataset(column);
    for (uint64_t start = 0; start < rows && !r->h5.failed; start += BLOCK) {
        const uint32_t n = (uint32_t)(rows - start < BLOCK ? rows - start : BLOCK);
        read_column(r, "point", H5T_NATIVE_UINT64, start, n, r->block->point);
        read_column(r, "replication", H5T_NATIVE_UINT32, start, n, r->block->replication);
        read_column(r, "status", H5T_NATIVE_UINT32, start, n, r->block->status);
        for (int m = 0; m < METRIC_COUNT; m++)
            read_column(r, metric_table[m].name, H5T_NATIVE_DOUBLE, start, n, r->block->metric[m]);
        for (uint32_t row = 0; row < n && !r->h5.failed; row++)
            if (append_row(r, row, err))
                return -1;
        *restored += n;
    }
    if (r->h5.failed)
        return error_set(err, EXIT_ENVIRONMENT, "%s: cannot read: %s", r->output, r->h5.why);
    return journal_sync(r->journal, err);
}

static int restore(struct restore *r, uint64_t seed, uint64_t *restored, struct error *err)
{
    if (!h5_open(&r->h5, r->output))
        return error_set(err, EXIT_BAD_INPUT, "%s: not an output of tcpsweep: %s", r->output, r->h5.why);
    if (check_origin(r, seed, err))
        return -1;
    if (H5Lexists(r->h5.file, "replications", H5P_DEFAULT) <= 0 || H5Lexists(r->h5.file, "flow", H5P_DEFAULT) > 0)
        return 0;
    return load_sweep(r, err) || append_rows(r, restored, err) ? -1 : 0;
}

int store_restore(const char *output, uint64_t seed, struct journal *journal, uint64_t *restored, struct error *err)
{
    struct restore r = {.output = output, .journal = journal, .hashed = UINT64_MAX, .block = malloc(sizeof *r.block)};
    r.h5.file = -1;
    *restored = 0;
    int failed = r.block ? restore(&r, seed, restored, err) : error_set(err, EXIT_ENVIRONMENT, "out of memory");
    if (r.h5.file >= 0)
        h5_close(&r.h5);
    if (r.sweep)
        sweep_free(r.sweep);
    free(r.block);
    return failed;
}
