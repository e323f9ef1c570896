/* pacing.h - segments of a flow leave spaced by its pacing rate, not back to back.
 *
 * After a segment the next may leave once its payload has passed at that rate. Whoever sends asks tcp_pacing_allows
 * first; a no sets the flow's TIMER_PACE, which sends again. The first 10 segments are not paced, a late segment lets
 * the next follow earlier by its lateness, at most by half its own time (Linux 6.1 tcp_update_skb_after_send).
 * `pacing: window`: 2 (in slow start, cwnd < ssthresh / 2) or 1.2 times a window per smoothed RTT (Linux 6.1
 * tcp_update_pacing_rate; here the window is that at the time of sending, there that after the last ACK). A congestion
 * control that owns its window sets f->pacing_bps itself. Rates are of payload, as in Linux since 4.20.
 */
#ifndef KERNELS_PACING_H
#define KERNELS_PACING_H

#include "instance.h"

/* Whether the flow's congestion control or settings pace it. */
bool pacing_is_on(const struct tcp_cfg *cfg);
/* A segment of a paced flow leaves now: when may the next? */
void pacing_note_sent(struct sim *s, struct flow *f, uint32_t payload);

/* Nothing may leave yet, and the timer is set for when it may: no need to look what there is. */
static inline bool pacing_is_waiting(const struct sim *s, const struct flow *f)
{
    return f->pacing_next_ps > s->now_ps && f->deadline_ps[TIMER_PACE] <= f->pacing_next_ps;
}

/* Whether a segment may leave now as far as pacing goes; if not, the timer is set for when it may. */
static inline bool tcp_pacing_allows(struct sim *s, struct flow *f)
{
    if (__builtin_expect(!f->is_paced || f->pacing_next_ps <= s->now_ps, 1))
        return true;
    flow_set_timer(s, f, TIMER_PACE, f->pacing_next_ps);
    return false;
}

#endif
