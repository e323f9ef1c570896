/* segments.h - what a sender remembers of every outstanding segment, what one ACK says about them, and the rate of
 * delivery that follows (draft-cheng-iccrg-delivery-rate-estimation-02).
 *
 * Kept for recovery schemes that ask (recovery_ops.tags_segments): when each segment was sent last, whether it is
 * SACKed, lost, sent again. Sequence numbers are segments, times picoseconds.
 */
#ifndef KERNELS_SEGMENTS_H
#define KERNELS_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct flow;
struct packet;

enum segment_flag {
    SEGMENT_SACKED = 1,
    SEGMENT_LOST = 2,
    SEGMENT_COPY_OUT = 4, /* sent again, and that copy is thought to be on its way */
    SEGMENT_RESENT = 8,   /* was ever sent again */
    SEGMENT_APP_LIMITED = 16,
};

enum { SEGMENT_NONE = UINT32_MAX };

struct segment {
    int64_t sent_ps;                     /* last time */
    int64_t first_sent_ps, delivered_ps; /* at that time: the table's fields of these names */
    uint32_t delivered, total_lost;      /* likewise */
    uint32_t in_flight;                  /* then, itself included */
    uint32_t older, newer;               /* in order of sending */
    uint8_t flags;
};

struct segment_table {
    struct segment *at; /* of segment i at i & mask; NULL when nobody asks */
    uint32_t mask;
    uint32_t oldest, newest; /* by time of sending, of those in flight */
    uint32_t lost, copies;   /* segments marked lost; copies thought to be on their way */
    uint32_t total_lost;     /* markings so far */
    uint32_t resend_from;    /* no lost segment without a copy below it */
    uint32_t delivered;      /* segments delivered so far */
    int64_t delivered_ps;    /* when that was */
    int64_t first_sent_ps;   /* when the one delivered last was sent */
    uint32_t app_limited;    /* until `delivered` passes it the application limits; 0: it does not */
    int64_t min_rtt_ps;      /* least so far; -1: none */
};

/* One ACK's sample of the rate of delivery, and what congestion control wants to know beside it. */
struct rate_sample {
    uint32_t delivered; /* segments over the interval; 0: no valid sample */
    int64_t interval_ps;
    uint32_t prior_delivered; /* delivered when the interval began */
    bool is_app_limited;
    bool is_ack_delayed; /* a lone segment, whose ACK the receiver may have held back */
    bool is_una_advanced;
    int64_t rtt_ps;                       /* of the segment acknowledged last; -1: none */
    uint32_t newly_delivered, newly_lost; /* by this ACK */
    uint32_t prior_in_flight, in_flight;  /* before and after it */
    uint32_t tx_in_flight, lost;          /* of the delivered segment sent last: in flight then, segments lost since */
};

/* What one ACK said. */
struct ack_facts {
    int64_t first_ps, last_ps; /* send times of the first and last segment acknowledged in order that was never
                                  sent again nor SACKed; -1: none */
    int64_t sack_first_ps, sack_last_ps; /* of those newly SACKed, likewise */
    bool is_resent_acked;                /* a segment that was sent again is acknowledged in order */
    bool is_original_delivered;          /* a segment below `recover` that was never sent again is (S)ACKed */
    bool has_dsack;
    uint32_t dsack_end;      /* one above the segment reported twice */
    uint32_t highest_before; /* one above the highest SACKed before, or una */
    int64_t echo_ps;         /* timestamp echoed */
    uint32_t lost_before, delivered_before;
    uint32_t prior_una;
    bool has_latest; /* then, of the delivered segments the one sent last: */
    uint32_t latest;
    int64_t latest_ps, send_interval_ps, prior_delivered_ps;
    struct rate_sample rate;
};

static inline struct segment *segment_at(const struct segment_table *t, uint32_t segment)
{
    return &t->at[segment & t->mask];
}

/* Whether one transmission was later than another: by time, then by number. */
static inline bool segment_is_later(int64_t a_ps, uint32_t a, int64_t b_ps, uint32_t b)
{
    return a_ps > b_ps || (a_ps == b_ps && a > b);
}

void segments_init(struct segment_table *t, struct segment *at, uint32_t mask);
/* A segment leaves now, for the first time or again. */
void segments_note_send(struct sim *s, struct flow *f, uint32_t segment, bool is_again);
/* Marks an outstanding segment lost, or its copy. False if it already was, or is SACKed. */
bool segments_mark_lost(struct flow *f, uint32_t segment);
/* Takes all marks of loss back. */
void segments_clear_lost(struct flow *f);
/* First lost segment without a copy on its way, or SEGMENT_NONE. */
uint32_t segments_next_lost(struct flow *f);

/* An ACK begins: no facts yet. */
void segments_begin_ack(struct flow *f, const struct packet *ack);
/* Its blocks: segments received out of order, of which those already known are passed over, and perhaps one received
 * twice (DSACK, RFC 2883). Before the scoreboard learns of them. */
void segments_take_report(struct sim *s, struct flow *f, const struct packet *ack);
/* It acknowledges these in order. */
void segments_take_ack(struct sim *s, struct flow *f, uint32_t from, uint32_t to);
/* All is known and losses are marked: fills f->facts.rate. */
void segments_end_ack(struct sim *s, struct flow *f);
/* The application has nothing more to send while cwnd would allow it. */
void segments_note_app_limited(struct flow *f);

#endif
