/* test_traffic.c - random and trace-driven traffic, short connections: times by hand where nothing is drawn, laws and
 * queueing formulas where something is. Times as in scene.h: 1 ms for 1000 B, 20 ms there and back.
 *
 * Where means are compared with a formula the tolerance is 3 standard errors over runs with keys of their own, and
 * these are small enough to see a difference of 1 %.
 */
#include "../../kernels/app/app.h"
#include "../../kernels/instance.h"
#include "../../src/dialects.h"
#include "scene.h"

#define BARE_TCP(more)                                                                                                 \
    "tcp: {header: 0 B, ack_size: 1000 B, handshake: false, fin: false, delayed_ack: false, receive_window: 1000000 "  \
    "B, mss: 1000 B, initial_window: 100 segments" more "}\n"

/* --- means against a formula -------------------------------------------------------------------------------------- */

struct sample {
    double sum, squares;
    unsigned n;
};

static void sample_add(struct sample *sample, double x)
{
    sample->sum += x, sample->squares += x * x, sample->n++;
}

static void sample_expect(const char *what, const struct sample *sample, double expected, double resolution)
{
    double mean = sample->sum / sample->n;
    double se = sqrt((sample->squares / sample->n - mean * mean) / (sample->n - 1));
    if (!(3 * se <= resolution * expected))
        fail_msg("%s: standard error %.3g of %.6g, too coarse for %g", what, se, expected, resolution);
    if (!(fabs(mean - expected) <= 3 * se))
        fail_msg("%s: expected %.6g, got %.6g with standard error %.3g", what, expected, mean, se);
}

/* A metric over `runs` runs of a scenario. */
static struct sample sample_metric(struct scene *scene, enum metric metric, uint32_t flow, unsigned runs)
{
    struct sample sample = {0};
    for (unsigned i = 0; i < runs; i++) {
        scene_simulate(scene, 100 + i, false);
        sample_add(&sample, scene->result.flow[flow][metric]);
    }
    return sample;
}

/* --- sizes -------------------------------------------------------------------------------------------------------- */

/* Mean and share below the median of each law. */
static void test_sizes(void **state)
{
    (void)state;
    enum { DRAWS = 100000, PARTS = 20 };
    static const struct size_cfg listed[] = {{1000, 0.5}, {4000, 0.75}, {10000, 1}};
    static const struct {
        struct app_cfg app;
        double mean, median;
    } rows[] = {
        {{.size_bytes = 5000, .size_law = SIZE_FIXED}, 5000, 0},
        {{.size_bytes = 50000, .size_law = SIZE_EXPONENTIAL}, 50000, 34657.4},
        {{.size_bytes = 50000, .size_law = SIZE_PARETO, .size_shape = 3}, 50000, 41997.4},      /* scale 2^(1/3) */
        {{.size_bytes = 50000, .size_law = SIZE_LOGNORMAL, .size_sigma = 0.8}, 50000, 36307.5}, /* e^-0.32 */
        {{.size_law = SIZE_EMPIRICAL, .sizes = {listed, 3}}, 4000, 0},
        {{.size_bytes = 50000, .size_law = SIZE_EXPONENTIAL, .size_max_bytes = 50000}, 31606.0, 0}, /* 1 - 1/e */
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct random_stream random;
        struct sample mean = {0}, below = {0};
        random_init(&random, (struct sim_key){{1, 2}}, (uint32_t)r);
        for (int part = 0; part < PARTS; part++) {
            double sum = 0, low = 0;
            for (int i = 0; i < DRAWS / PARTS; i++) {
                uint64_t bytes = app_draw_size(&random, &rows[r].app);
                assert_true(bytes >= 1 && (!rows[r].app.size_max_bytes || bytes <= rows[r].app.size_max_bytes));
                sum += (double)bytes, low += (double)bytes <= rows[r].median;
            }
            sample_add(&mean, sum / (DRAWS / PARTS));
            sample_add(&below, low / (DRAWS / PARTS));
        }
        if (r == 0)
            assert_true(mean.sum == PARTS * 5000.0);
        else
            sample_expect("mean size", &mean, rows[r].mean, 0.02);
        if (rows[r].median > 0)
            sample_expect("median size", &below, 0.5, 0.02);
    }
}

/* --- files with pauses -------------------------------------------------------------------------------------------- */

/* 2500 B take 21.5 ms, then 10 ms of thinking. */
static void test_think(void **state)
{
    (void)state;
    scene_check("S", "0: S0 S1 S2; 31.5: S3 S4 S5; 63: S6 S7 S8",
                "duration: 100 ms\n" SCENE_PATH("") BARE_TCP("") "app: {kind: file, size: 2500 B, repeat: 3, think: 10 "
                                                                 "ms, think_law: fixed}\n");
    struct scene scene = scene_make("duration: 100 s\n" SCENE_PATH("") BARE_TCP(
        "") "app: {kind: file, size: 2500 B, repeat: unlimited, think: 50 ms}\n");
    struct sample done = sample_metric(&scene, METRIC_completed, 0, 20);
    sample_expect("files with pauses", &done, 100 / 0.0715, 0.02);
    assert_true(fabs(scene.result.all[METRIC_completion_time] - 0.0215) < 1e-6);
    scene_free(&scene);
}

