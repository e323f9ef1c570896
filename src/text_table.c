/* text_table.c - see text_table.h. */
#include "text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void text_table_start(struct text_table *table, uint32_t columns)
{
    *table = (struct text_table){.columns = columns, .left = calloc(columns, sizeof(bool))};
    table->failed = !table->left;
}

void text_table_add(struct text_table *table, const char *cell)
{
    if (table->cells == table->capacity) {
        const uint64_t capacity = table->capacity ? 2 * table->capacity : 256;
        char **cells = realloc(table->cell, capacity * sizeof *cells);
        if (!cells) {
            table->failed = true;
            return;
        }
        table->cell = cells;
        table->capacity = capacity;
    }
    char *copy = strdup(cell);
    table->failed = table->failed || !copy;
    if (copy)
        table->cell[table->cells++] = copy;
}

/* Characters, not bytes, of UTF-8. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void print_cell(const char *cell, int width, bool left, bool last, FILE *out)
{
    const int pad = width - width_of(cell);
    if (left)
        fprintf(out, "%s%*s", cell, last ? 0 : pad, "");
    else
        fprintf(out, "%*s%s", pad, "", cell);
    fputs(last ? "\n" : "  ", out);
}

static void print_rows(const struct text_table *table, const int *width, FILE *out)
{
    for (uint64_t i = 0; i < table->cells; i++) {
        const uint32_t column = (uint32_t)(i % table->columns);
        print_cell(table->cell[i], width[column], table->left[column], column == table->columns - 1, out);
    }
}

bool text_table_print(struct text_table *table, FILE *out)
{
    int *width = calloc(table->columns, sizeof *width);
    for (uint64_t i = 0; width && i < table->cells; i++) {
        const int own = width_of(table->cell[i]);
        if (own > width[i % table->columns])
            width[i % table->columns] = own;
    }
    if (width && !table->failed)
        print_rows(table, width, out);
    for (uint64_t i = 0; i < table->cells; i++)
        free(table->cell[i]);
    const bool good = width && !table->failed && !ferror(out);
    free(width);
    free(table->cell);
    free(table->left);
    return good;
}

struct unit_step {
    const char *udunits;
    double least; /* of the largest value, SI */
    struct human_unit unit;
};

/* For each SI unit from the largest human one down; the last fits all. */
static const struct unit_step steps[] = {
    {"bit s-1", 1e9, {"Gbit/s", 1e-9}},
    {"bit s-1", 1e6, {"Mbit/s", 1e-6}},
    {"bit s-1", 1e3, {"kbit/s", 1e-3}},
    {"bit s-1", 0, {"bit/s", 1}},
    {"s", 1, {"s", 1}},
    {"s", 1e-3, {"ms", 1e3}},
    {"s", 0, {"us", 1e6}},
    {"s2", 1, {"s2", 1}},
    {"s2", 0, {"ms2", 1e6}},
    {"byte", 0, {"B", 1}},
    {"1", 0, {"", 1}},
};

struct human_unit human_unit_for(const char *udunits, double largest)
{
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (strcmp(steps[i].udunits, udunits) == 0 && largest >= steps[i].least * (1 - 1e-12))
            return steps[i].unit;
    return (struct human_unit){udunits, 1};
}

/* Place of the first digit: 0 for 1..9, -1 for 0.1..0.9. */
static int first_digit(double value)
{
    return (int)floor(log10(value));
}

int decimals_for(double largest, double smallest_error)
{
    if (!(largest > 0))
        return 0;
    const int most = 4 - first_digit(largest);
    const int wanted = smallest_error > 0 ? 1 - first_digit(smallest_error) : 3 - first_digit(largest);
    const int decimals = wanted < most ? wanted : most;
    return decimals > 0 ? decimals : 0;
}
