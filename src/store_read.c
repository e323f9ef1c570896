/* store_read.c - reads a finished OUT.h5: coordinates, metrics and where they come from. */
#define _GNU_SOURCE /* asprintf */
#include "store.h"
#include "store_hdf5.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failed_to_read(const struct h5 *h, const char *what, struct error *err)
{
    return error_set(err, EXIT_ENVIRONMENT, "%s: cannot read: %s", what, h->failed ? h->why : "out of memory");
}

/* --- coordinates ------------------------------------------------------------------------------------------------- */

static herr_t take_scale(hid_t dataset, unsigned dimension, hid_t scale, void *name)
{
    (void)dataset;
    (void)dimension;
    return H5Iget_name(scale, name, 256) > 0 ? 1 : -1; /* 1: the first one will do */
}

/* Name (`/ber`) of the scale of a dataset's dimension. */
static bool scale_name(hid_t dataset, unsigned dimension, char name[256])
{
    return H5DSiterate_scales(dataset, dimension, NULL, take_scale, name) == 1;
}

static int add_coordinate(struct store_table *table, const char *name, uint32_t dimension, struct error *err)
{
    struct h5 *h = table->h5;
    struct table_coordinate *all = realloc(table->coordinates, (table->ncoordinates + 1) * sizeof *all);
    if (!all)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory");
    table->coordinates = all;
    struct table_coordinate *c = &all[table->ncoordinates++];
    *c = (struct table_coordinate){.dimension = dimension, .length = table->lengths[dimension], .name = strdup(name)};
    const hid_t dataset = h5_check(h, H5Dopen2(h->file, name, H5P_DEFAULT));
    if (dataset < 0)
        return failed_to_read(h, name, err);
    const hid_t type = H5Dget_type(dataset);
    if (H5Tget_class(type) == H5T_STRING)
        c->text = h5_read_texts(h, dataset, c->length);
    else
        c->number = h5_read_numbers(h, dataset, c->length);
    c->units = h5_read_attr_text(dataset, "units");
    H5Tclose(type);
    H5Dclose(dataset);
    if (!c->units)
        c->units = strdup("");
    return h->failed || !c->name || !c->units || (!c->text && !c->number) ? failed_to_read(h, name, err) : 0;
}

/* A scale that only numbers the combinations of a zip or sample has no `key`; its coordinates say more. */
static bool is_named_scale(const struct h5 *h, const char *name)
{
    return H5Aexists_by_name(h->file, name, "key", H5P_DEFAULT) > 0;
}

static int add_auxiliary(struct store_table *table, char *names, const char *scale, uint32_t dimension,
                         struct error *err)
{
    struct h5 *h = table->h5;
    for (char *rest = names, *name; (name = strsep(&rest, " "));) {
        char own[256] = "";
        const hid_t dataset = h5_check(h, H5Dopen2(h->file, name, H5P_DEFAULT));
        const bool here = dataset >= 0 && scale_name(dataset, 0, own) && strcmp(own, scale) == 0;
        h5_close_dataset(dataset);
        if (here && add_coordinate(table, name, dimension, err))
            return -1;
    }
    return h->failed ? failed_to_read(h, scale, err) : 0;
}

static int read_coordinates(struct store_table *table, hid_t goodput, struct error *err)
{
    int failed = 0;
    for (uint32_t d = 0; !failed && d < table->ndimensions; d++) {
        char scale[256] = "";
        if (!scale_name(goodput, d, scale))
            return error_set(err, EXIT_BAD_INPUT, "/goodput: dimension %u has no scale", d);
        if (is_named_scale(table->h5, scale))
            failed = add_coordinate(table, scale + 1, d, err);
        char *names = h5_read_attr_text(goodput, "coordinates");
        if (!failed && names)
            failed = add_auxiliary(table, names, scale, d, err);
        free(names);
    }
    return failed;
}

/* --- the file ---------------------------------------------------------------------------------------------------- */

static int read_lengths(struct store_table *table, hid_t dataset, struct error *err)
{
    hsize_t dims[H5_RANK_MAX];
    const hid_t space = H5Dget_space(dataset);
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    table->ndimensions = rank > 0 ? (uint32_t)rank : 0;
    table->lengths = calloc((size_t)table->ndimensions + 1, sizeof *table->lengths);
    if (!table->lengths)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory");
    table->npoints = 1;
    for (uint32_t d = 0; d < table->ndimensions; d++) {
        table->lengths[d] = (uint32_t)dims[d];
        table->npoints *= dims[d];
    }
    return 0;
}

static int read_reasons(struct store_table *table, struct error *err)
{
    struct h5 *h = table->h5;
    const hid_t dataset = h5_check(h, H5Dopen2(h->file, "stop_reason", H5P_DEFAULT));
    if (dataset >= 0)
        table->reasons = h5_read_texts(h, dataset, table->npoints);
    h5_close_dataset(dataset);
    return table->reasons && !h->failed ? 0 : failed_to_read(h, "stop_reason", err);
}

