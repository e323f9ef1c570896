/* vegas_round.c - see vegas_round.h. */
#include "vegas_round.h"

void vegas_round_sample(struct vegas_round *r, int64_t rtt_ps)
{
    if (rtt_ps <= 0)
        return;
    r->sum_ps += rtt_ps;
    r->count++;
    if (r->base_ps == 0 || rtt_ps < r->base_ps)
        r->base_ps = rtt_ps;
}

bool vegas_round_end(struct vegas_round *r, const struct sim *s, const struct flow *f, struct vegas_report *report)
{
    if (f->una <= r->begin)
        return false;
    *report = (struct vegas_report){
        .sum_ps = r->count ? r->sum_ps : s->now_ps - r->begin_ps,
        .count = r->count ? r->count : 1,
        .sent = f->next - r->begin,
        .outstanding = f->next - f->una + 1,
    };
    if (r->base_ps == 0)
        r->base_ps = report->sum_ps / report->count;
    report->base_ps = r->base_ps;
    r->sum_ps = 0;
    r->count = 0;
    r->begin = f->next;
    r->begin_ps = s->now_ps;
    return report->sum_ps > 0;
}

void vegas_round_rebase(struct vegas_round *r, struct vegas_report *report)
{
    int64_t mean_ps = report->sum_ps / report->count;
    if (mean_ps < r->base_ps || report->sent <= 1)
        r->base_ps = report->base_ps = mean_ps;
}

delay_wide vegas_excess(const struct vegas_report *report)
{
    return (delay_wide)report->outstanding * report->sum_ps -
           (delay_wide)report->sent * report->base_ps * report->count;
}

int64_t vegas_delta(const struct vegas_report *report)
{
    delay_wide rtt = report->sum_ps;
    return (int64_t)((2 * vegas_excess(report) + rtt) / (2 * rtt)); /* cut towards 0, as a C conversion does */
}

void vegas_shrink(struct sim *s, struct flow *f)
{
    tcp_set_cwnd(s, f, growth_at_least_min(f->cwnd - 1));
    if (f->cwnd < f->ssthresh)
        tcp_set_ssthresh(s, f, f->cwnd);
}
