/* sweep_names.c - the grid as others see it: named dimensions, coordinates with units, number of points. */
#include "sweep_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* --- names ------------------------------------------------------------------------------------------------------- */

static const char *last_part(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot ? dot + 1 : key;
}

static bool is_unique(const struct sweep *s, const struct axis *axis)
{
    for (uint32_t i = 0; i < s->naxes; i++)
        if (&s->axes[i] != axis && strcmp(last_part(s->axes[i].key), last_part(axis->key)) == 0)
            return false;
    return true;
}

static const char *short_name(struct sweep *s, const struct axis *axis)
{
    if (is_unique(s, axis))
        return last_part(axis->key);
    char *name = arena_copy(&s->arena, axis->key, strlen(axis->key));
    for (char *c = name; *c; c++)
        if (*c == '.')
            *c = '_';
    return name;
}

/* Whether the output has an object of this name. */
static bool is_reserved(const char *name)
{
    static const char *const others[] = {"flow",   "row",         "replications", "replication", "point",
                                         "status", "stop_reason", "traces",       NULL};
    static const char *const suffixes[] = {"", "_sd", "_ci", "_n", NULL};
    for (int i = 0; others[i]; i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    for (int m = 0; param_table[ROW_until_metric].names[m]; m++) {
        const char *metric = param_table[ROW_until_metric].names[m];
        size_t length = strlen(metric);
        for (int i = 0; suffixes[i]; i++)
            if (strncmp(name, metric, length) == 0 && strcmp(name + length, suffixes[i]) == 0)
                return true;
    }
    return strncmp(name, "model_", 6) == 0;
}

static int check_name(const struct sweep *s, uint32_t line, const char *key, const char *name, struct error *err)
{
    if (is_reserved(name))
        return sweep_bad(s, line, key, err, "the name `%.60s` is taken by a result, expected another one", name);
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
            return sweep_bad(s, line, key, err, "`%.60s` is not a name, expected letters, digits, `_` and `-`", name);
    return 0;
}

/* --- coordinates ------------------------------------------------------------------------------------------------- */

/* Numbers, if all values are numbers of one unit. */
static bool is_numeric(const struct axis *axis)
{
    for (uint32_t i = 0; i < axis->n; i++)
        if (!value_is_number(axis->param, &axis->values[i]) || axis->values[i].unit != axis->values[0].unit)
            return false;
    return true;
}

static void fill_coordinate(struct sweep *s, const struct axis *axis, struct coordinate *out)
{
    const char **text = arena_alloc(&s->arena, axis->n * sizeof *text);
    for (uint32_t i = 0; i < axis->n; i++)
        text[i] = axis->values[i].text;
    *out = (struct coordinate){.name = short_name(s, axis),
                               .key = axis->key,
                               .units = "",
                               .is_text = !is_numeric(axis),
                               .dimension = axis->dimension,
                               .text = text};
    if (out->is_text)
        return;
    double *number = arena_alloc(&s->arena, axis->n * sizeof *number);
    for (uint32_t i = 0; i < axis->n; i++)
        number[i] = value_si(axis->param, &axis->values[i]);
    out->number = number;
    out->units = units_udunits(axis->values[0].unit);
}

static int name_coordinates(struct sweep *s, struct error *err)
{
    s->coordinates = arena_alloc(&s->arena, (s->naxes + 1) * sizeof *s->coordinates);
    for (uint32_t i = 0; i < s->naxes; i++) {
        struct coordinate *c = &s->coordinates[i];
        fill_coordinate(s, &s->axes[i], c);
        if (check_name(s, s->axes[i].line, c->key, c->name, err) < 0)
            return -1;
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(s->coordinates[j].name, c->name) == 0)
                return sweep_bad(s, s->axes[i].line, c->key, err,
                                 "two axes are called `%s`, expected names that differ", c->name);
    }
    return 0;
}

/* --- dimensions -------------------------------------------------------------------------------------------------- */

static const struct coordinate *first_coordinate(const struct sweep *s, uint32_t dimension)
{
    for (uint32_t i = 0; i < s->naxes; i++)
        if (s->coordinates[i].dimension == dimension)
            return &s->coordinates[i];
    return NULL;
}

/* A zip's or sample's name must not be that of a coordinate elsewhere or of another dimension. */
static int check_dimension(const struct sweep *s, uint32_t d, struct error *err)
{
    const char *name = s->dimensions[d].name;
    uint32_t line = s->dimension_sources[d].line;
    if (check_name(s, line, name, name, err) < 0)
        return -1;
    for (uint32_t i = 0; i < s->naxes; i++)
        if (s->coordinates[i].dimension != d && strcmp(s->coordinates[i].name, name) == 0)
            return sweep_bad(s, line, name, err, "the name of an axis (%s), expected another one",
                             s->coordinates[i].key);
    for (uint32_t i = 0; i < d; i++)
        if (strcmp(s->dimensions[i].name, name) == 0)
            return sweep_bad(s, line, name, err, "two dimensions are called so, expected names that differ");
    return 0;
}

static int name_dimensions(struct sweep *s, struct error *err)
{
    for (uint32_t d = 0; d < s->ndimensions; d++) {
        const struct dimension_source *source = &s->dimension_sources[d];
        s->dimensions[d].length = source->length;
        s->dimensions[d].name = source->as                         ? source->as
                                : source->kind == DIMENSION_SAMPLE ? "sample"
                                                                   : first_coordinate(s, d)->name;
        if (check_dimension(s, d, err) < 0)
            return -1;
    }
    return 0;
}

static int count_points(struct sweep *s, struct error *err)
{
    s->npoints = 1;
    for (uint32_t d = 0; d < s->ndimensions; d++) {
        s->npoints *= s->dimensions[d].length;
        if (s->npoints > POINTS_MAX)
            return sweep_bad(s, s->dimension_sources[d].line, s->dimensions[d].name, err,
                             "the grid has more than 2^40 points with this axis, expected fewer or shorter axes");
    }
    return 0;
}

int sweep_finish_axes(struct sweep *s, struct error *err)
{
    return name_coordinates(s, err) < 0 || name_dimensions(s, err) < 0 || count_points(s, err) < 0 ? -1 : 0;
}
