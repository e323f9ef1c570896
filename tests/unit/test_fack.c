/* test_fack.c - fack by drop lists: a window of 10 segments leaves at 0 ms, so segment k's ACK comes at 20 + k ms, and
 * what is sent at t is acknowledged at t + 20 ms.
 */
#include "scene.h"

#define TEN(algorithm, more) SCENE_TCP(", initial_window: 10 segments, algorithm: " algorithm more)
#define ONE_LOST ", drops: [{packet: 1}]"
#define THREE_LOST ", drops: [{packet: 1}, {packet: 2}, {packet: 3}]"

/* awnd = next - fack + sent again: 10 - 4 + 1 at the third duplicate, below the window of 5 from the sixth on. */
static void test_one_loss(void **state)
{
    (void)state;
    scene_check("SRFCH",
                "0: C10 H1e+09 S0 S1 S2 S3 S4 S5 S6 S7 S8 S9; 23: H5 F0 C5 R0; 26: S10; 27: S11; 28: S12; "
                "29: S13; 43: S14",
                "duration: 43.5 ms\n" SCENE_PATH(ONE_LOST) TEN("fack", ""));
}

/* The first duplicate reports segment 3, four beyond una: no need for two more. All holes below fack go again: awnd is
 * 10 - 4 + 1 at 23 ms, and there is room for one at each ACK from 26 ms on. */
static void test_gap(void **state)
{
    (void)state;
    scene_check("SRF", "0: S0 S1 S2 S3 S4 S5 S6 S7 S8 S9; 23: F0 R0; 26: R1; 27: R2; 28: S10; 29: S11; 43: S12",
                "duration: 43.5 ms\n" SCENE_PATH(THREE_LOST) TEN("fack", ""));
    scene_check("SRF", "0: S0 S1 S2 S3 S4 S5 S6 S7 S8 S9; 25: F0 R0; 26: R1; 27: R2; 28: S10; 29: S11",
                "duration: 43.5 ms\n" SCENE_PATH(THREE_LOST) TEN("sack", ""));
}

/* One segment for each two that fack advances, from the start: no pause. */
static void test_rampdown(void **state)
{
    (void)state;
    scene_check("SRF", "0: S0 S1 S2 S3 S4 S5 S6 S7 S8 S9; 23: F0 R0 S10; 25: S11; 27: S12; 29: S13; 43: S14",
                "duration: 43.5 ms\n" SCENE_PATH(ONE_LOST) TEN("fack", ", fack_rampdown: true"));
}

/* A loss in slow start leaves a quarter, one in congestion avoidance half. */
static void test_overdamping(void **state)
{
    (void)state;
    static const double expected[] = {2.5, 5};
    for (int i = 0; i < 2; i++) {
        struct scene scene =
            scene_run("duration: 24 ms\n" SCENE_PATH(ONE_LOST) TEN("fack", ", fack_overdamping: true%s"),
                      i ? ", initial_ssthresh: 10 segments" : "");
        assert_true(scene_last(&scene, 0, 'H') == expected[i] && scene_last(&scene, 0, 'C') == expected[i]);
        scene_free(&scene);
    }
}

/* A lost retransmission waits for the timer, also under ns-2's rules, which stop sending once they know of it. */
static void test_lost_retransmission(void **state)
{
    (void)state;
    static const char *const dialects[] = {"", ", dialect: ns2, cwnd_max: 20 segments"};
    for (int i = 0; i < 2; i++) {
        struct scene scene =
            scene_run("duration: 3 s\n" SCENE_PATH(", drops: [{segment: 20, transmission: 1}, "
                                                   "{segment: 20, transmission: 2}]") TEN("fack", "%s"),
                      dialects[i]);
        assert_int_equal(scene_count(&scene, 0, "T"), 1);
        assert_true(scene.result.all[METRIC_timeouts_lost_retransmission] == 1);
        assert_true(scene.result.all[METRIC_goodput] > 2e6);
        scene_free(&scene);
    }
}

/* ns-2: nothing on the first duplicates nor with the retransmission; cwnd grows from 1 by each ACK, and the ACK of all
 * that was outstanding does not end recovery. next - fack + 1 is 5, 4, 3 from 25 ms on, cwnd 3, 4, 5. */
static void test_ns2(void **state)
{
    (void)state;
    scene_check("SRFC",
                "0: C10 S0 S1 S2 S3 S4 S5 S6 S7 S8 S9; 23: F0 C1 R0; 24: C2; 25: C3; 26: C4; 27: C5 S10 S11; "
                "28: C5.2 S12; 29: C5.39231 S13; 43: C5.57776 S14",
                "duration: 43.5 ms\n" SCENE_PATH(ONE_LOST)
                    TEN("fack", ", dialect: ns2, initial_ssthresh: 10 segments"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_loss),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_rampdown),
        cmocka_unit_test(test_overdamping),
        cmocka_unit_test(test_lost_retransmission),
        cmocka_unit_test(test_ns2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
