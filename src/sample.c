/* sample.c - a sample dimension: points spread over ranges of several keys, by a Sobol sequence or Latin hypercube.
 *
 *   sample: {kind: sobol, points: 200, over: {links.backbone.delay: [10 ms, 300 ms],
 *                                             links.backbone.ber: {log: [1e-8, 1e-5]}, tcp.algorithm: [reno, sack]}}
 *
 * Numbers take a range, names a list of which each takes an equal share. A Latin hypercube has a seed of its own, so
 * that --seed does not move the points.
 */
#include "sweep_internal.h"

#include <gsl/gsl_qrng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { SOBOL_KEYS_MAX = 40, VALUES_MAX = 4000000 }; /* of the GSL */

struct sample {
    struct sweep *sweep;
    uint32_t line;
    bool is_lhs;
    uint64_t seed;
    uint32_t points;
    const struct node *over;
    double *share; /* 0..1, [point][key] */
};

/* A number in [0, 1) from a key's number and a counter. */
static double random_share(uint64_t seed, uint32_t key, uint32_t counter)
{
    uint64_t parts[3] = {seed, key, counter};
    return (double)(XXH3_64bits(parts, sizeof parts) >> 11) * 0x1p-53;
}

static int fill_sobol(struct sample *m, struct error *err)
{
    gsl_qrng *sequence = gsl_qrng_alloc(gsl_qrng_sobol, m->over->n);
    if (!sequence)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory");
    for (uint32_t i = 0; i < m->points; i++)
        gsl_qrng_get(sequence, m->share + (size_t)i * m->over->n);
    gsl_qrng_free(sequence);
    return 0;
}

/* Each key: a random permutation of the strata, and a random place within each. */
static void fill_lhs(struct sample *m)
{
    uint32_t keys = m->over->n, n = m->points;
    for (uint32_t k = 0; k < keys; k++) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t j = (uint32_t)(random_share(m->seed, 2 * k, i) * (i + 1));
            m->share[(size_t)i * keys + k] = m->share[(size_t)j * keys + k];
            m->share[(size_t)j * keys + k] = i;
        }
        for (uint32_t i = 0; i < n; i++)
            m->share[(size_t)i * keys + k] = (m->share[(size_t)i * keys + k] + random_share(m->seed, 2 * k + 1, i)) / n;
    }
}

/* --- one key ----------------------------------------------------------------------------------------------------- */

static int fill_names(struct sample *m, struct axis *axis, const struct node *list, uint32_t k, struct error *err)
{
    char why[900];
    struct sweep *s = m->sweep;
    if (list->kind != NODE_LIST || !list->n)
        return sweep_bad(s, list->line, axis->key, err, "%s, expected a list of values", yaml_kind(list));
    struct value *values = arena_alloc(&s->arena, list->n * sizeof *values);
    for (uint32_t i = 0; i < list->n; i++)
        if (value_parse(axis->param, list->items[i], &s->arena, &values[i], why, sizeof why) < 0)
            return sweep_bad(s, list->items[i]->line, axis->key, err, "%s", why);
    for (uint32_t i = 0; i < m->points; i++)
        axis->values[i] = values[(uint32_t)(m->share[(size_t)i * m->over->n + k] * list->n)];
    return 0;
}

static int fill_numbers(struct sample *m, struct axis *axis, const struct node *range, bool logarithmic, uint32_t k,
                        struct error *err)
{
    char why[900];
    struct value ends[2];
    struct sweep *s = m->sweep;
    if (sweep_read_ends(s, range, axis, ends, err) < 0)
        return -1;
    double low = value_si(axis->param, &ends[0]), high = value_si(axis->param, &ends[1]);
    if (low >= high || (logarithmic && low <= 0))
        return sweep_bad(s, range->line, axis->key, err, "not an ascending range%s, expected [from, to]",
                         logarithmic ? " above zero" : "");
    for (uint32_t i = 0; i < m->points; i++) {
        double share = m->share[(size_t)i * m->over->n + k];
        struct quantity q = {sweep_between(low, high, share, logarithmic), ends[0].unit};
        if (value_from_quantity(axis->param, q, NULL, &s->arena, &axis->values[i], why, sizeof why) < 0)
            return sweep_bad(s, range->line, axis->key, err, "%s", why);
    }
    return 0;
}

