/* store_rows.h - /replications: the long form, one row a replication. */
#ifndef SRC_STORE_ROWS_H
#define SRC_STORE_ROWS_H

#include "store_hdf5.h"
#include "store_plan.h"

enum { ROWS_BATCH = 8192 }; /* rows held in memory, and in a chunk when compressed */

struct store_rows {
    hid_t group, scale, point, replication, status, metric[METRIC_COUNT];
    uint64_t written;
    uint32_t used;
    struct rows_buffer *buffer;
};

int store_rows_open(struct store_rows *rows, struct h5 *h, uint64_t total, bool compressed, struct error *err);
void store_rows_add(struct store_rows *rows, struct h5 *h, uint64_t point, const struct record *record);
void store_rows_close(struct store_rows *rows, struct h5 *h);

#endif
