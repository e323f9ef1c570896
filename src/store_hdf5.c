/* store_hdf5.c - the HDF5 calls themselves. */
#include "store_hdf5.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- errors ------------------------------------------------------------------------------------------------------ */

/* Of a failed system call only what the system said: `..., error message = 'No space left on device', ...`. */
static herr_t keep_innermost(unsigned n, const H5E_error2_t *error, void *why)
{
    (void)n;
    if (!error->desc)
        return 0;
    const char *system = strstr(error->desc, "error message = '");
    const char *text = system ? system + strlen("error message = '") : error->desc;
    const int length = system ? (int)strcspn(text, "'") : (int)strlen(text);
    snprintf(why, sizeof((struct h5 *)0)->why, "%.*s", length, text);
    return 0;
}

hid_t h5_check(struct h5 *h, hid_t result)
{
    if (result < 0 && !h->failed) {
        h->failed = true;
        snprintf(h->why, sizeof h->why, "HDF5 error");
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_innermost, h->why);
    }
    return result;
}

/* --- files ------------------------------------------------------------------------------------------------------- */

static void start_library(void)
{
    H5dont_atexit(); /* all is closed by then; after a full disk its own clean-up would only complain */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* File locks fail on some cluster file systems; the lock is our own (lock.c). */
static hid_t access_list(void)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(list, true, true);
#endif
    return list;
}

/* Half the entries of a node in the index of a dataset's chunks. By default a node takes 3 KB, also for one chunk. */
static unsigned node_entries(uint64_t chunks)
{
    return chunks < 2 ? 1 : chunks < 64 ? (unsigned)(chunks + 1) / 2 : 32;
}

bool h5_create(struct h5 *h, const char *path, uint64_t chunks)
{
    *h = (struct h5){.file = -1};
    start_library();
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = access_list();
    /* netCDF wants to know the order in which links and attributes were made */
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_istore_k(creation, node_entries(chunks));
    h->file = h5_check(h, H5Fcreate(path, H5F_ACC_TRUNC, creation, access));
    H5Pclose(creation);
    H5Pclose(access);
    return !h->failed;
}

bool h5_open(struct h5 *h, const char *path)
{
    *h = (struct h5){.file = -1};
    start_library();
    const hid_t access = access_list();
    h->file = h5_check(h, H5Fopen(path, H5F_ACC_RDONLY, access));
    H5Pclose(access);
    return !h->failed;
}

bool h5_close(struct h5 *h)
{
    if (h->file >= 0)
        h5_check(h, H5Fclose(h->file));
    h->file = -1;
    return !h->failed;
}

