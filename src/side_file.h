/* side_file.h - text files that a sweep refers to: traces, schedules, lists of sizes.
 *
 * Their names are relative to the sweep file. What they say is part of the scenario: canonical text has a hash of it.
 */
#ifndef SRC_SIDE_FILE_H
#define SRC_SIDE_FILE_H

#include "arena.h"

#include <stdint.h>

struct side_file {
    const char *text; /* all of it, with a 0 behind */
    const char *hash; /* of it, as text */
    /* side_file_next: */
    const char *at;
    uint32_t line; /* of the last row, from 1 */
};

/* Reads the file `name`, from the folder of the arena's sweep unless the name begins with `/`. -1 with the reason in
 * `why`. */
int side_file_read(struct arena *arena, const char *name, struct side_file *out, char *why, size_t size);

/* The next row of numbers: `least` to `most` of them, with commas, semicolons or blanks between; the cells that are not
 * there are left as they are. Empty lines, what follows a `#`, and a first line of names are passed over. 1: a row,
 * 0: the end, -1 with the reason in `why`: a row that is something else. */
int side_file_next(struct side_file *file, unsigned least, unsigned most, double *cells, char *why, size_t size);

#endif
