/* sweep_axes.c - axes and zips of a sweep file, and the grid that they span. */
#include "sweep_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- adding ------------------------------------------------------------------------------------------------------ */

struct axis *sweep_find_axis(struct sweep *s, uint32_t slot)
{
    for (uint32_t i = 0; i < s->naxes; i++)
        if (s->axes[i].slot == slot)
            return &s->axes[i];
    return NULL;
}

struct dimension_source *sweep_add_dimension(struct sweep *s, enum dimension_kind kind, uint32_t line,
                                             struct error *err)
{
    if (s->ndimensions == DIMENSIONS_MAX) {
        sweep_bad(s, line, "axes", err, "too many dimensions, expected at most %d", DIMENSIONS_MAX);
        return NULL;
    }
    struct dimension_source *dimension = &s->dimension_sources[s->ndimensions++];
    *dimension = (struct dimension_source){.kind = kind, .line = line};
    return dimension;
}

/* A further coordinate of the newest dimension. */
struct axis *sweep_add_axis(struct sweep *s, const char *key, uint32_t line, struct error *err)
{
    char why[900];
    struct key_ref ref;
    if (sweep_find_key(s, key, &ref, why, sizeof why) < 0) {
        sweep_bad(s, line, key, err, "%s", why);
        return NULL;
    }
    if (ref.param->flags & FLAG_NO_AXIS) {
        sweep_bad(s, line, key, err, "cannot change within a sweep, expected a key of the scenario");
        return NULL;
    }
    const struct axis *other = sweep_find_axis(s, ref.slot);
    if (other) {
        sweep_bad(s, line, key, err, "already an axis (line %u), expected each key once in axes, zip and sample",
                  other->line);
        return NULL;
    }
    if (s->naxes == AXES_MAX) {
        sweep_bad(s, line, key, err, "too many keys change, expected at most %d", AXES_MAX);
        return NULL;
    }
    struct axis *axis = &s->axes[s->naxes++];
    *axis = (struct axis){.key = key, .param = ref.param, .slot = ref.slot, .line = line};
    axis->dimension = s->ndimensions - 1;
    return axis;
}

/* --- values ------------------------------------------------------------------------------------------------------ */

static int compare_canon(const void *a, const void *b)
{
    return strcmp((*(const struct value *const *)a)->canon, (*(const struct value *const *)b)->canon);
}

/* The same value twice would be the same point twice. */
static int refuse_duplicates(struct sweep *s, const struct axis *axis, struct error *err)
{
    const struct value **sorted = malloc((axis->n + 1) * sizeof *sorted);
    const struct value *twice = NULL;
    if (!sorted)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory");
    for (uint32_t i = 0; i < axis->n; i++)
        sorted[i] = &axis->values[i];
    qsort(sorted, axis->n, sizeof *sorted, compare_canon);
    for (uint32_t i = 1; i < axis->n && !twice; i++)
        if (strcmp(sorted[i - 1]->canon, sorted[i]->canon) == 0)
            twice = sorted[i];
    free(sorted);
    return twice ? sweep_bad(s, axis->line, axis->key, err, "the value `%.60s` twice, expected values that differ",
                             twice->text)
                 : 0;
}

static int read_items(struct sweep *s, const struct node *node, struct axis *axis, struct error *err)
{
    char why[900];
    if (!node->n)
        return sweep_bad(s, node->line, axis->key, err, "an empty list, expected at least one value");
    axis->n = node->n;
    axis->values = arena_alloc(&s->arena, node->n * sizeof *axis->values);
    for (uint32_t i = 0; i < node->n; i++)
        if (value_parse(axis->param, node->items[i], &s->arena, &axis->values[i], why, sizeof why) < 0)
            return sweep_bad(s, node->items[i]->line, axis->key, err, "%s", why);
    return 0;
}

int sweep_read_points(struct sweep *s, const struct node *map, const char *key, const char *expected, uint32_t *out,
                      struct error *err)
{
    const struct node *points = yaml_get(map, "points");
    struct param count = {.key = "points", .type = TYPE_COUNT32, .min = 1, .max = AXIS_MAX};
    struct value value;
    char why[900];
    if (!points)
        return sweep_bad(s, map->line, key, err, "`points` is missing, %s", expected);
    if (value_parse(&count, points, &s->arena, &value, why, sizeof why) < 0)
        return sweep_bad(s, points->line, key, err, "points: %s", why);
    *out = (uint32_t)value.integer;
    return 0;
}

