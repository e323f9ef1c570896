/* test_cc_window.c - the congestion controls that react to loss, against reference numbers: every row of their groups
 * in test-vectors.csv, and of their algorithms in peer-vectors.csv, is asserted or named with the reason why not.
 *
 * The modules are included as source: most rows are about what they do not export. Argument: the folder of the vectors.
 */
#include "../../kernels/cc/bic.c"
#include "../../kernels/cc/compound.c"
#include "../../kernels/cc/cubic.c"
#include "../../kernels/cc/fast.c"
#include "../../kernels/cc/highspeed.c"
#include "../../kernels/cc/htcp.c"
#include "../../kernels/cc/hybla.c"
#include "../../kernels/cc/illinois.c"
#include "../../kernels/cc/reno.c"
#include "../../kernels/cc/scalable.c"
#include "../../kernels/cc/westwood.c"
#include "../../kernels/cc/yeah.c"

#include "cc_bench.h"
#include "vectors.h"

static const char *folder = "tests/reference/vectors";

static struct cc_bench bench;

/* --- aimd, and mean windows --------------------------------------------------------------------------------------- */

/* RFC 9438 4.3: the same expression is CUBIC's alpha. */
static void row_aimd_friendly(const struct vector_row *row)
{
    struct cc_window_params p = {.cubic_beta = vector_in(row, "b_remaining"), .cubic_c = 0.4};
    struct cubic c = {0};
    cubic_begin(&bench.sim, &p, &c, 10);
    vector_check(row, "a", c.alpha);
}

/* Mean window over 20 periods, a loss every 1/p segments after `warm` periods; rounds of rtt_s. Steps of `step`
 * segments an ACK. */
static double mean_window(double p, double rtt_s, uint32_t step)
{
    enum { WARM = 30, PERIODS = 20 };
    double segments = 0, rounds = 0;
    for (int period = 0; period < WARM + PERIODS; period++) {
        for (double sent = 0; sent < 1 / p; sent += step) {
            double share = step / bench.flow.cwnd;
            bench_wait(&bench, share * rtt_s);
            bench_ack(&bench, step, rtt_s);
            segments += period >= WARM ? step : 0;
            rounds += period >= WARM ? share : 0;
        }
        bench_lose(&bench);
    }
    return segments / rounds;
}

static void row_aimd_mean(const struct vector_row *row)
{
    char sets[100];
    snprintf(sets, sizeof sets, "tcp.aimd_a=%.10g;tcp.aimd_b=%.10g;tcp.ssthresh_base=cwnd", vector_in(row, "a"),
             vector_in(row, "b_remaining"));
    bench_open(&bench, "aimd", sets);
    bench_avoid(&bench, 30);
    vector_check_within(row, "w", mean_window(vector_in(row, "p"), 0.1, 1), 0.02);
}

/* Starts in the cycle that the formula assumes: others come to it slowly, as the plateau is flat. */
static double cubic_mean(const struct vector_row *row, const char *sets)
{
    double w_max = 4 * vector_value(row->expected, "w") / (3 + 0.7);
    bench_open(&bench, "cubic", sets);
    CC_STATE(&bench.flow, struct cubic)->w_max = w_max;
    bench_avoid(&bench, 0.7 * w_max);
    return mean_window(vector_in(row, "p"), vector_in(row, "rtt_s"), 1);
}

static void row_cubic_mean(const struct vector_row *row)
{
    static const char plain[] = "tcp.cubic_reno_friendly=false;tcp.cubic_fast_convergence=false;tcp.ssthresh_base=cwnd";
    double reno = vector_value(row->expected, "reno"), w = vector_value(row->expected, "w");
    vector_near(row->id, "w", cubic_mean(row, plain), w, 0.02);
    double friendly = cubic_mean(row, strchr(plain, ';') + 1);
    if (!(friendly > 0.98 * (w > reno ? w : reno)))
        fail_msg("%s: friendly: w is %.10g", row->id, friendly);
}