hid_t h5_group(struct h5 *h, const char *name)
{
    if (h->failed)
        return -1;
    const hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const hid_t group = h5_check(h, H5Gcreate2(h->file, name, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Pclose(creation);
    return group;
}

/* --- attributes -------------------------------------------------------------------------------------------------- */

static hid_t text_type(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

hid_t h5_text_type(void)
{
    return text_type(H5T_VARIABLE);
}

static void write_attr(struct h5 *h, hid_t object, const char *name, hid_t file_type, hid_t memory_type,
                       const void *value)
{
    if (h->failed)
        return;
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attr = h5_check(h, H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT));
    if (attr >= 0) {
        h5_check(h, H5Awrite(attr, memory_type, value));
        H5Aclose(attr);
    }
    H5Sclose(space);
}

/* Short texts have a fixed length, as netCDF writes them. Long ones (a sweep file) may be more than the 64 KiB that an
 * attribute can hold itself. */
void h5_attr_text(struct h5 *h, hid_t object, const char *name, const char *text)
{
    const size_t length = strlen(text);
    const bool fixed = length < 4096;
    const hid_t type = text_type(!fixed ? H5T_VARIABLE : length > 0 ? length : 1);
    if (fixed)
        H5Tset_strpad(type, H5T_STR_NULLPAD);
    write_attr(h, object, name, type, type, fixed ? (const void *)text : (const void *)&text);
    H5Tclose(type);
}

void h5_attr_u64(struct h5 *h, hid_t object, const char *name, uint64_t value)
{
    write_attr(h, object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

void h5_attr_f64(struct h5 *h, hid_t object, const char *name, double value)
{
    write_attr(h, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

/* --- datasets ---------------------------------------------------------------------------------------------------- */

static hid_t creation_list(hid_t type, const struct h5_shape *shape)
{
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    if (H5Tget_class(type) == H5T_FLOAT) {
        const double fill = NAN;
        H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &fill);
    }
    if (shape->rank > 0 && shape->chunked)
        H5Pset_chunk(list, shape->rank, shape->chunk);
    if (shape->rank > 0 && shape->chunked && shape->compressed) {
        H5Pset_shuffle(list);
        H5Pset_deflate(list, 1);
    }
    return list;
}

hid_t h5_dataset(struct h5 *h, hid_t where, const char *name, hid_t type, const struct h5_shape *shape)
{
    if (h->failed)
        return -1;
    const hid_t space = shape->rank > 0 ? H5Screate_simple(shape->rank, shape->dims, NULL) : H5Screate(H5S_SCALAR);
    const hid_t list = creation_list(type, shape);
    const hid_t dataset = h5_check(h, H5Dcreate2(where, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT));
    H5Pclose(list);
    H5Sclose(space);
    return dataset;
}

void h5_write(struct h5 *h, hid_t dataset, hid_t memory_type, int rank, const hsize_t *start, const hsize_t *count,
              const void *data)
{
    if (h->failed)
        return;
    if (rank == 0) {
        h5_check(h, H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
        return;
    }
    const hid_t file_space = H5Dget_space(dataset), memory_space = H5Screate_simple(rank, count, NULL);
    h5_check(h, H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL));
    h5_check(h, H5Dwrite(dataset, memory_type, memory_space, file_space, H5P_DEFAULT, data));
    H5Sclose(memory_space);
    H5Sclose(file_space);
}

void h5_close_dataset(hid_t dataset)
{
    if (dataset >= 0)
        H5Dclose(dataset);
}

/* --- dimension scales -------------------------------------------------------------------------------------------- */

static hid_t values_dataset(struct h5 *h, hid_t where, const char *name, hsize_t n, const double *number,
                            const char *const *text)
{
    const struct h5_shape shape = {.rank = 1, .dims = {n}};
    const hsize_t start = 0;
    const hid_t string = h5_text_type();
    const hid_t dataset = h5_dataset(h, where, name, text ? string : H5T_IEEE_F64LE, &shape);
    h5_write(h, dataset, text ? string : H5T_NATIVE_DOUBLE, 1, &start, &n,
             text ? (const void *)text : (const void *)number);
    H5Tclose(string);
    return dataset;
}

hid_t h5_scale(struct h5 *h, hid_t where, const char *name, hsize_t n, const double *number, const char *const *text)
{
    const hid_t dataset = values_dataset(h, where, name, n, number, text);
    if (!h->failed)
        h5_check(h, H5DSset_scale(dataset, name));
    return dataset;
}

hid_t h5_bare_scale(struct h5 *h, hid_t where, const char *name, hsize_t n)
{
    const struct h5_shape shape = {.rank = 1, .dims = {n}};
    char label[128];
    snprintf(label, sizeof label, "This is a netCDF dimension but not a netCDF variable.%10llu", (unsigned long long)n);
    const hid_t dataset = h5_dataset(h, where, name, H5T_IEEE_F32LE, &shape);
    if (!h->failed)
        h5_check(h, H5DSset_scale(dataset, label));
    return dataset;
}

hid_t h5_along(struct h5 *h, hid_t where, const char *name, hid_t scale, hsize_t n, const double *number,
               const char *const *text)
{
    const hid_t dataset = values_dataset(h, where, name, n, number, text);
    h5_attach(h, dataset, scale, 0);
    return dataset;
}

void h5_attach(struct h5 *h, hid_t dataset, hid_t scale, unsigned dimension)
{
    if (!h->failed)
        h5_check(h, H5DSattach_scale(dataset, scale, dimension));
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

static char *fixed_text(hid_t attr, hid_t type)
{
    const size_t size = H5Tget_size(type);
    char *text = calloc(size + 1, 1);
    const hid_t memory = H5Tcopy(type);
    if (text && H5Aread(attr, memory, text) < 0)
        text[0] = 0;
    H5Tclose(memory);
    return text;
}

static char *variable_text(hid_t attr)
{
    char *read = NULL, *text = NULL;
    const hid_t memory = h5_text_type();
    if (H5Aread(attr, memory, &read) >= 0 && read) {
        text = strdup(read);
        H5free_memory(read);
    }
    H5Tclose(memory);
    return text;
}

char *h5_read_attr_text(hid_t object, const char *name)
{
    if (H5Aexists(object, name) <= 0)
        return NULL;
    const hid_t attr = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attr);
    char *text = NULL;
    if (H5Tget_class(type) == H5T_STRING)
        text = H5Tis_variable_str(type) > 0 ? variable_text(attr) : fixed_text(attr, type);
    H5Tclose(type);
    H5Aclose(attr);
    return text;
}

static void read_number(hid_t object, const char *name, hid_t type, void *value)
{
    if (H5Aexists(object, name) <= 0)
        return;
    const hid_t attr = H5Aopen(object, name, H5P_DEFAULT);
    H5Aread(attr, type, value);
    H5Aclose(attr);
}

double h5_read_attr_f64(hid_t object, const char *name)
{
    double value = NAN;
    read_number(object, name, H5T_NATIVE_DOUBLE, &value);
    return value;
}

uint64_t h5_read_attr_u64(hid_t object, const char *name)
{
    uint64_t value = 0;
    read_number(object, name, H5T_NATIVE_UINT64, &value);
    return value;
}

uint64_t h5_npoints(hid_t dataset)
{
    const hid_t space = H5Dget_space(dataset);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    return n > 0 ? (uint64_t)n : 0;
}

double *h5_read_numbers(struct h5 *h, hid_t dataset, uint64_t n)
{
    double *values = h->failed ? NULL : calloc(n ? n : 1, sizeof *values);
    if (values)
        h5_check(h, H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    return values;
}

/* Copies n texts into one block: the pointers, then the characters. */
static char **pack_texts(char *const *read, uint64_t n)
{
    size_t bytes = n * sizeof(char *);
    for (uint64_t i = 0; i < n; i++)
        bytes += (read[i] ? strlen(read[i]) : 0) + 1;
    char **texts = malloc(bytes ? bytes : 1);
    char *at = texts ? (char *)(texts + n) : NULL;
    for (uint64_t i = 0; at && i < n; i++) {
        texts[i] = at;
        at = stpcpy(at, read[i] ? read[i] : "") + 1;
    }
    return texts;
}

char **h5_read_texts(struct h5 *h, hid_t dataset, uint64_t n)
{
    char **read = h->failed ? NULL : calloc(n ? n : 1, sizeof *read), **texts = NULL;
    if (!read)
        return NULL;
    const hid_t type = h5_text_type();
    if (h5_check(h, H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read)) >= 0)
        texts = pack_texts(read, n);
    for (uint64_t i = 0; i < n; i++)
        H5free_memory(read[i]);
    H5Tclose(type);
    free(read);
    return texts;
}
