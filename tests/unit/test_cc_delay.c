/* test_cc_delay.c - the congestion controls that look at delay or bandwidth, and the decisions of Vegas's recovery,
 * against reference numbers: every row of their groups in test-vectors.csv, of test-vectors-delay.csv and of their
 * algorithms in peer-vectors.csv is asserted or named with the reason why not. How they behave:
 * test_cc_delay_behaviour.c.
 *
 * Some modules are included as source, for what they do not export. Argument: the folder of the vectors.
 */
#include "../../kernels/cc/cerl.c"
#include "../../kernels/cc/dctcp.c"
#include "../../kernels/cc/jersey.c"
#include "../../kernels/cc/vegas_a.c"
#include "../../kernels/recovery/vegas_fine.h"

#include "cc_bench.h"
#include "vectors.h"

static const char *folder = "tests/reference/vectors";
static const double PRINTED = 2e-9; /* of rows whose numbers have nine digits */

static struct cc_bench bench;

static int64_t ps(double s)
{
    return (int64_t)(s * (double)PS_PER_S + 0.5);
}

static const char *kind_of(const struct vector_row *row, const char *name)
{
    return vector_text(row->expected, name);
}

/* --- Vegas -------------------------------------------------------------------------------------------------------- */

/* The first ACK sets the base and ends a round; the next ends when all that was then in flight is acknowledged. */
static void one_round(double cwnd, double ssthresh, double base_s, double rtt_s)
{
    struct flow *f = &bench.flow;
    uint32_t end = f->next;
    bench_ack(&bench, 1, base_s);
    f->cwnd = cwnd;
    f->ssthresh = ssthresh;
    bench_fill(f);
    bench_wait(&bench, rtt_s);
    bench_ack(&bench, end + 1 - f->una, rtt_s);
}

static void row_vegas_paper(const struct vector_row *row)
{
    double cwnd = vector_in(row, "cwnd"), base = vector_in(row, "base"), rtt = vector_in(row, "rtt");
    bench_open(&bench, "vegas", NULL);
    one_round(cwnd, 2, base, rtt);
    vector_check_within(row, "cwnd", bench.flow.cwnd, 0);
    double diff = delay_backlog(cwnd, ps(base), ps(rtt));
    assert_true(fabs(diff - vector_value(row->expected, "diff")) < PRINTED * (1 + diff));
}

static void row_vegas_paper_leave(const struct vector_row *row)
{
    double cwnd = vector_in(row, "cwnd"), base = vector_in(row, "base"), rtt = vector_in(row, "rtt");
    vector_check_within(row, "diff", delay_backlog(cwnd, ps(base), ps(rtt)), PRINTED);
    assert_int_equal(strncmp(kind_of(row, "action"), "leave_ss", 8), 0);
    bench_open(&bench, "vegas", NULL);
    bench.flow.cwnd = 16;
    one_round(cwnd, 100, base, rtt); /* the first of the two stands still */
    assert_true(bench.flow.cwnd <= bench.flow.ssthresh && bench.flow.ssthresh == cwnd);
}

static void row_vegas_ns2(const struct vector_row *row)
{
    double cwnd = vector_in(row, "cwnd");
    bench_open(&bench, "vegas_ns2", NULL);
    struct flow *f = &bench.flow;
    bench_avoid(&bench, cwnd);
    struct vegas_report report = {.base_ps = ps(vector_in(row, "base")),
                                  .sum_ps = ps(vector_in(row, "rtt")),
                                  .count = 1,
                                  .sent = (uint32_t)vector_in(row, "rttlen"),
                                  .outstanding = (uint32_t)vector_in(row, "inflight")};
    vector_check(row, "delta", (double)vegas_delta(&report));
    struct vegas_ns2 v = {.step = 7};
    vegas_ns2_avoid(&bench.sim, f, &v, &report);
    bool is_hold = strncmp(kind_of(row, "action"), "hold", 4) == 0;
    assert_true(v.step == 0 && f->cwnd == cwnd - !is_hold);
}

static void row_fine_timeout(const struct vector_row *row)
{
    struct vegas_fine v = {0};
    vegas_fine_begin(&v, ps(0.2));
    vegas_fine_sample(&v, ps(vector_in(row, "sample")));
    vector_check_within(row, "sa", v.mean_8 / (double)PS_PER_S, 1e-12);
    vector_check_within(row, "sd", v.deviation_4 / (double)PS_PER_S, 1e-12);
    vector_check_within(row, "timeout", v.timeout_ps / (double)PS_PER_S, 1e-12);
}

