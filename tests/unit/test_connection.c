/* test_connection.c - opening and closing: what is sent when, the states of both ends (RFC 9293), and what is done
 * about lost SYNs, FINs and their ACKs.
 *
 * 40 B take 0.04 ms, full segments 1.5 ms, each way 10 ms. SYN 0 - 10.04, SYN-ACK - 20.08, ACK - 30.12; segment k of
 * the first ten arrives at 31.62 + 1.5 k (behind the ACK), its ACK at 41.66 + 1.5 k. FIN 55.16 - 65.2, its ACK with the
 * peer's FIN - 75.24, the last ACK - 85.28. States: 2 SYN-SENT, 3 SYN-RECEIVED, 4 ESTABLISHED, 5 FIN-WAIT-1, 7
 * CLOSE-WAIT, 9 LAST-ACK, 10 TIME-WAIT, 0 CLOSED.
 */
#include "scene.h"

#define TCP(more) "tcp: {delayed_ack: false, algorithm: newreno" more "}\n"
#define TEN_SEGMENTS "app: {kind: file, size: 14600 B}\n"
#define DOWN(from, to) ", schedule: [{at: " from " ms, up: false}, {at: " to " ms, up: true}]"
/* The way back without the way out's schedule. */
#define BACK ", reverse: {schedule: [{at: 0 s, up: true}]}"
#define BACK_DOWN(from, to) ", reverse: {schedule: [{at: " from " ms, up: false}, {at: " to " ms, up: true}]}"
#define PATH(more) "path: [{name: l, rate: 8 Mbit/s, delay: 10 ms" more "}]\n"

#define DATA "S0 S1 S2 S3 S4 S5 S6 S7 S8 S9"

static void test_whole(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 1 s\n" PATH("") TCP("") TEN_SEGMENTS);
    scene_expect(&scene, 0, "XYSRT", 0, 1000,
                 "0: X2; 10.04: Y3; 20.08: X4 " DATA "; 30.12: Y4; 55.16: X5 S10; 65.2: Y7 Y9; 75.24: X10; 85.28: Y0");
    scene_expect(&scene, 0, "V", 0, 40, "31.62: V0; 33.12: V1; 34.62: V2; 36.12: V3; 37.62: V4; 39.12: V5");
    scene_expect(&scene, 0, "A", 0, 45, "41.66: A0; 43.16: A1; 44.66: A2");
    assert_true(scene.result.all[METRIC_sent] == 10); /* SYN and FIN are not data */
    assert_true(scene.result.all[METRIC_completed] == 1);
    scene_near("completion", scene.result.all[METRIC_completion_time], 0.05516, 1e-9);
    scene_near("goodput", scene.result.all[METRIC_goodput], 14600 * 8, 1e-12);
    scene_free(&scene);
}

/* Of a file beyond the window FIN follows only the ACK of the last byte. */
static void test_fin_after_data(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 3 s\n" PATH(", per: 0.05") TCP("") "app: {kind: file, size: 73000 B}\n");
    const struct trace_row *fin = scene_row(&scene, 0, 'S', 50, 0);
    assert_int_equal(fin->a, 50);
    bool is_acknowledged = false;
    for (const struct trace_row *row = scene.row; row->t_ps <= fin->t_ps && row < scene.row + scene.n; row++)
        is_acknowledged |= row->event == TRACE_ACK && row->a == 49;
    assert_true(is_acknowledged);
    scene_free(&scene);
}

/* An endless source that stops at 30 ms sends it behind its last segment, when cwnd (1) has room. */
static void test_fin_of_stop(void **state)
{
    (void)state;
    scene_check(
        "XYS", "0: X2; 10.04: Y3; 20.08: X4 S0; 30.12: Y4; 41.66: X5 S1; 51.7: Y7 Y9; 61.74: X10; 71.78: Y0",
        "duration: 1 s\nlinks: {l: {rate: 8 Mbit/s, delay: 10 ms}}\nflows: [{name: a, via: [l], stop: 30 ms}]\n" TCP(
            ", initial_window: 1 segment"));
}

static void test_without(void **state)
{
    (void)state;
    scene_check("XYS", "0: X4 S0 S1",
                "duration: 1 s\n" PATH("") TCP(", handshake: false, fin: false") "app: {kind: file, size: 2920 B}\n");
    /* the FIN goes on its own */
    scene_check("XYS", "0: X4 S0 S1; 23.04: X5 S2; 33.08: Y7 Y9; 43.12: X10; 53.16: Y0",
                "duration: 1 s\n" PATH("") TCP(", handshake: false") "app: {kind: file, size: 2920 B}\n");
}

/* --- losses ------------------------------------------------------------------------------------------------------- */

/* The SYN again after initial_rto, doubled; then one segment (RFC 5681 3.1), here lost as well, and
 * an RTO of 3 s (RFC 6298 5.7). */
static void test_lost_syn(void **state)
{
    (void)state;
    scene_check("XYSRTC", "0: X2; 1010.04: Y3; 1020.08: X4 C1 S0; 1030.12: Y4; 4020.08: T0 C1 R0",
                "duration: 4030 ms\n" PATH(", schedule: [{at: 0 s, up: false}, {at: 500 ms, up: true}, {at: 1021 ms, "
                                           "up: false}, {at: 1022 ms, up: true}]" BACK) TCP("") TEN_SEGMENTS);
    scene_check("XYSC", "0: X2; 3010.04: Y3; 3020.08: X4 C1 S0; 3030.12: Y4",
                "duration: 3040 ms\n" PATH(DOWN("0", "1500") BACK) TCP("") TEN_SEGMENTS);
    scene_check("XYSC", "0: X2; 210.04: Y3; 220.08: X4 C1 S0; 230.12: Y4",
                "duration: 240 ms\n" PATH(DOWN("0", "50") BACK) TCP(", initial_rto: 200 ms") TEN_SEGMENTS);
}

