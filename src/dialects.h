/* dialects.h - named bundles of TCP settings: dialects (how implementations differ) and algorithms (presets).
 *
 * The rows are in dialects.def, as text that is read like a sweep file's.
 */
#ifndef SRC_DIALECTS_H
#define SRC_DIALECTS_H

#include "value.h"

struct bundle {
    const char *name;
    const char *settings; /* `key: value; key: value` */
    const char *help;     /* one line */
    const char *source;
    const char *aliases; /* comma separated, or NULL */
};

extern const struct bundle dialect_table[];
extern const size_t dialect_count;
extern const struct bundle algorithm_table[];
extern const size_t algorithm_count;

int dialect_find(const char *name);   /* index, or -1 */
int algorithm_find(const char *name); /* index, or -1; also by alias */

/* A value for every row of the section TCP; element i is row FIRST_TCP + i. */
struct tcp_values {
    const struct value *row[TCP_ROWS];
};

/* Defaults under each dialect and algorithm: element [dialect * algorithm_count + algorithm]. NULL with the reason if
 * the tables hold something that cannot be read (a defect of the program). */
const struct tcp_values *dialects_resolve(struct arena *arena, char *why, size_t size);

#endif
