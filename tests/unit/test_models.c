/* test_models.c - the analytic models against the published formulas (tests/reference/vectors/test-vectors.csv) and
 * against what they should do outside their range; and their input taken from a scenario.
 *
 * Argument: the folder of the vectors. */
#include "vectors.h"

#include "../../analysis/models/formulas.h"
#include "../../analysis/models/pftk.h"
#include "../../analysis/models/response.h"
#include "../../kernels/registry.h"
#include "../../kernels/scenario.h"

extern const struct model model_window_limited, model_kurose_ross, model_square_root, model_rule_1_22, model_pftk,
    model_pftk_approx, model_mathis_random, model_aimd, model_cubic, model_highspeed, model_scalable, model_bic;

static const char *folder = "tests/reference/vectors";

/* --- rows of the table -------------------------------------------------------------------------------------------- */

static struct model_input base_input(void)
{
    return (struct model_input){.mss_bytes = 1460,
                                .header_bytes = 40,
                                .rtt_s = 0.1,
                                .window_segs = INFINITY,
                                .acks_per = 1,
                                .rto_s = 1,
                                .link_bps = INFINITY};
}

static void check_per(const struct vector_row *row)
{
    double ber = vector_in(row, "ber");
    vector_check(row, "per", model_packet_error_rate(ber, vector_in(row, "bytes")));
    if (vector_has(row, "ack40"))
        vector_check(row, "ack40", model_packet_error_rate(ber, 40));
}

static void check_kurose(const struct vector_row *row)
{
    struct model_input in = base_input();
    in.mss_bytes = vector_in(row, "mss");
    in.rtt_s = vector_in(row, "rtt_s");
    in.loss = vector_value(row->inputs, "p");
    if (isnan(in.loss)) {
        in.loss = model_packet_error_rate(vector_in(row, "ber"), in.mss_bytes + in.header_bytes);
        vector_check(row, "p", in.loss);
        vector_check(row, "bps", model_square_root.goodput_bps(&in));
        return;
    }
    double exact = model_kurose_ross.goodput_bps(&in), peak = exact * in.rtt_s / (0.75 * 8 * in.mss_bytes);
    vector_check(row, "bps_exact", exact);
    vector_check(row, "W_exact", peak);
    vector_check(row, "p_back", 1 / (3.0 / 8 * peak * peak + 3.0 / 4 * peak));
    vector_check(row, "bps_sqrt", model_square_root.goodput_bps(&in));
}

static void check_square_root(const struct vector_row *row)
{
    struct model_input in = base_input();
    in.mss_bytes = vector_in(row, "mss");
    in.rtt_s = vector_in(row, "rtt_s");
    in.loss = vector_in(row, "p");
    in.acks_per = 2;
    vector_check(row, "bps", model_square_root.goodput_bps(&in));
}

static void check_rule_1_22(const struct vector_row *row)
{
    struct model_input in = base_input();
    in.mss_bytes = vector_in(row, "mss");
    in.rtt_s = vector_in(row, "rtt_s");
    in.loss = vector_in(row, "loss");
    vector_check(row, "bps", model_rule_1_22.goodput_bps(&in));
}

/* p, RTT, T0, b and Wmax of a row. */
static struct model_input path_input(const struct vector_row *row)
{
    struct model_input in = base_input();
    in.loss = vector_in(row, "p");
    in.rtt_s = vector_in(row, "rtt_s");
    in.rto_s = vector_in(row, "t0_s");
    in.acks_per = vector_in(row, "b");
    in.window_segs = vector_in(row, "wmax");
    return in;
}

static void check_pftk(const struct vector_row *row)
{
    struct model_input in = path_input(row);
    double bits = 8 * in.mss_bytes;
    vector_check(row, "throughput_pps", model_pftk.goodput_bps(&in) / bits);
    vector_check(row, "approx_pps", model_pftk_approx.goodput_bps(&in) / bits);
}

static void check_random(const struct vector_row *row)
{
    struct model_input in = base_input();
    in.mss_bytes = vector_in(row, "mss");
    in.rtt_s = vector_in(row, "rtt_s");
    in.loss = vector_in(row, "p");
    /* The table rounds 1.31/sqrt 2 to 0.93. */
    in.acks_per = (1.31 / vector_in(row, "C")) * (1.31 / vector_in(row, "C"));
    vector_check(row, "bps", model_mathis_random.goodput_bps(&in));
}

static void check_transfer(const struct vector_row *row)
{
    struct model_input in = path_input(row);
    struct transfer_time t = formula_transfer(&in, vector_in(row, "d"), vector_in(row, "w1"));
    vector_check(row, "d_ss", t.slow_start_segs);
    vector_check(row, "W_ss", t.window_segs);
    vector_check(row, "T_ss", t.slow_start_s);
    vector_check(row, "T_loss", t.loss_s);
    vector_check(row, "T_ca", t.avoidance_s);
    vector_check(row, "T_data", t.all_s);
}

