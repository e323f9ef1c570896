/* store_grid.c - scales and gridded arrays. */
#define _GNU_SOURCE /* asprintf */
#include "store_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_VALUES = 16384 }; /* of one array: 128 KiB a chunk, 15 MB for all arrays */

/* --- blocks ------------------------------------------------------------------------------------------------------ */

int grid_start(struct grid *grid, const struct sweep *sweep, uint64_t width, struct error *err)
{
    *grid = (struct grid){.sweep = sweep, .rank = (int)sweep_ndimensions(sweep), .block_points = 1};
    if (grid->rank >= H5_RANK_MAX)
        return error_set(err, EXIT_BAD_INPUT, "axes: %d are more than HDF5 can hold, expected at most %d", grid->rank,
                         H5_RANK_MAX - 1);
    const uint64_t limit = width < BLOCK_VALUES ? BLOCK_VALUES / width : 1;
    bool full = false;
    for (int d = grid->rank - 1; d >= 0; d--) {
        grid->dims[d] = sweep_dimensions(sweep)[d].length;
        uint64_t take = full ? 1 : limit / grid->block_points;
        take = take > grid->dims[d] ? grid->dims[d] : take > 0 ? take : 1;
        grid->chunk[d] = take;
        grid->block_points *= take;
        full = full || take < grid->dims[d];
    }
    return 0;
}

struct grid_block grid_block_at(const struct grid *grid, uint64_t first_point)
{
    struct grid_block block = {.first = first_point, .npoints = 1};
    uint64_t rest = first_point;
    for (int d = grid->rank - 1; d >= 0; d--) {
        const uint64_t index = rest % grid->dims[d], left = grid->dims[d] - index;
        rest /= grid->dims[d];
        block.start[d] = index;
        block.count[d] = grid->chunk[d] < left ? grid->chunk[d] : left;
        block.npoints *= block.count[d];
    }
    return block;
}

/* --- scales ------------------------------------------------------------------------------------------------------ */

static void describe_coordinate(struct h5 *h, hid_t dataset, const struct coordinate *coordinate)
{
    if (!coordinate->is_text)
        h5_attr_text(h, dataset, "units", coordinate->units);
    h5_attr_text(h, dataset, "long_name", coordinate->key);
    h5_attr_text(h, dataset, "key", coordinate->key);
}

static const struct coordinate *scale_coordinate(const struct sweep *sweep, uint32_t dimension)
{
    const struct coordinate *all = sweep_coordinates(sweep);
    for (uint32_t c = 0; c < sweep_ncoordinates(sweep); c++)
        if (all[c].dimension == dimension && strcmp(all[c].name, sweep_dimensions(sweep)[dimension].name) == 0)
            return &all[c];
    return NULL;
}

/* The scale of a zip or sample dimension without a coordinate of its name counts 0, 1, ... */
static hid_t write_index_scale(struct h5 *h, hid_t where, const struct dimension *dimension)
{
    double *index = malloc(dimension->length * sizeof *index);
    if (!index) {
        h->failed = true;
        return -1;
    }
    for (uint32_t i = 0; i < dimension->length; i++)
        index[i] = i;
    const hid_t scale = h5_scale(h, where, dimension->name, dimension->length, index, NULL);
    free(index);
    h5_attr_text(h, scale, "units", "1");
    h5_attr_text(h, scale, "long_name", "number of the combination");
    return scale;
}

static hid_t write_scale(struct h5 *h, hid_t where, const struct sweep *sweep, uint32_t d)
{
    const struct dimension *dimension = &sweep_dimensions(sweep)[d];
    const struct coordinate *c = scale_coordinate(sweep, d);
    if (!c)
        return write_index_scale(h, where, dimension);
    const hid_t scale = h5_scale(h, where, c->name, dimension->length, c->number, c->is_text ? c->text : NULL);
    describe_coordinate(h, scale, c);
    return scale;
}

