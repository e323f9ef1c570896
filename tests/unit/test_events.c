/* test_events.c - the winner tree against a search through all sources. */
#include "../../kernels/events.h"
#include "../../kernels/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { SOURCES_MAX = 40, STEPS = 2000 };

/* The source with the earliest time (the lowest number of equal ones) by the horizon, or -1. */
static int earliest(const int64_t *time, uint32_t n, int64_t horizon)
{
    int best = -1;
    for (uint32_t i = 0; i < n; i++)
        if (time[i] <= horizon && (best < 0 || time[i] < time[best]))
            best = (int)i;
    return best;
}

static void check(const struct events *e, const int64_t *time, uint32_t n, int64_t horizon)
{
    int best = earliest(time, n, horizon);
    assert_int_equal(events_pending(e), best >= 0);
    if (best >= 0)
        assert_int_equal(events_next(e), best);
}

/* Random times in a range so small that many are equal and some are beyond the horizon. */
static void test_against_search(void **state)
{
    (void)state;
    struct random_stream r;
    random_init(&r, (struct sim_key){{1, 1}}, 0);
    for (uint32_t n = 1; n <= SOURCES_MAX; n++) {
        uint32_t leaves = events_leaves(n);
        uint64_t *keys = calloc(2 * leaves, sizeof *keys);
        int64_t time[SOURCES_MAX], horizon = 80;
        struct events e;
        events_init(&e, keys, leaves, horizon);
        for (uint32_t i = 0; i < n; i++)
            time[i] = INT64_MAX / 4;
        check(&e, time, n, horizon);
        for (int step = 0; step < STEPS; step++) {
            uint32_t source = (uint32_t)(random_uniform(&r) * n);
            int64_t t = (int64_t)(random_uniform(&r) * 100);
            if (t > 95)
                t = INT64_MAX / 4;
            bool is_next = events_pending(&e) && random_uniform(&r) < 0.5;
            if (is_next)
                source = events_next(&e);
            time[source] = t;
            if (is_next)
                events_advance(&e, source, t);
            else
                events_set(&e, source, t);
            check(&e, time, n, horizon);
        }
        free(keys);
    }
}

/* The order in which sources that are due at once come: by number. */
static void test_ties(void **state)
{
    (void)state;
    uint64_t keys[16];
    struct events e;
    events_init(&e, keys, 8, 1000);
    static const uint32_t order[] = {5, 2, 7, 0};
    for (int i = 0; i < 4; i++)
        events_set(&e, order[i], 10);
    static const uint32_t expected[] = {0, 2, 5, 7};
    for (int i = 0; i < 4; i++) {
        assert_true(events_pending(&e));
        assert_int_equal(events_next(&e), expected[i]);
        events_advance(&e, expected[i], 2000);
    }
    assert_false(events_pending(&e));
}

/* What lies at the horizon is due, one above it is not. */
static void test_horizon(void **state)
{
    (void)state;
    uint64_t keys[8];
    struct events e;
    events_init(&e, keys, 4, 1000);
    assert_false(events_pending(&e));
    events_set(&e, 3, 1001);
    assert_false(events_pending(&e));
    events_set(&e, 3, INT64_MAX / 4);
    assert_false(events_pending(&e));
    events_set(&e, 3, 1000);
    assert_true(events_pending(&e));
    assert_int_equal(events_next(&e), 3);
    events_stop(&e);
    assert_false(events_pending(&e));
}

/* Thousands of sources over 1e6 s do not fit 64 bits: times lose their last bits, nothing else. */
static void test_coarse_times(void **state)
{
    (void)state;
    enum { SOURCES = 4000, GRAIN_PS = 4096 };
    uint32_t leaves = events_leaves(SOURCES);
    assert_int_equal(leaves, 4096);
    uint64_t *keys = calloc(2 * leaves, sizeof *keys);
    int64_t *time = calloc(SOURCES, sizeof *time), horizon = INT64_C(1000000) * PS_PER_S;
    struct events e;
    struct random_stream r;
    random_init(&r, (struct sim_key){{2, 2}}, 0);
    events_init(&e, keys, leaves, horizon);
    for (uint32_t i = 0; i < SOURCES; i++) {
        time[i] = (int64_t)(random_uniform(&r) * (double)horizon);
        events_set(&e, i, time[i]);
    }
    for (uint32_t i = 0; i < SOURCES; i++) {
        assert_true(events_pending(&e));
        uint32_t next = events_next(&e);
        int best = earliest(time, SOURCES, horizon);
        assert_true(time[next] - time[best] < GRAIN_PS);
        time[next] = INT64_MAX / 4;
        events_advance(&e, next, INT64_MAX / 4);
    }
    assert_false(events_pending(&e));
    events_set(&e, 17, horizon - GRAIN_PS);
    assert_true(events_pending(&e));
    events_set(&e, 17, horizon + GRAIN_PS);
    assert_false(events_pending(&e));
    free(keys);
    free(time);
}

/* An hour with hundreds of sources fits as it is: one picosecond decides. */
static void test_one_picosecond(void **state)
{
    (void)state;
    uint64_t *keys = calloc(2 * 1024, sizeof *keys);
    struct events e;
    events_init(&e, keys, 1024, 3600 * PS_PER_S);
    events_set(&e, 1000, 3600 * PS_PER_S - 1);
    events_set(&e, 1, 3600 * PS_PER_S);
    assert_int_equal(events_next(&e), 1000);
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_search), cmocka_unit_test(test_ties),           cmocka_unit_test(test_horizon),
        cmocka_unit_test(test_coarse_times),   cmocka_unit_test(test_one_picosecond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
