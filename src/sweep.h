/* sweep.h - a sweep file, its axes and grid, and the scenario at each grid point.
 *
 *   YAML + --set  ->  struct sweep  ->  point 0 .. npoints-1  ->  struct scenario (kernels/scenario.h) and its hash
 *
 * Points are numbered in row-major order of the axes (the last axis fastest), zip dimensions and the sample dimension
 * included, in the order in which the file names them.
 */
#ifndef SRC_SWEEP_H
#define SRC_SWEEP_H

#include "../kernels/scenario.h"
#include "../kernels/sim.h"
#include "error.h"

struct sweep;

struct hash128 {
    uint64_t hi, lo;
};

/* One coordinate: a value of one key along one dimension. A zip or sample dimension has several coordinates. */
struct coordinate {
    const char *name;  /* short HDF5 name: last part of the key where unique, else the whole key with `_` for `.` */
    const char *key;   /* full key, `path.backbone.ber` */
    const char *units; /* UDUNITS, "1" for pure numbers, "" for text */
    bool is_text;
    uint32_t dimension;      /* index in dimensions */
    const double *number;    /* SI values, when not is_text */
    const char *const *text; /* the values as text: names, or the number in human units */
};

struct dimension {
    const char *name; /* the axis coordinate's name, a zip's `as`, or `sample` */
    uint32_t length;
};

struct replication_rule {
    uint32_t min, max;   /* equal: a fixed number */
    enum metric metric;  /* of the stopping rule */
    double half_width;   /* relative */
    double confidence;   /* 0.95 */
    uint32_t min_events; /* least total of a counting metric over all replications, 0 = none */
};

struct override {
    const char *text; /* KEY=V[,V...] of --set */
};

/* Reads and checks the file. On failure returns -1 with one line in *err and nothing allocated. */
int sweep_load(struct sweep **out, const char *path, const struct override *sets, uint32_t nsets, struct error *err);
/* The same from a text in memory; messages call it `name`. */
int sweep_load_text(struct sweep **out, const char *name, const char *text, struct error *err);
void sweep_free(struct sweep *sweep);

const char *sweep_text(const struct sweep *sweep); /* the file's full text */
const char *sweep_name(const struct sweep *sweep); /* `name:` or the file's base name */
const char *sweep_title(const struct sweep *sweep);
uint64_t sweep_seed(const struct sweep *sweep);
void sweep_set_seed(struct sweep *sweep, uint64_t seed); /* --seed */
const struct replication_rule *sweep_replications(const struct sweep *sweep);
void sweep_set_replications(struct sweep *sweep, uint32_t n); /* --replications: a fixed number */
bool sweep_keep_replications(const struct sweep *sweep);      /* `keep: replications` (default) | `points` */
bool sweep_keep_journal(const struct sweep *sweep);
bool sweep_compress(const struct sweep *sweep);
const char *const *sweep_models(const struct sweep *sweep, uint32_t *n); /* `models: [..]`; NULL: not said, all */

uint32_t sweep_ndimensions(const struct sweep *sweep);
const struct dimension *sweep_dimensions(const struct sweep *sweep);
uint32_t sweep_ncoordinates(const struct sweep *sweep);
const struct coordinate *sweep_coordinates(const struct sweep *sweep);

uint64_t sweep_npoints(const struct sweep *sweep);
bool sweep_point_selected(const struct sweep *sweep, uint64_t point); /* false: `where:` leaves it out */

/* The scenario at a point, built in one allocation that the caller frees with free(); its schedules and drop lists stay
 * the sweep's, so the sweep must outlive it. NULL with *err if values do not go together: scenario_check() is part of
 * it. Thread-safe. */
struct scenario *sweep_scenario(const struct sweep *sweep, uint64_t point, struct error *err);

/* XXH3-128 of the resolved scenario's canonical text; the same for the same physics, whatever the axes around it.
 * Thread-safe. */
struct hash128 sweep_point_hash(const struct sweep *sweep, uint64_t point);

/* Key of the random streams: from seed, replication and the hash (without `tcp.*` and listed keys under
 * common_random_numbers). */
struct sim_key sweep_random_key(const struct sweep *sweep, uint64_t point, uint32_t replication);
/* The same in two steps, for many replications of a point: the hash costs some microseconds. */
struct hash128 sweep_random_hash(const struct sweep *sweep, uint64_t point);
struct sim_key sweep_key(const struct sweep *sweep, struct hash128 random_hash, uint32_t replication);

/* `axis=value axis=value` of a point, for messages. */
void sweep_point_label(const struct sweep *sweep, uint64_t point, char *text, size_t size);

#endif
