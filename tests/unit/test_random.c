/* test_random.c - Philox against its published answers, the streams, the draws and the logarithms. */
#include "../../kernels/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* --- the generator ------------------------------------------------------------------------------------------------ */

/* Rows `philox4x32 10` of Random123's kat_vectors. */
static const struct {
    uint32_t counter[4], key[2], out[4];
} known[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static void test_known_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        philox4x32_ctr_t counter = {
            {known[i].counter[0], known[i].counter[1], known[i].counter[2], known[i].counter[3]}};
        philox4x32_key_t key = {{known[i].key[0], known[i].key[1]}};
        philox4x32_ctr_t out = philox4x32(counter, key);
        assert_memory_equal(out.v, known[i].out, sizeof known[i].out);
    }
}

/* What a uniform is made of: words 2 and 3 of block 0, then 0 and 1, the upper 26 bits of each. */
static void test_uniform_from_words(void **state)
{
    (void)state;
    struct random_stream r;
    const uint32_t *w = known[0].out;
    random_init(&r, (struct sim_key){{0, 0}}, 0);
    for (int pair = 1; pair >= 0; pair--) {
        double expected = (w[2 * pair] >> 6) * 67108864.0 + (w[2 * pair + 1] >> 6) + 0.5;
        assert_true(random_uniform(&r) == expected / 4503599627370496.0);
    }
}

/* Element and block number are words 2, and 0 and 1, of the counter. */
static void test_counter_layout(void **state)
{
    (void)state;
    struct random_stream r;
    const uint32_t *c = known[2].counter;
    random_init(&r, (struct sim_key){{known[2].key[0], known[2].key[1]}}, c[2]);
    r.block = (uint64_t)c[1] << 32 | c[0];
    philox4x32_ctr_t counter = {{c[0], c[1], c[2], 0}};
    philox4x32_key_t key = {{known[2].key[0], known[2].key[1]}};
    philox4x32_ctr_t out = philox4x32(counter, key);
    double expected = (out.v[2] >> 6) * 67108864.0 + (out.v[3] >> 6) + 0.5;
    assert_true(random_uniform(&r) == expected / 4503599627370496.0);
    assert_true(r.block == ((uint64_t)c[1] << 32 | c[0]) + 1);
}

/* --- streams ------------------------------------------------------------------------------------------------------ */

enum { DRAWS = 100000 };

static void test_streams(void **state)
{
    (void)state;
    struct random_stream a, again, other, other_key;
    double sum = 0, squares = 0, products = 0, key_products = 0, neighbours = 0, before = 0.5;
    random_init(&a, (struct sim_key){{1, 2}}, 5);
    random_init(&again, (struct sim_key){{1, 2}}, 5);
    random_init(&other, (struct sim_key){{1, 2}}, 6);
    random_init(&other_key, (struct sim_key){{2, 2}}, 5);
    for (int i = 0; i < DRAWS; i++) {
        double x = random_uniform(&a), y = random_uniform(&other), z = random_uniform(&other_key);
        assert_true(x > 0 && x < 1);
        assert_true(x == random_uniform(&again));
        sum += x, squares += x * x;
        products += (x - 0.5) * (y - 0.5), key_products += (x - 0.5) * (z - 0.5);
        neighbours += (x - 0.5) * (before - 0.5);
        before = x;
    }
    double n = DRAWS;
    assert_true(fabs(sum / n - 0.5) < 3 * sqrt(1 / 12.0 / n));
    assert_true(fabs(squares / n - 1 / 3.0) < 3 * sqrt(4 / 45.0 / n));
    assert_true(fabs(products / n) < 3 / 12.0 / sqrt(n));
    assert_true(fabs(key_products / n) < 3 / 12.0 / sqrt(n));
    assert_true(fabs(neighbours / n) < 3 / 12.0 / sqrt(n));
}

/* --- draws -------------------------------------------------------------------------------------------------------- */

