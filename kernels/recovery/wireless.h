/* wireless.h - fast recovery that leaves the window alone when a loss is not congestion: what DDLRP and T-DLRP share
 * (Sreekumari, Chung, Lee, Kim, IJDSN 2013, 592502).
 *
 * Three duplicate ACKs that all echo a mark mean congestion: NewReno. Otherwise cwnd and ssthresh stay, and the full
 * ACK ends recovery with the window as it was. Departure: NewReno's partial ACK deflates cwnd itself in long
 * recoveries; the window at the end is the one from before.
 */
#ifndef KERNELS_RECOVERY_WIRELESS_H
#define KERNELS_RECOVERY_WIRELESS_H

#include "shared.h"

struct wireless {
    double cwnd;     /* after recovery, where the loss is not congestion */
    uint32_t marked; /* duplicates in a row with a mark */
    bool keeps_window;
};

/* Counts a duplicate ACK; below the threshold limited transmit may send. True: recovery has just begun, una is sent
 * again. The caller sends what else may be sent. */
bool wireless_on_duplicate(struct sim *s, struct flow *f, struct wireless *w);

/* An ACK that advances una, in any mode. */
void wireless_on_new_ack(struct sim *s, struct flow *f, struct wireless *w, uint32_t acked);

/* The retransmission of una is lost: sends it again, and the timer begins anew. */
void wireless_resend(struct sim *s, struct flow *f, bool is_congestion);

#endif
