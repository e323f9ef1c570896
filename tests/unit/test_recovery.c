/* test_recovery.c - what tahoe, reno, newreno and timeout_only do on duplicate ACKs, partial ACKs and timeouts, by drop
 * lists: a window of 10 segments leaves at 0 ms, so segment k's ACK comes at 20 + k ms, and what is sent at t is
 * acknowledged at t + 20 ms.
 */
#include "kernel_vectors.h"
#include "scene.h"

#define TEN(algorithm, more) SCENE_TCP(", initial_window: 10 segments, algorithm: " algorithm more)
#define TEN_SEGMENTS "app: {kind: file, size: 10 KB}\n"

/* --- vectors ------------------------------------------------------------------------------------------------------ */

/* In segments of smss. */
static double segments(const struct vector_row *v, const char *name)
{
    return vector_value(v->expected, name) / 1000;
}

static void expect_last(const struct vector_row *v, const struct scene *scene, char letter, double expected)
{
    double got = scene_last(scene, 0, letter);
    if (got != expected)
        fail_msg("%s: %c is %g, expected %g", v->id, letter, got, expected);
}

static void check_tahoe(const struct vector_row *v)
{
    struct scene scene = scene_run("duration: 23.5 ms\n" SCENE_PATH(", drops: [{packet: 1}]") TEN("tahoe", ""));
    expect_last(v, &scene, 'H', segments(v, "ssthresh"));
    expect_last(v, &scene, 'C', segments(v, "cwnd"));
    scene_expect(&scene, 0, "SRF", 1, 100, "23: F0 R0");
    scene_free(&scene);
}

static void check_old_tahoe(const struct vector_row *v)
{
    struct scene scene = scene_run("duration: 999 ms\n" SCENE_PATH(", drops: [{packet: 1}]") TEN("old_tahoe", ""));
    expect_last(v, &scene, 'C', segments(v, "cwnd"));
    assert_int_equal(scene_count(&scene, 0, "H"), 1); /* the initial one */
    assert_int_equal(scene_count(&scene, 0, "A"), 9);
    scene_expect(&scene, 0, "SRF", 1, 999, "");
    scene_free(&scene);
}

/* The window of 8 after three duplicates, 10 after five, is seen from what it lets out: nothing until the sixth. */
static void check_reno(const struct vector_row *v)
{
    struct scene scene = scene_run("duration: 43.5 ms\n" SCENE_PATH(", drops: [{packet: 1}]") TEN("reno", ""));
    assert_true(segments(v, "cwnd_after_3") + 2 == segments(v, "cwnd_after_5"));
    scene_expect(&scene, 0, "SRFCH", 1, 30, "23: H5 F0 C5 R0; 26: S10; 27: S11; 28: S12; 29: S13");
    assert_true(26 - 21 == segments(v, "cwnd_after_5") - segments(v, "ssthresh"));
    expect_last(v, &scene, 'H', segments(v, "ssthresh"));
    expect_last(v, &scene, 'C', segments(v, "cwnd_end"));
    scene_expect(&scene, 0, "SRA", 43, 43, "43: A9 S14"); /* 4 in flight, the window is 5 */
    scene_free(&scene);
}

static void check_window_limited(const struct vector_row *v)
{
    static const char *const bases[] = {"", ", ssthresh_base: cwnd"};
    static const char *const expected[] = {"ssthresh", "if_based_on_cwnd"};
    for (int i = 0; i < 2; i++) {
        struct scene scene = scene_run(
            "duration: 24.5 ms\n" SCENE_PATH(
                ", drops: [{packet: 1}]") "tcp: {mss: 1000 B, header: 0 B, "
                                          "ack_size: 1000 B, handshake: false, delayed_ack: false, algorithm: reno, "
                                          "limited_transmit: false, initial_window: %g segments, receive_window: %g "
                                          "B%s}\n",
            vector_in(v, "cwnd") / 1000, vector_in(v, "flight"), bases[i]);
        assert_int_equal(scene_count(&scene, 0, "S"), 12);
        expect_last(v, &scene, 'H', segments(v, expected[i]));
        if (i == 0)
            expect_last(v, &scene, 'C', segments(v, "cwnd") - 3); /* the inflation by three is kept apart */
        scene_free(&scene);
    }
}

