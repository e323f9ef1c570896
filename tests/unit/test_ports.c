/* test_ports.c - links with a scheduler of their own: CoDel's drops, FQ-CoDel, priorities, and plain links beside them.
 */
#include "scene.h"

/* --- CoDel --- */

/* CoDel's drops in a queue that stays too long: the first an interval after the delay has reached the target, then at
 * the first departures behind the law's times. */
static void test_codel_drops(void **state)
{
    (void)state;
    enum { DROPS = 40 };
    struct scene scene = scene_run("duration: 3 s\npath: [{name: l, rate: 8 Mbit/s, delay: 1 ms, aqm: codel}]\n"
                                   "app: {kind: udp_cbr, packet: 972 B, interval: 500 us}\n");
    const struct trace_row *row = scene_row(&scene, 0, 'D', 0, 0);
    assert_non_null(row);
    /* packet k, there at 0.5 k ms, leaves the queue at k ms: 5 ms at k = 10; packet 110 is the first to be hit. */
    assert_int_equal(row->t_ps, 110 * PS_PER_MS);
    assert_int_equal(row->a, 110);
    double due_s = 0.110;
    for (uint32_t k = 1; k < DROPS; k++) {
        due_s += 0.1 / sqrt(k);
        row = scene_row(&scene, 0, 'D', k, 0);
        assert_non_null(row);
        double late_s = (double)row->t_ps / 1e12 - due_s;
        if (late_s < -1e-9 || late_s > 0.001 + 1e-9)
            fail_msg("drop %u is %g ms late", k, 1000 * late_s);
    }
    scene_free(&scene);
}

/* A queue that fills again within 16 intervals of the last drop due goes on at the rate it had; later it begins anew.
 */
static void test_codel_again(void **state)
{
    (void)state;
    static const struct {
        double start_s, least_ms, most_ms;
    } rows[] = {{4, 3, 15}, {7, 100, 101}};
    for (int i = 0; i < 2; i++) {
        struct scene scene = scene_run(
            "duration: 9 s\nlinks: {a: {rate: 8 Gbit/s}, l: {rate: 8 Mbit/s, aqm: codel}}\n"
            "flows: [{name: a, via: [a*, l], app: {kind: udp_cbr, packet: 972 B, interval: 500 us}, stop: 2 s}, "
            "{name: b, via: [a*, l], app: {kind: udp_cbr, packet: 972 B, interval: 500 us}, start: %g s}]\n",
            rows[i].start_s);
        assert_true(scene_row(&scene, 0, 'V', scene_count(&scene, 0, "V") - 1, 0)->t_ps < 4 * PS_PER_S);
        const struct trace_row *first = scene_row(&scene, 1, 'D', 0, 0), *second = scene_row(&scene, 1, 'D', 1, 0);
        assert_true(first && second);
        double gap_ms = (double)(second->t_ps - first->t_ps) / 1e9;
        if (gap_ms < rows[i].least_ms || gap_ms > rows[i].most_ms)
            fail_msg("start at %g s: %g ms between the first two drops", rows[i].start_s, gap_ms);
        scene_free(&scene);
    }
}

/* --- stations against plain links --------------------------------------------------------------------------------- */

#define DUMBBELL                                                                                                       \
    "duration: 20 s\nwarmup: 3 s\nlinks: {a: {rate: 100 Mbit/s, delay: 1 ms}, b: {rate: 34 Mbit/s, delay: 3 ms}, "     \
    "l: {rate: 10 Mbit/s, delay: 9 ms, overhead: 18 B, queue: %s%s%s}, c: {rate: 50 Mbit/s, delay: 2 ms}}\n"           \
    "flows: [{name: f, count: 3, via: [a*, l, c*]}, {name: g, via: [b*, l, c*], app: {kind: udp_cbr, packet: 700 B, "  \
    "interval: 4 ms}}, {name: p, via: [b*, l, c*], app: {kind: ping, packet: 56 B, interval: 77 ms}}]\n"               \
    "tcp: {algorithm: sack, mss: 1460 B, receive_window: 100000 B, window_scaling: true}\n"

/* A port that never hits and serves in order of arrival is a plain link, to the last bit; only waiting is reckoned
 * otherwise (packets that are inside at the end). */
