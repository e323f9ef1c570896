/* store_rows.c - the columns of /replications, filled in batches. */
#include "store_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct rows_buffer {
    uint64_t point[ROWS_BATCH];
    uint32_t replication[ROWS_BATCH];
    uint8_t status[ROWS_BATCH];
    double metric[METRIC_COUNT][ROWS_BATCH];
};

static hid_t open_column(struct store_rows *rows, struct h5 *h, const char *name, hid_t type,
                         const struct h5_shape *shape, const char *units, const char *long_name)
{
    const hid_t column = h5_dataset(h, rows->group, name, type, shape);
    h5_attach(h, column, rows->scale, 0);
    if (units)
        h5_attr_text(h, column, "units", units);
    h5_attr_text(h, column, "long_name", long_name);
    return column;
}

int store_rows_open(struct store_rows *rows, struct h5 *h, uint64_t total, bool compressed, struct error *err)
{
    *rows = (struct store_rows){.buffer = malloc(sizeof *rows->buffer)};
    if (!rows->buffer)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory for the output");
    /* without compression in one piece: the number of rows is known */
    struct h5_shape shape = {.rank = 1, .dims = {total}, .chunk = {total < ROWS_BATCH ? total : ROWS_BATCH}};
    shape.chunked = shape.compressed = compressed && total > 0;
    rows->group = h5_group(h, "replications");
    rows->scale = h5_bare_scale(h, rows->group, "row", total);
    rows->point = open_column(rows, h, "point", H5T_STD_U64LE, &shape, "1",
                              "number of the grid point, row-major in the order of the dimensions");
    rows->replication = open_column(rows, h, "replication", H5T_STD_U32LE, &shape, "1", "number of the replication");
    rows->status = open_column(rows, h, "status", H5T_STD_U8LE, &shape, NULL, "how it ended");
    char meaning[256];
    snprintf(meaning, sizeof meaning, "%d: %s, %d: %s, %d: %s", SIM_OK, sim_status_text(SIM_OK), SIM_LIMIT,
             sim_status_text(SIM_LIMIT), SIM_BROKEN, sim_status_text(SIM_BROKEN));
    h5_attr_text(h, rows->status, "meaning", meaning);
    for (int m = 0; m < METRIC_COUNT; m++)
        rows->metric[m] = open_column(rows, h, metric_table[m].name, H5T_IEEE_F64LE, &shape, metric_table[m].unit,
                                      metric_table[m].help);
    return 0;
}

static void flush_rows(struct store_rows *rows, struct h5 *h)
{
    const hsize_t start = rows->written, count = rows->used;
    if (count == 0)
        return;
    h5_write(h, rows->point, H5T_NATIVE_UINT64, 1, &start, &count, rows->buffer->point);
    h5_write(h, rows->replication, H5T_NATIVE_UINT32, 1, &start, &count, rows->buffer->replication);
    h5_write(h, rows->status, H5T_NATIVE_UINT8, 1, &start, &count, rows->buffer->status);
    for (int m = 0; m < METRIC_COUNT; m++)
        h5_write(h, rows->metric[m], H5T_NATIVE_DOUBLE, 1, &start, &count, rows->buffer->metric[m]);
    rows->written += rows->used;
    rows->used = 0;
}

void store_rows_add(struct store_rows *rows, struct h5 *h, uint64_t point, const struct record *record)
{
    const uint32_t i = rows->used++;
    rows->buffer->point[i] = point;
    rows->buffer->replication[i] = record->replication;
    rows->buffer->status[i] = (uint8_t)record->status;
    for (int m = 0; m < METRIC_COUNT; m++)
        rows->buffer->metric[m][i] = record->status == SIM_OK ? record->values[m] : NAN;
    if (rows->used == ROWS_BATCH)
        flush_rows(rows, h);
}

void store_rows_close(struct store_rows *rows, struct h5 *h)
{
    flush_rows(rows, h);
    h5_close_dataset(rows->scale);
    h5_close_dataset(rows->point);
    h5_close_dataset(rows->replication);
    h5_close_dataset(rows->status);
    for (int m = 0; m < METRIC_COUNT; m++)
        h5_close_dataset(rows->metric[m]);
    if (rows->group >= 0)
        H5Gclose(rows->group);
    free(rows->buffer);
}
