/* test_tagged.c - recovery schemes that keep a record of each segment: PRR, RACK, tail loss probes, undone reductions;
 * against the vectors, and by drop lists on the path of scene.h (segment k of the first ten is acknowledged at 20 + k +
 * 1 ms).
 */
#include "kernel_vectors.h"
#include "scene.h"

#include "../../kernels/recovery/tagged.h"

/* --- vectors ------------------------------------------------------------------------------------------------------ */

/* The k-th number of a list `a b c` behind name=. */
static double item(const char *list, const char *name, int k)
{
    const char *at = vector_text(list, name);
    assert_non_null(at);
    for (; k > 0; k--)
        at = strchr(at, ' ') + 1;
    return strtod(at, NULL);
}

/* One segment delivered an ACK; what may be sent is sent. */
static void check_prr(const struct vector_row *v)
{
    static const enum prr_variant variants[] = {PRR_RFC9937, PRR_RFC6937_CRB, PRR_LINUX};
    int n = strstr(v->inputs, "x5") ? 5 : 1;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct tagged t = {.prr_flight = vector_in(v, "recoverfs")};
        for (int k = 0; k < n; k++) {
            double pipe = item(v->inputs, "pipe", k);
            t.prr_delivered += (uint32_t)vector_in(v, "delivered");
            double count = prr_send_count(variants[i], &t, vector_in(v, "ssthresh"), (uint32_t)pipe, 1, false);
            assert_true(count == item(v->expected, "sndcnt", k));
            assert_true(pipe + count == item(v->expected, "cwnd", k));
            t.prr_out += (uint32_t)count;
        }
    }
}

static int64_t to_ps(double t_s)
{
    return (int64_t)llround(t_s * (double)PS_PER_S);
}

static void check_probe_timeout(const struct vector_row *v)
{
    struct recovery_params cfg = {.tlp_ack_delay_ps = to_ps(vector_in(v, "max_ack_delay_s"))};
    int64_t wait_ps =
        rack_probe_timeout_ps(&cfg, to_ps(vector_in(v, "srtt_s")), PS_PER_S, (uint32_t)vector_in(v, "flight_segments"),
                              to_ps(vector_in(v, "time_to_rto_s")));
    vector_check(v, "pto_s", (double)wait_ps / (double)PS_PER_S);
}

static void check_reordering_window(const struct vector_row *v)
{
    struct tcp_cfg cfg = {.dupack_threshold = 3};
    struct flow f = {.cfg = &cfg, .mode = vector_in(v, "in_recovery") ? MODE_RECOVERY : MODE_OPEN};
    struct tagged t = {.reo_mult = (uint32_t)vector_in(v, "mult"), .reordering_seen = vector_in(v, "reordering_seen")};
    f.segments.min_rtt_ps = to_ps(vector_in(v, "min_rtt_s"));
    f.rto.has_sample = true;
    f.rto.srtt_ps = to_ps(vector_in(v, "srtt_s"));
    f.board.count = (uint32_t)vector_in(v, "sacked");
    vector_check(v, "reo_wnd_s", (double)rack_reordering_window_ps(&f, &t) / (double)PS_PER_S);
}

static const struct vector_rule rules[] = {
    {"prr_", check_prr, NULL},
    {"tlp_pto_", check_probe_timeout, NULL},
    {"rack_reo_", check_reordering_window, NULL},
    {NULL, NULL, NULL},
};

static const char *const groups[] = {"prr", "rack", NULL};

static void test_vectors(void **state)
{
    (void)state;
    kernel_vectors(groups, rules);
}

/* --- packetdrill's scenes of PRR -----------------------------------------------------------------------------------
 */

#define TAGGED(recovery, more)                                                                                         \
    SCENE_TCP(", dialect: rfc, initial_window: 10 segments, recovery: " recovery ", min_rto: 200 ms" more)
