/* test_sweep.c - sweep files: values, precedence, axes. */
#include "load_sweep.h"

#include "../../kernels/registry.h"

#include <math.h>

/* TCP settings of the first flow of a one-link sweep. */
static struct tcp_cfg tcp_of(const char *tcp, const char *sets)
{
    char text[2000];
    snprintf(text, sizeof text, "duration: 10 s\npath: [{name: link, rate: 10 Mbit/s, delay: 10 ms}]\n%s\n", tcp);
    struct sweep *sweep = load_set(text, sets);
    struct scenario *scenario = scenario_at(sweep, 0);
    struct tcp_cfg out = scenario->flows[0].tcp;
    free(scenario);
    sweep_free(sweep);
    return out;
}

static const char *name_of(const void *item)
{
    return ((const struct item *)item)->name;
}

/* --- values ------------------------------------------------------------------------------------------------------ */

static void test_path(void **state)
{
    (void)state;
    struct sweep *sweep = load("name: x\ntitle: A title\nseed: 18446744073709551615\nduration: 500 s\nwarmup: 2 s\n"
                               "path:\n"
                               "  - {name: in, rate: 10 Mbit/s, delay: 100 us, overhead: 26 B}\n"
                               "  - {name: mid, rate: 2 Mbit/s, delay: 50 ms, ber: 1e-7, errors: forward, per: 2 %,\n"
                               "     queue: 100 packets, reverse: {rate: 1 Mbit/s, per: 0.5}}\n"
                               "app: {kind: cbr, packet: 1460 B, interval: 1168 us}\n");
    assert_string_equal(sweep_name(sweep), "x");
    assert_string_equal(sweep_title(sweep), "A title");
    assert_true(sweep_seed(sweep) == UINT64_MAX);
    assert_int_equal(sweep_npoints(sweep), 1);
    assert_int_equal(sweep_ndimensions(sweep), 0);
    struct scenario *sc = scenario_at(sweep, 0);
    assert_int_equal(sc->measure_from_ps, 2 * PS_PER_S);
    assert_int_equal(sc->measure_to_ps, 500 * PS_PER_S);
    assert_int_equal(sc->start_jitter_ps, -1);
    assert_int_equal(sc->nlinks, 2);
    assert_int_equal(sc->nflows, 1);
    const struct channel_cfg *in = sc->links[0].channel, *mid = sc->links[1].channel;
    assert_true(in[FORWARD].rate_bps == 1e7 && in[REVERSE].rate_bps == 1e7);
    assert_int_equal(in[REVERSE].delay_ps, 100 * PS_PER_US);
    assert_int_equal(in[FORWARD].overhead_bytes, 26);
    assert_int_equal(in[FORWARD].queue.unit, QUEUE_UNLIMITED);
    assert_true(mid[FORWARD].ber == 1e-7 && mid[REVERSE].ber == 0);
    assert_true(mid[FORWARD].per == 0.02 && mid[REVERSE].per == 0.5);
    assert_true(mid[REVERSE].rate_bps == 1e6);
    assert_true(mid[REVERSE].queue.unit == QUEUE_PACKETS && mid[REVERSE].queue.size == 100);
    const struct flow_cfg *flow = sc->flows;
    assert_int_equal(flow->path_len[FORWARD], 2);
    assert_int_equal(flow->path[REVERSE][0].link, 1);
    assert_int_equal(flow->path[REVERSE][0].direction, REVERSE);
    assert_true(flow->stop_ps == TIME_NEVER);
    assert_string_equal(name_of(flow->app.ops), "cbr");
    assert_int_equal(flow->app.packet_bytes, 1460);
    assert_int_equal(flow->app.interval_ps, 1168 * PS_PER_US);
    free(sc);
    sweep_free(sweep);
}

