/* test_network_vectors.c - the rows of tests/reference/vectors that are about error models, applications and metrics,
 * each shown by a run: shares within three standard errors of so many packets (fixed seeds), the rest exactly.
 */
#include "scene.h"
#include "vectors.h"

enum { PACKETS = 300000 };

/* Losses of data packets and runs of them. */
struct tally {
    uint64_t drops, bursts;
    int64_t last;
};

static void tally_row(void *ctx, const struct trace_row *row)
{
    struct tally *t = ctx;
    if (row->event != TRACE_DROP)
        return;
    t->bursts += t->drops == 0 || row->a != t->last + 1;
    t->drops++;
    t->last = row->a;
}

/* PACKETS datagrams, one each interval, over a link with these error keys. */
static struct tally lose(const char *errors, double interval_s)
{
    struct scene scene = scene_make("duration: %.12g s\npath: [{name: l, rate: 1 Gbit/s, delay: 1 ms, %s}]\n"
                                    "app: {kind: udp_cbr, packet: 100 B, interval: %.12g s}\n",
                                    PACKETS * interval_s, errors, interval_s);
    struct tally tally = {0};
    struct sim_trace hook = {.row = tally_row, .ctx = &tally};
    void *memory = aligned_alloc(64, sim_bytes(scene.scenario));
    assert_non_null(memory);
    sim_run(scene.scenario, (struct sim_key){{17, 5}}, memory, &hook, &scene.result);
    free(memory);
    assert_int_equal(scene.result.status, SIM_OK);
    scene_free(&scene);
    return tally;
}

/* `spread`: variance of the mean over that of independent losses. */
static void expect_share(const struct vector_row *row, const char *what, double got, double want, double n,
                         double spread)
{
    double error = sqrt(want * (1 - want) * spread / n);
    if (!(fabs(got - want) <= 3 * error))
        fail_msg("%s: %s is %g, expected %g +- %g", row->id, what, got, want, 3 * error);
}

/* Two states, good to bad with probability p, back with r, losses in each: correlation of the state 1 - p - r. */
static void expect_gilbert(const struct vector_row *row, double p, double r, double in_good, double in_bad, double loss)
{
    char errors[200];
    double bad = p / (p + r), rho = 1 - p - r;
    double of_states = bad * (1 - bad) * (in_bad - in_good) * (in_bad - in_good);
    double spread = 1 + 2 * of_states * rho / (1 - rho) / (loss * (1 - loss));
    snprintf(errors, sizeof errors, "gilbert: {p: %.12g, r: %.12g, loss_good: %.12g, loss_bad: %.12g}", p, r, in_good,
             in_bad);
    struct tally t = lose(errors, 1e-3);
    expect_share(row, "loss", (double)t.drops / PACKETS, loss, PACKETS, spread);
    if (in_good == 0 && in_bad == 1) /* a loss follows a loss while the state stays bad */
        expect_share(row, "loss after loss", 1 - (double)t.bursts / (double)t.drops, 1 - r, (double)t.drops, 1);
}

static void row_gilbert(const struct vector_row *row)
{
    double r = vector_value(row->expected, "r"), p = vector_value(row->expected, "g");
    vector_check(row, "r", 1 / vector_in(row, "mean_burst"));
    vector_check(row, "p_loss_given_loss", 1 - r);
    expect_gilbert(row, p, r, 0, 1, vector_value(row->expected, "stationary_loss"));
}

static void row_gilbert_full(const struct vector_row *row)
{
    expect_gilbert(row, vector_in(row, "g"), vector_in(row, "r"), vector_in(row, "e_good"), vector_in(row, "e_bad"),
                   vector_value(row->expected, "loss"));
}

static void row_gilbert_elliott(const struct vector_row *row)
{
    double r = vector_in(row, "p_bg");
    vector_check_within(row, "mean_burst", 1 / r, 1e-8);
    expect_gilbert(row, vector_in(row, "p_gb"), r, vector_in(row, "e_g"), vector_in(row, "e_b"),
                   vector_value(row->expected, "loss"));
}