/* The way back is down at 10.04 ms. */
static void test_lost_syn_ack(void **state)
{
    (void)state;
    scene_check("XYSC", "0: X2; 10.04: Y3; 1020.08: X4 C1 S0; 1030.12: Y4",
                "duration: 1035 ms\n" PATH(BACK_DOWN("0", "500")) TCP("") TEN_SEGMENTS);
}

/* The handshake's ACK is lost on the link; the data behind it opens the peer. */
static void test_lost_ack(void **state)
{
    (void)state;
    scene_check("XYS",
                "0: X2; 10.04: Y3; 20.08: X4 S0 S1; 31.61: Y4; 43.15: X5 S2; 53.19: Y7 Y9; 63.23: X10; 73.27: Y0",
                "duration: 1 s\n" PATH(DOWN("20.1", "20.11") BACK) TCP("") "app: {kind: file, size: 2920 B}\n");
}

static void test_lost_fin(void **state)
{
    (void)state;
    scene_check("XYSRT",
                "0: X2; 10.04: Y3; 20.08: X4 " DATA "; 30.12: Y4; 55.16: X5 S10; 1055.16: T10 R10; 1065.2: Y7 Y9; "
                "1075.24: X10; 1085.28: Y0",
                "duration: 2 s\n" PATH(DOWN("55.18", "55.19") BACK) TCP("") TEN_SEGMENTS);
}

/* The ACK with the peer's FIN: the sender's timer repeats the FIN, the peer answers. */
static void test_lost_fin_ack(void **state)
{
    (void)state;
    scene_check("XYSRT",
                "0: X2; 10.04: Y3; 20.08: X4 " DATA "; 30.12: Y4; 55.16: X5 S10; 65.2: Y7 Y9; 1055.16: T10 R10; "
                "1075.24: X10; 1085.28: Y0",
                "duration: 2 s\n" PATH(BACK_DOWN("65.21", "65.22")) TCP("") TEN_SEGMENTS);
}

/* The last ACK: the peer's timer (1 s from 65.2 ms) repeats its FIN. */
static void test_lost_last_ack(void **state)
{
    (void)state;
    scene_check("XYSRT",
                "0: X2; 10.04: Y3; 20.08: X4 " DATA "; 30.12: Y4; 55.16: X5 S10; 65.2: Y7 Y9; 75.24: X10; 1085.28: Y0",
                "duration: 2 s\n" PATH(DOWN("75.25", "75.26") BACK) TCP("") TEN_SEGMENTS);
}

/* Losses at random: every connection closes in the end, with all its bytes. */
static void test_random_losses(void **state)
{
    (void)state;
    for (uint32_t key = 0; key < 300; key++) {
        struct scene scene =
            scene_make("duration: 2000 s\n" PATH(", per: 0.3, errors: both") TCP(", max_rto: 4 s") TEN_SEGMENTS);
        scene_simulate(&scene, key, true);
        assert_true(scene.result.all[METRIC_completed] == 1);
        assert_true(scene_last(&scene, 0, 'X') == 10);
        assert_true(scene_last(&scene, 0, 'Y') == 0);
        assert_true(scene_count(&scene, 0, "P") >= 10);
        double bytes = 0;
        for (size_t k = 0; k < scene.n; k++)
            bytes += scene.row[k].event == TRACE_APP ? scene.row[k].x : 0;
        assert_true(bytes == 14600);
        scene_free(&scene);
    }
}

/* --- link failure (experiment 0.2) -------------------------------------------------------------------------------- */

/* The third link is down from 5 to 10 s: the timer's retries at about 6, 8 and 12 s, the last of which gets through;
 * the connection stays. */
static void test_link_failure(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 20 s\npath: [{name: a, rate: 10 Mbit/s, delay: 100 us}, {name: b, rate: 10 Mbit/s, delay: "
                  "50 ms}, {name: c, "
                  "rate: 10 Mbit/s, delay: 100 us, schedule: [{at: 5 s, up: false}, {at: 10 s, up: true}]}]\n"
                  "tcp: {algorithm: newreno, delayed_ack: false}\n");
    static const double retry_s[] = {6, 8, 12};
    assert_int_equal(scene_count(&scene, 0, "T"), 3);
    for (size_t k = 0; k < 3; k++) {
        const struct trace_row *row = scene_row(&scene, 0, 'T', k, 0);
        assert_true(fabs((double)row->t_ps / 1e12 - retry_s[k]) < 0.11);
        assert_int_equal(row->t_ps, scene_row(&scene, 0, 'R', k, 0)->t_ps);
    }
    assert_null(scene_row(&scene, 0, 'X', 2, 0)); /* SYN-SENT, ESTABLISHED, and no more */
    const struct trace_row *resumed = scene_row(&scene, 0, 'V', 0, 5100);
    assert_true(resumed->t_ps > 12 * PS_PER_S && resumed->t_ps < 12200 * PS_PER_MS);
    assert_true(scene.result.all[METRIC_timeouts] == 3);
    scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),         cmocka_unit_test(test_fin_after_data),
        cmocka_unit_test(test_fin_of_stop),   cmocka_unit_test(test_without),
        cmocka_unit_test(test_lost_syn),      cmocka_unit_test(test_lost_syn_ack),
        cmocka_unit_test(test_lost_ack),      cmocka_unit_test(test_lost_fin),
        cmocka_unit_test(test_lost_fin_ack),  cmocka_unit_test(test_lost_last_ack),
        cmocka_unit_test(test_random_losses), cmocka_unit_test(test_link_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
