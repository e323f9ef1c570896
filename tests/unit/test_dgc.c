/* test_dgc.c - dynamic granularity control: when segments become smaller, what becomes of the window, that no byte is
 * lost; and the clocks of 4.4BSD. */
#include "scene.h"

/* A segment of 9140 B takes 1 ms, 20 ms there and back; no headers. */
static struct scene run_dgc(int mss, const char *drops, const char *more)
{
    return scene_run("duration: 3 s\n"
                     "path: [{name: l, rate: 73.12 Mbit/s, delay: 9 ms, reverse: {rate: 80 Gbit/s, delay: 10 ms}%s}]\n"
                     "tcp: {algorithm: sack, dgc: true, mss: %d B, header: 0 B, ack_size: 1000 B, handshake: false, "
                     "growth: ack, fin: false, delayed_ack: false, timestamps: true, receive_window: 65535 B%s}\n",
                     drops, mss, more);
}

/* Segments handed over of a size, all or after the first of another size. */
static size_t count_size(const struct scene *scene, double bytes, double after_bytes)
{
    size_t n = 0;
    bool counts = after_bytes == 0;
    for (const struct trace_row *row = scene->row; row < scene->row + scene->n; row++) {
        if (row->event != TRACE_APP)
            continue;
        counts |= row->x == after_bytes;
        n += counts && row->x == bytes;
    }
    return n;
}

/* All segments handed over are of these two sizes, and the larger does not come back after the smaller. */
static void check_sizes(struct scene scene, double large, double small)
{
    size_t n = scene_count(&scene, 0, "P"), n_large = count_size(&scene, large, 0),
           n_small = count_size(&scene, small, 0);
    size_t back = small < large ? count_size(&scene, large, small) : 0;
    if (n_large + n_small != n || back > 0 || n_large == 0 || n_small < 20)
        fail_msg("%zu segments: %zu of %g B, %zu of %g B, %zu large ones after small ones", n, n_large, large, n_small,
                 small, back);
    scene_free(&scene);
}

static void test_congestion_avoidance(void **state)
{
    (void)state;
    check_sizes(run_dgc(9140, "", ", initial_window: 2 segments, initial_ssthresh: 4 segments"), 9140, 1460);
    check_sizes(run_dgc(1460, "", ", initial_window: 2 segments, initial_ssthresh: 4 segments"), 1460, 512);
    struct scene between = run_dgc(1000, "", ", initial_window: 2 segments, initial_ssthresh: 4 segments");
    assert_int_equal(count_size(&between, 1000, 0), scene_count(&between, 0, "P"));
    scene_free(&between);
    struct scene slow_start = run_dgc(9140, "", ""); /* never out of it */
    assert_int_equal(count_size(&slow_start, 9140, 0), scene_count(&slow_start, 0, "P"));
    scene_free(&slow_start);
}

/* The first duplicate ACK is enough; the lost segment itself is sent again as it was. */
static void test_loss(void **state)
{
    (void)state;
    check_sizes(run_dgc(9140, ", drops: [{segment: 9, transmission: 1}]", ""), 9140, 512);
    check_sizes(
        run_dgc(9140, ", drops: [{segment: 3, transmission: 1}]", ", initial_window: 1 segment, cwnd_max: 1 segment"),
        9140, 512);                                                                   /* a timeout */
    struct scene tiny = run_dgc(300, ", drops: [{segment: 9, transmission: 1}]", ""); /* it never grows */
    assert_int_equal(count_size(&tiny, 300, 0), scene_count(&tiny, 0, "P"));
    scene_free(&tiny);
}

/* Window just before and just after the MSS falls, where nothing was lost. */
static void windows_around(const char *more, double *before, double *after)
{
    struct scene scene = run_dgc(9140, "", more);
    const struct trace_row *last = NULL;
    *before = *after = NAN;
    double previous = NAN;
    for (const struct trace_row *row = scene.row; row < scene.row + scene.n; row++) {
        if (row->event != TRACE_CWND)
            continue;
        if (last && isnan(*before) && row->x >= 4) {
            *before = row->x;
            last = row;
        } else if (!isnan(*before) && isnan(*after)) {
            *after = row->x;
        }
        last = row;
        previous = row->x;
    }
    assert_false(isnan(previous));
    scene_free(&scene);
}

