/* test_allocation.c - a replication allocates nothing: malloc and its kin are counted here while sim_run runs.
 *
 * The C library calls the program's own malloc where there is one. Under a sanitizer, which brings its own, the test is
 * skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "../../src/sweep.h"

#ifndef __SANITIZE_ADDRESS__

static volatile unsigned long calls; /* volatile: the compiler takes it that malloc changes nothing of ours */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    return __libc_realloc(p, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    return __libc_memalign(alignment, size);
}

static const char *const sweeps[] = {
    "duration: 20 s\n"
    "replications: 1\n"
    "path: [{name: a, rate: 10 Mbit/s, delay: 1 ms}, {name: b, rate: 10 Mbit/s, delay: 50 ms, ber: 1e-6}]\n"
    "tcp: {algorithm: sack}\n",
    "duration: 20 s\n"
    "replications: 1\n"
    "links:\n"
    "  access: {rate: 100 Mbit/s, delay: 1 ms}\n"
    "  middle: {rate: 10 Mbit/s, delay: 20 ms, queue: 20 packets, gilbert: {p: 0.001, r: 0.3}}\n"
    "flows:\n"
    "  - {name: a, count: 5, via: [access*, middle], tcp: {algorithm: newreno}}\n"
    "  - {name: f, via: [middle], app: {kind: file, size: 100 kB, repeat: 5, interval: 3 s}}\n"
    "  - {name: x, via: [middle], app: {kind: udp_cbr, packet: 500 B, interval: 4 ms}}\n",
};

static unsigned long calls_of_a_run(const char *text)
{
    struct error err = {0};
    struct sweep *sweep = NULL;
    if (sweep_load_text(&sweep, "test.yaml", text, &err) < 0)
        fail_msg("%s", err.text);
    struct scenario *scenario = sweep_scenario(sweep, 0, &err);
    assert_non_null(scenario);
    void *memory = aligned_alloc(64, sim_bytes(scenario));
    struct sim_result result = {0};
    unsigned long before = calls;
    sim_run(scenario, (struct sim_key){{1, 2}}, memory, NULL, &result);
    unsigned long during = calls - before;
    assert_int_equal(result.status, SIM_OK);
    assert_true(result.packets > 100);
    free(memory);
    free(scenario);
    sweep_free(sweep);
    return during;
}

static void test_the_count_counts(void **state)
{
    (void)state;
    unsigned long before = calls;
    void *volatile p = malloc(10);
    free(p);
    assert_true(calls > before);
}

static void test_a_replication_allocates_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sweeps / sizeof sweeps[0]; i++)
        assert_int_equal(calls_of_a_run(sweeps[i]), 0);
}

#else

static void test_the_count_counts(void **state)
{
    (void)state;
    skip();
}

static void test_a_replication_allocates_nothing(void **state)
{
    (void)state;
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_count_counts),
        cmocka_unit_test(test_a_replication_allocates_nothing),
    };
    return cmocka_run_group_tests_name("allocation", tests, NULL, NULL);
}
