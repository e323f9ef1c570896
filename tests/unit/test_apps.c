/* test_apps.c - what each application hands to the transport and when, and what is measured of it. Times as in scene.h:
 * 1 ms for 1000 B, 20 ms there and back.
 */
#include "scene.h"

#define APP_TCP(more)                                                                                                  \
    "tcp: {header: 0 B, ack_size: 1000 B, handshake: false, fin: false, delayed_ack: false, receive_window: 1000000 "  \
    "B" more "}\n"
/* One flow that can stop. */
#define FLOW(more)                                                                                                     \
    "links: {l: {rate: 8 Mbit/s, delay: 9 ms, reverse: {rate: 80 Gbit/s, delay: 10 ms}}}\n"                            \
    "flows: [{name: a, via: [l]" more "}]\n"
#define WIDE ", mss: 1000 B, initial_window: 100 segments"

static void expect_metric(const struct scene *scene, enum metric metric, double expected)
{
    double got = scene->result.all[metric];
    if (!(fabs(got - expected) <= 1e-4 * fabs(expected) + 1e-9))
        fail_msg("%s: %.9g, expected %.9g", metric_table[metric].name, got, expected);
}

/* --- bulk and file ------------------------------------------------------------------------------------------------ */

static void test_bulk(void **state)
{
    (void)state;
    scene_check("S", "5: S0; 25: S1 S2; 45: S3 S4",
                "duration: 1 s\n" FLOW(", start: 5 ms, stop: 45.5 ms")
                    APP_TCP(", mss: 1000 B, initial_window: 1 segment"));
    scene_check("S", "5: S0; 25: S1 S2; 45: S3 S4; 46: S5 S6",
                "duration: 1 s\n" FLOW(", start: 5 ms, stop: 46.5 ms")
                    APP_TCP(", mss: 1000 B, initial_window: 1 segment"));
}

/* 2500 B go as 1000 + 1000 + 500; the next file begins when the last byte is acknowledged, at 21.5 ms. */
static void test_files_back_to_back(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 100 ms\n" SCENE_PATH("") APP_TCP(WIDE) "app: {kind: file, size: 2500 B, repeat: 3}\n");
    scene_expect(&scene, 0, "S", 0, 100, "0: S0 S1 S2; 21.5: S3 S4 S5; 43: S6 S7 S8");
    scene_expect(&scene, 0, "P", 0, 30, "10: P1000; 11: P1000; 11.5: P500");
    expect_metric(&scene, METRIC_completed, 3);
    expect_metric(&scene, METRIC_censored, 0);
    expect_metric(&scene, METRIC_completion_time, 0.0215);
    scene_free(&scene);
    /* until the flow stops: the third is begun, not a fourth; what is begun is finished */
    scene = scene_run("duration: 200 ms\n" FLOW(", stop: 60 ms")
                          APP_TCP(WIDE) "app: {kind: file, size: 2500 B, repeat: unlimited}\n");
    expect_metric(&scene, METRIC_completed, 3);
    expect_metric(&scene, METRIC_censored, 0);
    scene_free(&scene);
}

/* Each 10 ms one is due, which waits for the one before: 21.5, 43 - 10, 64.5 - 20. Each 50 ms: no waiting. */
static void test_files_by_interval(void **state)
{
    (void)state;
    static const struct {
        const char *interval, *sends;
        double mean_ms;
    } rows[] = {
        {"10 ms", "0: S0 S1 S2; 21.5: S3 S4 S5; 43: S6 S7 S8", (21.5 + 33 + 44.5) / 3},
        {"50 ms", "0: S0 S1 S2; 50: S3 S4 S5; 100: S6 S7 S8", 21.5},
    };
    for (size_t i = 0; i < 2; i++) {
        struct scene scene = scene_run("duration: 200 ms\n" SCENE_PATH("")
                                           APP_TCP(WIDE) "app: {kind: file, size: 2500 B, repeat: 3, interval: %s}\n",
                                       rows[i].interval);
        scene_expect(&scene, 0, "S", 0, 200, rows[i].sends);
        expect_metric(&scene, METRIC_completion_time, rows[i].mean_ms / 1000);
        scene_free(&scene);
    }
}