static void test_window(void **state)
{
    (void)state;
    double before, after;
    windows_around(", initial_window: 2 segments, initial_ssthresh: 4 segments", &before, &after);
    assert_true(before == 4 && after > 4 && after < 4.5);
    windows_around(", initial_window: 2 segments, initial_ssthresh: 4 segments, dgc_cwnd: bytes", &before, &after);
    scene_near("window in bytes", after * 1460, before * 9140, 1e-9);
}

/* The receive window is one of bytes: 512 B x 127 segments may be out where 7 of 9140 B were. */
static void test_receive_window(void **state)
{
    (void)state;
    struct scene scene =
        run_dgc(9140, ", drops: [{segment: 9, transmission: 1}]", ", dgc_cwnd: bytes, cwnd_max: 1000 segments");
    uint32_t most = 0, end = 0;
    for (const struct trace_row *row = scene.row; row < scene.row + scene.n; row++) {
        if (row->event == TRACE_SEND && !row->b)
            end = (uint32_t)row->a + 1;
        if (row->event == TRACE_ACK && row->t_ps > PS_PER_S && end - (uint32_t)(row->a + 1) > most)
            most = end - (uint32_t)(row->a + 1);
    }
    assert_true(most > 100 && most <= 127);
    scene_free(&scene);
}

/* Every byte of a file arrives, whatever the recovery scheme; each run also checks itself that packets are conserved.
 */
static void test_all_arrives(void **state)
{
    (void)state;
    static const char *const recoveries[] = {"timeout_only", "tahoe", "reno", "newreno",
                                             "sack",         "fack",  "prr",  "rack_tlp"};
    for (size_t i = 0; i < sizeof recoveries / sizeof *recoveries; i++)
        for (int bytes = 0; bytes < 2; bytes++) {
            struct scene scene =
                scene_run("duration: 400 s\npath: [{name: l, rate: 10 Mbit/s, delay: 5 ms, per: 0.02}]\n"
                          "tcp: {dgc: true, recovery: %s, dgc_cwnd: %s, mss: 9140 B}\n"
                          "app: {kind: file, size: 1000001 B, repeat: 3}\n",
                          recoveries[i], bytes ? "bytes" : "segments");
            double sum = 0;
            for (const struct trace_row *row = scene.row; row < scene.row + scene.n; row++)
                sum += row->event == TRACE_APP ? row->x : 0;
            if (sum != 3000003 || scene.result.flow[0][METRIC_completed] != 3)
                fail_msg("%s: %.0f bytes, %g files", recoveries[i], sum, scene.result.flow[0][METRIC_completed]);
            scene_free(&scene);
        }
}

/* --- BSD's clocks ------------------------------------------------------------------------------------------------- */

/* A segment at 20 ms, its ACK at the next multiple of 200 ms; a second makes one at once. */
static void test_delayed_ack_heartbeat(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 2 s\n" SCENE_PATH("") "tcp: {dialect: bsd, algorithm: reno, mss: 1000 B, header: 0 B, "
                                                   "ack_size: 1000 B, handshake: false, fin: false}\n");
    scene_expect(&scene, 0, "SA", 0, 250, "0: S0; 210: A0 S1 S2; 231: A2 S3 S4 S5");
    scene_free(&scene);
}

/* The only segment is lost: its timeout of 3 s (no sample yet) comes at the sixth tick after the start at 0.2 s. */
static void test_rto_heartbeat(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 20 s\nlinks: {l: {rate: 8 Mbit/s, delay: 9 ms, drops: [{packet: 1}, {packet: 2}]}}\n"
                  "flows: [{name: f, via: [l], start: 0.2 s}]\n"
                  "tcp: {dialect: bsd, algorithm: reno, mss: 1000 B, handshake: false, fin: false}\n"
                  "app: {kind: file, size: 1000 B}\n");
    scene_expect(&scene, 0, "STR", 0, 1e6, "200: S0; 3000: T0 R0; 9000: T0 R0");
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_congestion_avoidance),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_receive_window),
        cmocka_unit_test(test_all_arrives),
        cmocka_unit_test(test_delayed_ack_heartbeat),
        cmocka_unit_test(test_rto_heartbeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
