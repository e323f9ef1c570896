/* test_metrics.c - results worked out by hand, what measuring windows count, and that a run without a trace (which
 * takes shorter ways through the kernel) gives the same numbers as one with.
 */
#include "scene.h"

#define WIDE ", initial_window: 100 segments"

static void expect_metric(const struct scene *scene, enum metric metric, double expected)
{
    double got = scene->result.all[metric];
    if (!(fabs(got - expected) <= 1e-5 * fabs(expected) + 1e-9))
        fail_msg("%s: %.9g, expected %.9g", metric_table[metric].name, got, expected);
}

/* --- the bottleneck ----------------------------------------------------------------------------------------------- */

/* 1 ms of every 5. */
static void test_utilisation(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 99 ms\npath: [{name: a, rate: 80 Mbit/s}, {name: b, rate: 8 Mbit/s, delay: 1 ms}, {name: "
                  "c, rate: 16 Mbit/s}]\n" SCENE_TCP(WIDE) "app: {kind: cbr, packet: 1000 B, interval: 5 ms}\n");
    expect_metric(&scene, METRIC_utilisation, 20 / 99.0);
    expect_metric(&scene, METRIC_queue_mean, 0);
    scene_free(&scene);
}

/* A burst of 4: waits of 1, 2 and 3 ms, 4 ms of service; whole, from 1.5 ms on, and up to 2.5 ms. */
static void test_queue_mean(void **state)
{
    (void)state;
    static const struct {
        const char *window;
        double waiting_ms, busy_ms, length_ms;
    } rows[] = {
        {"duration: 20 ms", 6, 4, 20},
        {"duration: 20 ms\nwarmup: 1.5 ms", 0.5 + 1.5, 2.5, 18.5},
        {"measure: {from: 0 s, to: 2.5 ms}", 1 + 2 + 2.5, 2.5, 2.5},
        {"measure: {from: 1.5 ms, to: 2.5 ms}", 0.5 + 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene =
            scene_run("%s\n" SCENE_PATH("") SCENE_TCP(WIDE) "app: {kind: file, size: 4 KB}\n", rows[i].window);
        expect_metric(&scene, METRIC_queue_mean, rows[i].waiting_ms / rows[i].length_ms);
        expect_metric(&scene, METRIC_utilisation, rows[i].busy_ms / rows[i].length_ms);
        scene_free(&scene);
    }
}

/* --- the sender --------------------------------------------------------------------------------------------------- */

/* cwnd 1 until 20 ms, 2 until 40, then 3. */
static void test_cwnd_mean(void **state)
{
    (void)state;
    const char *rest = SCENE_PATH("") SCENE_TCP(", initial_window: 1 segment") "app: {kind: file, size: 3 KB}\n";
    struct scene scene = scene_run("duration: 100 ms\n%s", rest);
    expect_metric(&scene, METRIC_cwnd_mean, 2.4);
    expect_metric(&scene, METRIC_rtt_mean, 0.061 / 3); /* 20, 20, 21 */
    scene_free(&scene);
    scene = scene_run("duration: 100 ms\nwarmup: 30 ms\n%s", rest);
    expect_metric(&scene, METRIC_cwnd_mean, (10 * 2 + 60 * 3) / 70.0);
    expect_metric(&scene, METRIC_rtt_mean, 0.041 / 2);
    scene_free(&scene);
}

/* Segment 0 of 10 lost: recovery 23 - 43 ms. All lost: from the timeout at 1000 ms to the ACK of all ten at 1020. */
static void test_time_shares(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 100 ms\n" SCENE_PATH(", drops: [{packet: 1}]")
                                       SCENE_TCP(", initial_window: 10 segments") "app: {kind: file, size: 10 KB}\n");
    expect_metric(&scene, METRIC_time_recovery, 0.2);
    expect_metric(&scene, METRIC_time_timeout, 0);
    expect_metric(&scene, METRIC_fast_retransmits, 1);
    expect_metric(&scene, METRIC_loss_event_rate, 1 / 11.0);
    expect_metric(&scene, METRIC_retransmitted, 1);
    expect_metric(&scene, METRIC_throughput, 11 * 8000 / 0.1);
    expect_metric(&scene, METRIC_goodput, 10 * 8000 / 0.1);
    scene_free(&scene);
    scene = scene_run("duration: 2 s\n" SCENE_PATH(", drops: [{packet: 10}]") SCENE_TCP(
        ", initial_window: 10 segments, initial_rto: 500 ms") "app: {kind: file, size: 10 KB}\n");
    /* the ACK of segment 8 at 28 ms starts the timer again, min_rto 1 s */
    expect_metric(&scene, METRIC_time_timeout, 0.01);
    expect_metric(&scene, METRIC_time_recovery, 0);
    expect_metric(&scene, METRIC_rto_first_mean, 1);
    expect_metric(&scene, METRIC_timeouts, 1);
    expect_metric(&scene, METRIC_loss_event_rate, 1 / 11.0);
    expect_metric(&scene, METRIC_completion_time, 1.048);
    scene_free(&scene);
}

/* T0 is of the first timeout of a series: 1 s, not 2 or 4. */
static void test_first_timeouts(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 20 s\n" SCENE_PATH(
        ", drops: [{segment: 0, transmission: 1}, {segment: 0, transmission: 2}, "
        "{segment: 0, transmission: 3}]") SCENE_TCP(", initial_window: 1 segment") "app: {kind: file, size: 1 KB}\n");
    expect_metric(&scene, METRIC_timeouts, 3);
    expect_metric(&scene, METRIC_timeouts_tail, 1);
    expect_metric(&scene, METRIC_timeouts_lost_retransmission, 2);
    expect_metric(&scene, METRIC_rto_first_mean, 1);
    scene_free(&scene);
}

