/* test_cc_delay_behaviour.c - what the congestion controls that look at delay, bandwidth or marks must do, without
 * reference numbers: growth with and without a queue, losses, timeouts, windows that stay finite and above their floor;
 * and what is particular to each. */
#include "cc_bench.h"

#include <math.h>

#include "../../kernels/recovery/vegas_fine.h"

static struct cc_bench bench;

/* Per round trip at window 100: growth with RTT = base, growth with RTT = 1.5 base (a third of the window queued); part
 * of the window that remains after a loss in either. */
static const struct algorithm {
    const char *name;
    double growth, growth_queued, remains, remains_queued;
} algorithms[] = {
    {"vegas", 1, -1, 0.75, 0.75},     {"vegas_ns2", 1, -1, 0.75, 0.75},  {"vegas_linux", 1, -1, 0.5, 0.5},
    {"vegas_a", 1, -1, 0.75, 0.75},   {"vegas_plus", 1, -1, 0.75, 0.75}, {"veno", 1, 0.5, 0.8, 0.5},
    {"veno_linux", 1, 0.5, 0.8, 0.5}, {"cerl", 1, 1, 0.5, 0.5},          {"jersey", 1, 1, 1, 1},
    {"newjersey", 1, 1, 1, 0.67},     {"ledbat", 1, 0.5, 0.5, 0.5},      {"dctcp", 1, 1, 0.5, 0.5},
};

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

static const double BASE_S = 0.1;

static void check_near(const char *name, const char *what, double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%s: %s is %.10g, expected %g", name, what, got, want);
}

static void check_sane(const char *name)
{
    const struct flow *f = &bench.flow;
    if (!(f->cwnd >= 1 && f->cwnd <= 1e9 && f->ssthresh >= 1 && f->ssthresh <= 1e9))
        fail_msg("%s: cwnd %g, ssthresh %g", name, f->cwnd, f->ssthresh);
}

/* In avoidance at 100 segments, the base RTT known. */
static void open_at_100(const char *name, const char *sets)
{
    bench_open(&bench, name, sets);
    bench_wait(&bench, BASE_S); /* no ACK comes earlier */
    bench_avoid(&bench, 100);
    bench_rounds(&bench, 3, BASE_S);
    bench_avoid(&bench, 100);
}

/* Mean growth of a round over ten, after two that fill the filters. */
static double growth(double rtt_s)
{
    bench_rounds(&bench, 2, rtt_s);
    double before = bench.flow.cwnd;
    bench_rounds(&bench, 10, rtt_s);
    return (bench.flow.cwnd - before) / 10;
}

static void test_growth(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        const struct algorithm *a = &algorithms[i];
        open_at_100(a->name, NULL);
        check_near(a->name, "growth", growth(BASE_S), a->growth, 0.12);
        open_at_100(a->name, NULL);
        check_near(a->name, "growth with a queue", growth(1.5 * BASE_S), a->growth_queued, 0.12);
    }
}

static void test_loss(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        const struct algorithm *a = &algorithms[i];
        for (int queued = 0; queued < 2; queued++) {
            open_at_100(a->name, NULL);
            bench_rounds(&bench, 20, queued ? 1.5 * BASE_S : BASE_S);
            double before = bench.flow.cwnd;
            bench_lose(&bench);
            check_near(a->name, queued ? "what remains with a queue" : "what remains", bench.flow.cwnd / before,
                       queued ? a->remains_queued : a->remains, 0.02 + (strcmp(a->name, "newjersey") == 0) * 0.35);
        }
    }
}

