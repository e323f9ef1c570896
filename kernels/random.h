/* random.h - counter-based random streams: one per random element of a scenario.
 *
 * Philox 4x32-10 (Salmon et al., SC 2011): draw k of stream e under key K is a pure function of (K, e, k), whatever
 * thread or rank computes it.
 */
#ifndef KERNELS_RANDOM_H
#define KERNELS_RANDOM_H

#define R123_USE_SSE 0 /* Philox has no use for it, and its headers are most of what a file would be made of */
#include <Random123/philox.h>
#include <math.h>
#include <stdint.h>

#include "detmath.h"
#include "sim.h"

struct random_stream {
    uint32_t key[2];
    uint32_t element; /* which stream */
    uint32_t left;    /* unused pairs in `word` */
    uint64_t block;   /* next counter */
    uint32_t word[4];
};

static inline void random_init(struct random_stream *r, struct sim_key key, uint32_t element)
{
    *r = (struct random_stream){.key = {key.word[0], key.word[1]}, .element = element};
}

/* Uniform in (0, 1), 52 bits, never 0 or 1. */
static inline double random_uniform(struct random_stream *r)
{
    if (r->left == 0) {
        philox4x32_ctr_t counter = {{(uint32_t)r->block, (uint32_t)(r->block >> 32), r->element, 0}};
        philox4x32_key_t key = {{r->key[0], r->key[1]}};
        philox4x32_ctr_t out = philox4x32(counter, key);
        memcpy(r->word, out.v, sizeof r->word);
        r->block++;
        r->left = 2;
    }
    r->left--;
    uint64_t high = r->word[2 * r->left] >> 6, low = r->word[2 * r->left + 1] >> 6;
    return ((double)((high << 26) | low) + 0.5) * (1.0 / 4503599627370496.0);
}

/* Number of trials that succeed before one of probability p fails; at most 2^62. */
static inline int64_t random_gap(struct random_stream *r, double p)
{
    if (p >= 1)
        return 0;
    double gap = det_log(random_uniform(r)) / det_log1m(p);
    return gap < 4611686018427387904.0 ? (int64_t)gap : INT64_C(4611686018427387904);
}

/* Standard normal: Marsaglia's polar method, of whose pair one is used. */
static inline double random_normal(struct random_stream *r)
{
    for (;;) {
        double x = 2 * random_uniform(r) - 1, y = 2 * random_uniform(r) - 1, s = x * x + y * y;
        if (s > 0 && s < 1)
            return x * sqrt(-2 * det_log(s) / s);
    }
}

/* Exponential with the given mean, in the mean's unit, at least 1. */
static inline int64_t random_exponential(struct random_stream *r, int64_t mean)
{
    double x = -det_log(random_uniform(r)) * (double)mean;
    return x < 1 ? 1 : x < 4611686018427387904.0 ? (int64_t)x : INT64_C(4611686018427387904);
}

#endif