static void test_same_as_fifo(void **state)
{
    (void)state;
    static const char *const queues[] = {"30 packets", "20000 B", "unlimited"};
    static const char *const others[] = {
        ", aqm: codel, codel_target: 100 s",
        ", aqm: fq_codel, codel_target: 100 s, fq_codel_queues: 1, fq_codel_quantum: 65535 B", ", scheduler: priority"};
    static const char *const schedules[] = {
        "",
        ", schedule: [{at: 5 s, rate: 3 Mbit/s}, {at: 9.123 s, rate: 12 Mbit/s, delay: 4 ms}, {at: 12 s, delay: 20 "
        "ms}]",
        ", schedule: [{at: 6 s, up: false}, {at: 7.5 s, up: true}, {at: 9 s, up: false}, {at: 9.1 s, up: true}]"};
    for (int i = 0; i < 27; i++) {
        int q = i % 3, k = i / 3 % 3, t = i / 9;
        if (k == 1 && q < 2)
            continue; /* drops from the head */
        struct scene plain = scene_make(DUMBBELL, queues[q], "", schedules[t]),
                     port = scene_make(DUMBBELL, queues[q], others[k], schedules[t]);
        struct flow_cfg *flows = (struct flow_cfg *)port.scenario->flows;
        for (uint32_t i = 0; i < port.scenario->nflows; i++)
            flows[i].priority = 3;
        scene_simulate(&plain, 7, false);
        scene_simulate(&port, 7, false);
        for (int m = 0; m < METRIC_COUNT; m++) {
            double a = plain.result.all[m], b = port.result.all[m];
            if (m != METRIC_queue_mean && !(a == b || (isnan(a) && isnan(b))))
                fail_msg("queue %s%s%s: %s is %.17g, expected %.17g", queues[q], others[k], schedules[t],
                         metric_table[m].name, b, a);
        }
        scene_near("queue", port.result.all[METRIC_queue_mean], plain.result.all[METRIC_queue_mean], 0.01);
        scene_free(&plain), scene_free(&port);
    }
}

/* --- FQ-CoDel ----------------------------------------------------------------------------------------------------- */

/* A ping beside four bulk flows waits for no more than the packets of one round; in one queue (drop-tail) for all. */
static void test_sparse_flow(void **state)
{
    (void)state;
    static const char *const aqms[] = {"none", "fq_codel"};
    double delay_s[2];
    for (int i = 0; i < 2; i++) {
        struct scene scene =
            scene_run("duration: 20 s\nwarmup: 5 s\nlinks: {a: {rate: 100 Mbit/s, delay: 1 ms}, l: {rate: 10 Mbit/s, "
                      "delay: 10 ms, queue: 200 packets, aqm: %s}}\n"
                      "flows: [{name: f, count: 4, via: [a*, l]}, {name: p, via: [a*, l], app: {kind: ping, packet: 56 "
                      "B, interval: 50 ms}}]\n"
                      "tcp: {algorithm: sack, mss: 1460 B, receive_window: 1000000 B, window_scaling: true}\n",
                      aqms[i]);
        delay_s[i] = scene.result.flow[4][METRIC_delay_mean];
        assert_true(scene.result.all[METRIC_utilisation] > 0.97);
        if (i)
            assert_true(scene.result.all[METRIC_jain] > 0.999);
        scene_free(&scene);
    }
    assert_true(delay_s[0] > 0.12);
    /* 22 ms there and back, 84 B four times, and at most a packet in service (1.2 ms) each way */
    assert_true(delay_s[1] > 0.022 && delay_s[1] < 0.0245);
}