/* 19 round trips of 20 ms and one of more: the 95th percentile to 1 %. */
static void test_rtt_percentile(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 10 s\n" SCENE_PATH("")
                                       SCENE_TCP(WIDE) "app: {kind: cbr, packet: 1000 B, interval: 50 ms}\n");
    scene_near("p95", scene.result.all[METRIC_rtt_p95], 0.020, 0.016);
    scene_free(&scene);
    /* a burst of 100: 20, 21 ... 119 ms */
    scene = scene_run("duration: 10 s\n" SCENE_PATH("") SCENE_TCP(WIDE) "app: {kind: file, size: 100 KB}\n");
    scene_near("p95", scene.result.all[METRIC_rtt_p95], 0.1145, 0.016);
    expect_metric(&scene, METRIC_rtt_mean, 0.0695);
    scene_free(&scene);
}

/* --- windows of time ---------------------------------------------------------------------------------------------- */

/* Sent at 0, 10, 20 ... ms, received at 10, 20 ...: a window (from, to]. From 0 on, 0 is in it. */
static void test_windows(void **state)
{
    (void)state;
    static const struct {
        const char *window;
        double sent, received, length_ms;
    } rows[] = {
        {"duration: 50 ms", 6, 5, 50},
        {"duration: 50 ms\nwarmup: 20 ms", 3, 3, 30},
        {"duration: 50 ms\nwarmup: 19.9 ms", 4, 4, 30.1},
        {"duration: 49.9 ms\nwarmup: 20 ms", 2, 2, 29.9},
        {"duration: 90 ms\nmeasure: {from: 25 ms, to: 35 ms}", 1, 1, 10},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene =
            scene_run("%s\n" SCENE_PATH("") SCENE_TCP(WIDE) "app: {kind: cbr, packet: 1000 B, interval: 10 ms}\n",
                      rows[i].window);
        expect_metric(&scene, METRIC_sent, rows[i].sent);
        expect_metric(&scene, METRIC_throughput, rows[i].sent * 8000 / rows[i].length_ms * 1000);
        expect_metric(&scene, METRIC_goodput, rows[i].received * 8000 / rows[i].length_ms * 1000);
        scene_free(&scene);
    }
}

