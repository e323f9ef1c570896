/* test_fairness.c - how flows share a bottleneck in the long run.
 *
 * A twentieth of the bottleneck's rate is Poisson cross traffic: without any, flows of equal round-trip times lock in
 * phase with a drop-tail queue, and which of them loses then is always the same (Floyd and Jacobson 1991): two flows
 * alone have an index of 0.89.
 */
#include "scene.h"

/* Equal flows, started within a second of each other. */
static void test_equal_flows(void **state)
{
    (void)state;
    static const unsigned counts[] = {2, 3, 8, 16, 32, 64};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct scene scene =
            scene_make("duration: 420 s\nwarmup: 20 s\nstart_jitter: 1 s\nlinks: {a: {rate: 100 Mbit/s, delay: 1 ms}, "
                       "mid: {rate: 10 "
                       "Mbit/s, delay: 20 ms, queue: 1 bdp}}\nflows:\n  - {name: f, count: %u, via: [a*, mid]}\n"
                       "  - {name: x, via: [mid], app: {kind: udp_poisson, packet: 500 B, interval: 8 ms}}\ntcp: "
                       "{algorithm: sack}\n",
                       counts[i]);
        scene_simulate(&scene, 5, false);
        if (!(scene.result.all[METRIC_jain] > 0.98))
            fail_msg("%u flows: Jain's index %.4f, expected more than 0.98", counts[i], scene.result.all[METRIC_jain]);
        scene_free(&scene);
    }
}

/* Exponent a of goodput ~ RTT^-a of four flows with a short and four with a long path; round-trip times as measured. */
static double rtt_exponent(const char *algorithm, const char *link)
{
    double goodput[2] = {0, 0}, rtt[2] = {0, 0};
    struct scene scene = scene_make(
        "duration: 420 s\nwarmup: 20 s\nstart_jitter: 1 s\nlinks: {a: {rate: 100 Mbit/s, delay: 1 ms}, b: {rate: 100 "
        "Mbit/s, delay: 31 ms}, mid: {rate: 10 Mbit/s, delay: 10 ms, %s}}\nflows:\n  - {name: near, count: 4, via: "
        "[a*, "
        "mid]}\n  - {name: far, count: 4, via: [b*, mid]}\n  - {name: x, via: [mid], app: {kind: udp_poisson, packet: "
        "500 B, interval: 8 ms}}\ntcp: {algorithm: %s}\n",
        link, algorithm);
    scene_simulate(&scene, 5, false);
    for (int i = 0; i < 8; i++) {
        goodput[i / 4] += scene.result.flow[i][METRIC_goodput];
        rtt[i / 4] += scene.result.flow[i][METRIC_rtt_mean];
    }
    scene_free(&scene);
    return log(goodput[0] / goodput[1]) / log(rtt[1] / rtt[0]);
}

/* Lakshman and Madhow (IEEE/ACM ToN 5(3), 1997): between 1, where losses are random, and 2, where all flows lose to a
 * full queue at the same time. */
static void test_unequal_rtt(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"newreno", "sack"};
    for (size_t i = 0; i < 2; i++) {
        double queue = rtt_exponent(algorithms[i], "queue: 50 packets"),
               random = rtt_exponent(algorithms[i], "queue: 200 packets, per: 0.005");
        if (!(queue > 1 && queue < 2))
            fail_msg("%s, drop-tail: exponent %.3f, expected 1 to 2", algorithms[i], queue);
        if (!(fabs(random - 1) < 0.2))
            fail_msg("%s, random losses: exponent %.3f, expected 1", algorithms[i], random);
    }
}

/* A thousand flows in one instance, whose windows all fit into the path and its queue: nobody loses anything, and each
 * has its share of the bottleneck but for the start. */
static void test_thousand_flows(void **state)
{
    (void)state;
    struct scene scene = scene_make(
        "duration: 6 s\nwarmup: 2 s\nlinks: {a: {rate: 10 Gbit/s, delay: 1 ms}, mid: {rate: 1 Gbit/s, delay: 20 ms, "
        "queue: 20000 packets}}\nflows: [{name: f, count: 1000, via: [a*, mid], start: {uniform: [0 s, 1 s]}}]\n"
        "tcp: {receive_window: 20440 B}\n");
    scene_simulate(&scene, 5, false);
    assert_true(sim_bytes(scene.scenario) < 64 << 20);
    assert_true(scene.result.all[METRIC_retransmitted] == 0);
    assert_true(scene.result.all[METRIC_utilisation] > 0.999);
    for (int i = 0; i < 1000; i++)
        scene_near("share", scene.result.flow[i][METRIC_goodput], 1e6 * 1460 / 1512, 0.03);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_flows),
        cmocka_unit_test(test_unequal_rtt),
        cmocka_unit_test(test_thousand_flows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