/* ssthresh is half the window, by bandwidth the window that fills the pipe; a repeated timeout keeps it. */
static void test_timeout(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        const struct algorithm *a = &algorithms[i];
        open_at_100(a->name, NULL);
        bench_rounds(&bench, 5, BASE_S);
        double before = bench.flow.cwnd;
        bench_time_out(&bench);
        bool is_by_rate = strstr(a->name, "jersey") != NULL;
        double want = is_by_rate ? 0.8 : strcmp(a->name, "veno_linux") == 0 ? 0.8 : 0.5;
        check_near(a->name, "ssthresh", bench.flow.ssthresh / before, want, is_by_rate ? 0.3 : 0.02);
        double ssthresh = bench.flow.ssthresh;
        bench_wait(&bench, 1);
        if (bench.cfg.cc->on_timeout)
            bench.cfg.cc->on_timeout(&bench.sim, &bench.flow); /* nobody asked for a threshold */
        assert_true(bench.flow.ssthresh == ssthresh);
        for (int round = 0; round < 200 && bench.flow.cwnd < 30; round++)
            bench_rounds(&bench, 1, BASE_S);
        check_near(a->name, "window some time later", bench.flow.cwnd, 45, 16);
    }
}

static void test_floor(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        const char *name = algorithms[i].name;
        bench_open(&bench, name, NULL);
        for (int k = 0; k < 20; k++) {
            bench_wait(&bench, 0.05);
            bench_ack(&bench, 1, 0.05 + 0.02 * (k % 3));
            bench_lose(&bench);
            check_sane(name);
        }
        for (int k = 0; k < 5; k++) {
            bench_time_out(&bench);
            check_sane(name);
        }
        for (double cwnd = 1; cwnd < 4; cwnd += 0.5) {
            bench.flow.cwnd = cwnd;
            bench.flow.ssthresh = 2;
            bench_wait(&bench, 0.05);
            bench_ack(&bench, 1, 0.5);
            check_sane(name);
        }
        bench_avoid(&bench, 3);
        bench_rounds(&bench, 50, 10); /* a queue without end: no further than two */
        assert_true(bench.flow.cwnd >= 2);
    }
}

static void without_rtt(const char *name)
{
    const struct cc_ops *cc = bench.cfg.cc;
    bench.flow.ssthresh = 2;
    for (int k = 0; k < 200; k++) {
        bench.flow.una++;
        bench_fill(&bench.flow);
        if (k % 2 && cc->on_rtt)
            cc->on_rtt(&bench.sim, &bench.flow, 1, -1);
        cc->on_ack(&bench.sim, &bench.flow, 1);
        check_sane(name);
    }
}

/* Loss, timeout, duplicates and marks before anything is known; ACKs without a sample; ACKs that all come at once. */
static void test_without_samples(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        const char *name = algorithms[i].name;
        bench_open(&bench, name, NULL);
        bench_time_out(&bench);
        check_sane(name);
        bench_open(&bench, name, NULL);
        if (bench.cfg.cc->on_mark)
            bench.cfg.cc->on_mark(&bench.sim, &bench.flow, 0);
        bench_lose(&bench);
        check_sane(name);
        without_rtt(name);
        bench_open(&bench, name, NULL);
        bench_avoid(&bench, 50);
        for (int k = 0; k < 2000; k++) {
            bench_ack(&bench, 2, 0.1);
            check_sane(name);
        }
    }
}

static void test_extremes(void **state)
{
    (void)state;
    static const double rtts_s[] = {1e-6, 1e-3, 1, 100};
    for (int i = 0; i < ALGORITHMS; i++)
        for (size_t k = 0; k < sizeof rtts_s / sizeof *rtts_s; k++) {
            bench_open(&bench, algorithms[i].name, NULL);
            bench_avoid(&bench, 1e6);
            for (int n = 0; n < 500; n++) {
                bench_wait(&bench, 7.2);
                bench_ack(&bench, 1000, rtts_s[k] * (1 + n % 7));
                if (n % 100 == 99)
                    bench_lose(&bench);
                check_sane(algorithms[i].name);
            }
        }
}

/* --- Vegas -------------------------------------------------------------------------------------------------------- */

/* Doubles in every other round, and ends once more than gamma packets are queued. */
static void test_vegas_slow_start(void **state)
{
    (void)state;
    static const char *const names[] = {"vegas", "vegas_ns2", "vegas_a", "vegas_plus"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bench_open(&bench, names[i], "tcp.initial_window=4 segments");
        bench_wait(&bench, BASE_S);
        double before = bench.flow.cwnd;
        int grown = 0;
        for (int round = 0; round < 8; round++) {
            bench_rounds(&bench, 1, BASE_S);
            grown += bench.flow.cwnd > before + 0.5;
            before = bench.flow.cwnd;
        }
        check_near(names[i], "window", bench.flow.cwnd, 64, 40);
        assert_in_range(grown, 3, 6);
        bench_rounds(&bench, 4, 1.5 * BASE_S);
        assert_true(bench.flow.cwnd >= bench.flow.ssthresh);
        before = bench.flow.cwnd;
        bench_rounds(&bench, 4, 1.5 * BASE_S);
        assert_true(bench.flow.cwnd < before);
    }
}