/* Rates are over the part of the window in which the flow is started. */
static void test_start_stop(void **state)
{
    (void)state;
    static const struct {
        const char *window;
        double sent, received, length_ms;
    } rows[] = {
        {"duration: 100 ms", 4, 4, 40},                /* 20, 30, 40, 50 */
        {"duration: 100 ms\nwarmup: 35 ms", 2, 3, 25}, /* 35 - 60; the last arrives at 60 */
        {"duration: 45 ms", 3, 2, 25},                 /* 20 - 45 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene = scene_run("%s\nlinks: {l: {rate: 8 Mbit/s, delay: 9 ms}}\nflows: [{name: a, via: [l], "
                                       "start: 20 ms, stop: 60 ms, app: "
                                       "{kind: cbr, packet: 1000 B, interval: 10 ms}}]\n" SCENE_TCP(WIDE),
                                       rows[i].window);
        expect_metric(&scene, METRIC_sent, rows[i].sent);
        expect_metric(&scene, METRIC_goodput, rows[i].received * 8000 / rows[i].length_ms * 1000);
        scene_free(&scene);
    }
    struct scene scene =
        scene_run("duration: 10 ms\nlinks: {l: {rate: 8 Mbit/s}}\nflows: [{name: a, via: [l], start: 20 ms}]\n");
    assert_true(isnan(scene.result.all[METRIC_goodput])); /* never started */
    expect_metric(&scene, METRIC_sent, 0);
    scene_free(&scene);
}

/* --- several flows ------------------------------------------------------------------------------------------------ */

#define TWO_FLOWS "start_jitter: 0 s\nlinks: {l: {rate: 8 Mbit/s, delay: 1 ms, reverse: {rate: 8 Gbit/s}}}\nflows:\n"
#define CBR(interval) "app: {kind: cbr, packet: 1000 B, interval: " interval "}}\n"

/* 1 and 3 Mbit/s: 16 / (2 x 10). */
static void test_jain(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 24.0015 s\n" TWO_FLOWS "  - {name: a, via: [l], start: 1 ms, " CBR(
        "8 ms") "  - {name: b, via: [l], " CBR("2.6666666667 ms") SCENE_TCP(WIDE));
    scene_near("jain", scene.result.all[METRIC_jain], 0.8, 1e-3);
    scene_near("a", scene.result.flow[0][METRIC_goodput], 1e6, 1e-3);
    scene_near("b", scene.result.flow[1][METRIC_goodput], 3e6, 1e-3);
    scene_near("all", scene.result.all[METRIC_goodput], 4e6, 1e-3);
    assert_true(scene.result.all[METRIC_sent] == scene.result.flow[0][METRIC_sent] + scene.result.flow[1][METRIC_sent]);
    scene_free(&scene);
    scene = scene_run("duration: 1 s\n" SCENE_PATH("") SCENE_TCP(""));
    assert_true(isnan(scene.result.all[METRIC_jain])); /* one flow */
    scene_free(&scene);
}

/* Cross traffic takes 4 of 8 Mbit/s on the wire; TCP's payload is half of what it sends (1000 of 2000 B) and 1 Mbit/s:
 * of 4 Mbit/s that would be 2 of payload. */
static void test_available_share(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 24 s\n" TWO_FLOWS "  - {name: a, via: [l], " CBR(
        "8 ms") "  - {name: u, via: [l], start: 3 ms, app: {kind: udp_cbr, packet: 972 B, interval: 2 ms}}\n"
                "tcp: {mss: 1000 B, header: 1000 B, ack_size: 40 B, handshake: false, initial_window: 100 segments, "
                "receive_window: 1 MB}\n");
    scene_near("available_share", scene.result.all[METRIC_available_share], 0.5, 1e-3);
    scene_near("goodput", scene.result.all[METRIC_goodput], 1e6, 1e-3); /* of TCP alone */
    scene_near("cross traffic", scene.result.flow[1][METRIC_goodput], 972 * 8 * 500, 1e-3);
    assert_true(isnan(scene.result.flow[1][METRIC_available_share]));
    scene_near("utilisation", scene.result.all[METRIC_utilisation], 0.75, 1e-3);
    scene_free(&scene);
}

