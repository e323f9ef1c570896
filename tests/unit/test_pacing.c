/* test_pacing.c - when segments of a paced flow may leave. */
#include "scene.h"

/* Window of 8 segments, RTT 20 ms (19 and 1 of service). */
static struct scene run_window(const char *more)
{
    return scene_run(
        "duration: 0.4 s\n" SCENE_PATH("") SCENE_TCP(", initial_window: 8 segments, cwnd_max: 8 segments%s"), more);
}

/* Least time in ms between segments sent one after the other, from the first'th on. */
static double least_gap_ms(const struct scene *scene, size_t first)
{
    double least = 1e9;
    for (size_t k = first;; k++) {
        const struct trace_row *a = scene_row(scene, 0, 'S', k, 0), *b = scene_row(scene, 0, 'S', k + 1, 0);
        if (!b)
            return least;
        double gap = (double)(b->t_ps - a->t_ps) / 1e9;
        least = gap < least ? gap : least;
    }
}

/* In the steady state nothing is late. 1 %: the smoothed RTT still holds a little of the first burst's. */
static void check_gaps(const char *more, double gap_ms)
{
    struct scene scene = run_window(more);
    double least = least_gap_ms(&scene, 30);
    if (!(fabs(least - gap_ms) < 0.01 * gap_ms))
        fail_msg("%s: least gap %.6f ms, expected %.6f", more, least, gap_ms);
    assert_true(scene_count(&scene, 0, "S") > 100);
    scene_free(&scene);
}

static void test_window(void **state)
{
    (void)state;
    check_gaps("", 1);
    check_gaps(", pacing: window, initial_ssthresh: 8 segments, pacing_gain: 1.01", 20 / (1.01 * 8));
    check_gaps(", pacing: window, pacing_slow_start_gain: 1.01", 20 / (1.01 * 8));
}

/* The ACKs of the first window come 1 ms apart, the pace (gain 2) is about 1.28 ms. The tenth segment is the first that
 * the next must wait for; its lateness, 1 ms after the one before, gives it half its time; then 0.36 ms (22 - 21.64)
 * and 0.07 ms are left; segment 12 is the first that its ACK finds too early. */
static void test_first_are_not_paced(void **state)
{
    (void)state;
    struct scene scene = run_window(", pacing: window");
    scene_expect(&scene, 0, "S", 0, 24.9, "0: S0 S1 S2 S3 S4 S5 S6 S7; 20: S8; 21: S9; 22: S10; 23: S11; 24.19: S12");
    scene_free(&scene);
}

/* A pace far above the ACKs' changes nothing. */
static void test_fast_pace(void **state)
{
    (void)state;
    struct scene plain = run_window(", pacing: window, pacing_slow_start_gain: 100");
    scene_expect(&plain, 0, "S", 40, 42.9, "40: S16; 41: S17; 42: S18");
    scene_free(&plain);
}

/* Nothing else changes: all arrives, with losses and with every scheme that sends by itself. */
static void test_all_arrives(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"newreno", "sack", "fack", "cubic_linux", "vegas"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        struct scene scene = scene_run("duration: 60 s\npath: [{name: l, rate: 8 Mbit/s, delay: 20 ms, per: 0.02}]\n"
                                       "tcp: {algorithm: %s, pacing: window, mss: 1000 B}\n"
                                       "app: {kind: file, size: 2000000 B}\n",
                                       algorithms[i]);
        assert_int_equal((int)scene.result.flow[0][METRIC_completed], 1);
        scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_first_are_not_paced),
        cmocka_unit_test(test_fast_pace),
        cmocka_unit_test(test_all_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
