/* store_hdf5.h - the few HDF5 calls the store needs, with errors that stick: after the first failure the rest does
 * nothing and the caller asks once, at the end. Only src/store_*.c include this. */
#ifndef SRC_STORE_HDF5_H
#define SRC_STORE_HDF5_H

#include "error.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdbool.h>
#include <stdint.h>

enum { H5_RANK_MAX = 32 };

struct h5 {
    hid_t file;
    bool failed;
    char why[256]; /* HDF5's own words for the first failure */
};

/* Extent of a gridded dataset, and how it is cut into chunks; rank 0 is a scalar. */
struct h5_shape {
    int rank;
    hsize_t dims[H5_RANK_MAX], chunk[H5_RANK_MAX];
    bool chunked, compressed;
};

/* Each returns false and remembers why on failure. `chunks`: most chunks of any dataset, to size its index. */
bool h5_create(struct h5 *h, const char *path, uint64_t chunks);
bool h5_open(struct h5 *h, const char *path); /* for reading */
/* Closes; false if anything since h5_create or h5_open has failed. */
bool h5_close(struct h5 *h);
/* Notes a failure when `result` is negative, and hands it back. */
hid_t h5_check(struct h5 *h, hid_t result);

hid_t h5_group(struct h5 *h, const char *name);
hid_t h5_text_type(void); /* variable-length UTF-8; closed by the caller */

void h5_attr_text(struct h5 *h, hid_t object, const char *name, const char *text);
void h5_attr_u64(struct h5 *h, hid_t object, const char *name, uint64_t value);
void h5_attr_f64(struct h5 *h, hid_t object, const char *name, double value);

/* A dataset of file type `type`; fill value NaN for floating point. -1 on failure. */
hid_t h5_dataset(struct h5 *h, hid_t where, const char *name, hid_t type, const struct h5_shape *shape);
/* Writes a block of it from memory of the same shape. */
void h5_write(struct h5 *h, hid_t dataset, hid_t memory_type, int rank, const hsize_t *start, const hsize_t *count,
              const void *data);
void h5_close_dataset(hid_t dataset);

/* Dimension scales of `n` values. `text` or `number` holds them. */
hid_t h5_scale(struct h5 *h, hid_t where, const char *name, hsize_t n, const double *number, const char *const *text);
/* A scale that is only a length, as netCDF writes a dimension without a coordinate. */
hid_t h5_bare_scale(struct h5 *h, hid_t where, const char *name, hsize_t n);
/* A one-dimensional dataset of values along `scale`. */
hid_t h5_along(struct h5 *h, hid_t where, const char *name, hid_t scale, hsize_t n, const double *number,
               const char *const *text);
void h5_attach(struct h5 *h, hid_t dataset, hid_t scale, unsigned dimension);

/* Attribute as text in memory of the caller (free), NULL if it is not there or not text. */
char *h5_read_attr_text(hid_t object, const char *name);
/* Numeric attributes, NaN or 0 if not there. */
double h5_read_attr_f64(hid_t object, const char *name);
uint64_t h5_read_attr_u64(hid_t object, const char *name);
/* Values in a dataset. */
uint64_t h5_npoints(hid_t dataset);
/* A whole dataset in memory of the caller: numbers as double, or texts (n pointers and the characters in one block). */
double *h5_read_numbers(struct h5 *h, hid_t dataset, uint64_t n);
char **h5_read_texts(struct h5 *h, hid_t dataset, uint64_t n);

#endif