/* Geometric: mean (1-p)/p, variance (1-p)/p^2, fourth central moment (1-p)(p^2-9p+9)/p^4. */
static void test_gap(void **state)
{
    (void)state;
    static const double probabilities[] = {1e-7, 1e-3, 0.3};
    for (size_t i = 0; i < sizeof probabilities / sizeof *probabilities; i++) {
        double p = probabilities[i], q = 1 - p, mean = q / p, variance = q / p / p;
        double fourth = q * (p * p - 9 * p + 9) / (p * p * p * p), sum = 0, squares = 0, n = DRAWS;
        struct random_stream r;
        random_init(&r, (struct sim_key){{3, 4}}, (uint32_t)i);
        for (int k = 0; k < DRAWS; k++) {
            double d = (double)random_gap(&r, p) - mean;
            sum += d, squares += d * d;
        }
        assert_true(fabs(sum / n) < 3 * sqrt(variance / n));
        assert_true(fabs(squares / n - variance) < 3 * sqrt((fourth - variance * variance) / n));
    }
}

/* P(gap = 0) = p, P(gap = 1) = p (1 - p): a count that is one off shows here. */
static void test_gap_first_values(void **state)
{
    (void)state;
    struct random_stream r;
    double n = DRAWS, p = 0.3, count[2] = {0, 0};
    random_init(&r, (struct sim_key){{5, 6}}, 0);
    for (int k = 0; k < DRAWS; k++) {
        int64_t gap = random_gap(&r, p);
        assert_true(gap >= 0);
        if (gap < 2)
            count[gap]++;
    }
    assert_true(fabs(count[0] / n - p) < 3 * sqrt(p * (1 - p) / n));
    assert_true(fabs(count[1] / n - p * (1 - p)) < 3 * sqrt(p * (1 - p) * (1 - p * (1 - p)) / n));
    assert_int_equal(random_gap(&r, 1), 0);
    assert_true(random_gap(&r, 1e-300) == INT64_C(4611686018427387904));
}

static void test_exponential(void **state)
{
    (void)state;
    struct random_stream r;
    double n = DRAWS, mean = 1e9, sum = 0, above = 0;
    random_init(&r, (struct sim_key){{7, 8}}, 0);
    for (int k = 0; k < DRAWS; k++) {
        double x = (double)random_exponential(&r, (int64_t)mean);
        assert_true(x >= 1);
        sum += x, above += x > 2 * mean;
    }
    double tail = exp(-2);
    assert_true(fabs(sum / n - mean) < 3 * mean / sqrt(n));
    assert_true(fabs(above / n - tail) < 3 * sqrt(tail * (1 - tail) / n));
}

/* --- logarithms --------------------------------------------------------------------------------------------------- */

/* Distance to the exact value (long double) in units of the last place. */
static double ulps(double got, long double exact)
{
    double rounded = (double)exact, unit = nextafter(fabs(rounded), INFINITY) - fabs(rounded);
    return (double)(fabsl((long double)got - exact) / unit);
}

static void test_log(void **state)
{
    (void)state;
    struct random_stream r;
    random_init(&r, (struct sim_key){{9, 10}}, 0);
    for (int k = 0; k < DRAWS; k++) {
        double x = random_uniform(&r);
        if (k % 2)
            x = ldexp(x, k % 200 - 100);
        assert_true(ulps(det_log(x), logl(x)) <= 3);
    }
    assert_true(det_log(1) == 0);
    assert_true(det_log(0.5) == -det_log(2));
}

/* Also where 1 - p rounds to 1. From a quarter on 1 - p itself is rounded. */
static void test_log1m(void **state)
{
    (void)state;
    struct random_stream r;
    random_init(&r, (struct sim_key){{11, 12}}, 0);
    for (int k = 0; k < DRAWS; k++) {
        double p = ldexp(random_uniform(&r), -(k % 80));
        assert_true(ulps(det_log1m(p), log1pl(-(long double)p)) <= (p < 0.25 ? 3 : 4));
    }
    assert_true(det_log1m(1e-18) == -1e-18);
    assert_true(det_log1m(0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_uniform_from_words),
        cmocka_unit_test(test_counter_layout),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_gap_first_values),
        cmocka_unit_test(test_exponential),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_log1m),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
