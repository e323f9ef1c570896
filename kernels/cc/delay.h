/* delay.h - small pieces that the congestion controls based on delay or bandwidth share. */
#ifndef KERNELS_CC_DELAY_H
#define KERNELS_CC_DELAY_H

#include "growth.h"

__extension__ typedef __int128 delay_wide; /* products of times and counts */

extern const struct cc_ops cc_reno; /* for the parts in which an algorithm is Reno */

/* --- round-trip times -------------------------------------------------------------------------------------------- */

/* ps; 0 before the first sample. */
struct delay_rtt {
    int64_t min_ps, last_ps, smoothed_ps;
};

/* A sample that is not positive means that the ACK gave none. */
static inline void delay_rtt_sample(struct delay_rtt *d, int64_t rtt_ps)
{
    if (rtt_ps <= 0)
        return;
    d->last_ps = rtt_ps;
    if (d->min_ps == 0 || rtt_ps < d->min_ps)
        d->min_ps = rtt_ps;
    d->smoothed_ps = d->smoothed_ps == 0 ? rtt_ps : d->smoothed_ps + (rtt_ps - d->smoothed_ps) / 8;
}

/* Segments of a window that wait in queues: cwnd (RTT - base) / RTT; 0 while nothing is known. */
static inline double delay_backlog(double cwnd, int64_t base_ps, int64_t rtt_ps)
{
    return rtt_ps > 0 && base_ps > 0 ? cwnd * (double)(rtt_ps - base_ps) / (double)rtt_ps : 0;
}

/* Whether this ACK echoes a mark; mark_ps: time of the last one that did, 0: none did. */
static inline bool delay_is_marked(const struct sim *s, int64_t mark_ps)
{
    return mark_ps > 0 && mark_ps == s->now_ps;
}

/* --- timeouts ----------------------------------------------------------------------------------------------------- */

/* The ssthresh operation cannot know whether a timeout asks; on_timeout, at the same instant, then puts in what belongs
 * there. Where a repeated timeout keeps ssthresh, nobody asks, and nothing is put in. */
struct delay_timeout {
    int64_t asked_ps;
    double ssthresh;
};

static inline void delay_timeout_ask(const struct sim *s, struct delay_timeout *t, double ssthresh)
{
    t->asked_ps = s->now_ps;
    t->ssthresh = ssthresh > 2 ? ssthresh : 2;
}

static inline void delay_timeout_answer(struct sim *s, struct flow *f, const struct delay_timeout *t)
{
    if (t->asked_ps == s->now_ps && t->ssthresh > 0)
        tcp_set_ssthresh(s, f, t->ssthresh);
}

/* --- losses that are not congestion ------------------------------------------------------------------------------- */

/* What cwnd and ssthresh become when recovery is over; cwnd 0: recovery's own values stay. */
struct delay_keep {
    double cwnd, ssthresh;
};

/* Returns the window for recovery itself, whose schemes set cwnd and ssthresh alike. */
static inline double delay_keep_both(struct delay_keep *k, double cwnd, double ssthresh)
{
    *k = (struct delay_keep){cwnd, ssthresh};
    return cwnd;
}

static inline void delay_keep_restore(struct sim *s, struct flow *f, struct delay_keep *k)
{
    if (k->cwnd > 0) {
        tcp_set_cwnd(s, f, k->cwnd);
        tcp_set_ssthresh(s, f, k->ssthresh);
    }
    k->cwnd = 0;
}

#endif