#define TWO_LOST ", drops: [{packet: 1}, {packet: 5}]"

static void check_two_losses(const struct vector_row *v)
{
    /* As given: no new data. Segment 0 goes again at the third duplicate, 4 at the partial ACK. */
    static const char *const options[] = {"", ", newreno_exit_to_ssthresh: true"};
    static const char *const ends[] = {"cwnd_full_option1", "cwnd_full_option2"};
    for (int i = 0; i < 2; i++) {
        struct scene scene = scene_run("duration: 100 ms\n" SCENE_PATH(TWO_LOST)
                                           SCENE_TCP(", initial_window: 10 segments%s") TEN_SEGMENTS,
                                       options[i]);
        size_t duplicates = 0;
        for (size_t k = 0; k < scene.n; k++)
            duplicates += scene.row[k].event == TRACE_ACK && scene.row[k].a == -1;
        assert_int_equal(duplicates, (int)vector_value(v->expected, "dup_acks_total"));
        scene_expect(&scene, 0, "SRF", 1, 100, "23: F0 R0; 43: R4");
        expect_last(v, &scene, 'H', segments(v, "ssthresh"));
        expect_last(v, &scene, 'C', segments(v, ends[i]));
        scene_free(&scene);
    }
    /* With new data the windows show: 13 after the eighth duplicate (segments 10, 11, 12), 10 at the partial ACK of 0-3
     * (13 is the last below 4 + 10). */
    assert_true(segments(v, "cwnd_8dup") == 13 && segments(v, "partial_ack") + segments(v, "cwnd_partial") == 14);
    scene_check("SRF", "0: S0 S1 S2 S3 S4 S5 S6 S7 S8 S9; 23: F0 R0; 27: S10; 28: S11; 29: S12; 43: R4 S13",
                "duration: 46.5 ms\n" SCENE_PATH(TWO_LOST) TEN("newreno", ""));
}

/* Segments 0 to 7 are lost: two duplicates are too few, so the timer sends 0 again; 3 is lost again in the slow start
 * that follows, and the duplicates that 4, 5 and 6 cause are for what was sent before `recover` = 10. */
#define GUARD_DROPS                                                                                                    \
    ", drops: [{packet: 1}, {packet: 2}, {packet: 3}, {packet: 4}, {packet: 5}, {packet: 6}, {packet: 7}, "            \
    "{packet: 8}, {segment: 3, transmission: 2}]"

static void check_guard(const struct vector_row *v)
{
    static const char *const more[] = {"", ", multiple_fast_retransmit: true"};
    assert_true(vector_in(v, "ack") < vector_in(v, "recover"));
    for (int i = 0; i < 2; i++) {
        struct scene scene = scene_run("duration: 1100 ms\n" SCENE_PATH(GUARD_DROPS)
                                           SCENE_TCP(", initial_window: 10 segments%s") TEN_SEGMENTS,
                                       more[i]);
        scene_expect(&scene, 0, "R", 0, 1045, "1000: R0; 1020: R1 R2; 1040: R3 R4; 1041: R5 R6");
        assert_int_equal(scene_count(&scene, 0, "F"), i ? 1 : (int)vector_value(v->expected, "fast_retransmit"));
        scene_free(&scene);
    }
}

