/* test_aqm.c - active queue management: RED, ARED and PIE by themselves, reference numbers, ECN, bufferbloat. */
#include "kernel_vectors.h"
#include "scene.h"

#include "../../kernels/queue/managed.h"
#include "../../kernels/station/codel_queue.h"

/* --- reference numbers -------------------------------------------------------------------------------------------- */

static void check_red(const struct vector_row *row)
{
    double avg = vector_in(row, "avg"), min = vector_in(row, "min"), max = vector_in(row, "max"),
           max_p = vector_in(row, "max_p");
    vector_check(row, "pb_gentle", red_probability(avg, min, max, max_p, true));
    vector_check(row, "pb_plain", red_probability(avg, min, max, max_p, false));
}

static void check_codel(const struct vector_row *row)
{
    const char *text = vector_text(row->expected, "next_drops_s");
    int64_t interval_ps = (int64_t)(vector_in(row, "interval_s") * 1e12), t_ps = 0;
    char *end;
    uint32_t count = 1;
    for (double expected = strtod(text, &end); end != text; expected = strtod(text = end, &end), count++) {
        t_ps = codel_next_ps(t_ps, interval_ps, count);
        vector_near(row->id, "drop", (double)t_ps / 1e12, expected, row->tolerance);
    }
    assert_int_equal(count, 7);
}

static void check_pie(const struct vector_row *row)
{
    struct pie_params pie = {.target_ps = (int64_t)(vector_in(row, "target_s") * 1e12), .alpha = 0.125, .beta = 1.25};
    vector_check(
        row, "p",
        pie_probability(&pie, vector_in(row, "p"), vector_in(row, "qdelay_s"), vector_in(row, "qdelay_old_s")));
}

static void test_vectors(void **state)
{
    (void)state;
    static const char *const groups[] = {"red", "codel", "pie", NULL};
    static const struct vector_rule rules[] = {{"red_pb_", check_red, NULL},
                                               {"codel_drop_times", check_codel, NULL},
                                               {"pie_", check_pie, NULL},
                                               {NULL, NULL, NULL}};
    kernel_vectors(groups, rules);
}

/* RFC 8033 4.2: steps of all sizes; 5.5: the cap; the decay of an idle queue. */
static void test_pie_steps(void **state)
{
    (void)state;
    static const struct {
        double p, delay_s, old_delay_s, expected;
    } rows[] = {
        {5e-6, 0.031, 0.031, 5e-6 + 0.002 / 512},
        {5e-5, 0.031, 0.031, 5e-5 + 0.002 / 128},
        {5e-4, 0.031, 0.031, 5e-4 + 0.002 / 32},
        {5e-3, 0.031, 0.031, 5e-3 + 0.002 / 8},
        {0.1, 0.1, 0.05, 0.12},
        {0.1, 0.3, 0.3, 0.14},
        {0.5, 0, 0, (0.5 - 0.001875) * 0.98},
        {1e-7, 0, 0.001, 0},
        {0.99, 0.3, 0.1, 1},
    };
    const struct pie_params pie = {.target_ps = 15 * PS_PER_MS, .alpha = 0.125, .beta = 1.25};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        scene_near("p", pie_probability(&pie, rows[i].p, rows[i].delay_s, rows[i].old_delay_s), rows[i].expected, 1e-9);
}

/* --- RED by itself ------------------------------------------------------------------------------------------------ */

enum { RED_SLOTS = 64 };

struct bench {
    struct channel_cfg channel;
    struct queue_slot slot[RED_SLOTS];
    struct managed managed;
};

/* A queue at 10 Mbit/s that holds `waiting` packets for good. */
static void red_bench(struct bench *b, const char *name, struct red_params params, uint32_t waiting)
{
    const struct managed_ops *const *ops = managed_list;
    while (strcmp((*ops)->item.name, name) != 0)
        ops++;
    params.mean_packet_bytes = 1000;
    params.interval_ps = PS_PER_S / 2, params.target_ps = 5 * PS_PER_MS, params.alpha = 0.01, params.beta = 0.9;
    b->channel =
        (struct channel_cfg){.rate_bps = 1e7, .aqm = {.kind = (int)(*ops)->kind, .marks = true, .red = params}};
    b->managed = (struct managed){.ops = *ops, .channel = &b->channel, .slot = b->slot, .slots = RED_SLOTS};
    random_init(&b->managed.random, (struct sim_key){{3, 5}}, 0x30000000);
    (*ops)->start(&b->managed, INFINITY);
    for (uint32_t i = 0; i < waiting; i++)
        assert_true(managed_waits(&b->managed, 0, TIME_NEVER, 1000));
}

