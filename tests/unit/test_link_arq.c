/* test_link_arq.c - links that retransmit by themselves: formulas, frame by frame, and that both agree. */
#include "scene.h"

#include "../../kernels/link_arq.h"

/* A source at twice the link's rate keeps it busy: what arrives is what the link can carry. */
static struct sim_result flood(const char *arq, double seconds)
{
    struct scene scene = scene_make("duration: %.12g s\npath: [{name: l, rate: 12 Mbit/s, queue: 10 packets, %s}]\n"
                                    "app: {kind: udp_cbr, packet: 1472 B, interval: 0.5 ms}\n",
                                    seconds, arq);
    scene_simulate(&scene, 21, false);
    struct sim_result result = scene.result;
    result.flow = NULL;
    scene_free(&scene);
    return result;
}

static void expect_within(const char *what, double got, double wanted, double three_errors)
{
    if (!(fabs(got - wanted) <= three_errors))
        fail_msg("%s: %.8g, expected %.8g +- %.2g", what, got, wanted, three_errors);
}

/* Seed 002, round 4: 20 % loss a try, seven tries leave 1.28e-5 and 80 % of the rate. */
static void test_seed(void **state)
{
    (void)state;
    struct channel_cfg channel = {.rate_bps = 20e6, .error.arq = {ARQ_SHORTCUT, 7, 0.2, 0}};
    scene_near("residual", arq_residual(&channel.error.arq), 1.28e-5, 1e-9);
    scene_near("mean tries", arq_mean_tries(&channel.error.arq), 1.249984, 1e-9);
    arq_shorten(&channel);
    scene_near("rate", channel.rate_bps, 20e6 * 0.8 / (1 - 1.28e-5), 1e-12);
    scene_near("loss", channel.per, 1.28e-5, 1e-9);
}

/* Tries of 1 ms each and 0.5 ms for the acknowledgement; a packet arrives at the end of its last try. All tries of one
 * that is lost are spent. */
static void test_times(void **state)
{
    (void)state;
    scene_check("DV", "10: V0; 11.5: V1; 13: V2",
                "duration: 100 ms\n" SCENE_PATH(", arq: frame, arq_ack_time: 0.5 ms")
                    SCENE_TCP(", initial_window: 3 segments") "app: {kind: file, size: 3 KB}\n");
    scene_check("D", "4.5: D0; 9: D1",
                "duration: 10 ms\n" SCENE_PATH(", arq: frame, arq_ack_time: 0.5 ms, arq_loss: 1, arq_tries: 3")
                    SCENE_TCP(", initial_window: 2 segments") "app: {kind: file, size: 2 KB}\n");
}

/* Rate left and loss, measured: within three standard errors. At 12 Mbit/s a packet of 1500 B takes 1 ms a try. */
static void test_frames(void **state)
{
    (void)state;
    static const struct {
        double p;
        unsigned tries;
        double seconds;
    } rows[] = {{0.5, 4, 3000}, {0.2, 7, 400}, {0.3, 2, 1500}, {0.2, 1, 400}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char arq[100];
        struct arq_cfg cfg = {ARQ_FRAME, rows[i].tries, rows[i].p, 0};
        double mean = arq_mean_tries(&cfg), residual = arq_residual(&cfg), square = 0, reached = 1;
        for (unsigned k = 1; k <= cfg.tries; k++, reached *= cfg.loss)
            square += (2 * k - 1) * reached; /* E k^2 = sum of (2k - 1) P(K >= k) */
        snprintf(arq, sizeof arq, "arq: frame, arq_loss: %g, arq_tries: %u", cfg.loss, cfg.tries);
        struct sim_result r = flood(arq, rows[i].seconds);
        double served = r.all[METRIC_sent] - (r.all[METRIC_drops_queue] + 10);
        double arrived = r.all[METRIC_goodput] * rows[i].seconds / (8 * 1472);
        expect_within("mean tries", rows[i].seconds / 1e-3 / served, mean,
                      3 * sqrt((square - mean * mean) / served) + 12 * mean / served);
        expect_within("residual loss", 1 - arrived / served, residual,
                      3 * sqrt(residual * (1 - residual) / served) + 12 / served);
    }
}

/* Both forms carry the same, and the same share is lost; so do they under a TCP flow (goodput within 2 %: frames delay
 * each other at random, the shortcut's all alike). */
static void test_agree(void **state)
{
    (void)state;
    static const char *const kinds[] = {"shortcut", "frame"};
    double goodput[2], losses[2], tcp[2];
    for (int i = 0; i < 2; i++) {
        char arq[100];
        snprintf(arq, sizeof arq, "arq: %s, arq_loss: 0.3, arq_tries: 3", kinds[i]);
        struct sim_result r = flood(arq, 1500);
        goodput[i] = r.all[METRIC_goodput];
        losses[i] = r.all[METRIC_drops_error];
        struct scene scene = scene_make("duration: 400 s\npath: [{name: l, rate: 2 Mbit/s, delay: 20 ms, queue: 20 "
                                        "packets, errors: forward, %s}]\ntcp: {algorithm: sack}\n",
                                        arq);
        scene_simulate(&scene, 4, false);
        tcp[i] = scene.result.all[METRIC_goodput];
        scene_free(&scene);
    }
    scene_near("goodput", goodput[1], goodput[0], 3e-3);
    expect_within("losses", losses[1], losses[0], 3 * sqrt(losses[0] + losses[1]));
    scene_near("goodput of TCP", tcp[1], tcp[0], 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seed),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