#define TEN_FILE "app: {kind: file, size: 10 KB}\n"
#define CUBIC ", cc: cubic_linux, growth: segments, ssthresh_base: cwnd, prr: linux"

/* Ten segments, the first lost, seven more written after the third SACK: the window is 7 and stays so, each further
 * SACK lets one out. */
static void check_ten_one_lost(const struct vector_row *v)
{
    (void)v;
    struct scene scene = scene_run("duration: 60 ms\n" SCENE_PATH(", drops: [{packet: 1}]") TAGGED(
        "rack_tlp", CUBIC) "app: {kind: cbr, packet: 10000 B, interval: 23.5 ms}\n");
    scene_expect(&scene, 0, "SRH", 1, 30.5, "23: H7 R0; 24: S10; 25: S11; 26: S12; 27: S13; 28: S14; 29: S15");
    scene_expect(&scene, 0, "C", 43, 43, "43: C7 C7");
    scene_free(&scene);
}

/* The first four lost: a copy for each SACK from the third on. In the script one ACK repairs all four and lets seven
 * segments out at once; here four ACKs do. */
static void check_four_lost(const struct vector_row *v)
{
    (void)v;
    struct scene scene =
        scene_run("duration: 60 ms\n" SCENE_PATH(", drops: [{packet: 1}, {packet: 2}, {packet: 3}, {packet: 4}]")
                      TAGGED("rack_tlp", CUBIC) "app: {kind: cbr, packet: 10000 B, interval: 31.5 ms}\n");
    scene_expect(&scene, 0, "SRH", 1, 31, "26: H7 R0; 27: R1; 28: R2; 29: R3");
    scene_free(&scene);
}

static const struct vector_rule peer_rules[] = {
    {"pd_prr_10_1", check_ten_one_lost, NULL},
    {"pd_prr_30_4", check_four_lost, NULL},
    {NULL, NULL, NULL},
};

static void test_peer_vectors(void **state)
{
    (void)state;
    static const char *const peer_groups[] = {"prr", NULL};
    static const struct vector_columns columns = {.id = 0, .group = 2, .inputs = 3, .expected = 4, .tolerance = -1};
    vector_run("tests/reference/vectors/peer-vectors.csv", &columns, peer_groups, peer_rules);
}

/* --- what RACK and probes find -------------------------------------------------------------------------------------
 */

/* A lost copy: SACK alone waits for the timeout, RACK sends another a round trip later. */
static void test_lost_copy(void **state)
{
    (void)state;
    static const char *const recoveries[] = {"sack", "prr", "rack_tlp"};
    for (int i = 0; i < 3; i++) {
        struct scene scene = scene_run(
            "duration: 190 ms\n" SCENE_PATH(", drops: [{segment: 2, transmission: 1}, {segment: 2, transmission: 2}]")
                SCENE_TCP(", initial_window: 10 segments, min_rto: 200 ms, recovery: %s"),
            recoveries[i]);
        bool is_rack = i == 2;
        assert_int_equal(scene_count(&scene, 0, "R"), is_rack ? 2 : 1);
        assert_int_equal(scene_count(&scene, 0, "T"), 0);
        assert_int_equal(scene_last(&scene, 0, 'A') > 20, is_rack);
        scene_free(&scene);
    }
}

/* The last of ten: a probe after two smoothed round trips (and, with only that segment out, the ACK's possible delay)
 * brings it, without a timeout. Its ACK may have been the original's; one beyond it means that there was a loss, and
 * one reduction is made. */