/* Frames of 1500 B at twice the rate of the link: what arrives is what it carries. The variance of the number of tries
 * is at most that of a geometric law without a limit. */
static void row_arq(const struct vector_row *row)
{
    double p = vector_in(row, "p"), rate = vector_in(row, "rate_bps"), left = vector_value(row->expected, "left_bps");
    double residual = vector_value(row->expected, "residual"), seconds = 300;
    struct scene scene =
        scene_make("duration: %g s\npath: [{name: l, rate: %.12g bit/s, queue: 10 packets, arq: frame, "
                   "arq_loss: %g, arq_tries: %g}]\n"
                   "app: {kind: udp_cbr, packet: 1472 B, interval: %.12g s}\n",
                   seconds, rate, p, vector_in(row, "tries"), 6000 / rate);
    scene_simulate(&scene, 17, false);
    const double *all = scene.result.all;
    double served = all[METRIC_sent] - all[METRIC_drops_queue] - 10, arrived = all[METRIC_goodput] * seconds / 11776;
    double carried = served * 12000 / seconds, error = sqrt(p / served) / (1 - p);
    vector_check(row, "mean_tries", (1 - residual) / (1 - p));
    if (!(fabs(carried / left - 1) <= 3 * error + 12 / served))
        fail_msg("%s: %g bit/s are left, expected %g", row->id, carried, left);
    expect_share(row, "residual", 1 - arrived / served, residual, served, 1);
    scene_free(&scene);
}

/* A packet each mean error period sees the state; correlation exp(-interval (1/up + 1/down)). */
static void row_onoff(const struct vector_row *row)
{
    char errors[100];
    double up_s = vector_in(row, "mean_up"), down_s = vector_in(row, "mean_down"), interval_s = down_s;
    double rho = exp(-interval_s * (1 / up_s + 1 / down_s));
    snprintf(errors, sizeof errors, "onoff_loss: {up: %.12g s, down: %.12g s}", up_s, down_s);
    struct tally t = lose(errors, interval_s);
    expect_share(row, "loss", (double)t.drops / PACKETS, vector_value(row->expected, "down_fraction"), PACKETS,
                 (1 + rho) / (1 - rho));
}

/* Ten seconds of it; the last write is still under way at the end. */
static void row_cbr(const struct vector_row *row)
{
    double bytes = vector_in(row, "bytes"), interval_s = 1e-6 * vector_in(row, "interval_us");
    struct scene scene = scene_run("duration: 10 s\npath: [{name: l, rate: 1 Gbit/s, delay: 1 us}]\n"
                                   "app: {kind: udp_cbr, packet: %.12g B, interval: %.12g s}\n",
                                   bytes, interval_s);
    scene_near(row->id, scene.result.all[METRIC_goodput] / 1e6, vector_value(row->expected, "mbit"), 2e-4);
    scene_free(&scene);
}

/* Frames of the mean size, ten seconds of them; they are cut to whole bytes. */
static void row_video(const struct vector_row *row)
{
    double fps = vector_in(row, "fps"), frame_bytes = floor(vector_value(row->expected, "frame_bytes"));
    struct scene scene = scene_run("duration: 10 s\npath: [{name: l, rate: 1 Gbit/s, delay: 1 us}]\n"
                                   "app: {kind: video, fps: %.12g, ppf: %.12g, bpp_mean: %.12g, bpp_sigma: 0}\n",
                                   fps, vector_in(row, "ppf"), vector_in(row, "bpp"));
    scene_near(row->id, scene.result.all[METRIC_goodput], 8 * fps * frame_bytes, 1e-9);
    scene_near(row->id, scene.result.all[METRIC_goodput], vector_value(row->expected, "bit_s"), 2e-5);
    scene_free(&scene);
}