/* Coordinates that are not the scale of their dimension; their names go into `auxiliary`, separated by blanks. */
static int write_auxiliary(struct grid_scales *scales, struct h5 *h, const struct sweep *sweep, struct error *err)
{
    for (uint32_t i = 0; i < sweep_ncoordinates(sweep); i++) {
        const struct coordinate *c = &sweep_coordinates(sweep)[i];
        if (scale_coordinate(sweep, c->dimension) == c)
            continue;
        const hid_t dataset =
            h5_along(h, scales->where, c->name, scales->scale[c->dimension],
                     sweep_dimensions(sweep)[c->dimension].length, c->number, c->is_text ? c->text : NULL);
        describe_coordinate(h, dataset, c);
        h5_close_dataset(dataset);
        char *longer = NULL;
        if (asprintf(&longer, "%s%s%s", scales->auxiliary ? scales->auxiliary : "", scales->auxiliary ? " " : "",
                     c->name) < 0)
            return error_set(err, EXIT_ENVIRONMENT, "out of memory");
        free(scales->auxiliary);
        scales->auxiliary = longer;
    }
    return 0;
}

static int write_flow_scale(struct grid_scales *scales, struct h5 *h, char (*flows)[NAME_BYTES], uint32_t nflows,
                            struct error *err)
{
    const char **names = malloc(nflows * sizeof *names);
    if (!names)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory");
    for (uint32_t f = 0; f < nflows; f++)
        names[f] = flows[f];
    const hid_t scale = h5_scale(h, scales->where, "flow", nflows, NULL, names);
    h5_attr_text(h, scale, "long_name", "name of the flow");
    scales->scale[scales->rank++] = scale;
    free(names);
    return 0;
}

int grid_scales_write(struct grid_scales *scales, struct h5 *h, hid_t where, const struct grid *grid,
                      char (*flows)[NAME_BYTES], uint32_t nflows, struct error *err)
{
    *scales = (struct grid_scales){.where = where};
    for (; scales->rank < grid->rank; scales->rank++)
        scales->scale[scales->rank] = write_scale(h, where, grid->sweep, (uint32_t)scales->rank);
    if (write_auxiliary(scales, h, grid->sweep, err))
        return -1;
    return flows ? write_flow_scale(scales, h, flows, nflows, err) : 0;
}

void grid_scales_close(struct grid_scales *scales)
{
    for (int d = 0; d < scales->rank; d++)
        h5_close_dataset(scales->scale[d]);
    free(scales->auxiliary);
    *scales = (struct grid_scales){0};
}

/* --- arrays ------------------------------------------------------------------------------------------------------ */

hid_t grid_array(struct h5 *h, const struct grid *grid, const struct grid_scales *scales, const char *name, hid_t type,
                 const char *units, const char *long_name)
{
    if (h->failed)
        return -1;
    struct h5_shape shape = {.rank = scales->rank, .chunked = true};
    shape.compressed = H5Tget_class(type) != H5T_STRING; /* texts lie outside the chunks */
    for (int d = 0; d < scales->rank; d++) {
        shape.dims[d] = d < grid->rank ? grid->dims[d] : h5_npoints(scales->scale[d]);
        shape.chunk[d] = d < grid->rank ? grid->chunk[d] : shape.dims[d];
    }
    const hid_t dataset = h5_dataset(h, scales->where, name, type, &shape);
    for (int d = 0; d < scales->rank; d++)
        h5_attach(h, dataset, scales->scale[d], (unsigned)d);
    if (units)
        h5_attr_text(h, dataset, "units", units);
    h5_attr_text(h, dataset, "long_name", long_name);
    if (scales->auxiliary)
        h5_attr_text(h, dataset, "coordinates", scales->auxiliary);
    return dataset;
}

/* --- statistics -------------------------------------------------------------------------------------------------- */

static bool has_metric(const struct grid_statistics *s, int metric)
{
    return !s->flows || metric_table[metric].scope == SCOPE_FLOW;
}

static hid_t open_one(struct h5 *h, const struct grid *grid, const struct grid_scales *scales, int metric,
                      const char *suffix, hid_t type, const char *units, const char *words)
{
    char name[96], long_name[256];
    snprintf(name, sizeof name, "%s%s", metric_table[metric].name, suffix);
    snprintf(long_name, sizeof long_name, "%s%s", words, metric_table[metric].help);
    return grid_array(h, grid, scales, name, type, units, long_name);
}

