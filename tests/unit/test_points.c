/* test_points.c - checking, pricing and dealing grid points. */
#include "../../src/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct sweep *load(const char *text)
{
    struct sweep *sweep;
    struct error err;
    if (sweep_load_text(&sweep, "test.yaml", text, &err))
        fail_msg("%s", err.text);
    return sweep;
}

static double packets_of(const char *text)
{
    struct error err;
    struct sweep *sweep = load(text);
    struct scenario *sc = sweep_scenario(sweep, 0, &err);
    assert_non_null(sc);
    double packets = points_packets(sc);
    free(sc);
    sweep_free(sweep);
    return packets;
}

static void assert_near(double value, double expected, double relative)
{
    if (!(value > expected * (1 - relative) && value < expected * (1 + relative)))
        fail_msg("%g, expected about %g", value, expected);
}

static void test_price_of_a_window(void **state)
{
    (void)state;
    assert_near(packets_of("duration: 10 s\npath: [{name: l, rate: 100 Mbit/s, delay: 50 ms}]\n"
                           "tcp: {mss: 1000 B, receive_window: 20000 B}\napp: {kind: bulk}\n"),
                10 * 20 / 0.1, 0.05); /* 20 segments a round trip of 100 ms */
}

static void test_price_of_a_link(void **state)
{
    (void)state;
    assert_near(packets_of("duration: 10 s\npath: [{name: l, rate: 1 Mbit/s, delay: 1 ms}]\n"
                           "tcp: {mss: 960 B, receive_window: 60000 B}\napp: {kind: bulk}\n"),
                10 * 1e6 / 8000, 0.05); /* 1000 bytes on the wire */
}

static void test_price_of_writes_and_files(void **state)
{
    (void)state;
    const char *path = "duration: 10 s\npath: [{name: l, rate: 100 Mbit/s, delay: 1 ms}]\ntcp: {mss: 1000 B}\n";
    char text[512];
    snprintf(text, sizeof text, "%sapp: {kind: cbr, packet: 2500 B, interval: 100 ms}\n", path);
    assert_near(packets_of(text), 10 / 0.1 * 3, 0.05);
    snprintf(text, sizeof text, "%sapp: {kind: file, size: 10500 B}\n", path);
    assert_near(packets_of(text), 11, 0.01);
}

static void test_flows_share_a_link(void **state)
{
    (void)state;
    assert_near(packets_of("duration: 10 s\nlinks:\n  l: {rate: 1 Mbit/s, delay: 1 ms}\n"
                           "flows: [{name: f, count: 4, via: [l]}]\n"
                           "tcp: {mss: 960 B, receive_window: 60000 B}\napp: {kind: bulk}\n"),
                10 * 1e6 / 8000, 0.05);
}

static const char grid[] = "duration: 10 s\nreplications: 1\n"
                           "path: [{name: l, rate: 1 Mbit/s, delay: 1 ms}]\n"
                           "tcp: {mss: 960 B, receive_window: 60000 B}\napp: {kind: bulk}\n"
                           "axes: {path.l.rate: [1 Mbit/s, 3 Mbit/s, 2 Mbit/s], path.l.per: [0.1, 0.2]}\n"
                           "where: \"path.l.rate < 2.5 Mbit/s or path.l.per < 0.15\"\n";

static void test_order_and_selection(void **state)
{
    (void)state;
    double cost[6];
    uint64_t n;
    struct error err;
    struct sweep *sweep = load(grid);
    assert_int_equal(points_check(sweep, "test.yaml", 2, cost, &err), 0);
    uint64_t *points = points_in_order(cost, 6, &n);
    const uint64_t expected[] = {2, 4, 5, 0, 1}; /* 3 is left out */
    assert_int_equal(n, 5);
    assert_memory_equal(points, expected, sizeof expected);
    free(points);
    sweep_free(sweep);
}

static void test_bad_point_is_named(void **state)
{
    (void)state;
    double cost[2];
    struct error err;
    struct sweep *sweep = load("duration: 10 s\nreplications: 1\npath: [{name: l, rate: 1 Mbit/s, delay: 1 ms}]\n"
                               "tcp: {mss: 1000 B}\napp: {kind: bulk}\naxes: {tcp.receive_window: [9000 B, 900 B]}\n");
    assert_int_equal(points_check(sweep, "test.yaml", 2, cost, &err), -1);
    assert_int_equal(err.status, EXIT_BAD_INPUT);
    assert_non_null(strstr(err.text, "test.yaml"));
    assert_non_null(strstr(err.text, "receive_window"));
    sweep_free(sweep);
}

/* Every point falls to one bin, and sums of cost are alike. */
static void test_deal(void **state)
{
    (void)state;
    enum { POINTS = 1000, BINS = 7 };
    uint32_t seen[POINTS] = {0};
    double least = 1e9, most = 0;
    for (uint32_t bin = 0; bin < BINS; bin++) {
        uint64_t points[POINTS];
        double sum = 0;
        for (uint64_t i = 0; i < POINTS; i++)
            points[i] = i;
        uint64_t n = points_deal(points, POINTS, bin, BINS);
        for (uint64_t i = 0; i < n; i++) {
            seen[points[i]]++;
            sum += (double)(POINTS - points[i]); /* in order: falling cost */
        }
        least = sum < least ? sum : least;
        most = sum > most ? sum : most;
    }
    for (int i = 0; i < POINTS; i++)
        assert_int_equal(seen[i], 1);
    assert_true(most < 1.02 * least);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_price_of_a_window),
        cmocka_unit_test(test_price_of_a_link),
        cmocka_unit_test(test_price_of_writes_and_files),
        cmocka_unit_test(test_flows_share_a_link),
        cmocka_unit_test(test_order_and_selection),
        cmocka_unit_test(test_bad_point_is_named),
        cmocka_unit_test(test_deal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
