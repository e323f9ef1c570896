/* value.c - one value of a key. */
#include "value.h"
#include "../kernels/registry.h"
#include "dialects.h"
#include "schedule_form.h"
#include "value_app.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parse {
    const struct param *param;
    const struct node *node;
    struct arena *arena;
    struct value *out;
    char *why;
    size_t size;
};

static int fail(const struct parse *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(const struct parse *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(p->why, p->size, format, args);
    va_end(args);
    return -1;
}

static int fail_expected(const struct parse *p, const char *text)
{
    char expected[768];
    param_expected(p->param, expected, sizeof expected);
    const char *nearest = param_nearest_name(p->param, text);
    return fail(p, "`%.60s` is not known, expected %s%s%s%s", text, expected, nearest ? "; the nearest is `" : "",
                nearest ? nearest : "", nearest ? "`" : "");
}

/* --- numbers ----------------------------------------------------------------------------------------------------- */

bool value_is_whole(enum param_type type, enum unit unit)
{
    return type == TYPE_BYTES32 || type == TYPE_BYTES64 || type == TYPE_COUNT32 || type == TYPE_COUNT64 ||
           unit == UNIT_PACKETS || unit == UNIT_BYTES;
}

static bool is_time(const struct param *param)
{
    return param->type == TYPE_TIME || param->type == TYPE_START;
}

/* The shortest decimal that reads back as the same double. */
static void format_exact(double x, char *text, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            return;
    }
}

static void set_canon(const struct parse *p)
{
    static const char *const suffix[UNIT_COUNT] = {"", " s", " bit/s", " B", " packets", " segments", " bdp"};
    char number[40];
    struct value *v = p->out;
    format_exact(v->number, number, sizeof number);
    if (v->is_word)
        v->canon = p->param->word;
    else if (is_time(p->param))
        v->canon = arena_format(p->arena, "%" PRId64 " ps", v->integer);
    else
        v->canon = arena_format(p->arena, "%s%s", number, suffix[v->unit]);
}

/* Stores a number that is in range. */
static void set_number(const struct parse *p, struct quantity q, const char *text)
{
    struct value *v = p->out;
    v->number = q.value;
    v->unit = q.unit;
    v->text = text;
    if (is_time(p->param)) {
        double ps = q.value * 1e12;
        v->integer = ps >= (double)TIME_NEVER ? TIME_NEVER : llround(ps);
    } else {
        v->integer = q.value < 9e18 ? llround(q.value) : INT64_MAX;
    }
    set_canon(p);
}

static int check_number(const struct parse *p, struct quantity q, const char *text)
{
    char range[96];
    double low = p->param->min, high = p->param->max;
    if (q.value < low * (1 - 1e-12) || q.value > high * (1 + 1e-12)) {
        param_range(p->param, range, sizeof range);
        return fail(p, "`%.60s` is out of range, expected %s", text, range);
    }
    if (value_is_whole(p->param->type, q.unit) && q.value != floor(q.value)) {
        return fail(p, "`%.60s` is not whole, expected a whole number%s%s", text, q.unit ? " of " : "",
                    q.unit ? units_name(q.unit) : "");
    }
    return 0;
}

static int store_number(const struct parse *p, struct quantity q, const char *text)
{
    if (q.value == 0)
        q.value = 0; /* no negative zero */
    if (check_number(p, q, text) < 0)
        return -1;
    set_number(p, q, text);
    return 0;
}

static int parse_number(const struct parse *p)
{
    struct quantity q;
    if (p->param->word && strcmp(p->node->text, p->param->word) == 0) {
        p->out->is_word = true;
        set_number(p, (struct quantity){p->param->word_value, UNIT_NONE}, p->param->word);
        return 0;
    }
    char why[384];
    if (units_parse(p->node->text, value_units(p->param->type), &q, why, sizeof why) < 0)
        return p->param->word ? fail(p, "%s or `%s`", why, p->param->word) : fail(p, "%s", why);
    return store_number(p, q, p->node->text);
}