/* Shares are equal in bytes, whatever the packets' sizes and the flows' rates; a flow below its share gets all. */
static void test_shares(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 20 s\nwarmup: 5 s\nlinks: {a: {rate: 1 Gbit/s}, l: {rate: 12 Mbit/s, queue: 500 packets, "
                  "aqm: fq_codel}}\n"
                  "flows: [{name: big, via: [a*, l], app: {kind: udp_cbr, packet: 1472 B, interval: 1 ms}}, "
                  "{name: small, via: [a*, l], app: {kind: udp_cbr, packet: 272 B, interval: 300 us}}, "
                  "{name: slow, via: [a*, l], app: {kind: udp_cbr, packet: 972 B, interval: 4 ms}}]\n");
    double big = scene.result.flow[0][METRIC_goodput] * 1500 / 1472,
           small = scene.result.flow[1][METRIC_goodput] * 300 / 272;
    scene_near("slow", scene.result.flow[2][METRIC_goodput], 972 * 8 * 250.0, 0.001);
    scene_near("big", big, 5e6, 0.01);
    scene_near("small", small, 5e6, 0.01);
    assert_true(scene.result.flow[2][METRIC_drops_queue] == 0);
    scene_free(&scene);
}

/* No room: up to half of the longest queue goes, from its head; the other flow loses nothing and is served behind a's
 * turn of 1514 B. a0 is in service and a1 ... a6 wait when b0 comes. */
static void test_fq_limit(void **state)
{
    (void)state;
    static const char *const drops[] = {"0.7: D1 D2 D3; 0.9: D4 D5 D6", "0.7: D1 D2; 0.8: D3; 0.9: D4"};
    for (int i = 0; i < 2; i++) {
        struct scene scene = scene_run(
            "duration: 19 ms\nstart_jitter: 0 s\nlinks: {x: {rate: 8 Gbit/s}, y: {rate: 8 Gbit/s}, l: {rate: 8 Mbit/s, "
            "queue: 6 packets, aqm: fq_codel, "
            "fq_codel_batch: %d}}\n"
            "flows:\n  - {name: a, via: [x, l], app: {kind: udp_cbr, packet: 972 B, interval: 0.1 ms}, stop: 0.95 ms}\n"
            "  - {name: b, via: [y, l], start: 0.7 ms, app: {kind: udp_cbr, packet: 472 B, interval: 10 ms}}\n",
            i ? 1 : 64);
        scene_expect(&scene, 0, "D", 0, 19, drops[i]);
        scene_expect(&scene, 1, "D", 0, 19, "");
        scene_expect(&scene, 1, "V", 0, 5, "2.5: V0");
        scene_free(&scene);
    }
}

/* --- priorities --------------------------------------------------------------------------------------------------- */

/* Cross traffic waits for no more than the packet in service, and loses nothing; TCP has the rest. */
static void test_priority(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 20 s\nwarmup: 5 s\nlinks: {a: {rate: 1 Gbit/s}, l: {rate: 10 Mbit/s, delay: 10 ms, queue: "
                  "50 packets, scheduler: priority}}\n"
                  "flows: [{name: f, via: [a*, l]}, {name: x, via: [a*, l], app: {kind: udp_cbr, packet: 972 B, "
                  "interval: 2 ms}}]\n"
                  "tcp: {algorithm: sack, mss: 1460 B, receive_window: 1000000 B, window_scaling: true}\n");
    const double *x = scene.result.flow[1], *f = scene.result.flow[0];
    assert_true(x[METRIC_drops_queue] == 0 && f[METRIC_drops_queue] > 0);
    assert_true(x[METRIC_delay_mean] < 0.010 + 0.0008 + 0.0012 + 0.00001);
    scene_near("rest", f[METRIC_goodput], 6e6 * 1460 / 1500, 0.005);
    scene_free(&scene);
}

/* Levels as given: c before b before a, the one in service first; each level has its own room. */
static void test_levels(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 19 ms\nstart_jitter: 0 s\nlinks: {x: {rate: 80 Gbit/s}, l: {rate: 8 "
                                   "Mbit/s, queue: 2 packets, scheduler: priority}}\n"
                                   "flows:\n  - {name: a, via: [x*, l], app: {kind: udp_cbr, packet: 972 B, interval: "
                                   "0.1 ms}, stop: 0.35 ms, priority: 0}\n"
                                   "  - {name: b, via: [x*, l], app: {kind: udp_cbr, packet: 972 B, interval: 0.1 ms}, "
                                   "start: 0.05 ms, stop: 0.2 ms, priority: 1}\n"
                                   "  - {name: c, via: [x*, l], app: {kind: udp_cbr, packet: 972 B, interval: 10 ms}, "
                                   "start: 0.5 ms, priority: 7}\n");
    scene_expect(&scene, 0, "DV", 0, 9, "0.3: D3; 1: V0; 5: V1; 6: V2");
    scene_expect(&scene, 1, "DV", 0, 9, "3: V0; 4: V1");
    scene_expect(&scene, 2, "DV", 0, 9, "2: V0");
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codel_drops), cmocka_unit_test(test_codel_again), cmocka_unit_test(test_same_as_fifo),
        cmocka_unit_test(test_sparse_flow), cmocka_unit_test(test_shares),      cmocka_unit_test(test_fq_limit),
        cmocka_unit_test(test_priority),    cmocka_unit_test(test_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
