/* side_file.c - see side_file.h. */
#include "side_file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_FILE_BYTES = 64 << 20 }; /* what is larger is another file than was meant */

static int read_all(struct arena *arena, FILE *stream, struct side_file *out)
{
    size_t used = 0, room = 1 << 16, n;
    char *text = malloc(room);
    while (text && used <= SIDE_FILE_BYTES && (n = fread(text + used, 1, room - used, stream)) > 0) {
        used += n;
        if (used < room)
            continue;
        char *larger = realloc(text, room *= 2);
        if (!larger)
            free(text);
        text = larger;
    }
    if (!text)
        return ENOMEM;
    if (!ferror(stream) && memchr(text, 0, used)) {
        free(text);
        return ENOEXEC;
    }
    if (!ferror(stream)) {
        XXH128_hash_t hash = XXH3_128bits(text, used);
        out->text = out->at = arena_copy(arena, text, used);
        out->hash = arena_format(arena, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
    }
    free(text);
    return ferror(stream) ? EIO : used > SIDE_FILE_BYTES ? EFBIG : 0;
}

int side_file_read(struct arena *arena, const char *name, struct side_file *out, char *why, size_t size)
{
    const char *path = *name == '/' || !arena->folder ? name : arena_format(arena, "%s/%s", arena->folder, name);
    FILE *stream = fopen(path, "r");
    *out = (struct side_file){.line = 0};
    arena->has_files = true;
    int failed = stream ? read_all(arena, stream, out) : errno;
    if (stream)
        fclose(stream);
    if (failed)
        snprintf(why, size, "%s: cannot read: %s, expected a text file", path,
                 failed == ENOEXEC ? "it has zero bytes" : strerror(failed));
    return failed ? -1 : 0;
}

static bool is_between(char c)
{
    return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\r';
}

/* Cells of the line at `text`, which ends at `end`; -1: not numbers, or more than `most`. */
static int read_cells(const char *text, const char *end, unsigned most, double *cells)
{
    unsigned n = 0;
    for (;;) {
        while (text < end && is_between(*text))
            text++;
        if (text == end)
            return (int)n;
        char *after;
        double x = strtod(text, &after);
        bool is_number = after > text && after <= end && (after == end || is_between(*after)) && isfinite(x);
        if (!is_number || n == most)
            return -1;
        cells[n++] = x;
        text = after;
    }
}

int side_file_next(struct side_file *file, unsigned least, unsigned most, double *cells, char *why, size_t size)
{
    double read[16];
    while (*file->at) {
        const char *start = file->at, *end = start + strcspn(start, "\n"), *stop = start + strcspn(start, "#\n");
        file->at = *end ? end + 1 : end;
        file->line++;
        int n = read_cells(start, stop, most < 16 ? most : 16, read);
        if (n == 0 || (n < 0 && file->line == 1 && isalpha((unsigned char)*start)))
            continue;
        if (n >= (int)least) {
            memcpy(cells, read, (size_t)n * sizeof *cells);
            return 1;
        }
        char range[32];
        snprintf(range, sizeof range, least == most ? "%u" : "%u to %u", least, most);
        snprintf(why, size, "line %u: `%.*s` is not a row, expected %s numbers", file->line,
                 (int)(end - start < 40 ? end - start : 40), start, range);
        return -1;
    }
    return 0;
}
