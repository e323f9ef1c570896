/* carver.h - cuts an instance's block of memory into arrays; without a block it only measures. */
#ifndef KERNELS_CARVER_H
#define KERNELS_CARVER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { CACHE_LINE = 64 };

struct carver {
    char *base; /* NULL: only measuring */
    size_t used;
};

static inline void *carve(struct carver *c, size_t bytes)
{
    void *p = c->base ? c->base + c->used : NULL;
    c->used += (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    return p;
}

static inline void *carve_zero(struct carver *c, size_t bytes)
{
    void *p = carve(c, bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}

static inline uint32_t power_of_two(uint64_t least)
{
    uint32_t n = 1;
    while (n < least)
        n *= 2;
    return n;
}

#endif
