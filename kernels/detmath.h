/* detmath.h - logarithms that are the same on every processor.
 *
 * The C library picks its code by processor (FMA or not), so its last bit may differ between hosts; what decides an
 * event must not. These use only IEEE +, -, *, / in a fixed order (compile with -ffp-contract=off).
 */
#ifndef KERNELS_DETMATH_H
#define KERNELS_DETMATH_H

#include <stdint.h>
#include <string.h>

/* 2 atanh(s) for |s| <= 0.172, relative error below 1e-16 before rounding: the odd series to s^21. */
static inline double det_2atanh(double s)
{
    double z = s * s;
    double sum = 1.0 / 21;
    for (int k = 19; k >= 1; k -= 2)
        sum = sum * z + 1.0 / k;
    return 2 * s * sum;
}

/* Natural logarithm of a normal x > 0. */
static inline double det_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u; /* mantissa in [1, 2) */
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent++;
    }
    return exponent * 0.69314718055994530942 + det_2atanh((m - 1) / (m + 1));
}

/* log(1 - p), 0 <= p < 1, exact also where p is far below the rounding of 1 - p. */
static inline double det_log1m(double p)
{
    return p < 0.25 ? det_2atanh(-p / (2 - p)) : det_log(1 - p);
}

#endif