static enum verdict arrive(struct bench *b, int64_t t_ps, uint32_t bytes, bool is_ecn_capable)
{
    return managed_arrives(&b->managed, &(struct arrival){t_ps, TIME_NEVER, 8 * PS_PER_MS / 10, bytes, is_ecn_capable});
}

/* Distances between hits are uniform on 1 ... 1/p_b = 20: chi-square, 19 degrees of freedom, 0.1 % bound. */
static void test_red_spacing(void **state)
{
    (void)state;
    enum { GAPS = 20, HITS = 20000 };
    struct bench b;
    red_bench(&b, "red", (struct red_params){.max_p = 0.1, .weight = 1, .is_gentle = true}, 10);
    unsigned seen[GAPS + 1] = {0}, gap = 0;
    for (int hits = 0; hits < HITS;) {
        gap++;
        assert_true(gap <= GAPS);
        if (arrive(&b, 0, 1000, false) == VERDICT_PASS)
            continue;
        seen[gap]++, hits++;
        gap = 0;
    }
    double chi = 0, expected = (double)HITS / GAPS;
    for (int i = 1; i <= GAPS; i++)
        chi += (seen[i] - expected) * (seen[i] - expected) / expected;
    assert_true(chi < 43.8);
}

/* Half a packet is hit half as often: gaps are uniform on 1 ... 40, mean 20.5; a mark takes a drop's place. */
static void test_red_bytes_and_marks(void **state)
{
    (void)state;
    struct bench b;
    red_bench(&b, "red", (struct red_params){.max_p = 0.1, .weight = 1, .is_gentle = true, .counts_bytes = true}, 10);
    unsigned hits = 0;
    for (int i = 0; i < 200000; i++) {
        enum verdict verdict = arrive(&b, 0, 500, true);
        assert_true(verdict != VERDICT_DROP);
        hits += verdict == VERDICT_MARK;
    }
    scene_near("gap", 200000.0 / hits, 20.5, 0.02); /* deviation 11.5 over 9756 gaps: 0.6 % */
    b.channel.aqm.marks = false;
    for (unsigned drops = 0; drops < 5;) {
        enum verdict verdict = arrive(&b, 0, 500, true);
        assert_true(verdict != VERDICT_MARK);
        drops += verdict == VERDICT_DROP;
    }
}

/* Below all is let in, above all thresholds nothing is, ECN or not. */
static void test_red_thresholds(void **state)
{
    (void)state;
    static const struct {
        uint32_t waiting;
        bool is_gentle;
        enum verdict expected;
    } rows[] = {{4, true, VERDICT_PASS}, {15, false, VERDICT_DROP}, {30, true, VERDICT_DROP}};
    for (size_t i = 0; i < 3; i++) {
        struct bench b;
        red_bench(&b, "red", (struct red_params){.max_p = 0.1, .weight = 1, .is_gentle = rows[i].is_gentle},
                  rows[i].waiting);
        for (int k = 0; k < 1000; k++)
            assert_int_equal(arrive(&b, 0, 1000, true), rows[i].expected);
    }
}

/* The average, and what idle time makes of it: 5 packet times are 5 arrivals that find nothing. */
static void test_red_average(void **state)
{
    (void)state;
    struct bench b;
    red_bench(&b, "red", (struct red_params){.max_p = 0.1, .weight = 0.25}, 8);
    arrive(&b, 0, 1000, false);
    scene_near("first", b.managed.state.red.average, 2, 1e-12);
    arrive(&b, 0, 1000, false);
    scene_near("second", b.managed.state.red.average, 3.5, 1e-12);
    b.managed.n = 0;
    managed_arrives(&b.managed, &(struct arrival){10 * PS_PER_MS, 6 * PS_PER_MS, 1, 1000, false});
    scene_near("idle", b.managed.state.red.average, 3.5 * pow(0.75, 6), 1e-12);
}

/* Automatic settings at 10 Mbit/s (1250 packets/s) and 100 Mbit/s; max_p by the average, also where several adaptations
 * are due. */