static void test_errors_reverse(void **state)
{
    (void)state;
    struct sweep *sweep = load("duration: 1 s\npath: [{name: a, rate: 1 Mbit/s, ber: 1e-6, errors: reverse,\n"
                               "  gilbert: {p: 0.1, r: 0.5, loss_bad: 0.9}, onoff_loss: {up: 1 s, down: 1 ms}}]\n");
    struct scenario *sc = scenario_at(sweep, 0);
    const struct channel_cfg *c = sc->links[0].channel;
    assert_true(c[FORWARD].ber == 0 && c[REVERSE].ber == 1e-6);
    assert_true(c[FORWARD].gilbert.good_to_bad == 0 && c[REVERSE].gilbert.good_to_bad == 0.1);
    assert_true(c[REVERSE].gilbert.bad_to_good == 0.5 && c[REVERSE].gilbert.loss_bad == 0.9);
    assert_true(c[FORWARD].onoff.up_mean_ps == 0 && c[REVERSE].onoff.up_mean_ps == PS_PER_S);
    free(sc);
    sweep_free(sweep);
}

static void test_lists(void **state)
{
    (void)state;
    struct sweep *sweep = load("duration: 30 s\npath: [{name: a, rate: 1 Mbit/s, duplex: shared,\n"
                               "  drops: [{packet: 14}, {segment: 80, transmission: 2}, {ack: 60}],\n"
                               "  schedule: [{at: 5 s, up: false}, {at: 10 s, up: true, delay: 20 ms},\n"
                               "             {at: 11 s, rate: 2 Mbit/s}]}]\n");
    struct scenario *sc = scenario_at(sweep, 0);
    const struct link_cfg *link = sc->links;
    assert_true(link->shared_duplex);
    assert_int_equal(link->ndrops, 3);
    assert_int_equal(link->drops[0].kind, DROP_PACKET);
    assert_int_equal(link->drops[0].number, 14);
    assert_int_equal(link->drops[1].kind, DROP_SEGMENT);
    assert_int_equal(link->drops[1].number, 80);
    assert_int_equal(link->drops[1].transmission, 2);
    assert_int_equal(link->drops[2].kind, DROP_ACK);
    const struct channel_cfg *c = &link->channel[REVERSE];
    assert_int_equal(c->nsteps, 3);
    assert_true(c->steps[0].up == 0 && c->steps[0].delay_ps == -1 && c->steps[0].rate_bps == 0);
    assert_true(c->steps[1].up == 1 && c->steps[1].delay_ps == 20 * PS_PER_MS);
    assert_true(c->steps[2].up == -1 && c->steps[2].rate_bps == 2e6);
    free(sc);
    sweep_free(sweep);
}

#define DUMBBELL                                                                                                       \
    "duration: 60 s\nlinks:\n  access: {rate: 100 Mbit/s, delay: 1 ms}\n  mid: {rate: 10 Mbit/s, delay: 48 ms}\n"      \
    "  exit: {rate: 100 Mbit/s, delay: 1 ms}\n  home: {rate: 1 Mbit/s}\nflows:\n"

