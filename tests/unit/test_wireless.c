/* test_wireless.c - congestion marks and their echo, and the recovery schemes that find lost retransmissions and tell
 * losses apart: DAC, DDLRP, T-DLRP; reference numbers of test-vectors-delay.csv, figures 2 and 6 of seed 004
 * (Sreekumari et al., IJDSN 2013, 592502) packet by packet, the score against what really happened.
 *
 * A window leaves at 0 ms, so segment k's ACK comes at 20 + k ms, and what is sent at t is acknowledged at t + 20 ms.
 * Some modules are included as source, for what they do not export.
 */
#include "../../kernels/cc/abe.h"
#include "../../kernels/queue/managed.h"
#include "../../kernels/result.c"

#include "scene.h"
#include "vectors.h"

#define TWELVE(algorithm, more) SCENE_TCP(", initial_window: 12 segments, algorithm: " algorithm more)
#define AGAIN ", drops: [{segment: 0, transmission: 1}, {segment: 0, transmission: 2}]"

/* --- vectors ------------------------------------------------------------------------------------------------------ */

/* Segment 0 and its retransmission are lost: so many duplicates until it goes a third time. */
static void row_dac(const struct vector_row *row)
{
    int window = (int)vector_in(row, "outstanding"), duplicates = 0;
    struct scene scene = scene_run(
        "duration: 900 ms\n" SCENE_PATH(AGAIN) SCENE_TCP(", initial_window: %d segments, algorithm: dac"), window);
    const struct trace_row *again = scene_row(&scene, 0, 'R', 1, 0);
    assert_true(again && again->a == 0);
    for (const struct trace_row *r = scene.row; r <= again; r++)
        duplicates += r->event == TRACE_ACK && r->a == -1;
    vector_check(row, "detect_at_dupack", duplicates);
    vector_check(row, "max_dupacks", window - 1);
    scene_free(&scene);
}

static void row_ifr_window(const struct vector_row *row)
{
    int64_t rtt_ps = (int64_t)(vector_in(row, "rtt") * (double)PS_PER_S + 0.5);
    struct abe abe = {.rate = vector_in(row, "bw_bit_s") / (8 * vector_in(row, "packet_bytes")) / (double)PS_PER_S};
    vector_check_within(row, "exact", abe.rate * (double)rtt_ps, 1e-9);
    vector_check(row, "cwnd", abe_window(&abe, rtt_ps));
}

/* A marking queue whose average is `average`. */
struct marker {
    struct channel_cfg channel;
    struct queue_slot slot[1000];
    struct managed managed;
};

static void start_marker(struct marker *m, double threshold, double weight, double average)
{
    m->channel = (struct channel_cfg){.mark = {MARK_PACKETS, threshold}, .mark_weight = weight};
    m->managed =
        (struct managed){.ops = managed_of(&m->channel), .channel = &m->channel, .slot = m->slot, .slots = 1000};
    m->managed.ops->start(&m->managed, INFINITY);
    m->managed.state.mark.average = average;
}

static bool is_marked(struct marker *m, int64_t t_ps, int64_t free_ps)
{
    return managed_arrives(&m->managed, &(struct arrival){t_ps, free_ps, PS_PER_MS, 1000, true}) == VERDICT_MARK;
}

static void row_average(const struct vector_row *row)
{
    struct marker m;
    start_marker(&m, 1e9, vector_in(row, "w"), 0);
    for (int i = (int)vector_in(row, "q"); i > 0; i--)
        assert_true(managed_waits(&m.managed, 0, PS_PER_S, 1000));
    for (int i = (int)vector_in(row, "arrivals"); i > 0; i--)
        assert_false(is_marked(&m, 0, PS_PER_S));
    vector_check_within(row, "avg", m.managed.state.mark.average, 1e-9);
}

static void row_mark(const struct vector_row *row)
{
    double threshold = vector_in(row, "fraction") * vector_in(row, "buffer");
    struct marker m;
    start_marker(&m, threshold, 0, vector_in(row, "avg"));
    vector_check(row, "threshold", threshold);
    vector_check(row, "mark", is_marked(&m, 0, PS_PER_S));
}

