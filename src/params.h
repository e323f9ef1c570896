/* params.h - the table of all keys of a sweep file: type, unit, range, default, help and where the value goes.
 *
 * The rows are in params.def. Parsing, range checks, canonical text, `list` and `plan` all read this table: a new key
 * is one row (and a field of kernels/scenario.h).
 */
#ifndef SRC_PARAMS_H
#define SRC_PARAMS_H

#include "../kernels/scenario.h"

enum param_type {
    TYPE_STRUCTURE, /* not a value: read by its own function */
    TYPE_TEXT,
    TYPE_SEED,
    TYPE_TIME,
    TYPE_RATE,
    TYPE_BYTES32,
    TYPE_BYTES64,
    TYPE_WINDOW, /* 64-bit bytes, or segments that the MSS turns into bytes */
    TYPE_COUNT32,
    TYPE_COUNT64,
    TYPE_REAL,
    TYPE_SEGMENTS, /* double; also bytes, which the MSS turns into segments */
    TYPE_QUEUE,
    TYPE_MARK, /* part of a buffer, or packets */
    TYPE_PACKETS, /* double */
    TYPE_BOOL,
    TYPE_CHOICE,
    TYPE_ITEM, /* a name in a registry list */
    TYPE_DIALECT,
    TYPE_ALGORITHM,
    TYPE_START,
    TYPE_SCHEDULE,
    TYPE_DROPS,
    TYPE_SIZES,
    TYPE_TRACE,
    TYPE_COUNT
};

enum param_flags { FLAG_NO_AXIS = 1, FLAG_ERRORS = 2, FLAG_META = 4, FLAG_STRUCTURE = 8 };

#define NO_OFFSET UINT16_MAX

struct param {
    const char *key;
    enum param_type type;
    uint16_t offset;          /* in its struct, NO_OFFSET = goes elsewhere */
    const char *fallback;     /* default as text, NULL = none */
    double min, max;          /* SI */
    unsigned flags;           /* enum param_flags */
    const char *word;         /* `unlimited` and the like: stands for word_value */
    double word_value;        /* SI */
    const char *const *names; /* choices, NULL at the end; the index is the value */
    const void *const *list;  /* registry list */
    const char *help;
};

/* Row numbers ROW_id, and FIRST_X, END_X for each section. */
enum param_row {
#define SECTION(name) FIRST_##name, BEFORE_##name = FIRST_##name - 1,
#define PARAM(id, ...) ROW_##id,
#include "params.def"
#undef PARAM
#undef SECTION
    PARAM_COUNT,
};

enum {
    END_TOP = FIRST_CHANNEL,
    END_CHANNEL = FIRST_LINK,
    END_LINK = FIRST_FLOW,
    END_FLOW = FIRST_TCP,
    END_TCP = FIRST_APP,
    END_APP = FIRST_STEP,
    END_STEP = FIRST_DROP,
    END_DROP = PARAM_COUNT,
    TCP_ROWS = END_TCP - FIRST_TCP,
};

extern const struct param param_table[PARAM_COUNT];

/* For `list`: the sections in order, with what their keys begin with. */
struct param_section {
    const char *prefix; /* `tcp.`, `links.NAME.` */
    const char *help;
    int first, end; /* rows */
};
extern const struct param_section param_sections[]; /* prefix NULL at the end */

/* Row of a key among rows first .. end-1, or -1. */
int param_find(int first, int end, const char *key);
/* The key of rows first .. end-1 that is nearest to what was written. */
const char *param_nearest(int first, int end, const char *key);
/* What a value of this row looks like: `a time such as 50 ms`, `true or false`, `one of a, b, c`, or where many names
 * are listed. */
void param_expected(const struct param *param, char *text, size_t size);
/* The name nearest to what was written, of a row whose names are too many to be written out; else NULL. */
const char *param_nearest_name(const struct param *param, const char *text);
/* Range as text, ``0 s to 100000 s``, or an empty text. */
void param_range(const struct param *param, char *text, size_t size);

/* Edits that turn one word into the other. */
unsigned edit_distance(const char *a, const char *b);

#endif