/* --- with and without a trace ------------------------------------------------------------------------------------- */

static const char *const scenarios[] = {
    "path: [{name: a, rate: 10 Mbit/s, delay: 100 us}, {name: b, rate: 10 Mbit/s, delay: 50 ms, ber: 1e-6}, {name: c, "
    "rate: 10 "
    "Mbit/s, delay: 100 us}]\n",
    "path: [{name: a, rate: 10 Mbit/s}, {name: b, rate: 3 Mbit/s, delay: 20 ms, queue: 10 packets, per: 0.01}]\n"
    "tcp: {algorithm: sack}\n",
    "path: [{name: b, rate: 3 Mbit/s, delay: 20 ms, queue: 20 KB, overhead: 14 B}]\ntcp: {algorithm: reno, timestamps: "
    "false}\n",
    "path: [{name: b, rate: 7 Mbit/s, delay: 20 ms, per: 0.02, drops: [{segment: 50, transmission: 1}]}]\n"
    "app: {kind: file, size: 20500 B, repeat: unlimited, interval: 500 ms}\ntcp: {algorithm: tahoe}\n",
    "path: [{name: b, rate: 7 Mbit/s, delay: 20 ms, per: 0.02, duplex: shared}]\n"
    "app: {kind: cbr, packet: 700 B, interval: 1 ms, cbr_coalesce: true}\ntcp: {dialect: ns2, delayed_ack: true}\n",
    "links: {l: {rate: 10 Mbit/s, delay: 10 ms, queue: 20 packets, ber: 1e-7}, x: {rate: 100 Mbit/s, delay: 1 ms}}\n"
    "flows:\n  - {name: a, count: 3, via: ['x*', l]}\n  - {name: s, via: ['x*', l], tcp: {algorithm: sack}}\n"
    "  - {name: b, via: [l.reverse]}\n  - {name: u, via: [l], app: {kind: udp_cbr, packet: 500 B, interval: 5 ms}}\n"
    "  - {name: p, via: [l], app: {kind: ping, packet: 64 B, interval: 100 ms}}\n",
    "path: [{name: b, rate: 7 Mbit/s, delay: 30 ms, per: 0.001, schedule: [{at: 5 s, delay: 10 ms}, {at: 9 s, up: "
    "false}, {at: 10 s, "
    "up: true, rate: 2 Mbit/s}]}]\n",
};

static void test_untraced(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        struct scene scene = scene_make("duration: 20 s\nwarmup: 3 s\n%s", scenarios[i]);
        double all[METRIC_COUNT];
        scene_simulate(&scene, 5, true);
        memcpy(all, scene.result.all, sizeof all);
        scene_simulate(&scene, 5, false);
        for (int m = 0; m < METRIC_COUNT; m++)
            if (memcmp(&all[m], &scene.result.all[m], sizeof all[m]) != 0 &&
                !(isnan(all[m]) && isnan(scene.result.all[m])))
                fail_msg("scenario %zu: %s is %.17g with a trace, %.17g without", i, metric_table[m].name, all[m],
                         scene.result.all[m]);
        assert_true(scene.result.all[METRIC_goodput] > 0);
        scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utilisation),    cmocka_unit_test(test_queue_mean),
        cmocka_unit_test(test_cwnd_mean),      cmocka_unit_test(test_time_shares),
        cmocka_unit_test(test_first_timeouts), cmocka_unit_test(test_rtt_percentile),
        cmocka_unit_test(test_windows),        cmocka_unit_test(test_start_stop),
        cmocka_unit_test(test_jain),           cmocka_unit_test(test_available_share),
        cmocka_unit_test(test_untraced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
