/* value_app.c - see value_app.h. */
#include "value_app.h"

#include "side_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 10000000 };

static const double LARGEST_BYTES = 1e15, LONGEST_S = 1e6;

static int fail(char *why, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int fail(char *why, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, size, format, args);
    va_end(args);
    return -1;
}

static bool is_size(double bytes)
{
    return bytes >= 1 && bytes <= LARGEST_BYTES && bytes == floor(bytes);
}

/* Opens the file that a value names. */
static int open_file(const struct node *node, struct arena *arena, struct value *out, struct side_file *file, char *why,
                     size_t size)
{
    if (side_file_read(arena, node->text, file, why, size) < 0)
        return -1;
    out->text = node->text;
    out->canon = arena_format(arena, "file %s", file->hash);
    return 0;
}

/* Number of rows of at most `most` numbers, checked; -1 with the reason. */
static int count_rows(const char *name, const struct side_file *file, unsigned least, unsigned most, char *why,
                      size_t size)
{
    struct side_file again = *file;
    double cells[2];
    char text[256];
    int n = 0, found;
    while ((found = side_file_next(&again, least, most, cells, text, sizeof text)) > 0 && n < ROWS_MAX)
        n++;
    if (found < 0)
        return fail(why, size, "%s: %s", name, text);
    if (n == 0)
        return fail(why, size, "%s: no rows, expected at least one", name);
    return found > 0 ? fail(why, size, "%s: too long, expected fewer than %d rows", name, ROWS_MAX) : n;
}

/* --- sizes -------------------------------------------------------------------------------------------------------- */

/* From weights to the share of each size and all before it. */
static void add_up(struct size_cfg *sizes, uint32_t n)
{
    double sum = 0, before = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += sizes[i].share;
    for (uint32_t i = 0; i < n; i++) {
        before += sizes[i].share;
        sizes[i].share = i + 1 < n ? before / sum : 1;
    }
}

static int read_size_list(const struct node *node, struct arena *arena, struct value *out, char *why, size_t size)
{
    struct size_cfg *sizes = arena_alloc(arena, (node->n + 1) * sizeof *sizes);
    const char *canon = "";
    if (node->n == 0)
        return fail(why, size, "an empty list, expected sizes such as [10 kB, 1 MB]");
    for (uint32_t i = 0; i < node->n; i++) {
        struct quantity q;
        if (node->items[i]->kind != NODE_SCALAR)
            return fail(why, size, "%s, expected a size such as `10 kB`", yaml_kind(node->items[i]));
        if (units_parse(node->items[i]->text, UNIT_BIT(UNIT_BYTES), &q, why, size) < 0)
            return -1;
        if (!is_size(q.value))
            return fail(why, size, "`%.40s` is not a size, expected whole bytes from 1 B on", node->items[i]->text);
        sizes[i] = (struct size_cfg){(uint64_t)q.value, 1};
        canon = arena_format(arena, "%s%.17g,", canon, q.value);
    }
    add_up(sizes, node->n);
    out->pointer = sizes;
    out->n = node->n;
    out->text = out->canon = canon;
    return 0;
}

static int read_size_file(const struct node *node, struct arena *arena, struct value *out, char *why, size_t size)
{
    struct side_file file;
    int n = open_file(node, arena, out, &file, why, size) < 0 ? -1 : count_rows(node->text, &file, 1, 2, why, size);
    if (n < 0)
        return -1;
    struct size_cfg *sizes = arena_alloc(arena, (size_t)n * sizeof *sizes);
    for (int i = 0; i < n; i++) {
        double cells[2] = {0, 1};
        side_file_next(&file, 1, 2, cells, why, size);
        if (!is_size(cells[0]) || cells[1] <= 0)
            return fail(why, size, "%s: line %u: %g, %g, expected whole bytes from 1 on and a weight above 0",
                        node->text, file.line, cells[0], cells[1]);
        sizes[i] = (struct size_cfg){(uint64_t)cells[0], cells[1]};
    }
    add_up(sizes, (uint32_t)n);
    out->pointer = sizes;
    out->n = (uint32_t)n;
    return 0;
}

int value_read_sizes(const struct node *node, struct arena *arena, struct value *out, char *why, size_t size)
{
    if (node->kind == NODE_MAP)
        return fail(why, size, "a map, expected a list of sizes, or the name of a file");
    return node->kind == NODE_LIST ? read_size_list(node, arena, out, why, size)
                                   : read_size_file(node, arena, out, why, size);
}

/* --- traces ------------------------------------------------------------------------------------------------------- */

int value_read_trace(const struct node *node, struct arena *arena, struct value *out, char *why, size_t size)
{
    struct side_file file;
    int n = open_file(node, arena, out, &file, why, size) < 0 ? -1 : count_rows(node->text, &file, 2, 2, why, size);
    if (n < 0)
        return -1;
    struct write_cfg *writes = arena_alloc(arena, (size_t)n * sizeof *writes);
    double cells[2], before_s = 0;
    for (int i = 0; i < n; i++, before_s = cells[0]) {
        side_file_next(&file, 2, 2, cells, why, size);
        if (cells[0] < before_s || cells[0] > LONGEST_S)
            return fail(why, size, "%s: line %u: time %g, expected seconds from 0 to 1000000 in order", node->text,
                        file.line, cells[0]);
        if (!is_size(cells[1]))
            return fail(why, size, "%s: line %u: %g bytes, expected whole bytes from 1 on", node->text, file.line,
                        cells[1]);
        writes[i] = (struct write_cfg){llround(cells[0] * 1e12), (uint64_t)cells[1]};
    }
    out->pointer = writes;
    out->n = (uint32_t)n;
    return 0;
}