static void check_handshake(const struct vector_row *row)
{
    vector_check(
        row, "T_hs",
        formula_handshake_s(vector_in(row, "rtt_s"), vector_in(row, "Ts"), vector_in(row, "pf"), vector_in(row, "pr")));
}

static void check_altman(const struct vector_row *row)
{
    struct model_input in = base_input();
    in.loss = vector_in(row, "p");
    in.rtt_s = vector_in(row, "rtt_s");
    in.acks_per = vector_in(row, "b");
    double ck = vector_value(row->inputs, "ck");
    vector_check(row, "pps", formula_altman_pps(&in, vector_in(row, "nu"), vector_in(row, "c0"), &ck, 1));
}

static void check_buffer(const struct vector_row *row)
{
    if (vector_has(row, "utilisation"))
        vector_check(row, "utilisation",
                     formula_buffer_utilisation(vector_in(row, "buffer_over_bdp"), vector_in(row, "m_remaining")));
    else
        vector_check(row, "bytes",
                     formula_buffer_bytes(vector_in(row, "rate_bps"), vector_in(row, "rtt_s"), vector_in(row, "n")));
}

static void check_link_mss(const struct vector_row *row)
{
    double ber = vector_in(row, "ber"), header = vector_in(row, "header"), mss = formula_best_mss_bytes(ber, header);
    vector_check(row, "mss", mss);
    vector_check(row, "efficiency", formula_link_efficiency(ber, mss, header));
}

/* PFTK's send rate over whole segment sizes; the model here gives what arrives, whose best size is looked for likewise.
 */
static double send_rate_bps(double mss, double ber, double header, double rtt_s, double rto_s)
{
    double p = model_packet_error_rate(ber, mss + header), w = 1 + sqrt(8 * (1 - p) / (3 * p) + 1);
    double q = pftk_timeout_share(p, w);
    double segments = (1 - p) / p + w + q / (1 - p);
    return 8 * mss * segments / (rtt_s * (w / 2 + 1) + q * pftk_backoff_sum(p) * rto_s / (1 - p));
}

static void check_pftk_mss(const struct vector_row *row)
{
    double best = 0, best_bps = 0;
    for (double mss = 40; mss <= 9000; mss++) {
        double bps = send_rate_bps(mss, vector_in(row, "ber"), vector_in(row, "header"), vector_in(row, "rtt_s"),
                                   vector_in(row, "t0_s"));
        if (bps > best_bps)
            best = mss, best_bps = bps;
    }
    vector_check(row, "mss", best);
    vector_check(row, "bps", best_bps);
}

static const char *const groups[] = {"per", "kurose", "mathis", "pftk", "cardwell", "altman", "buffer", "optmss", NULL};

static const struct vector_rule rules[] = {
    {"per_", check_per, NULL},
    {"kurose_", check_kurose, NULL},
    {"seed000_4.12", check_kurose, NULL},
    {"seed002_rule122", check_rule_1_22, NULL},
    {"mathis_periodic_delack", check_square_root, NULL},
    {"mathis_random", check_random, NULL},
    {"cardwell_", check_transfer, NULL},
    {"handshake_", check_handshake, NULL},
    {"altman_", check_altman, NULL},
    {"buffer_", check_buffer, NULL},
    {"opt_mss_link_", check_link_mss, NULL},
    {"opt_mss_pftk_", check_pftk_mss, NULL},
    {"pftk_", check_pftk, NULL},
    {NULL, NULL, NULL},
};

static void vectors_are_met(void **state)
{
    (void)state;
    static const struct vector_columns columns = {.id = 0, .group = 1, .inputs = 2, .expected = 3, .tolerance = 4};
    char path[4096];
    snprintf(path, sizeof path, "%s/test-vectors.csv", folder);
    vector_run(path, &columns, groups, rules);
}

/* --- ranges ------------------------------------------------------------------------------------------------------- */

/* Seed 000 without loss: 44 whole segments a round trip (fact sheet 6.1). */
static void window_limit(void **state)
{
    (void)state;
    struct model_input in = base_input();
    in.link_bps = 10e6;
    in.window_segs = 65535.0 / 1460;
    assert_true(fabs(model_window_limited.goodput_bps(&in) - 5.1392e6) < 1);
    in.rtt_s = 0.104096;
    assert_true(fabs(model_window_limited.goodput_bps(&in) - 4.937e6) < 0.001e6);
    in.window_segs = 1000;
    assert_true(fabs(model_window_limited.goodput_bps(&in) - 10e6 * 1460 / 1500) < 1);
    in.loss = 1e-3;
    assert_true(isnan(model_window_limited.goodput_bps(&in)));
}