static void row_hstcp_mean(const struct vector_row *row)
{
    bench_open(&bench, "highspeed", NULL);
    bench_avoid(&bench, 30);
    vector_check_within(row, "w", mean_window(vector_in(row, "p"), 0.1, 1), 0.08);
}

/* The formula is where growth and loss balance: the top of the sawtooth, not its mean. */
static void row_scalable_top(const struct vector_row *row)
{
    bench_open(&bench, "scalable", NULL);
    bench_avoid(&bench, 30);
    mean_window(vector_in(row, "p"), 0.1, 1);
    vector_check_within(row, "w", bench.flow.cwnd / (1 - bench.cfg.window.scalable_b), 0.01);
}

/* --- bic ---------------------------------------------------------------------------------------------------------- */

static void row_bic_count(const struct vector_row *row)
{
    uint32_t cwnd = (uint32_t)vector_in(row, "cwnd"), last_max = (uint32_t)vector_in(row, "last_max");
    vector_check(row, "cnt_delayed_ack_2", bic_linux_per(cwnd, last_max, 2 << BIC_RATIO_SHIFT));
    vector_check(row, "cnt_delayed_ack_1", bic_linux_per(cwnd, last_max, 1 << BIC_RATIO_SHIFT));
}

static void row_bic_loss(const struct vector_row *row)
{
    bench_open(&bench, "bic_linux", NULL);
    bench_avoid(&bench, vector_in(row, "cwnd"));
    struct bic_linux *c = CC_STATE(&bench.flow, struct bic_linux);
    c->last_max = (uint32_t)vector_in(row, "last_max");
    vector_check(row, "ssthresh", bench.cfg.cc->ssthresh(&bench.sim, &bench.flow));
    vector_check(row, "last_max", c->last_max);
}

/* The vector adds a round's step at once: an ACK of the whole window. */
static void row_bic_search(const struct vector_row *row)
{
    bench_open(&bench, "bic", NULL);
    bench_avoid(&bench, vector_in(row, "cwnd"));
    struct bic *c = CC_STATE(&bench.flow, struct bic);
    c->max = vector_in(row, "max_win");
    c->min = vector_in(row, "min_win");
    c->target = (c->max + c->min) / 2;
    const char *list = vector_text(row->expected, "cwnd");
    for (int round = 0; round < (int)vector_in(row, "rounds"); round++) {
        char *end;
        double want = strtod(list, &end);
        bench.cfg.cc->on_ack(&bench.sim, &bench.flow, bench.flow.cwnd);
        assert_ptr_not_equal(list, end);
        vector_near(row->id, "cwnd", bench.flow.cwnd, want, row->tolerance);
        list = end;
    }
}

/* One cycle from a loss at w_max: it has 1/p segments, and comes back to w_max. The formula is without fast
 * convergence. */
static void row_bic_cycle(const struct vector_row *row)
{
    double w_max = vector_in(row, "w_max"), segments = 1 / vector_value(row->expected, "p"), rounds = 0;
    bench_open(&bench, "bic", NULL);
    bench_avoid(&bench, (1 - bench.cfg.window.bic_beta) * w_max);
    struct bic *c = CC_STATE(&bench.flow, struct bic);
    c->max = w_max;
    c->min = bench.flow.cwnd;
    c->target = (c->max + c->min) / 2;
    for (double sent = 0; sent < segments; sent++) {
        rounds += 1 / bench.flow.cwnd;
        bench_ack(&bench, 1, 0.1);
    }
    vector_check_within(row, "w_mean", segments / rounds, 0.02);
    vector_near(row->id, "w_max", bench.flow.cwnd, w_max, 0.02);
}

/* --- cubic -------------------------------------------------------------------------------------------------------- */

