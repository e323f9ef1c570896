/* tagged.h - the part that recovery schemes with a record of each segment share: the states of Linux's
 * tcp_fastretrans_alert, proportional rate reduction, undoing reductions, and sending by what is in flight.
 *
 * A scheme brings `detect`, which marks segments lost (prr.c, rack_tlp.c).
 */
#ifndef KERNELS_RECOVERY_TAGGED_H
#define KERNELS_RECOVERY_TAGGED_H

#include "../tcp.h"

enum slot { SLOT_RTO, SLOT_PROBE, SLOT_REORDER }; /* what the retransmission timer's slot is for */

struct tagged {
    /* proportional rate reduction */
    double prr_flight;
    uint32_t prr_delivered, prr_out;
    /* undoing a reduction */
    bool may_undo;              /* there was one, of which nothing is known yet */
    uint32_t undo_from;         /* una then */
    int32_t unproven;           /* copies not yet reported as duplicates; -1: none was sent */
    int64_t first_copy_ps;      /* when a segment was first sent again since MODE_OPEN; -1: not yet */
    bool is_frto;               /* the timeout may have been spurious */
    bool sends_new_first;       /* F-RTO step 2b: new data instead of what is lost */
    uint32_t use_end, most_out; /* Linux tcp_cwnd_validate: how much of cwnd was used in this window of data */
    uint32_t examined;          /* prr: segments below have been looked at */
    uint32_t acked;             /* ns-3: what the window grows by */
    /* rack_tlp */
    enum slot slot;
    bool has_probe, is_probe_copy;
    uint32_t probe_end;
    bool rack_advanced, reordering_seen;
    bool is_slot_taken;                /* this ACK has set the reordering timer */
    bool is_timer_due;                 /* it restarts the timer, once all is sent */
    int64_t rack_sent_ps, rack_rtt_ps; /* of the segment sent last among those delivered */
    uint32_t rack_segment;
    uint32_t reo_mult, reo_persist;
    uint32_t dsack_round; /* delivered when reo_mult last changed */
};

static inline struct tagged *tagged_state(struct flow *f)
{
    return RECOVERY_STATE(f, struct tagged);
}

/* What every ACK does once the records are up to date, but for sending. */
void tagged_on_ack(struct sim *s, struct flow *f);
/* Begins fast recovery: one reduction, PRR from its start. */
void tagged_enter(struct sim *s, struct flow *f);
/* A reduction without fast recovery: a probe has repaired a loss. */
void tagged_reduce_once(struct sim *s, struct flow *f);
/* What is lost first, then new data, as far as cwnd exceeds what is in flight. */
void tagged_send(struct sim *s, struct flow *f);
/* ops->on_new_ack, on_duplicate */
void tagged_on_new_ack(struct sim *s, struct flow *f, uint32_t acked);
void tagged_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack);
/* After a timeout: everything counts as lost but what `is_fresh` says (NULL: nothing). */
void tagged_on_timeout(struct sim *s, struct flow *f, bool (*is_fresh)(struct sim *s, struct flow *f, uint32_t i));
/* Whether something is SACKed, lost or sent again (Linux's state Disorder), while the mode is MODE_OPEN. */
static inline bool tagged_is_disordered(const struct flow *f)
{
    return f->board.count > 0 || f->segments.lost > 0 || f->segments.copies > 0 ||
           (f->una < f->end && segment_at(&f->segments, f->una)->flags & SEGMENT_RESENT);
}

/* How long to wait before a tail loss probe (rack_tlp.c); rto_left_ps: until a timeout, 0 or less if that is over. */
int64_t rack_probe_timeout_ps(const struct recovery_params *cfg, int64_t srtt_ps, int64_t initial_rto_ps,
                              uint32_t outstanding, int64_t rto_left_ps);

/* RACK's reordering window now (rack_tlp.c). */
int64_t rack_reordering_window_ps(const struct flow *f, const struct tagged *t);

/* cwnd by proportional rate reduction after an ACK (prr.c). */
void prr_start(struct flow *f, struct tagged *t);
void prr_set_cwnd(struct sim *s, struct flow *f, struct tagged *t);
/* Segments that may be sent: the formula of RFC 9937 section 5. */
double prr_send_count(enum prr_variant variant, const struct tagged *t, double ssthresh, uint32_t pipe,
                      uint32_t delivered, bool is_safe);

/* Whether a reduction turns out to have been unneeded (undo.c). */
/* A reduction is made now. */
void undo_start(const struct flow *f, struct tagged *t);
/* A segment is sent again. */
void undo_note_copy(const struct sim *s, struct tagged *t);
/* The ACK's DSACK is counted. */
void undo_note_dsack(const struct flow *f, struct tagged *t);
/* Every copy sent since was reported as a duplicate (RFC 3708). */
static inline bool undo_is_all_copies(const struct flow *f, const struct tagged *t)
{
    return f->cfg->tagged.undo_dsack && t->may_undo && t->unproven == 0;
}
/* The ACK echoes a timestamp from before the first copy (RFC 3522). */
bool undo_is_original(const struct flow *f, const struct tagged *t);
/* Either. */
bool undo_is_proven(const struct flow *f, const struct tagged *t);
/* Takes the reduction back; clears_lost: and all marks of loss. */
void undo_reduction(struct sim *s, struct flow *f, struct tagged *t, bool clears_lost);

#endif
