/* recovery.h - loss recovery: what to do on duplicate ACKs, partial ACKs and timeouts, and what to send next.
 *
 * One file per scheme. The sender (tcp.c) advances una, takes RTT samples and restarts the timer, then calls these.
 */
#ifndef KERNELS_RECOVERY_H
#define KERNELS_RECOVERY_H

#include "../registry.h"

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct flow;
struct packet;

/* Room for a scheme's state in each flow. */
enum { RECOVERY_STATE_BYTES = 192 };

/* A flow's state as the scheme's own struct, zero at the start. */
#define RECOVERY_STATE(f, type)                                                                                        \
    (__extension__({                                                                                                   \
        _Static_assert(sizeof(type) <= RECOVERY_STATE_BYTES, "the state fits its area");                               \
        (type *)(void *)(f)->recovery_state;                                                                           \
    }))

struct recovery_ops {
    struct item item;
    bool uses_sack;            /* the receiver reports blocks, the sender keeps a scoreboard */
    bool stays_on_partial;     /* a partial ACK does not end recovery */
    bool uses_send_times;      /* sees every new ACK, and when each segment was last sent and how often */
    bool tags_segments;        /* sees every new ACK, and keeps a record of each segment (segments.h) */
    bool sees_every_ack;       /* sees every new ACK */
    bool classifies;           /* tells losses apart: tcp_classify_loss */
    bool reads_marks;          /* echoed marks are its own business, not congestion control's */
    bool uses_arrivals;        /* f->arrival_us: the receiver's time in each ACK */
    uint8_t words_per_segment; /* of f->notes, for the scheme's own use */
    /* Required. An ACK that does not advance una while data is outstanding; duplicate_acks is already counted. */
    void (*on_duplicate)(struct sim *s, struct flow *f, const struct packet *ack);
    /* Required. An ACK that advanced una by `acked` segments while f->is_special; otherwise it just grows cwnd. */
    void (*on_new_ack)(struct sim *s, struct flow *f, uint32_t acked);
    /* Required. The retransmission timer expired; cwnd = 1, ssthresh and recover are set. Prepares what to send again.
     */
    void (*on_timeout)(struct sim *s, struct flow *f);
    /* Sends what may be sent while f->is_special or after a duplicate; NULL: tcp_send_window. */
    void (*send)(struct sim *s, struct flow *f);
    /* May be NULL. Instead of on_duplicate and on_new_ack, for a sender with an order of its own: sees each ACK from
     * una on, with its blocks on the board and una not yet moved; moves una, takes samples, grows cwnd, leaves
     * f->is_special set; `send` comes after it. */
    void (*take_ack)(struct sim *s, struct flow *f, const struct packet *ack);
    /* The rest may be NULL, and is for schemes that tag segments. */
    /* An ACK reports a segment for the first time; its record is as it was before. */
    void (*on_delivered)(struct sim *s, struct flow *f, uint32_t segment);
    /* Marks what must be taken as lost after an ACK. */
    void (*detect)(struct sim *s, struct flow *f);
    /* The retransmission timer's slot has expired for another purpose: true. False: it is a timeout. */
    bool (*on_timer)(struct sim *s, struct flow *f);
    /* Una has advanced: what the timer's slot is for now. NULL: tcp_restart_rto. */
    void (*set_timer)(struct sim *s, struct flow *f);
    /* What may be sent now has been; has_sent: new data was. */
    void (*on_sent)(struct sim *s, struct flow *f, bool has_sent);
};

#endif
