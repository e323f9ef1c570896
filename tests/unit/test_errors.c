/* test_errors.c - how much each error model loses, where, and in which bursts: within three standard errors of what the
 * formula says, with so many packets that one percent would be seen; fixed seeds.
 */
#include "scene.h"

struct tally {
    int64_t end_ps;
    uint64_t drops, bursts; /* of data */
    uint64_t by_hop[4];
    int64_t last;
};

static void tally_row(void *ctx, const struct trace_row *row)
{
    struct tally *t = ctx;
    if ((row->event != TRACE_DROP && row->event != TRACE_ACK_DROP) || row->t_ps > t->end_ps)
        return;
    t->by_hop[row->hop & 3]++;
    if (row->event == TRACE_ACK_DROP)
        return;
    t->bursts += t->drops == 0 || row->a != t->last + 1;
    t->drops++;
    t->last = row->a;
}

/* Runs it with only the drops counted. */
static struct tally tally_run(struct scene *scene, uint32_t key)
{
    struct tally tally = {.end_ps = scene->scenario->measure_to_ps};
    struct sim_trace hook = {.row = tally_row, .ctx = &tally};
    void *memory = aligned_alloc(64, sim_bytes(scene->scenario));
    assert_non_null(memory);
    sim_run(scene->scenario, (struct sim_key){{key, 5}}, memory, &hook, &scene->result);
    free(memory);
    assert_int_equal(scene->result.status, SIM_OK);
    return tally;
}

/* |count / n - p| within three standard errors; `spread`: variance over that of independent losses. */
static void expect_share(const char *what, double count, double n, double p, double spread)
{
    double error = sqrt(p * (1 - p) * spread / n);
    if (3 * error > 0.0105 * p)
        fail_msg("%s: %g packets do not show 1 %%", what, n);
    if (fabs(count / n - p) > 3 * error)
        fail_msg("%s: %g of %g, expected %g +- %g", what, count / n, n, p, 3 * error);
}

/* `n` packets of a size, one each 1 ms, over a link with the given keys. */
static struct tally datagrams(double n, uint32_t packet, const char *link, double *sent)
{
    struct scene scene = scene_make("duration: %.12g s\npath: [{name: l, rate: 100 Mbit/s, delay: 1 ms, %s}]\n"
                                    "app: {kind: udp_cbr, packet: %u B, interval: 1 ms}\n",
                                    n / 1000, link, packet);
    struct tally tally = tally_run(&scene, 3);
    *sent = scene.result.all[METRIC_sent];
    assert_true(scene.result.all[METRIC_drops_error] == (double)tally.drops);
    scene_free(&scene);
    return tally;
}

/* --- independent errors ------------------------------------------------------------------------------------------- */

