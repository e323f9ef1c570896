/* pacing.c - when the next segment of a paced flow may leave. */
#include "pacing.h"

#include "rto.h"

enum { UNPACED_SEGMENTS = 10 };

bool pacing_is_on(const struct tcp_cfg *cfg)
{
    return cfg->pacing != PACING_OFF || cfg->cc->paces;
}

/* Bits per second; 0: no RTT is known yet. */
static double window_rate(const struct flow *f)
{
    const struct tcp_cfg *cfg = f->cfg;
    double gain = f->cwnd < f->ssthresh / 2 ? cfg->pacing_slow_start_gain : cfg->pacing_gain;
    double flight = f->next - f->una, window = f->cwnd > flight ? f->cwnd : flight;
    if (!f->rto.has_sample)
        return 0;
    return gain * window * cfg->mss_bytes * 8 / rto_srtt_s(&f->rto, cfg);
}

void pacing_note_sent(struct sim *s, struct flow *f, uint32_t payload)
{
    int64_t late_ps = s->now_ps - f->pacing_next_ps;
    if (!f->cfg->cc->paces)
        f->pacing_bps = window_rate(f);
    if (late_ps > 0)
        f->pacing_next_ps = s->now_ps;
    if (f->pacing_bps <= 0 || f->count.sent < f->sent_before + UNPACED_SEGMENTS)
        return;
    double length = payload * 8.0 * (double)PS_PER_S / f->pacing_bps;
    int64_t length_ps = length < (double)TIME_NEVER ? (int64_t)length : TIME_NEVER;
    int64_t credit_ps = late_ps > length_ps / 2 ? length_ps / 2 : late_ps;
    f->pacing_next_ps += length_ps - (credit_ps > 0 ? credit_ps : 0);
}
