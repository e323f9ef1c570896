/* store.c - writes OUT.h5: plans every point first, then streams the grid block by block and the replications row by
 * row, into OUT.h5.tmp that is renamed when it is whole. */
#include "store.h"
#include "../analysis/models/models.h"
#include "build.h"
#include "store_grid.h"
#include "store_info.h"
#include "store_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODELS_MAX = 64 };

struct model_array {
    const struct model *model;
    hid_t dataset;
    double *values; /* of a block */
};

struct writer {
    struct h5 h5;
    const struct sweep *sweep;
    struct store_plan plan;
    struct grid grid;
    struct grid_scales scales, flow_scales;
    struct grid_statistics all, flow;
    struct store_rows rows;
    bool with_flows, with_rows;
    hid_t flow_group, reasons;
    struct model_array models[MODELS_MAX];
    uint32_t nmodels;
    struct gathered gathered;
    double *scratch; /* one metric of one point */
    uint32_t scratch_size;
    const char **block_reasons;
};

static int out_of_memory(struct error *err)
{
    return error_set(err, EXIT_ENVIRONMENT, "out of memory for the output");
}

/* --- what a file holds beside arrays ----------------------------------------------------------------------------- */

static void write_texts(struct writer *w, const struct provenance *prov, const char *sets, const char *history)
{
    char source[256];
    snprintf(source, sizeof source, "tcpsweep %s (%s)", build_info.version, build_info.commit);
    const struct {
        const char *name, *text;
    } texts[] = {
        {"Conventions", "CF-1.8"},
        {"title", sweep_title(w->sweep)},
        {"history", history},
        {"source", source},
        {"name", sweep_name(w->sweep)},
        {"sweep", sweep_text(w->sweep)},
        {"set", sets},
        {"version", build_info.version},
        {"commit", build_info.commit},
        {"compiler", build_info.compiler},
        {"build_flags", build_info.flags},
        {"command_line", prov->command_line},
        {"start_time", prov->start_time},
        {"end_time", prov->end_time},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        h5_attr_text(&w->h5, w->h5.file, texts[i].name, texts[i].text ? texts[i].text : "");
}

static void write_numbers(struct writer *w, const struct provenance *prov)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"seed", sweep_seed(w->sweep)},
        {"hosts", prov->nhosts},
        {"ranks", prov->nranks},
        {"threads", prov->nthreads},
        {"points", w->plan.outcome.points},
        {"replications_used", w->plan.outcome.replications},
        {"replications_failed", w->plan.outcome.failed},
        {"points_incomplete", w->plan.outcome.missing_points},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        h5_attr_u64(&w->h5, w->h5.file, numbers[i].name, numbers[i].value);
    h5_attr_f64(&w->h5, w->h5.file, "cpu_seconds", prov->cpu_s);
    h5_attr_f64(&w->h5, w->h5.file, "confidence", sweep_replications(w->sweep)->confidence);
}

static int write_provenance(struct writer *w, const char *output, const struct provenance *prov, struct error *err)
{
    char *sets = store_info_sets(prov), *history = store_info_history(output, prov);
    const bool good = sets && history;
    if (good) {
        write_texts(w, prov, sets, history);
        write_numbers(w, prov);
    }
    free(sets);
    free(history);
    return good ? 0 : out_of_memory(err);
}

