/* vegas_ns2.c - TCP Vegas as ns-2.35's Agent/TCP/Vegas has it (Brakmo and Peterson, JSAC 13(8), 1995, in its own way).
 *
 * Once per round the difference is rounded to whole packets; slow start grows every other round, leaving it costs an
 * eighth; avoidance grows by 1/cwnd with each ACK of the round, shrinks by one at once. Its loss recovery with fine
 * timeouts is recovery `vegas`; with other schemes a loss costs a quarter of the window.
 *
 * Departures: RTT means are exact fractions of whole ps, ns-2's are doubles. ns-2's `cwnd within 2 of what is
 * outstanding` is kept; tcp.grow_when_limited (dialect ns2) must be on for it to be the only test.
 */
#include "vegas_round.h"

void vegas_ns2_begin(struct sim *s, struct vegas_ns2 *v)
{
    v->round.begin_ps = s->now_ps;
}

void vegas_ns2_sample(const struct sim *s, struct vegas_ns2 *v, int64_t rtt_ps)
{
    if (v->round.base_ps == 0)
        v->round.base_ps = s->now_ps - v->round.begin_ps;
    vegas_round_sample(&v->round, v->held_ps);
    v->held_ps = rtt_ps;
}

/* Slow start once per round: grow and stand still in turn; the comparison holds after a round without growth. */
static void vegas_ns2_slow_start(struct sim *s, struct flow *f, struct vegas_ns2 *v, const struct vegas_report *report)
{
    v->is_frozen = !v->is_frozen;
    v->step = 0;
    if (v->is_frozen)
        return;
    if ((double)vegas_delta(report) <= f->cfg->delay.vegas_gamma) {
        v->step = 1;
        return;
    }
    double cwnd = f->cwnd - f->cwnd / 8;
    tcp_set_ssthresh(s, f, 2);
    tcp_set_cwnd(s, f, cwnd > 2 ? cwnd : 2);
}

void vegas_ns2_shrink(struct sim *s, struct flow *f)
{
    if (f->cfg->ns2_rules)
        tcp_set_cwnd(s, f, growth_at_least_min(f->cwnd - 1));
    else
        vegas_shrink(s, f);
}

void vegas_ns2_avoid(struct sim *s, struct flow *f, struct vegas_ns2 *v, const struct vegas_report *report)
{
    double delta = (double)vegas_delta(report);
    v->step = delta < f->cfg->delay.vegas_alpha ? 1 / f->cwnd : 0;
    if (delta > f->cfg->delay.vegas_beta) {
        v->step = 0;
        vegas_ns2_shrink(s, f);
    }
}

void vegas_ns2_ack(struct sim *s, struct flow *f, struct vegas_ns2 *v, vegas_avoid *avoid)
{
    struct vegas_report report;
    if (vegas_round_end(&v->round, s, f, &report)) {
        vegas_round_rebase(&v->round, &report);
        if (f->cwnd < f->ssthresh)
            vegas_ns2_slow_start(s, f, v, &report);
        else
            avoid(s, f, v, &report);
    }
    if (v->step >= 1 && f->cwnd >= f->ssthresh)
        v->step = 0;
    if (v->step > 0 && f->cwnd - (f->next - f->una + 1) <= 2)
        growth_set_cwnd(s, f, f->cwnd + v->step);
}

uint32_t vegas_ns2_cut(uint32_t window, bool is_sent_again)
{
    if (window <= 3)
        return 2;
    return window - (is_sent_again ? (window + 1) / 2 : window / 4);
}

double vegas_ns2_loss(struct sim *s, struct flow *f, struct vegas_ns2 *v)
{
    double window = f->cwnd < f->window_real ? f->cwnd : f->window_real;
    delay_timeout_ask(s, &v->timeout, (double)(uint32_t)(window / 2));
    return vegas_ns2_cut((uint32_t)window, f->una < f->high_retransmitted);
}

static void vegas_ns2_start(struct sim *s, struct flow *f)
{
    vegas_ns2_begin(s, CC_STATE(f, struct vegas_ns2));
}

static void vegas_ns2_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)acked;
    vegas_ns2_sample(s, CC_STATE(f, struct vegas_ns2), rtt_ps);
}

static void vegas_ns2_on_duplicate(struct sim *s, struct flow *f)
{
    vegas_ns2_sample(s, CC_STATE(f, struct vegas_ns2), 0);
}

static void vegas_ns2_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    vegas_ns2_ack(s, f, CC_STATE(f, struct vegas_ns2), vegas_ns2_avoid);
}

static double vegas_ns2_ssthresh(struct sim *s, struct flow *f)
{
    return vegas_ns2_loss(s, f, CC_STATE(f, struct vegas_ns2));
}

static void vegas_ns2_on_timeout(struct sim *s, struct flow *f)
{
    delay_timeout_answer(s, f, &CC_STATE(f, struct vegas_ns2)->timeout);
}

const struct cc_ops cc_vegas_ns2 = {
    .item = {"vegas_ns2", "Vegas with ns-2's rounding and growth", "ns-2 2.35, tcp-vegas.cc", "Agent/TCP/Vegas (ns-2)"},
    .on_ack = vegas_ns2_on_ack,
    .ssthresh = vegas_ns2_ssthresh,
    .start = vegas_ns2_start,
    .on_rtt = vegas_ns2_on_rtt,
    .on_duplicate = vegas_ns2_on_duplicate,
    .on_timeout = vegas_ns2_on_timeout,
};
