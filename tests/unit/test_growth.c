/* test_growth.c - how the window begins, grows, and restarts after idle time; how large segments and windows are. */
#include "kernel_vectors.h"
#include "scene.h"

/* An ACK each 1 ms or slower, everything else out of the way: 20 ms there and back at no time per segment. */
#define FAST_PATH "path: [{name: l, rate: 8 Gbit/s, delay: 10 ms%s}]\n"

/* Segments sent before the first ACK. */
static size_t first_burst(const char *tcp)
{
    struct scene scene = scene_run("duration: 15 ms\n" FAST_PATH "tcp: {handshake: false%s}\n", "", tcp);
    size_t n = scene_count(&scene, 0, "S");
    scene_free(&scene);
    return n;
}

/* --- initial window, segment size, receive window ----------------------------------------------------------------- */

/* Each RFC's value as `initial_window`; the default is RFC 6928's ten segments. */
static void check_initial_window(const struct vector_row *v)
{
    static const char *const columns[] = {"rfc2581", "rfc3390", "rfc5681", "rfc6928"};
    char tcp[200];
    double mss = vector_in(v, "smss");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        double bytes = vector_value(v->expected, columns[i]);
        snprintf(tcp, sizeof tcp, ", mss: %g B, initial_window: %g B", mss, bytes);
        assert_int_equal(first_burst(tcp), (size_t)(bytes / mss));
    }
    snprintf(tcp, sizeof tcp, ", mss: %g B", mss);
    assert_int_equal(first_burst(tcp), 10); /* `10 segments` whatever their size */
}

/* Wire bytes of a data packet, from the time that it takes: 1 us a byte. */
static double wire_bytes(const char *tcp)
{
    struct scene scene = scene_run("duration: 100 ms\npath: [{name: l, rate: 8 Mbit/s}]\n"
                                   "tcp: {handshake: false, initial_window: 1 segment%s}\n",
                                   tcp);
    const struct trace_row *row = scene_row(&scene, 0, 'V', 0, 0);
    double bytes = (double)row->t_ps / 1e6;
    scene_free(&scene);
    return bytes;
}

static void check_mss(const struct vector_row *v)
{
    char tcp[200];
    double mtu = vector_in(v, "mtu");
    assert_true(vector_in(v, "ip") + vector_in(v, "tcp") == 40);
    assert_true(wire_bytes("") == mtu); /* the default MSS is the plain one */
    snprintf(tcp, sizeof tcp, ", mss: %g B, timestamp_bytes: %g B", vector_value(v->expected, "ts"),
             vector_in(v, "ts"));
    assert_true(wire_bytes(tcp) == mtu);
}

static void check_window(const struct vector_row *v)
{
    char tcp[200];
    double bytes = vector_value(v->expected, "seen_by_sender");
    assert_true(vector_in(v, "rcvbuf") == bytes);
    snprintf(tcp, sizeof tcp, ", mss: 1024 B, receive_window: %.0f B, initial_window: 1000 segments", bytes);
    assert_int_equal(first_burst(tcp), (size_t)(bytes / 1024));
}

/* --- byte counting ------------------------------------------------------------------------------------------------ */

/* ACKs 2, 4 and 5 are lost: the sender sees 1, 2 and 3 segments acknowledged. */
#define ONE_TWO_THREE ", drops: [{ack: 2}, {ack: 4}, {ack: 5}]"

static void check_slow_start(const struct vector_row *v)
{
    double L = vector_in(v, "L"), cwnd[4] = {vector_in(v, "cwnd") / vector_in(v, "smss")};
    struct scene scene = scene_run("duration: 100 ms\n" SCENE_PATH(ONE_TWO_THREE)
                                       SCENE_TCP(", initial_window: %g segments, abc_limit: %g"),
                                   cwnd[0], L);
    for (int k = 1; k <= 3; k++)
        cwnd[k] = cwnd[k - 1] + (k < L ? k : L);
    for (int k = 0; k <= 3; k++)
        assert_true(scene_row(&scene, 0, 'C', k, 0)->x == cwnd[k]);
    assert_true(cwnd[3] == vector_value(v->expected, "cwnd") / vector_in(v, "smss"));
    scene_free(&scene);
    if (L > 1)
        return;
    /* The same with the default L = 2 in the slow start that follows a timeout: the window is 2 after ACK 1. */
    scene = scene_run("duration: 1100 ms\n" SCENE_PATH(
        ", schedule: [{at: 0 s, up: false}, {at: 500 ms, up: true}], drops: [{ack: 3}, {ack: 5}, {ack: 6}]")
                          SCENE_TCP(", initial_window: 16 segments"));
    for (int k = 0; k <= 3; k++)
        assert_true(scene_row(&scene, 0, 'C', (size_t)k, 1010)->x == k + 2);
    scene_free(&scene);
}