static int read_key(struct sample *m, uint32_t k, struct error *err)
{
    struct sweep *s = m->sweep;
    const struct node *key = m->over->keys[k], *range = m->over->items[k];
    struct axis *axis = sweep_add_axis(s, key->text, key->line, err);
    if (!axis)
        return -1;
    axis->n = m->points;
    axis->values = arena_alloc(&s->arena, m->points * sizeof *axis->values);
    const struct node *log_range = yaml_get(range, "log");
    if (range->kind == NODE_MAP && (!log_range || range->n != 1))
        return sweep_bad(s, range->line, axis->key, err, "not a range, expected [from, to] or {log: [from, to]}");
    if (!log_range && !value_units(axis->param->type) && axis->param->type != TYPE_START)
        return fill_names(m, axis, range, k, err);
    return fill_numbers(m, axis, log_range ? log_range : range, log_range != NULL, k, err);
}

/* --- section ----------------------------------------------------------------------------------------------------- */

static int read_kind(struct sample *m, const struct node *kind, struct error *err)
{
    if (!kind)
        return sweep_bad(m->sweep, m->line, "sample.kind", err, "missing, expected sobol or lhs");
    m->is_lhs = kind->kind == NODE_SCALAR && strcmp(kind->text, "lhs") == 0;
    if (!m->is_lhs && (kind->kind != NODE_SCALAR || strcmp(kind->text, "sobol") != 0))
        return sweep_bad(m->sweep, kind->line, "sample.kind", err, "%.60s, expected sobol or lhs",
                         kind->kind == NODE_SCALAR ? kind->text : yaml_kind(kind));
    return 0;
}

static int check_keys(struct sample *m, const struct node *map, struct error *err)
{
    static const char *const keys[] = {"kind", "points", "over", "seed"};
    for (uint32_t i = 0; i < map->n; i++) {
        int known = 0;
        for (int k = 0; k < 4; k++)
            known |= strcmp(map->keys[i]->text, keys[k]) == 0;
        if (!known)
            return sweep_bad(m->sweep, map->keys[i]->line, map->keys[i]->text, err,
                             "unknown key of sample, expected kind, points, over or seed");
    }
    m->over = yaml_get(map, "over");
    if (!m->over || m->over->kind != NODE_MAP || !m->over->n)
        return sweep_bad(m->sweep, m->over ? m->over->line : m->line, "sample.over", err,
                         "%s, expected a map of keys and ranges such as {tcp.mss: [500 B, 1460 B]}",
                         m->over ? yaml_kind(m->over) : "missing");
    return 0;
}

static int read_seed(struct sample *m, const struct node *node, struct error *err)
{
    char why[900];
    struct value value;
    m->seed = 1;
    if (!node)
        return 0;
    if (value_parse(&param_table[ROW_seed], node, &m->sweep->arena, &value, why, sizeof why) < 0)
        return sweep_bad(m->sweep, node->line, "sample.seed", err, "%s", why);
    m->seed = (uint64_t)value.integer;
    return 0;
}

static int fill(struct sample *m, struct error *err)
{
    uint32_t keys = m->over->n;
    if (keys > SOBOL_KEYS_MAX)
        return sweep_bad(m->sweep, m->over->line, "sample.over", err, "%u keys, expected at most %d", keys,
                         SOBOL_KEYS_MAX);
    if ((uint64_t)m->points * keys > VALUES_MAX)
        return sweep_bad(m->sweep, m->line, "sample.points", err, "%u points of %u keys, expected at most %d values",
                         m->points, keys, VALUES_MAX);
    m->share = arena_alloc(&m->sweep->arena, (size_t)m->points * keys * sizeof *m->share);
    if (m->is_lhs)
        fill_lhs(m);
    else if (fill_sobol(m, err) < 0)
        return -1;
    for (uint32_t k = 0; k < keys; k++)
        if (read_key(m, k, err) < 0)
            return -1;
    return 0;
}

int sweep_read_sample(struct sweep *s, const struct node *map, uint32_t line, struct error *err)
{
    struct sample m = {.sweep = s, .line = line};
    if (map->kind != NODE_MAP)
        return sweep_bad(s, line, "sample", err, "%s, expected a map such as {kind: sobol, points: 200, over: {...}}",
                         yaml_kind(map));
    if (check_keys(&m, map, err) < 0 || read_kind(&m, yaml_get(map, "kind"), err) < 0 ||
        read_seed(&m, yaml_get(map, "seed"), err) < 0 ||
        sweep_read_points(s, map, "sample", "expected {kind: sobol, points: 200, over: {...}}", &m.points, err) < 0)
        return -1;
    struct dimension_source *dimension = sweep_add_dimension(s, DIMENSION_SAMPLE, line, err);
    if (!dimension)
        return -1;
    dimension->length = m.points;
    return fill(&m, err);
}
