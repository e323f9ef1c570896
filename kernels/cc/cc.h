/* cc.h - congestion control: how the window grows and what remains of it after a loss.
 *
 * One file per algorithm: a const table of these operations, its state in flow->cc_state (a fixed area). Loss recovery
 * (recovery/) decides when they are called. Windows in segments, real numbers.
 */
#ifndef KERNELS_CC_H
#define KERNELS_CC_H

#include "../registry.h"

struct sim;
struct flow;

struct cc_ops {
    struct item item;
    /* Required. A new ACK outside recovery for `acked` segments (not whole where segments differ in size). */
    void (*on_ack)(struct sim *s, struct flow *f, double acked);
    /* Required. The slow start threshold after a loss seen now. */
    double (*ssthresh)(struct sim *s, struct flow *f);
};

#endif