/* Window after the n-th ACK of two segments each. */
static double after_double_acks(const char *tcp, size_t n)
{
    struct scene scene = scene_run("duration: 1 s\n" FAST_PATH
                                   "tcp: {mss: 1000 B, handshake: false, delayed_ack: true, receive_window: 1 MB%s}\n",
                                   "", tcp);
    double cwnd = scene_row(&scene, 0, 'C', n, 0)->x; /* row 0 is the initial window */
    scene_free(&scene);
    return cwnd;
}

/* The RFC adds a whole segment when cwnd bytes are acknowledged, the kernel as much of it as is: what the counter holds
 * is the difference, but for what each step's own growth slows the next. */
static void check_avoidance(const struct vector_row *v)
{
    double mss = vector_in(v, "smss"), whole = vector_value(v->expected, "cwnd") / mss;
    double cwnd = after_double_acks(", initial_window: 10 segments, initial_ssthresh: 8 segments", 7);
    assert_true(floor(cwnd) == whole);
    assert_true(fabs(cwnd - whole - vector_value(v->expected, "acc") / mss / whole) < 0.05);
}

static void check_segments_split(const struct vector_row *v)
{
    double whole = vector_value(v->expected, "cwnd");
    double cwnd =
        after_double_acks(", growth: segments, initial_window: 8 segments, initial_ssthresh: 10 segments", 10);
    assert_true(floor(cwnd) == whole);
    assert_true(fabs(cwnd - whole - vector_value(v->expected, "cnt") / whole) < 0.06);
}

/* Integer division loses less than a byte an ACK. */
static void check_twenty_acks(const struct vector_row *v)
{
    double mss = vector_in(v, "smss"), segments = vector_in(v, "cwnd") / mss;
    struct scene scene = scene_run("duration: 60 ms\n" SCENE_PATH("")
                                       SCENE_TCP(", initial_window: %g segments, initial_ssthresh: 2 segments"),
                                   segments);
    size_t acks = (size_t)vector_in(v, "acks");
    double bytes = scene_row(&scene, 0, 'C', acks, 0)->x * mss, expected = vector_value(v->expected, "cwnd");
    assert_true(bytes >= expected && bytes < expected + (double)acks);
    scene_free(&scene);
}

static void test_growth_rules(void **state)
{
    (void)state;
    /* an ACK of two segments: what each rule adds to a window of 10 */
    static const struct {
        const char *growth;
        double slow_start, avoidance;
    } rules[] = {{"bytes", 2, 0.2}, {"ack", 1, 0.1}, {"segments", 2, 0.2}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        char tcp[200];
        snprintf(tcp, sizeof tcp, ", initial_window: 10 segments, growth: %s", rules[i].growth);
        assert_true(after_double_acks(tcp, 1) == 10 + rules[i].slow_start);
        snprintf(tcp, sizeof tcp, ", initial_window: 10 segments, initial_ssthresh: 10 segments, growth: %s",
                 rules[i].growth);
        assert_true(after_double_acks(tcp, 1) == 10 + rules[i].avoidance);
    }
    assert_true(after_double_acks(", initial_window: 10 segments, cwnd_max: 11 segments", 1) == 11);
    assert_true(after_double_acks(", initial_window: 10 segments, abc_limit: 1.5", 1) == 11.5);
}

/* No growth while the application or the receive window is what limits sending, unless grow_when_limited. */
static void test_limited(void **state)
{
    (void)state;
    static const struct {
        const char *tcp, *app;
        double cwnd; /* after 10 s: */
    } rows[] = {
        {", receive_window: 12 KB", "{kind: bulk}", 24}, /* slow start ends at twice what is in flight */
        {", receive_window: 12 KB, initial_ssthresh: 5 segments", "{kind: bulk}", 13}, /* avoidance: once above */
        {"", "{kind: cbr, packet: 1000 B, interval: 15 ms}", 10},                      /* 2 in flight */
        {", receive_window: 12 KB, initial_ssthresh: 5 segments, grow_when_limited: true, cwnd_max: 20 segments",
         "{kind: bulk}", 20},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene = scene_run(
            "duration: 10 s\n" FAST_PATH
            "tcp: {mss: 1000 B, handshake: false, delayed_ack: false, initial_window: 10 segments%s}\napp: %s\n",
            "", rows[i].tcp, rows[i].app);
        double cwnd = scene_last(&scene, 0, 'C');
        if (floor(cwnd) != rows[i].cwnd)
            fail_msg("row %zu: cwnd %g, expected %g", i, cwnd, rows[i].cwnd);
        scene_free(&scene);
    }
}

/* --- idle time ---------------------------------------------------------------------------------------------------- */

