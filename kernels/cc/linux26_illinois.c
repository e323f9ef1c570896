/* linux26_illinois.c - Illinois as Linux 2.6.22 has it in ns-2.35 (linux/src/tcp_illinois.c), in integers.
 *
 * Against the paper (illinois.c): a loss leaves the part beta of the window, where it should take it away, so with an
 * empty queue an eighth remains (mended in Linux 2.6.24); threshold window 15.
 */
#include "linux26_round.h"

enum { ALPHA_SHIFT = 7, ALPHA_BASE = 1 << ALPHA_SHIFT, ALPHA_MIN = 3 * ALPHA_BASE / 10, ALPHA_MAX = 10 * ALPHA_BASE };
enum { BETA_SHIFT = 6, BETA_MIN = (1 << BETA_SHIFT) / 8, BETA_MAX = (1 << BETA_SHIFT) / 2, THRESHOLD = 15, THETA = 5 };

struct illinois {
    struct linux26_growth growth;
    bool has_begun, was_above;
    uint32_t low_rounds, alpha, beta, acked;
    int64_t base_us, max_us, sum_us;
    uint32_t samples, end;
};

static void begin_round(const struct flow *f, struct illinois *c)
{
    c->end = f->next;
    c->samples = 0;
    c->sum_us = 0;
}

static void begin(const struct flow *f, struct illinois *c)
{
    if (c->has_begun)
        return;
    c->has_begun = true;
    c->alpha = ALPHA_MAX;
    c->beta = BETA_MAX;
    c->base_us = LINUX26_NO_RTT;
    begin_round(f, c);
}

static uint32_t alpha_of(struct illinois *c, int64_t mean, int64_t most)
{
    int64_t low = most / 100;
    if (mean <= low) {
        if (c->was_above && ++c->low_rounds < THETA)
            return c->alpha;
        c->low_rounds = 0;
        c->was_above = false;
        return ALPHA_MAX;
    }
    c->was_above = true;
    most -= low;
    mean -= low;
    return (uint32_t)(most * ALPHA_MAX / (most + mean * (ALPHA_MAX - ALPHA_MIN) / ALPHA_MIN));
}

static uint32_t beta_of(int64_t mean, int64_t most)
{
    int64_t d2 = most / 10, d3 = 8 * most / 10;
    if (mean <= d2)
        return BETA_MIN;
    if (mean >= d3 || d3 <= d2)
        return BETA_MAX;
    return (uint32_t)((BETA_MIN * d3 - BETA_MAX * d2 + (BETA_MAX - BETA_MIN) * mean) / (d3 - d2));
}

static void decide(const struct flow *f, struct illinois *c)
{
    if (linux_cwnd(f) < THRESHOLD) {
        c->alpha = ALPHA_BASE;
        c->beta = BETA_MAX;
    } else if (c->samples > 0) {
        int64_t most = c->max_us - c->base_us, mean = c->sum_us / c->samples - c->base_us;
        c->alpha = alpha_of(c, mean, most);
        c->beta = beta_of(mean, most);
    }
    begin_round(f, c);
}

static void illinois_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    struct illinois *c = CC_STATE(f, struct illinois);
    begin(f, c);
    c->growth.acked += acked;
    c->acked = acked;
    if (rtt_ps >= 0) {
        int64_t rtt_us = rtt_ps / PS_PER_US;
        c->base_us = rtt_us < c->base_us ? rtt_us : c->base_us;
        c->max_us = rtt_us > c->max_us ? rtt_us : c->max_us;
        c->sum_us += rtt_us;
        c->samples++;
    }
    if (f->mode != MODE_RECOVERY && f->una > c->end)
        decide(f, c);
}

static void illinois_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    struct illinois *c = CC_STATE(f, struct illinois);
    uint32_t cwnd = linux_cwnd(f);
    if (linux26_in_slow_start(f)) {
        growth_set_cwnd(s, f, linux26_slow_start(f, &c->growth, cwnd));
        return;
    }
    c->growth.count += c->acked;
    c->acked = 1;
    uint32_t step = (uint32_t)((uint64_t)c->growth.count * c->alpha >> ALPHA_SHIFT);
    if (step >= cwnd) {
        cwnd += step / cwnd;
        c->growth.count = 0;
    }
    growth_set_cwnd(s, f, cwnd);
}

static double illinois_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct illinois *c = CC_STATE(f, struct illinois);
    begin(f, c);
    return linux26_reduce(&c->growth, linux_cwnd(f) * c->beta >> BETA_SHIFT);
}

static void illinois_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    struct illinois *c = CC_STATE(f, struct illinois);
    c->alpha = ALPHA_BASE;
    c->beta = BETA_MAX;
    c->low_rounds = 0;
    c->was_above = false;
    begin_round(f, c);
}

const struct cc_ops cc_illinois_linux26 = {
    .item = {"illinois_linux26", "illinois of Linux 2.6.22", "ns-2 2.35, linux/src/tcp_illinois.c", NULL},
    .on_ack = illinois_on_ack,
    .ssthresh = illinois_ssthresh,
    .on_rtt = illinois_on_rtt,
    .on_timeout = illinois_on_timeout,
    .recovery_window = linux26_half_ssthresh,
};
