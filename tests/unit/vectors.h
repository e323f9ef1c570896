/* vectors.h - tables of reference numbers: CSV rows whose cells hold `name=value;name=value`, for tests. */
#ifndef TESTS_UNIT_VECTORS_H
#define TESTS_UNIT_VECTORS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { VECTOR_CELLS_MAX = 8, VECTOR_LINE_BYTES = 4096 };

/* Cuts a CSV line in place: `,` with standard double quotes. Returns the number of cells. */
static inline int vector_split(char *line, char *cell[VECTOR_CELLS_MAX])
{
    char *write = line;
    int quoted = 0, n = 0;
    cell[n++] = line;
    for (char *c = line; *c && *c != '\n' && *c != '\r'; c++) {
        if (*c == '"')
            quoted = !quoted;
        else if (*c == ',' && !quoted && n < VECTOR_CELLS_MAX) {
            *write++ = 0;
            cell[n++] = write;
        } else
            *write++ = *c;
    }
    *write = 0;
    return n;
}

/* Text after `name=` in a list `name=value;name=value`, or NULL. */
static inline const char *vector_text(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    return NULL;
}

/* Its number, NaN if it is not there. */
static inline double vector_value(const char *list, const char *name)
{
    const char *text = vector_text(list, name);
    return text ? strtod(text, NULL) : NAN;
}

static inline void vector_near(const char *id, const char *name, double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fabs(want)))
        fail_msg("%s: %s is %.10g, expected %.10g", id, name, got, want);
}

struct vector_row {
    const char *id, *inputs, *expected;
    double tolerance;
};

/* What becomes of the rows whose id begins with prefix: a check, or the reason why there is none. */
struct vector_rule {
    const char *prefix;
    void (*check)(const struct vector_row *row);
    const char *reason;
};

/* Columns of a table. */
struct vector_columns {
    int id, group, inputs, expected, tolerance; /* tolerance -1: 0 */
};

static inline double vector_in(const struct vector_row *row, const char *name)
{
    double value = vector_value(row->inputs, name);
    if (isnan(value))
        fail_msg("%s: no input %s", row->id, name);
    return value;
}

static inline int vector_has(const struct vector_row *row, const char *name)
{
    return vector_text(row->expected, name) != NULL;
}

static inline void vector_check_within(const struct vector_row *row, const char *name, double got, double tolerance)
{
    vector_near(row->id, name, got, vector_value(row->expected, name), tolerance);
}

static inline void vector_check(const struct vector_row *row, const char *name, double got)
{
    vector_check_within(row, name, got, row->tolerance);
}

enum { VECTOR_RULES_MAX = 100 };

static inline int vector_is_listed(const char *const *list, const char *word)
{
    for (; *list; list++)
        if (strcmp(*list, word) == 0)
            return 1;
    return 0;
}

/* Tells tests/check/test_vector_book.py what became of a row: appends it to the file that VECTOR_BOOK names, if any. */
static inline void vector_note(const char *path, const char *id, const char *reason)
{
    const char *book = getenv("VECTOR_BOOK"), *name = strrchr(path, '/');
    FILE *file = book ? fopen(book, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s\t%s\t%s\n", name ? name + 1 : path, id, reason ? reason : "");
    fclose(file);
}

/* Runs the rules over the rows of these groups: each row needs one (the first that fits), each rule a row. */
static inline void vector_run(const char *path, const struct vector_columns *at, const char *const *groups,
                              const struct vector_rule *rules)
{
    char line[VECTOR_LINE_BYTES], *cell[VECTOR_CELLS_MAX];
    int used[VECTOR_RULES_MAX] = {0}, checked = 0, listed = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("cannot read %s", path);
    while (fgets(line, sizeof line, file)) {
        if (vector_split(line, cell) <= at->expected || !vector_is_listed(groups, cell[at->group]))
            continue;
        struct vector_row row = {cell[at->id], cell[at->inputs], cell[at->expected],
                                 at->tolerance < 0 ? 0 : strtod(cell[at->tolerance], NULL)};
        int i = 0;
        while (rules[i].prefix && strncmp(row.id, rules[i].prefix, strlen(rules[i].prefix)) != 0)
            i++;
        if (!rules[i].prefix)
            fail_msg("%s: no rule", row.id);
        used[i]++;
        checked += rules[i].check != NULL;
        listed += rules[i].check == NULL;
        if (rules[i].check)
            rules[i].check(&row);
        else
            assert_non_null(rules[i].reason);
        vector_note(path, row.id, rules[i].reason);
    }
    fclose(file);
    for (int i = 0; rules[i].prefix; i++)
        if (!used[i])
            fail_msg("%s: no such row", rules[i].prefix);
    print_message("%s: %d rows checked, %d listed with a reason\n", path, checked, listed);
}

#endif
