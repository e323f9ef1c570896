/* test_cc_window_behaviour.c - what every congestion control that reacts to loss must do, without reference numbers:
 * growth in its regime, reaction to loss and timeout, windows that stay finite and above their floor; HyStart; the
 * arithmetic beneath. */
#include "cc_bench.h"

#include <math.h>

#include "../../kernels/cc/hystart.h"
#include "../../kernels/detmath.h"

static struct cc_bench bench;

/* growth: segments per round trip at window 200, RTT 100 ms, the third round of avoidance after a loss; remains: part
 * of the window after a loss. Ranges: what an implementation may choose. */
static const struct algorithm {
    const char *name;
    double growth_min, growth_max, remains_min, remains_max;
} algorithms[] = {
    {"newreno", 0.99, 1.01, 0.5, 0.5},
    {"reno_linux", 0, 1, 0.5, 0.5},
    {"aimd", 0.99, 1.01, 0.5, 0.5},
    {"bic", 1, 32.5, 0.875, 0.875},
    {"bic_linux", 5, 32, 0.79, 0.8},
    {"cubic", 0.5, 10, 0.7, 0.7},
    {"cubic_linux", 0, 10, 0.7, 0.7},
    {"highspeed", 2, 3, 0.55, 0.65},
    {"highspeed_linux", 2, 4, 0.55, 0.65},
    {"scalable", 1.7, 2.1, 0.875, 0.875},
    {"scalable_linux", 1, 2, 0.875, 0.875},
    {"htcp", 0.99, 1.01, 0.5, 0.5},
    {"hybla", 15, 16.1, 0.5, 0.5},
    {"illinois", 9.6, 10.1, 0.87, 0.88},
    {"yeah", 1, 3, 0.87, 0.88},
    {"compound", 6.5, 7.2, 0.5, 0.5},
    {"westwood", 0.99, 1.01, 0.5, 1},
    {"westwood_plus", 0.99, 1.01, 0.5, 1},
    {"westwood_linux", 0, 1, 0.9, 1.1},
    {"fast", 0, 20, 0.5, 0.5},
};

enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

static void check_between(const char *name, const char *what, double got, double least, double most)
{
    if (!(got >= least - 1e-9 && got <= most + 1e-9))
        fail_msg("%s: %s is %.10g, expected %g to %g", name, what, got, least, most);
}

static void check_sane(const char *name)
{
    const struct flow *f = &bench.flow;
    if (!(f->cwnd >= 1 && f->cwnd <= 1e9 && f->ssthresh >= 2 && f->ssthresh <= 1e9))
        fail_msg("%s: cwnd %g, ssthresh %g", name, f->cwnd, f->ssthresh);
}

/* --- each of them ------------------------------------------------------------------------------------------------- */

static void check_regime(const struct algorithm *a)
{
    bench_open(&bench, a->name, NULL);
    bench_avoid(&bench, 200);
    bench_rounds(&bench, 6, 0.1);
    double before = bench.flow.cwnd;
    bench_lose(&bench);
    check_between(a->name, "what remains", bench.flow.cwnd / before, a->remains_min - 0.006,
                  a->remains_max + 0.006); /* FlightSize is whole */
    assert_true(bench.flow.ssthresh <= before + 1e-9);
    bench_avoid(&bench, 200);
    bench_rounds(&bench, 2, 0.1);
    before = bench.flow.cwnd;
    bench_rounds(&bench, 1, 0.1);
    check_between(a->name, "growth", bench.flow.cwnd - before, a->growth_min, a->growth_max);
}

static void test_regime(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++)
        check_regime(&algorithms[i]);
}

static void test_slow_start_doubles(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        bench_open(&bench, algorithms[i].name, NULL);
        double before = bench.flow.cwnd;
        bench_rounds(&bench, 1, 0.02); /* RTT below Hybla's 25 ms */
        check_between(algorithms[i].name, "window after a round", bench.flow.cwnd, 2 * before, 2 * before);
    }
}