/* --- datagrams ---------------------------------------------------------------------------------------------------- */

static void test_onoff(void **state)
{
    (void)state;
    scene_check(
        "S", "0: S0; 1: S1; 2: S2; 7: S3; 8: S4; 9: S5; 14: S6; 15: S7",
        "duration: 15.5 ms\n" SCENE_PATH("") "app: {kind: udp_onoff, packet: 72 B, interval: 1 ms, on_time: 3 ms, "
                                             "off_time: 4 ms, period_law: fixed}\n");
    /* packets of an exponential on period: 1 / (1 - e^(-interval / on)) */
    struct scene scene = scene_make(
        "duration: 1000 s\n" SCENE_PATH("") "app: {kind: udp_onoff, packet: 972 B, interval: 5 ms, on_time: 50 ms, "
                                            "off_time: 100 ms}\n");
    struct sample sent = sample_metric(&scene, METRIC_sent, 0, 20);
    sample_expect("packets of on periods", &sent, 1000 / 0.15 / -expm1(-0.1), 0.02);
    scene_free(&scene);
    scene = scene_make("duration: 1000 s\n" SCENE_PATH("") "app: {kind: udp_onoff, packet: 972 B, interval: 100 ms, "
                                                           "on_time: 1 ms, off_time: 99 ms, period_law: pareto, "
                                                           "time_shape: 3}\n");
    sent = sample_metric(&scene, METRIC_sent, 0, 20); /* hardly ever more than one: one each 100 ms */
    sample_expect("Pareto periods", &sent, 10000, 0.02);
    scene_free(&scene);
}

/* M/D/1: the wait is rho / (2 (1 - rho)) services; services of 1 ms. Over one link, and over one that is shared, where
 * packets are events. */
static void test_poisson_queue(void **state)
{
    (void)state;
    static const struct {
        const char *interval;
        double rho;
        unsigned runs;
    } rows[] = {{"2 ms", 0.5, 20}, {"1.25 ms", 0.8, 60}};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene = scene_make("duration: 100 s\npath: [{name: l, rate: 8 Mbit/s}]\n"
                                        "app: {kind: udp_poisson, packet: 972 B, interval: %s}\n",
                                        rows[i].interval);
        struct sample delay = sample_metric(&scene, METRIC_delay_mean, 0, rows[i].runs);
        sample_expect("M/D/1", &delay, 0.001 * (1 + rows[i].rho / (2 * (1 - rows[i].rho))), 0.01);
        scene_free(&scene);
    }
    struct scene scene =
        scene_make("duration: 100 s\nlinks: {l: {rate: 8 Mbit/s}}\nflows: [{name: a, count: 4, via: [l], "
                   "app: {kind: udp_poisson, packet: 972 B, interval: 8 ms}}]\n");
    struct sample delay = {0};
    for (unsigned k = 0; k < 20; k++) {
        scene_simulate(&scene, k, false);
        sample_add(&delay, scene.result.all[METRIC_delay_mean]);
    }
    sample_expect("M/D/1 of four flows", &delay, 0.0015, 0.01);
    scene_free(&scene);
}

/* --- video -------------------------------------------------------------------------------------------------------- */

/* 4000 B a frame without deviation: 10 ms + 4 ms until its last byte is there; the first segment is not delayed. */
static void test_video_times(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 1 s\n" SCENE_PATH("") BARE_TCP("") "app: {kind: video, fps: 20, ppf: 32000, "
                                                                "bpp_mean: 1, bpp_sigma: 0}\n");
    scene_expect(&scene, 0, "S", 0, 110, "0: S0 S1 S2 S3; 50: S4 S5 S6 S7; 100: S8 S9 S10 S11");
    scene_near("delay", scene.result.all[METRIC_delay_mean], 0.013, 1e-6);
    assert_true(scene.result.all[METRIC_jitter_mad] < 1e-9);
    scene_free(&scene);
}

/* Mean and deviation of the frames: a normal, cut at 0. */
static void test_video_sizes(void **state)
{
    (void)state;
    struct scene scene = scene_run(
        "duration: 2000 s\npath: [{name: l, rate: 1 Gbit/s, delay: 1 ms}]\ntcp: {mss: 60000 B, receive_window: "
        "10 MB, header: 0 B, initial_window: 100 segments}\napp: {kind: video}\n");
    double mean = scene.result.all[METRIC_goodput];
    double cut = 0.52 / 0.23, density = exp(-cut * cut / 2) / sqrt(2 * acos(-1)), above = 0.5 * erfc(-cut / sqrt(2));
    double expected = 10 * 961538 * (0.52 + 0.23 * density / above);
    scene_near("video rate", mean, expected, 3 * 0.23 / 0.52 / sqrt(20000));
    scene_free(&scene);
}