static void test_ared(void **state)
{
    (void)state;
    struct bench b;
    red_bench(&b, "ared", (struct red_params){.max_p = 0.1}, 0);
    struct red_state *red = &b.managed.state.red;
    scene_near("weight", red->weight, 1 - exp(-1.0 / 1250), 1e-9);
    assert_true(red->min == 5 && red->max == 15);
    b.channel.rate_bps = 1e8;
    b.managed.ops->start(&b.managed, INFINITY);
    assert_true(red->min == 31.25 && red->max == 93.75);
    red_bench(&b, "ared", (struct red_params){.max_p = 0.1, .weight = 1}, 12);
    static const double rising[] = {0.1, 0.11, 0.12, 0.14};
    static const double at_s[] = {0.4, 0.5, 1.2, 2.0};
    for (int i = 0; i < 4; i++) {
        arrive(&b, (int64_t)(at_s[i] * 1e12), 1000, false);
        scene_near("max_p", red->max_p, rising[i], 1e-12);
    }
    for (int i = 0; i < 2000; i++)
        arrive(&b, (int64_t)(3 + i) * PS_PER_S, 1000, false);
    assert_true(red->max_p > 0.5 && red->max_p <= 0.51);
    red_bench(&b, "ared", (struct red_params){.max_p = 0.1, .weight = 1}, 10);
    arrive(&b, 9 * PS_PER_S, 1000, false);
    assert_true(red->max_p == 0.1);
    red_bench(&b, "ared", (struct red_params){.max_p = 0.1, .weight = 1}, 6);
    arrive(&b, PS_PER_S, 1000, false);
    scene_near("falling", red->max_p, 0.081, 1e-12);
    arrive(&b, 100000 * PS_PER_S, 1000, false);
    assert_true(red->max_p < 0.01 && red->max_p >= 0.009);
}

/* --- PIE by itself ------------------------------------------------------------------------------------------------ */

/* A queue of `waiting` packets at a probability and delay that no update changes. */
static void pie_bench(struct bench *b, double p, double delay_s, uint32_t waiting)
{
    red_bench(b, "pie", (struct red_params){0}, waiting);
    b->channel.aqm.pie = (struct pie_params){15 * PS_PER_MS, 15 * PS_PER_MS, 150 * PS_PER_MS, 0.125, 1.25, 0.1, true};
    b->managed.state.pie = (struct pie_state){.p = p, .delay_s = delay_s, .next_ps = TIME_NEVER};
}

/* RFC 8033 5.4: no hit before the probabilities have added up to 0.85, one at 8.5 at the latest. */
static void test_pie_spacing(void **state)
{
    (void)state;
    struct bench b;
    unsigned gap = 0, least = UINT32_MAX, most = 0, hits = 0;
    pie_bench(&b, 0.05, 0.03, 10);
    for (int i = 0; i < 200000; i++) {
        gap++;
        if (arrive(&b, 0, 1000, false) == VERDICT_PASS)
            continue;
        least = gap < least ? gap : least, most = gap > most ? gap : most;
        gap = 0, hits++;
    }
    assert_true(least == 17 || least == 18); /* 0.85 / 0.05, as sums round */
    assert_true(most <= 171 && most > 120);
    scene_near("gap", 200000.0 / hits, 16 + 20, 0.03); /* 16 that can't be hit, then geometric */
    b.channel.aqm.pie.is_derandomized = false;
    hits = 0;
    for (int i = 0; i < 200000; i++)
        hits += arrive(&b, 0, 1000, false) == VERDICT_DROP;
    scene_near("share", hits / 200000.0, 0.05, 0.03);
}