static void row_vegas_loss(const struct vector_row *row)
{
    double window = vegas_ns2_cut((uint32_t)vector_in(row, "win"), vector_in(row, "transmits") > 1);
    vector_check(row, "newcwnd", window);
    vector_check(row, "cwnd", window + vector_in(row, "dupacks"));
}

static double us(double plus_one)
{
    return (plus_one - 1) * 1e-6;
}

static void row_vegas_linux(const struct vector_row *row)
{
    bench_open(&bench, "vegas_linux", "tcp.initial_window=10 segments");
    struct flow *f = &bench.flow;
    bench_ack(&bench, 1, us(vector_in(row, "base_us")));
    f->cwnd = vector_in(row, "cwnd");
    f->ssthresh = vector_in(row, "ssthresh");
    for (int i = (int)vector_in(row, "cnt"); i > 0; i--)
        bench_ack(&bench, 1, us(vector_in(row, "min_us")));
    vector_check(row, "cwnd", f->cwnd);
    vector_check(row, "ssthresh", f->ssthresh);
}

/* 'th' and diff as a round: base is an eighth (or, for half packets, a sixteenth) of the RTT. */
static void row_vegas_a(const struct vector_row *row)
{
    double diff = vector_in(row, "diff"), cwnd = vector_in(row, "cwnd");
    char sets[200];
    snprintf(sets, sizeof sets, "tcp.vegas_alpha=%g;tcp.vegas_beta=%g;tcp.vegas_a_diff=real;tcp.vegas_a_jitter=0 s",
             vector_in(row, "alpha"), vector_in(row, "beta"));
    bench_open(&bench, "vegas_a", sets);
    bench_avoid(&bench, cwnd);
    struct vegas_a *c = CC_STATE(&bench.flow, struct vegas_a);
    double part = diff == (int)diff ? 0.125 : 0.0625, sent = vector_in(row, "th") * 0.8;
    c->sent = (uint32_t)(vector_in(row, "th_prev") * 0.8);
    c->rtt_ns = 100000000;
    struct vegas_report report = {.base_ps = ps(0.1 * part),
                                  .sum_ps = ps(0.1),
                                  .count = 1,
                                  .sent = (uint32_t)sent,
                                  .outstanding = (uint32_t)(diff + sent * part)};
    assert_true((double)vegas_excess(&report) == diff * (double)report.sum_ps);
    vegas_a_avoid(&bench.sim, &bench.flow, &c->vegas, &report);
    vector_check(row, "cwnd", bench.flow.cwnd + c->vegas.step * cwnd);
    vector_check(row, "alpha", c->alpha);
    vector_check(row, "beta", c->beta);
}

/* Two flows, each told the round trip that both windows make, settle at the law's window. */
static void row_vegas_equilibrium(const struct vector_row *row)
{
    double base = vector_in(row, "base_s"), rate = vector_in(row, "capacity_pps"), flows = vector_in(row, "flows");
    char sets[100];
    snprintf(sets, sizeof sets, "tcp.vegas_alpha=%g;tcp.vegas_beta=%g", vector_in(row, "alpha_packets"),
             vector_in(row, "alpha_packets"));
    const double starts[] = {20, 90};
    for (size_t i = 0; i < 2; i++) {
        bench_open(&bench, "vegas", sets);
        bench_ack(&bench, 1, base);
        bench_avoid(&bench, starts[i]);
        double rtt = base;
        for (int round = 0; round < 200; round++) {
            double queue = flows * bench.flow.cwnd - rate * base;
            rtt = base + (queue > 0 ? queue / rate : 0);
            bench_wait(&bench, rtt);
            bench_ack(&bench, bench.flow.next - bench.flow.una, rtt);
        }
        vector_check(row, "window_each", bench.flow.cwnd);
        vector_check(row, "rtt_s", rtt);
        vector_check(row, "queue_packets", flows * bench.flow.cwnd - rate * base);
        vector_check(row, "rate_each", bench.flow.cwnd / rtt);
    }
}

/* --- Veno, CERL, Jersey ------------------------------------------------------------------------------------------- */

static void row_veno_loss(const struct vector_row *row)
{
    double base = vector_in(row, "base"), rtt = vector_in(row, "rtt"), cwnd = vector_in(row, "cwnd");
    vector_check_within(row, "N", delay_backlog(cwnd, ps(base), ps(rtt)), PRINTED);
    bench_open(&bench, "veno", NULL);
    bench_ack(&bench, 1, base);
    for (int i = 0; i < 300; i++) /* smoothed */
        bench_ack(&bench, 1, rtt);
    bench_avoid(&bench, cwnd);
    double ssthresh = bench.cfg.cc->ssthresh(&bench.sim, &bench.flow);
    vector_check_within(row, "ssthresh", ssthresh, PRINTED);
    vector_check_within(row, "cwnd_fr", ssthresh + 3, PRINTED);
}