static void row_cubic_function(const struct vector_row *row)
{
    struct cc_window_params p = {.cubic_beta = 0.7, .cubic_c = 0.4};
    struct cubic c = {.w_max = vector_in(row, "w_max")};
    cubic_begin(&bench.sim, &p, &c, vector_in(row, "cwnd_epoch"));
    if (vector_has(row, "K"))
        vector_check(row, "K", c.k);
    else
        vector_check(row, "w", cubic_window(&p, &c, vector_in(row, "t")));
}

static void row_cubic_loss(const struct vector_row *row)
{
    bench_open(&bench, "cubic", NULL);
    bench_avoid(&bench, vector_in(row, "cwnd"));
    struct cubic *c = CC_STATE(&bench.flow, struct cubic);
    c->w_max = vector_in(row, "w_max");
    assert_int_equal(bench.flow.next - bench.flow.una, (int)vector_in(row, "flight"));
    double ssthresh = bench.cfg.cc->ssthresh(&bench.sim, &bench.flow);
    vector_check(row, "w_max", c->w_max);
    vector_check(row, "ssthresh", ssthresh);
    if (vector_has(row, "cwnd"))
        vector_check(row, "cwnd", ssthresh); /* cwnd is what ssthresh() returns */
    cubic_begin(&bench.sim, &bench.cfg.window, c, ssthresh);
    vector_check(row, "K", c->k);
}

static void row_cubic_trace(const struct vector_row *row)
{
    double rtt_s = vector_in(row, "rtt_s");
    bench_open(&bench, "cubic", NULL);
    bench_avoid(&bench, vector_in(row, "cwnd"));
    struct cubic *c = CC_STATE(&bench.flow, struct cubic);
    c->w_max = vector_in(row, "w_max");
    c->cwnd_prior = vector_in(row, "cwnd_prior");
    bench.flow.rto.srtt_ps = (int64_t)(rtt_s * (double)PS_PER_S);
    for (int round = 0; round < (int)vector_in(row, "rounds"); round++) {
        int n = (int)bench.flow.cwnd;
        for (int i = 0; i < n; i++) {
            bench.sim.now_ps = (int64_t)((round + (double)i / n) * rtt_s * (double)PS_PER_S);
            bench.cfg.cc->on_ack(&bench.sim, &bench.flow, 1);
        }
    }
    vector_check(row, "cwnd", bench.flow.cwnd);
    vector_check(row, "w_est", c->w_est);
}

static void row_cubic_linux_k(const struct vector_row *row)
{
    vector_check(row, "K_s", cubic_linux_k((uint32_t)vector_in(row, "last_max_minus_cwnd")) / (double)CUBIC_TIME_HZ);
}

/* --- highspeed, scalable ------------------------------------------------------------------------------------------ */

static void row_hstcp(const struct vector_row *row)
{
    double w = vector_in(row, "w");
    vector_check_within(row, "a_table", hs_increase(true, w), 0);
    vector_check(row, "a_formula", hs_increase(false, w));
    vector_check(row, "b_formula", hs_decrease(false, w));
}

static void row_scalable_linux(const struct vector_row *row)
{
    bench_open(&bench, "scalable_linux", NULL);
    bench_avoid(&bench, vector_in(row, "cwnd"));
    vector_check(row, "ssthresh_150", bench.cfg.cc->ssthresh(&bench.sim, &bench.flow));
    bench_ack(&bench, (uint32_t)vector_in(row, "acked"), 0.1);
    vector_check(row, "cwnd", bench.flow.cwnd);
}

/* --- htcp, hybla, illinois, yeah, compound, westwood, fast -------------------------------------------------------- */

static void row_htcp_increase(const struct vector_row *row)
{
    bench_open(&bench, "htcp", NULL);
    struct htcp c = {.taken = 1 - vector_in(row, "beta")};
    bench_wait(&bench, vector_in(row, "delta_s"));
    double alpha = htcp_increase(&bench.sim, &bench.flow, &c);
    vector_check(row, "alpha", alpha);
    vector_check(row, "f", alpha / (2 * c.taken));
}

