/* mark.h - marks of congestion: a queue whose average length has reached a threshold marks every packet that can carry
 * a mark, and drops only when it is full.
 *
 * avg = (1 - w) avg + w q at every arrival, q = packets waiting before it; after the link has been idle for m packet
 * times first avg = (1 - w)^m avg, as in RED (Floyd and Jacobson 1993). avg >= threshold marks. With w = 1 that is the
 * instantaneous queue of DCTCP (RFC 8257); with a threshold of 30 % or 90 % of the buffer the congestion warning of
 * NewJersey (Xu, Tian, Ansari 2005) and of Sreekumari et al. (IJDSN 2013, 592502).
 *
 * A mark depends on earlier arrivals only, so a packet still walks through (net.c, queue_takes). Other disciplines that
 * decide on arrival belong there as well.
 */
#ifndef KERNELS_QUEUE_MARK_H
#define KERNELS_QUEUE_MARK_H

#include <stdbool.h>
#include <stdint.h>

struct mark_state {
    double average;          /* packets */
    double threshold;        /* packets */
    double weight;           /* w */
    int64_t *start_ps;       /* ring: when those let in begin service; behind head they may still wait */
    uint32_t slots, head, n; /* n: in the ring */
};

/* Brings the average up to an arrival at t_ps; the link sends until free_ps, and a packet takes it service_ps. Returns
 * whether the packet is to be marked. */
bool mark_arrives(struct mark_state *m, int64_t t_ps, int64_t free_ps, int64_t service_ps);

/* The packet is let in and begins service at start_ps. False: the ring is full. */
bool mark_waits(struct mark_state *m, int64_t t_ps, int64_t start_ps);

#endif
