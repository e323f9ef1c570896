/* flow.h - one flow: a TCP sender and receiver (or a source of cross traffic), and what is counted about it.
 *
 * Segments are numbered from 0. Sender: una <= next <= end; una = first not acknowledged, next = the one to send next,
 * end = one above the highest ever sent. cwnd and ssthresh are in segments, real numbers.
 */
#ifndef KERNELS_FLOW_H
#define KERNELS_FLOW_H

#include "app/app.h"
#include "cc/cc.h"
#include "ecn.h"
#include "fate.h"
#include "histogram.h"
#include "net.h"
#include "receiver_linux.h"
#include "recovery/recovery.h"
#include "sack.h"
#include "segments.h"

enum { SEGMENTS_MAX = 0x7fffffff }; /* of one flow in one run */

/* A measuring window cuts time in three: walked events are counted in the part in which they happen. */
enum phase { BEFORE, WITHIN, AFTER, PHASES };

enum timer {
    TIMER_RTO,
    TIMER_APP,
    TIMER_DELAYED_ACK,
    TIMER_PEER, /* the receiver's SYN-ACK or FIN */
    TIMER_PACE,
    TIMERS
};

enum tcp_state { /* RFC 9293 3.3.2 */
                 TCP_CLOSED,
                 TCP_LISTEN,
                 TCP_SYN_SENT,
                 TCP_SYN_RECEIVED,
                 TCP_ESTABLISHED,
                 TCP_FIN_WAIT_1,
                 TCP_FIN_WAIT_2,
                 TCP_CLOSE_WAIT,
                 TCP_CLOSING,
                 TCP_LAST_ACK,
                 TCP_TIME_WAIT,
};

enum mode {
    MODE_OPEN,
    MODE_RECOVERY,
    MODE_LOSS,
    MODES
}; /* LOSS: from a timeout to the ACK of what was outstanding then */

enum timeout_cause { TIMEOUT_LOST_RETRANSMISSION, TIMEOUT_TAIL, TIMEOUT_OTHER, TIMEOUT_CAUSES };

/* What happens at the sender, in the order of global time; a copy at the window's start is subtracted at the end. */
struct sender_counts {
    uint64_t sent, retransmitted, payload_bytes;
    uint64_t timeouts[TIMEOUT_CAUSES], fast_retransmits, probes, undone;
    uint64_t first_rto_n;
    double rtt_sum_ps, first_rto_sum_s;
    double cwnd_time; /* integral of cwnd, segment x ps */
    int64_t mode_ps[MODES];
    uint64_t files_done;
    double files_time_s;
    uint64_t ecn_reductions;
    uint64_t judged[FATES], judged_right[FATES]; /* losses that the sender took for something, by what they were */
};

/* What happens to packets on their way and at the receiver, by the phase of its time. */
struct packet_counts {
    uint64_t delivered, duplicates, bytes_in_order, wire_bytes;
    uint64_t drops_queue, drops_error, drops_retry; /* data and ACKs */
    uint64_t data_dropped;
    uint64_t marked;
    uint64_t lost[FATES]; /* data; flows with `fates` only */
};

/* Delays of application packets: mean, variance, mean absolute difference of neighbours. */
struct delay_stats {
    uint64_t n;
    double mean_s, m2, last_s, difference_sum_s;
};

/* Histograms: round-trip times up to 2^46 ps (70 s), completion times up to 2^52 ps (75 min). */
enum { RTT_OCTAVES = 26, COMPLETION_OCTAVES = 32 };

struct rtt_timing {
    bool is_running; /* without timestamps: one segment is timed at a time */
    uint32_t segment;
    int64_t sent_ps;
};

struct rto_state {
    int64_t srtt_ps, rttvar_ps;             /* rfc6298 */
    int64_t srtt_8, rttvar_4;               /* ns2: integer ticks, linux: us; scaled by 8 and 4 */
    int64_t mdev_4, mdev_max_4;             /* linux: deviation, and its largest in the window */
    uint32_t window_end;                    /* linux: the window ends when una has passed this segment */
    int64_t base_ps;                        /* RTO without backoff */
    int64_t granularity_ps, min_ps, max_ps; /* as configured */
    uint32_t backoff;                       /* 1, 2, 4 ... */
    bool has_sample;
    int64_t heartbeat_ps; /* BSD: expiries come on such ticks */
    bool is_linux;
};