/* A first file takes cwnd to 64 = cwnd_max; the second starts `idle_s` after the last segment was sent. */
static double window_after_idle(double idle_s, double rto_s, const char *more)
{
    const char *text = "duration: 5 s\n" FAST_PATH
                       "tcp: {mss: 1000 B, handshake: false, fin: false, delayed_ack: false, receive_window: 1 MB, "
                       "initial_window: 10 segments, cwnd_max: 64 segments, min_rto: %g s, initial_rto: %g s%s}\n"
                       "app: {kind: file, size: 400 KB, repeat: 2, interval: %.12f s}\n";
    double interval_s = 2;
    struct scene scene = {0};
    for (int pass = 0; pass < 2; pass++) {
        scene = scene_run(text, "", rto_s, rto_s, more, interval_s);
        assert_true(scene_row(&scene, 0, 'S', 399, 0)->t_ps < PS_PER_S);
        if (pass == 0) {
            interval_s = (double)scene_row(&scene, 0, 'S', 399, 0)->t_ps / (double)PS_PER_S + idle_s;
            scene_free(&scene);
        }
    }
    double t_ms = (double)scene_row(&scene, 0, 'S', 400, 0)->t_ps / 1e9, cwnd = 0;
    size_t burst = 0;
    for (size_t k = 0; k < scene.n; k++) {
        const struct trace_row *row = &scene.row[k];
        double at_ms = (double)row->t_ps / 1e9;
        if (row->event == TRACE_CWND && at_ms <= t_ms)
            cwnd = row->x;
        burst += row->event == TRACE_SEND && at_ms == t_ms;
    }
    assert_true((double)burst == cwnd);
    scene_free(&scene);
    return cwnd;
}

static void check_idle(const struct vector_row *v)
{
    double idle_s = vector_in(v, "idle_s"), rto_s = vector_in(v, "rto_s");
    assert_true(vector_in(v, "cwnd") == 64 && vector_in(v, "rw") == 10);
    assert_true(window_after_idle(idle_s, rto_s, "") == vector_value(v->expected, "rfc5681"));
    assert_true(window_after_idle(idle_s, rto_s, ", idle_restart: false") == 64);
    assert_true(window_after_idle(rto_s - 0.01, rto_s, "") == 64);
}

/* --- slow start --------------------------------------------------------------------------------------------------- */

/* Rounds of a file: its completion time in round trips. */
static void check_rounds(const struct vector_row *v)
{
    struct scene scene = scene_run("duration: 2 s\n" FAST_PATH
                                   "tcp: {mss: 1000 B, handshake: false, delayed_ack: false, receive_window: 2 MB, "
                                   "initial_window: %g segments}\napp: {kind: file, size: %g KB}\n",
                                   "", vector_in(v, "iw"), vector_in(v, "d"));
    double rounds = scene.result.all[METRIC_completion_time] / 0.020;
    assert_true(vector_in(v, "b") == 1);
    assert_true(floor(rounds) == vector_value(v->expected, "rounds") && rounds - floor(rounds) < 0.1);
    scene_free(&scene);
}

/* --- vectors ------------------------------------------------------------------------------------------------------ */

static const struct vector_rule rules[] = {
    {"iw_", check_initial_window, NULL},
    {"mss_payload", check_mss, NULL},
    {"wscale_1073741824", NULL, "the window is what the key says: no rounding to the 2^14 B of the largest shift"},
    {"wscale_", check_window, NULL},
    {"ca_20acks_1460", check_twenty_acks, NULL},
    {"linux_reno_ss_to_ca", check_segments_split, NULL},
    {"linux_ai_leftover_credit", NULL, "growth is in real numbers; cc reno_linux has the counter: test_cc_window.c"},
    {"abc_ss_", check_slow_start, NULL},
    {"abc_ca", check_avoidance, NULL},
    {"idle_restart_", check_idle, NULL},
    {"slowstart_rounds_", check_rounds, NULL},
    {NULL, NULL, NULL},
};

static const char *const groups[] = {"iw", "mss", "wscale", "reno", "abc", "idle", "slowstart", NULL};

static void test_vectors(void **state)
{
    (void)state;
    kernel_vectors(groups, rules);
}

static void test_no_scaling(void **state)
{
    (void)state;
    struct sweep *sweep;
    struct error err;
    const char *text = "duration: 1 s\npath: [{name: l, rate: 1 Mbit/s}]\n"
                       "tcp: {receive_window: 65536 B, window_scaling: false}\n";
    assert_int_equal(sweep_load_text(&sweep, "big", text, &err), 0);
    assert_null(sweep_scenario(sweep, 0, &err));
    assert_non_null(strstr(err.text, "65535"));
    sweep_free(sweep);
    assert_int_equal(first_burst(", mss: 1024 B, receive_window: 65535 B, initial_window: 100 segments, "
                                 "window_scaling: false"),
                     63);
    assert_int_equal(first_burst(", mss: 1024 B, receive_window: 128 KiB, send_buffer: 10300 B, "
                                 "initial_window: 100 segments"),
                     10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_growth_rules),
        cmocka_unit_test(test_limited),
        cmocka_unit_test(test_no_scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
