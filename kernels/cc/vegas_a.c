/* vegas_a.c - TCP Vegas-A: alpha and beta follow what throughput does (Srijith, Jacob, Ananda, IPCCC 2003; Computer
 * Communications 28(4), 2005).
 *
 * ns-2's Vegas with another congestion avoidance. In a steady state throughput equals the last round's, so that ties
 * decide: differences are whole packets as in ns-2 (vegas_a_diff: int) or exact (real), the band between alpha and beta
 * is open, throughputs are compared as products of integers (RTTs in whole ns), and must differ by vegas_a_eps.
 * A simulated path without cross traffic gives exact ties for ever, a real one (and ns-2, by rounding) never does:
 * vegas_a_jitter makes the measured RTT of each round up to so much longer, by a hash of flow and segment.
 *
 * Departures (the paper is silent): alpha and beta do not fall below 1 and 3; with no round before the first, its
 * throughput counts as higher; equal throughput changes nothing in the band or below alpha > 1.
 */
#include "vegas_round.h"

enum { ALPHA_MIN = 1, BETA_MIN = 3 };
enum { EPS_UNIT = 1000000, PS_PER_NS = 1000 };

struct vegas_a {
    struct vegas_ns2 vegas; /* first: its operations take it */
    double alpha, beta;
    uint32_t sent; /* of the round before: throughput sent / rtt; rtt 0: none */
    int64_t rtt_ns;
};

static void vegas_a_start(struct sim *s, struct flow *f)
{
    struct vegas_a *c = CC_STATE(f, struct vegas_a);
    vegas_ns2_begin(s, &c->vegas);
    c->alpha = f->cfg->delay.vegas_alpha;
    c->beta = f->cfg->delay.vegas_beta;
}

static int vegas_a_sign(delay_wide x)
{
    return (x > 0) - (x < 0);
}

/* Sign of the queue estimate minus a limit. */
static int compare_queue(const struct flow *f, const struct vegas_report *report, double limit)
{
    if (f->cfg->delay.vegas_a_diff == VEGAS_A_INT) {
        double delta = (double)vegas_delta(report);
        return (delta > limit) - (delta < limit);
    }
    return vegas_a_sign(vegas_excess(report) * EPS_UNIT - (delay_wide)(limit * EPS_UNIT) * report->sum_ps);
}

/* Sign of this round's throughput minus the last one's. */
static int compare_throughput(const struct flow *f, const struct vegas_a *c, uint32_t sent, int64_t rtt_ns)
{
    if (c->rtt_ns == 0)
        return 1;
    delay_wide eps = (delay_wide)(f->cfg->delay.vegas_a_eps * EPS_UNIT);
    delay_wide now = (delay_wide)sent * c->rtt_ns * EPS_UNIT, before = (delay_wide)c->sent * rtt_ns;
    if (now > before * (EPS_UNIT + eps))
        return 1;
    return now < before * (EPS_UNIT - eps) ? -1 : 0;
}

static void vegas_a_shift(struct vegas_a *c, int by)
{
    c->alpha += by;
    c->beta += by;
    if (c->alpha < ALPHA_MIN)
        c->alpha = ALPHA_MIN;
    if (c->beta < BETA_MIN)
        c->beta = BETA_MIN;
}

/* 0 to jitter, the same in each run. */
static int64_t noise_ns(const struct flow *f)
{
    int64_t range_ns = f->cfg->delay.vegas_a_jitter_ps / PS_PER_NS;
    uint64_t x = ((uint64_t)f->id << 32 | f->una) * UINT64_C(0x9e3779b97f4a7c15); /* then as splitmix64 ends */
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (int64_t)((x ^ (x >> 31)) % (uint64_t)(range_ns + 1));
}

static void vegas_a_avoid(struct sim *s, struct flow *f, struct vegas_ns2 *v, const struct vegas_report *report)
{
    struct vegas_a *c = CC_STATE(f, struct vegas_a);
    int64_t rtt_ns = report->sum_ps / report->count / PS_PER_NS + noise_ns(f);
    int throughput = compare_throughput(f, c, report->sent, rtt_ns);
    int to_alpha = compare_queue(f, report, c->alpha), to_beta = compare_queue(f, report, c->beta);
    bool may_fall = c->alpha > ALPHA_MIN;
    c->sent = report->sent;
    c->rtt_ns = rtt_ns;
    v->step = 0;
    if (to_beta > 0 || (to_alpha < 0 && may_fall && throughput < 0)) {
        vegas_ns2_shrink(s, f);
        vegas_a_shift(c, -1);
    } else if (to_alpha > 0 && to_beta < 0 && throughput > 0) {
        v->step = 1 / f->cwnd;
        vegas_a_shift(c, 1);
    } else if (to_alpha < 0 && (!may_fall || throughput > 0)) {
        v->step = 1 / f->cwnd;
    }
}

static void vegas_a_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)acked;
    vegas_ns2_sample(s, &CC_STATE(f, struct vegas_a)->vegas, rtt_ps);
}

static void vegas_a_on_duplicate(struct sim *s, struct flow *f)
{
    vegas_ns2_sample(s, &CC_STATE(f, struct vegas_a)->vegas, 0);
}

static void vegas_a_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    vegas_ns2_ack(s, f, &CC_STATE(f, struct vegas_a)->vegas, vegas_a_avoid);
}

static double vegas_a_ssthresh(struct sim *s, struct flow *f)
{
    return vegas_ns2_loss(s, f, &CC_STATE(f, struct vegas_a)->vegas);
}

static void vegas_a_on_timeout(struct sim *s, struct flow *f)
{
    delay_timeout_answer(s, f, &CC_STATE(f, struct vegas_a)->vegas.timeout);
}

const struct cc_ops cc_vegas_a = {
    .item = {"vegas_a", "Vegas whose limits follow throughput", "Srijith, Jacob, Ananda, IPCCC 2003", NULL},
    .on_ack = vegas_a_on_ack,
    .ssthresh = vegas_a_ssthresh,
    .start = vegas_a_start,
    .on_rtt = vegas_a_on_rtt,
    .on_duplicate = vegas_a_on_duplicate,
    .on_timeout = vegas_a_on_timeout,
};