/* Parameters as their sources give them (kernels/cc/params_window.h). */
static const struct cc_window_params defaults = {.aimd_a = 1,
                                                 .aimd_b = 0.5,
                                                 .bic_smax = 32,
                                                 .bic_smin = 0.01,
                                                 .bic_beta = 0.125,
                                                 .bic_low_window = 14,
                                                 .cubic_c = 0.4,
                                                 .cubic_beta = 0.7,
                                                 .cubic_reno_friendly = true,
                                                 .scalable_a = 0.01,
                                                 .scalable_b = 0.125,
                                                 .scalable_low_window = 16};

/* The congestion control that a model is about; NULL: the standard one. */
static const char *cc_of(const struct model *model)
{
    static const struct model *const own[] = {&model_aimd, &model_cubic, &model_highspeed, &model_scalable, &model_bic};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (own[i] == model)
            return model->name;
    return NULL;
}

/* Published means: RFC 9438 equations 3 and 5, RFC 3649 section 5, Kelly 2003; the rows cubic_avg, hstcp_resp,
 * scalable_resp and aimd of test-vectors.csv. BIC where its cycle is nearly all additive: sqrt(smax (2 - d)/(2 d p)).
 */
static void response_functions(void **state)
{
    (void)state;
    assert_true(fabs(response_cubic(1e-5, 0.1, 0.4, 0.7) / 1053.828931 - 1) < 1e-6);
    assert_true(fabs(response_reno(1e-5, 1) / 387.2983346 - 1) < 1e-6);
    assert_true(fabs(response_aimd(0.001, 0.5294117647, 0.7) / 38.72983346 - 1) < 1e-6);
    assert_true(fabs(response_highspeed(1e-8) / 574356.1108 - 1) < 1e-6);
    assert_true(fabs(response_highspeed(0.01) / 12.24744871 - 1) < 1e-6);
    assert_true(fabs(response_scalable(1e-4, 0.01, 0.125) / 799.92 - 1) < 1e-6);
    double additive = sqrt(32 / 2.0 * (2 - 0.125) / (0.125 * 1e-9));
    assert_true(fabs(response_bic(1e-9, 32, 0.01, 0.125) / additive - 1) < 0.01);
}

static void outside_the_range_is_nan(void **state)
{
    (void)state;
    for (const struct model *const *model = model_table; *model; model++) {
        if (*model == &model_window_limited)
            continue;
        struct model_input in = base_input();
        in.cc = cc_of(*model);
        in.window = defaults;
        in.loss = 0.3;
        assert_true(isnan((*model)->goodput_bps(&in)));
        in.loss = 0;
        assert_true(isnan((*model)->goodput_bps(&in)));
        in.loss = 0.002;
        assert_false(isnan((*model)->goodput_bps(&in)));
        in.recovery = "tahoe";
        assert_true(isnan((*model)->goodput_bps(&in)));
        in.recovery = NULL;
        in.link_bps = 1e6; /* each would predict more than this */
        assert_true(isnan((*model)->goodput_bps(&in)));
    }
}

static void window_below_the_sawtooth_is_nan(void **state)
{
    (void)state;
    struct model_input in = base_input();
    in.loss = 0.0012; /* peak 46.2 segments */
    in.window_segs = 44;
    assert_false(isnan(model_kurose_ross.goodput_bps(&in)));
    in.window_segs = 41;
    assert_true(isnan(model_kurose_ross.goodput_bps(&in)));
    assert_true(isnan(model_square_root.goodput_bps(&in)));
    in.window_segs = 35;
    assert_true(isnan(model_rule_1_22.goodput_bps(&in)));
    assert_false(isnan(model_pftk.goodput_bps(&in)));
}

static void names_and_sources_are_given(void **state)
{
    (void)state;
    for (const struct model *const *a = model_table; *a; a++) {
        assert_true((*a)->name[0] && (*a)->source[0] && (*a)->help[0]);
        for (const struct model *const *b = a + 1; *b; b++)
            assert_string_not_equal((*a)->name, (*b)->name);
    }
}

/* --- input from a scenario ---------------------------------------------------------------------------------------- */

struct fixture {
    struct link_cfg links[3];
    struct flow_cfg flow;
    struct scenario sc;
};

static const struct hop_ref there[] = {{0, FORWARD}, {1, FORWARD}, {2, FORWARD}};
static const struct hop_ref back[] = {{2, REVERSE}, {1, REVERSE}, {0, REVERSE}};

