/* illinois.c - TCP-Illinois: increase and decrease depend on the queueing delay (Liu, Basar, Srikant 2006).
 *
 * Once a round, from the mean RTT of the round. The smoothing by theta rounds and the reset after a timeout are as in
 * Linux 6.1 tcp_illinois.c, whose other rules are the paper's in whole numbers; its threshold window is 15.
 *
 * illinois_linux: that module: whole segments, microseconds, alpha in 1/128, beta in 1/64; the counter of segments
 * starts anew at each step.
 */
#include "hystart.h"

#include "rtt_round.h"

static const double ILLINOIS_ETA_1 = 0.01, ILLINOIS_ETA_2 = 0.1, ILLINOIS_ETA_3 = 0.8, ILLINOIS_RENO_BETA = 0.5;

enum { ILLINOIS_THETA = 5 };

struct illinois {
    struct hystart hystart;
    struct rtt_round round;
    bool is_set;           /* alpha and beta have been worked out */
    double alpha, beta;    /* segments per round trip; part that a loss takes away */
    bool was_delayed;      /* since alpha was last its maximum */
    uint32_t quiet_rounds; /* rounds without queueing since then */
};

/* da, dm: mean queueing delay of the round, and the largest ever. */
static double illinois_alpha(const struct cc_window_params *p, struct illinois *c, double da, double dm)
{
    double d1 = ILLINOIS_ETA_1 * dm, most = p->illinois_alpha_max, least = p->illinois_alpha_min;
    if (da <= d1) {
        if (c->was_delayed && ++c->quiet_rounds < ILLINOIS_THETA)
            return c->alpha;
        c->quiet_rounds = 0;
        c->was_delayed = false;
        return most;
    }
    c->was_delayed = true;
    double spread = most > least ? most - least : 0;
    return (dm - d1) * most / (dm - d1 + (da - d1) * spread / least);
}

static double illinois_beta(const struct cc_window_params *p, double da, double dm)
{
    double d2 = ILLINOIS_ETA_2 * dm, d3 = ILLINOIS_ETA_3 * dm;
    double least = p->illinois_beta_min, most = p->illinois_beta_max;
    if (da <= d2)
        return least;
    return da >= d3 ? most : (least * d3 - most * d2 + (most - least) * da) / (d3 - d2);
}

static void illinois_decide(const struct flow *f, struct illinois *c)
{
    const struct cc_window_params *p = &f->cfg->window;
    const struct rtt_round *r = &c->round;
    if (f->cwnd < p->illinois_window) {
        c->alpha = 1;
        c->beta = ILLINOIS_RENO_BETA;
    } else if (r->n > 0) {
        double dm = (double)(r->max_ps - r->base_ps), da = r->sum_ps / r->n - (double)r->base_ps;
        c->alpha = illinois_alpha(p, c, da, dm);
        c->beta = illinois_beta(p, da, dm);
    }
    rtt_round_begin(&c->round, f);
}

static void illinois_begin(const struct flow *f, struct illinois *c)
{
    if (c->is_set)
        return;
    c->is_set = true;
    c->alpha = f->cfg->window.illinois_alpha_max;
    c->beta = ILLINOIS_RENO_BETA;
}

static void illinois_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct illinois *c = CC_STATE(f, struct illinois);
    illinois_begin(f, c);
    if (rtt_round_is_over(&c->round, f))
        illinois_decide(f, c);
    double cwnd = f->cwnd;
    acked = hystart_slow_start(f, &c->hystart, acked, &cwnd);
    if (acked > 0)
        cwnd += c->alpha * acked / cwnd;
    growth_set_cwnd(s, f, cwnd);
}

static double illinois_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct illinois *c = CC_STATE(f, struct illinois);
    illinois_begin(f, c);
    return growth_at_least_min((1 - c->beta) * growth_window_at_loss(f));
}

static void illinois_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)acked;
    struct illinois *c = CC_STATE(f, struct illinois);
    rtt_round_note(&c->round, rtt_ps);
    hystart_sample(s, f, &c->hystart, rtt_ps);
}

static void illinois_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    struct illinois *c = CC_STATE(f, struct illinois);
    c->is_set = true;
    c->alpha = 1;
    c->beta = ILLINOIS_RENO_BETA;
    c->quiet_rounds = 0;
    c->was_delayed = false;
    rtt_round_begin(&c->round, f);
    hystart_timeout(&c->hystart);
}

const struct cc_ops cc_illinois = {
    .item = {"illinois", "increase and decrease that depend on queueing delay", "Liu, Basar, Srikant 2006", NULL},
    .on_ack = illinois_on_ack,
    .ssthresh = illinois_ssthresh,
    .on_rtt = illinois_on_rtt,
    .on_timeout = illinois_on_timeout,
};

/* --- Linux -------------------------------------------------------------------------------------------------------- */

enum { ILLINOIS_ALPHA_SHIFT = 7, ILLINOIS_ALPHA_ONE = 128, ILLINOIS_ALPHA_MIN = 38, ILLINOIS_ALPHA_MAX = 1280 };
enum { ILLINOIS_BETA_SHIFT = 6, ILLINOIS_BETA_MIN = 8, ILLINOIS_BETA_MAX = 32, ILLINOIS_THRESHOLD = 15 };

