/* test_wlan.c - the 802.11 medium: lengths of exchanges, who receives what, chains against ns-2, stations against
 * Bianchi's model, hidden stations.
 */
#include "scene.h"
#include "vectors.h"

#include "../../kernels/wlan/wlan.h"

/* --- one exchange ------------------------------------------------------------------------------------------------- */

/* A source that never runs dry over one hop: packets are delivered a fixed time apart plus a whole number of slots,
 * uniform in 0 .. 31. The row has their mean. */
static void row_single_hop(const struct vector_row *row)
{
    enum { PACKETS = 2000, SLOT_US = 20, WINDOW = 31 };
    double ip_bytes = vector_in(row, "ip_bytes"), first_us = 1e12, sum_us = 0, last_us = -1;
    size_t n = 0;
    struct scene scene = scene_run("duration: 60 s\npath: [{name: a, rate: %.12g Mbit/s, wlan: chain, wlan_rts: %s, "
                                   "wlan_basic_rate: %.12g Mbit/s, queue: 3 packets}]\n"
                                   "app: {kind: udp_cbr, packet: %.0f B, interval: 1 ms}\n",
                                   vector_in(row, "rate"), vector_in(row, "rts") != 0 ? "true" : "false",
                                   vector_in(row, "basic"), ip_bytes - 28);
    for (const struct trace_row *r = scene.row; r < scene.row + scene.n && n < PACKETS; r++) {
        if (r->event != TRACE_DELIVER)
            continue;
        double t_us = (double)r->t_ps / 1e6, gap_us = t_us - last_us;
        if (last_us >= 0) {
            n++;
            sum_us += gap_us;
            first_us = gap_us < first_us ? gap_us : first_us;
        }
        last_us = t_us;
    }
    assert_int_equal(n, PACKETS);
    double cycle_us = first_us + SLOT_US * WINDOW / 2.0;
    vector_check_within(row, "cycle_us", cycle_us, 1e-6);
    vector_check_within(row, "mbit", 8 * ip_bytes / cycle_us, 1e-5);
    double error_us = SLOT_US * sqrt((WINDOW + 1.0) * (WINDOW + 1.0) / 12 / PACKETS);
    assert_true(fabs(sum_us / PACKETS - cycle_us) < 3 * error_us);
    scene_free(&scene);
}

static void test_exchange(void **state)
{
    (void)state;
    static const struct vector_columns columns = {.id = 0, .group = 1, .inputs = 2, .expected = 3, .tolerance = -1};
    static const char *const groups[] = {"dcf_single_hop", NULL};
    static const struct vector_rule rules[] = {{"d", row_single_hop, NULL}, {NULL, NULL, NULL}};
    vector_run("tests/reference/vectors/test-vectors-delay.csv", &columns, groups, rules);
}

/* A packet that finds the medium idle goes at once: 1500 B at 2 Mbit/s, behind DIFS 50 us, RTS 352, CTS 304 and two
 * SIFS its data frame ends at 7030 us; the ACK is over at 7344. Over a second hop another backoff comes before it. */
static void test_first_packet(void **state)
{
    (void)state;
    struct scene scene = scene_run("duration: 1 s\npath: [{name: a, rate: 2 Mbit/s, wlan: chain, wlan_rts: true}]\n"
                                   "app: {kind: udp_cbr, packet: 1472 B, interval: 2 s}\n");
    scene_expect(&scene, 0, "SV", 0, 1e3, "0: S0; 7.03: V0");
    scene_free(&scene);
    scene = scene_run("duration: 1 s\npath: [{name: a, rate: 2 Mbit/s, delay: 5 ms, wlan: chain, wlan_hops: 2}]\n"
                      "app: {kind: udp_cbr, packet: 1472 B, interval: 2 s}\n");
    double end_us = (double)scene_row(&scene, 0, 'V', 0, 0)->t_ps / 1e6;
    /* 50 + 6304, ACK 314, then 50 + backoff + 6304, and 5000 */
    double slots = (end_us - 5000 - 2 * 6354 - 314) / 20;
    assert_true(slots >= 0 && slots <= 31 && slots == floor(slots));
    scene_free(&scene);
}

/* --- the medium by itself ----------------------------------------------------------------------------------------- */

enum { NODES = 6, FRAME_US = 1000 };

struct air {
    struct sim sim;
    struct station station;
    struct wlan_cfg cfg;
    struct wlan w;
    struct node node[NODES];
    int64_t due_ps[2 * NODES];
    uint64_t keys[64];
};