static void row_htcp_decrease(const struct vector_row *row)
{
    bench_open(&bench, "htcp", NULL);
    struct htcp c = {.min_ps = (int64_t)(vector_in(row, "rtt_min") * (double)PS_PER_S),
                     .max_ps = (int64_t)(vector_in(row, "rtt_max") * (double)PS_PER_S),
                     .rate_at_loss = 1000,
                     .rate = 1000 * (1 + vector_in(row, "throughput_change"))};
    vector_check(row, "beta", htcp_decrease(&bench.cfg.window, &c));
    c.rate = 1000 * (1 - 1.01 * bench.cfg.window.htcp_delta_b);
    assert_true(htcp_decrease(&bench.cfg.window, &c) == 0.5);
}

static void row_hybla(const struct vector_row *row)
{
    double rtt0_s = vector_in(row, "rtt0_s"), cwnd = vector_in(row, "cwnd");
    bench_open(&bench, "hybla", NULL);
    bench.cfg.window.hybla_rtt0_ps = (int64_t)(rtt0_s * (double)PS_PER_S);
    struct hybla *c = CC_STATE(&bench.flow, struct hybla);
    memset(c, 0, sizeof *c);
    bench.flow.cwnd = cwnd;
    bench_ack(&bench, 1, vector_in(row, "rtt_s"));
    vector_check(row, "rho", c->rho);
    vector_check(row, "ss_inc", bench.flow.cwnd - cwnd);
    bench_avoid(&bench, cwnd);
    bench_ack(&bench, 1, vector_in(row, "rtt_s"));
    vector_check(row, "ca_inc", bench.flow.cwnd - cwnd);
}

static void row_illinois(const struct vector_row *row)
{
    bench_open(&bench, "illinois", NULL);
    struct illinois c = {.was_delayed = vector_in(row, "rtt_above") != 0};
    double da = vector_in(row, "da_ms"), dm = vector_in(row, "dm_ms");
    vector_check(row, "alpha", illinois_alpha(&bench.cfg.window, &c, da, dm));
    vector_check(row, "beta", illinois_beta(&bench.cfg.window, da, dm));
}

static struct yeah *yeah_at(const struct vector_row *row)
{
    bench_open(&bench, "yeah", NULL);
    bench_avoid(&bench, vector_in(row, "cwnd"));
    return CC_STATE(&bench.flow, struct yeah);
}

static void row_yeah(const struct vector_row *row)
{
    struct yeah *c = yeah_at(row);
    uint32_t cwnd = (uint32_t)bench.flow.cwnd;
    c->reno_count = (uint32_t)vector_in(row, "reno_count");
    c->round.base_ps = (int64_t)(vector_in(row, "base_s") * (double)PS_PER_S);
    c->round.min_ps = (int64_t)(vector_in(row, "rttmin_s") * (double)PS_PER_S);
    c->round.n = YEAH_SAMPLES + 1;
    yeah_decide(&bench.sim, &bench.flow, c, &cwnd);
    vector_check(row, "Q", c->backlog);
    vector_check(row, "slow_mode", c->slow_rounds);
    vector_check(row, "cwnd", cwnd);
}

static void row_yeah_loss(const struct vector_row *row)
{
    struct yeah *c = yeah_at(row);
    c->backlog = (uint32_t)vector_in(row, "lastQ");
    c->slow_rounds = (uint32_t)vector_in(row, "doing_reno");
    vector_check(row, "ssthresh", bench.cfg.cc->ssthresh(&bench.sim, &bench.flow));
}

static void row_westwood_filter(const struct vector_row *row)
{
    bench_open(&bench, "westwood", NULL);
    bench.cfg.window.westwood_tau_ps = (int64_t)(vector_in(row, "tau_s") * (double)PS_PER_S);
    for (int i = 0; i < (int)vector_in(row, "acks"); i++) {
        bench_wait(&bench, vector_in(row, "interval_s"));
        bench_ack(&bench, 1, 0.1);
    }
    vector_check(row, "bwe_Bps", CC_STATE(&bench.flow, struct westwood)->bandwidth * vector_in(row, "bytes_per_ack"));
}