static void test_timeout(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        const char *name = algorithms[i].name;
        bench_open(&bench, name, "tcp.hystart=off;tcp.cwnd_max=500 segments");
        bench_avoid(&bench, 100);
        bench_rounds(&bench, 100, 0.02); /* 2 s: Westwood knows the bandwidth */
        double before = bench.flow.cwnd;
        bench_time_out(&bench);
        check_sane(name);
        check_between(name, "ssthresh", bench.flow.ssthresh / before, 0.45, 1.15);
        double ssthresh = bench.flow.ssthresh;
        for (int round = 0; bench.flow.cwnd < ssthresh && round < 16; round++)
            bench_rounds(&bench, 1, 0.02);
        check_between(name, "window after slow start", bench.flow.cwnd, floor(ssthresh), 1.2 * ssthresh + 12);
        bench_rounds(&bench, 3, 0.02);
        check_between(name, "window in avoidance", bench.flow.cwnd, ssthresh - 1, 1.6 * ssthresh + 120);
    }
}

/* Losses at every window down to the smallest, and timeouts in a row. */
static void test_floor(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        bench_open(&bench, algorithms[i].name, NULL);
        for (int k = 0; k < 20; k++) {
            bench_lose(&bench);
            check_sane(algorithms[i].name);
            bench_ack(&bench, 1, 0.05);
        }
        for (int k = 0; k < 5; k++) {
            bench_time_out(&bench);
            check_sane(algorithms[i].name);
        }
        for (double cwnd = 1; cwnd < 4; cwnd += 0.5) {
            bench.flow.cwnd = cwnd;
            bench.flow.ssthresh = 2;
            bench_wait(&bench, 0.05);
            bench_ack(&bench, 1, 0.05);
            check_sane(algorithms[i].name);
        }
    }
}

/* Loss and timeout before anything was acknowledged, and ACKs that all come at once. */
static void test_without_samples(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        const struct cc_ops *cc;
        bench_open(&bench, algorithms[i].name, NULL);
        cc = bench.cfg.cc;
        bench_time_out(&bench);
        check_sane(algorithms[i].name);
        bench_open(&bench, algorithms[i].name, NULL);
        bench_lose(&bench);
        check_sane(algorithms[i].name);
        bench.flow.ssthresh = 2;
        for (int k = 0; k < 200; k++) { /* no on_rtt, no SRTT */
            bench.flow.una++;
            bench_fill(&bench.flow);
            cc->on_ack(&bench.sim, &bench.flow, 1);
            check_sane(algorithms[i].name);
        }
        bench_open(&bench, algorithms[i].name, NULL);
        bench_avoid(&bench, 50);
        for (int k = 0; k < 2000; k++) {
            bench_ack(&bench, 2, 0.1);
            check_sane(algorithms[i].name);
        }
    }
}

/* Windows of a million segments, RTTs from 1 us to 100 s, an hour without loss. */
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

/* ACKs of two segments make about the same window as ACKs of one. */
static void test_stretched_acks(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        double cwnd[2];
        for (uint32_t n = 1; n <= 2; n++) {
            bench_open(&bench, algorithms[i].name, NULL);
            bench_avoid(&bench, 100);
            bench_lose(&bench);
            bench_avoid(&bench, 100);
            for (int k = 0; k < 1000; k += (int)n) {
                bench_wait(&bench, 0.001 * n);
                bench_ack(&bench, n, 0.1);
            }
            cwnd[n - 1] = bench.flow.cwnd;
        }
        bool is_per_ack =
            strcmp(algorithms[i].name, "highspeed_linux") == 0 || strcmp(algorithms[i].name, "bic_linux") == 0;
        double most = is_per_ack ? 0.5 : 0.06;
        check_between(algorithms[i].name, "window of ACKs of two over that of one", cwnd[1] / cwnd[0], 1 - most,
                      1 + most);
    }
}

/* --- single rules ------------------------------------------------------------------------------------------------- */

