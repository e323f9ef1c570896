/* arena.c - memory that is freed all at once. */
#include "arena.h"
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 65536, ALIGNMENT = 16 };

struct arena_block {
    struct arena_block *previous;
    size_t used, size;
    _Alignas(ALIGNMENT) char data[];
};

static struct arena_block *new_block(struct arena_block *previous, size_t size)
{
    struct arena_block *block = calloc(1, sizeof *block + size);
    if (!block) {
        fputs("tcpsweep: out of memory while reading the sweep\n", stderr);
        exit(EXIT_ENVIRONMENT);
    }
    block->previous = previous;
    block->size = size;
    return block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct arena_block *block = arena->last;
    if (!block || block->size - block->used < size)
        arena->last = block = new_block(block, size > BLOCK_BYTES ? size : BLOCK_BYTES);
    void *piece = block->data + block->used;
    block->used += size;
    return piece;
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void arena_free(struct arena *arena)
{
    while (arena->last) {
        struct arena_block *block = arena->last;
        arena->last = block->previous;
        free(block);
    }
}
