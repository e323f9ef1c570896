/* test_replicate.c - the statistics against scipy's figures, the stopping rule, and whether its intervals cover. */
#include "../../src/replicate.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { EXPERIMENTS = 2000, LONGEST = 200000 };

static const struct replication_rule adaptive = {30, 2000, METRIC_goodput, 0.01, 0.95, 0};

static void assert_close(double got, double expected, double relative)
{
    if (!(fabs(got - expected) <= relative * fabs(expected)))
        fail_msg("%.17g, expected %.17g", got, expected);
}

/* expected values: scipy.stats.t.ppf and numpy's std(ddof=1) */
static void test_summary(void **state)
{
    (void)state;
    const double values[] = {4.1, 5.2, NAN, 3.9, 4.4, 5.0};
    struct summary s = summarise(values, 6, 0.95);
    assert_int_equal(s.n, 5);
    assert_close(s.mean, 4.52, 1e-15);
    assert_close(s.sd, 0.56302753041037, 1e-13);
    assert_close(s.half_width, 0.6990910145081327, 1e-9);

    const double offset[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}; /* sums of squares would lose all digits */
    s = summarise(offset, 4, 0.95);
    assert_close(s.mean, 1e9 + 10, 1e-16);
    assert_close(s.sd, 5.477225575051661, 1e-14);
}

static void test_summary_of_few(void **state)
{
    (void)state;
    const double one[] = {NAN, 3.5};
    struct summary s = summarise(one, 1, 0.95);
    assert_int_equal(s.n, 0);
    assert_true(isnan(s.mean));
    s = summarise(one, 2, 0.95);
    assert_int_equal(s.n, 1);
    assert_close(s.mean, 3.5, 0);
    assert_true(isnan(s.sd) && isnan(s.half_width));
    const double equal[] = {0.1, 0.1, 0.1};
    s = summarise(equal, 3, 0.95);
    assert_true(s.sd == 0 && s.half_width == 0 && s.mean == 0.1);
}

static void test_student_quantiles(void **state)
{
    (void)state;
    const struct {
        unsigned n;
        double confidence, t;
    } cases[] = {{2, 0.95, 12.706204736432095},
                 {5, 0.99, 4.604094871415897},
                 {10, 0.9, 1.8331129326536335},
                 {30, 0.95, 2.045229642132703},
                 {2000, 0.95, 1.9611514201705613}};
    for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        double values[2000];
        for (unsigned i = 0; i < cases[c].n; i++)
            values[i] = i;
        const struct summary s = summarise(values, cases[c].n, cases[c].confidence);
        assert_close(s.half_width, cases[c].t * s.sd / sqrt(cases[c].n), 1e-8);
    }
}

static void test_looks(void **state)
{
    (void)state;
    const uint32_t looks[] = {30, 45, 68, 102, 153, 230, 345, 518, 777, 1166, 1749, 2000};
    uint32_t n = 0;
    for (unsigned i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        assert_int_equal(next_look(&adaptive, n), looks[i]);
        if (n > 1)
            assert_int_equal(next_look(&adaptive, looks[i] - 1), looks[i]); /* also from in between */
        n = looks[i];
    }
    assert_int_equal(next_look(&adaptive, 2000), 2000);
    const struct replication_rule fixed = {.min = 5, .max = 5};
    assert_int_equal(next_look(&fixed, 0), 5);
    const struct replication_rule widest = {.min = 1, .max = UINT32_MAX};
    assert_int_equal(next_look(&widest, UINT32_MAX - 1), UINT32_MAX);
    assert_int_equal(next_look(&widest, 1), 2);
}

static void test_decisions(void **state)
{
    (void)state;
    double values[2000];
    for (int i = 0; i < 2000; i++)
        values[i] = 100 + (i % 2 ? 0.5 : -0.5);
    assert_int_equal(decide(&adaptive, true, values, 0), STOP_NONE);
    assert_int_equal(decide(&adaptive, true, values, 30), STOP_TARGET);
    assert_int_equal(decide(&adaptive, false, values, 1), STOP_DETERMINISTIC);
    const struct replication_rule fixed = {5, 5, METRIC_goodput, 0.01, 0.95, 0};
    assert_int_equal(decide(&fixed, true, values, 4), STOP_NONE);
    assert_int_equal(decide(&fixed, true, values, 5), STOP_FIXED);

    values[7] = NAN; /* 29 that count: not enough */
    assert_int_equal(decide(&adaptive, true, values, 30), STOP_NONE);
    assert_int_equal(decide(&adaptive, true, values, 45), STOP_TARGET);
    for (int i = 0; i < 2000; i++)
        values[i] = i % 2 ? 150 : 50;
    assert_int_equal(decide(&adaptive, true, values, 1749), STOP_NONE);
    assert_int_equal(decide(&adaptive, true, values, 2000), STOP_MAX);
}