static void row_westwood_window(const struct vector_row *row)
{
    bench_open(&bench, "westwood", NULL);
    bench_avoid(&bench, vector_in(row, "cwnd_seg"));
    struct westwood *c = CC_STATE(&bench.flow, struct westwood);
    c->bandwidth = vector_in(row, "bwe_Bps") / vector_in(row, "smss");
    c->min_ps = (int64_t)(vector_in(row, "rttmin_s") * (double)PS_PER_S);
    vector_check(row, "ssthresh_seg", bench.cfg.cc->ssthresh(&bench.sim, &bench.flow));
}

/* 5 intervals at 10^6 byte/s, 8 at twice that: 1000-byte segments, intervals of 100 ms. */
static void row_westwood_plus(const struct vector_row *row)
{
    bench_open(&bench, "westwood_plus", NULL);
    for (int i = 0; i <= 13; i++) {
        bench_wait(&bench, i == 0 ? 0 : 0.1);
        bench_ack(&bench, i < 5 ? 100 : 200, 0.06);
    }
    vector_check(row, "bwe_Bps", CC_STATE(&bench.flow, struct westwood)->bandwidth * 1000);
}

static void row_fast(const struct vector_row *row)
{
    struct cc_window_params p = {.fast_alpha = vector_in(row, "alpha"), .fast_gamma = vector_in(row, "gamma")};
    vector_check(row, "w", fast_window(&p, vector_in(row, "w"), vector_in(row, "base_s"), vector_in(row, "rtt_s")));
}

static void row_compound(const struct vector_row *row)
{
    bench_open(&bench, "compound", NULL);
    bench.cfg.window.ctcp_zeta = vector_in(row, "zeta");
    vector_check(
        row, "dwnd",
        compound_next(&bench.cfg.window, vector_in(row, "win"), vector_in(row, "dwnd"), vector_in(row, "diff")));
}

/* --- hystart, slow start, Linux's reno ---------------------------------------------------------------------------- */

static void row_hystart_enter(const struct vector_row *row)
{
    struct hystart h = {.round_min_ps = (int64_t)(vector_in(row, "last_min_s") * (double)PS_PER_S)};
    bench_open(&bench, "sack", "tcp.hystart=rfc9406");
    for (int i = 0; i < (int)vector_in(row, "samples"); i++) {
        assert_false(h.is_cautious);
        hystart_sample(&bench.sim, &bench.flow, &h, (int64_t)(vector_in(row, "cur_min_s") * (double)PS_PER_S));
    }
    vector_check(row, "enter_css", h.is_cautious);
}

static void row_hystart_growth(const struct vector_row *row)
{
    double smss = vector_in(row, "smss"), acked = vector_in(row, "acked") / smss, start = vector_in(row, "cwnd") / smss,
           cwnd = start;
    struct hystart h = {0};
    bench_open(&bench, "sack", "tcp.hystart=rfc9406");
    bench.flow.cwnd = cwnd;
    assert_true(hystart_slow_start(&bench.flow, &h, acked, &cwnd) == 0);
    vector_check(row, "slow_start", cwnd * smss);
    h.is_cautious = true;
    cwnd = start;
    hystart_slow_start(&bench.flow, &h, acked, &cwnd);
    vector_check(row, "css", cwnd * smss);
}

static void row_slow_start(const struct vector_row *row)
{
    double sent = 0;
    int rounds = 0;
    bench_open(&bench, "newreno", NULL);
    bench.flow.cwnd = vector_in(row, "iw");
    for (double window = 0; sent < vector_in(row, "d"); sent += window, rounds++) {
        window = bench.flow.cwnd;
        for (int i = 0; i < (int)window; i++)
            bench_ack(&bench, 1, 0.1);
    }
    vector_check(row, "rounds", rounds);
}

