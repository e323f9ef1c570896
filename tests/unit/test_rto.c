/* test_rto.c - the retransmission timeout: RFC 6298 against the vectors, ns-2's ticks against a series worked out by
 * hand, and both as a running connection shows them.
 */
#include "kernel_vectors.h"
#include "scene.h"

#include "../../kernels/rto.h"

/* --- vectors ------------------------------------------------------------------------------------------------------ */

static int64_t to_ps(double t_s)
{
    return (int64_t)llround(t_s * (double)PS_PER_S);
}

static void expect_s(const struct vector_row *v, const char *name, int number, double got_s)
{
    char key[32];
    snprintf(key, sizeof key, "%s%d", name, number);
    if (vector_text(v->expected, key))
        scene_near(v->id, got_s, vector_value(v->expected, key), 1e-6);
}

static void check_rfc6298(const struct vector_row *v)
{
    struct tcp_cfg cfg = {.rto_estimator = RTO_RFC6298,
                          .initial_rto_ps = PS_PER_S,
                          .min_rto_ps = to_ps(vector_in(v, "min_s")),
                          .max_rto_ps = to_ps(vector_in(v, "max_s")),
                          .rto_granularity_ps = to_ps(vector_in(v, "g_s"))};
    struct rto_state rto;
    char samples[200];
    int n = 0;
    rto_init(&rto, &cfg);
    snprintf(samples, sizeof samples, "%s", vector_text(v->inputs, "samples_s"));
    samples[strcspn(samples, ";")] = 0;
    for (char *sample = strtok(samples, " "); sample; sample = strtok(NULL, " ")) {
        if (*sample == 'B') {
            rto_back_off(&rto, &cfg);
        } else {
            rto.backoff = 1; /* the sender's part, see test_backoff_ends */
            rto_sample(&rto, &cfg, to_ps(strtod(sample, NULL)), 0);
        }
        n++;
        expect_s(v, "srtt", n, rto_srtt_s(&rto, &cfg));
        expect_s(v, "rttvar", n, rto_rttvar_s(&rto, &cfg));
        expect_s(v, "rto", n, (double)rto_timeout_ps(&rto) / (double)PS_PER_S);
    }
    assert_true(n > 0);
}

/* One sample a window, as the vectors say. */
static void check_linux(const struct vector_row *v)
{
    struct tcp_cfg cfg = {.rto_estimator = RTO_LINUX,
                          .initial_rto_ps = PS_PER_S,
                          .min_rto_ps = (int64_t)vector_in(v, "rto_min_us") * PS_PER_US,
                          .max_rto_ps = 120 * PS_PER_S};
    struct rto_state rto;
    char samples[200], key[32];
    uint32_t n = 0;
    rto_init(&rto, &cfg);
    snprintf(samples, sizeof samples, "%s", vector_text(v->inputs, "samples_us"));
    samples[strcspn(samples, ";")] = 0;
    for (char *sample = strtok(samples, " "); sample; sample = strtok(NULL, " ")) {
        rto_sample_linux(&rto, strtol(sample, NULL, 10) * PS_PER_US, 0, 2 * n, 2 * n + 1);
        n++;
        snprintf(key, sizeof key, "srtt_us%u", n);
        scene_near(v->id, (double)(rto.srtt_8 >> 3), vector_value(v->expected, key), 0);
        snprintf(key, sizeof key, "rto_us%u", n);
        scene_near(v->id, (double)rto_timeout_ps(&rto) / (double)PS_PER_US, vector_value(v->expected, key), 0);
    }
    assert_true(n > 0);
}

static const struct vector_rule rules[] = {
    {"rto_linux_", check_linux, NULL},
    {"rto_", check_rfc6298, NULL},
    {NULL, NULL, NULL},
};

static const char *const groups[] = {"rto", NULL};

static void test_vectors(void **state)
{
    (void)state;
    kernel_vectors(groups, rules);
}

/* --- limits ------------------------------------------------------------------------------------------------------- */