static void test_never_converged(void **state)
{
    (void)state;
    double values[2000] = {0};
    assert_int_equal(decide(&adaptive, true, values, 30), STOP_NONE); /* no event yet */
    assert_int_equal(decide(&adaptive, true, values, 2000), STOP_MAX);
    for (int i = 0; i < 2000; i++)
        values[i] = 0.1;
    assert_int_equal(decide(&adaptive, true, values, 30), STOP_NONE); /* zero variance */
    for (int i = 0; i < 2000; i++)
        values[i] = i % 2 ? 1 : -1;
    assert_int_equal(decide(&adaptive, true, values, 30), STOP_NONE); /* zero mean */
    for (int i = 0; i < 2000; i++)
        values[i] = NAN;
    assert_int_equal(decide(&adaptive, true, values, 2000), STOP_MAX);
}

static void test_least_events(void **state)
{
    (void)state;
    struct replication_rule rule = {30, 2000, METRIC_timeouts, 0.5, 0.95, 20};
    double values[45];
    for (int i = 0; i < 45; i++)
        values[i] = i % 2; /* 15 events in 30, 22 in 45; the interval is narrow enough at both */
    assert_int_equal(decide(&rule, true, values, 30), STOP_NONE);
    assert_int_equal(decide(&rule, true, values, 45), STOP_TARGET);
    rule.min_events = 0;
    assert_int_equal(decide(&rule, true, values, 30), STOP_TARGET);
}

/* --- coverage ---------------------------------------------------------------------------------------------------- */

struct population {
    const char *name;
    double mean, half_width;
    double (*draw)(gsl_rng *rng);
    uint32_t min, min_events;
    double coverage; /* what the same experiment gave elsewhere */
};

static double draw_normal(gsl_rng *rng)
{
    return 1 + gsl_ran_gaussian(rng, 0.3);
}

static double draw_exponential(gsl_rng *rng)
{
    return gsl_ran_exponential(rng, 1);
}

static double draw_rare(gsl_rng *rng)
{
    return gsl_ran_bernoulli(rng, 0.05);
}

/* Share of experiments whose interval, when the rule stops them, holds the true mean. */
static double coverage(const struct population *population, gsl_rng *rng)
{
    static double values[LONGEST];
    const struct replication_rule rule = {population->min,        LONGEST, METRIC_timeouts,
                                          population->half_width, 0.95,    population->min_events};
    int covered = 0;
    for (int e = 0; e < EXPERIMENTS; e++) {
        uint32_t n = 0;
        do {
            const uint32_t look = next_look(&rule, n);
            while (n < look)
                values[n++] = population->draw(rng);
        } while (decide(&rule, true, values, n) == STOP_NONE);
        const struct summary s = summarise(values, n, rule.confidence);
        covered += fabs(s.mean - population->mean) <= s.half_width;
    }
    return (double)covered / EXPERIMENTS;
}

/* Normal and exponential as in studies of sequential stopping (0.950 and 0.942 with a first look at 30). Rare events
 * cover only 0.748 where an all-zero first look may stop; here it may not, and a least number of events mends the rest.
 */
static void test_coverage(void **state)
{
    (void)state;
    const struct population populations[] = {
        {"normal, first look at 10", 1, 0.1, draw_normal, 10, 0, 0.939},
        {"normal", 1, 0.1, draw_normal, 30, 0, 0.950},
        {"exponential", 1, 0.1, draw_exponential, 30, 0, 0.942},
        {"rare events", 0.05, 0.2, draw_rare, 30, 0, 0.942},
        {"rare events, 20 at least", 0.05, 0.2, draw_rare, 30, 20, 0.942},
    };
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 1);
    for (unsigned p = 0; p < sizeof populations / sizeof populations[0]; p++) {
        const double got = coverage(&populations[p], rng), expected = populations[p].coverage;
        const double se = sqrt(2 * expected * (1 - expected) / EXPERIMENTS); /* both are estimates */
        if (fabs(got - expected) > 3 * se)
            fail_msg("%s: %.3f, expected %.3f", populations[p].name, got, expected);
    }
    gsl_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_summary),           cmocka_unit_test(test_summary_of_few),
        cmocka_unit_test(test_student_quantiles), cmocka_unit_test(test_looks),
        cmocka_unit_test(test_decisions),         cmocka_unit_test(test_never_converged),
        cmocka_unit_test(test_least_events),      cmocka_unit_test(test_coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