/* The full ACK finds n segments in flight: those sent for the duplicates beyond the fifth, of a file of 10 + n. */
static void check_full_ack(const struct vector_row *v)
{
    double flight = vector_in(v, "flight") / 1000;
    struct scene scene = scene_run("duration: 43.5 ms\n" SCENE_PATH(", drops: [{packet: 1}]")
                                       SCENE_TCP(", initial_window: 10 segments") "app: {kind: file, size: %g KB}\n",
                                   10 + flight);
    assert_true((double)scene_count(&scene, 0, "S") == 10 + flight);
    assert_int_equal(scene_row(&scene, 0, 'A', 0, 43)->a, 9);
    expect_last(v, &scene, 'H', vector_in(v, "ssthresh") / 1000);
    expect_last(v, &scene, 'C', segments(v, "cwnd"));
    scene_free(&scene);
}

static const struct vector_rule rules[] = {
    {"tahoe_3dup", check_tahoe, NULL},
    {"oldtahoe_3dup", check_old_tahoe, NULL},
    {"reno_3dup_2more_newack", check_reno, NULL},
    {"reno_rwnd_limited", check_window_limited, NULL},
    {"newreno_two_losses", check_two_losses, NULL},
    {"newreno_recover_guard", check_guard, NULL},
    {"newreno_full_option1_9000", NULL, "of 10 segments at the loss 4 at most are left in flight at the full ACK"},
    {"newreno_full_option1_", check_full_ack, NULL},
    {NULL, NULL, NULL},
};

static const char *const groups[] = {"recovery", NULL};

static void test_vectors(void **state)
{
    (void)state;
    kernel_vectors(groups, rules);
}

/* --- the schemes against each other ------------------------------------------------------------------------------- */

/* All that each does with one loss in ten, until the second round is out. */
static void test_one_loss(void **state)
{
    (void)state;
    static const struct {
        const char *algorithm, *rows;
    } schemes[] = {
        {"tahoe", "23: H5 F0 C1 R0; 43: C2 S10 S11"},
        {"reno", "23: H5 F0 C5 R0; 26: S10; 27: S11; 28: S12; 29: S13; 43: S14; 46: C5.2 S15; 47: C5.39231 S16"},
        {"newreno", "23: H5 F0 C5 R0; 26: S10; 27: S11; 28: S12; 29: S13; 43: C5 S14; 46: C5.2 S15; 47: C5.39231 S16"},
        {"old_tahoe", ""},
    };
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        struct scene scene = scene_run("duration: 47.5 ms\n" SCENE_PATH(", drops: [{packet: 1}]")
                                           SCENE_TCP(", initial_window: 10 segments, algorithm: %s"),
                                       schemes[i].algorithm);
        scene_expect(&scene, 0, "SRFHC", 1, 100, schemes[i].rows);
        scene_free(&scene);
    }
}

/* Two losses: Reno's first recovery ends at the partial ACK; NewReno's stays. */
static void test_two_losses(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 1 s\n" SCENE_PATH(TWO_LOST) TEN("reno", "") TEN_SEGMENTS);
    scene_expect(&scene, 0, "SRF", 1, 1000, "23: F0 R0"); /* no more duplicates: segment 4 waits for the timer */
    assert_true(scene.result.all[METRIC_fast_retransmits] == 1);
    scene_free(&scene);
    scene = scene_run("duration: 100 ms\n" SCENE_PATH(TWO_LOST) TEN("reno", ""));
    /* with new data there are: 10, 11 and 12 (sent at 27-29) make three for 4: a second halving */
    scene_expect(&scene, 0, "RFH", 1, 100, "23: H5 F0 R0; 49: H4.5 F4 R4");
    assert_true(scene.result.all[METRIC_fast_retransmits] == 2);
    scene_free(&scene);
}

/* --- dupack_threshold, limited transmit --------------------------------------------------------------------------- */

static void test_threshold(void **state)
{
    (void)state;
    scene_check("RF", "25: F0 R0",
                "duration: 30.5 ms\n" SCENE_PATH(", drops: [{packet: 1}]") TEN("newreno", ", dupack_threshold: 5"));
    scene_check("RF", "21: F0 R0",
                "duration: 30.5 ms\n" SCENE_PATH(", drops: [{packet: 1}]") TEN("newreno", ", dupack_threshold: 1"));
}