static void test_flows(void **state)
{
    (void)state;
    struct sweep *sweep =
        load(DUMBBELL "  - {name: a, count: 3, via: [access*, mid, exit*], start: {uniform: [1 s, 3 s]},\n"
                      "     tcp: {algorithm: tahoe}, stop: 50 s}\n"
                      "  - {name: b, via: [exit*, mid.reverse, access*], back: [access*, mid, exit*],\n"
                      "     app: {kind: file, size: 1 MB}}\n"
                      "  - {name: c, via: [access*, mid], back: [home, access*]}\n"
                      "tcp: {mss: 1000 B}\n");
    struct scenario *sc = scenario_at(sweep, 0);
    assert_int_equal(sc->nflows, 5);
    assert_int_equal(sc->nlinks, 2 + 2 * 4 + 1);
    assert_string_equal(sc->flows[1].name, "a.1");
    assert_string_equal(sc->flows[3].name, "b");
    assert_int_equal(sc->flows[2].start_ps, PS_PER_S);
    assert_int_equal(sc->flows[2].start_spread_ps, 2 * PS_PER_S);
    assert_string_equal(name_of(sc->flows[2].tcp.recovery), "tahoe");
    assert_string_equal(name_of(sc->flows[3].tcp.recovery), "newreno");
    assert_int_equal(sc->flows[4].tcp.mss_bytes, 1000);
    /* Private copies differ between flows and are the same on a flow's two ways; the middle is shared. */
    const struct flow_cfg *a0 = &sc->flows[0], *a1 = &sc->flows[1], *b = &sc->flows[3], *c = &sc->flows[4];
    assert_int_not_equal(a0->path[FORWARD][0].link, a1->path[FORWARD][0].link);
    assert_int_equal(a0->path[FORWARD][1].link, a1->path[FORWARD][1].link);
    assert_int_equal(a1->path[FORWARD][0].link, a1->path[REVERSE][2].link);
    assert_int_equal(a1->path[REVERSE][2].direction, REVERSE);
    assert_string_equal(sc->links[a1->path[FORWARD][0].link].name, "access.1");
    /* Traffic against the others: its data take the reverse direction of the middle. */
    assert_int_equal(b->path[FORWARD][1].direction, REVERSE);
    assert_int_equal(b->path[REVERSE][1].direction, FORWARD);
    assert_int_equal(b->path[REVERSE][1].link, a0->path[FORWARD][1].link);
    /* A way back over another link, and over the same access. */
    assert_string_equal(sc->links[c->path[REVERSE][0].link].name, "home");
    assert_int_equal(c->path[REVERSE][0].direction, FORWARD);
    assert_int_equal(c->path[REVERSE][1].link, c->path[FORWARD][0].link);
    assert_int_equal(c->path[REVERSE][1].direction, REVERSE);
    free(sc);
    sweep_free(sweep);
}

static void test_top_level(void **state)
{
    (void)state;
    struct sweep *sweep = load(PATH "replications: {min: 10, max: 50, until: {metric: timeouts, half_width: 2 %,\n"
                                    "  confidence: 99 %, min_events: 100}}\nkeep: points\nkeep_journal: true\n"
                                    "compress: on\nmeasure: {from: 2 s, to: 8 s}\nmodels: []\n");
    const struct replication_rule *rule = sweep_replications(sweep);
    uint32_t n;
    assert_true(rule->min == 10 && rule->max == 50 && rule->metric == METRIC_timeouts && rule->half_width == 0.02);
    assert_true(rule->confidence == 0.99 && rule->min_events == 100);
    assert_false(sweep_keep_replications(sweep));
    assert_true(sweep_keep_journal(sweep));
    assert_true(sweep_compress(sweep));
    assert_non_null(sweep_models(sweep, &n));
    assert_int_equal(n, 0);
    struct scenario *sc = scenario_at(sweep, 0);
    assert_true(sc->measure_from_ps == 2 * PS_PER_S && sc->measure_to_ps == 8 * PS_PER_S);
    free(sc);
    sweep_free(sweep);
    sweep = load(PATH "replications: 7\n");
    assert_true(sweep_replications(sweep)->min == 7 && sweep_replications(sweep)->max == 7);
    assert_null(sweep_models(sweep, &n));
    sweep_free(sweep);
    sweep = load(PATH "replications: {max: 7}\n");
    assert_true(sweep_replications(sweep)->min == 7 && sweep_replications(sweep)->max == 7);
    sweep_free(sweep);
    sweep = load_set(PATH "replications: 7\n", "replications.max=100");
    assert_true(sweep_replications(sweep)->min == 30 && sweep_replications(sweep)->max == 100);
    sweep_free(sweep);
}

/* --- precedence -------------------------------------------------------------------------------------------------- */

