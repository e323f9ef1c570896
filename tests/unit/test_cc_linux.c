/* test_cc_linux.c - H-TCP, Hybla and Illinois in Linux's integers, against figures worked out by hand from the rules of
 * Linux 6.1 (tcp_htcp.c, tcp_hybla.c, tcp_illinois.c). Their runs against Linux itself: make check-linux.
 */
#include "../../kernels/cc/htcp.c"
#include "../../kernels/cc/hybla.c"
#include "../../kernels/cc/illinois.c"

#include "cc_bench.h"

static struct cc_bench bench;

static double reduced(double cwnd)
{
    bench.flow.cwnd = cwnd;
    return bench.cfg.cc->ssthresh(&bench.sim, &bench.flow);
}

/* The step comes with the ACK after those of a whole window; then alpha is that of 3 s, 500 ticks beyond the first
 * second: factor 1 + (10 x 500 + 250 x 250 / 250) / 250 = 22, times 8 over the scale, times 2 x 64. */
static void test_htcp_growth(void **state)
{
    (void)state;
    static const struct {
        double rtt_s;
        uint32_t alpha;
    } rows[] = {{0.1, 22 * 128}, {0.2, 44 * 128}, {0.005, 2 * 128}}; /* scales 8, 4, and 100 cut to 80 */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench_open(&bench, "htcp", "tcp.dialect=linux");
        struct htcp_linux *c = CC_STATE(&bench.flow, struct htcp_linux);
        bench_avoid(&bench, 100);
        bench_wait(&bench, 3);
        for (int k = 0; k < 100; k++)
            bench_ack(&bench, 1, rows[i].rtt_s);
        assert_true(bench.flow.cwnd == 100);
        bench_ack(&bench, 1, rows[i].rtt_s);
        assert_true(bench.flow.cwnd == 101);
        assert_int_equal(c->alpha, rows[i].alpha);
    }
}

/* The rate must have changed by less than a fifth, twice in a row, for the RTTs' ratio to count: 25/40 x 128 = 80. */
static void test_htcp_decrease(void **state)
{
    (void)state;
    bench_open(&bench, "htcp", "tcp.dialect=linux");
    struct htcp_linux *c = CC_STATE(&bench.flow, struct htcp_linux);
    c->min = 25;
    c->max = 40;
    c->most = c->old_most = 1000;
    assert_true(reduced(100) == 50);
    c->max = 40;
    assert_true(reduced(100) == 62);
    assert_int_equal(c->max, 39);
    c->most = 1300;
    assert_true(reduced(100) == 50 && !c->may_adapt);
}

/* rho 4: slow start by 2^4 - 1 an ACK, however many segments; avoidance by 2 x 32^2 / 100 = 20 of 128 parts. */
static void test_hybla(void **state)
{
    (void)state;
    bench_open(&bench, "hybla", "tcp.dialect=linux");
    struct hybla_linux *c = CC_STATE(&bench.flow, struct hybla_linux);
    c->rho_8 = 32;
    bench.flow.cwnd = 4;
    bench_ack(&bench, 2, 0.1);
    assert_true(bench.flow.cwnd == 19);
    bench.flow.ssthresh = 30;
    bench_ack(&bench, 2, 0.1);
    assert_true(bench.flow.cwnd == 30);
    c->part = 0;
    bench_avoid(&bench, 100);
    for (int k = 0; k < 6; k++)
        bench_ack(&bench, 2, 0.1);
    assert_true(bench.flow.cwnd == 100);
    bench_ack(&bench, 2, 0.1);
    assert_true(bench.flow.cwnd == 101 && c->part == 12);
    bench.flow.mode = MODE_LOSS; /* Reno's growth, per segment */
    bench.flow.cwnd = 10;
    bench.flow.ssthresh = 50;
    bench_ack(&bench, 2, 0.1);
    assert_true(bench.flow.cwnd == 12);
    assert_true(reduced(101) == 50);
}

static void test_hybla_begins_with_rho(void **state)
{
    (void)state;
    bench_open(&bench, "hybla", "tcp.dialect=linux");
    bench.flow.rto.has_sample = true;
    bench.flow.rto.srtt_ps = 110 * PS_PER_MS; /* 35.2 eighths */
    memset(bench.flow.cc_state, 0, sizeof bench.flow.cc_state);
    bench.cfg.cc->start(&bench.sim, &bench.flow);
    assert_int_equal(CC_STATE(&bench.flow, struct hybla_linux)->rho_8, 35);
    assert_true(bench.flow.cwnd == 4);
}

static void test_illinois(void **state)
{
    (void)state;
    bench_open(&bench, "illinois", "tcp.dialect=linux");
    struct illinois_linux *c = CC_STATE(&bench.flow, struct illinois_linux);
    bench_avoid(&bench, 100);
    c->end = UINT32_MAX; /* no round ends */
    for (int k = 0; k < 9; k++)
        bench_ack(&bench, 1, 0.1);
    assert_true(bench.flow.cwnd == 100);
    bench_ack(&bench, 1, 0.1); /* 10 x alpha 10 */
    assert_true(bench.flow.cwnd == 101);
    assert_true(reduced(101) == 51); /* half of it, cut, is taken */
    assert_int_equal(illinois_linux_alpha(c, 500, 100000), 1280);
    assert_int_equal(illinois_linux_alpha(c, 50000, 100000), 74); /* 99000 x 1280 / (99000 + 49000 x 1242 / 38) */
    for (int k = 0; k < ILLINOIS_THETA - 1; k++) {
        c->alpha = 74;
        assert_int_equal(illinois_linux_alpha(c, 500, 100000), 74);
    }
    assert_int_equal(illinois_linux_alpha(c, 500, 100000), 1280);
    assert_int_equal(illinois_linux_beta(10000, 100000), 8);
    assert_int_equal(illinois_linux_beta(50000, 100000), 21); /* (8 x 80 - 32 x 10 + 24 x 50) / 70 */
    assert_int_equal(illinois_linux_beta(80000, 100000), 32);
    bench.flow.cwnd = 14;
    illinois_linux_decide(&bench.flow, c);
    assert_true(c->alpha == 128 && c->beta == 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_htcp_growth, create_file, remove_file),
        cmocka_unit_test_setup_teardown(test_htcp_decrease, create_file, remove_file),
        cmocka_unit_test_setup_teardown(test_hybla, create_file, remove_file),
        cmocka_unit_test_setup_teardown(test_hybla_begins_with_rho, create_file, remove_file),
        cmocka_unit_test_setup_teardown(test_illinois, create_file, remove_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