static void row_veno_linux(const struct vector_row *row)
{
    bench_open(&bench, "veno_linux", NULL);
    bench_ack(&bench, 1, us(vector_in(row, "base_us")));
    bench_ack(&bench, 1, us(vector_in(row, "min_us")));
    bench_avoid(&bench, vector_in(row, "cwnd"));
    vector_check(row, "ssthresh", bench.cfg.cc->ssthresh(&bench.sim, &bench.flow));
}

static void row_cerl(const struct vector_row *row)
{
    char sets[60];
    snprintf(sets, sizeof sets, "tcp.cerl_a=%g", vector_in(row, "A"));
    bench_open(&bench, "cerl", sets);
    bench_ack(&bench, 1, vector_in(row, "T"));
    bench_ack(&bench, 1, vector_in(row, "rtt_max"));
    bench_ack(&bench, 1, vector_in(row, "rtt"));
    bench_avoid(&bench, 40);
    double rate = vector_in(row, "B_bytes_s");
    struct cerl *c = CC_STATE(&bench.flow, struct cerl);
    double over = (double)(c->rtt.last_ps - c->rtt.min_ps) / (double)PS_PER_S;
    vector_check(row, "l", over * rate);
    vector_check(row, "N", vector_in(row, "A") * (double)c->over_max_ps / (double)PS_PER_S * rate);
    bool is_random = strncmp(kind_of(row, "kind"), "random", 6) == 0;
    assert_true(bench.cfg.cc->ssthresh(&bench.sim, &bench.flow) == (is_random ? 40 : 20));
}

/* Rates in the rows are bit/s, here segments of L_bits per ps. */
static void jersey_steps(const struct vector_row *row, const char *rate_before, int n)
{
    struct jersey c = {.rtt.smoothed_ps = ps(vector_in(row, "rtt"))};
    double bits = vector_in(row, "L_bits"), per_ps = bits * (double)PS_PER_S;
    c.abe.rate = vector_in(row, rate_before) / per_ps;
    for (; n > 0; n--) {
        bench.sim.now_ps = c.abe.arrival_ps + ps(vector_in(row, "dt"));
        abe_estimate(&bench.sim, &bench.flow, &c.abe, c.rtt.smoothed_ps, 1);
    }
    vector_check_within(row, "R", c.abe.rate * per_ps, PRINTED);
}

static void row_jersey_rate(const struct vector_row *row)
{
    jersey_steps(row, "R_prev", 1);
}

static void row_jersey_ten(const struct vector_row *row)
{
    jersey_steps(row, "R0", 10);
}

static void row_jersey_ownd(const struct vector_row *row)
{
    struct jersey c = {.rtt.smoothed_ps = ps(vector_in(row, "rtt"))};
    c.abe.rate = vector_in(row, "R") / (8 * vector_in(row, "seg_bytes")) / (double)PS_PER_S;
    vector_check(row, "ownd_exact", c.abe.rate * (double)c.rtt.smoothed_ps);
    vector_check(row, "ownd", jersey_ownd(&c));
}

/* --- LEDBAT, DCTCP ------------------------------------------------------------------------------------------------ */

static void row_ledbat(const struct vector_row *row)
{
    double smss = vector_in(row, "smss");
    char sets[100];
    snprintf(sets, sizeof sets, "tcp.ledbat_target=%g s;tcp.ledbat_gain=%g", vector_in(row, "target_s"),
             vector_in(row, "gain"));
    bench_open(&bench, "ledbat", sets);
    bench_ack(&bench, 1, 0.05);
    for (int i = 0; i < 4; i++) {
        bench.flow.cwnd = vector_in(row, "cwnd") / smss;
        bench_fill(&bench.flow);
        bench_ack(&bench, (uint32_t)(vector_in(row, "acked") / smss), 0.05 + vector_in(row, "queueing_s"));
    }
    vector_check(row, "cwnd", bench.flow.cwnd * smss);
}

static void row_dctcp(const struct vector_row *row)
{
    char sets[60];
    snprintf(sets, sizeof sets, "tcp.dctcp_g=%g", vector_in(row, "g"));
    bench_open(&bench, "dctcp", sets);
    struct dctcp *c = CC_STATE(&bench.flow, struct dctcp);
    assert_true(c->alpha == vector_in(row, "alpha0"));
    const char *text = vector_text(row->inputs, "F");
    for (char *end; *text && *text != ';'; text = end) {
        double part = strtod(text, &end);
        c->acked = 19; /* and one more with the ACK that ends the window */
        c->marked = (uint32_t)(20 * part);
        bench.flow.una = c->window_end;
        bench_ack(&bench, 1, 0.1);
    }
    vector_check(row, "alpha", c->alpha);
    bench_avoid(&bench, 100);
    bench_wait(&bench, 0.1);
    bench.cfg.cc->on_mark(&bench.sim, &bench.flow, 1);
    bench_ack(&bench, 1, 0.1);
    vector_check(row, "cwnd_100_after_ece", bench.flow.cwnd);
}