/* Time in which a flow does not use its window is no time of CUBIC's. */
static double cubic_after_pause(const char *name, double pause_s, bool idle)
{
    bench_open(&bench, name, "tcp.hystart=off;tcp.cwnd_max=500 segments");
    bench_avoid(&bench, 200);
    bench_rounds(&bench, 3, 0.1);
    bench_lose(&bench);
    bench_rounds(&bench, 12, 0.1);
    if (idle) {
        bench.flow.next = bench.flow.end = bench.flow.una + 1;
        bench_wait(&bench, 0.1);
        bench_ack(&bench, 1, 0.1);
        bench_wait(&bench, pause_s + 0.1);
    } else if (pause_s > 0) {
        bench.flow.may_grow = false;
        bench_wait(&bench, pause_s);
        bench.cfg.cc->on_rtt(&bench.sim, &bench.flow, 1, PS_PER_S / 10);
        bench.flow.may_grow = true;
    }
    bench_rounds(&bench, 3, 0.1);
    return bench.flow.cwnd;
}

static void test_cubic_pause(void **state)
{
    (void)state;
    double without = cubic_after_pause("cubic", 0, false);
    check_between("cubic", "window after 20 s at less than the window", cubic_after_pause("cubic", 20, false) / without,
                  0.98, 1.02);
    check_between("cubic", "window after 20 s idle", cubic_after_pause("cubic", 20, true) / without, 0.98, 1.05);
    without = cubic_after_pause("cubic_linux", 0, false);
    check_between("cubic_linux", "window after 20 s idle", cubic_after_pause("cubic_linux", 20, true) / without, 0.98,
                  1.05);
}

/* H-TCP grows faster the longer it has not lost: 1 s as Reno, then by Delta. */
static void test_htcp_speeds_up(void **state)
{
    (void)state;
    bench_open(&bench, "htcp", NULL);
    bench_avoid(&bench, 100);
    bench_lose(&bench);
    bench_rounds(&bench, 30, 0.1);
    double before = bench.flow.cwnd;
    bench_rounds(&bench, 1, 0.1);
    check_between("htcp", "growth 3 s after a loss", bench.flow.cwnd - before, 20, 23); /* 1 + 10 x 2 + 1 */
}

/* Westwood's window after a loss is what the bandwidth fills, however large the window was. */
static void test_westwood_bandwidth(void **state)
{
    (void)state;
    static const char *const names[] = {"westwood", "westwood_plus", "westwood_linux"};
    for (int i = 0; i < 3; i++) {
        bench_open(&bench, names[i], NULL);
        bench_avoid(&bench, 300);
        for (int k = 0; k < 5000; k++) { /* 1000 segments a second, least RTT 100 ms: 100 segments */
            bench_wait(&bench, 0.001);
            bench_ack(&bench, 1, k ? 0.3 : 0.1);
        }
        bench_lose(&bench);
        check_between(names[i], "window after a loss", bench.flow.cwnd, 95, 105);
        bench_time_out(&bench);
        check_between(names[i], "ssthresh after a timeout", bench.flow.ssthresh, 95, 105);
    }
}

/* FAST comes to rest with alpha packets queued: base 100 ms, 100 packets in the pipe. */
static void test_fast_rest(void **state)
{
    (void)state;
    bench_open(&bench, "fast", NULL);
    bench_avoid(&bench, 60);
    for (int round = 0; round < 200; round++) {
        double pipe = 1000 * 0.1, rtt_s = bench.flow.cwnd > pipe ? bench.flow.cwnd / 1000 : 0.1;
        bench_rounds(&bench, 1, rtt_s);
    }
    check_between("fast", "window at rest", bench.flow.cwnd, 117, 123);
}

/* Compound yields its delay window when more than gamma packets are queued. */
static void test_compound_yields(void **state)
{
    (void)state;
    bench_open(&bench, "compound", NULL);
    bench_avoid(&bench, 100);
    bench_rounds(&bench, 20, 0.1);
    double fast = bench.flow.cwnd;
    check_between("compound", "window after 20 rounds without queueing", fast, 180, 300);
    bench_rounds(&bench, 4, 0.2);
    check_between("compound", "window after queueing", bench.flow.cwnd, 118, 130); /* Reno's part */
}

/* --- hystart ------------------------------------------------------------------------------------------------------ */

static const char *const hystart_users[] = {"newreno",  "aimd",       "cubic",      "htcp",
                                            "illinois", "reno_linux", "cubic_linux"};

enum { HYSTART_USERS = sizeof hystart_users / sizeof *hystart_users };

