/* test_receiver_linux.c - Linux's rules for ACKs, each by its key. Paths as in scene.h: 1 ms a segment, 1 + 9 ms out,
 * 10 ms back; without handshake the receiver knows no RTT (compressed ACKs then wait for the timer's slack only).
 */
#include "scene.h"

#define TCP(more)                                                                                                      \
    "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, handshake: false, fin: false, limited_transmit: false, "        \
    "receive_window: 1 MB, initial_window: 12 segments, delayed_ack_timeout: 40 ms" more "}\n"
#define FILE_OF(size) "app: {kind: file, size: " size "}\n"
#define WRITES(interval)                                                                                               \
    "links: {l: {rate: 8 Mbit/s, delay: 9 ms, reverse: {rate: 80 Gbit/s, delay: 10 ms}}}\n"                            \
    "flows: [{name: a, via: [l], stop: 999 ms, app: {kind: cbr, packet: 1000 B, interval: " interval "}}]\n"

static void test_quick_at_start(void **state)
{
    (void)state;
    scene_check("A", "20: A0; 21: A1; 22: A2; 24: A4; 26: A6; 67: A7",
                "duration: 1 s\n" SCENE_PATH("") TCP(", quick_acks: 3") FILE_OF("8 KB"));
    /* a short segment is acknowledged at once */
    scene_check("A", "20: A0; 22: A2; 22.5: A3",
                "duration: 1 s\n" SCENE_PATH("") TCP(", quick_acks: 1") FILE_OF("3500 B"));
}

/* The ACKs of 1 and 2 are lost, 1 comes again: its ACK and the next two are quick, 5 waits for 40 ms, until 190. */
static void test_quick_after_duplicate(void **state)
{
    (void)state;
    scene_check("RA", "20: A0; 80: R1; 100: A2; 130: A3; 131: A4",
                "duration: 180 ms\n"
                "links: {l: {rate: 8 Mbit/s, delay: 9 ms, reverse: {rate: 80 Gbit/s, delay: 10 ms}, "
                "drops: [{ack: 2}, {ack: 3}]}}\n"
                "flows: [{name: a, via: [l], app: {kind: file, size: 3 KB, repeat: 2, interval: 110 ms}}]\n" TCP(
                    ", quick_acks: 3, min_rto: 50 ms"));
}

/* 300 ms of silence, more than the timeout of a receiver with RTT 19 ms (19 + 200). */
static void test_quick_after_silence(void **state)
{
    (void)state;
    scene_check("A", "39: A0; 41: A2; 320: A3; 322: A5",
                "duration: 390 ms\n"
                "links: {l: {rate: 8 Mbit/s, delay: 9 ms, reverse: {rate: 80 Gbit/s, delay: 10 ms}}}\n"
                "flows: [{name: a, via: [l], app: {kind: file, size: 3 KB, repeat: 2, interval: 300 ms}}]\n"
                "tcp: {mss: 1000 B, header: 0 B, ack_size: 1 B, fin: false, receive_window: 1 MB, min_rto: 200 ms, "
                "delayed_ack_timeout: 40 ms, quick_acks: 1}\n");
}

/* Segments 25 ms apart (more than 20): ato becomes 20 + 25, 22.5 + 25 ...: two segments, one ACK. With 100 ms between
 * them an ACK waits 40 ms, then 80, as a wait in vain doubles ato, then 160/2 + 100: the next segment comes before. */
static void test_adaptive(void **state)
{
    (void)state;
    scene_check("A", "45: A1; 95: A3; 145: A5",
                "duration: 150 ms\n" WRITES("25 ms") TCP(", delayed_ack_adaptive: true"));
    scene_check("A", "60: A0; 200: A1; 320: A3",
                "duration: 430 ms\n" WRITES("100 ms") TCP(", delayed_ack_adaptive: true"));
    scene_check("A", "60: A0; 160: A1; 260: A2; 360: A3", "duration: 400 ms\n" WRITES("100 ms") TCP(""));
}

/* Ticks of 4 ms: an ACK that waits from 10 ms on (tick 2) for 10 ticks goes at tick 13. */
static void test_ticks(void **state)
{
    (void)state;
    scene_check("A", "62: A0",
                "duration: 200 ms\n" SCENE_PATH("")
                    TCP(", delayed_ack_adaptive: true, rto_estimator: linux, rto_granularity: 4 ms") FILE_OF("1000 B"));
}