static void test_defaults(void **state)
{
    (void)state;
    struct tcp_cfg t = tcp_of("", NULL);
    assert_string_equal(name_of(t.cc), "reno");
    assert_string_equal(name_of(t.recovery), "newreno");
    assert_true(t.mss_bytes == 1460 && t.receive_window_bytes == 65535 && t.window_scaling && !t.send_buffer_bytes);
    assert_true(t.initial_window_segs == 10 && t.initial_ssthresh_segs == 1e9 && t.cwnd_max_segs == 1e9);
    assert_true(t.growth == GROWTH_BYTES && t.abc_limit == 2 && t.ssthresh_base == BASE_FLIGHT && !t.ssthresh_whole);
    assert_true(t.limited_transmit && t.dupack_threshold == 3 && !t.grow_when_limited && t.tahoe_go_back_n);
    assert_true(t.newreno == NEWRENO_IMPATIENT && !t.ns2_rules && t.rto_estimator == RTO_RFC6298);
    assert_true(t.initial_rto_ps == PS_PER_S && t.min_rto_ps == PS_PER_S && t.max_rto_ps == 60 * PS_PER_S);
    assert_true(t.rto_granularity_ps == 0 && t.timestamps && t.timestamp_bytes == 0);
    assert_true(t.delayed_ack && t.delayed_ack_segments == 2 && t.delayed_ack_timeout_ps == 200 * PS_PER_MS);
    assert_true(t.sack_blocks == 3 && t.sack_option_bytes == 4 && t.header_bytes == 40 && t.ack_bytes == 0);
    assert_true(t.handshake && t.fin && !t.nagle && t.idle_restart);
}

static void test_precedence(void **state)
{
    (void)state;
    /* dialect over built-in */
    struct tcp_cfg t = tcp_of("tcp: {dialect: ns2}", NULL);
    assert_true(t.initial_window_segs == 2 && t.growth == GROWTH_ACK && t.rto_granularity_ps == 10 * PS_PER_MS);
    assert_true(!t.handshake && t.ns2_rules && t.sack_option_bytes == 0);
    /* preset over dialect, and what a preset means in a dialect */
    t = tcp_of("tcp: {dialect: ns3, algorithm: old_tahoe}", NULL);
    assert_string_equal(name_of(t.recovery), "timeout_only");
    assert_true(!t.limited_transmit && t.header_bytes == 42);
    t = tcp_of("tcp: {algorithm: sack}", NULL);
    assert_string_equal(name_of(t.recovery), "sack");
    t = tcp_of("tcp: {algorithm: sack, dialect: ns2}", NULL);
    assert_string_equal(name_of(t.recovery), "sack_pipe");
    /* file over preset, --set over file */
    t = tcp_of("tcp: {algorithm: old_tahoe, limited_transmit: true}", NULL);
    assert_true(t.limited_transmit);
    t = tcp_of("tcp: {dialect: ns2, initial_window: 4 segments}", NULL);
    assert_true(t.initial_window_segs == 4);
    t = tcp_of("tcp: {dialect: ns2, initial_window: 4 segments}", "tcp.initial_window=5 segments;tcp.dialect=rfc");
    assert_true(t.initial_window_segs == 5 && t.growth == GROWTH_BYTES);
    /* windows in other units follow the mss */
    t = tcp_of("tcp: {mss: 500 B, receive_window: 44 segments, initial_ssthresh: 65535 B, send_buffer: 2 segments}",
               NULL);
    assert_true(t.receive_window_bytes == 22000 && t.initial_ssthresh_segs == 65535.0 / 500);
    assert_int_equal(t.send_buffer_bytes, 1000);
}

static void test_tables(void **state)
{
    (void)state;
    struct arena arena = {NULL};
    char why[500] = "";
    assert_non_null(dialects_resolve(&arena, why, sizeof why));
    arena_free(&arena);
    for (int row = 0; row < PARAM_COUNT; row++) {
        assert_true(param_table[row].help && *param_table[row].help);
        assert_true(param_table[row].key && *param_table[row].key);
    }
    for (size_t i = 0; i < algorithm_count; i++)
        assert_int_equal(algorithm_find(algorithm_table[i].name), i);
    assert_int_equal(algorithm_find("new_reno"), algorithm_find("newreno"));
    assert_int_equal(algorithm_find("nosuch"), -1);
}

/* --- axes -------------------------------------------------------------------------------------------------------- */

static void expect_label(const struct sweep *sweep, uint64_t point, const char *expected)
{
    char label[300];
    sweep_point_label(sweep, point, label, sizeof label);
    assert_string_equal(label, expected);
}

