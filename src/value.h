/* value.h - values of keys: read from YAML, compared, written into the structs of kernels/scenario.h. */
#ifndef SRC_VALUE_H
#define SRC_VALUE_H

#include "params.h"
#include "units.h"
#include "yaml.h"

enum errors_on { ERRORS_BOTH, ERRORS_FORWARD, ERRORS_REVERSE }; /* values of `errors:` */

struct value {
    double number;       /* SI */
    int64_t integer;     /* ps, bytes, counts, booleans, index of a choice */
    int64_t spread;      /* start: width of the draw, ps */
    const void *pointer; /* registry item, steps or drops */
    uint32_t n;          /* elements of a list */
    enum unit unit;      /* of number, where the type takes several */
    bool is_word;        /* `unlimited` and the like */
    const char *text;    /* as a person would write it */
    const char *canon;   /* canonical text: equal for equal values of a row, whatever the units were */
    uint32_t line;       /* in the file; 0 = --set or a built-in table */
};

/* Reads and range-checks a value of a row. -1 with the reason in `why`: what is wrong, expected what. */
int value_parse(const struct param *param, const struct node *node, struct arena *arena, struct value *out, char *why,
                size_t size);
/* The same from plain text. */
int value_parse_text(const struct param *param, const char *text, struct arena *arena, struct value *out, char *why,
                     size_t size);
/* The same from a computed number in the row's SI unit; rounded where the row holds whole numbers. */
int value_from_quantity(const struct param *param, struct quantity q, const char *text, struct arena *arena,
                        struct value *out, char *why, size_t size);

/* Writes a value into the struct that the row belongs to; mss: for windows given in other units than the field's. */
void value_write(const struct param *param, const struct value *value, void *base, uint32_t mss_bytes);

unsigned value_units(enum param_type type); /* mask of the units a type takes, 0 = not a number */
bool value_is_whole(enum param_type type, enum unit unit);
const char *value_expected(enum param_type type); /* for types without units */
bool value_is_number(const struct param *param, const struct value *value);
double value_si(const struct param *param, const struct value *value); /* of a number, SI */

#endif