int value_from_quantity(const struct param *param, struct quantity q, const char *text, struct arena *arena,
                        struct value *out, char *why, size_t size)
{
    struct parse p = {.param = param, .arena = arena, .out = out, .why = why, .size = size};
    char human[48];
    memset(out, 0, sizeof *out);
    if (value_is_whole(param->type, q.unit))
        q.value = round(q.value);
    if (!text) {
        units_format(q, human, sizeof human);
        text = arena_copy(arena, human, strlen(human));
    }
    return store_number(&p, q, text);
}

static int parse_seed(const struct parse *p)
{
    char *end;
    errno = 0;
    unsigned long long seed = strtoull(p->node->text, &end, 10);
    if (*end || end == p->node->text || errno || strchr(p->node->text, '-'))
        return fail(p, "`%.60s` is not a seed, expected a whole number from 0 to 18446744073709551615", p->node->text);
    p->out->integer = (int64_t)seed;
    p->out->text = p->out->canon = p->node->text;
    return 0;
}

/* --- names ------------------------------------------------------------------------------------------------------- */

static int parse_text(const struct parse *p)
{
    p->out->text = p->out->canon = p->node->text;
    return 0;
}

static int parse_bool(const struct parse *p)
{
    static const char *const words[] = {"false", "no", "off", "true", "yes", "on"};
    for (int i = 0; i < 6; i++)
        if (strcmp(p->node->text, words[i]) == 0) {
            p->out->integer = i / 3;
            p->out->text = p->out->canon = words[i / 3 * 3];
            return 0;
        }
    return fail(p, "`%.60s` is neither true nor false, expected true or false", p->node->text);
}

static int set_name(const struct parse *p, int64_t index, const void *pointer, const char *name)
{
    p->out->integer = index;
    p->out->pointer = pointer;
    p->out->text = p->out->canon = name;
    return 0;
}

static int parse_choice(const struct parse *p)
{
    for (int64_t i = 0; p->param->names[i]; i++)
        if (strcmp(p->node->text, p->param->names[i]) == 0)
            return set_name(p, i, NULL, p->param->names[i]);
    return fail_expected(p, p->node->text);
}

static int parse_item(const struct parse *p)
{
    const struct item *item = registry_find(p->param->list, p->node->text);
    return item ? set_name(p, 0, item, item->name) : fail_expected(p, p->node->text);
}

static int parse_dialect(const struct parse *p)
{
    int i = dialect_find(p->node->text);
    return i >= 0 ? set_name(p, i, NULL, dialect_table[i].name) : fail_expected(p, p->node->text);
}

static int parse_algorithm(const struct parse *p)
{
    int i = algorithm_find(p->node->text);
    return i >= 0 ? set_name(p, i, NULL, algorithm_table[i].name) : fail_expected(p, p->node->text);
}

/* --- start, schedule, drops -------------------------------------------------------------------------------------- */

static int parse_start_range(const struct parse *p)
{
    const struct node *range = yaml_get(p->node, "uniform");
    struct value ends[2];
    if (p->node->n != 1 || !range || range->kind != NODE_LIST || range->n != 2)
        return fail(p, "not a start time, expected a time such as `50 ms` or {uniform: [0 s, 1 s]}");
    struct param time = *p->param;
    time.type = TYPE_TIME;
    for (int i = 0; i < 2; i++)
        if (value_parse(&time, range->items[i], p->arena, &ends[i], p->why, p->size) < 0)
            return -1;
    if (ends[1].integer < ends[0].integer)
        return fail(p, "`%.40s` is before `%.40s`, expected {uniform: [from, to]}", ends[1].text, ends[0].text);
    p->out->integer = ends[0].integer;
    p->out->number = ends[0].number;
    p->out->spread = ends[1].integer - ends[0].integer;
    p->out->canon = arena_format(p->arena, "%" PRId64 "+%" PRId64 " ps", p->out->integer, p->out->spread);
    p->out->text = arena_format(p->arena, "uniform %s to %s", ends[0].text, ends[1].text);
    return 0;
}

static int parse_start(const struct parse *p)
{
    if (p->node->kind == NODE_MAP)
        return parse_start_range(p);
    struct param time = *p->param;
    time.type = TYPE_TIME;
    return value_parse(&time, p->node, p->arena, p->out, p->why, p->size);
}