static const void *find(const void *list, const char *name)
{
    const void *ops = registry_find(list, name);
    assert_non_null(ops);
    return ops;
}

/* Seed 000: three links of 10 Mbit/s, 0.1 + 50 + 0.1 ms, the middle one with bit errors both ways. */
static void seed000(struct fixture *f)
{
    *f = (struct fixture){0};
    for (int i = 0; i < 3; i++)
        for (int way = 0; way < 2; way++)
            f->links[i].channel[way] = (struct channel_cfg){
                .rate_bps = 10e6, .delay_ps = i == 1 ? 50 * PS_PER_MS : 100 * PS_PER_US, .ber = i == 1 ? 1e-7 : 0};
    f->flow = (struct flow_cfg){
        .path = {there, back},
        .path_len = {3, 3},
        .stop_ps = TIME_NEVER,
        .tcp = {.cc = find(cc_list, "reno"),
                .recovery = find(recovery_list, "newreno"),
                .mss_bytes = 1460,
                .receive_window_bytes = 65535,
                .cwnd_max_segs = 1e9,
                .growth = GROWTH_ACK,
                .min_rto_ps = PS_PER_S,
                .header_bytes = 40},
        .app = {.ops = find(app_list, "bulk")},
    };
    f->sc = (struct scenario){
        .measure_to_ps = 20 * PS_PER_S, .nlinks = 3, .nflows = 1, .links = f->links, .flows = &f->flow};
}

static void input_of_seed_000(void **state)
{
    (void)state;
    struct fixture f;
    struct model_input in;
    seed000(&f);
    assert_int_equal(model_input_from_scenario(&f.sc, &in), 0);
    assert_true(fabs(in.loss - 0.001199280348) < 1e-11);
    assert_true(in.window_segs == 44 && in.acks_per == 1 && in.rto_s == 1 && in.link_bps == 10e6);
    assert_true(in.mss_bytes == 1460 && in.header_bytes == 40);
    assert_true(fabs(in.rtt_s - 0.104096) < 1e-9);
    f.links[1].channel[FORWARD].ber = 0;
    assert_int_equal(model_input_from_scenario(&f.sc, &in), 0);
    assert_true(fabs(model_window_limited.goodput_bps(&in) - 4.937e6) < 0.001e6);
}

static void input_multiplies_losses(void **state)
{
    (void)state;
    struct fixture f;
    struct model_input in;
    seed000(&f);
    f.links[0].channel[FORWARD].per = 0.01;
    f.links[1].channel[FORWARD].overhead_bytes = 14;
    f.flow.tcp.delayed_ack = true;
    f.flow.tcp.delayed_ack_segments = 2;
    assert_int_equal(model_input_from_scenario(&f.sc, &in), 0);
    assert_true(fabs(in.loss - (1 - 0.99 * pow(1 - 1e-7, 8 * 1514))) < 1e-9);
    assert_true(in.acks_per == 2 && in.header_bytes == 54);
    f.flow.tcp.growth = GROWTH_BYTES;
    assert_int_equal(model_input_from_scenario(&f.sc, &in), 0);
    assert_true(in.acks_per == 1);
}

static void input_is_refused(void **state)
{
    (void)state;
    struct fixture f;
    struct model_input in;
    seed000(&f);
    f.flow.app = (struct app_cfg){.ops = find(app_list, "cbr"), .packet_bytes = 1460, .interval_ps = 1168 * PS_PER_US};
    assert_int_equal(model_input_from_scenario(&f.sc, &in), 0);
    f.flow.app.interval_ps *= 2; /* 5 Mbit/s offered: the application may limit */
    assert_int_equal(model_input_from_scenario(&f.sc, &in), -1);
    f.flow.app.ops = find(app_list, "file");
    assert_int_equal(model_input_from_scenario(&f.sc, &in), -1);
    seed000(&f);
    f.links[2].channel[FORWARD].gilbert = (struct gilbert_cfg){.good_to_bad = 0.01, .bad_to_good = 0.5, .loss_bad = 1};
    assert_int_equal(model_input_from_scenario(&f.sc, &in), -1);
    seed000(&f);
    f.sc.nflows = 2;
    assert_int_equal(model_input_from_scenario(&f.sc, &in), -1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_met),
        cmocka_unit_test(window_limit),
        cmocka_unit_test(response_functions),
        cmocka_unit_test(outside_the_range_is_nan),
        cmocka_unit_test(window_below_the_sawtooth_is_nan),
        cmocka_unit_test(names_and_sources_are_given),
        cmocka_unit_test(input_of_seed_000),
        cmocka_unit_test(input_multiplies_losses),
        cmocka_unit_test(input_is_refused),
    };
    if (argc > 1)
        folder = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
