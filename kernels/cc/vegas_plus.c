/* vegas_plus.c - TCP Vegas+: Vegas that turns into Reno when others fill the queue (Hasegawa, Kurata, Murata, ICNP
 * 2000).
 *
 * A counter goes up when the RTT grew over a round though cwnd did not, down when the RTT fell; at vegas_plus_count_max
 * the flow becomes aggressive (Reno's growth and halving), at 0 moderate (Vegas) again. A fast retransmit halves the
 * counter, a timeout clears it.
 *
 * Departures: the moderate mode is ns-2's Vegas, slow start too; in the aggressive mode slow start is Reno's.
 */
#include "vegas_round.h"

struct vegas_plus {
    struct vegas_ns2 vegas; /* first: its operations take it */
    int64_t sum_ps;         /* mean RTT of the round before: sum / count; 0: none */
    uint32_t samples;
    uint32_t count;
    double cwnd; /* at the end of the round before */
    bool is_aggressive;
};

static void vegas_plus_start(struct sim *s, struct flow *f)
{
    vegas_ns2_begin(s, &CC_STATE(f, struct vegas_plus)->vegas);
}

/* Once per round in both modes. */
static void vegas_plus_watch(const struct flow *f, struct vegas_plus *c, const struct vegas_report *report)
{
    delay_wide now = (delay_wide)report->sum_ps * c->samples, before = (delay_wide)c->sum_ps * report->count;
    if (c->samples > 0) {
        if (now > before && f->cwnd <= c->cwnd)
            c->count++;
        else if (now < before && c->count > 0)
            c->count--;
        if (c->count >= f->cfg->delay.vegas_plus_count_max)
            c->is_aggressive = true;
        else if (c->count == 0)
            c->is_aggressive = false;
    }
    c->sum_ps = report->sum_ps;
    c->samples = report->count;
    c->cwnd = f->cwnd;
}

static void vegas_plus_avoid(struct sim *s, struct flow *f, struct vegas_ns2 *v, const struct vegas_report *report)
{
    vegas_plus_watch(f, CC_STATE(f, struct vegas_plus), report);
    vegas_ns2_avoid(s, f, v, report);
}

static void vegas_plus_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)acked;
    vegas_ns2_sample(s, &CC_STATE(f, struct vegas_plus)->vegas, rtt_ps);
}

static void vegas_plus_on_duplicate(struct sim *s, struct flow *f)
{
    vegas_ns2_sample(s, &CC_STATE(f, struct vegas_plus)->vegas, 0);
}

static void vegas_plus_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct vegas_plus *c = CC_STATE(f, struct vegas_plus);
    if (!c->is_aggressive) {
        vegas_ns2_ack(s, f, &c->vegas, vegas_plus_avoid);
        return;
    }
    struct vegas_report report;
    if (vegas_round_end(&c->vegas.round, s, f, &report)) {
        vegas_round_rebase(&c->vegas.round, &report);
        vegas_plus_watch(f, c, &report);
    }
    c->vegas.step = 0;
    cc_reno.on_ack(s, f, acked);
}

static double vegas_plus_ssthresh(struct sim *s, struct flow *f)
{
    struct vegas_plus *c = CC_STATE(f, struct vegas_plus);
    double moderate = vegas_ns2_loss(s, f, &c->vegas);
    c->count /= 2;
    return c->is_aggressive ? cc_reno.ssthresh(s, f) : moderate;
}

static void vegas_plus_on_timeout(struct sim *s, struct flow *f)
{
    struct vegas_plus *c = CC_STATE(f, struct vegas_plus);
    c->count = 0;
    c->is_aggressive = false;
    delay_timeout_answer(s, f, &c->vegas.timeout);
}

const struct cc_ops cc_vegas_plus = {
    .item = {"vegas_plus", "Vegas that turns into Reno among flows that fill queues",
             "Hasegawa, Kurata, Murata, ICNP 2000", NULL},
    .on_ack = vegas_plus_on_ack,
    .ssthresh = vegas_plus_ssthresh,
    .start = vegas_plus_start,
    .on_rtt = vegas_plus_on_rtt,
    .on_duplicate = vegas_plus_on_duplicate,
    .on_timeout = vegas_plus_on_timeout,
};