struct illinois_linux {
    struct linux_growth growth;
    bool was_delayed;
    uint32_t quiet_rounds, alpha, beta, acked;
    int64_t base_us, max_us, sum_us; /* base_us 0: none */
    uint32_t samples, end;
};

static void illinois_linux_begin_round(const struct flow *f, struct illinois_linux *c)
{
    c->end = f->end;
    c->samples = 0;
    c->sum_us = 0;
}

static uint32_t illinois_linux_alpha(struct illinois_linux *c, int64_t da, int64_t dm)
{
    int64_t d1 = dm / 100;
    if (da <= d1) {
        if (c->was_delayed && ++c->quiet_rounds < ILLINOIS_THETA)
            return c->alpha;
        c->quiet_rounds = 0;
        c->was_delayed = false;
        return ILLINOIS_ALPHA_MAX;
    }
    c->was_delayed = true;
    dm -= d1;
    da -= d1;
    return (uint32_t)(dm * ILLINOIS_ALPHA_MAX /
                      (dm + da * (ILLINOIS_ALPHA_MAX - ILLINOIS_ALPHA_MIN) / ILLINOIS_ALPHA_MIN));
}

static uint32_t illinois_linux_beta(int64_t da, int64_t dm)
{
    int64_t d2 = dm / 10, d3 = 8 * dm / 10, least = ILLINOIS_BETA_MIN, most = ILLINOIS_BETA_MAX;
    if (da <= d2)
        return ILLINOIS_BETA_MIN;
    if (da >= d3 || d3 <= d2)
        return ILLINOIS_BETA_MAX;
    return (uint32_t)((least * d3 - most * d2 + (most - least) * da) / (d3 - d2));
}

static void illinois_linux_forget(const struct flow *f, struct illinois_linux *c)
{
    c->alpha = ILLINOIS_ALPHA_ONE;
    c->beta = ILLINOIS_BETA_MAX;
    illinois_linux_begin_round(f, c);
}

static void illinois_linux_decide(const struct flow *f, struct illinois_linux *c)
{
    if (linux_cwnd(f) < ILLINOIS_THRESHOLD) {
        illinois_linux_forget(f, c);
        return;
    }
    if (c->samples > 0) {
        int64_t dm = c->max_us - c->base_us, da = c->sum_us / c->samples - c->base_us;
        c->alpha = illinois_linux_alpha(c, da, dm);
        c->beta = illinois_linux_beta(da, dm);
    }
    illinois_linux_begin_round(f, c);
}

static void illinois_linux_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    struct illinois_linux *c = CC_STATE(f, struct illinois_linux);
    c->acked = acked;
    if (rtt_ps >= 0) {
        int64_t rtt_us = rtt_ps / PS_PER_US;
        c->base_us = c->base_us == 0 || rtt_us < c->base_us ? rtt_us : c->base_us;
        c->max_us = rtt_us > c->max_us ? rtt_us : c->max_us;
        c->sum_us += rtt_us;
        c->samples++;
    }
    if (f->mode != MODE_RECOVERY && f->una > c->end)
        illinois_linux_decide(f, c);
}

static void illinois_linux_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct illinois_linux *c = CC_STATE(f, struct illinois_linux);
    uint32_t cwnd = linux_cwnd(f);
    if (linux_in_slow_start(f)) {
        linux_slow_start(f, linux_acked(&c->growth, acked), &cwnd);
    } else {
        c->growth.count += c->acked;
        c->acked = 1;
        uint32_t step = (uint32_t)((uint64_t)c->growth.count * c->alpha >> ILLINOIS_ALPHA_SHIFT);
        if (step >= cwnd) {
            cwnd += step / cwnd;
            c->growth.count = 0;
        }
    }
    growth_set_cwnd(s, f, cwnd);
}

static double illinois_linux_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct illinois_linux *c = CC_STATE(f, struct illinois_linux);
    uint32_t cwnd = linux_cwnd(f), taken = (uint32_t)((uint64_t)cwnd * c->beta >> ILLINOIS_BETA_SHIFT);
    c->growth.count = 0;
    return growth_at_least_min((double)cwnd - taken);
}

static void illinois_linux_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    struct illinois_linux *c = CC_STATE(f, struct illinois_linux);
    c->quiet_rounds = 0;
    c->was_delayed = false;
    illinois_linux_forget(f, c);
}

static void illinois_linux_start(struct sim *s, struct flow *f)
{
    (void)s;
    struct illinois_linux *c = CC_STATE(f, struct illinois_linux);
    c->alpha = ILLINOIS_ALPHA_MAX;
    c->beta = ILLINOIS_BETA_MAX;
    illinois_linux_begin_round(f, c);
}

const struct cc_ops cc_illinois_linux = {
    .item = {"illinois_linux", "illinois in Linux's integers", "Linux 6.1 tcp_illinois.c", NULL},
    .on_ack = illinois_linux_on_ack,
    .ssthresh = illinois_linux_ssthresh,
    .start = illinois_linux_start,
    .on_rtt = illinois_linux_on_rtt,
    .on_timeout = illinois_linux_on_timeout,
};