/* At the end the second file is under way. */
static void test_censored(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 30 ms\n" SCENE_PATH("") APP_TCP(WIDE) "app: {kind: file, size: 2500 B, repeat: 3}\n");
    expect_metric(&scene, METRIC_completed, 1);
    expect_metric(&scene, METRIC_censored, 1);
    expect_metric(&scene, METRIC_completion_time, 0.0215);
    scene_free(&scene);
    scene = scene_run("duration: 20 ms\n" SCENE_PATH("") APP_TCP(WIDE) "app: {kind: file, size: 2500 B}\n");
    expect_metric(&scene, METRIC_censored, 1);
    assert_true(isnan(scene.result.all[METRIC_completion_time]));
    scene_free(&scene);
}

/* --- cbr ---------------------------------------------------------------------------------------------------------- */

/* Below the link's rate: each write at once, always the same delay. */
static void test_cbr_below(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 1 s\n" FLOW(", start: 3 ms, stop: 28 ms")
                                       APP_TCP(WIDE) "app: {kind: cbr, packet: 1000 B, interval: 5 ms}\n");
    scene_expect(&scene, 0, "S", 0, 1000, "3: S0; 8: S1; 13: S2; 18: S3; 23: S4"); /* none at the stop */
    expect_metric(&scene, METRIC_delay_mean, 0.010);
    expect_metric(&scene, METRIC_jitter_mad, 0);
    expect_metric(&scene, METRIC_delay_variance, 0);
    expect_metric(&scene, METRIC_goodput, 5 * 8000 / 0.025);
    scene_free(&scene);
}

/* Above it: writes each 0.5 ms, service 1 ms: the k-th is late by k x 0.5 ms. Five delays 10, 10.5 ... 12. */
static void test_cbr_above(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 1 s\n" FLOW(", stop: 2.5 ms")
                                       APP_TCP(WIDE) "app: {kind: cbr, packet: 1000 B, interval: 0.5 ms}\n");
    scene_expect(&scene, 0, "V", 0, 1000, "10: V0; 11: V1; 12: V2; 13: V3; 14: V4");
    expect_metric(&scene, METRIC_delay_mean, 0.011);
    expect_metric(&scene, METRIC_jitter_mad, 0.0005);
    expect_metric(&scene, METRIC_delay_variance, 0.625e-6); /* 0.5^2 x 2.5 */
    scene_free(&scene);
    scene = scene_run("duration: 10 s\n" SCENE_PATH("")
                          APP_TCP(WIDE) "app: {kind: cbr, packet: 1000 B, interval: 0.5 ms}\n");
    scene_near("goodput", scene.result.all[METRIC_goodput], 8e6, 0.005);
    scene_free(&scene);
    /* the stop's own instant has no write, also if the window opens only later */
    scene_check(
        "S", "0: S0; 0.5: S1; 20: S2 S3; 21: S4",
        "duration: 1 s\n" FLOW(", stop: 2.5 ms") APP_TCP(
            ", mss: 1000 B, initial_window: 2 segments") "app: {kind: cbr, packet: 1000 B, interval: 0.5 ms}\n");
}

/* The first write is at the start, before the handshake is over. */
static void test_cbr_handshake(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 1 s\n" FLOW(", stop: 5 ms") "tcp: {header: 0 B, ack_size: 10 B, mss: 1000 B}\n"
                                                         "app: {kind: cbr, packet: 1000 B, interval: 10 ms}\n");
    /* SYN 0.01 + 9, SYN-ACK 10, ACK 0.01, data 1 + 9 */
    expect_metric(&scene, METRIC_delay_mean, 0.02902);
    scene_free(&scene);
}