static void test_axes_order(void **state)
{
    (void)state;
    struct sweep *sweep =
        load(PATH "zip: [{tcp.mss: [500 B, 1460 B], path.link.rate: [5 Mbit/s, 10 Mbit/s], as: size}]\n"
                  "axes:\n  tcp.algorithm: [reno, sack]\n  path.link.ber: [1e-7, 1e-6, 1e-5]\n");
    const struct coordinate *c = sweep_coordinates(sweep);
    assert_int_equal(sweep_npoints(sweep), 12);
    assert_int_equal(sweep_ndimensions(sweep), 3);
    assert_int_equal(sweep_ncoordinates(sweep), 4);
    assert_string_equal(sweep_dimensions(sweep)[0].name, "size");
    assert_string_equal(sweep_dimensions(sweep)[2].name, "ber");
    assert_string_equal(c[0].name, "mss");
    assert_string_equal(c[0].units, "byte");
    assert_string_equal(c[1].key, "path.link.rate");
    assert_string_equal(c[1].units, "bit s-1");
    assert_true(c[1].number[1] == 1e7 && c[1].dimension == 0);
    assert_true(c[2].is_text && !*c[2].units && !strcmp(c[2].text[1], "sack"));
    assert_true(c[3].number[2] == 1e-5 && !strcmp(c[3].units, "1"));
    expect_label(sweep, 0, "mss=500 B rate=5 Mbit/s algorithm=reno ber=1e-7");
    expect_label(sweep, 1, "mss=500 B rate=5 Mbit/s algorithm=reno ber=1e-6");
    expect_label(sweep, 3, "mss=500 B rate=5 Mbit/s algorithm=sack ber=1e-7");
    expect_label(sweep, 11, "mss=1460 B rate=10 Mbit/s algorithm=sack ber=1e-5");
    struct scenario *sc = scenario_at(sweep, 10);
    assert_true(sc->links[0].channel[REVERSE].rate_bps == 1e7 && sc->links[0].channel[FORWARD].ber == 1e-6);
    assert_int_equal(sc->flows[0].tcp.mss_bytes, 1460);
    free(sc);
    sweep_free(sweep);
}

static void test_ranges(void **state)
{
    (void)state;
    struct sweep *sweep = load(PATH "axes:\n  path.link.ber: {logspace: [1e-8, 1e-4], points: 9}\n"
                                    "  path.link.delay: {linspace: [10 ms, 1 s], points: 100}\n"
                                    "  tcp.mss: {linspace: [500 B, 1000 B], points: 4}\n");
    const struct coordinate *c = sweep_coordinates(sweep);
    assert_int_equal(sweep_npoints(sweep), 3600);
    assert_true(c[0].number[0] == 1e-8 && c[0].number[2] == 1e-7 && c[0].number[8] == 1e-4);
    assert_true(fabs(c[0].number[1] / 3.16227766016838e-8 - 1) < 1e-11);
    assert_true(c[1].number[0] == 0.01 && c[1].number[1] == 0.02 && c[1].number[99] == 1);
    assert_string_equal(c[1].text[1], "20 ms");
    assert_true(c[2].number[1] == 667 && c[2].number[2] == 833);
    sweep_free(sweep);
}

static void test_axis_names(void **state)
{
    (void)state;
    struct sweep *sweep =
        load(DUMBBELL "  - {name: a, via: [access, mid, exit, home]}\n"
                      "axes: {links.mid.queue: [1 packet, 2 packets], links.home.queue: [unlimited, 64 KiB],\n"
                      "  flows.a.count: [1, 2], tcp.delayed_ack: [true, false],\n"
                      "  flows.a.start: [0 s, 1 s], links.mid.delay: [1 ms]}\n");
    const struct coordinate *c = sweep_coordinates(sweep);
    assert_string_equal(c[0].name, "links_mid_queue");
    assert_true(!c[0].is_text && c[0].number[1] == 2);
    assert_string_equal(c[1].name, "links_home_queue");
    assert_true(c[1].is_text);
    assert_string_equal(c[2].name, "count");
    assert_true(c[3].is_text && !strcmp(c[3].text[0], "true"));
    assert_true(!c[4].is_text && !strcmp(c[4].units, "s") && c[4].number[1] == 1);
    sweep_free(sweep);
}