/* RFC 3042: the first two duplicates let one new segment out each; they are not part of FlightSize (ssthresh 5). */
static void test_limited_transmit(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"reno", "newreno", "tahoe", "sack"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        struct scene scene = scene_run(
            "duration: 23.5 ms\n" SCENE_PATH(", drops: [{packet: 1}]") "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 "
                                                                       "B, sack_option_bytes: 0 B, handshake: false, "
                                                                       "delayed_ack: false, receive_window: 1 MB, "
                                                                       "initial_window: 10 segments, algorithm: %s}\n",
            algorithms[i]);
        scene_expect(&scene, 0, "SRFH", 1, 100, "21: S10; 22: S11; 23: H5 F0 R0");
        scene_free(&scene);
    }
    /* not beyond the receive window */
    scene_check(
        "SRF", "0: S0 S1 S2 S3 S4 S5 S6 S7 S8 S9; 23: F0 R0",
        "duration: 23.5 ms\n" SCENE_PATH(", drops: [{packet: 1}]") "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, "
                                                                   "handshake: false, delayed_ack: false, "
                                                                   "receive_window: 10 KB}\n");
}

/* Four segments: too few duplicates without limited transmit, enough with it (RFC 3042's point). */
static void test_small_window(void **state)
{
    (void)state;
    scene_check("SRFT", "0: S0 S1 S2; 1000: T0 R0",
                "duration: 1005 ms\n" SCENE_PATH(", drops: [{packet: 1}]") SCENE_TCP(", initial_window: 3 segments"));
    scene_check("SRFT", "0: S0 S1 S2; 21: S3; 22: S4; 41: F0 R0",
                "duration: 41.5 ms\n" SCENE_PATH(
                    ", drops: [{packet: 1}]") "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, handshake: false, "
                                              "delayed_ack: false, "
                                              "receive_window: 1 MB, initial_window: 3 segments}\n");
}

/* --- timeouts ----------------------------------------------------------------------------------------------------- */

/* Everything is lost at once; the same segment's second timeout keeps ssthresh (RFC 5681 3.1). */
static void test_timeout(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"old_tahoe", "tahoe", "reno", "newreno", "sack"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        struct scene scene =
            scene_run("duration: 3100 ms\n" SCENE_PATH(", schedule: [{at: 0 s, up: false}, {at: 2 s, up: true}]")
                          SCENE_TCP(", initial_window: 8 segments, algorithm: %s"),
                      algorithms[i]);
        scene_expect(&scene, 0, "RTHCB", 1, 3045,
                     "1000: T0 H4 C1 B2 R0; 3000: T0 C1 B4 R0; 3020: B1 C2 R1 R2; 3040: C3 R3 R4; 3041: C4 R5 R6");
        assert_true(scene.result.all[METRIC_timeouts] == 2);
        scene_free(&scene);
    }
}

/* The retransmission is lost too: the timer counts from the last transmission that started it. */
static void test_lost_retransmission(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 1100 ms\n" SCENE_PATH(
        ", drops: [{segment: 2, transmission: 1}, {segment: 2, transmission: 2}]") TEN("newreno", ""));
    /* ACKs of 0 and 1 at 20 and 21 ms: the timer runs to 1021 */
    assert_true(scene_row(&scene, 0, 'F', 0, 0)->t_ps / PS_PER_MS == 25);
    assert_true(scene_row(&scene, 0, 'T', 0, 0)->t_ps / PS_PER_MS == 1021);
    assert_true(scene.result.all[METRIC_timeouts_lost_retransmission] == 1);
    scene_free(&scene);
}