/* 1460 B at MSS 500, a write each 5 ms, IW 1 (so that writes gather): boundaries kept, or not. */
static void test_boundaries(void **state)
{
    (void)state;
    static const struct {
        const char *app, *bytes;
    } rows[] = {
        {"", "9.5: P500; 29: P500; 29.46: P460; 48.5: P500; 49: P500; 49.46: P460"},
        {", cbr_coalesce: true", "9.5: P500; 29: P500; 29.5: P500; 48.5: P500; 49: P500; 49.5: P500"},
    };
    for (size_t i = 0; i < 2; i++) {
        struct scene scene = scene_run("duration: 1 s\n" SCENE_PATH("") APP_TCP(
                                           ", mss: 500 B, initial_window: 1 segment, "
                                           "growth: ack") "app: {kind: cbr, packet: 1460 B, interval: 5 ms%s}\n",
                                       rows[i].app);
        scene_expect(&scene, 0, "P", 0, 49.6, rows[i].bytes);
        scene_free(&scene);
    }
    /* one write alone */
    scene_check("SP", "0: S0 S1 S2; 9.5: P500; 10: P500; 10.46: P460",
                "duration: 1 s\n" FLOW(", stop: 1 ms")
                    APP_TCP(", mss: 500 B") "app: {kind: cbr, packet: 1460 B, interval: 5 ms}\n");
}

/* 200 B each 5 ms, 0.2 + 19 ms there and back. */
static void test_nagle(void **state)
{
    (void)state;
    static const struct {
        const char *tcp, *app, *sends, *bytes;
    } rows[] = {
        {"", "", "0: S0; 5: S1; 10: S2; 15: S3; 20: S4; 25: S5", "9.2: P200; 14.2: P200; 19.2: P200; 24.2: P200"},
        {", nagle: true", ", cbr_coalesce: true", "0: S0; 19.2: S1", "9.2: P200; 28.8: P600; 48.6: P800"},
        {", nagle: true", "", "0: S0; 19.2: S1", "9.2: P200; 28.4: P200; 47.6: P200"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene = scene_run("duration: 1 s\n" SCENE_PATH("")
                                           APP_TCP(WIDE "%s") "app: {kind: cbr, packet: 200 B, interval: 5 ms%s}\n",
                                       rows[i].tcp, rows[i].app);
        scene_expect(&scene, 0, "S", 0, 26, rows[i].sends);
        scene_expect(&scene, 0, "P", 0, i ? 50 : 26, rows[i].bytes);
        scene_free(&scene);
    }
    /* full segments never wait: 2000 B are two of them */
    scene_check("S", "0: S0 S1; 5: S2 S3; 10: S4 S5",
                "duration: 1 s\n" FLOW(", stop: 12 ms")
                    APP_TCP(WIDE ", nagle: true") "app: {kind: cbr, packet: 2000 B, interval: 5 ms}\n");
    /* nor do those of a stream; what is left over waits for the ACK of all */
    scene_check("S", "0: S0; 5: S1 S2; 10: S3; 30: S4",
                "duration: 1 s\n" FLOW(", stop: 12 ms") APP_TCP(
                    WIDE ", nagle: true") "app: {kind: cbr, packet: 1500 B, interval: 5 ms, cbr_coalesce: true}\n");
}

/* --- udp_cbr and ping --------------------------------------------------------------------------------------------- */

/* 972 + 28 B; nothing comes back. */
static void test_udp(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 1 s\n" FLOW(", start: 2 ms, stop: 14 ms, app: {kind: udp_cbr, packet: 972 B, "
                                         "interval: 4 ms}"));
    scene_expect(&scene, 0, "SVPAX", 0, 1000, "2: S0; 6: S1; 10: S2; 12: V0 P972; 16: V1 P972; 20: V2 P972");
    expect_metric(&scene, METRIC_sent, 3);
    expect_metric(&scene, METRIC_delay_mean, 0.010);
    expect_metric(&scene, METRIC_goodput, 3 * 972 * 8 / 0.012);
    assert_true(isnan(scene.result.all[METRIC_timeouts]));
    scene_free(&scene);
}

