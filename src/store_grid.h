/* store_grid.h - the gridded part of the file: dimension scales, and the arrays over [axes...] and [axes..., flow],
 * written block by block so that memory stays bounded. */
#ifndef SRC_STORE_GRID_H
#define SRC_STORE_GRID_H

#include "store_hdf5.h"
#include "store_plan.h"

/* A run of consecutive points that is also a rectangle of the grid, and one chunk of every array. */
struct grid_block {
    hsize_t start[H5_RANK_MAX], count[H5_RANK_MAX];
    uint64_t first, npoints;
};

struct grid {
    const struct sweep *sweep;
    int rank;
    hsize_t dims[H5_RANK_MAX], chunk[H5_RANK_MAX];
    uint64_t block_points; /* of the largest block */
};

/* `width`: values of each array a point, for the size of a block. */
int grid_start(struct grid *grid, const struct sweep *sweep, uint64_t width, struct error *err);
struct grid_block grid_block_at(const struct grid *grid, uint64_t first_point);

/* Scales of one group, and what every array there has in common. */
struct grid_scales {
    hid_t where; /* the file or a group */
    hid_t scale[H5_RANK_MAX + 1];
    int rank;
    char *auxiliary; /* CF `coordinates`: names of the coordinates that are not scales, or NULL */
};

/* Writes scales and auxiliary coordinates; `flows`: names of a further dimension `flow`, or NULL. */
int grid_scales_write(struct grid_scales *scales, struct h5 *h, hid_t where, const struct grid *grid,
                      char (*flows)[NAME_BYTES], uint32_t nflows, struct error *err);
void grid_scales_close(struct grid_scales *scales);

/* An array over the grid (and flows), with its attributes. */
hid_t grid_array(struct h5 *h, const struct grid *grid, const struct grid_scales *scales, const char *name, hid_t type,
                 const char *units, const char *long_name);

/* Mean, sd, half-width and n of every metric over [axes..., width columns]. */
struct grid_statistics {
    hid_t mean[METRIC_COUNT], sd[METRIC_COUNT], half_width[METRIC_COUNT], n[METRIC_COUNT];
    double *values;    /* 3 arrays of [METRIC_COUNT][capacity] */
    uint32_t *counts;  /* [METRIC_COUNT][capacity] */
    uint64_t capacity; /* points of a block x width */
    uint32_t width;
    bool flows; /* values of single flows: the metrics of the whole network are left out */
};

int grid_statistics_open(struct grid_statistics *s, struct h5 *h, const struct grid *grid,
                         const struct grid_scales *scales, uint32_t width, bool flows, struct error *err);
void grid_statistics_clear(struct grid_statistics *s);
void grid_statistics_put(struct grid_statistics *s, enum metric metric, uint64_t at, const struct summary *summary);
void grid_statistics_write(struct grid_statistics *s, struct h5 *h, const struct grid *grid,
                           const struct grid_block *block);
void grid_statistics_close(struct grid_statistics *s);

#endif
