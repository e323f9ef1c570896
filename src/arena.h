/* arena.h - memory of a sweep: many small pieces that live as long as the sweep and go together.
 *
 * Out of memory ends the program with a line on stderr: the pieces are small next to what a run needs anyway, and
 * large ones are bounded before they are asked for.
 */
#ifndef SRC_ARENA_H
#define SRC_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena {
    struct arena_block *last;
    const char *folder; /* of the sweep file, where the files that it names are; NULL: the working directory */
    bool has_files;     /* it names some (side_file.h) */
};

void *arena_alloc(struct arena *arena, size_t size); /* zeroed, aligned for any type */
char *arena_copy(struct arena *arena, const char *text, size_t length);
char *arena_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *arena);

#endif