static void row_accuracy(const struct vector_row *row)
{
    double m[METRIC_COUNT];
    struct totals t = {.judges_retransmissions = true};
    t.packets.lost[FATE_RETRANSMISSION_CONGESTION] = (uint64_t)vector_in(row, "n_rlc_total");
    t.packets.lost[FATE_RETRANSMISSION_RANDOM] = (uint64_t)vector_in(row, "n_rlw_total");
    t.count.judged_right[FATE_RETRANSMISSION_CONGESTION] = (uint64_t)vector_in(row, "n_rlc");
    t.count.judged_right[FATE_RETRANSMISSION_RANDOM] = (uint64_t)vector_in(row, "n_rlw");
    fill_classification(m, &t);
    vector_check(row, "A_rlc", m[METRIC_accuracy_rlc]);
    vector_check(row, "A_rlw", m[METRIC_accuracy_rlw]);
    vector_check(row, "average", m[METRIC_accuracy_average]);
}

static void test_vectors(void **state)
{
    (void)state;
    static const struct vector_columns columns = {.id = 0, .group = 1, .inputs = 2, .expected = 3, .tolerance = 4};
    static const struct {
        const char *item;
        void (*check)(const struct vector_row *row);
    } items[] = {
        {"dac_threshold", row_dac}, {"tdlrp_ifr_cwnd", row_ifr_window}, {"cw_average", row_average},
        {"cw_mark", row_mark},      {"accuracy", row_accuracy},
    };
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        const char *const groups[] = {items[i].item, NULL};
        const struct vector_rule rules[] = {{"d", items[i].check, NULL}, {NULL, NULL, NULL}};
        vector_run("tests/reference/vectors/test-vectors-delay.csv", &columns, groups, rules);
    }
}

/* After the link has been idle for three packet times. */
static void test_idle_average(void **state)
{
    (void)state;
    struct marker m;
    start_marker(&m, 1, 0.5, 16);
    assert_true(is_marked(&m, 10 * PS_PER_MS, 7 * PS_PER_MS));
    assert_true(m.managed.state.mark.average == 1); /* 16 / 8, and the empty queue that it finds */
}

/* --- figures 2 and 6: window 12, packets 1 and 5 lost, and the fast retransmission of 1 --------------------------- */

#define FIGURE ", drops: [{packet: 1}, {packet: 5}, {segment: 0, transmission: 2}]"

/* NewReno lets 13 to 16 go (segments 12 to 15), from the duplicate of 9 on, and can only wait for the timeout. */
static void test_figure_2(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 1010 ms\n" SCENE_PATH(FIGURE) TWELVE("newreno", ""));
    scene_expect(&scene, 0, "SRFT", 0, 43,
                 "0: S0 S1 S2 S3 S4 S5 S6 S7 S8 S9 S10 S11; 23: F0 R0; 28: S12; 29: S13; 30: S14; 31: S15");
    scene_expect(&scene, 0, "RFT", 43, 1010, "1000: T0 R0");
    scene_free(&scene);
}

/* T-DLRP keeps its window: 13 to 15 leave with the retransmission (TS_New = 23 ms), the duplicates of 6 to 12 echo what
 * is older, that of 13 (44 ms) sends 1 again; its ACK brings out 5, and no window is ever cut. */
static void test_figure_6(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 100 ms\n" SCENE_PATH(FIGURE) TWELVE("tdlrp", ""));
    scene_expect(&scene, 0, "SRFTHC", 1, 43,
                 "23: F0 R0 S12 S13 S14; 25: S15; 26: S16; 27: S17; 28: S18; 29: S19; 30: S20; 31: S21");
    scene_expect(&scene, 0, "RFTHC", 43.5, 84, "44: R0; 64: R4; 84: C12");
    assert_true(scene.result.all[METRIC_rlw_total] == 1 && scene.result.all[METRIC_rlw_right] == 1);
    assert_true(scene.result.all[METRIC_timeouts] == 0);
    scene_free(&scene);
}

/* --- schemes ------------------------------------------------------------------------------------------------------ */

/* DAC: the twelfth duplicate is the first by a new segment (12, which left at the seventh); ssthresh is halved again.
 */
static void test_dac(void **state)
{
    (void)state;
    scene_check("RFTHC", "0: C12 H1e+09; 23: H6 F0 C6 R0; 47: H3 C3 R0; 67: C3",
                "duration: 67.5 ms\n" SCENE_PATH(AGAIN) TWELVE("dac", ""));
}

/* A window of 12 without marks: after 8 more duplicates the next sends 0 again; windows stay. */
static void test_ddlrp(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 60 ms\n" SCENE_PATH(AGAIN) TWELVE("ddlrp", ""));
    scene_expect(&scene, 0, "RFTHC", 1, 60, "23: F0 R0; 44: R0");
    scene_free(&scene);
}