/* One {key: value} entry of a list: values of rows first .. end-1 into row[]; what is not named has no canon. */
static int parse_entry(const struct parse *p, const struct node *map, int first, int end, struct value *row)
{
    char why[512];
    if (map->kind != NODE_MAP)
        return fail(p, "%s, expected a map such as {%s: ...}", yaml_kind(map), param_table[first].key);
    memset(row, 0, (size_t)(end - first) * sizeof *row);
    for (uint32_t i = 0; i < map->n; i++) {
        const char *key = map->keys[i]->text;
        int r = param_find(first, end, key);
        if (r < 0)
            return fail(p, "unknown key `%.60s`, expected `%s`", key, param_nearest(first, end, key));
        if (value_parse(&param_table[r], map->items[i], p->arena, &row[r - first], why, sizeof why) < 0)
            return fail(p, "%s: %s", key, why);
    }
    return 0;
}

/* Adds an entry to the canonical text of a list. */
static void add_canon(const struct parse *p, int first, int end, const struct value *row)
{
    const char *text = p->out->canon ? p->out->canon : "";
    for (int r = first; r < end; r++)
        if (row[r - first].canon)
            text = arena_format(p->arena, "%s%s=%s,", text, param_table[r].key, row[r - first].canon);
    p->out->text = p->out->canon = arena_format(p->arena, "%s;", text);
}

enum { ENTRIES_MAX = 10000 };

static int check_list(const struct parse *p, const char *expected)
{
    if (p->node->kind != NODE_LIST)
        return fail(p, "%s, expected %s", yaml_kind(p->node), expected);
    if (p->node->n > ENTRIES_MAX)
        return fail(p, "%u entries, expected at most 10000", p->node->n);
    p->out->n = p->node->n;
    p->out->text = p->out->canon = "";
    return 0;
}

static int parse_schedule_form(const struct parse *p)
{
    struct schedule_form form;
    if (schedule_form_read(p->node, p->arena, &form, p->why, p->size) < 0)
        return -1;
    p->out->pointer = form.steps;
    p->out->n = form.n;
    p->out->text = p->out->canon = form.canon;
    return 0;
}

static int parse_schedule(const struct parse *p)
{
    struct value row[END_STEP - FIRST_STEP];
    if (p->node->kind == NODE_MAP)
        return parse_schedule_form(p);
    if (check_list(p, "a list such as [{at: 10 s, rate: 1 Mbit/s}]") < 0)
        return -1;
    struct step_cfg *steps = arena_alloc(p->arena, p->node->n * sizeof *steps);
    for (uint32_t i = 0; i < p->node->n; i++) {
        if (parse_entry(p, p->node->items[i], FIRST_STEP, END_STEP, row) < 0)
            return -1;
        if (!row[0].canon)
            return fail(p, "an entry without `at`, expected {at: 10 s, ...}");
        steps[i] = (struct step_cfg){.delay_ps = -1, .up = -1};
        for (int r = FIRST_STEP; r < END_STEP; r++)
            if (row[r - FIRST_STEP].canon)
                value_write(&param_table[r], &row[r - FIRST_STEP], &steps[i], 0);
        if (i && steps[i].at_ps <= steps[i - 1].at_ps)
            return fail(p, "at: `%.40s` is not after the entry before it, expected ascending times", row[0].text);
        add_canon(p, FIRST_STEP, END_STEP, row);
    }
    p->out->pointer = steps;
    return 0;
}

static int set_drop(const struct parse *p, const struct value *row, struct drop_cfg *drop)
{
    const struct value *packet = &row[ROW_drop_packet - FIRST_DROP], *segment = &row[ROW_drop_segment - FIRST_DROP];
    const struct value *transmission = &row[ROW_drop_transmission - FIRST_DROP], *ack = &row[ROW_drop_ack - FIRST_DROP];
    int kinds = !!packet->canon + !!segment->canon + !!ack->canon;
    if (kinds != 1 || !segment->canon != !transmission->canon)
        return fail(p, "an entry is incomplete or mixed, expected one of {packet: N}, {segment: S, transmission: K}, "
                       "{ack: N}");
    if (segment->canon)
        *drop = (struct drop_cfg){DROP_SEGMENT, (uint32_t)segment->integer, (uint32_t)transmission->integer};
    else if (packet->canon)
        *drop = (struct drop_cfg){DROP_PACKET, (uint32_t)packet->integer, 0};
    else
        *drop = (struct drop_cfg){DROP_ACK, (uint32_t)ack->integer, 0};
    return 0;
}

