/* detmath.h - logarithms, exponentials and powers that are the same on every processor.
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

/* e^x. Below -708: 0; above 708: e^708. */
static inline double det_exp(double x)
{
    if (x < -708)
        return 0;
    if (x > 708)
        x = 708;
    double halves = x * 1.4426950408889634 + (x < 0 ? -0.5 : 0.5);
    int exponent = (int)halves;
    /* ln 2 in two parts, the first with zeros at its end: the product is exact */
    double r = (x - exponent * 0.693147180369123816490) - exponent * 1.90821492927058770002e-10;
    double sum = 1; /* the series to r^14, |r| <= 0.347 */
    for (int k = 14; k >= 1; k--)
        sum = 1 + sum * r / k;
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return sum * scale;
}

/* x^y, x > 0. */
static inline double det_pow(double x, double y)
{
    return det_exp(y * det_log(x));
}

/* Cube root of x >= 0. */
static inline double det_cbrt(double x)
{
    if (x <= 0)
        return 0;
    double root = det_exp(det_log(x) / 3);
    return root - (root * root * root - x) / (3 * root * root); /* a Newton step for the last bits */
}

/* Largest integer whose cube is not above x. */
static inline uint32_t det_cube_root(uint64_t x)
{
    uint32_t root = 0;
    for (uint32_t bit = UINT32_C(1) << 20; bit; bit >>= 1) {
        uint64_t next = root | bit;
        if (next * next * next <= x)
            root = (uint32_t)next;
    }
    return root;
}

#endif