/* The path becomes longer: without the fix the window falls to the floor, with it the base follows. */
static void test_reroute(void **state)
{
    (void)state;
    for (int fix = 0; fix < 2; fix++) {
        open_at_100("vegas", fix ? "tcp.vegas_reroute_fix=true;tcp.vegas_reroute_k=100" : NULL);
        bench.flow.cwnd = 20;
        bench_fill(&bench.flow);
        bench_rounds(&bench, 40, 2 * BASE_S);
        check_near("vegas", "window after a reroute", bench.flow.cwnd, fix ? 52 : 6, fix ? 16 : 1);
    }
}

/* A queue that stays full without the own window's help makes it aggressive; a timeout makes it moderate. */
static void test_vegas_plus(void **state)
{
    (void)state;
    open_at_100("vegas_plus", NULL);
    double rtt_s = 1.5 * BASE_S;
    for (int round = 0; round < 14; round++, rtt_s += 0.002)
        bench_rounds(&bench, 1, rtt_s);
    double before = bench.flow.cwnd;
    bench_rounds(&bench, 3, rtt_s);
    check_near("vegas_plus", "aggressive growth", bench.flow.cwnd - before, 3, 0.3);
    bench_time_out(&bench);
    bench_avoid(&bench, 100);
    bench_rounds(&bench, 6, rtt_s);
    assert_true(bench.flow.cwnd < 99);
}

/* Throughput that rises with each round lets Vegas-A queue more than Vegas; a falling one takes it back. */
static void test_vegas_a(void **state)
{
    (void)state;
    double cwnd[2];
    static const char *const names[] = {"vegas_ns2", "vegas_a"};
    for (int i = 0; i < 2; i++) {
        open_at_100(names[i], "tcp.vegas_a_jitter=0 s");
        bench_avoid(&bench, 99);
        for (int round = 0; round < 40; round++) /* the path holds 98; it becomes faster by and by */
            bench_rounds(&bench, 1, BASE_S * bench.flow.cwnd / 98 * (1 - 1e-5 * round));
        cwnd[i] = bench.flow.cwnd;
    }
    check_near("vegas_ns2", "window", cwnd[0], 100, 4);
    assert_true(cwnd[1] > cwnd[0] + 5);
}

static void test_fine_timeout(void **state)
{
    (void)state;
    struct vegas_fine v = {0};
    assert_false(vegas_fine_is_over(&v, INT64_MAX)); /* before the first ACK */
    vegas_fine_begin(&v, PS_PER_S);
    assert_true(v.timeout_ps == 1.5 * (double)PS_PER_S);
    assert_false(vegas_fine_is_over(&v, PS_PER_S));
    assert_true(vegas_fine_is_over(&v, 3 * PS_PER_S / 2));
    vegas_fine_back_off(&v, false);
    assert_true(v.timeout_ps == 1.6875 * (double)PS_PER_S);
    vegas_fine_back_off(&v, true);
    assert_true(v.timeout_ps == 3.375 * (double)PS_PER_S);
    for (int i = 0; i < 200; i++)
        vegas_fine_sample(&v, PS_PER_S / 10);
    check_near("vegas", "fine timeout", v.timeout_ps / (double)PS_PER_S, 0.10625, 1e-6);
}

/* --- Veno, CERL, Jersey, LEDBAT, DCTCP ---------------------------------------------------------------------------- */