static void read_attributes(struct store_table *table)
{
    const hid_t file = table->h5->file;
    table->title = h5_read_attr_text(file, "title");
    table->version = h5_read_attr_text(file, "version");
    table->commit = h5_read_attr_text(file, "commit");
    table->start_time = h5_read_attr_text(file, "start_time");
    table->seed = h5_read_attr_u64(file, "seed");
    table->points = h5_read_attr_u64(file, "points");
    table->replications = h5_read_attr_u64(file, "replications_used");
    table->cpu_s = h5_read_attr_f64(file, "cpu_seconds");
    table->confidence = h5_read_attr_f64(file, "confidence");
}

static int read_all(struct store_table *table, const char *path, struct error *err)
{
    struct h5 *h = table->h5;
    if (access(path, R_OK) != 0)
        return error_set(err, errno == ENOENT ? EXIT_BAD_INPUT : EXIT_ENVIRONMENT, "%s: cannot read: %s", path,
                         strerror(errno));
    if (!h5_open(h, path) || H5Lexists(h->file, "goodput", H5P_DEFAULT) <= 0)
        return error_set(err, EXIT_BAD_INPUT, "%s: not an output of tcpsweep%s%s", path, h->failed ? ": " : "", h->why);
    const hid_t goodput = h5_check(h, H5Dopen2(h->file, "goodput", H5P_DEFAULT));
    if (goodput < 0)
        return failed_to_read(h, path, err);
    const int failed = read_lengths(table, goodput, err) || read_coordinates(table, goodput, err);
    H5Dclose(goodput);
    read_attributes(table);
    return failed ? -1 : read_reasons(table, err);
}

int store_open(struct store_table **out, const char *path, struct error *err)
{
    struct store_table *table = calloc(1, sizeof *table);
    if (!table || !(table->h5 = calloc(1, sizeof *table->h5))) {
        free(table);
        return error_set(err, EXIT_ENVIRONMENT, "out of memory");
    }
    table->h5->file = -1;
    if (read_all(table, path, err)) {
        store_close(table);
        return -1;
    }
    *out = table;
    return 0;
}

void store_close(struct store_table *table)
{
    if (!table)
        return;
    for (uint32_t i = 0; i < table->ncoordinates; i++) {
        free(table->coordinates[i].name);
        free(table->coordinates[i].units);
        free(table->coordinates[i].number);
        free(table->coordinates[i].text);
    }
    h5_close(table->h5);
    free(table->h5);
    free(table->coordinates);
    free(table->lengths);
    free(table->reasons);
    free(table->title);
    free(table->version);
    free(table->commit);
    free(table->start_time);
    free(table);
}

/* --- metrics ----------------------------------------------------------------------------------------------------- */

static double *read_array(const struct store_table *table, const char *name, const char *suffix, char **units)
{
    struct h5 *h = table->h5;
    char path[128];
    snprintf(path, sizeof path, "%s%s", name, suffix);
    if (H5Lexists(h->file, path, H5P_DEFAULT) <= 0)
        return NULL;
    const hid_t dataset = h5_check(h, H5Dopen2(h->file, path, H5P_DEFAULT));
    double *values = NULL;
    if (dataset >= 0 && h5_npoints(dataset) == table->npoints)
        values = h5_read_numbers(h, dataset, table->npoints);
    if (dataset >= 0 && units)
        *units = h5_read_attr_text(dataset, "units");
    h5_close_dataset(dataset);
    return values;
}

struct name_list {
    hid_t file;
    char text[600];
};

static herr_t list_metric(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    (void)group;
    (void)info;
    struct name_list *list = context;
    char counts[128];
    snprintf(counts, sizeof counts, "%s_n", name);
    const bool is_metric = strncmp(name, "model_", 6) == 0 || H5Lexists(list->file, counts, H5P_DEFAULT) > 0;
    const size_t used = strlen(list->text);
    if (is_metric && used + strlen(name) + 2 < sizeof list->text)
        sprintf(list->text + used, "%s%s", used ? ", " : "", name);
    return 0;
}

static int unknown_metric(const struct store_table *table, const char *name, struct error *err)
{
    struct name_list list = {.file = table->h5->file, .text = ""};
    H5Literate(table->h5->file, H5_INDEX_NAME, H5_ITER_INC, NULL, list_metric, &list);
    return error_set(err, EXIT_BAD_INPUT, "metric: no `%s` in the file, expected one of %s", name, list.text);
}

int store_read_metric(const struct store_table *table, const char *name, struct table_metric *out, struct error *err)
{
    *out = (struct table_metric){0};
    const bool is_model = strncmp(name, "model_", 6) == 0;
    char counts[128];
    snprintf(counts, sizeof counts, "%s_n", name);
    if (H5Lexists(table->h5->file, is_model ? name : counts, H5P_DEFAULT) <= 0)
        return unknown_metric(table, name, err);
    out->mean = read_array(table, name, "", &out->units);
    if (!is_model) {
        out->sd = read_array(table, name, "_sd", NULL);
        out->half_width = read_array(table, name, "_ci", NULL);
        out->n = read_array(table, name, "_n", NULL);
    }
    if (!out->units)
        out->units = strdup("1");
    if (out->mean && out->units && (is_model || (out->sd && out->half_width && out->n)))
        return 0;
    store_metric_free(out);
    return failed_to_read(table->h5, name, err);
}

void store_metric_free(struct table_metric *metric)
{
    free(metric->mean);
    free(metric->sd);
    free(metric->half_width);
    free(metric->n);
    free(metric->units);
    *metric = (struct table_metric){0};
}
