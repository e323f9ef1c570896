/* test_links.c - when packets leave and reach a link's ends, which of them find room, and what schedules change. */
#include "scene.h"

/* A burst of IW segments of 1000 B at 0 ms, nothing else: no ACK comes before 1 s. */
#define BURST(n) SCENE_TCP(", initial_window: " n " segments")
#define FAR "reverse: {rate: 80 Gbit/s, delay: 1 s}"

static void expect_ps(const struct scene *scene, char letter, const int64_t *expected, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const struct trace_row *row = scene_row(scene, 0, letter, k, 0);
        if (!row || row->t_ps != expected[k])
            fail_msg("%c row %zu: %lld ps, expected %lld", letter, k, row ? (long long)row->t_ps : -1,
                     (long long)expected[k]);
    }
}

/* --- rate and delay ----------------------------------------------------------------------------------------------- */

/* 8000 bit at 3 Mbit/s: 2,666,666,666.67 ps, rounded for each packet. */
static void test_rounding(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 100 ms\npath: [{name: l, rate: 3 Mbit/s, delay: 1 ms, " FAR "}]\n" BURST("4"));
    static const int64_t expected[] = {3666666667, 6333333334, 9000000001, 11666666668};
    expect_ps(&scene, 'V', expected, 4);
    scene_free(&scene);
}

