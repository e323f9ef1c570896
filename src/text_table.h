/* text_table.h - aligned columns on a terminal, and numbers as people read them. */
#ifndef SRC_TEXT_TABLE_H
#define SRC_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct text_table {
    uint32_t columns;
    uint64_t cells, capacity; /* row by row; the first row is the header */
    char **cell;
    bool *left;  /* per column: aligned to the left */
    bool failed; /* out of memory */
};

void text_table_start(struct text_table *table, uint32_t columns);
void text_table_add(struct text_table *table, const char *cell); /* copied */
/* Prints all rows, and frees the cells. False if memory or the file failed. */
bool text_table_print(struct text_table *table, FILE *out);

/* A unit for a column: SI value x factor in `name`. */
struct human_unit {
    const char *name; /* "" for pure numbers */
    double factor;
};

/* Fits a unit in UDUNITS spelling to the largest absolute value (`bit s-1` 5e6 -> Mbit/s). */
struct human_unit human_unit_for(const char *udunits, double largest);

/* Decimals that show two digits of the smallest error and at most five digits of the largest value. */
int decimals_for(double largest, double smallest_error);

#endif