/* 1 - (1 - BER)^(8 L), L with headers (28) and overhead. */
static void test_ber(void **state)
{
    (void)state;
    static const struct {
        uint32_t packet, bytes;
        const char *link;
        double ber;
    } rows[] = {
        {72, 100, "ber: 2e-4", 2e-4},
        {472, 500, "ber: 1e-4", 1e-4},
        {1472, 1500, "ber: 1e-4", 1e-4},
        {472, 538, "ber: 1e-4, overhead: 38 B", 1e-4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double sent;
        struct tally t = datagrams(600000, rows[i].packet, rows[i].link, &sent);
        expect_share(rows[i].link, (double)t.drops, sent, 1 - pow(1 - rows[i].ber, 8.0 * rows[i].bytes), 1);
    }
}

/* The same for every size, no memory: runs of losses have mean 1 / (1 - p). */
static void test_per(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {100, 1400};
    for (size_t i = 0; i < 2; i++) {
        double sent, p = 0.3, n;
        struct tally t = datagrams(400000, sizes[i], "per: 0.3", &sent);
        expect_share("per", (double)t.drops, sent, p, 1);
        n = (double)t.bursts;
        assert_true(fabs((double)t.drops / n - 1 / (1 - p)) < 3 * sqrt(p) / (1 - p) / sqrt(n));
    }
    double sent;
    assert_int_equal(datagrams(1000, 100, "per: 1", &sent).drops, 999); /* 1001 sent, two of them under way */
    assert_int_equal(datagrams(100000, 100, "per: 0", &sent).drops, 0);
}

/* Two models on one link: a packet that either hits is lost, once. */
static void test_both_models(void **state)
{
    (void)state;
    double sent;
    struct tally t = datagrams(600000, 472, "per: 0.1, ber: 5e-5", &sent);
    expect_share("per and ber", (double)t.drops, sent, 1 - 0.9 * pow(1 - 5e-5, 4000), 1);
}

/* netem's law, by a simple simulation of it with other random numbers: both means have an error. Losses in runs have
 * less information than independent ones; rho 0.25 makes that factor (1 + rho) / (1 - rho) at most. */
static void test_correlated(void **state)
{
    (void)state;
    enum { N = 2000000 };
    double sent, rho = 0.25, p = 0.3, x = 0, lost = 0;
    uint64_t z = 12345;
    for (int i = 0; i < N; i++) {
        z = z * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x = (1 - rho) * (double)(z >> 11) * 0x1p-53 + rho * x;
        lost += x < p;
    }
    struct tally t = datagrams(600000, 100, "per: 0.3, per_correlation: 0.25", &sent);
    double share = lost / N, error = sqrt(share * (1 - share) * (1 + rho) / (1 - rho) * (1 / sent + 1.0 / N));
    assert_true(share < 0.27); /* fewer than it says */
    if (fabs((double)t.drops / sent - share) > 3 * error)
        fail_msg("correlated: %g, expected %g +- %g", (double)t.drops / sent, share, 3 * error);
    assert_true((double)t.drops / (double)t.bursts > 1.1 / (1 - share)); /* in longer runs than independent losses */
}

static void test_periodic(void **state)
{
    (void)state;
    double sent;
    struct tally t = datagrams(1000, 100, "loss_every: 10", &sent);
    assert_int_equal(t.drops, 99); /* of 999 that have arrived */
    assert_int_equal(t.last, 989);
}

/* --- bursts ------------------------------------------------------------------------------------------------------- */

/* Stationary share of the bad state p / (p + r); bursts of mean 1 / r; correlation 1 - p - r from packet to packet. */
static void test_gilbert(void **state)
{
    (void)state;
    double sent, p = 0.1, r = 0.3, bad = p / (p + r), rho = 1 - p - r, spread = (1 + rho) / (1 - rho);
    struct tally t = datagrams(1200000, 100, "gilbert: {p: 0.1, r: 0.3}", &sent);
    expect_share("gilbert", (double)t.drops, sent, bad, spread);
    double n = (double)t.bursts;
    assert_true(fabs((double)t.drops / n - 1 / r) < 3 * sqrt(1 - r) / r / sqrt(n));
    /* losses in both states */
    t = datagrams(1200000, 100, "gilbert: {p: 0.1, r: 0.3, loss_good: 0.1, loss_bad: 0.6}", &sent);
    double loss = bad * 0.6 + (1 - bad) * 0.1, state_variance = bad * (1 - bad) * 0.25;
    spread = 1 + 2 * state_variance * rho / (1 - rho) / (loss * (1 - loss));
    expect_share("gilbert with loss in both states", (double)t.drops, sent, loss, spread);
}

/* Share of time in error periods; a packet each 1 ms sees the state, correlation exp(-1 ms (1/up + 1/down)). */
static void test_onoff(void **state)
{
    (void)state;
    double sent, up_ms = 4, down_ms = 2, rho = exp(-(1 / up_ms + 1 / down_ms));
    struct tally t = datagrams(1000000, 100, "onoff_loss: {up: 4 ms, down: 2 ms}", &sent);
    expect_share("onoff", (double)t.drops, sent, down_ms / (up_ms + down_ms), (1 + rho) / (1 - rho));
    /* a burst goes on while the state is the same a packet later: up -> down and down -> up in between are the same */
    double stay = down_ms / (up_ms + down_ms) + up_ms / (up_ms + down_ms) * rho, n = (double)t.bursts;
    assert_true(fabs((double)t.drops / n - 1 / (1 - stay)) < 3 * sqrt(stay) / (1 - stay) / sqrt(n));
}

/* --- where and what ----------------------------------------------------------------------------------------------- */

/* Of retransmitted packets half is lost on link x, of first transmissions none; y makes the losses. */
static void test_retransmissions(void **state)
{
    (void)state;
    struct scene scene =
        scene_make("duration: 100000 s\npath: [{name: x, rate: 100 Mbit/s, delay: 1 ms, per_retransmission: 0.5}, "
                   "{name: y, rate: 100 "
                   "Mbit/s, delay: 1 ms, per: 0.1, errors: forward}]\n"
                   "tcp: {handshake: false, min_rto: 10 ms, max_rto: 100 ms, initial_rto: 100 ms, algorithm: sack}\n");
    scene.scenario->measure_to_ps = 4600 * PS_PER_S;
    struct tally t = tally_run(&scene, 9);
    expect_share("retransmissions", (double)t.by_hop[0], scene.result.all[METRIC_retransmitted], 0.5, 1);
    assert_int_equal(t.by_hop[1] + t.by_hop[3], 0);                           /* ACKs */
    double first_sight = scene.result.all[METRIC_sent] - (double)t.by_hop[0]; /* what reaches y */
    expect_share("losses on y", (double)t.by_hop[2], first_sight, 0.1, 1);
    scene_free(&scene);
}

/* `errors:` says which directions; a shared link has both. */
static void test_directions(void **state)
{
    (void)state;
    static const struct {
        const char *link;
        bool forward, reverse;
    } rows[] = {
        {"errors: both", true, true},
        {"errors: forward", true, false},
        {"errors: reverse", false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene =
            scene_make("duration: 43000 s\npath: [{name: l, rate: 100 Mbit/s, delay: 1 ms, per: 0.2, %s}]\n"
                       "app: {kind: ping, packet: 100 B, interval: 100 ms}\n",
                       rows[i].link);
        struct tally t = tally_run(&scene, 4);
        double sent = scene.result.all[METRIC_sent], back = sent - (double)t.by_hop[0];
        if (rows[i].forward)
            expect_share("forward", (double)t.by_hop[0], sent, 0.2, 1);
        else
            assert_int_equal(t.by_hop[0], 0);
        if (rows[i].reverse)
            expect_share("reverse", (double)t.by_hop[1], back, 0.2, 1);
        else
            assert_int_equal(t.by_hop[1], 0);
        scene_free(&scene);
    }
}

/* Every direction of every link draws from its own stream: with the same probability they lose different packets. */
static void test_streams(void **state)
{
    (void)state;
    static char lost[3][1001];
    memset(lost, '.', sizeof lost);
    for (int i = 0; i < 3; i++) {
        struct scene scene =
            scene_run("duration: 10 s\npath: [{name: x, rate: 1 Gbit/s%s}, {name: y, rate: 1 Gbit/s%s}]\n"
                      "app: {kind: udp_cbr, packet: 100 B, interval: 10 ms}\n",
                      i == 1 ? "" : ", per: 0.1", i == 1 ? ", per: 0.1" : "");
        if (i == 2)
            scene_simulate(&scene, 8, true); /* another replication */
        for (size_t k = 0; scene_row(&scene, 0, 'D', k, 0); k++)
            lost[i][scene_row(&scene, 0, 'D', k, 0)->a] = 'x';
        scene_free(&scene);
    }
    for (int i = 0; i < 3; i++) {
        int same = 0, mine = 0;
        for (int k = 0; k <= 1000; k++) {
            mine += lost[i][k] == 'x';
            same += lost[i][k] == 'x' && lost[(i + 1) % 3][k] == 'x';
        }
        assert_true(mine > 60 && mine < 140);
        assert_true(same < 30); /* about 10 if independent, about 100 if the same */
    }
}

/* --- drop lists --------------------------------------------------------------------------------------------------- */

static void test_lists(void **state)
{
    (void)state;
    static const struct {
        const char *drops, *rows;
    } rows[] = {
        {"{packet: 2}", "11: D1"},
        {"{packet: 1}, {packet: 3}", "10: D0; 12: D2"},
        {"{packet: 7}, {ack: 1}, {ack: 2}, {ack: 3}, {ack: 4}, {ack: 5}, {ack: 6}", /* the 7th is 0 again */
         "20: L0; 21: L1; 22: L2; 23: L3; 24: L4; 25: L5; 1010: D0"},
        {"{segment: 3, transmission: 1}", "13: D3"},
        {"{segment: 0, transmission: 1}, {segment: 0, transmission: 2}", "10: D0; 1010: D0"},
        {"{segment: 3, transmission: 2}", ""},
        {"{ack: 2}, {ack: 6}", "21: L1; 25: L5"},
        {"{packet: 4}, {ack: 4}", "13: D3; 24: L2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        scene_check("DL", rows[i].rows,
                    "duration: 2 s\n" SCENE_PATH(", drops: [%s]") SCENE_TCP(
                        ", initial_window: 6 segments, algorithm: old_tahoe") "app: {kind: file, size: 6 KB}\n",
                    rows[i].drops);
}

/* SYN, FIN and the opener's ACKs are neither counted nor dropped. */
static void test_lists_and_control(void **state)
{
    (void)state;
    scene_check("SDR", "19: S0 S1; 30: D1; 1039: R1; 1059: S2",
                "duration: 3 s\n" SCENE_PATH(
                    ", drops: [{packet: 2}]") "tcp: {mss: 1000 B, header: 0 B, ack_size: 1 B, delayed_ack: false, "
                                              "initial_window: 2 segments, "
                                              "limited_transmit: false}\napp: {kind: file, size: 2 KB}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_correlated),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_ber),         cmocka_unit_test(test_per),
        cmocka_unit_test(test_both_models), cmocka_unit_test(test_gilbert),
        cmocka_unit_test(test_onoff),       cmocka_unit_test(test_retransmissions),
        cmocka_unit_test(test_directions),  cmocka_unit_test(test_streams),
        cmocka_unit_test(test_lists),       cmocka_unit_test(test_lists_and_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