static void test_limits(void **state)
{
    (void)state;
    struct tcp_cfg cfg = {.initial_rto_ps = 3 * PS_PER_S, .min_rto_ps = PS_PER_S, .max_rto_ps = 60 * PS_PER_S};
    struct rto_state rto;
    static const double expected_s[] = {3, 6, 12, 24, 48, 60, 60};
    rto_init(&rto, &cfg);
    for (size_t i = 0; i < sizeof expected_s / sizeof *expected_s; i++) {
        assert_true(rto_timeout_ps(&rto) == to_ps(expected_s[i]));
        rto_back_off(&rto, &cfg);
    }
    for (int i = 0; i < 100; i++) /* no overflow */
        rto_back_off(&rto, &cfg);
    assert_true(rto_timeout_ps(&rto) == 60 * PS_PER_S);
}

/* --- Linux -------------------------------------------------------------------------------------------------------- */

/* timer.c, ticks of 4 ms: set at 9 ms (tick 2), 7 ticks: tick 9, fires on the next, 40 ms. 77 ticks: tick 79, the next
 * multiple of 8 is 80; 76 ticks: 78, also 80; 78: 80, the next is 88. Without ticks it fires when it is due. */
static void test_linux_timer_wheel(void **state)
{
    (void)state;
    struct tcp_cfg cfg = {.rto_estimator = RTO_LINUX, .rto_granularity_ps = 4 * PS_PER_MS, .max_rto_ps = PS_PER_S};
    static const struct {
        int wait_ms, fires_ms;
    } rows[] = {{27, 40}, {28, 40}, {29, 44}, {244, 256}, {248, 260}, {252, 288}, {304, 320}, {308, 320}, {312, 352}};
    struct rto_state rto;
    rto_init(&rto, &cfg);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(rto_fires_ps(&rto, 9 * PS_PER_MS, rows[i].wait_ms * PS_PER_MS), rows[i].fires_ms * PS_PER_MS);
    cfg.rto_granularity_ps = 0;
    rto_init(&rto, &cfg);
    assert_int_equal(rto_fires_ps(&rto, 9 * PS_PER_MS, 27 * PS_PER_MS), 36 * PS_PER_MS);
}

/* The estimate is rounded up to ticks; within a window the deviation only rises. */
static void test_linux_estimator(void **state)
{
    (void)state;
    struct tcp_cfg cfg = {.rto_estimator = RTO_LINUX,
                          .min_rto_ps = 200 * PS_PER_MS,
                          .rto_granularity_ps = 4 * PS_PER_MS,
                          .max_rto_ps = 120 * PS_PER_S};
    struct rto_state rto;
    rto_init(&rto, &cfg);
    rto_sample_linux(&rto, 101 * PS_PER_MS, 0, 0, 10); /* rttvar_4 = 202 ms */
    assert_int_equal(rto_timeout_ps(&rto), 304 * PS_PER_MS);
    rto_sample_linux(&rto, 501 * PS_PER_MS, 0, 1, 11); /* mdev_4 202 + 400 - 50.5 = 551.5, srtt 151 */
    assert_int_equal(rto.rttvar_4, 551500);
    assert_int_equal(rto_timeout_ps(&rto), 704 * PS_PER_MS);
    rto_sample_linux(&rto, 151 * PS_PER_MS, 0, 2, 12); /* same window: the deviation in force stays */
    assert_int_equal(rto.rttvar_4, 551500);
    rto_sample_linux(&rto, 151 * PS_PER_MS, 0, 11, 20); /* its largest was the same: it stays for another window */
    assert_int_equal(rto.rttvar_4, 551500);
    rto_sample_linux(&rto, 151 * PS_PER_MS, 0, 21, 30); /* mdev_4 551.5 - 3 x 1/4 of itself, above the floor: 232 */
    assert_int_equal(rto.rttvar_4, 551500 - (551500 - rto.mdev_4) / 4);
}

/* --- ns-2 --------------------------------------------------------------------------------------------------------- */

/* Ticks of 100 ms. tcp.cc: first sample m: 8 srtt = 8 m, 4 rttvar = 2 m; then d = m - (8 srtt >> 3), 8 srtt += d,
 * 4 rttvar += |d| - (4 rttvar >> 2); timeout = (8 x (4 rttvar) + 8 srtt) >> 3 ticks. */
