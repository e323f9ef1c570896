/* vegas_round.h - what the Vegas family measures once per round-trip time, and ns-2's Vegas as a part of others.
 *
 * A round ends with the ACK of the segment that was the next to send when it began. RTTs stay fractions (sum / count),
 * so that comparisons are exact.
 */
#ifndef KERNELS_CC_VEGAS_ROUND_H
#define KERNELS_CC_VEGAS_ROUND_H

#include "delay.h"

struct vegas_round {
    int64_t base_ps; /* least RTT; 0 before the first sample */
    int64_t begin_ps;
    int64_t sum_ps; /* of the samples since */
    uint32_t count;
    uint32_t begin;
};

struct vegas_report { /* of a finished round */
    int64_t base_ps;
    int64_t sum_ps; /* mean RTT = sum / count; both positive */
    uint32_t count;
    uint32_t sent;        /* segments sent in it */
    uint32_t outstanding; /* at its end, before this ACK's own sending, the acknowledged one included */
};

void vegas_round_sample(struct vegas_round *r, int64_t rtt_ps);

/* Whether this ACK ends a round with a usable RTT; `report` is then filled in and the next round begun. */
bool vegas_round_end(struct vegas_round *r, const struct sim *s, const struct flow *f, struct vegas_report *report);

/* ns-2: a round's mean may lower the base; after a round of one segment, which queued behind nothing of its own, it is
 * the base. */
void vegas_round_rebase(struct vegas_round *r, struct vegas_report *report);

/* (Expected - Actual) base times report->sum_ps, exact: the segments queued on the path, as a fraction of sum_ps. */
delay_wide vegas_excess(const struct vegas_report *report);

/* The same rounded as ns-2 does. */
int64_t vegas_delta(const struct vegas_report *report);

/* One segment less, at least 2, and no way back into slow start. */
void vegas_shrink(struct sim *s, struct flow *f);

/* --- ns-2's Vegas ------------------------------------------------------------------------------------------------- */

struct vegas_ns2 {
    struct vegas_round round;
    struct delay_timeout timeout;
    int64_t held_ps; /* RTT of the last ACK: ns-2 counts it after the decisions of that ACK */
    double step;     /* cwnd grows by this with each ACK of the round */
    bool is_frozen;  /* slow start grows every other round */
};

/* What congestion avoidance does once per round: sets v->step, may shrink cwnd. */
typedef void vegas_avoid(struct sim *s, struct flow *f, struct vegas_ns2 *v, const struct vegas_report *report);

vegas_avoid vegas_ns2_avoid;

void vegas_ns2_begin(struct sim *s, struct vegas_ns2 *v);
/* An ACK, with its RTT (0: none). ns-2's first base is the time since the start. */
void vegas_ns2_sample(const struct sim *s, struct vegas_ns2 *v, int64_t rtt_ps);
void vegas_ns2_ack(struct sim *s, struct flow *f, struct vegas_ns2 *v, vegas_avoid *avoid);

/* The window after a cut: a quarter less, half if the segment had been sent again before; whole segments, at least 2.
 */
uint32_t vegas_ns2_cut(uint32_t window, bool is_sent_again);
/* The same as ssthresh operation and as answer to a timeout. */
double vegas_ns2_loss(struct sim *s, struct flow *f, struct vegas_ns2 *v);

/* One segment less, at least 2, and no way back into slow start (but that way is open in ns-2: ns2_rules). */
void vegas_ns2_shrink(struct sim *s, struct flow *f);

#endif
