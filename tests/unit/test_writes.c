/* test_writes.c - writes into a send buffer: full segments and the rest, Nagle, and how large segments wait for delayed
 * ACKs. */
#include "scene.h"

/* 1 ms for 1000 B, 20 ms there and back. */
static struct scene run_writes(const char *tcp, int write)
{
    return scene_run(
        "duration: 2 s\n" SCENE_PATH(
            "") "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, handshake: false, "
                "fin: false, limited_transmit: false, timestamps: false, initial_window: 100 segments, %s}\n"
                "app: {kind: writes, packet: %d B}\n",
        tcp, write);
}

/* Payloads of the segments sent, by what is handed over in order. */
static void expect_sizes(const struct scene *scene, const double *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct trace_row *row = scene_row(scene, 0, 'P', i, 0);
        if (!row || row->x != want[i])
            fail_msg("segment %zu: %g B, expected %g", i, row ? row->x : -1, want[i]);
    }
}

/* Four writes of 700 B fit 3000 B: 1000, 1000, 800. The first ACK makes room for one write, the second for two more. */
static void test_without_nagle(void **state)
{
    (void)state;
    struct scene scene = run_writes("delayed_ack: false, send_buffer: 3000 B", 700);
    expect_sizes(&scene, (const double[]){1000, 1000, 800, 700, 1000, 400, 700}, 7);
    scene_free(&scene);
}

/* The 800 B wait until 1000 B are there: the first ACK brings 700 more. Then 500 wait, and so on. */
static void test_nagle(void **state)
{
    (void)state;
    struct scene scene = run_writes("delayed_ack: false, nagle: true, send_buffer: 3000 B", 700);
    expect_sizes(&scene, (const double[]){1000, 1000, 1000, 1000, 1000, 1000, 1000}, 7);
    assert_true(scene_count(&scene, 0, "P") > 100);
    scene_free(&scene);
    /* nothing but what is less than a segment: one at a time, all that is there */
    scene = run_writes("delayed_ack: false, nagle: true, send_buffer: 1100 B", 800);
    expect_sizes(&scene, (const double[]){800, 800, 800, 800}, 4);
    scene_free(&scene);
}

/* Segments in 2 s with delayed ACKs of 200 ms for every second segment. */
static double segments_a_second(const char *tcp, int write)
{
    struct scene scene = run_writes(tcp, write);
    double n = (double)scene_count(&scene, 0, "P") / 2;
    scene_free(&scene);
    return n;
}

/* A buffer of fewer than two segments: with Nagle one segment is out at a time, and its ACK waits for the timer: 1 + 9
 * + 200 + 10 ms each. Without Nagle the rest goes too and brings the ACK. From two segments on nothing waits. */
static void test_deadlock(void **state)
{
    (void)state;
    scene_near("one segment a delayed ACK", segments_a_second("nagle: true, send_buffer: 1900 B", 100), 1 / 0.22, 0.12);
    assert_true(segments_a_second("nagle: false, send_buffer: 1900 B", 100) > 80);
    assert_true(segments_a_second("nagle: true, send_buffer: 2000 B", 100) > 80);
    assert_true(segments_a_second("nagle: true, send_buffer: 1900 B, delayed_ack: false", 100) > 40);
}

/* The heartbeat of 4.4BSD's delayed ACKs: one segment each 200 ms. */
static void test_deadlock_bsd(void **state)
{
    (void)state;
    scene_near("one segment a beat",
               segments_a_second("dialect: bsd, algorithm: reno, nagle: true, send_buffer: 1900 B", 100), 5, 0.12);
}

/* The end of a file waits as well: of 1500 B for a delayed ACK, of 2500 B only for that of the first two segments. Its
 * own ACK is a delayed one unless it is the second segment's. */
static void test_file(void **state)
{
    (void)state;
    static const struct {
        int bytes;
        const char *nagle;
        double time_ms; /* to the ACK of the last byte */
    } files[] = {
        {1500, "true", 220 + 219.5}, {1500, "false", 20.5}, {2500, "true", 21 + 219.5}, {2500, "false", 21.5 + 200}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct scene scene = scene_run(
            "duration: 2 s\n" SCENE_PATH("") "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, handshake: false, "
                                             "fin: false, timestamps: false, initial_window: 10 segments, nagle: %s}\n"
                                             "app: {kind: file, size: %d B}\n",
            files[i].nagle, files[i].bytes);
        scene_near("completion time", scene.result.all[METRIC_completion_time] * 1e3, files[i].time_ms, 1e-4);
        scene_free(&scene);
    }
}

/* Every byte once, whatever the loss. */
static void test_all_arrives(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 20 s\npath: [{name: l, rate: 2 Mbit/s, delay: 20 ms, queue: 5 packets, per: 3 %%}]\n"
                  "tcp: {algorithm: sack, nagle: false, send_buffer: 20000 B}\n"
                  "app: {kind: writes, packet: 777 B}\n");
    double bytes = 0;
    for (size_t i = 0; i < scene.n; i++)
        bytes += scene.row[i].event == TRACE_APP && scene.row[i].t_ps <= 20 * PS_PER_S ? scene.row[i].x : 0;
    scene_near("bytes", scene.result.all[METRIC_goodput] * 20 / 8, bytes, 1e-12);
    assert_true(bytes > 1e6);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_nagle), cmocka_unit_test(test_nagle), cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_deadlock_bsd),  cmocka_unit_test(test_file),  cmocka_unit_test(test_all_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
