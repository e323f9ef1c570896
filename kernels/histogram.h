/* histogram.h - counts of times by steps of 1.6 %: 64 an octave, from 2^20 ps (1 us) on. */
#ifndef KERNELS_HISTOGRAM_H
#define KERNELS_HISTOGRAM_H

#include <stdint.h>
#include <string.h>

enum { HISTOGRAM_FIRST_OCTAVE = 20, HISTOGRAM_STEP_BITS = 6, HISTOGRAM_STEPS = 1 << HISTOGRAM_STEP_BITS };

/* A double's exponent and leading bits are the octave and the step. What is outside goes into the first or last. */
static inline void histogram_note(uint32_t *histogram, int octaves, double x)
{
    enum { FIRST = (1023 + HISTOGRAM_FIRST_OCTAVE) << HISTOGRAM_STEP_BITS };
    int64_t last = (int64_t)octaves * HISTOGRAM_STEPS - 1;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t step = (int64_t)(bits >> (52 - HISTOGRAM_STEP_BITS)) - FIRST;
    if (__builtin_expect((uint64_t)step > (uint64_t)last, 0))
        step = step < 0 ? 0 : last;
    histogram[step]++;
}

#endif