/* Both ends of a range, numbers of one unit. */
int sweep_read_ends(struct sweep *s, const struct node *list, const struct axis *axis, struct value ends[2],
                    struct error *err)
{
    char why[900];
    if (list->kind != NODE_LIST || list->n != 2)
        return sweep_bad(s, list->line, axis->key, err, "not a range, expected [first, last]");
    for (int i = 0; i < 2; i++)
        if (value_parse(axis->param, list->items[i], &s->arena, &ends[i], why, sizeof why) < 0)
            return sweep_bad(s, list->items[i]->line, axis->key, err, "%s", why);
    if (!value_is_number(axis->param, &ends[0]) || !value_is_number(axis->param, &ends[1]) ||
        ends[0].unit != ends[1].unit)
        return sweep_bad(s, list->line, axis->key, err, "not two numbers of one unit, expected [first, last]");
    return 0;
}

/* Twelve digits: what the last bit of exp() is on some processor does not decide which scenario it is. */
static double round_digits(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.11e", x);
    return strtod(text, NULL);
}

double sweep_between(double low, double high, double share, bool logarithmic)
{
    if (share <= 0)
        return low;
    if (share >= 1)
        return high;
    return round_digits(logarithmic ? exp(log(low) + share * (log(high) - log(low))) : low + share * (high - low));
}

static int fill_range(struct sweep *s, struct axis *axis, const struct value ends[2], bool logarithmic,
                      struct error *err)
{
    char why[900];
    double low = value_si(axis->param, &ends[0]), high = value_si(axis->param, &ends[1]);
    if (logarithmic && (low <= 0 || high <= 0))
        return sweep_bad(s, axis->line, axis->key, err, "logspace from or to zero, expected values above zero");
    axis->values = arena_alloc(&s->arena, axis->n * sizeof *axis->values);
    for (uint32_t i = 0; i < axis->n; i++) {
        bool end = i == 0 || i == axis->n - 1;
        double share = axis->n > 1 ? (double)i / (axis->n - 1) : 0;
        struct quantity q = {sweep_between(low, high, share, logarithmic), ends[0].unit};
        if (value_from_quantity(axis->param, q, end ? ends[i != 0].text : NULL, &s->arena, &axis->values[i], why,
                                sizeof why) < 0)
            return sweep_bad(s, axis->line, axis->key, err, "%s", why);
    }
    return 0;
}

static int read_range(struct sweep *s, const struct node *map, struct axis *axis, struct error *err)
{
    const struct node *log_range = yaml_get(map, "logspace"), *range = yaml_get(map, "linspace");
    struct value ends[2];
    if (map->n != 2 || !log_range == !range)
        return sweep_bad(s, map->line, axis->key, err,
                         "not a list of values, expected [a, b, c], {linspace: [a, b], points: n} or "
                         "{logspace: [a, b], points: n}");
    if (sweep_read_points(s, map, axis->key, "expected {linspace: [a, b], points: n}", &axis->n, err) < 0 ||
        sweep_read_ends(s, log_range ? log_range : range, axis, ends, err) < 0)
        return -1;
    return fill_range(s, axis, ends, log_range != NULL, err);
}

int sweep_read_list(struct sweep *s, const struct node *node, struct axis *axis, struct error *err)
{
    bool is_range = node->kind == NODE_MAP;
    if (node->kind == NODE_SCALAR)
        return sweep_bad(s, node->line, axis->key, err,
                         "a single value, expected a list of values such as [a, b], or a linspace or logspace");
    if ((is_range ? read_range(s, node, axis, err) : read_items(s, node, axis, err)) < 0)
        return -1;
    return refuse_duplicates(s, axis, err);
}

/* --- sections ---------------------------------------------------------------------------------------------------- */

static int read_axes(struct sweep *s, const struct node *map, uint32_t line, struct error *err)
{
    if (map->kind != NODE_MAP)
        return sweep_bad(s, line, "axes", err, "%s, expected a map of keys and lists of values", yaml_kind(map));
    for (uint32_t i = 0; i < map->n; i++) {
        struct dimension_source *dimension = sweep_add_dimension(s, DIMENSION_AXIS, map->keys[i]->line, err);
        struct axis *axis = dimension ? sweep_add_axis(s, map->keys[i]->text, map->keys[i]->line, err) : NULL;
        if (!axis || sweep_read_list(s, map->items[i], axis, err) < 0)
            return -1;
        dimension->length = axis->n;
    }
    return 0;
}