/* A tail loss: T-DLRP's timeout sends it alone, twice with a cut, and a plain one only the second time. */
static void test_irtor(void **state)
{
    (void)state;
    scene_check(
        "RTCH", "0: C12 H1e+09; 20: C13; 21: C14; 22: C15; 23: C16; 1030: T11 R11; 3030: T11 H2 C1 R11",
        "duration: 3040 ms\n" SCENE_PATH(", drops: [{segment: 11, transmission: 1}, {segment: 11, transmission: 2}]")
            TWELVE("tdlrp", "") "app: {kind: file, size: 12 KB}\n");
}

/* --- the score ---------------------------------------------------------------------------------------------------- */

static void expect_score(const char *algorithm, const char *link, double total, double right, bool is_congestion)
{
    struct scene scene =
        scene_run("duration: 200 ms\n" SCENE_PATH("%s") SCENE_TCP(", initial_window: 12 segments, algorithm: %s"), link,
                  algorithm);
    const double *m = scene.result.all;
    double totals[] = {m[METRIC_rlw_total], m[METRIC_rlc_total]}, rights[] = {m[METRIC_rlw_right], m[METRIC_rlc_right]};
    if (totals[is_congestion] != total || rights[is_congestion] != right || totals[!is_congestion] != 0)
        fail_msg("%s: %g of %g right", algorithm, rights[is_congestion], totals[is_congestion]);
    assert_true(isnan(is_congestion ? m[METRIC_accuracy_rlw] : m[METRIC_accuracy_rlc]));
    assert_true(isnan(m[METRIC_accuracy_average]));
    scene_free(&scene);
}

static void test_score(void **state)
{
    (void)state;
    static const char down[] = ", drops: [{packet: 1}], schedule: [{at: 22.9 ms, up: false}, {at: 23.9 ms, up: true}]";
    expect_score("tdlrp", AGAIN, 1, 1, false);
    expect_score("ddlrp", AGAIN, 1, 1, false);
    expect_score("dac", AGAIN, 1, 0, false);
    expect_score("dac", down, 1, 1, true);
}

/* Veno with an empty queue takes a loss to errors for what it is, and one to a full queue for congestion. */
static void test_first_losses(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 2 s\n" SCENE_PATH(", queue: 30 packets")
                                       SCENE_TCP(", initial_window: 10 segments, algorithm: veno"));
    assert_true(scene.result.all[METRIC_first_congestion] > 0);
    assert_true(scene.result.all[METRIC_first_congestion_right] == scene.result.all[METRIC_first_congestion]);
    assert_true(scene.result.all[METRIC_first_random] == 0);
    scene_free(&scene);
    scene = scene_run("duration: 2 s\n" SCENE_PATH(", per: 0.01, errors: forward")
                          SCENE_TCP(", initial_window: 2 segments, cwnd_max: 15 segments, algorithm: veno"));
    assert_true(scene.result.all[METRIC_first_random] > 5);
    assert_true(scene.result.all[METRIC_first_random_right] == scene.result.all[METRIC_first_random]);
    scene_free(&scene);
}

/* TABE: a segment of 8000 bits every 10 ms at the receiver is 800 kbit/s, however its ACKs are spaced, and across the
 * end of the 32 bits. */
static void test_arrivals(void **state)
{
    (void)state;
    static struct sim sim;
    static struct flow f = {.wants_arrivals = true};
    struct abe abe = {.arrival_ps = UINT32_MAX * PS_PER_US - 500 * PS_PER_MS};
    uint32_t arrival_us = (uint32_t)(abe.arrival_ps / PS_PER_US);
    for (int i = 0; i < 300; i++) {
        sim.now_ps += i % 7 ? 0 : 70 * PS_PER_MS;
        f.arrival_us = arrival_us += 10000;
        abe_on_new_ack(&sim, &f, &abe, 100 * PS_PER_MS, 1);
    }
    scene_near("rate", abe.rate * 8000 * (double)PS_PER_S, 800000, 1e-9);
}

/* --- marks and their echo ----------------------------------------------------------------------------------------- */

/* Of a first window of ten only the last finds eight packets waiting. */
#define ONE_MARK ", mark_threshold: 8 packets, mark_weight: 1"
#define ONE_TCP(more) SCENE_TCP(", initial_window: 10 segments, initial_ssthresh: 10 segments, algorithm: newreno" more)

static void same_without_trace(struct scene *scene)
{
    struct sim_result before = scene->result;
    scene_simulate(scene, 7, false);
    assert_memory_equal(before.all, scene->result.all, sizeof before.all);
}

