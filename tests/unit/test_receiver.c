/* test_receiver.c - when ACKs are sent, what they echo, and when bytes reach the application. */
#include "kernel_vectors.h"
#include "scene.h"

/* 1 + 9 ms to the receiver, its ACK 10 ms back. */
#define DELAYED(more)                                                                                                  \
    "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, handshake: false, fin: false, limited_transmit: false, "        \
    "receive_window: 1 MB, initial_window: 10 segments" more "}\n"
#define FILE_OF(size) "app: {kind: file, size: " size "}\n"

/* --- vectors ------------------------------------------------------------------------------------------------------ */

#define THREE_WRITES                                                                                                   \
    "links: {l: {rate: 8 Mbit/s, delay: 9 ms, reverse: {rate: 80 Gbit/s, delay: 10 ms}%s}}\n"                          \
    "flows: [{name: a, via: [l], stop: 25 ms, app: {kind: cbr, packet: 1000 B, interval: 10 ms}}]\n"

/* Arrivals at 10, 20 and 30 ms: ACKs leave at 20 (the second) and 230 (the timer). */
static void check_times(const struct vector_row *v)
{
    assert_string_equal(v->inputs, "arrivals_ms=0 10 20;ack_every=2;timeout_ms=200");
    assert_string_equal(v->expected, "acks_at_ms=10 220;acked_segments=2 3");
    scene_check("VA", "10: V0; 20: V1; 30: V2 A1; 240: A2",
                "duration: 1 s\n" THREE_WRITES DELAYED(", delayed_ack_segments: 2, delayed_ack_timeout: 200 ms"), "");
}

/* An ACK of two echoes the first of them: the sample is 30 ms, not 20. */
static void check_echo(const struct vector_row *v)
{
    assert_true(vector_value(v->expected, "tsecr") == 100);
    scene_check("Am", "30: A1 m30; 240: A2 m220", "duration: 1 s\n" THREE_WRITES DELAYED(""), "");
}

/* The hole's repetition is echoed by the ACK of all: 20 ms. That duplicates echo the last segment in order cannot be
 * seen: the sender takes no sample from them. */
static void check_echo_of_gap(const struct vector_row *v)
{
    assert_true(vector_value(v->expected, "tsecr_after_hole_filled_by_rtx_tsval_400") == 400);
    scene_check("RAm", "20: A0 m20; 22: A0; 23: A0; 24: A0 R1; 44: A4 m20",
                "duration: 60 ms\n" SCENE_PATH(", drops: [{packet: 2}]") SCENE_TCP(", initial_window: 10 segments")
                    FILE_OF("5 KB"));
}

static const struct vector_rule rules[] = {
    {"delack_times", check_times, NULL},
    {"delack_ts_echo", check_echo, NULL},
    {"gap_ts_echo", check_echo_of_gap, NULL},
    {NULL, NULL, NULL},
};

static const char *const groups[] = {"delack", NULL};

static void test_vectors(void **state)
{
    (void)state;
    kernel_vectors(groups, rules);
}

/* --- acknowledgements --------------------------------------------------------------------------------------------- */

static void test_every(void **state)
{
    (void)state;
    static const struct {
        const char *tcp, *acks;
    } rows[] = {
        {", delayed_ack: false", "20: A0; 21: A1; 22: A2; 23: A3; 24: A4; 25: A5; 26: A6"},
        {", delayed_ack_segments: 1", "20: A0; 21: A1; 22: A2; 23: A3; 24: A4; 25: A5; 26: A6"},
        {"", "21: A1; 23: A3; 25: A5; 226: A6"}, /* 7 at 16 ms + 200 + 10 */
        {", delayed_ack_segments: 3", "22: A2; 25: A5; 226: A6"},
        {", delayed_ack_segments: 10, delayed_ack_timeout: 50 ms", "70: A6"}, /* from the first: 10 + 50 + 10 */
        {", delayed_ack_segments: 10, delayed_ack_timeout: 3.5 ms", "23.5: A3; 27.5: A6"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        scene_check("A", rows[i].acks,
                    "duration: 900 ms\n" SCENE_PATH(
                        "") "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, handshake: false, "
                            "fin: false, receive_window: 1 MB, initial_window: 10 segments%s}\n" FILE_OF("7 KB"),
                    rows[i].tcp);
}

/* Out of order, a hole filled, and repeated segments are acknowledged at once (RFC 5681 4.2). */
static void test_at_once(void **state)
{
    (void)state;
    /* 1 is lost: 2, 3, 4 at once; its repetition, which fills the hole, at once (0 waits with 2's ACK: A0) */
    scene_check("RA", "22: A0; 23: A0; 24: A0; 25: A0 R1; 45: A5",
                "duration: 60 ms\n" SCENE_PATH(", drops: [{packet: 2}]") DELAYED("") FILE_OF("6 KB"));
    /* all ACKs are lost until the timer's repetition of 0: its ACK goes at once */
    scene_check("RA", "1000: R0; 1020: A2",
                "duration: 1100 ms\n" SCENE_PATH(", drops: [{ack: 1}, {ack: 2}]") DELAYED("") FILE_OF("3 KB"));
}

/* Bytes wait for the hole. */
static void test_in_order_bytes(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 60 ms\n" SCENE_PATH(", drops: [{packet: 2}]")
                                       SCENE_TCP(", initial_window: 10 segments") FILE_OF("5500 B"));
    scene_expect(&scene, 0, "VP", 0, 60,
                 "10: V0 P1000; 12: V2; 13: V3; 14: V4; 14.5: V5; 34: V1 P1000 P1000 P1000 P1000 P500");
    scene_near("goodput", scene.result.all[METRIC_goodput], 8 * 5500 / 0.060, 1e-12);
    scene_free(&scene);
}

/* Repeated segments are counted, and not delivered again. */
static void test_duplicates(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 2 s\n" SCENE_PATH(", drops: [{ack: 1}, {ack: 2}, {ack: 3}]")
                                       SCENE_TCP(", initial_window: 3 segments") FILE_OF("3 KB"));
    assert_int_equal(scene_count(&scene, 0, "R"), 1); /* the ACK of the first repetition is for all */
    assert_true(scene.result.all[METRIC_spurious_retransmits] == 1);
    assert_int_equal(scene_count(&scene, 0, "P"), 3);
    scene_near("goodput", scene.result.all[METRIC_goodput], 8 * 3000 / 2.0, 1e-12);
    assert_true(scene_row(&scene, 0, 'V', 3, 0)->b == 1);
    scene_free(&scene);
}

/* Lost ACKs are made up for by the next. */
static void test_lost_acks(void **state)
{
    (void)state;
    scene_check("SRAL", "0: S0 S1 S2; 20: L0; 21: A1; 22: L2; 1021: R2; 1041: A2",
                "duration: 1500 ms\n" SCENE_PATH(", drops: [{ack: 1}, {ack: 3}]")
                    SCENE_TCP(", initial_window: 3 segments") FILE_OF("3 KB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),        cmocka_unit_test(test_every),      cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_in_order_bytes), cmocka_unit_test(test_duplicates), cmocka_unit_test(test_lost_acks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