static void test_tail(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 999 ms\n" SCENE_PATH(", drops: [{packet: 10}]") TAGGED(
        "rack_tlp", ", tlp_ack_delay: 20 ms") "app: {kind: file, size: 10 KB, repeat: 2, interval: 300 ms}\n");
    const struct trace_row *copy = scene_row(&scene, 0, 'R', 0, 0);
    assert_non_null(copy);
    assert_int_equal(copy->a, 9);
    double srtt_s = scene_row(&scene, 0, 's', 8, 0)->x;
    scene_near("probe", (double)copy->t_ps / 1e12, 0.028 + 2 * srtt_s + 0.02, 1e-5);
    assert_int_equal(scene_count(&scene, 0, "T"), 0);
    assert_true(scene.result.flow[0][METRIC_probes] == 1);
    assert_true(scene.result.flow[0][METRIC_retransmitted] == 1);
    assert_int_equal(scene_count(&scene, 0, "H"), 2); /* the initial one, and this */
    assert_true((double)scene_row(&scene, 0, 'H', 1, 0)->t_ps > 300e9);
    scene_free(&scene);
}

/* Nothing lost, the ACK of the last late: the probe is wasted, its DSACK says so, nothing is reduced. */
static void test_wasted_probe(void **state)
{
    (void)state;
    struct scene scene = scene_run(
        "duration: 999 ms\npath: [{name: l, rate: 8 Mbit/s, delay: 9 ms, reverse: {rate: 80 Gbit/s, delay: 10 "
        "ms, schedule: [{at: 18.5 ms, delay: 150 ms}]}}]\n" TAGGED("rack_tlp", ", dsack: true, tlp_ack_delay: 20 ms")
            TEN_FILE);
    assert_true(scene.result.flow[0][METRIC_probes] == 1);
    assert_true(scene.result.flow[0][METRIC_spurious_retransmits] == 1);
    assert_int_equal(scene_count(&scene, 0, "H"), 1);
    scene_free(&scene);
}

/* --- undoing -------------------------------------------------------------------------------------------------------
 */

#define OVERTAKING ", schedule: [{at: 40 ms, delay: 30 ms}, {at: 46 ms, delay: 9 ms}]"

/* Packets that overtake six others look like losses. The duplicates' DSACKs, or old timestamps, prove them none. */
static void test_reordering_is_undone(void **state)
{
    (void)state;
    static const char *const options[] = {"", ", dsack: true, undo_dsack: true", ", undo_eifel: true"};
    for (int i = 0; i < 3; i++) {
        struct scene scene = scene_run("duration: 140 ms\n" SCENE_PATH(OVERTAKING)
                                           SCENE_TCP(", initial_window: 10 segments, recovery: prr%s"),
                                       options[i]);
        assert_true(scene_count(&scene, 0, "F") >= 1);
        assert_int_equal(scene.result.flow[0][METRIC_undone] > 0, i > 0);
        if (i > 0)
            assert_true(scene_last(&scene, 0, 'H') >= 15); /* not half of the 20 or so that it had */
        scene_free(&scene);
    }
}

/* A path that is suddenly 300 ms longer: the timeout is spurious, as the ACK of an original shows. */
static void test_spurious_timeout(void **state)
{
    (void)state;
    static const char *const options[] = {"", ", frto: true", ", undo_eifel: true"};
    double sent_again[3];
    for (int i = 0; i < 3; i++) {
        struct scene scene = scene_run("duration: 1200 ms\n" SCENE_PATH(", schedule: [{at: 60 ms, delay: 300 ms}]")
                                           SCENE_TCP(", initial_window: 10 segments, recovery: rack_tlp, tlp: false, "
                                                     "min_rto: 200 ms%s"),
                                       options[i]);
        assert_true(scene_count(&scene, 0, "T") >= 1);
        assert_int_equal(scene.result.flow[0][METRIC_undone] > 0, i > 0);
        sent_again[i] = scene.result.flow[0][METRIC_retransmitted];
        scene_free(&scene);
    }
    assert_true(sent_again[1] < sent_again[0] / 2);
    assert_true(sent_again[2] < sent_again[0] / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),          cmocka_unit_test(test_peer_vectors),
        cmocka_unit_test(test_lost_copy),        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_wasted_probe),     cmocka_unit_test(test_reordering_is_undone),
        cmocka_unit_test(test_spurious_timeout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