/* Why a timeout came: the tail, or something else. */
static void test_timeout_causes(void **state)
{
    (void)state;
    static const struct {
        const char *link, *app;
        double lost_retransmission, tail, other;
    } rows[] = {
        {", drops: [{packet: 10}]", TEN_SEGMENTS, 0, 1, 0},
        {", drops: [{packet: 8}]", TEN_SEGMENTS, 0, 1, 0},
        {", drops: [{packet: 1}, {packet: 2}, {packet: 3}, {packet: 4}, {packet: 5}, {packet: 6}, {packet: 7}, "
         "{packet: 8}]",
         TEN_SEGMENTS, 0, 0, 1},
        {", drops: [{packet: 1}, {segment: 0, transmission: 2}]", TEN_SEGMENTS, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene =
            scene_run("duration: 3 s\npath: [{name: l, rate: 8 Mbit/s, delay: 10 ms%s}]\n" TEN("newreno", "") "%s",
                      rows[i].link, rows[i].app);
        const double *m = scene.result.all;
        assert_true(m[METRIC_timeouts_lost_retransmission] == rows[i].lost_retransmission);
        assert_true(m[METRIC_timeouts_tail] == rows[i].tail);
        assert_true(m[METRIC_timeouts_other] == rows[i].other);
        scene_free(&scene);
    }
}

/* --- partial ACKs and the timer ----------------------------------------------------------------------------------- */

/* Losses 0, 2, 4, 6 of 10: the third duplicate at 25 ms, a partial ACK each 20 ms from 45 ms on; segment 6's
 * retransmission is lost. impatient: the timer runs from the first partial ACK, slow_but_steady: from the last, at 85
 * ms. min_rto 200 ms. */
static void test_newreno_timer(void **state)
{
    (void)state;
    static const struct {
        const char *variant;
        int timeout_ms;
    } rows[] = {{"impatient", 245}, {"slow_but_steady", 285}};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene =
            scene_run("duration: 400 ms\n" SCENE_PATH(", drops: [{packet: 1}, {packet: 3}, {packet: 5}, {packet: 7}, "
                                                      "{segment: 6, transmission: 2}]")
                          SCENE_TCP(", initial_window: 10 segments, initial_rto: 200 ms, min_rto: 200 ms, newreno: %s")
                              TEN_SEGMENTS,
                      rows[i].variant);
        scene_expect(&scene, 0, "R", 0, 200, "25: R0; 45: R2; 65: R4; 85: R6");
        assert_int_equal(scene_row(&scene, 0, 'T', 0, 0)->t_ps / PS_PER_MS, rows[i].timeout_ms);
        scene_free(&scene);
    }
}

/* Three places of reordering are taken for a loss; two are not. The delay falls while segment 1 is sent. */
static void test_reordering(void **state)
{
    (void)state;
    for (int early_ms = 2; early_ms <= 3; early_ms++) {
        struct scene scene = scene_run(
            "duration: 60 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 9 ms, reverse: {rate: 80 Gbit/s, delay: "
            "10 ms}, schedule: [{at: 1.5 ms, delay: %d.5 ms}, {at: 10 ms, delay: 9 ms}]}]\n" TEN("reno", "")
                TEN_SEGMENTS,
            9 - early_ms - 1);
        /* segment 0 left at 1 ms with 9 ms: behind segments 1 .. early + 1 */
        assert_int_equal(scene_count(&scene, 0, "F"), early_ms == 3);
        assert_true(scene.result.all[METRIC_spurious_retransmits] == (early_ms == 3));
        scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),          cmocka_unit_test(test_one_loss),
        cmocka_unit_test(test_two_losses),       cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_limited_transmit), cmocka_unit_test(test_small_window),
        cmocka_unit_test(test_timeout),          cmocka_unit_test(test_lost_retransmission),
        cmocka_unit_test(test_timeout_causes),   cmocka_unit_test(test_newreno_timer),
        cmocka_unit_test(test_reordering),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