static void test_hystart_linux(void **state)
{
    (void)state;
    for (int i = 0; i < HYSTART_USERS; i++) {
        bench_open(&bench, hystart_users[i], "tcp.hystart=linux");
        bench_rounds(&bench, 2, 0.1);
        assert_true(bench.flow.ssthresh >= 1e9);
        bench_rounds(&bench, 2, 0.13); /* the round must have begun with these */
        check_between(hystart_users[i], "ssthresh", bench.flow.ssthresh, 40, 100);
        assert_true(bench.flow.cwnd >= bench.flow.ssthresh - 1);
    }
    for (int i = 0; i < HYSTART_USERS; i++) { /* ACKs 0.5 ms apart for more than half the least RTT: 101
                                                 in a round, so a window of 160 and 101 more at most */
        bench_open(&bench, hystart_users[i], "tcp.hystart=linux");
        bench_rounds(&bench, 1, 0.1);
        for (int k = 0; k < 400; k++) {
            bench_wait(&bench, 0.0005);
            bench_ack(&bench, 1, 0.1);
        }
        check_between(hystart_users[i], "ssthresh", bench.flow.ssthresh, 100, 265);
    }
}

/* Conservative slow start: a quarter of the growth, the end after 5 rounds; back to slow start if the delay falls. */
static void test_hystart_rfc9406(void **state)
{
    (void)state;
    for (int i = 0; i < HYSTART_USERS; i++) {
        const char *name = hystart_users[i];
        bench_open(&bench, name, "tcp.hystart=rfc9406");
        bench_rounds(&bench, 2, 0.1);
        bench_rounds(&bench, 2, 0.13);
        const struct hystart *h = CC_STATE(&bench.flow, struct hystart);
        assert_true(h->is_cautious);
        double before = bench.flow.cwnd;
        bench_rounds(&bench, 1, 0.13);
        check_between(name, "growth factor of a round of CSS", bench.flow.cwnd / before, 1.2, 1.3);
        struct cc_bench then = bench;
        bench_rounds(&bench, 5, 0.13);
        assert_false(h->is_cautious);
        check_between(name, "ssthresh", bench.flow.ssthresh, 50, 300);
        bench = then;
        bench.flow.cfg = &bench.cfg;
        bench_rounds(&bench, 2, 0.1);
        assert_false(h->is_cautious);
        assert_true(bench.flow.ssthresh >= 1e9);
        bench_time_out(&bench); /* not in a later slow start */
        bench.flow.ssthresh = 1e6;
        bench_rounds(&bench, 5, 0.1);
        bench_rounds(&bench, 4, 0.2);
        assert_false(h->is_cautious);
        assert_true(bench.flow.ssthresh == 1e6);
    }
}

/* --- arithmetic --------------------------------------------------------------------------------------------------- */

static void test_arithmetic(void **state)
{
    (void)state;
    for (double x = -700; x < 700; x += 0.37)
        assert_true(fabs(det_exp(x) / exp(x) - 1) < 1e-14);
    assert_true(det_exp(0) == 1 && det_exp(-1000) == 0 && isfinite(det_exp(1e9)));
    for (double x = 1e-6; x < 1e9; x *= 1.7) {
        assert_true(fabs(det_cbrt(x) / cbrt(x) - 1) < 1e-15);
        assert_true(fabs(det_pow(x, 0.75) / pow(x, 0.75) - 1) < 1e-14);
        assert_true(fabs(det_pow(x, 1.2) / pow(x, 1.2) - 1) < 1e-14);
    }
    assert_true(det_cbrt(0) == 0 && det_cbrt(-1) == 0);
}

#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, create_file, remove_file)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILE_TEST(test_regime),
        FILE_TEST(test_slow_start_doubles),
        FILE_TEST(test_timeout),
        FILE_TEST(test_floor),
        FILE_TEST(test_without_samples),
        FILE_TEST(test_extremes),
        FILE_TEST(test_stretched_acks),
        FILE_TEST(test_cubic_pause),
        FILE_TEST(test_htcp_speeds_up),
        FILE_TEST(test_westwood_bandwidth),
        FILE_TEST(test_fast_rest),
        FILE_TEST(test_compound_yields),
        FILE_TEST(test_hystart_linux),
        FILE_TEST(test_hystart_rfc9406),
        cmocka_unit_test(test_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
