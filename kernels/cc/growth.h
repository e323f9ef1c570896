/* growth.h - what the congestion controls in real arithmetic share: slow start by the flow's growth rule, the window
 * that a reduction starts from, limits.
 *
 * growth bytes: RFC 3465 byte counting: slow start min(acked, L) (L = 1 in the slow start that follows a timeout),
 *   avoidance acked/cwnd per ACK.
 * growth ack: one step an ACK, however much it acknowledges (RFC 2581, ns-2).
 * growth segments: per segment acknowledged; what slow start does not need goes to avoidance.
 */
#ifndef KERNELS_CC_GROWTH_H
#define KERNELS_CC_GROWTH_H

#include "../tcp.h"

enum { CWND_MIN_SEGS = 2 }; /* after a reduction, RFC 5681 */

static const double SSTHRESH_UNLIMITED = 1e9;

/* How many steps of slow start one ACK is worth. */
static inline double growth_steps(const struct flow *f, double acked, double limit)
{
    switch (f->cfg->growth) {
    case GROWTH_ACK:
        return 1;
    case GROWTH_BYTES:
        return acked < limit ? acked : limit;
    case GROWTH_SEGMENTS:
        break;
    }
    return acked;
}

/* L of RFC 3465. */
static inline double growth_limit(const struct flow *f)
{
    return f->slow_start_after_rto ? 1 : f->cfg->abc_limit;
}

/* Congestion avoidance: the segments that an ACK counts for. */
static inline double growth_avoidance(struct flow *f, double acked)
{
    f->slow_start_after_rto = false;
    return f->cfg->growth == GROWTH_ACK ? 1 : acked;
}

/* Slow start's part of an ACK: moves *cwnd by `factor` segments a step, where it is below ssthresh. Returns the
 * segments that are left for congestion avoidance. */
static inline double growth_slow_start(struct flow *f, double acked, double limit, double factor, double *cwnd)
{
    if (*cwnd >= f->ssthresh)
        return growth_avoidance(f, acked);
    double step = factor * growth_steps(f, acked, limit);
    bool is_split = f->cfg->growth == GROWTH_SEGMENTS && *cwnd + step > f->ssthresh;
    double left = is_split ? acked - (f->ssthresh - *cwnd) / factor : 0;
    *cwnd = is_split ? f->ssthresh : *cwnd + step;
    return left;
}

static inline void growth_set_cwnd(struct sim *s, struct flow *f, double cwnd)
{
    tcp_set_cwnd(s, f, cwnd < f->cfg->cwnd_max_segs ? cwnd : f->cfg->cwnd_max_segs);
}

static inline double growth_at_least_min(double window)
{
    return window > CWND_MIN_SEGS ? window : CWND_MIN_SEGS;
}

/* ns-3's BytesInFlight when a loss is found: what duplicate ACKs stand for has left, with SACK the lost segment too
 * (ns-3, tcp-socket-base.cc EnterRecovery, tcp-tx-buffer.cc BytesInFlight). */
static inline double growth_pipe(const struct flow *f)
{
    if (f->segments.at)
        return segments_in_flight(f);
    double flight = f->next - f->una, gone = f->duplicate_acks;
    if (f->cfg->recovery->uses_sack)
        gone = f->board.count > 0 ? f->board.count + 1 : 0;
    return gone < flight ? flight - gone : flight;
}

/* The window that a reduction starts from (key ssthresh_base), segments. */
static inline double growth_window_at_loss(const struct flow *f)
{
    switch (f->cfg->ssthresh_base) {
    case BASE_FLIGHT:
        return tcp_flight_size(f);
    case BASE_WINDOW:
        return f->cwnd < f->window ? f->cwnd : f->window;
    case BASE_PIPE:
        return growth_pipe(f);
    case BASE_CWND:
        break;
    }
    return f->cwnd;
}

#endif