/* Segment 1 is lost. Three duplicates go at once, the others wait: 0.1 ms, as no RTT is known. */
static void test_compression(void **state)
{
    (void)state;
    scene_check("RA", "20: A0; 22: A0; 23: A0; 24: A0 R1; 25.1: A0; 26.1: A0; 27.1: A0; 44: A7",
                "duration: 60 ms\n" SCENE_PATH(", drops: [{packet: 2}]")
                    TCP(", delayed_ack: false, recovery: sack, sack_compression: 1 ms") FILE_OF("8 KB"));
    /* without SACK every duplicate goes at once */
    scene_check("RA", "20: A0; 22: A0; 23: A0; 24: A0 R1; 25: A0; 26: A0; 27: A0; 44: A7",
                "duration: 60 ms\n" SCENE_PATH(", drops: [{packet: 2}]")
                    TCP(", delayed_ack: false, sack_compression: 1 ms") FILE_OF("8 KB"));
    /* RTT 19 ms: 0.95 ms (5 %) and 0.1: 5 and 6 share one ACK, as do 7 and 8 */
    scene_check("RA", "39: A0; 41: A0; 42: A0; 43: A0 R1; 45.05: A0; 47.05: A0; 49.05: A0; 63: A9",
                "duration: 90 ms\n" SCENE_PATH(
                    ", drops: [{packet: 2}]") "tcp: {mss: 1000 B, header: 0 B, ack_size: 1 B, fin: false, "
                                              "limited_transmit: false, delayed_ack: false, "
                                              "receive_window: 1 MB, recovery: sack, sack_compression: 2 ms}\n" FILE_OF(
                                                  "10 KB"));
}

/* 65 segments fit into the first window. The first ACK offers 64128 bytes (65536 less 1460, in units of 128): no room
 * for another, then one with each; 10 segments read in a round trip do not open it. */
static void test_window(void **state)
{
    (void)state;
    scene_check("S",
                "0: S0 S1 S2 S3 S4 S5 S6 S7 S8 S9 S10 S11 S12 S13 S14 S15 S16 S17 S18 S19 S20 S21 S22 S23 S24 S25 S26 "
                "S27 S28 S29 S30 S31 S32 S33 S34 S35 S36 S37 S38 S39 S40 S41 S42 S43 S44 S45 S46 S47 S48 S49 S50 S51 "
                "S52 S53 S54 S55 S56 S57 S58 S59 S60 S61 S62 S63 S64; 21: S65; 22: S66; 23: S67; 24: S68",
                "duration: 24.5 ms\n" SCENE_PATH(
                    "") "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, handshake: false, "
                        "fin: false, receive_window: 70 KB, window_scaling: true, initial_window: 120 segments, "
                        "delayed_ack: false, autotune_window: true}\n" FILE_OF("1 MB"));
}

/* Dialect linux24: two segments at the start, every ACK adds one to the window, the first 16 segments are acknowledged
 * one by one. With no RTT known, a lost segment is sent again after 3 s, which newer kernels' timer (the dialect's,
 * too) rounds up to 8 ticks of 10 ms; with an RTT, after SRTT + 200 ms: 23 ticks and one more, from tick 2 on. */
static void test_linux24(void **state)
{
    (void)state;
    static const char tcp[] = "tcp: {dialect: linux24, algorithm: sack, mss: 1000 B, header: 0 B, ack_size: 1000 B, "
                              "timestamp_bytes: 0 B, handshake: false, fin: false, receive_window: 60 KB}\n";
    char text[1024];
    snprintf(text, sizeof text, "duration: 45 ms\n" SCENE_PATH("") "%s" FILE_OF("20 KB"), tcp);
    scene_check(
        "SA", "0: S0 S1; 20: A0 S2 S3; 21: A1 S4 S5; 40: A2 S6 S7; 41: A3 S8 S9; 42: A4 S10 S11; 43: A5 S12 S13", text);
    snprintf(text, sizeof text, "duration: 5 s\n" SCENE_PATH(", drops: [{packet: 1}]") "%s" FILE_OF("1 KB"), tcp);
    scene_check("SR", "0: S0; 3040: R0", text);
    snprintf(text, sizeof text,
             "duration: 2 s\n" SCENE_PATH(", drops: [{packet: 3}, {packet: 4}]") "%s" FILE_OF("4 KB"), tcp);
    scene_check("SR", "0: S0 S1; 20: S2 S3; 260: R2; 280: R3", text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quick_at_start),
        cmocka_unit_test(test_quick_after_duplicate),
        cmocka_unit_test(test_quick_after_silence),
        cmocka_unit_test(test_adaptive),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_compression),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_linux24),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
