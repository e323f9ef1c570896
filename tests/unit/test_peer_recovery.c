/* test_peer_recovery.c - what ns-3's and packetdrill's own tests expect of loss recovery and timers
 * (tests/reference/vectors/peer-vectors.csv), as drop lists: see test_recovery.c for the times.
 */
#include "scene.h"
#include "vectors.h"

#include "../../kernels/rto.h"

#define FIRST_LOST ", drops: [{packet: 1}]"

/* A window of twice ssthresh is out when the first segment is lost; the inflated window is seen from what it lets out:
 * segments of una + window on. */
static void row_classic(const struct vector_row *row)
{
    double mss = vector_in(row, "mss"), ssthresh = vector_in(row, "ssthresh") / mss;
    double inflated = vector_value(row->expected, "inflated") / mss;
    int window = (int)(2 * ssthresh), least = (int)vector_in(row, "dupacks");
    struct scene scene =
        scene_run("duration: 40.5 ms\n" SCENE_PATH(FIRST_LOST) SCENE_TCP(", initial_window: %d segments"), window);
    scene_near(row->id, scene_last(&scene, 0, 'H') * mss, vector_in(row, "ssthresh"), 0);
    scene_near(row->id, scene_last(&scene, 0, 'C') * mss, vector_value(row->expected, "cwnd"), 0);
    scene_near(row->id, inflated + 1, vector_value(row->expected, "inflated_after_one_more") / mss, 0);
    for (int duplicates = least; duplicates < window; duplicates++) {
        double allowed = inflated + duplicates - least, sent = 0;
        for (size_t i = 0; i < scene.n && scene.row[i].t_ps < (21 + duplicates) * PS_PER_MS; i++)
            sent += scene.row[i].event == TRACE_SEND && scene.row[i].b == 0;
        scene_near(row->id, sent, allowed > window ? allowed : window, 0);
    }
    scene_free(&scene);
    scene = scene_run("duration: 43.5 ms\n" SCENE_PATH(FIRST_LOST) SCENE_TCP(", initial_window: %d segments"), window);
    scene_near(row->id, scene_last(&scene, 0, 'C') * mss, vector_value(row->expected, "after_exit"), 0);
    scene_free(&scene);
}

/* Takes a number from a list, false at its end. */
static bool next_number(const char **list, double *number)
{
    char *end;
    *number = strtod(*list, &end);
    bool is_there = end != *list;
    *list = end;
    return is_there;
}

static void row_estimate(const struct vector_row *row)
{
    struct tcp_cfg cfg = {.rto_estimator = RTO_RFC6298, .initial_rto_ps = PS_PER_S, .max_rto_ps = 60 * PS_PER_S};
    struct rto_state rto;
    const char *srtt = vector_text(row->expected, "srtt"), *rttvar = vector_text(row->expected, "rttvar");
    const char *sample = vector_text(row->inputs, "samples_s");
    double rtt_s;
    int n = 0;
    assert_true(vector_in(row, "alpha") == 0.125 && vector_in(row, "beta") == 0.25);
    rto_init(&rto, &cfg);
    for (; next_number(&sample, &rtt_s); n++) {
        double srtt_s = 0, rttvar_s = 0;
        assert_true(next_number(&srtt, &srtt_s) && next_number(&rttvar, &rttvar_s));
        rto_sample(&rto, &cfg, (int64_t)llround(rtt_s * (double)PS_PER_S), 0);
        scene_near(row->id, rto_srtt_s(&rto, &cfg), srtt_s, 1e-9);
        scene_near(row->id, rto_rttvar_s(&rto, &cfg), rttvar_s, 1e-9);
    }
    assert_int_equal(n, 3);
}

/* Nothing is lost until the third SACK, which comes at 23 ms. */
static void row_is_lost(const struct vector_row *row)
{
    assert_string_equal(row->expected, "lost_after_each=none none 1");
    scene_check("SRF", "0: S0 S1 S2 S3 S4 S5 S6 S7 S8 S9; 23: F0 R0",
                "duration: 25.5 ms\n" SCENE_PATH(FIRST_LOST)
                    SCENE_TCP(", initial_window: 10 segments, algorithm: sack"));
}

/* New data for the first two SACKs, by limited transmit. */
static void row_next(const struct vector_row *row)
{
    assert_string_equal(row->expected, "next=new new 1 (retransmit)");
    scene_check("SRF", "0: S0 S1 S2 S3 S4 S5 S6 S7 S8 S9; 21: S10; 22: S11; 23: F0 R0",
                "duration: 23.5 ms\n" SCENE_PATH(FIRST_LOST) "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, "
                                                             "sack_option_bytes: 0 B, handshake: false, delayed_ack: "
                                                             "false, receive_window: 1 MB, initial_window: "
                                                             "10 segments, algorithm: sack}\n");
}

static void row_four_segments(const struct vector_row *row)
{
    assert_string_equal(row->expected, "retransmit 1:1461 on the third");
    scene_check("SRF", "0: S0 S1 S2 S3; 23: F0 R0",
                "duration: 23.5 ms\n" SCENE_PATH(FIRST_LOST)
                    SCENE_TCP(", initial_window: 4 segments, algorithm: reno") "app: {kind: file, size: 4 KB}\n");
}

/* The row's last part needs packets out of order, which links here do not make. */
static void row_limited(const struct vector_row *row)
{
    assert_non_null(strstr(row->expected, "one new segment on each dup ACK (10001, 11001)"));
    scene_check("SRF", "0: S0 S1 S2 S3 S4 S5 S6 S7 S8 S9; 21: S10; 22: S11",
                "duration: 22.5 ms\n" SCENE_PATH(FIRST_LOST) "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, "
                                                             "handshake: false, delayed_ack: false, receive_window: 1 "
                                                             "MB, initial_window: 10 segments, algorithm: "
                                                             "newreno}\n");
}

/* Linux remembers how much was out in the window before (tagged.c). */
static void row_application_limited(const struct vector_row *row)
{
    assert_string_equal(row->expected, "cwnd 12 14 16 18 20");
    scene_check("C", "0: C10; 21: C12; 23: C14; 25: C16; 27: C18; 29: C20",
                "duration: 100 ms\n" SCENE_PATH(
                    "") "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, handshake: "
                        "false, receive_window: 1 MB, initial_window: 10 segments, algorithm: rack_tlp}\n"
                        "app: {kind: file, size: 10 KB}\n");
}

static const char *const algorithms[] = {"recovery", "rto", "sack", "limited transmit", "reno", "slow start", NULL};

static const struct vector_rule rules[] = {
    {"ns3_classic_", row_classic, NULL},
    {"ns3_rtt_1", row_estimate, NULL},
    {"ns3_rtt_2", NULL, "the gains are RFC 6298's, 1/8 and 1/4, not keys"},
    {"ns3_sack_islost", row_is_lost, NULL},
    {"ns3_sack_nextseg", row_next, NULL},
    {"ns3_linuxreno_", NULL, "belongs to congestion control"},
    {"pd_fr_4", row_four_segments, NULL},
    {"pd_lt_nosack", row_limited, NULL},
    {"pd_ss_applimited", row_application_limited, NULL},
    {NULL, NULL, NULL},
};

static void test_peers(void **state)
{
    (void)state;
    static const struct vector_columns columns = {.id = 0, .group = 2, .inputs = 3, .expected = 4, .tolerance = -1};
    vector_run("tests/reference/vectors/peer-vectors.csv", &columns, algorithms, rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_peers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