static bool model_asked_for(const struct sweep *sweep, const char *name)
{
    uint32_t n = 0;
    const char *const *names = sweep_models(sweep, &n);
    for (uint32_t i = 0; names && i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return !names;
}

static int open_models(struct writer *w, struct error *err)
{
    for (const struct model *const *model = model_table; *model && w->nmodels < MODELS_MAX; model++) {
        if (!model_asked_for(w->sweep, (*model)->name))
            continue;
        struct model_array *array = &w->models[w->nmodels++];
        char name[96];
        snprintf(name, sizeof name, "model_%s", (*model)->name);
        array->model = *model;
        array->dataset = grid_array(&w->h5, &w->grid, &w->scales, name, H5T_IEEE_F64LE, "bit s-1", (*model)->help);
        h5_attr_text(&w->h5, array->dataset, "source", (*model)->source);
        array->values = malloc(w->grid.block_points * sizeof *array->values);
        if (!array->values)
            return out_of_memory(err);
    }
    return 0;
}

static void open_reasons(struct writer *w)
{
    const hid_t type = h5_text_type();
    w->reasons = grid_array(&w->h5, &w->grid, &w->scales, "stop_reason", type, NULL,
                            "why the point has no more replications; empty where it was left out");
    H5Tclose(type);
}

static int open_flows(struct writer *w, struct error *err)
{
    w->flow_group = h5_group(&w->h5, "flow");
    if (grid_scales_write(&w->flow_scales, &w->h5, w->flow_group, &w->grid, w->plan.flow_names, w->plan.nflows, err))
        return -1;
    return grid_statistics_open(&w->flow, &w->h5, &w->grid, &w->flow_scales, w->plan.nflows, true, err);
}

/* How the arrays and rows are cut, and what there is. */
static int lay_out(struct writer *w, struct error *err)
{
    w->with_flows = w->plan.flows_most > 1;
    w->with_rows = sweep_keep_replications(w->sweep);
    return grid_start(&w->grid, w->sweep, w->with_flows ? w->plan.nflows : 1, err);
}

static uint64_t most_chunks(const struct writer *w)
{
    const uint64_t grid = w->plan.npoints / w->grid.block_points + 1;
    const uint64_t rows = sweep_compress(w->sweep) ? w->plan.outcome.replications / ROWS_BATCH + 1 : 1;
    return grid > rows ? grid : rows;
}

static int open_all(struct writer *w, struct error *err)
{
    if (grid_scales_write(&w->scales, &w->h5, w->h5.file, &w->grid, NULL, 0, err) ||
        grid_statistics_open(&w->all, &w->h5, &w->grid, &w->scales, 1, false, err))
        return -1;
    open_reasons(w);
    w->block_reasons = malloc(w->grid.block_points * sizeof *w->block_reasons);
    if (!w->block_reasons)
        return out_of_memory(err);
    if (open_models(w, err) || (w->with_flows && open_flows(w, err)))
        return -1;
    return w->with_rows ? store_rows_open(&w->rows, &w->h5, w->plan.outcome.replications, sweep_compress(w->sweep), err)
                        : 0;
}

static void close_all(struct writer *w)
{
    if (w->with_rows && w->rows.buffer)
        store_rows_close(&w->rows, &w->h5);
    grid_statistics_close(&w->all);
    grid_statistics_close(&w->flow);
    grid_scales_close(&w->scales);
    grid_scales_close(&w->flow_scales);
    for (uint32_t i = 0; i < w->nmodels; i++) {
        h5_close_dataset(w->models[i].dataset);
        free(w->models[i].values);
    }
    if (w->reasons > 0)
        h5_close_dataset(w->reasons);
    if (w->flow_group > 0)
        H5Gclose(w->flow_group);
    free(w->block_reasons);
    free(w->scratch);
    gathered_free(&w->gathered);
}

/* --- points ------------------------------------------------------------------------------------------------------ */

/* Statistics of one column of the values: a metric of all flows together, or of one. */
static struct summary summarise_column(struct writer *w, uint32_t column, bool deterministic)
{
    for (uint32_t r = 0; r < w->gathered.n; r++) {
        const struct record *record = &w->gathered.records[r];
        w->scratch[r] = record->status == SIM_OK ? record->values[column] : NAN;
    }
    struct summary s = summarise(w->scratch, w->gathered.n, sweep_replications(w->sweep)->confidence);
    if (deterministic && s.n > 0)
        s.sd = s.half_width = 0;
    return s;
}

static void put_flows(struct writer *w, const struct scenario *sc, uint64_t at, bool deterministic)
{
    uint32_t next = 0;
    for (uint32_t f = 0; f < sc->nflows; f++) {
        const uint32_t column = store_plan_flow(&w->plan, sc->flows[f].name, next);
        next = column + 1;
        for (int m = 0; m < METRIC_COUNT; m++) {
            if (metric_table[m].scope != SCOPE_FLOW)
                continue;
            const uint32_t row = sc->nflows > 1 ? 1 + f : 0; /* a single flow's values are those of all */
            const struct summary s = summarise_column(w, row * METRIC_COUNT + (uint32_t)m, deterministic);
            grid_statistics_put(&w->flow, (enum metric)m, at * w->plan.nflows + column, &s);
        }
    }
}

static void put_models(struct writer *w, const struct scenario *sc, uint64_t at)
{
    struct model_input input;
    const bool applies = model_input_from_scenario(sc, &input) == 0;
    for (uint32_t i = 0; i < w->nmodels; i++)
        w->models[i].values[at] = applies ? w->models[i].model->goodput_bps(&input) : NAN;
}

static int check_flows(const struct writer *w, const struct scenario *sc, struct error *err)
{
    const uint32_t expected = sc->nflows > 1 ? sc->nflows : 0;
    for (uint32_t r = 0; r < w->gathered.n; r++)
        if (w->gathered.records[r].nflows != expected)
            return error_set(err, EXIT_BAD_INPUT, "the journals hold %u flows where the scenario has %u",
                             w->gathered.records[r].nflows, expected);
    return 0;
}

static int reserve_scratch(struct writer *w, struct error *err)
{
    if (w->gathered.n <= w->scratch_size)
        return 0;
    double *scratch = realloc(w->scratch, w->gathered.n * sizeof *scratch);
    if (!scratch)
        return out_of_memory(err);
    w->scratch = scratch;
    w->scratch_size = w->gathered.n;
    return 0;
}

/* Puts one point into the block at place `at`. */
static int put_point(struct writer *w, uint64_t point, uint64_t at, struct error *err)
{
    if (store_plan_gather(&w->plan, point, &w->gathered, err) || reserve_scratch(w, err))
        return -1;
    struct scenario *sc = sweep_scenario(w->sweep, point, err);
    if (!sc || check_flows(w, sc, err)) {
        free(sc);
        return -1;
    }
    const bool deterministic = w->plan.points[point].reason == STOP_DETERMINISTIC;
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct summary s = summarise_column(w, (uint32_t)m, deterministic);
        grid_statistics_put(&w->all, (enum metric)m, at, &s);
    }
    if (w->with_flows)
        put_flows(w, sc, at, deterministic);
    put_models(w, sc, at);
    free(sc);
    for (uint32_t r = 0; r < w->gathered.n; r++) {
        w->plan.outcome.failed += w->gathered.records[r].status != SIM_OK;
        if (w->with_rows)
            store_rows_add(&w->rows, &w->h5, point, &w->gathered.records[r]);
    }
    return 0;
}