/* --- what ns-3's tests expect ------------------------------------------------------------------------------------- */

static double peer_time(const struct vector_row *row, const char *name)
{
    return vector_in(row, name) / 1000;
}

/* cwnd alone: ns-3 divides by the round's RTT, lowers ssthresh below cwnd and takes 3/4 of it in bytes. */
static void peer_vegas(const struct vector_row *row)
{
    double mss = vector_in(row, "mss");
    bench_open(&bench, "vegas_linux", NULL);
    struct flow *f = &bench.flow;
    uint32_t end = f->next;
    bench_ack(&bench, 1, peer_time(row, "base_ms"));
    f->cwnd = vector_in(row, "cwnd_B") / mss;
    f->ssthresh = vector_in(row, "ssthresh_B") / mss;
    double cwnd = f->cwnd, ssthresh = f->ssthresh;
    while (f->una < end)
        bench_ack(&bench, 1, peer_time(row, "rtt_ms"));
    f->cwnd = cwnd; /* the round's slow start is not in the row */
    f->ssthresh = ssthresh;
    bench_ack(&bench, 1, peer_time(row, "rtt_ms"));
    vector_check(row, "cwnd_B", f->cwnd * mss);
}

static void peer_veno(const struct vector_row *row)
{
    double mss = vector_in(row, "mss");
    bench_open(&bench, "veno", NULL);
    bench_ack(&bench, 1, peer_time(row, "base_ms"));
    for (int i = 0; i < 300; i++)
        bench_ack(&bench, 1, peer_time(row, "rtt_ms"));
    bench.flow.cwnd = vector_in(row, "cwnd_B") / mss;
    bench.flow.ssthresh = vector_in(row, "ssthresh_B") / mss;
    CC_STATE(&bench.flow, struct delay_rtt)->smoothed_ps = ps(peer_time(row, "rtt_ms"));
    bench_fill(&bench.flow);
    bench_ack(&bench, 1, peer_time(row, "rtt_ms"));
    double ssthresh = bench.cfg.cc->ssthresh(&bench.sim, &bench.flow) * mss;
    assert_true(fabs(ssthresh - vector_value(row->expected, "ssthresh_after_first_ack_B")) < 1);
    if (vector_in(row, "acks") == 1)
        vector_check(row, "cwnd_B", bench.flow.cwnd * mss);
}