/* What is never hit, and what is dropped though it could be marked. */
static void test_pie_exceptions(void **state)
{
    (void)state;
    static const struct {
        double p, delay_s;
        uint32_t waiting;
        int64_t burst_ps;
        enum verdict expected; /* of those that are hit, or pass */
    } rows[] = {
        {0.1, 0.03, 10, 0, VERDICT_MARK},  {0.11, 0.03, 10, 0, VERDICT_DROP},  {0.19, 0.007, 10, 0, VERDICT_PASS},
        {0.2, 0.007, 10, 0, VERDICT_DROP}, {0.19, 0.008, 10, 0, VERDICT_DROP}, {1, 0.03, 2, 0, VERDICT_PASS},
        {1, 0.03, 3, 0, VERDICT_DROP},     {1, 0.03, 10, 1, VERDICT_PASS},     {0, 0.03, 10, 0, VERDICT_PASS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        unsigned seen[3] = {0};
        pie_bench(&b, rows[i].p, rows[i].delay_s, rows[i].waiting);
        b.managed.state.pie.burst_ps = rows[i].burst_ps;
        for (int k = 0; k < 1000; k++)
            seen[arrive(&b, 0, 1000, true)]++;
        for (int v = VERDICT_MARK; v <= VERDICT_DROP; v++)
            if ((seen[v] > 0) != (rows[i].expected == (enum verdict)v))
                fail_msg("row %zu: %u of verdict %d", i, seen[v], v);
    }
}

/* Updates that are due when a packet arrives: the allowance of 150 ms is used up by ten, and given again once all is
 * calm; after a long silence nothing is left of the probability. */
static void test_pie_updates(void **state)
{
    (void)state;
    struct bench b;
    pie_bench(&b, 0, 0, 0);
    struct pie_state *pie = &b.managed.state.pie;
    b.managed.ops->start(&b.managed, INFINITY);
    managed_arrives(&b.managed, &(struct arrival){74 * PS_PER_MS, 200 * PS_PER_MS, 1, 1000, false});
    assert_true(pie->burst_ps == 90 * PS_PER_MS && pie->next_ps == 75 * PS_PER_MS);
    scene_near("delay", pie->delay_s, 0.14, 1e-9);
    scene_near("before", pie->old_delay_s, 0.155, 1e-9);
    managed_arrives(&b.managed, &(struct arrival){151 * PS_PER_MS, 400 * PS_PER_MS, 1, 1000, false});
    assert_true(pie->burst_ps == 0 && pie->p > 0);
    managed_arrives(&b.managed, &(struct arrival){3600 * PS_PER_S, 500 * PS_PER_MS, 1, 1000, false});
    assert_true(pie->burst_ps == 150 * PS_PER_MS && pie->p == 0);
    assert_true(pie->next_ps > 3600 * PS_PER_S && pie->next_ps <= 3600 * PS_PER_S + 15 * PS_PER_MS);
    assert_true(pie->next_ps % (15 * PS_PER_MS) == 0);
}

/* --- under a constant load ---------------------------------------------------------------------------------------- */

/* Datagrams of 1000 B on the link (overhead of 100 B in it) at 8 Mbit/s: 1000 a second are served. */
static struct scene overload(const char *link, double interval_us, double seconds)
{
    struct scene scene =
        scene_make("duration: %g s\nwarmup: %g s\npath: [{name: l, rate: 8 Mbit/s, delay: 1 ms, overhead: 100 B, %s}]\n"
                   "app: {kind: udp_cbr, packet: 872 B, interval: %g us}\n",
                   seconds, seconds / 5, link, interval_us);
    scene_simulate(&scene, 7, false);
    return scene;
}

/* The average settles where p_b fits the overload of 5 %: gaps of 20 = (1 + 1/p_b) / 2, p_b = 1/39, 7.56 packets. That
 * is what arrivals find; with the arrived one until the next departure half a packet more waits. ARED brings the
 * average to the middle of its thresholds, 9 to 11. */
static void test_red_steady(void **state)
{
    (void)state;
    struct scene scene = overload("aqm: red", 950, 200);
    const double *m = scene.result.all;
    scene_near("queue", m[METRIC_queue_mean], 5 + 10 / (0.1 * 39) + 0.5, 0.01);
    scene_near("share", m[METRIC_drops_queue] / m[METRIC_sent], 0.05, 0.01);
    scene_free(&scene);
    scene = overload("aqm: ared, red_weight: 0.01", 950, 200);
    m = scene.result.all;
    assert_true(m[METRIC_queue_mean] > 9.4 && m[METRIC_queue_mean] < 11.6);
    scene_free(&scene);
}

/* PIE holds its target whatever the load: 15 ms are 15 packets; what is too much is dropped. */
static void test_pie_steady(void **state)
{
    (void)state;
    static const double loads[] = {1.05, 1.25, 2};
    for (int i = 0; i < 3; i++) {
        struct scene scene = overload("aqm: pie", 1000 / loads[i], 100);
        const double *m = scene.result.all;
        scene_near("delay", m[METRIC_queue_mean] / 1000, 0.015, 0.1);
        scene_near("share", m[METRIC_drops_queue] / m[METRIC_sent], 1 - 1 / loads[i], 0.01);
        scene_free(&scene);
    }
}

/* What is marked is not dropped, and the sender hears of it. */
static void test_ecn(void **state)
{
    (void)state;
    static const char *const aqms[] = {"red", "ared", "pie", "codel", "fq_codel"};
    for (int i = 0; i < 5; i++) {
        double drops[2];
        for (int off = 0; off < 2; off++) {
            struct scene scene =
                scene_run("duration: 30 s\nwarmup: 5 s\npath: [{name: l, rate: 10 Mbit/s, delay: 20 ms, aqm: %s%s, "
                          "reverse: {aqm: none}}]\n"
                          "tcp: {algorithm: newreno, ecn: classic, mss: 1460 B, receive_window: 1000000 B, "
                          "window_scaling: true}\n",
                          aqms[i], off ? ", aqm_ecn: false" : "");
            const double *m = scene.result.all;
            drops[off] = m[METRIC_drops_queue];
            assert_true(off ? m[METRIC_marked] == 0 : m[METRIC_marked] > 3 && m[METRIC_ecn_reductions] > 3);
            scene_free(&scene);
        }
        if (drops[0] != 0 || drops[1] < 3)
            fail_msg("%s: %g drops with ECN, %g without", aqms[i], drops[0], drops[1]);
    }
}

/* --- bufferbloat and its cure ------------------------------------------------------------------------------------- */

/* Seed 002, 2.3: 25 ms each way, 20 Mbit/s, 1000 packets, CUBIC of Linux, frames of 1514 B. */
static struct scene bloat(const char *aqm)
{
    return scene_run(
        "duration: 30 s\nwarmup: 10 s\npath: [{name: lo, rate: 20 Mbit/s, delay: 25 ms, queue: 999 packets, "
        "overhead: 14 B, aqm: %s, reverse: {aqm: none}}]\n"
        "tcp: {dialect: linux, algorithm: cubic, mss: 1448 B, receive_window: 6 MiB}\n",
        aqm);
}

/* The round-trip time of what is sent at a window of 823 segments: 494 ms in the seed, 823 x 1514 B at 20 Mbit/s = 498.
 */
static void test_bufferbloat(void **state)
{
    (void)state;
    struct scene scene = bloat("none");
    double at_ms = 0;
    for (size_t i = 0; i < scene.n && at_ms == 0; i++)
        if (scene.row[i].event == TRACE_CWND && scene.row[i].x >= 823)
            at_ms = (double)scene.row[i].t_ps / 1e9;
    const struct trace_row *row = scene_row(&scene, 0, 'm', 0, at_ms + 490);
    assert_non_null(row);
    scene_near("RTT at 823 segments", row->x, 0.494, 0.02);
    assert_true(scene.result.all[METRIC_rtt_mean] > 0.4);
    scene_free(&scene);
}

/* The base RTT is 50.6 ms. CoDel and FQ-CoDel bring the RTT to no more than the target of 5 ms above that, PIE to its
 * 15 ms; the link stays busy. */
static void test_cure(void **state)
{
    (void)state;
    static const struct {
        const char *aqm;
        double rtt_s, utilisation;
    } rows[] = {{"codel", 0.0556, 0.9}, {"fq_codel", 0.0556, 0.9}, {"pie", 0.0672, 0.97}};
    for (int i = 0; i < 3; i++) {
        struct scene scene = bloat(rows[i].aqm);
        const double *m = scene.result.all;
        if (m[METRIC_rtt_mean] > rows[i].rtt_s || m[METRIC_utilisation] < rows[i].utilisation)
            fail_msg("%s: RTT %g, utilisation %g", rows[i].aqm, m[METRIC_rtt_mean], m[METRIC_utilisation]);
        scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_pie_steps),
        cmocka_unit_test(test_red_spacing),
        cmocka_unit_test(test_red_bytes_and_marks),
        cmocka_unit_test(test_red_thresholds),
        cmocka_unit_test(test_red_average),
        cmocka_unit_test(test_ared),
        cmocka_unit_test(test_pie_spacing),
        cmocka_unit_test(test_pie_exceptions),
        cmocka_unit_test(test_pie_updates),
        cmocka_unit_test(test_red_steady),
        cmocka_unit_test(test_pie_steady),
        cmocka_unit_test(test_ecn),
        cmocka_unit_test(test_bufferbloat),
        cmocka_unit_test(test_cure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