static int fill_block(struct writer *w, const struct grid_block *block, struct error *err)
{
    grid_statistics_clear(&w->all);
    if (w->with_flows)
        grid_statistics_clear(&w->flow);
    for (uint64_t at = 0; at < block->npoints; at++) {
        const uint64_t point = block->first + at;
        for (uint32_t i = 0; i < w->nmodels; i++)
            w->models[i].values[at] = NAN;
        w->block_reasons[at] = stop_reason_text[w->plan.points[point].reason];
        if (w->plan.points[point].reason != STOP_NONE && put_point(w, point, at, err))
            return -1;
    }
    return 0;
}

static void write_block(struct writer *w, const struct grid_block *block)
{
    struct h5 *h = &w->h5;
    grid_statistics_write(&w->all, h, &w->grid, block);
    if (w->with_flows)
        grid_statistics_write(&w->flow, h, &w->grid, block);
    for (uint32_t i = 0; i < w->nmodels; i++)
        h5_write(h, w->models[i].dataset, H5T_NATIVE_DOUBLE, w->grid.rank, block->start, block->count,
                 w->models[i].values);
    const hid_t type = h5_text_type();
    h5_write(h, w->reasons, type, w->grid.rank, block->start, block->count, w->block_reasons);
    H5Tclose(type);
}

static int write_points(struct writer *w, struct error *err)
{
    uint64_t point = 0;
    while (point < w->plan.npoints && !w->h5.failed) {
        const struct grid_block block = grid_block_at(&w->grid, point);
        if (fill_block(w, &block, err))
            return -1;
        write_block(w, &block);
        point += block.npoints;
    }
    return 0;
}

/* --- the file ---------------------------------------------------------------------------------------------------- */

static int sync_path(const char *path, int flags, struct error *err)
{
    const int fd = open(path, flags | O_CLOEXEC);
    const bool failed = fd < 0 || (fsync(fd) != 0 && errno != EINVAL);
    const int reason = errno;
    if (fd >= 0)
        close(fd);
    return failed ? error_set(err, EXIT_ENVIRONMENT, "%s: cannot sync: %s", path, strerror(reason)) : 0;
}

/* Makes the temporary file durable and gives it its name. */
static int publish(const char *temporary, const char *output, struct error *err)
{
    if (sync_path(temporary, O_RDONLY, err))
        return -1;
    if (rename(temporary, output) != 0)
        return error_set(err, EXIT_ENVIRONMENT, "%s: cannot give %s this name: %s", output, temporary, strerror(errno));
    char *copy = strdup(output);
    if (!copy)
        return out_of_memory(err);
    const int failed = sync_path(dirname(copy), O_RDONLY | O_DIRECTORY, err);
    free(copy);
    return failed;
}

static int write_file(struct writer *w, const char *output, const char *temporary, const struct provenance *prov,
                      struct error *err)
{
    int failed = lay_out(w, err);
    if (failed)
        return failed;
    if (h5_create(&w->h5, temporary, most_chunks(w))) {
        failed = open_all(w, err) || write_points(w, err) || write_provenance(w, output, prov, err);
        close_all(w);
    }
    if (!h5_close(&w->h5) && !failed)
        failed = error_set(err, EXIT_ENVIRONMENT, "%s: cannot write: %s", temporary, w->h5.why);
    return failed;
}

int store_write(const char *output, const struct sweep *sweep, const struct journal_set *set,
                const struct provenance *prov, bool partial, struct store_outcome *outcome, struct error *err)
{
    const size_t bytes = strlen(output) + sizeof ".tmp";
    char *temporary = malloc(bytes);
    struct writer *w = calloc(1, sizeof *w);
    int failed = temporary && w ? 0 : out_of_memory(err);
    if (!failed) {
        snprintf(temporary, bytes, "%s.tmp", output);
        w->sweep = sweep;
        failed = store_plan_make(&w->plan, sweep, set, partial, err);
    }
    if (!failed) {
        failed = write_file(w, output, temporary, prov, err) || publish(temporary, output, err);
        if (failed)
            unlink(temporary);
        *outcome = w->plan.outcome;
        store_plan_free(&w->plan);
    }
    free(w);
    free(temporary);
    return failed ? -1 : 0;
}
