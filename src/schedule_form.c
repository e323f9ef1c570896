/* schedule_form.c - see schedule_form.h. */
#include "schedule_form.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "satellite.h"
#include "side_file.h"

struct reader {
    struct arena *arena;
    struct schedule_form *out;
    char *why;
    size_t size;
};

#define FAIL(r, ...) (snprintf((r)->why, (r)->size, __VA_ARGS__), -1)

/* --- numbers in maps ---------------------------------------------------------------------------------------------- */

struct number_key {
    const char *key;
    double *value;
    double min, max;
    bool is_whole;
};

static int read_number(const struct reader *r, const struct node *node, const struct number_key *key)
{
    char *end = NULL;
    double x = node->kind == NODE_SCALAR ? strtod(node->text, &end) : NAN;
    bool is_number = end && end > node->text && !*end && isfinite(x);
    if (!is_number || x < key->min || x > key->max || (key->is_whole && x != floor(x)))
        return FAIL(r, "%s: `%.40s` is no such number, expected a %snumber from %g to %g", key->key,
                    node->kind == NODE_SCALAR ? node->text : yaml_kind(node), key->is_whole ? "whole " : "", key->min,
                    key->max);
    *key->value = x;
    return 0;
}

static int read_place(const struct reader *r, const char *name, const struct node *node, struct place *place)
{
    const struct number_key parts[] = {{name, &place->latitude, -90, 90, false},
                                       {name, &place->longitude, -360, 360, false}};
    if (node->kind != NODE_LIST || node->n != 2)
        return FAIL(r, "%s: not a place, expected [latitude, longitude] in degrees", name);
    for (int i = 0; i < 2; i++)
        if (read_number(r, node->items[i], &parts[i]) < 0)
            return -1;
    return 0;
}

/* `from`, `to` and the given keys of a map; `needed`: how many of these must be there. */
static int read_satellite(const struct reader *r, const struct node *map, struct place *ends,
                          const struct number_key *keys, size_t nkeys, size_t needed)
{
    if (map->kind != NODE_MAP || !yaml_get(map, "from") || !yaml_get(map, "to"))
        return FAIL(r, "without its ends, expected {from: [latitude, longitude], to: [latitude, longitude], ...}");
    for (uint32_t i = 0; i < map->n; i++) {
        const char *name = map->keys[i]->text;
        size_t k = 0;
        bool is_to = strcmp(name, "to") == 0;
        if (is_to || strcmp(name, "from") == 0) {
            if (read_place(r, name, map->items[i], &ends[is_to]) < 0)
                return -1;
            continue;
        }
        while (k < nkeys && strcmp(keys[k].key, name) != 0)
            k++;
        if (k == nkeys)
            return FAIL(r, "unknown key `%.40s`, expected from, to or such as `%s`", name, keys[0].key);
        if (read_number(r, map->items[i], &keys[k]) < 0)
            return -1;
    }
    for (size_t k = 0; k < needed; k++)
        if (!yaml_get(map, keys[k].key))
            return FAIL(r, "without `%s`, expected {from: ..., to: ..., %s: ...}", keys[k].key, keys[k].key);
    return 0;
}

/* --- satellites --------------------------------------------------------------------------------------------------- */

static int read_geo(const struct reader *r, const struct node *map)
{
    struct place ends[2];
    double longitude = 0;
    const struct number_key keys[] = {{"longitude", &longitude, -360, 360, false}};
    if (read_satellite(r, map, ends, keys, 1, 1) < 0)
        return -1;
    int64_t delay_ps = geo_delay_ps(ends, longitude);
    if (delay_ps < 0)
        return FAIL(r, "the satellite is below the horizon of an end, expected another longitude");
    r->out->steps = arena_alloc(r->arena, sizeof *r->out->steps);
    r->out->steps[r->out->n++] = (struct step_cfg){.at_ps = 0, .delay_ps = delay_ps, .up = -1};
    r->out->canon = arena_format(r->arena, "geo %lld ps", (long long)delay_ps);
    return 0;
}

/* A step where the delay has moved by so much: 0.1 ms, the resolution of the measured schedule. */
#define LEO_STEP_PS (PS_PER_MS / 10)

static int add_leo_steps(const struct reader *r, struct leo *leo, double until_s)
{
    int64_t before_ps = -1;
    r->out->steps = arena_alloc(r->arena, ((size_t)(until_s / LEO_CHECK_S) + 1) * sizeof *r->out->steps);
    for (int64_t t = 0; (double)t <= until_s; t += LEO_CHECK_S) {
        int passed;
        int64_t delay_ps = leo_delay_ps(leo, (double)t, &passed);
        if (delay_ps < 0)
            return FAIL(r, "no way from end to end at %lld s, expected more satellites or a lower mask", (long long)t);
        if (before_ps >= 0 && llabs(delay_ps - before_ps) < LEO_STEP_PS)
            continue;
        r->out->steps[r->out->n++] = (struct step_cfg){.at_ps = t * PS_PER_S, .delay_ps = delay_ps, .up = -1};
        before_ps = delay_ps;
    }
    return 0;
}