static void test_set(void **state)
{
    (void)state;
    const char *text = PATH "tcp: {mss: 1000 B}\naxes: {path.link.ber: [0, 1e-6], tcp.algorithm: [reno, sack]}\n";
    struct sweep *sweep = load_set(text, "path.link.ber=1e-5;tcp.mss=500 B,600 B,700 B;tcp.header=50 B;seed=9");
    assert_int_equal(sweep_seed(sweep), 9);
    assert_int_equal(sweep_ndimensions(sweep), 3);
    assert_int_equal(sweep_npoints(sweep), 6);
    expect_label(sweep, 5, "ber=1e-5 algorithm=sack mss=700 B");
    struct scenario *sc = scenario_at(sweep, 0);
    assert_int_equal(sc->flows[0].tcp.header_bytes, 50);
    free(sc);
    sweep_free(sweep);
    sweep = load_set(text, "tcp.algorithm=tahoe,reno,sack;links.link.ber={logspace: [1e-8, 1e-4], points: 5};"
                           "title=a, b: c;where=ber < 1e-7 or algorithm == tahoe;tcp.mss=800 B");
    assert_int_equal(sweep_npoints(sweep), 15);
    assert_string_equal(sweep_title(sweep), "a, b: c");
    int selected = 0;
    for (uint64_t p = 0; p < 15; p++)
        selected += sweep_point_selected(sweep, p);
    assert_int_equal(selected, 5 + 2 - 1 + 1);
    sc = scenario_at(sweep, 14);
    assert_int_equal(sc->flows[0].tcp.mss_bytes, 800);
    free(sc);
    sweep_free(sweep);
}

static void test_sample(void **state)
{
    (void)state;
    static const char *const kinds[] = {"sobol", "lhs"};
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 PATH "sample: {kind: %s, points: 64, over: {path.link.delay: [10 ms, 300 ms],\n"
                      "  path.link.ber: {log: [1e-8, 1e-5]}, tcp.algorithm: [reno, sack], tcp.mss: [500 B, 1460 B]}}\n"
                      "axes: {tcp.delayed_ack: [true, false]}\n",
                 kinds[k]);
        struct sweep *sweep = load(text);
        const struct coordinate *c = sweep_coordinates(sweep);
        assert_int_equal(sweep_npoints(sweep), 128);
        assert_string_equal(sweep_dimensions(sweep)[0].name, "sample");
        double delays = 0, logs = 0;
        int sacks = 0;
        for (int i = 0; i < 64; i++) {
            assert_true(c[0].number[i] >= 0.01 && c[0].number[i] <= 0.3);
            assert_true(c[1].number[i] >= 1e-8 && c[1].number[i] <= 1e-5);
            assert_true(c[3].number[i] == floor(c[3].number[i]));
            delays += c[0].number[i] / 64;
            logs += log10(c[1].number[i]) / 64;
            sacks += strcmp(c[2].text[i], "sack") == 0;
        }
        assert_true(fabs(delays - 0.155) < 0.01 && fabs(logs + 6.5) < 0.1);
        assert_true(sacks >= 28 && sacks <= 36);
        sweep_free(sweep);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path),       cmocka_unit_test(test_errors_reverse), cmocka_unit_test(test_lists),
        cmocka_unit_test(test_flows),      cmocka_unit_test(test_top_level),      cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_precedence), cmocka_unit_test(test_tables),         cmocka_unit_test(test_axes_order),
        cmocka_unit_test(test_ranges),     cmocka_unit_test(test_axis_names),     cmocka_unit_test(test_set),
        cmocka_unit_test(test_sample),
    };
    return cmocka_run_group_tests(tests, create_file, remove_file);
}
