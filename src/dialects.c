/* dialects.c - the tables of dialects and algorithm presets, and what they mean together. */
#include "dialects.h"
#include "../kernels/registry.h"

#include <stdio.h>
#include <string.h>

#define DIALECT(name, settings, help, source) {#name, settings, help, source, NULL},
#define ALGORITHM(name, settings, help, source, aliases)
#define IN_DIALECT(algorithm, dialect, settings)
const struct bundle dialect_table[] = {
#include "dialects.def"
};
#undef DIALECT
#undef ALGORITHM
#undef IN_DIALECT

#define DIALECT(name, settings, help, source)
#define ALGORITHM(name, settings, help, source, aliases) {#name, settings, help, source, aliases},
#define IN_DIALECT(algorithm, dialect, settings)
const struct bundle algorithm_table[] = {
#include "dialects.def"
};
#undef ALGORITHM
#undef IN_DIALECT

static const struct special {
    const char *algorithm, *dialect, *settings;
} specials[] = {
#define ALGORITHM(name, settings, help, source, aliases)
#define IN_DIALECT(algorithm, dialect, settings) {#algorithm, #dialect, settings},
#include "dialects.def"
};
#undef DIALECT
#undef ALGORITHM
#undef IN_DIALECT

const size_t dialect_count = sizeof dialect_table / sizeof *dialect_table;
const size_t algorithm_count = sizeof algorithm_table / sizeof *algorithm_table;

/* By name or alias, as in the kernel's lists. */
static int find(const struct bundle *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        const struct item item = {.name = table[i].name, .aliases = table[i].aliases};
        const void *const list[] = {&item, NULL};
        if (registry_find(list, name))
            return (int)i;
    }
    return -1;
}

int dialect_find(const char *name)
{
    return find(dialect_table, dialect_count, name);
}

int algorithm_find(const char *name)
{
    return find(algorithm_table, algorithm_count, name);
}

/* Reads one `key: value` into values. */
static int read_setting(struct arena *arena, const char *setting, struct tcp_values *values, char *why, size_t size)
{
    const char *colon = strstr(setting, ": ");
    char *key = arena_copy(arena, setting, colon ? (size_t)(colon - setting) : strlen(setting));
    int row = param_find(FIRST_TCP, END_TCP, key);
    if (!colon || row < 0) {
        snprintf(why, size, "built-in setting `%s`: unknown key", setting);
        return -1;
    }
    struct value *value = arena_alloc(arena, sizeof *value);
    values->row[row - FIRST_TCP] = value;
    return value_parse_text(&param_table[row], colon + 2, arena, value, why, size);
}

static int read_settings(struct arena *arena, const char *settings, struct tcp_values *values, char *why, size_t size)
{
    while (*settings) {
        size_t length = strcspn(settings, ";");
        if (read_setting(arena, arena_copy(arena, settings, length), values, why, size) < 0)
            return -1;
        settings += length;
        settings += strspn(settings, "; ");
    }
    return 0;
}

static int read_defaults(struct arena *arena, struct tcp_values *values, char *why, size_t size)
{
    for (int row = FIRST_TCP; row < END_TCP; row++) {
        struct value *value = arena_alloc(arena, sizeof *value);
        values->row[row - FIRST_TCP] = value;
        if (value_parse_text(&param_table[row], param_table[row].fallback, arena, value, why, size) < 0)
            return -1;
    }
    return 0;
}

static void overlay(struct tcp_values *under, const struct tcp_values *over)
{
    for (int i = 0; i < TCP_ROWS; i++)
        if (over->row[i])
            under->row[i] = over->row[i];
}

static int read_specials(struct arena *arena, size_t dialect, size_t algorithm, struct tcp_values *values, char *why,
                         size_t size)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (strcmp(specials[i].dialect, dialect_table[dialect].name) == 0 &&
            strcmp(specials[i].algorithm, algorithm_table[algorithm].name) == 0 &&
            read_settings(arena, specials[i].settings, values, why, size) < 0)
            return -1;
    return 0;
}

static int resolve_dialect(struct arena *arena, size_t dialect, const struct tcp_values *defaults,
                           const struct tcp_values *presets, struct tcp_values *out, char *why, size_t size)
{
    struct tcp_values base = *defaults;
    if (read_settings(arena, dialect_table[dialect].settings, &base, why, size) < 0)
        return -1;
    for (size_t a = 0; a < algorithm_count; a++) {
        out[a] = base;
        overlay(&out[a], &presets[a]);
        if (read_specials(arena, dialect, a, &out[a], why, size) < 0)
            return -1;
    }
    return 0;
}

const struct tcp_values *dialects_resolve(struct arena *arena, char *why, size_t size)
{
    struct tcp_values defaults;
    struct tcp_values *presets = arena_alloc(arena, algorithm_count * sizeof *presets);
    struct tcp_values *out = arena_alloc(arena, dialect_count * algorithm_count * sizeof *out);
    if (read_defaults(arena, &defaults, why, size) < 0)
        return NULL;
    for (size_t a = 0; a < algorithm_count; a++)
        if (read_settings(arena, algorithm_table[a].settings, &presets[a], why, size) < 0)
            return NULL;
    for (size_t d = 0; d < dialect_count; d++)
        if (resolve_dialect(arena, d, &defaults, presets, out + d * algorithm_count, why, size) < 0)
            return NULL;
    return out;
}