/* --- traces ------------------------------------------------------------------------------------------------------- */

static struct scene trace_scene(const char *kind, const char *rows)
{
    char path[] = "/tmp/trace_XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    assert_non_null(file);
    fputs(rows, file);
    fclose(file);
    struct scene scene = scene_run(
        "duration: 200 ms\n" SCENE_PATH("") BARE_TCP("") "app: {kind: %s, packet: 972 B, trace: %s}\n", kind, path);
    remove(path);
    return scene;
}

static void test_traces(void **state)
{
    (void)state;
    static const char rows[] = "time, bytes # names\n0.005, 972\n\n0.005 100\r\n0.030;2000 # a burst\n";
    struct scene scene = trace_scene("udp_trace", rows);
    scene_expect(&scene, 0, "S", 0, 200, "5: S0 S1; 30: S2 S3 S4");
    scene_near("bytes", scene.result.all[METRIC_goodput], 8 * 3072 / 0.2, 1e-9);
    scene_free(&scene);
    scene = trace_scene("trace", rows);
    scene_expect(&scene, 0, "S", 0, 200, "5: S0 S1; 30: S2 S3");
    /* writes of 972, 100, 2000 B: 9.972, 10.072, 11 ms */
    scene_near("delay", scene.result.all[METRIC_delay_mean], (9.972 + 10.072 + 11) / 3000, 1e-6);
    scene_free(&scene);
}

/* --- short connections -------------------------------------------------------------------------------------------- */

/* Each connection takes as long as the first, whatever the scheme keeps: it starts afresh. Sizes of several windows,
 * arrivals far apart; the same losses in each, to a queue that is small, or none. */
static void expect_alike(const char *algorithm, const char *queue, bool has_handshake)
{
    enum { SEGMENTS = 101 };
    struct scene scene = scene_make("duration: 400 s\npath: [{name: l, rate: 8 Mbit/s, delay: 10 ms, queue: %s}]\n"
                                    "tcp: {algorithm: %s, mss: 1000 B, handshake: %s, fin: false, initial_window: 2 "
                                    "segments}\napp: {kind: short_flows, size: 100500 B, interval: 40 s}\n",
                                    queue, algorithm, has_handshake ? "true" : "false");
    scene_simulate(&scene, 2, true);
    int64_t first_ps = 0, begin_ps = 0;
    int64_t done = 0;
    for (const struct trace_row *row = scene.row; row < scene.row + scene.n; row++) {
        if (row->event == TRACE_SEND && row->a == done * SEGMENTS && row->b == 0)
            begin_ps = row->t_ps;
        if (row->event != TRACE_ACK || row->a + 1 != (done + 1) * SEGMENTS)
            continue;
        if (done++ == 0)
            first_ps = row->t_ps - begin_ps;
        else if (row->t_ps - begin_ps != first_ps)
            fail_msg("%s, queue %s, handshake %d: connection %d takes %.9g ms, the first %.9g", algorithm, queue,
                     has_handshake, (int)done, (double)(row->t_ps - begin_ps) / 1e9, (double)first_ps / 1e9);
    }
    if (done < 5)
        fail_msg("%s: %d connections", algorithm, (int)done);
    scene_free(&scene);
}

static void test_connections_are_alike(void **state)
{
    (void)state;
    for (size_t i = 0; i < algorithm_count; i++) {
        if (strcmp(algorithm_table[i].name, "dgc") == 0)
            continue; /* how many segments there are depends on when losses come */
        expect_alike(algorithm_table[i].name, "unlimited", true);
        expect_alike(algorithm_table[i].name, "8 packets", i % 2);
    }
}

/* One flow for all: M/D/1 with the time of one connection as service, 100 ms here: 80 segments of 1 ms in one window,
 * and 20 ms there and back. */
static void test_short_flows_queue(void **state)
{
    (void)state;
    struct scene scene = scene_make("duration: 4000 s\n" SCENE_PATH("")
                                        BARE_TCP("") "app: {kind: short_flows, size: 80000 B, interval: 200 ms}\n");
    struct sample time = sample_metric(&scene, METRIC_completion_time, 0, 20);
    double service = 0.099; /* 80 x 1 + 9 + 10 */
    double rho = service / 0.2;
    sample_expect("M/D/1 of connections", &time, service * (1 + rho / (2 * (1 - rho))), 0.02);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_think),
        cmocka_unit_test(test_onoff),
        cmocka_unit_test(test_poisson_queue),
        cmocka_unit_test(test_video_times),
        cmocka_unit_test(test_video_sizes),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_connections_are_alike),
        cmocka_unit_test(test_short_flows_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