static int parse_drops(const struct parse *p)
{
    struct value row[END_DROP - FIRST_DROP];
    if (check_list(p, "a list such as [{packet: 14}]") < 0)
        return -1;
    struct drop_cfg *drops = arena_alloc(p->arena, p->node->n * sizeof *drops);
    for (uint32_t i = 0; i < p->node->n; i++) {
        if (parse_entry(p, p->node->items[i], FIRST_DROP, END_DROP, row) < 0 || set_drop(p, row, &drops[i]) < 0)
            return -1;
        add_canon(p, FIRST_DROP, END_DROP, row);
    }
    p->out->pointer = drops;
    return 0;
}

static int parse_sizes(const struct parse *p)
{
    return value_read_sizes(p->node, p->arena, p->out, p->why, p->size);
}

static int parse_trace(const struct parse *p)
{
    return value_read_trace(p->node, p->arena, p->out, p->why, p->size);
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

#define WRITER(name, type, expression)                                                                                 \
    static void write_##name(const struct value *v, void *field, uint32_t mss)                                         \
    {                                                                                                                  \
        (void)mss;                                                                                                     \
        *(type *)field = expression;                                                                                   \
    }

WRITER(i64, int64_t, v->integer)
WRITER(u64, uint64_t, (uint64_t)v->integer)
WRITER(u32, uint32_t, (uint32_t)v->integer)
WRITER(f64, double, v->number)
WRITER(bool, bool, v->integer != 0)
WRITER(int, int, (int)v->integer)
WRITER(pointer, const void *, v->pointer)
WRITER(window, uint64_t, (uint64_t)llround(v->unit == UNIT_SEGMENTS ? v->number * mss : v->number))
WRITER(segments, double, v->unit == UNIT_BYTES ? v->number / mss : v->number)

static void write_queue(const struct value *v, void *field, uint32_t mss)
{
    (void)mss;
    struct queue_cfg *queue = field;
    queue->unit = v->is_word                ? QUEUE_UNLIMITED
                  : v->unit == UNIT_PACKETS ? QUEUE_PACKETS
                  : v->unit == UNIT_BYTES   ? QUEUE_BYTES
                                            : QUEUE_BDP;
    queue->size = v->number;
}

static void write_mark(const struct value *v, void *field, uint32_t mss)
{
    (void)mss;
    *(struct mark_cfg *)field = (struct mark_cfg){.unit = v->is_word                ? MARK_OFF
                                                          : v->unit == UNIT_PACKETS ? MARK_PACKETS
                                                                                    : MARK_FRACTION,
                                                  .size = v->number};
}

static void write_sizes(const struct value *v, void *field, uint32_t mss)
{
    (void)mss;
    *(struct size_list *)field = (struct size_list){v->pointer, v->n};
}

static void write_trace(const struct value *v, void *field, uint32_t mss)
{
    (void)mss;
    *(struct write_list *)field = (struct write_list){v->pointer, v->n};
}

/* --- types ------------------------------------------------------------------------------------------------------- */

static const struct type {
    unsigned units; /* 0 = not a number */
    int (*parse)(const struct parse *p);
    void (*write)(const struct value *v, void *field, uint32_t mss);
    const char *expected; /* for types without units */
    bool takes_any_node;  /* not only a single value */
} types[TYPE_COUNT] = {
    [TYPE_STRUCTURE] = {0, NULL, NULL, "a section of its own", true},
    [TYPE_TEXT] = {0, parse_text, NULL, "text", false},
    [TYPE_SEED] = {0, parse_seed, NULL, "a whole number", false},
    [TYPE_TIME] = {UNIT_BIT(UNIT_TIME), parse_number, write_i64, NULL, false},
    [TYPE_RATE] = {UNIT_BIT(UNIT_RATE), parse_number, write_f64, NULL, false},
    [TYPE_BYTES32] = {UNIT_BIT(UNIT_BYTES), parse_number, write_u32, NULL, false},
    [TYPE_BYTES64] = {UNIT_BIT(UNIT_BYTES), parse_number, write_u64, NULL, false},
    [TYPE_WINDOW] = {UNIT_BIT(UNIT_BYTES) | UNIT_BIT(UNIT_SEGMENTS), parse_number, write_window, NULL, false},
    [TYPE_COUNT32] = {UNIT_BIT(UNIT_NONE), parse_number, write_u32, NULL, false},
    [TYPE_COUNT64] = {UNIT_BIT(UNIT_NONE), parse_number, write_u64, NULL, false},
    [TYPE_REAL] = {UNIT_BIT(UNIT_NONE), parse_number, write_f64, NULL, false},
    [TYPE_SEGMENTS] = {UNIT_BIT(UNIT_BYTES) | UNIT_BIT(UNIT_SEGMENTS), parse_number, write_segments, NULL, false},
    [TYPE_QUEUE] = {UNIT_BIT(UNIT_PACKETS) | UNIT_BIT(UNIT_BYTES) | UNIT_BIT(UNIT_BDP), parse_number, write_queue, NULL,
                    false},
    [TYPE_MARK] = {UNIT_BIT(UNIT_NONE) | UNIT_BIT(UNIT_PACKETS), parse_number, write_mark, NULL, false},
    [TYPE_PACKETS] = {UNIT_BIT(UNIT_PACKETS), parse_number, write_f64, NULL, false},
    [TYPE_BOOL] = {0, parse_bool, write_bool, "true or false", false},
    [TYPE_CHOICE] = {0, parse_choice, write_int, NULL, false},
    [TYPE_ITEM] = {0, parse_item, write_pointer, NULL, false},
    [TYPE_DIALECT] = {0, parse_dialect, NULL, NULL, false},
    [TYPE_ALGORITHM] = {0, parse_algorithm, NULL, NULL, false},
    [TYPE_START] = {0, parse_start, write_i64, "a time such as `50 ms` or {uniform: [0 s, 1 s]}", true},
    [TYPE_SCHEDULE] = {0, parse_schedule, write_pointer, "a list such as [{at: 10 s, rate: 1 Mbit/s}]", true},
    [TYPE_SIZES] = {0, parse_sizes, write_sizes, "a list of sizes such as [10 kB, 1 MB], or the name of a file", true},
    [TYPE_TRACE] = {0, parse_trace, write_trace, "the name of a file", false},
    [TYPE_DROPS] = {0, parse_drops, write_pointer, "a list such as [{packet: 14}]", true},
};

int value_parse(const struct param *param, const struct node *node, struct arena *arena, struct value *out, char *why,
                size_t size)
{
    struct parse p = {param, node, arena, out, why, size};
    char expected[768];
    memset(out, 0, sizeof *out);
    out->line = node->line;
    if (node->kind != NODE_SCALAR && !types[param->type].takes_any_node) {
        param_expected(param, expected, sizeof expected);
        return fail(&p, "%s, expected %s", yaml_kind(node), expected);
    }
    if (node->kind == NODE_SCALAR && !*node->text && param->type != TYPE_TEXT) {
        param_expected(param, expected, sizeof expected);
        return fail(&p, "no value, expected %s", expected);
    }
    return types[param->type].parse(&p);
}

int value_parse_text(const struct param *param, const char *text, struct arena *arena, struct value *out, char *why,
                     size_t size)
{
    struct node node = {.kind = NODE_SCALAR, .text = text};
    return value_parse(param, &node, arena, out, why, size);
}

void value_write(const struct param *param, const struct value *value, void *base, uint32_t mss_bytes)
{
    if (param->offset != NO_OFFSET && types[param->type].write)
        types[param->type].write(value, (char *)base + param->offset, mss_bytes);
}

unsigned value_units(enum param_type type)
{
    return types[type].units;
}

const char *value_expected(enum param_type type)
{
    return types[type].expected;
}

bool value_is_number(const struct param *param, const struct value *value)
{
    bool start = param->type == TYPE_START && value->spread == 0 && value->unit == UNIT_TIME;
    return (types[param->type].units || start) && !value->is_word;
}

double value_si(const struct param *param, const struct value *value)
{
    return is_time(param) ? (double)value->integer / 1e12 : value->number;
}
