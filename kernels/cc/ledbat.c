/* ledbat.c - LEDBAT, less than best effort: keeps the queueing delay at a target (RFC 6817).
 *
 * Per ACK: off = (target - queueing) / target, cwnd += gain off acked / cwnd, at least 2 and at most the flight before
 * the ACK plus 1. Queueing: least of the last 4 samples against the least of the last 10 minutes. A loss halves.
 *
 * Departures: round-trip times stand in for one-way delays, so queues on the way back count too. No slow start, as the
 * RFC allows; the window after a timeout grows by the same rule.
 */
#include "delay.h"

enum { BASE_MINUTES = 10, CURRENT_SAMPLES = 4 };

static const int64_t MINUTE_PS = 60 * PS_PER_S;
static const double ALLOWED_INCREASE = 1;

struct ledbat {
    int64_t base_ps[BASE_MINUTES]; /* least of each minute, ring; 0: none */
    int64_t current_ps[CURRENT_SAMPLES];
    int64_t minute_from_ps;
    uint32_t minute, sample; /* places in the rings */
    uint32_t acked;          /* segments that this ACK acknowledges: they were in flight before it */
};

static int64_t least(const int64_t *ring, int n)
{
    int64_t min = 0;
    for (int i = 0; i < n; i++)
        if (ring[i] > 0 && (min == 0 || ring[i] < min))
            min = ring[i];
    return min;
}

static void ledbat_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    struct ledbat *c = CC_STATE(f, struct ledbat);
    c->acked = acked;
    if (rtt_ps <= 0)
        return;
    c->current_ps[c->sample++ % CURRENT_SAMPLES] = rtt_ps;
    if (s->now_ps - c->minute_from_ps >= MINUTE_PS) {
        c->minute_from_ps = s->now_ps;
        c->minute = (c->minute + 1) % BASE_MINUTES;
        c->base_ps[c->minute] = 0;
    }
    int64_t *base = &c->base_ps[c->minute];
    if (*base == 0 || rtt_ps < *base)
        *base = rtt_ps;
}

static void ledbat_start(struct sim *s, struct flow *f)
{
    CC_STATE(f, struct ledbat)->minute_from_ps = s->now_ps;
}

static void ledbat_on_ack(struct sim *s, struct flow *f, double acked)
{
    const struct cc_delay_params *p = &f->cfg->delay;
    struct ledbat *c = CC_STATE(f, struct ledbat);
    int64_t queueing_ps = least(c->current_ps, CURRENT_SAMPLES) - least(c->base_ps, BASE_MINUTES);
    double off = (double)(p->ledbat_target_ps - queueing_ps) / (double)p->ledbat_target_ps;
    double cwnd = f->cwnd + p->ledbat_gain * off * acked / f->cwnd;
    double limit = (f->next - f->una) + (double)c->acked + ALLOWED_INCREASE;
    growth_set_cwnd(s, f, growth_at_least_min(cwnd < limit ? cwnd : limit));
}

static double ledbat_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return growth_at_least_min(f->cwnd / 2);
}

const struct cc_ops cc_ledbat = {
    .item = {"ledbat", "yields to all other traffic", "RFC 6817", NULL},
    .on_ack = ledbat_on_ack,
    .ssthresh = ledbat_ssthresh,
    .start = ledbat_start,
    .on_rtt = ledbat_on_rtt,
};