static void peer_ledbat(const struct vector_row *row)
{
    double mss = vector_in(row, "mss");
    bench_open(&bench, "ledbat", NULL);
    bench_ack(&bench, 1, peer_time(row, "base_owd_ms"));
    struct flow *f = &bench.flow;
    for (int i = 0; i < 4; i++) {
        f->cwnd = vector_in(row, "cwnd_B") / mss;
        uint32_t acked = (uint32_t)vector_in(row, "acked");
        f->next = f->una + acked + (uint32_t)(vector_in(row, "in_flight_B") / mss);
        bench_ack(&bench, acked, peer_time(row, "current_owd_ms"));
    }
    assert_true(fabs(f->cwnd * mss - vector_value(row->expected, "cwnd_B")) <= 1);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static const struct vector_columns main_columns = {.id = 0, .group = 1, .inputs = 2, .expected = 3, .tolerance = 4};
static const struct vector_columns delay_columns = {.id = 0, .group = 1, .inputs = 2, .expected = 3, .tolerance = 4};
static const struct vector_columns peer_columns = {.id = 0, .group = 2, .inputs = 3, .expected = 4, .tolerance = -1};

static const struct vector_rule main_rules[] = {
    {"vegas_equilibrium", row_vegas_equilibrium, NULL},
    {"ledbat_", row_ledbat, NULL},
    {"dctcp_alpha", row_dctcp, NULL},
    {NULL, NULL, NULL},
};

static const struct vector_rule peer_rules[] = {
    {"ns3_vegas_5", NULL,
     "ns-3 rounds cwnd base / rtt, Linux cwnd (rtt - base) / base: 2 against 1, hold against grow"},
    {"ns3_vegas_", peer_vegas, NULL},
    {"ns3_veno_", peer_veno, NULL},
    {"ns3_ledbat_", peer_ledbat, NULL},
    {NULL, NULL, NULL},
};

/* Items of test-vectors-delay.csv. */
static const struct {
    const char *item;
    void (*check)(const struct vector_row *row);
    const char *reason;
} items[] = {
    {"vegas_paper_ca", row_vegas_paper, NULL},
    {"vegas_paper_ss_gamma", row_vegas_paper_leave, NULL},
    {"vegas_ns2_ca", row_vegas_ns2, NULL},
    {"vegas_ns2_timeout_step", row_fine_timeout, NULL},
    {"vegas_ns2_loss", row_vegas_loss, NULL},
    {"vegas_linux", row_vegas_linux, NULL},
    {"vegas_a", row_vegas_a, NULL},
    {"veno_loss", row_veno_loss, NULL},
    {"veno_linux_ssthresh", row_veno_linux, NULL},
    {"cerl", row_cerl, NULL},
    {"jersey_rate", row_jersey_rate, NULL},
    {"jersey_rate_10_steps", row_jersey_ten, NULL},
    {"jersey_ownd", row_jersey_ownd, NULL},
    {"dac_threshold", NULL, "test_wireless.c has it"},
    {"tdlrp_ifr_cwnd", NULL, "test_wireless.c has it"},
    {"cw_average", NULL, "test_wireless.c has it"},
    {"cw_mark", NULL, "test_wireless.c has it"},
    {"compact_sack", NULL, "in test_sack_compact.c"},
    {"compact_sack_blocks", NULL, "in test_sack_compact.c"},
    {"rfc2018_blocks", NULL, "in test_sack_compact.c"},
    {"sack_needless_retx", NULL, "in test_sack_compact.c"},
    {"aal5_cells", NULL, "test_atm.c has it"},
    {"atm_goodput_ceiling", NULL, "test_atm.c has it"},
    {"dcf_single_hop", NULL, "test_wlan.c has it"},
    {"gilbert_elliott", NULL, "belongs to the error models"},
    {"expo_updown", NULL, "belongs to the error models"},
    {"geo_one_way_ms", NULL, "test_satellite.c has it"},
    {"leo_slant_ms", NULL, "test_satellite.c has it"},
    {"leo_isl_ms", NULL, "test_satellite.c has it"},
    {"video_gauss", NULL, "belongs to the applications"},
    {"cbr", NULL, "belongs to the applications"},
    {"jain", NULL, "belongs to the metrics"},
    {"accuracy", NULL, "test_wireless.c has it"},
    {"jitter", NULL, "belongs to the metrics"},
};

enum { NITEMS = sizeof items / sizeof items[0] };

static void path_of(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", folder, name);
}

static void test_main_vectors(void **state)
{
    (void)state;
    char path[512];
    path_of(path, sizeof path, "test-vectors.csv");
    static const char *const groups[] = {"vegas", "ledbat", "dctcp", NULL};
    vector_run(path, &main_columns, groups, main_rules);
}

static void test_delay_vectors(void **state)
{
    (void)state;
    char path[512];
    path_of(path, sizeof path, "test-vectors-delay.csv");
    for (size_t i = 0; i < NITEMS; i++) {
        const char *const groups[] = {items[i].item, NULL};
        const struct vector_rule rules[] = {{"d", items[i].check, items[i].reason}, {NULL, NULL, NULL}};
        vector_run(path, &delay_columns, groups, rules);
    }
}

/* No item of the file is missing above. */
static void test_items_complete(void **state)
{
    (void)state;
    char path[512], line[VECTOR_LINE_BYTES], *cell[VECTOR_CELLS_MAX];
    path_of(path, sizeof path, "test-vectors-delay.csv");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file)); /* header */
    while (fgets(line, sizeof line, file)) {
        size_t i = 0;
        assert_true(vector_split(line, cell) > 3);
        while (i < NITEMS && strcmp(items[i].item, cell[1]) != 0)
            i++;
        if (i == NITEMS)
            fail_msg("%s: item %s has no rule", cell[0], cell[1]);
    }
    fclose(file);
}

static void test_peer_vectors(void **state)
{
    (void)state;
    char path[512];
    path_of(path, sizeof path, "peer-vectors.csv");
    static const char *const groups[] = {"vegas", "veno", "ledbat", NULL};
    vector_run(path, &peer_columns, groups, peer_rules);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        folder = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_main_vectors),
        cmocka_unit_test(test_delay_vectors),
        cmocka_unit_test(test_items_complete),
        cmocka_unit_test(test_peer_vectors),
    };
    return cmocka_run_group_tests(tests, create_file, remove_file);
}
