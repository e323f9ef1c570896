/* ns3.h - what ns-3's congestion controls share (tcp-congestion-ops.cc, tcp-socket-base.cc of ns-3 3.48; the rules are
 * restated, no code is taken): TcpNewReno's growth, and the window that a loss finds, its BytesInFlight.
 *
 * They are called with all segments that una passes, also those SACKed before, and know no limit of growth by what is
 * used (key prr: ns3).
 */
#ifndef KERNELS_CC_NS3_H
#define KERNELS_CC_NS3_H

#include "growth.h"

/* Slow start by one segment an ACK; what is left of it goes to avoidance, which counts an ACK once. */
static inline double ns3_newreno(const struct flow *f, double cwnd, double acked)
{
    if (acked < 1)
        return cwnd;
    if (cwnd < f->ssthresh) {
        cwnd += 1;
        acked -= 1;
    }
    return cwnd >= f->ssthresh && acked > 0 ? cwnd + 1 / cwnd : cwnd;
}

static inline uint32_t ns3_whole(double window)
{
    return window > 1 ? (uint32_t)window : 1;
}

/* Whole segments in flight. */
static inline uint32_t ns3_in_flight(const struct flow *f)
{
    return (uint32_t)growth_pipe(f);
}

#endif