static int read_leo(const struct reader *r, const struct node *map)
{
    struct leo leo = {.altitude_km = 780,
                      .planes = 6,
                      .per_plane = 11,
                      .inclination = 86.4,
                      .separation = 31.6,
                      .mask = 8.2,
                      .serving = {-1, -1}};
    double until_s = 86400;
    const struct number_key keys[] = {
        {"altitude_km", &leo.altitude_km, 200, 20000, false},
        {"planes", &leo.planes, 1, LEO_PLANES_MAX, true},
        {"per_plane", &leo.per_plane, 3, LEO_PER_PLANE_MAX, true},
        {"inclination", &leo.inclination, 0, 180, false},
        {"plane_separation", &leo.separation, 0, 180, false},
        {"mask", &leo.mask, 0, 89, false},
        {"until_s", &until_s, LEO_CHECK_S, 1e6, false},
    };
    if (read_satellite(r, map, leo.ends, keys, sizeof keys / sizeof *keys, 0) < 0 ||
        add_leo_steps(r, &leo, until_s) < 0)
        return -1;
    const char *canon = arena_format(r->arena, "leo %.17g,%.17g %.17g,%.17g", leo.ends[0].latitude,
                                     leo.ends[0].longitude, leo.ends[1].latitude, leo.ends[1].longitude);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        canon = arena_format(r->arena, "%s %.17g", canon, *keys[k].value);
    r->out->canon = canon;
    return 0;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

enum column { COLUMN_TIME, COLUMN_RATE, COLUMN_DELAY, COLUMN_UP, COLUMNS };
static const char *const column_names[COLUMNS] = {"time_s", "rate_bps", "delay_ms", "up"};

/* Columns in the order of the file's first line. */
static int read_header(const struct reader *r, const char *text, enum column *columns, unsigned *n)
{
    size_t length = strcspn(text, "\n"), used = 0;
    unsigned seen = 0;
    for (*n = 0;; ++*n) {
        used += strspn(text + used, ",; \t\r");
        if (used >= length)
            break;
        size_t word = strcspn(text + used, ",; \t\r\n");
        int c = 0;
        while (c < COLUMNS && (strlen(column_names[c]) != word || strncmp(column_names[c], text + used, word) != 0))
            c++;
        if (c == COLUMNS || seen & 1u << c)
            return FAIL(r, "line 1: `%.*s` is no column, expected time_s and some of rate_bps, delay_ms, up",
                        (int)(word < 40 ? word : 40), text + used);
        seen |= 1u << c;
        columns[*n] = (enum column)c;
        used += word;
    }
    if (!(seen & 1u << COLUMN_TIME) || *n < 2)
        return FAIL(r, "line 1: no names of columns, expected time_s and some of rate_bps, delay_ms, up");
    return 0;
}

static int add_row(const struct reader *r, const enum column *columns, unsigned n, const double *cells)
{
    struct step_cfg step = {.delay_ps = -1, .up = -1};
    for (unsigned i = 0; i < n; i++) {
        double x = cells[i], most = (double[]){1e6, 1e13, 1e8, 1}[columns[i]], least = columns[i] == COLUMN_RATE;
        if (x < least || x > most || (columns[i] == COLUMN_UP && x != floor(x)))
            return FAIL(r, "%s of %g is out of range, expected %g to %g", column_names[columns[i]], x, least, most);
        if (columns[i] == COLUMN_TIME)
            step.at_ps = llround(x * 1e12);
        else if (columns[i] == COLUMN_RATE)
            step.rate_bps = x;
        else if (columns[i] == COLUMN_DELAY)
            step.delay_ps = llround(x * 1e9);
        else
            step.up = (int)x;
    }
    if (r->out->n > 0 && step.at_ps <= r->out->steps[r->out->n - 1].at_ps)
        return FAIL(r, "not after the row before it, expected ascending times");
    r->out->steps[r->out->n++] = step;
    return 0;
}

static int read_file(const struct reader *r, const struct node *node)
{
    enum column columns[COLUMNS];
    unsigned n;
    double cells[COLUMNS];
    struct side_file file;
    char why[256];
    int got;
    if (node->kind != NODE_SCALAR)
        return FAIL(r, "%s, expected the name of a file", yaml_kind(node));
    if (side_file_read(r->arena, node->text, &file, r->why, r->size) < 0)
        return -1;
    struct reader in_file = {r->arena, r->out, why, sizeof why};
    if (read_header(&in_file, file.text, columns, &n) < 0)
        return FAIL(r, "%.100s: %s", node->text, why);
    size_t lines = 1;
    for (const char *at = file.text; *at; at++)
        lines += *at == '\n';
    r->out->steps = arena_alloc(r->arena, lines * sizeof *r->out->steps);
    while ((got = side_file_next(&file, n, n, cells, why, sizeof why)) > 0)
        if (add_row(&in_file, columns, n, cells) < 0)
            return FAIL(r, "%.100s: line %u: %s", node->text, file.line, why);
    if (got < 0)
        return FAIL(r, "%.100s: %s", node->text, why);
    if (r->out->n == 0)
        return FAIL(r, "%.100s: no rows, expected some", node->text);
    r->out->canon = arena_format(r->arena, "file %s", file.hash);
    return 0;
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

int schedule_form_read(const struct node *map, struct arena *arena, struct schedule_form *out, char *why, size_t size)
{
    static const struct {
        const char *key;
        int (*read)(const struct reader *r, const struct node *node);
    } forms[] = {{"leo", read_leo}, {"geo", read_geo}, {"file", read_file}};
    char inner[400];
    struct reader r = {arena, out, inner, sizeof inner};
    *out = (struct schedule_form){.n = 0};
    for (size_t i = 0; map->n == 1 && i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(map->keys[0]->text, forms[i].key) != 0)
            continue;
        if (forms[i].read(&r, map->items[0]) == 0)
            return 0;
        snprintf(why, size, "%s: %s", forms[i].key, inner);
        return -1;
    }
    snprintf(why, size, "not a schedule, expected one of {file: NAME}, {leo: ...}, {geo: ...}, or a list of steps");
    return -1;
}