/* 72 + 28 B, 0.1 ms each way at the same rate; replies are as large. */
static void test_ping(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 95 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 10 ms, reverse: {delay: 7 ms}}]\n"
                  "app: {kind: ping, packet: 72 B, interval: 30 ms}\n");
    scene_expect(&scene, 0, "Sm", 0, 95, "0: S0; 17.2: m17.2; 30: S1; 47.2: m17.2; 60: S2; 77.2: m17.2; 90: S3");
    expect_metric(&scene, METRIC_delay_mean, 0.0172);
    expect_metric(&scene, METRIC_rtt_mean, 0.0172);
    expect_metric(&scene, METRIC_jitter_mad, 0);
    expect_metric(&scene, METRIC_sent, 4);
    expect_metric(&scene, METRIC_goodput, 3 * 72 * 8 / 0.095);
    scene_free(&scene);
}

/* Pings behind a packet of cross traffic: 1 ms for 972 B each 20 ms, at 0.5 ms after it: half a ms in the queue. */
static void test_ping_delays(void **state)
{
    (void)state;
    struct scene scene = scene_run(
        "duration: 200 ms\nstart_jitter: 0 s\nlinks: {l: {rate: 8 Mbit/s, delay: 1 ms, reverse: {rate: 8 Gbit/s}}}\n"
        "flows:\n  - {name: p, via: [l], start: 0.5 ms, app: {kind: ping, packet: 972 B, interval: 10 ms}}\n"
        "  - {name: u, via: [l], app: {kind: udp_cbr, packet: 972 B, interval: 20 ms}}\n");
    /* 0.5 + 1 + 1 + 0.001 + 1 behind cross traffic, 3.001 otherwise, in turn */
    const double *m = scene.result.flow[0];
    scene_near("delay", m[METRIC_delay_mean], 3.251e-3, 1e-9);
    scene_near("jitter", m[METRIC_jitter_mad], 0.5e-3, 1e-9);
    scene_near("variance", m[METRIC_delay_variance], 0.0625e-6 * 20 / 19, 1e-9);
    scene_free(&scene);
}

/* --- starts ------------------------------------------------------------------------------------------------------- */

static double start_ms(const char *text, const char *flows, uint32_t flow, uint32_t key)
{
    struct scene scene = scene_make("duration: 1 s\n%slinks: {l: {rate: 8 Mbit/s}}\nflows: [%s]\n"
                                    "tcp: {mss: 1000 B, header: 0 B, handshake: false}\n",
                                    text, flows);
    scene_simulate(&scene, key, true);
    double t_ms = (double)scene_row(&scene, flow, 'S', 0, 0)->t_ps / 1e9;
    scene_free(&scene);
    return t_ms;
}

/* A lone flow starts exactly; several within one packet time (1 ms) of the bottleneck; `uniform` over its range. */
static void test_starts(void **state)
{
    (void)state;
    double sum = 0, least = 1e9, most = 0;
    assert_true(start_ms("", "{name: a, via: [l], start: 7 ms}", 0, 1) == 7);
    assert_true(start_ms("start_jitter: 0 s\n", "{name: a, via: [l], start: 7 ms}, {name: b, via: [l]}", 0, 1) == 7);
    for (uint32_t key = 0; key < 200; key++) {
        double a = start_ms("", "{name: a, via: [l], start: 7 ms}, {name: b, via: [l]}", 0, key);
        double b = start_ms("", "{name: a, via: [l], start: 7 ms}, {name: b, via: [l]}", 1, key);
        assert_true(a >= 7 && a < 8 && b >= 0 && b < 1 && a != b + 7);
        double u = start_ms("", "{name: a, via: [l], start: {uniform: [10 ms, 50 ms]}}", 0, key);
        sum += u, least = u < least ? u : least, most = u > most ? u : most;
    }
    assert_true(least >= 10 && least < 11 && most > 49 && most < 50);
    assert_true(fabs(sum / 200 - 30) < 3 * 40 / sqrt(12.0 * 200));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bulk),
        cmocka_unit_test(test_files_back_to_back),
        cmocka_unit_test(test_files_by_interval),
        cmocka_unit_test(test_censored),
        cmocka_unit_test(test_cbr_below),
        cmocka_unit_test(test_cbr_above),
        cmocka_unit_test(test_cbr_handshake),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_nagle),
        cmocka_unit_test(test_udp),
        cmocka_unit_test(test_ping),
        cmocka_unit_test(test_ping_delays),
        cmocka_unit_test(test_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