/* RFC 3168: one reduction, without a retransmission, though ACKs echo the mark until CWR has come. */
static void test_classic(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 300 ms\n" SCENE_PATH(ONE_MARK) ONE_TCP(", ecn: classic"));
    scene_expect(&scene, 0, "K", 0, 300, "0: K9");
    scene_expect(&scene, 0, "HRC", 28.5, 29, "29: H4.5 C4.5"); /* 9 in flight behind the ACK; no growth */
    assert_int_equal(scene_count(&scene, 0, "RF"), 0);
    assert_true(scene.result.all[METRIC_ecn_reductions] == 1 && scene.result.all[METRIC_marked] == 1);
    same_without_trace(&scene);
    scene_free(&scene);
}

/* Marks in every window cut in every window, no oftener. */
static void test_once_a_window(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 2 s\n" SCENE_PATH(", mark_threshold: 0 packets") ONE_TCP(", ecn: classic"));
    double windows = 2 / 0.02;
    assert_true(scene.result.all[METRIC_ecn_reductions] > 0.4 * windows);
    assert_true(scene.result.all[METRIC_ecn_reductions] < windows);
    assert_true(scene.result.all[METRIC_cwnd_mean] < 4);
    same_without_trace(&scene);
    scene_free(&scene);
}

/* A mark that changes sends the delayed ACK of what came before at once, and so does the end of the marks. */
static void test_accurate(void **state)
{
    (void)state;
    scene_check("A", "21: A1; 23: A3; 25: A5; 27: A7; 29: A8; 41: A9; 42: A11",
                "duration: 42.5 ms\n" SCENE_PATH(
                    ONE_MARK) "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, "
                              "handshake: false, delayed_ack: true, initial_window: 10 segments, initial_ssthresh: 10 "
                              "segments, "
                              "receive_window: 1000000 B, growth: ack, algorithm: newreno, ecn: accurate}\n");
}

/* Nobody looks at marks: nothing changes. */
static void test_marks_without_ecn(void **state)
{
    (void)state;
    double goodput[2];
    for (int i = 0; i < 2; i++) {
        struct scene scene =
            scene_run("duration: 5 s\n" SCENE_PATH(", queue: 20 packets%s") SCENE_TCP(", algorithm: newreno"),
                      i ? ", mark_threshold: 0.1" : "");
        goodput[i] = scene.result.all[METRIC_goodput];
        assert_int_equal(scene_count(&scene, 0, "K"), 0);
        scene_free(&scene);
    }
    assert_true(goodput[0] == goodput[1]);
}

/* RFC 8257: a long flow behind a step at K = 30 > C RTT / 7 keeps the link busy and its queue near K, without a loss,
 * where NewReno fills the buffer. Two flows meet there, so that packets wait for events too. */
static void test_dctcp(void **state)
{
    (void)state;
    for (int flows = 1; flows <= 2; flows++) {
        struct scene scene = scene_run(
            "duration: 20 s\nwarmup: 5 s\nlinks: {a: {rate: 1 Gbit/s, delay: 1 ms}, l: {rate: 10 Mbit/s, delay: 9 ms, "
            "queue: 200 packets, mark_threshold: 30 packets, mark_weight: 1}}\n"
            "flows: [{name: f, count: %d, via: [a*, l]}]\n"
            "tcp: {algorithm: dctcp, mss: 1460 B, receive_window: 1000000 B, delayed_ack: false}\n",
            flows);
        const double *m = scene.result.all;
        assert_true(m[METRIC_utilisation] > 0.99 && m[METRIC_drops_queue] == 0);
        assert_true(m[METRIC_queue_mean] > 15 && m[METRIC_queue_mean] < 33);
        assert_true(m[METRIC_marked] > 100);
        same_without_trace(&scene);
        scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),      cmocka_unit_test(test_idle_average),
        cmocka_unit_test(test_figure_2),     cmocka_unit_test(test_figure_6),
        cmocka_unit_test(test_dac),          cmocka_unit_test(test_ddlrp),
        cmocka_unit_test(test_irtor),        cmocka_unit_test(test_score),
        cmocka_unit_test(test_first_losses), cmocka_unit_test(test_arrivals),
        cmocka_unit_test(test_classic),      cmocka_unit_test(test_once_a_window),
        cmocka_unit_test(test_accurate),     cmocka_unit_test(test_marks_without_ecn),
        cmocka_unit_test(test_dctcp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
