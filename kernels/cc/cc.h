/* cc.h - congestion control: how the window grows and what remains of it after a loss.
 *
 * One file per algorithm: a const table of these operations, its state in flow->cc_state (a fixed area). Loss recovery
 * (recovery/) decides when they are called. Windows in segments, real numbers.
 */
#ifndef KERNELS_CC_H
#define KERNELS_CC_H

#include "../registry.h"

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct flow;
struct rate_sample;
struct segment;

/* Room for an algorithm's state in each flow. */
enum { CC_STATE_BYTES = 256 };

/* A flow's state as the algorithm's own struct; its size is checked where it is used. */
#define CC_STATE(f, type)                                                                                              \
    (__extension__({                                                                                                   \
        _Static_assert(sizeof(type) <= CC_STATE_BYTES, "the state fits its area");                                     \
        (type *)(void *)(f)->cc_state;                                                                                 \
    }))

struct cc_ops {
    struct item item;
    /* Required, but where there is control. A new ACK outside recovery for `acked` segments (not whole where segments
     * differ in size). */
    void (*on_ack)(struct sim *s, struct flow *f, double acked);
    /* Required. The slow start threshold after a loss seen now; it may note the loss in its state. */
    double (*ssthresh)(struct sim *s, struct flow *f);
    bool paces; /* it sets f->pacing_bps itself, whatever the key `pacing` says */
    /* The rest may be NULL. */
    /* The connection is open; cwnd and ssthresh have their initial values. */
    void (*start)(struct sim *s, struct flow *f);
    /* Every ACK that advances una by `acked` segments, in recovery too, before on_ack; rtt_ps is its round-trip time,
     * -1 if it has none (a scheme with send times, Karn).
     */
    void (*on_rtt)(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps);
    /* A duplicate ACK. */
    void (*on_duplicate)(struct sim *s, struct flow *f);
    /* The retransmission timer expired; ssthresh is already set, cwnd not yet 1. */
    void (*on_timeout)(struct sim *s, struct flow *f);
    /* Fast recovery is over; cwnd has its value after it. */
    void (*on_recovery_exit)(struct sim *s, struct flow *f);
    /* The window while recovery `linux26` lasts, asked after ssthresh is set (Linux 2.6: min_cwnd); NULL: ssthresh. */
    double (*recovery_window)(struct sim *s, struct flow *f);
    /* Before on_rtt or on_duplicate of an ACK that echoes a mark of congestion (ECN); `acked` segments, 0 for a
     * duplicate. */
    void (*on_mark)(struct sim *s, struct flow *f, uint32_t acked);
    /* An algorithm that sets the window (and f->pacing_bps) itself, at every ACK once losses are known and before
     * sending, instead of on_ack and of what recovery does to cwnd; a timeout still sets cwnd to 1. Needs a recovery
     * scheme that tags segments. */
    void (*control)(struct sim *s, struct flow *f, const struct rate_sample *rate);
    /* With such a scheme: a segment, or its copy, has just been taken as lost. */
    void (*on_lost)(struct flow *f, const struct segment *segment);
    /* A segment is about to leave while nothing is outstanding. */
    void (*on_restart)(struct sim *s, struct flow *f);
    /* Whether a loss that duplicate ACKs show now is taken for one without congestion; asked before ssthresh. For
     * algorithms that tell them apart: it is scored (fate.h), nothing else. */
    bool (*is_random)(const struct sim *s, const struct flow *f);
    bool uses_arrivals; /* f->arrival_us: the receiver's time in each ACK */
};

#endif