static void air_init(struct air *a, bool capture, enum wlan_rules rules)
{
    memset(a, 0, sizeof *a);
    a->cfg = (struct wlan_cfg){.topology = WLAN_CHAIN, .capture = capture, .rules = rules, .slot_ps = 20 * PS_PER_US};
    a->w = (struct wlan){.cfg = &a->cfg,
                         .station = &a->station,
                         .due_ps = a->due_ps,
                         .node = a->node,
                         .nnodes = NODES,
                         .difs_ps = 50 * PS_PER_US,
                         .eifs_ps = 364 * PS_PER_US,
                         .on_air = 1}; /* not metered */
    events_init(&a->w.events, a->keys, events_leaves(2 * NODES), PS_PER_S);
    for (int n = 0; n < NODES; n++)
        a->node[n].rx.from = WLAN_NOBODY;
}

/* Node `from` begins an ACK of 1 ms to `to` at t_us, announced until nav_us. Nobody answers. */
static void air_send(struct air *a, double t_us, uint32_t from, uint32_t to, double nav_us)
{
    a->sim.now_ps = (int64_t)(t_us * PS_PER_US);
    struct frame frame = {.type = FRAME_ACK, .to = to, .nav_ps = (int64_t)(nav_us * PS_PER_US)};
    wlan_send(&a->sim, &a->w, from, frame, FRAME_US * PS_PER_US);
}

static void air_end(struct air *a, double t_us, uint32_t from)
{
    a->sim.now_ps = (int64_t)(t_us * PS_PER_US);
    wlan_frame_ends(&a->sim, &a->w, from);
}

/* Node 1 receives from node 0, and node 3, 2 hops away from it, begins at t_us. */
static bool survives(bool capture, double t_us)
{
    struct air a;
    air_init(&a, capture, WLAN_IEEE);
    if (t_us < 0) {
        air_send(&a, 0, 3, 4, 0);
        air_send(&a, -t_us, 0, 1, 0);
    } else {
        air_send(&a, 0, 0, 1, 0);
        air_send(&a, t_us, 3, 4, 0);
    }
    assert_int_equal(a.node[4].rx.is_good, true); /* 4 does not hear 0 */
    return a.node[1].rx.from == 0 && a.node[1].rx.is_good;
}

static void test_capture(void **state)
{
    (void)state;
    assert_true(survives(true, 100));
    assert_true(survives(true, 0)); /* at the same instant: the stronger one */
    assert_false(survives(true, -100));
    assert_false(survives(false, 100));
    struct air a; /* a neighbour on the other side is as strong */
    air_init(&a, true, WLAN_IEEE);
    air_send(&a, 0, 0, 1, 0);
    air_send(&a, 100, 2, 3, 0);
    assert_false(a.node[1].rx.is_good);
    assert_int_equal(a.node[1].rx.from, 2); /* the one that ends last */
    assert_true(a.node[3].rx.is_good);
    air_init(&a, true, WLAN_IEEE); /* who sends does not receive */
    air_send(&a, 0, 0, 1, 0);
    air_send(&a, 100, 1, 2, 0);
    assert_false(a.node[1].rx.is_good);
    assert_false(a.node[0].rx.is_good);
}

/* Who decodes a frame for another keeps the time announced; who only senses it waits EIFS in place of DIFS: with ns-2's
 * rules as NAV, and DIFS behind. */
static void test_nav(void **state)
{
    (void)state;
    for (int rules = WLAN_IEEE; rules <= WLAN_NS2; rules++) {
        struct air a;
        air_init(&a, true, (enum wlan_rules)rules);
        air_send(&a, 0, 2, 1, 5000);
        air_end(&a, FRAME_US, 2);
        assert_int_equal(a.node[1].nav_ps, 0);
        assert_int_equal(a.node[3].nav_ps, 5000 * PS_PER_US);
        assert_int_equal(a.node[4].nav_ps, rules == WLAN_NS2 ? (FRAME_US + 364) * PS_PER_US : 0);
        assert_int_equal(a.node[4].gate_ps, rules == WLAN_NS2 ? 0 : (FRAME_US + 314) * PS_PER_US);
        assert_int_equal(a.node[5].nav_ps, 0);
        a.node[4].has_backoff = true;
        a.node[4].slots = 3;
        wlan_resume(&a.sim, &a.w, 4);
        assert_int_equal(a.due_ps[NODES + 4], (FRAME_US + 364 + 60 + (rules == WLAN_NS2 ? 50 : 0)) * PS_PER_US);
    }
}