static void row_reno_linux(const struct vector_row *row)
{
    unsigned acked = 0, times = 1;
    sscanf(vector_text(row->inputs, "acks"), "%u x%u", &acked, &times);
    bench_open(&bench, "reno_linux", NULL);
    bench.flow.cwnd = vector_in(row, "cwnd");
    bench.flow.ssthresh = vector_in(row, "ssthresh");
    CC_STATE(&bench.flow, struct reno_linux)->growth.count = (uint32_t)vector_in(row, "cnt");
    for (unsigned i = 0; i < times; i++)
        bench_ack(&bench, acked, 0.1);
    vector_check(row, "cwnd", bench.flow.cwnd);
    vector_check(row, "cnt", CC_STATE(&bench.flow, struct reno_linux)->growth.count);
}

/* --- all rows ----------------------------------------------------------------------------------------------------- */

static const char *const groups[] = {"aimd",     "bic",   "cubic",    "hstcp",     "scalable",
                                     "htcp",     "hybla", "illinois", "yeah",      "compound",
                                     "westwood", "fast",  "hystart",  "slowstart", NULL};
static const char *const reno_groups[] = {"reno", NULL};

static const struct vector_rule rules[] = {
    {"aimd_friendly", row_aimd_friendly, NULL},
    {"aimd_", row_aimd_mean, NULL},
    {"cubic_fastconv", row_cubic_loss, NULL},
    {"cubic_nofastconv", row_cubic_loss, NULL},
    {"cubic_trace", row_cubic_trace, NULL},
    {"cubic_avg", row_cubic_mean, NULL},
    {"cubic_linux_K", row_cubic_linux_k, NULL},
    {"cubic_", row_cubic_function, NULL},
    {"bic_linux_cnt", row_bic_count, NULL},
    {"bic_linux_md", row_bic_loss, NULL},
    {"bic_paper", row_bic_search, NULL},
    {"bic_cycle", row_bic_cycle, NULL},
    {"hstcp_resp_1e-08", NULL, "5e9 segments are too many to step through; w = 574356 is far above the RFC's range"},
    {"hstcp_resp", row_hstcp_mean, NULL},
    {"hstcp_", row_hstcp, NULL},
    {"scalable_linux", row_scalable_linux, NULL},
    {"scalable_resp", row_scalable_top, NULL},
    {"htcp_alpha", row_htcp_increase, NULL},
    {"htcp_beta", row_htcp_decrease, NULL},
    {"hybla_", row_hybla, NULL},
    {"illinois_", row_illinois, NULL},
    {"yeah_loss", row_yeah_loss, NULL},
    {"yeah_", row_yeah, NULL},
    {"ctcp_", row_compound, NULL},
    {"westwood_ssthresh", row_westwood_window, NULL},
    {"westwoodp", row_westwood_plus, NULL},
    {"westwood_", row_westwood_filter, NULL},
    {"fast_", row_fast, NULL},
    {"hystartpp_css", row_hystart_growth, NULL},
    {"hystartpp_", row_hystart_enter, NULL},
    {"slowstart_", row_slow_start, NULL},
    {NULL, NULL, NULL},
};

static const struct vector_rule reno_rules[] = {
    {"linux_", row_reno_linux, NULL},
    {"ca_20acks", NULL,
     "the byte rule of RFC 5681: windows here are in segments, and checked packet by packet against ns-2"},
    {NULL, NULL, NULL},
};

static void test_vectors(void **state)
{
    (void)state;
    static const struct vector_columns columns = {0, 1, 2, 3, 4};
    char path[500];
    snprintf(path, sizeof path, "%s/test-vectors.csv", folder);
    vector_run(path, &columns, groups, rules);
    vector_run(path, &columns, reno_groups, reno_rules);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        folder = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_vectors, create_file, remove_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