/* The base is learnt anew after a loss: what was a queue is then the path. */
static void test_veno_base(void **state)
{
    (void)state;
    open_at_100("veno", NULL);
    bench_rounds(&bench, 20, 1.5 * BASE_S);
    bench_lose(&bench);
    bench_avoid(&bench, 100);
    bench_rounds(&bench, 20, 1.5 * BASE_S);
    double before = bench.flow.cwnd;
    bench_lose(&bench);
    check_near("veno", "what remains", bench.flow.cwnd / before, 0.8, 1e-9);
}

/* Cuts once a window, leaves cwnd and ssthresh alone while the queue is short. */
static void test_cerl(void **state)
{
    (void)state;
    open_at_100("cerl", NULL);
    bench_rounds(&bench, 1, 2 * BASE_S);
    double before = bench.flow.cwnd;
    bench_lose(&bench);
    check_near("cerl", "window", bench.flow.cwnd / before, 0.5, 0.01);
    before = bench.flow.cwnd;
    bench_ack(&bench, 1, 2 * BASE_S);
    bench_lose(&bench);
    check_near("cerl", "window after a second loss", bench.flow.cwnd, before, 0.1);
    bench_rounds(&bench, 4, BASE_S);
    before = bench.flow.cwnd;
    bench.flow.ssthresh = 17;
    bench_lose(&bench);
    assert_true(bench.flow.cwnd == before && bench.flow.ssthresh == 17);
}

/* A mark makes Jersey fall to what the path carries; NewJersey's two readings differ on a third duplicate. */
static void test_jersey(void **state)
{
    (void)state;
    open_at_100("jersey", NULL);
    bench_rounds(&bench, 20, 2 * BASE_S);
    bench.flow.cwnd = 500;
    bench_wait(&bench, 0.002);
    bench.cfg.cc->on_mark(&bench.sim, &bench.flow, 1);
    bench_ack(&bench, 1, 2 * BASE_S);
    check_near("jersey", "window after a mark", bench.flow.cwnd, 120, 30);
    static const struct {
        const char *sets;
        bool is_marked;
        double remains;
    } cases[] = {
        {"tcp.newjersey_mode=seed", true, 0.5},
        {"tcp.newjersey_mode=seed", false, 0.24},
        {"tcp.newjersey_mode=paper", true, 0.24},
        {"tcp.newjersey_mode=paper", false, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_at_100("newjersey", cases[i].sets);
        bench_rounds(&bench, 20, 2 * BASE_S);
        bench_avoid(&bench, 500);
        bench_wait(&bench, 0.002);
        if (cases[i].is_marked)
            bench.cfg.cc->on_mark(&bench.sim, &bench.flow, 0);
        bench_lose(&bench);
        check_near("newjersey", "what remains", bench.flow.cwnd / 500, cases[i].remains, 0.06);
    }
}

/* Settles where the queueing delay is the target, and gives way above it. */
static void test_ledbat(void **state)
{
    (void)state;
    open_at_100("ledbat", NULL);
    check_near("ledbat", "growth at the target", growth(BASE_S + 0.1), 0, 0.01);
    check_near("ledbat", "growth above it", growth(BASE_S + 0.15), -0.5, 0.02);
}

/* Without marks alpha dies away and a mark costs little; one reduction a window. */
static void test_dctcp(void **state)
{
    (void)state;
    open_at_100("dctcp", NULL);
    bench_rounds(&bench, 200, 0.01);
    double before = bench.flow.cwnd;
    for (int i = 0; i < 3; i++) {
        bench_wait(&bench, 0.001);
        bench.cfg.cc->on_mark(&bench.sim, &bench.flow, 1);
        bench_ack(&bench, 1, 0.01);
    }
    assert_true(bench.flow.cwnd < before && bench.flow.cwnd > 0.999 * before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_timeout),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_without_samples),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_vegas_slow_start),
        cmocka_unit_test(test_reroute),
        cmocka_unit_test(test_vegas_plus),
        cmocka_unit_test(test_vegas_a),
        cmocka_unit_test(test_fine_timeout),
        cmocka_unit_test(test_veno_base),
        cmocka_unit_test(test_cerl),
        cmocka_unit_test(test_jersey),
        cmocka_unit_test(test_ledbat),
        cmocka_unit_test(test_dctcp),
    };
    return cmocka_run_group_tests(tests, create_file, remove_file);
}