struct flow {
    /* -- sender, hot -- */
    uint32_t una, next, end;
    uint32_t available; /* segments that the application has written; SEGMENTS_MAX: endless */
    uint32_t window;    /* receive window (and send buffer), whole segments */
    double window_real; /* the same */
    uint32_t duplicate_acks;
    uint32_t limited_sent; /* segments sent by limited transmit since una last moved */
    double cwnd, ssthresh, inflation;
    enum mode mode;
    bool is_special;         /* recovery, loss, or a scoreboard: the recovery module sees new ACKs */
    bool is_uniform;         /* all segments are full: no offsets are kept */
    bool is_cwnd_limited;    /* cwnd was what stopped the last sending */
    bool may_grow;           /* the window was in use when this ACK came */
    bool may_take_usual_ack; /* sender.h may take the short way as long as nothing is lost or closed */
    bool grows_always;       /* cfg->grow_when_limited */
    void (*on_ack)(struct sim *s, struct flow *f, double acked); /* congestion control's */
    void (*on_rtt)(struct sim *s, struct flow *f, uint32_t acked,
                   int64_t rtt_ps); /* congestion control's, if it is of use */
    bool takes_usual_ack;           /* that, and nothing is */
    bool is_plain_sender;           /* full segments, no trace, no count of transmissions */
    bool samples_every_ack;         /* RTT samples from timestamps alone */
    bool slow_start_after_rto;
    uint32_t recover; /* recovery ends when una reaches it */
    bool has_recover;
    uint32_t high_retransmitted; /* one above the highest segment sent again */
    uint32_t newly_sacked;       /* segments that this ACK reported first */
    bool is_partial_seen;        /* recovery: there was a partial ACK in this one */
    bool has_timed_out;
    enum mode mode_before_timeout;
    bool sees_every_ack; /* is_special always */
    bool has_window;     /* ACKs tell the receive window */
    bool has_echoes;     /* ACKs tell more than what has arrived: marks, times of arrival, each segment's timestamp */
    bool wants_arrivals; /* ACKs say when they left the receiver */
    uint32_t arrival_us; /* what the last ACK said, modulo 2^32 */
    uint32_t edge;       /* first segment beyond the receive window, where ACKs tell it */
    struct ecn_state ecn;
    uint32_t timeout_una; /* una at the last timeout */
    const struct tcp_cfg *cfg;
    const struct flow_cfg *flow_cfg;
    struct stream stream[2];
    struct ring acks;
    uint32_t id;
    uint32_t data_header_bytes, ack_bytes; /* with options but SACK */
    uint32_t mss;                          /* of segments cut from now on: less than the configured one with dgc */
    bool is_avoiding;                      /* dgc: cwnd had reached ssthresh */
    uint32_t full_payload;                 /* of a full segment */
    uint16_t full_bytes;                   /* the same on the wire */
    int64_t deadline_ps[TIMERS];
    int64_t timer_ps; /* what the event tree has for this flow's timers: never later than the earliest deadline */
    struct rtt_timing timing;
    struct rto_state rto;
    int64_t last_sent_ps;
    bool is_paced;              /* pacing.h */
    double pacing_bps;          /* payload; 0: not yet */
    int64_t pacing_next_ps;     /* the next segment may leave then */
    bool is_started, is_closed; /* closed: no more data from the application */
    enum tcp_state state;
    uint32_t syn_transmissions;
    uint32_t fin_segment; /* UINT32_MAX: none */
    uint32_t offset_mask;
    uint32_t *offset;       /* not uniform: first byte of segment i at i & offset_mask, modulo 2^32 */
    uint8_t *transmissions; /* of segment i at i & transmission_mask; NULL when no drop list asks */
    int64_t *sent_ps;       /* last time of segment i at i & transmission_mask; NULL when the recovery does not ask */
    uint32_t transmission_mask;
    uint8_t *fates;  /* of segment i, likewise (fate.h); NULL when nobody classifies losses */
    uint32_t *notes; /* recovery->words_per_segment words of segment i, from (i & transmission_mask) of them on */
    struct sack_board board;
    struct segment_table segments;
    struct ack_facts facts;            /* of the ACK being taken; with segments.at only */
    double prior_cwnd, prior_ssthresh; /* before the last reduction */
    struct app_state app;
    _Alignas(16) unsigned char cc_state[CC_STATE_BYTES]; /* the congestion control's own, zero at the start */

    _Alignas(16) unsigned char recovery_state[RECOVERY_STATE_BYTES]; /* likewise of the recovery scheme */

    /* -- receiver -- */
    uint32_t expected;       /* next segment in order */
    uint32_t acknowledged;   /* `expected` at the last ACK sent */
    uint32_t unacknowledged; /* segments received since */
    uint32_t ack_every;      /* in-order segments per ACK */
    bool is_quiet;           /* neither traced, nor with application packets to time, nor with Linux's rules for ACKs */
    bool takes_usual;        /* that, open, and nothing held: walk.h may take the short way */
    bool has_records;        /* the delay of application packets is measured */
    uint32_t out_of_order;   /* segments held above `expected` */
    uint64_t *held;          /* bit per segment, i & held_mask */
    uint32_t held_mask;
    enum tcp_state peer_state;
    uint32_t peer_transmissions; /* of SYN-ACK or FIN */
    int64_t echo_ps;             /* TS.Recent */
    struct sack_history sacks;
    bool has_linux_acks;
    struct linux_acks linux_acks;

    /* -- counts -- */
    struct sender_counts count, count_at_start;
    struct packet_counts packets[PHASES];
    uint64_t in_stations;           /* data packets inside stations now */
    struct packet_counts *arrivals; /* the receiver's present one of them */
    int64_t arrivals_until_ps;
    struct delay_stats delay;
    int64_t cwnd_since_ps, mode_since_ps;
    int64_t active_from_ps; /* start */
    uint32_t *rtt_histogram;
    uint32_t *completions; /* files; NULL: none, or those of the group's first flow */

    /* -- application, rarely -- */
    struct app_cursor cursor;  /* the next write or arrival */
    struct app_cursor awaited; /* that whose last byte the receiver waits for; short flows: to be served next */
    struct app_pool pool;
    uint32_t first_segment; /* of this connection */
    uint64_t sent_before;   /* data packets of the connections before */
};

/* Payload bytes of a segment that exists. */
static inline uint32_t flow_payload(const struct flow *f, uint32_t segment)
{
    if (f->is_uniform)
        return segment == f->fin_segment ? 0 : f->cfg->mss_bytes;
    return f->offset[(segment + 1) & f->offset_mask] - f->offset[segment & f->offset_mask];
}

/* Segments thought to be in the network (segments.h). */
static inline uint32_t segments_in_flight(const struct flow *f)
{
    return f->end - f->una - f->board.count - f->segments.lost + f->segments.copies;
}

#endif