/* Store and forward through three links; the slowest spaces them. */
static void test_chain(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 100 ms\npath: [{name: a, rate: 8 Mbit/s, delay: 2 ms}, {name: b, rate: 4 Mbit/s, "
                  "delay: 3 ms}, {name: c, rate: 80 Mbit/s, delay: 4 ms, " FAR "}]\n" BURST("3"));
    static const int64_t expected[] = {12100000000, 14100000000, 16100000000};
    expect_ps(&scene, 'V', expected, 3);
    scene_near("base RTT", (double)scenario_base_rtt_ps(scene.scenario, 0), 12.1e9 + 1e12 + 1e5 + 2e9 + 3e9 + 3e9,
               1e-12);
    scene_free(&scene);
}

/* 250 B more on the second link only. */
static void test_overhead(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 100 ms\npath: [{name: a, rate: 8 Mbit/s}, {name: b, rate: 8 Mbit/s, overhead: "
                  "250 B, " FAR "}]\n" BURST("3"));
    static const int64_t expected[] = {2250000000, 3500000000, 4750000000};
    expect_ps(&scene, 'V', expected, 3);
    scene_free(&scene);
}

/* A smaller packet is served faster, behind those before it. */
static void test_sizes(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 100 ms\npath: [{name: a, rate: 8 Mbit/s}, {name: b, rate: 4 Mbit/s, " FAR
                                   "}]\n" BURST("3") "app: {kind: file, size: 2300 B}\n");
    static const int64_t expected[] = {3000000000, 5000000000, 5600000000};
    expect_ps(&scene, 'V', expected, 3);
    scene_free(&scene);
}

/* Both directions share one server: the ACKs of 0 and 1, there at 1.5 and 2.5 ms, wait for the data before them. */
static void test_duplex(void **state)
{
    (void)state;
    static const struct {
        const char *duplex, *acks;
    } rows[] = {{"shared", "4.5: A0; 5.5: A1; 6.5: A2"}, {"full", "3: A0; 4: A1; 5: A2"}};
    for (size_t i = 0; i < 2; i++)
        scene_check("A", rows[i].acks,
                    "duration: 100 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 0.5 ms, duplex: %s}]\n" BURST(
                        "3") "app: {kind: file, size: 3 KB}\n",
                    rows[i].duplex);
}

/* Two flows meet at a link: served by arrival. b's packets of 500 B come at 0.2 and 2.2 ms. */
static void test_two_flows(void **state)
{
    (void)state;
    struct scene scene = scene_run(
        "duration: 4.5 ms\nstart_jitter: 0 s\nlinks: {x: {rate: 8 Gbit/s}, y: {rate: 8 Gbit/s}, l: {rate: 8 Mbit/s}}\n"
        "flows:\n  - {name: a, via: [x, l], app: {kind: udp_cbr, packet: 972 B, interval: 1 ms}}\n"
        "  - {name: b, via: [y, l], start: 0.2 ms, app: {kind: udp_cbr, packet: 472 B, interval: 2 ms}}\n");
    /* x and y take 1 us and 0.5 us */
    static const int64_t a[] = {1001000000, 2501000000, 3501000000};
    expect_ps(&scene, 'V', a, 3);
    scene_expect(&scene, 1, "V", 0, 4.5, "1.5: V0; 4: V1");
    scene_free(&scene);
}

/* --- drop-tail ---------------------------------------------------------------------------------------------------- */

/* A burst: one in service, `queue` waiting, the rest dropped at once. */
static void test_queue_burst(void **state)
{
    (void)state;
    static const struct {
        const char *queue;
        const char *drops;
    } rows[] = {
        {"unlimited", ""},
        {"9 packets", ""},
        {"8 packets", "0: D9"},
        {"3 packets", "0: D4 D5 D6 D7 D8 D9"},
        {"1 packet", "0: D2 D3 D4 D5 D6 D7 D8 D9"},
        {"0 packets", "0: D1 D2 D3 D4 D5 D6 D7 D8 D9"},
        {"7000 B", "0: D8 D9"},
        {"6999 B", "0: D7 D8 D9"},
        {"999 B", "0: D1 D2 D3 D4 D5 D6 D7 D8 D9"},
        {"0.25 bdp", "0: D6 D7 D8 D9"},             /* 8 Mbit/s x 20 ms = 20 packets */
        {"0.27 bdp", "0: D6 D7 D8 D9"},             /* 5.4, to the nearest */
        {"0.28 bdp", "0: D7 D8 D9"},                /* 5.6 */
        {"0.01 bdp", "0: D2 D3 D4 D5 D6 D7 D8 D9"}, /* at least one */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        scene_check("D", rows[i].drops, "duration: 19 ms\n" SCENE_PATH(", queue: %s") BURST("10"), rows[i].queue);
}

/* Arrivals each 1 ms, service 2 ms, room for 2. A packet that begins service at an arrival's instant has left the
 * queue. */
static void test_queue_times(void **state)
{
    (void)state;
    static const char *const queues[] = {"2 packets", "2000 B", "2999 B"};
    for (size_t i = 0; i < 3; i++)
        scene_check("DV", "3: V0; 5: V1; 6: D5; 7: V2; 8: D7; 9: V3; 10: D9; 11: V4; 13: V6; 15: V8",
                    "duration: 30 ms\npath: [{name: a, rate: 8 Mbit/s}, {name: b, rate: 4 Mbit/s, queue: %s, " FAR
                    "}]\n" BURST("10"),
                    queues[i]);
}

/* Bytes: a small packet finds room where a full one does not; overhead counts. */
static void test_queue_bytes(void **state)
{
    (void)state;
    scene_check("D", "0: D3 D4 D5 D6 D7 D8",
                "duration: 19 ms\n" SCENE_PATH(", queue: 2500 B") BURST("10") "app: {kind: file, size: 9500 B}\n");
    scene_check("D", "0: D3 D4", "duration: 19 ms\n" SCENE_PATH(", queue: 2500 B, overhead: 250 B") BURST("5"));
    scene_check("D", "0: D2 D3 D4", "duration: 19 ms\n" SCENE_PATH(", queue: 2499 B, overhead: 250 B") BURST("5"));
}

/* ACKs queue too: behind a link as slow as theirs. */
static void test_queue_acks(void **state)
{
    (void)state;
    scene_check("LA", "3: L2; 4: A0; 5: L4; 7: A1; 10: A3",
                "duration: 30 ms\npath: [{name: l, rate: 8 Mbit/s, reverse: {rate: 2.6666666666666666 Mbit/s, queue: "
                "1 packet}}]\n" BURST("5") "app: {kind: file, size: 5 KB}\n");
}

/* Causes, per metric. */
static void test_drop_counts(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 19 ms\n" SCENE_PATH(", queue: 7 packets, drops: [{packet: 2}], schedule: [{at: "
                                                 "3.5 ms, up: false}, {at: 4 ms, up: true}]") BURST("10"));
    scene_expect(&scene, 0, "D", 0, 19, "0: D8 D9; 3.5: D3; 11: D1");
    assert_int_equal(scene_row(&scene, 0, 'D', 0, 0)->b, CAUSE_QUEUE);
    assert_int_equal(scene_row(&scene, 0, 'D', 2, 0)->b, CAUSE_DOWN);
    assert_int_equal(scene_row(&scene, 0, 'D', 3, 0)->b, CAUSE_ERROR);
    assert_true(scene.result.all[METRIC_drops_queue] == 3 && scene.result.all[METRIC_drops_error] == 1);
    scene_free(&scene);
}

/* --- schedules ---------------------------------------------------------------------------------------------------- */

/* Bits served before a change count: 0 has half of it at 0.5 ms and needs 1 ms for the rest; 2 begins at 3.5 ms with
 * 2000 bits by 4 ms and 6000 bits at 16 Mbit/s. */
static void test_rate_schedule(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 100 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 1 ms, " FAR ", schedule: [{at: 0.5 "
                  "ms, rate: 4 Mbit/s}, {at: 4 ms, rate: 16 Mbit/s}]}]\n" BURST("4"));
    static const int64_t expected[] = {2500000000, 4500000000, 5375000000, 5875000000};
    expect_ps(&scene, 'V', expected, 4);
    scene_free(&scene);
    /* three changes inside one packet: 800 + 1600 + 400, the remaining 5200 bits at 8 Mbit/s */
    scene = scene_run("duration: 100 ms\npath: [{name: l, rate: 8 Mbit/s, " FAR
                      ", schedule: [{at: 0.1 ms, rate: 16 Mbit/s}, {at: "
                      "0.2 ms, rate: 4 Mbit/s}, {at: 0.3 ms, rate: 8 Mbit/s}]}]\n" BURST("1"));
    static const int64_t once[] = {950000000};
    expect_ps(&scene, 'V', once, 1);
    scene_free(&scene);
}

/* The delay at the end of the transmission is the one that counts; where it shrinks packets overtake. */
static void test_delay_schedule(void **state)
{
    (void)state;
    scene_check("V", "8: V2; 9: V3; 10: V0; 11: V1; 16: V4",
                "duration: 100 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 9 ms, " FAR
                ", schedule: [{at: 2.5 ms, delay: 5 ms}, {at: "
                "4.5 ms, delay: 11 ms}]}]\n" BURST("5") "app: {kind: file, size: 5 KB}\n");
    /* a change at the very end counts */
    scene_check("V", "8: V2; 10: V0; 11: V1",
                "duration: 100 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 9 ms, " FAR
                ", schedule: [{at: 3 ms, delay: 5 ms}]}]\n" BURST("3") "app: {kind: file, size: 3 KB}\n");
}

/* Also through a link behind it; the way back has the same schedule. */
static void test_reordered_chain(void **state)
{
    (void)state;
    scene_check("VA", "9: V2; 10: V3; 11: V0; 12: V1; 15: A-1; 16: A-1; 17: A0; 18: A3",
                "duration: 100 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 9 ms, reverse: {rate: 80 Gbit/s}, schedule: "
                "[{at: 2.5 ms, "
                "delay: 5 ms}]}, {name: m, rate: 8 Mbit/s, reverse: {rate: 80 Gbit/s, delay: 1 ms}}]\n" BURST(
                    "4") "app: {kind: file, size: 4 KB}\n");
}

#define DOWN "schedule: [{at: 2.5 ms, up: false}, {at: 6 ms, up: true}]"

/* In service when the link goes down: lost. Waiting: kept. Already on its way (1): arrives. */
static void test_down_queue(void **state)
{
    (void)state;
    scene_check("DV", "2.5: D2; 10: V0; 11: V1; 16: V3; 17: V4",
                "duration: 100 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 9 ms, " FAR ", " DOWN "}]\n" BURST("5"));
}

/* Arriving while it is down: lost, also with an empty queue; at the instant at which it comes up: served. */
static void test_down_arrivals(void **state)
{
    (void)state;
    scene_check("DV", "2.5: D2; 3: D3; 4: D4; 5: D5; 10: V0; 11: V1; 16: V6; 17: V7",
                "duration: 7.5 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 9 ms, " DOWN ", queue: 5 packets}]\n"
                "app: {kind: udp_cbr, packet: 972 B, interval: 1 ms}\n");
}

/* Down twice during one backlog. */
static void test_down_again(void **state)
{
    (void)state;
    scene_check("DV", "2.5: D2; 6.5: D3; 10: V0; 11: V1; 19: V4; 20: V5",
                "duration: 100 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 9 ms, " FAR
                ", schedule: [{at: 2.5 ms, up: false}, {at: 6 "
                "ms, up: true}, {at: 6.5 ms, up: false}, {at: 9 ms, up: true}]}]\n" BURST("6"));
}

/* Down for good: what waits stays there. The way back is down too: the ACKs of 0 and 1 are lost. */
static void test_down_for_good(void **state)
{
    (void)state;
    struct scene scene =
        scene_make("duration: 100 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 9 ms, schedule: [{at: 2.5 "
                   "ms, up: false}]}]\n" BURST("6"));
    scene_simulate(&scene, 1, false);
    assert_true(scene.result.all[METRIC_sent] == 6);
    assert_true(scene.result.all[METRIC_drops_queue] == 3);
    scene_near("goodput", scene.result.all[METRIC_goodput], 2 * 8000 / 0.1, 1e-9);
    scene_free(&scene);
}

/* The queue's limit holds while the link is down: what would wait for its end is waiting. */
static void test_down_limit(void **state)
{
    (void)state;
    scene_check("DV", "0: D4 D5; 2.5: D2; 10: V0; 11: V1; 16: V3",
                "duration: 100 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 9 ms, " FAR ", queue: 3 packets, " DOWN
                "}]\n" BURST("6"));
}

/* The two directions have schedules of their own. */
static void test_reverse_schedule(void **state)
{
    (void)state;
    scene_check("VLA", "10: V0; 11: V1; 12: V2 L2; 20: A0; 21: A1",
                "duration: 100 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 9 ms, reverse: {rate: 80 Gbit/s, delay: 10 "
                "ms, schedule: "
                "[{at: 11.5 ms, up: false}]}}]\n" BURST("3") "app: {kind: file, size: 3 KB}\n");
}

/* --- shares of time --------------------------------------------------------------------------------------------------
 */

/* A source of 10 Mbit/s keeps a link busy that changes its rate, or goes down, each second; 30 s in 100 are at the
 * first rate. It carries the mean of its rates. Nothing is random: what a packet in service and a queue of 5 packets at
 * the ends of 40 periods can add or take away is below 0.5 %. */
static void test_time_shares(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        double mean_bps;
    } rows[] = {{"rate: 8 Mbit/s", "rate: 2 Mbit/s", 0.3 * 8e6 + 0.7 * 2e6},
                {"up: true", "up: false", 0.3 * 8e6},
                {"rate: 1 Mbit/s", "rate: 6 Mbit/s", 0.3 * 1e6 + 0.7 * 6e6}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char steps[3000] = "";
        for (int k = 0; k < 20; k++) {
            size_t used = strlen(steps);
            snprintf(steps + used, sizeof steps - used, "%s{at: %d s, %s}, {at: %.1f s, %s}", k ? ", " : "", 10 * k,
                     rows[i].first, 10 * k + 3.0, rows[i].second);
        }
        struct scene scene = scene_make("duration: 200 s\npath: [{name: l, rate: 8 Mbit/s, queue: 5 packets, schedule: "
                                        "[%s]}]\napp: {kind: udp_cbr, packet: 972 B, interval: 0.8 ms}\n",
                                        steps);
        scene_simulate(&scene, 7, false);
        scene_near("carried", scene.result.all[METRIC_goodput] * 1000 / 972, rows[i].mean_bps, 5e-3);
        scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_shares),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_overhead),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_duplex),
        cmocka_unit_test(test_two_flows),
        cmocka_unit_test(test_queue_burst),
        cmocka_unit_test(test_queue_times),
        cmocka_unit_test(test_queue_bytes),
        cmocka_unit_test(test_queue_acks),
        cmocka_unit_test(test_drop_counts),
        cmocka_unit_test(test_rate_schedule),
        cmocka_unit_test(test_delay_schedule),
        cmocka_unit_test(test_reordered_chain),
        cmocka_unit_test(test_down_queue),
        cmocka_unit_test(test_down_arrivals),
        cmocka_unit_test(test_down_again),
        cmocka_unit_test(test_down_limit),
        cmocka_unit_test(test_down_for_good),
        cmocka_unit_test(test_reverse_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