/* Backoff stands still while the medium is busy, and only whole slots have been counted. */
static void test_backoff(void **state)
{
    (void)state;
    struct air a;
    air_init(&a, true, WLAN_IEEE);
    a.node[1].has_backoff = true;
    a.node[1].slots = 10;
    wlan_resume(&a.sim, &a.w, 1);
    assert_int_equal(a.due_ps[NODES + 1], 250 * PS_PER_US);
    air_send(&a, 50 + 3 * 20 + 19, 0, 2, 0); /* not its own: undecodable there, but good here */
    assert_int_equal(a.due_ps[NODES + 1], TIME_NEVER);
    assert_int_equal(a.node[1].slots, 7);
    air_end(&a, 2000, 0);
    assert_int_equal(a.due_ps[NODES + 1], (2000 + 50 + 7 * 20) * PS_PER_US);
    air_send(&a, 2190, 2, 3, 0); /* at the very instant: it sends, too */
    assert_int_equal(a.due_ps[NODES + 1], 2190 * PS_PER_US);
}

/* --- chains against ns-2 ------------------------------------------------------------------------------------------ */

struct chain {
    const char *traffic, *routing;
    double rate, offered, mbit;
    bool has_rts;
    int hops;
};

/* ns-2 counts IP packets of 1500 B, its own queue of 50 holds 49, and above 2 Mbit/s RTS, CTS and ACK were sent at 2.
 */
static double chain_mbit(const struct chain *c)
{
    char what[400];
    bool is_udp = strcmp(c->traffic, "udp") == 0;
    if (is_udp)
        snprintf(what, sizeof what, "app: {kind: udp_cbr, packet: 1472 B, interval: %.9g ms}\n",
                 1480 * 8 / c->offered / 1e3);
    else
        snprintf(what, sizeof what,
                 "tcp: {dialect: ns2, algorithm: newreno, mss: 1024 B, header: 40 B, receive_window: 32768 B}\n");
    struct scene scene = scene_make("duration: 60 s\npath: [{name: a, rate: %.9g Mbit/s, wlan: chain, wlan_hops: %d, "
                                    "wlan_rts: %s, wlan_rules: ns2, wlan_header: 34 B, wlan_basic_rate: %d Mbit/s, "
                                    "queue: 49 packets}]\n%s",
                                    c->rate, c->hops, c->has_rts ? "true" : "false", c->rate > 2 ? 2 : 1, what);
    scene_simulate(&scene, 7, false);
    double mbit = scene.result.all[METRIC_goodput] / 1e6 * (is_udp ? 1500.0 / 1472 : 1);
    scene_free(&scene);
    return mbit;
}

/* What a row may differ by. Chains of more than six hops: ns-2's AODV takes a lost frame for a broken link, and from
 * seven hops on (TTL_THRESHOLD) it looks for the route in the whole network, with timeouts of seconds; here routes are
 * fixed. */
static double chain_tolerance(const struct chain *c)
{
    bool is_udp = strcmp(c->traffic, "udp") == 0;
    if (c->hops <= 3)
        return is_udp || c->hops < 3 ? 0.03 : 0.35;
    return c->hops > 6 ? INFINITY : is_udp ? 0.25 : 0.35;
}

/* In make test every third of the longer chains. */
static bool is_skipped(const struct chain *c)
{
    return strcmp(c->routing, "AODV") != 0 || (c->hops > 3 && c->hops != 6 && !getenv("TCPSWEEP_LONG"));
}

static void test_chain(void **state)
{
    (void)state;
    char line[VECTOR_LINE_BYTES], *cell[VECTOR_CELLS_MAX];
    FILE *file = fopen("tests/reference/chain-80211-ns2.csv", "r");
    assert_non_null(file);
    double before = 0;
    int n = 0;
    while (fgets(line, sizeof line, file)) {
        if (vector_split(line, cell) < 8)
            continue;
        struct chain c = {.traffic = cell[0],
                          .rate = atof(cell[1]),
                          .routing = cell[2],
                          .has_rts = strcmp(cell[3], "on") == 0,
                          .offered = atof(cell[4]),
                          .hops = atoi(cell[5]),
                          .mbit = atof(cell[7])};
        if (is_skipped(&c))
            continue;
        double mbit = chain_mbit(&c);
        if (fabs(mbit / c.mbit - 1) > chain_tolerance(&c))
            fail_msg("%s %g Mbit/s %s, RTS %s, %d hops: %.4f Mbit/s, ns-2 %.4f", c.traffic, c.rate, cell[4], cell[3],
                     c.hops, mbit, c.mbit);
        if (strcmp(c.traffic, "tcp") == 0 && c.hops > 1 && mbit > before)
            fail_msg("tcp %g Mbit/s, RTS %s: more over %d hops than before", c.rate, cell[3], c.hops);
        before = mbit;
        n++;
    }
    fclose(file);
    assert_true(n > 50);
}

