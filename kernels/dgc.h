/* dgc.h - dynamic granularity control: a sender whose segments become smaller when it meets congestion, so that a loss
 * of one ATM cell costs less (slides "TCP over ATM-UBR", Linux 2.4.0-test10, ATM-0.78).
 *
 * On entering congestion avoidance (cwnd reaches ssthresh): an MSS above 1460 becomes 1460, one of 1460 becomes 512. On
 * any event of fast retransmit (a duplicate ACK is the first) or a timeout: 512. It never grows again. `dgc_cwnd`:
 * cwnd and ssthresh stay the same number of (smaller) segments, as in Linux 2.4, or of bytes.
 * Our reading where the slides are silent: "entering" is the moment at which cwnd reaches ssthresh, each time anew; the
 * MSS only ever falls; a timeout is a loss. Departure: segments that have been cut keep their size when they are sent
 * (again), where Linux splits those in the queue. SACK recovery counts segments in flight, whatever their size.
 */
#ifndef KERNELS_DGC_H
#define KERNELS_DGC_H

#include "instance.h"

enum { DGC_LEAST_MSS = 512, DGC_ETHERNET_MSS = 1460 };

/* The window may have grown. */
void dgc_note_window(struct sim *s, struct flow *f);
/* A sign of loss: a duplicate ACK or a timeout. */
void dgc_note_trouble(struct sim *s, struct flow *f);

/* Whether windows count bytes, in units of the present MSS, where segments differ in size. */
static inline bool flow_counts_bytes(const struct flow *f)
{
    return f->cfg->dgc ? f->cfg->dgc_cwnd == DGC_BYTES : f->cfg->growth == GROWTH_BYTES;
}

#endif