static int read_zip_key(struct sweep *s, const struct node *key, const struct node *list, struct dimension_source *zip,
                        struct error *err)
{
    struct axis *axis = sweep_add_axis(s, key->text, key->line, err);
    if (!axis || list->kind == NODE_SCALAR)
        return axis ? sweep_read_list(s, list, axis, err) : -1;
    /* Within a zip a value may come again: only the tuples have to differ. */
    if ((list->kind == NODE_MAP ? read_range(s, list, axis, err) : read_items(s, list, axis, err)) < 0)
        return -1;
    if (zip->length && axis->n != zip->length)
        return sweep_bad(s, list->line, key->text, err, "%u values, expected %u as the other keys of this zip have",
                         axis->n, zip->length);
    zip->length = axis->n;
    return 0;
}

/* Whether two tuples of a zip are the same. */
static bool same_tuple(const struct sweep *s, uint32_t dimension, uint32_t i, uint32_t j)
{
    for (uint32_t a = 0; a < s->naxes; a++)
        if (s->axes[a].dimension == dimension && strcmp(s->axes[a].values[i].canon, s->axes[a].values[j].canon) != 0)
            return false;
    return true;
}

enum { ZIP_MAX = 10000 }; /* values; tuples are compared pair by pair */

static int check_zip(struct sweep *s, const struct dimension_source *zip, struct error *err)
{
    if (!zip->length)
        return sweep_bad(s, zip->line, "zip", err, "no keys, expected a map of keys and lists of the same length");
    if (zip->length > ZIP_MAX)
        return sweep_bad(s, zip->line, "zip", err, "%u values, expected at most %d", zip->length, ZIP_MAX);
    for (uint32_t i = 0; i < zip->length; i++)
        for (uint32_t j = 0; j < i; j++)
            if (same_tuple(s, s->ndimensions - 1, i, j))
                return sweep_bad(s, zip->line, "zip", err, "values %u and %u are the same, expected ones that differ",
                                 j + 1, i + 1);
    return 0;
}

static int read_zip(struct sweep *s, const struct node *map, struct error *err)
{
    if (map->kind != NODE_MAP)
        return sweep_bad(s, map->line, "zip", err, "%s, expected a map of keys and lists of the same length",
                         yaml_kind(map));
    struct dimension_source *zip = sweep_add_dimension(s, DIMENSION_ZIP, map->line, err);
    for (uint32_t i = 0; zip && i < map->n; i++) {
        const struct node *key = map->keys[i], *item = map->items[i];
        if (strcmp(key->text, "as") != 0) {
            if (read_zip_key(s, key, item, zip, err) < 0)
                return -1;
            continue;
        }
        if (item->kind != NODE_SCALAR || !*item->text)
            return sweep_bad(s, item->line, "as", err, "%s, expected a name for this zip", yaml_kind(item));
        zip->as = item->text;
    }
    return zip ? check_zip(s, zip, err) : -1;
}

static int read_zips(struct sweep *s, const struct node *list, uint32_t line, struct error *err)
{
    if (list->kind != NODE_LIST)
        return sweep_bad(s, line, "zip", err, "%s, expected a list of maps such as [{tcp.mss: [500 B, 1460 B], ...}]",
                         yaml_kind(list));
    for (uint32_t i = 0; i < list->n; i++)
        if (read_zip(s, list->items[i], err) < 0)
            return -1;
    return 0;
}

int sweep_read_axes(struct sweep *s, struct error *err)
{
    static const struct {
        const char *key;
        int (*read)(struct sweep *s, const struct node *node, uint32_t line, struct error *err);
    } sections[] = {{"axes", read_axes}, {"zip", read_zips}, {"sample", sweep_read_sample}};
    for (uint32_t i = 0; i < s->root->n; i++)
        for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
            if (strcmp(s->root->keys[i]->text, sections[k].key) == 0 &&
                sections[k].read(s, s->root->items[i], s->root->keys[i]->line, err) < 0)
                return -1;
    return 0;
}