/* A flow for each number x that gets x packets each 12 ms, over a link of its own; none at all where x is 0. */
static void row_jain(const struct vector_row *row)
{
    char links[1000] = "", flows[1000] = "";
    const char *x = vector_text(row->inputs, "x");
    char *end;
    int n = 0;
    for (double rate = strtod(x, &end); end != x; x = end, rate = strtod(x, &end), n++) {
        size_t used = strlen(links), written = strlen(flows);
        snprintf(links + used, sizeof links - used, "  l%d: {rate: 1 Gbit/s, delay: 1 us, per: %d}\n", n, rate == 0);
        snprintf(flows + written, sizeof flows - written,
                 "  - {name: f%d, via: [l%d], app: {kind: cbr, packet: 1000 B, interval: %.12g ms}}\n", n, n,
                 rate > 0 ? 12 / rate : 12);
    }
    assert_true(n > 2);
    struct scene scene = scene_run("duration: 120 s\nstart_jitter: 0 s\nlinks:\n%sflows:\n%s", links, flows);
    scene_near(row->id, scene.result.all[METRIC_jain], vector_value(row->expected, "J"), 1e-3);
    scene_free(&scene);
}

/* A packet each 100 ms over a link whose delay changes between them; 1 us of transmission is in each delay. The row's
 * variance is that of these delays (over n), ours the estimate from a sample (over n - 1). */
static void row_jitter(const struct vector_row *row)
{
    char steps[500] = "";
    const char *x = vector_text(row->inputs, "delays_ms");
    char *end;
    int n = 0;
    for (double delay = strtod(x, &end); end != x; x = end, delay = strtod(x, &end), n++) {
        size_t used = strlen(steps);
        snprintf(steps + used, sizeof steps - used, "%s{at: %d ms, delay: %.12g ms}", n ? ", " : "", 100 * n + 50,
                 delay);
    }
    struct scene scene = scene_run("duration: %d ms\nlinks: {l: {rate: 8 Gbit/s, delay: 1 ms, schedule: [%s]}}\n"
                                   "flows: [{name: a, via: [l], start: 100 ms}]\n"
                                   "app: {kind: udp_cbr, packet: 972 B, interval: 100 ms}\n",
                                   100 * n + 50, steps);
    scene_near(row->id, 1e3 * scene.result.all[METRIC_jitter_mad], vector_value(row->expected, "mean_abs_diff"), 1e-8);
    scene_near(row->id, 1e6 * scene.result.all[METRIC_delay_variance] * (n - 1) / n,
               vector_value(row->expected, "variance"), 1e-8);
    scene_free(&scene);
}

/* --- all rows ----------------------------------------------------------------------------------------------------- */

static void test_losses(void **state)
{
    (void)state;
    static const struct vector_columns columns = {.id = 0, .group = 1, .inputs = 2, .expected = 3, .tolerance = 4};
    static const char *const groups[] = {"gilbert", "arq", NULL};
    static const struct vector_rule rules[] = {
        {"ge_full", row_gilbert_full, NULL}, {"ge_", row_gilbert, NULL}, {"arq_", row_arq, NULL}, {NULL, NULL, NULL}};
    vector_run("tests/reference/vectors/test-vectors.csv", &columns, groups, rules);
}

static void test_delay_sheet(void **state)
{
    (void)state;
    static const struct vector_columns columns = {.id = 0, .group = 1, .inputs = 2, .expected = 3, .tolerance = -1};
    static const struct {
        const char *item;
        void (*check)(const struct vector_row *row);
    } items[] = {
        {"gilbert_elliott", row_gilbert_elliott},
        {"expo_updown", row_onoff},
        {"cbr", row_cbr},
        {"video_gauss", row_video},
        {"jain", row_jain},
        {"jitter", row_jitter},
    };
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        const char *const groups[] = {items[i].item, NULL};
        const struct vector_rule rules[] = {{"d", items[i].check, NULL}, {NULL, NULL, NULL}};
        vector_run("tests/reference/vectors/test-vectors-delay.csv", &columns, groups, rules);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_delay_sheet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
