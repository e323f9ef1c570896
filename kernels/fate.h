/* fate.h - what really became of the losses that a scheme tells apart: congestion or channel, first transmission or
 * retransmission. Ground truth for scoring it; the scheme itself never sees it.
 *
 * Counted are losses of first transmissions, and of retransmissions sent in fast recovery: those are what a scheme can
 * find and judge. What a timeout sends again is neither.
 */
#ifndef KERNELS_FATE_H
#define KERNELS_FATE_H

#include "sim.h"

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct flow;

enum fate {
    FATE_FIRST_CONGESTION,
    FATE_FIRST_RANDOM,
    FATE_RETRANSMISSION_CONGESTION,
    FATE_RETRANSMISSION_RANDOM,
    FATES
};

/* A segment of a flow with `fates` is sent: nothing is known to have happened to it. */
void fate_note_send(struct flow *f, uint32_t segment, bool is_again);
/* Its last transmission is lost at t_ps. */
void fate_note_drop(const struct sim *s, struct flow *f, uint32_t segment, int64_t t_ps, enum drop_cause cause);

/* The sender takes the last transmission of a segment for lost, and because of congestion or not. */
void tcp_classify_loss(struct sim *s, struct flow *f, uint32_t segment, bool is_congestion);

#endif