int grid_statistics_open(struct grid_statistics *s, struct h5 *h, const struct grid *grid,
                         const struct grid_scales *scales, uint32_t width, bool flows, struct error *err)
{
    *s = (struct grid_statistics){.capacity = grid->block_points * width, .width = width, .flows = flows};
    s->values = malloc(3 * METRIC_COUNT * s->capacity * sizeof *s->values);
    s->counts = malloc(METRIC_COUNT * s->capacity * sizeof *s->counts);
    for (int m = 0; m < METRIC_COUNT; m++) {
        s->mean[m] = s->sd[m] = s->half_width[m] = s->n[m] = -1;
        if (!has_metric(s, m))
            continue;
        const char *units = metric_table[m].unit;
        s->mean[m] = open_one(h, grid, scales, m, "", H5T_IEEE_F64LE, units, "");
        s->sd[m] = open_one(h, grid, scales, m, "_sd", H5T_IEEE_F64LE, units, "standard deviation: ");
        s->half_width[m] = open_one(h, grid, scales, m, "_ci", H5T_IEEE_F64LE, units, "half-width of the mean: ");
        s->n[m] = open_one(h, grid, scales, m, "_n", H5T_STD_U32LE, "1", "replications that count: ");
    }
    return s->values && s->counts ? 0 : error_set(err, EXIT_ENVIRONMENT, "out of memory for the output");
}

void grid_statistics_clear(struct grid_statistics *s)
{
    for (uint64_t i = 0; i < 3 * METRIC_COUNT * s->capacity; i++)
        s->values[i] = NAN;
    memset(s->counts, 0, METRIC_COUNT * s->capacity * sizeof *s->counts);
}

static double *block_values(const struct grid_statistics *s, int which, int metric)
{
    return s->values + (uint64_t)(which * METRIC_COUNT + metric) * s->capacity;
}

void grid_statistics_put(struct grid_statistics *s, enum metric metric, uint64_t at, const struct summary *summary)
{
    block_values(s, 0, (int)metric)[at] = summary->mean;
    block_values(s, 1, (int)metric)[at] = summary->sd;
    block_values(s, 2, (int)metric)[at] = summary->half_width;
    s->counts[(uint64_t)metric * s->capacity + at] = (uint32_t)summary->n;
}

void grid_statistics_write(struct grid_statistics *s, struct h5 *h, const struct grid *grid,
                           const struct grid_block *block)
{
    hsize_t start[H5_RANK_MAX + 1] = {0}, count[H5_RANK_MAX + 1] = {0};
    memcpy(start, block->start, sizeof block->start);
    memcpy(count, block->count, sizeof block->count);
    const int rank = grid->rank + (s->flows ? 1 : 0);
    if (s->flows)
        count[grid->rank] = s->width;
    for (int m = 0; m < METRIC_COUNT; m++) {
        if (!has_metric(s, m))
            continue;
        h5_write(h, s->mean[m], H5T_NATIVE_DOUBLE, rank, start, count, block_values(s, 0, m));
        h5_write(h, s->sd[m], H5T_NATIVE_DOUBLE, rank, start, count, block_values(s, 1, m));
        h5_write(h, s->half_width[m], H5T_NATIVE_DOUBLE, rank, start, count, block_values(s, 2, m));
        h5_write(h, s->n[m], H5T_NATIVE_UINT32, rank, start, count, s->counts + (uint64_t)m * s->capacity);
    }
}

void grid_statistics_close(struct grid_statistics *s)
{
    for (int m = 0; s->capacity > 0 && m < METRIC_COUNT; m++) {
        h5_close_dataset(s->mean[m]);
        h5_close_dataset(s->sd[m]);
        h5_close_dataset(s->half_width[m]);
        h5_close_dataset(s->n[m]);
    }
    free(s->values);
    free(s->counts);
    *s = (struct grid_statistics){0};
}