static void test_ns2_series(void **state)
{
    (void)state;
    struct tcp_cfg cfg = {.rto_estimator = RTO_NS2,
                          .initial_rto_ps = 3 * PS_PER_S,
                          .max_rto_ps = 60 * PS_PER_S,
                          .rto_granularity_ps = 100 * PS_PER_MS};
    static const struct {
        double sent_s, rtt_s;
        int srtt_8, rttvar_4, ticks;
    } rows[] = {
        {0.00, 0.50, 40, 10, 15}, /* m 5 */
        {0.05, 0.56, 41, 9, 14},  /* 0.05 + 0.56: m 6, d 1: 41, 10 + 1 - 2; (72 + 41) >> 3 */
        {0.19, 0.25, 39, 9, 13},  /* 0.09 + 0.25: m 3, d 3 - 5: 39, 9 + 2 - 2; (72 + 39) >> 3 */
        {0.10, 0.09, 36, 10, 14}, /* less than a tick counts as one: d 1 - 4: 36, 9 + 3 - 2; (80 + 36) >> 3 */
    };
    struct rto_state rto;
    rto_init(&rto, &cfg);
    assert_true(rto_timeout_ps(&rto) == 3 * PS_PER_S);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rto_sample(&rto, &cfg, to_ps(rows[i].rtt_s), to_ps(rows[i].sent_s));
        assert_int_equal(rto.srtt_8, rows[i].srtt_8);
        assert_int_equal(rto.rttvar_4, rows[i].rttvar_4);
        assert_true(rto_timeout_ps(&rto) == rows[i].ticks * 100 * PS_PER_MS);
    }
    scene_near("srtt", rto_srtt_s(&rto, &cfg), 0.45, 1e-12);
    scene_near("rttvar", rto_rttvar_s(&rto, &cfg), 0.25, 1e-12);
}

/* With timestamps a sample is rounded to ticks; beyond a backoff of 8 the mean moves into the deviation; 64 at most. */
static void test_ns2_backoff(void **state)
{
    (void)state;
    struct tcp_cfg cfg = {.rto_estimator = RTO_NS2,
                          .timestamps = true,
                          .max_rto_ps = 1000 * PS_PER_S,
                          .rto_granularity_ps = 100 * PS_PER_MS};
    struct rto_state rto;
    rto_init(&rto, &cfg);
    rto_sample(&rto, &cfg, to_ps(0.449), to_ps(0.09));
    assert_int_equal(rto.srtt_8, 32);
    assert_int_equal(rto.rttvar_4, 8);
    for (int i = 0; i < 3; i++)
        rto_back_off(&rto, &cfg);
    assert_int_equal(rto.srtt_8, 32);
    assert_true(rto_timeout_ps(&rto) == 8 * 12 * 100 * PS_PER_MS); /* (64 + 32) >> 3 = 12 ticks */
    rto_back_off(&rto, &cfg);
    assert_int_equal(rto.srtt_8, 0);
    assert_int_equal(rto.rttvar_4, 12);
    for (int i = 0; i < 10; i++)
        rto_back_off(&rto, &cfg);
    assert_int_equal(rto.backoff, 64);
    rto_sample(&rto, &cfg, to_ps(0.45), 0);
    assert_int_equal(rto.srtt_8, 40); /* starts afresh */
    assert_int_equal(rto.rttvar_4, 10);
}

/* --- in a running connection -------------------------------------------------------------------------------------- */

/* Each sample's SRTT and RTTVAR, worked out here in real numbers. */
static void test_estimates_in_trace(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 40 s\n" SCENE_PATH(", queue: 20 packets, per: 0.02") SCENE_TCP(""));
    double srtt = 0, rttvar = 0;
    size_t n = 0;
    for (const struct trace_row *row = scene.row; row < scene.row + scene.n; row++) {
        if (row->event != TRACE_RTT)
            continue;
        rttvar = n ? rttvar + (fabs(row->x - srtt) - rttvar) / 4 : row->x / 2;
        srtt = n ? srtt + (row->x - srtt) / 8 : row->x;
        assert_true(row[1].event == TRACE_SRTT && fabs(row[1].x - srtt) < 1e-9);
        assert_true(row[2].event == TRACE_RTTVAR && fabs(row[2].x - rttvar) < 1e-9);
        n++;
    }
    assert_true(n > 200);
    scene_free(&scene);
}