/* --- stations ----------------------------------------------------------------------------------------------------- */

static struct scene run_star(int stations, const char *more, double duration_s)
{
    struct scene scene = scene_make("duration: %.9g s\nlinks: {a: {rate: 2 Mbit/s, wlan: star, queue: 3 packets, %s}}\n"
                                    "flows: [{name: f, count: %d, via: [a]}]\n"
                                    "app: {kind: udp_cbr, packet: 1472 B, interval: %.9g ms}\n",
                                    duration_s, more, stations, stations > 2 ? 20.0 : 5.0);
    scene_simulate(&scene, 7, false);
    return scene;
}

/* Saturation throughput of n stations that hear each other: Bianchi, IEEE JSAC 18(3), 2000, eq. 7, 9 and 13. A
 * collision takes as long as an exchange here: who has lost waits for the ACK that does not come, the others EIFS. */
static double bianchi_mbit(int n, bool has_rts)
{
    const double w = 32, m = 5, slot = 20, sifs = 10, difs = 50, rts = 352, cts = 304, ack = 304;
    double data = 192 + 1528 * 8 / 2.0, low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double tau = (low + high) / 2, p = 1 - pow(1 - tau, n - 1);
        double wanted = 2 * (1 - 2 * p) / ((1 - 2 * p) * (w + 1) + p * w * (1 - pow(2 * p, m)));
        if (tau < wanted)
            low = tau;
        else
            high = tau;
    }
    double busy = 1 - pow(1 - low, n), success = n * low * pow(1 - low, n - 1);
    double exchange = data + sifs + ack + difs + (has_rts ? rts + cts + 2 * sifs : 0);
    double collision = has_rts ? rts + sifs + cts + difs : exchange;
    return success * 1472 * 8 / ((1 - busy) * slot + success * exchange + (busy - success) * collision);
}

/* Within 3 %. Ours never gives up, as the model. */
static void test_bianchi(void **state)
{
    (void)state;
    static const int stations[] = {1, 2, 5, 10};
    for (int has_rts = 0; has_rts <= 1; has_rts++)
        for (size_t i = 0; i < sizeof stations / sizeof *stations; i++) {
            int n = stations[i];
            struct scene scene =
                run_star(n, has_rts ? "wlan_rts: true, wlan_short_retry: 1000" : "wlan_short_retry: 1000", 100);
            scene_near("throughput", scene.result.all[METRIC_goodput] / 1e6, bianchi_mbit(n, has_rts), 0.03);
            scene_free(&scene);
        }
}

static double failed_share(const struct scene *scene)
{
    return scene->result.all[METRIC_exchanges_failed] / scene->result.all[METRIC_exchanges];
}

/* Two stations: out of each other's hearing data frames destroy each other unless RTS and CTS come before. */
static void test_hidden(void **state)
{
    (void)state;
    struct scene heard = run_star(2, "wlan_rts: false", 60), hidden = run_star(2, "wlan_hidden: all", 60);
    struct scene halves = run_star(2, "wlan_hidden: halves", 60);
    struct scene rts = run_star(2, "wlan_hidden: all, wlan_rts: true", 60);
    assert_true(failed_share(&heard) < 0.1);
    assert_true(failed_share(&hidden) > 0.5);
    assert_true(failed_share(&rts) < 0.3);
    assert_true(rts.result.all[METRIC_drops_retry] < 0.2 * hidden.result.all[METRIC_drops_retry]);
    assert_true(hidden.result.all[METRIC_goodput] < 0.6 * heard.result.all[METRIC_goodput]);
    assert_true(rts.result.all[METRIC_goodput] > 0.85 * heard.result.all[METRIC_goodput]);
    assert_true(halves.result.all[METRIC_goodput] == hidden.result.all[METRIC_goodput]);
    scene_free(&heard), scene_free(&hidden), scene_free(&halves), scene_free(&rts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange), cmocka_unit_test(test_first_packet), cmocka_unit_test(test_capture),
        cmocka_unit_test(test_nav),      cmocka_unit_test(test_backoff),      cmocka_unit_test(test_chain),
        cmocka_unit_test(test_bianchi),  cmocka_unit_test(test_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