#define ONE_BY_ONE "app: {kind: file, size: 3000 B}\n"

/* Karn: without timestamps no sample from what was sent twice, and the backoff stays until there is one. */
static void test_backoff_ends(void **state)
{
    (void)state;
    scene_check("STRBm", "0: S0; 1000: T0 B2 R0; 1020: S1 S2; 1040: m20 B1",
                "duration: 3 s\n" SCENE_PATH(", drops: [{packet: 1}]")
                    SCENE_TCP(", initial_window: 1 segment, timestamps: false") ONE_BY_ONE);
    scene_check("STRBm", "0: S0; 1000: T0 B2 R0; 1020: B1 m20 S1 S2; 1040: m20; 1041: m21",
                "duration: 3 s\n" SCENE_PATH(", drops: [{packet: 1}]")
                    SCENE_TCP(", initial_window: 1 segment, timestamps: true") ONE_BY_ONE);
}

/* A clock of 8 ms: what it has counted between sending and the ACK, 2 ticks or 3. */
static void test_coarse_timestamps(void **state)
{
    (void)state;
    scene_check("STRBm", "0: S0; 1000: T0 B2 R0; 1020: m16 B1 S1 S2; 1040: m24; 1041: m24",
                "duration: 3 s\n" SCENE_PATH(", drops: [{packet: 1}]")
                    SCENE_TCP(", initial_window: 1 segment, timestamp_granularity: 8 ms") ONE_BY_ONE);
}

#define FOUR_LOST                                                                                                      \
    ", drops: [{segment: 0, transmission: 1}, {segment: 0, transmission: 2}, {segment: 0, transmission: 3}, "          \
    "{segment: 0, transmission: 4}]"

static void test_backoff_times(void **state)
{
    (void)state;
    scene_check("SR", "0: S0; 1000: R0; 3000: R0; 7000: R0; 15000: R0; 15020: S1 S2",
                "duration: 16 s\n" SCENE_PATH(FOUR_LOST) SCENE_TCP(", initial_window: 1 segment") ONE_BY_ONE);
    scene_check("SR", "0: S0; 500: R0; 1500: R0; 3000: R0; 4500: R0; 4520: S1 S2",
                "duration: 16 s\n" SCENE_PATH(FOUR_LOST)
                    SCENE_TCP(", initial_window: 1 segment, initial_rto: 500 ms, max_rto: 1500 ms") ONE_BY_ONE);
}

/* The timer runs from the last ACK of new data (RFC 6298 5.3), with SRTT + 4 RTTVAR = 20 + 4 x 10 ms. */
static void test_timer_restarts(void **state)
{
    (void)state;
    scene_check("SRT", "0: S0; 20: S1 S2; 80: T1 R1",
                "duration: 100 ms\n" SCENE_PATH(", drops: [{packet: 2}, {packet: 3}]")
                    SCENE_TCP(", initial_window: 1 segment, min_rto: 0 s") ONE_BY_ONE);
    scene_check("SRT", "0: S0; 20: S1 S2; 220: T1 R1",
                "duration: 230 ms\n" SCENE_PATH(", drops: [{packet: 2}, {packet: 3}]")
                    SCENE_TCP(", initial_window: 1 segment, min_rto: 200 ms") ONE_BY_ONE);
    /* Segment 1 arrives: 40 ms is the second sample (20 ms): 20 + 4 x 7.5; segment 2 was sent 20 ms before. */
    scene_check("SRT", "0: S0; 20: S1 S2; 90: T2 R2",
                "duration: 100 ms\n" SCENE_PATH(", drops: [{packet: 3}]")
                    SCENE_TCP(", initial_window: 1 segment, min_rto: 0 s") ONE_BY_ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_linux_timer_wheel),
        cmocka_unit_test(test_linux_estimator),
        cmocka_unit_test(test_ns2_series),
        cmocka_unit_test(test_ns2_backoff),
        cmocka_unit_test(test_estimates_in_trace),
        cmocka_unit_test(test_backoff_ends),
        cmocka_unit_test(test_coarse_timestamps),
        cmocka_unit_test(test_backoff_times),
        cmocka_unit_test(test_timer_restarts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
