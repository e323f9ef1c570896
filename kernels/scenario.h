/* scenario.h - what one instance simulates: links, flows, TCP and application settings.
 *
 * Plain data in SI units and integer picoseconds. src/ fills it from a sweep file, one per grid point; the kernel only
 * reads it, so all threads may share it. The comment behind each field begins with its sweep-file key.
 *
 * Data travels in whole segments: a flow's byte stream is cut once, and segment numbers (0-based) are what the kernel
 * keeps. Windows are counted in segments where all segments are equal, in bytes otherwise.
 */
#ifndef KERNELS_SCENARIO_H
#define KERNELS_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/params_app.h"
#include "cc/params_delay.h"
#include "cc/params_window.h"
#include "error/params_error.h"
#include "queue/params_queue.h"
#include "recovery/params_recovery.h"
#include "station/params_atm.h"
#include "wlan/params_wlan.h"

#define PS_PER_S INT64_C(1000000000000)
#define PS_PER_MS INT64_C(1000000000)
#define PS_PER_US INT64_C(1000000)
#define TIME_NEVER (INT64_MAX / 4) /* later than any event; a sum of two still fits */

enum { NAME_BYTES = 32 }; /* names of links and flows, with the terminating 0 */
enum { FLOWS_MAX = 1000, PATH_MAX_LINKS = 64 };

enum direction { FORWARD, REVERSE };

/* --- links ------------------------------------------------------------------------------------------------------- */

enum queue_unit { QUEUE_UNLIMITED, QUEUE_PACKETS, QUEUE_BYTES, QUEUE_BDP };

struct queue_cfg {
    enum queue_unit unit; /* queue: `unlimited` (default) | `100 packets` | `64 KiB` | `0.5 bdp` */
    double size; /* waiting packets or bytes, the one in service not counted; bdp: fraction of rate x base RTT */
};

enum drop_kind { DROP_PACKET, DROP_SEGMENT, DROP_ACK };

/* mark_threshold: `off` (default) | `0.9` of the buffer | `20 packets` */
enum mark_unit { MARK_OFF, MARK_FRACTION, MARK_PACKETS };

struct mark_cfg {
    enum mark_unit unit;
    double size;
};

struct drop_cfg {        /* drops: a list of these */
    enum drop_kind kind; /* {packet: N} | {segment: S, transmission: K} | {ack: N} */
    uint32_t number;     /* packet, ack: N-th to arrive at the link's far end, 1-based; segment: its number, 0-based */
    uint32_t transmission; /* segment only: 1 = the original, 2 = its first retransmission ... */
};

struct step_cfg {     /* schedule: a list of these, times ascending; what is not named stays as it was */
    int64_t at_ps;    /* at */
    double rate_bps;  /* rate; 0 = unchanged */
    int64_t delay_ps; /* delay; -1 = unchanged */
    int up;           /* up: true | false; -1 = unchanged */
};

struct gilbert_cfg {    /* gilbert: {p: , r: , loss_good: 0, loss_bad: 1}; two-state Markov chain, one step per packet
                           before it is judged */
    double good_to_bad; /* p; 0 = the model is off */
    double bad_to_good; /* r */
    double loss_good, loss_bad;
};

struct onoff_cfg {      /* onoff_loss: {up: 100 ms, down: 1 ms}; exponential error-free and error periods */
    int64_t up_mean_ps; /* 0 = the model is off */
    int64_t down_mean_ps;
};

/* One direction of a link. All error models act at its receiving end: a lost packet has used the link. */
struct channel_cfg {
    double rate_bps;        /* rate */
    int64_t delay_ps;       /* delay: propagation */
    struct queue_cfg queue; /* queue */
    struct mark_cfg mark;   /* mark_threshold: average queue from which ECN-capable packets are marked */
    double mark_weight;     /* mark_weight: of the newest queue length in that average (0.2) */
    struct queue_params aqm;
    uint32_t
        overhead_bytes; /* overhead: bytes added to each packet on this link, covered by rate and BER (default 0) */
    double ber;         /* ber: independent bit errors */
    double per;         /* per: independent packet loss */
    double per_retransmission; /* per_retransmission: further loss of retransmitted data packets only */
    struct gilbert_cfg gilbert;
    struct onoff_cfg onoff;
    struct atm_cfg atm;
    struct error_params error;
    const struct step_cfg *steps; /* schedule */
    uint32_t nsteps;
};

struct link_cfg {
    char name[NAME_BYTES];
    struct channel_cfg channel[2]; /* by enum direction; REVERSE mirrors FORWARD but for keys under `reverse:`; `errors:
                                      both|forward|reverse` says which get the error models */
    bool shared_duplex; /* duplex: full (default) | shared = both directions are channel[FORWARD], one server, queue and
                           loss process */
    const struct drop_cfg *drops; /* drops: data entries act in FORWARD, ack entries in REVERSE */
    uint32_t ndrops;
    struct wlan_cfg wlan;
};

/* --- TCP --------------------------------------------------------------------------------------------------------- */

enum growth {
    GROWTH_BYTES,
    GROWTH_ACK,
    GROWTH_SEGMENTS
}; /* bytes: RFC 3465 byte counting; ack: one step an ACK; segments: per segment acknowledged */
enum ssthresh_base {
    BASE_FLIGHT, /* FlightSize */
    BASE_CWND,
    BASE_WINDOW, /* min(cwnd, receive window) */
    BASE_PIPE    /* ns-3's BytesInFlight */
};
/* whole ps; integer ticks of rto_granularity; Linux's rule; ns-2's ticks with Linux's slow fall of the deviation */
enum rto_estimator { RTO_RFC6298, RTO_NS2, RTO_LINUX, RTO_NS2_LINUX };
enum sack_format { SACK_FORMAT_RFC2018, SACK_FORMAT_COMPACT };
enum dgc_cwnd { DGC_SEGMENTS, DGC_BYTES };
enum pacing { PACING_OFF, PACING_WINDOW };
enum newreno_variant { NEWRENO_IMPATIENT, NEWRENO_SLOW_BUT_STEADY };
enum ecn_kind { ECN_OFF, ECN_CLASSIC, ECN_ACCURATE }; /* RFC 3168; the mark of the segment that triggered the ACK */
enum stamp_echo { STAMP_ECHO_RFC7323, STAMP_ECHO_TRIGGER };

struct cc_ops;       /* congestion control: cc/cc.h */
struct recovery_ops; /* loss recovery: recovery/recovery.h */

struct tcp_cfg {
    const struct cc_ops *cc;             /* cc: a name from cc_list */
    const struct recovery_ops *recovery; /* recovery: a name from recovery_list */
    uint32_t mss_bytes;                  /* mss: payload of a full segment */
    uint64_t receive_window_bytes;       /* receive_window */
    bool window_scaling;                 /* window_scaling: without it a receive window is at most 65535 bytes */
    uint64_t send_buffer_bytes;          /* send_buffer: unacknowledged and waiting bytes; 0 = unlimited */
    double initial_window_segs;          /* initial_window: `10 segments` */
    uint32_t
        iw_syn_losses; /* iw_syn_losses: so many SYNs must be lost for the window to start at 1 segment (1; Linux 2) */
    double initial_ssthresh_segs;     /* initial_ssthresh: `unlimited` | `100 segments` | `65535 B`; unlimited = 1e9 */
    double cwnd_max_segs;             /* cwnd_max: `unlimited` (default, 1e9) | `100 segments` */
    enum growth growth;               /* growth: bytes | ack | segments */
    double abc_limit;                 /* abc_limit: L of RFC 3465 in slow start (2) */
    enum ssthresh_base ssthresh_base; /* ssthresh_base: flight | cwnd | window | pipe */
    bool ssthresh_whole;              /* ssthresh_whole: ssthresh cut to whole segments (ns-2) */
    bool grow_when_limited;         /* grow_when_limited: cwnd grows also while it is not what limits sending (ns-2) */
    bool limited_transmit;          /* limited_transmit: RFC 3042 */
    uint32_t dupack_threshold;      /* dupack_threshold (3) */
    bool multiple_fast_retransmit;  /* multiple_fast_retransmit: allow several in one window (ns-2 bugFix_ off) */
    bool grow_on_recovery_exit;     /* grow_on_recovery_exit: the ACK that ends fast recovery also grows cwnd (ns-2) */
    bool restart_rto_on_retransmit; /* restart_rto_on_retransmit: a fast retransmit restarts the timer (ns-2) */
    bool fack_rampdown, fack_overdamping; /* options of fack.c */
    bool tahoe_go_back_n;                 /* tahoe_go_back_n: Tahoe resends everything after the hole */
    enum newreno_variant newreno;         /* newreno: impatient | slow_but_steady */
    bool newreno_exit_to_ssthresh;    /* newreno_exit_to_ssthresh: RFC 6582 3.2 step 3 option 2; otherwise option 1 */
    bool ns2_rules;                   /* ns2_rules: what is left of ns-2's order of operations, see recovery/ */
    enum rto_estimator rto_estimator; /* rto_estimator: rfc6298 | ns2 | linux | ns2_linux */
    int64_t initial_rto_ps;           /* initial_rto */
    int64_t min_rto_ps, max_rto_ps;   /* min_rto, max_rto */
    int64_t rto_granularity_ps;       /* rto_granularity: clock tick, 0 = exact */
    bool timestamps;           /* timestamps: RTT sample from every new ACK; otherwise one segment is timed at a time */
    int64_t timestamp_tick_ps; /* timestamp_granularity: of the clock behind timestamps, 0 = exact */
    uint32_t timestamp_bytes;  /* timestamp_bytes: option bytes in every header when timestamps are on (12) */
    enum stamp_echo stamp_echo;     /* timestamp_echo: rfc7323 | trigger = of the segment that triggered the ACK */
    enum ecn_kind ecn;              /* ecn: off | classic | accurate */
    bool delayed_ack;               /* delayed_ack */
    uint32_t delayed_ack_segments;  /* delayed_ack_segments (2) */
    int64_t delayed_ack_timeout_ps; /* delayed_ack_timeout (200 ms) */
    bool delayed_ack_adaptive;      /* delayed_ack_adaptive: the wait follows the time between segments (Linux) */
    uint32_t quick_acks;            /* quick_acks: segments acknowledged one by one at the start, after a duplicate, and
                                       after silence (Linux 16); 0 = off */
    bool autotune_window;           /* autotune_window: the sender is held to the automatic receive window */
    bool autotune_acks; /* autotune_acks: segments by which the automatic receive window grows are acknowledged at once
                           (Linux) */
    int64_t sack_compression_ps; /* sack_compression: most that the fourth and later ACKs for a hole wait (Linux 1 ms);
                                    0 = off */
    uint32_t sack_blocks;        /* sack_blocks: most blocks in one ACK, if the option space holds them */
    uint32_t sack_option_bytes;  /* sack_option_bytes: bytes of the option before its first block (4: kind, length,
                                    padding) */
    uint32_t header_bytes;       /* header: IP + TCP without options (40), in data packets */
    uint32_t ack_bytes;          /* ack_size: a pure ACK without options; 0 = header */
    bool ack_is_full;            /* ack_as_data: a pure ACK is as large as a full data packet */
    bool handshake;              /* handshake: SYN, SYN-ACK, ACK before data */
    bool fin;                    /* fin: FIN exchange after the last byte */
    bool nagle;                  /* nagle */
    bool idle_restart;           /* idle_restart: RFC 5681 4.1 */
    bool segment_rtt; /* segment_rtt: RTT samples by the send times of segments, also of SACKed ones (Linux) */
    bool dsack;       /* dsack: the receiver reports segments that come twice (RFC 2883) */
    enum sack_format sack_format; /* sack_format: rfc2018 | compact */
    struct recovery_params tagged;
    int64_t rto_heartbeat_ps;         /* rto_heartbeat: the timer fires on such ticks; 0 = exact (BSD 500 ms) */
    int64_t delayed_ack_heartbeat_ps; /* delayed_ack_heartbeat: likewise a delayed ACK (BSD 200 ms) */
    bool dgc;                         /* dgc: the MSS falls when there is congestion, see dgc.h */
    enum dgc_cwnd dgc_cwnd;           /* dgc_cwnd: segments | bytes */
    enum pacing pacing;               /* pacing: off | window */
    double pacing_gain, pacing_slow_start_gain; /* pacing_gain (1.2), pacing_slow_start_gain (2) */
    struct cc_window_params window;             /* per algorithm */
    struct cc_delay_params delay;
};

/* --- flows ------------------------------------------------------------------------------------------------------- */

struct hop_ref {
    uint16_t link;     /* index in scenario.links */
    uint8_t direction; /* enum direction */
};

struct flow_cfg {
    char name[NAME_BYTES];
    const struct hop_ref *path[2]; /* links from source to sink (FORWARD), and back (REVERSE) */
    uint16_t path_len[2];
    int64_t start_ps;        /* start: a time, or {uniform: [from, to]} */
    int64_t start_spread_ps; /* width of that uniform draw; 0 = exact */
    int64_t stop_ps;         /* stop: no new data from then on; TIME_NEVER */
    uint32_t priority;       /* priority: of a priority scheduler, greater goes first; PRIORITY_AUTO */
    uint32_t group_first, group_size; /* flows of the same entry (count): the first one's number, and how many */
    struct tcp_cfg tcp;
    struct app_cfg app;
};

struct scenario {
    int64_t measure_from_ps; /* warmup, or measure.from: metrics cover (from, to] */
    int64_t measure_to_ps;   /* duration, or measure.to; the run ends here */
    int64_t start_jitter_ps; /* start_jitter: each flow starts up to this much later, uniform; -1 = one packet time of
                                the bottleneck when there are several flows, else 0 */
    uint32_t nlinks, nflows;
    const struct link_cfg *links;
    const struct flow_cfg *flows;
};

/* Whether any replication can differ from another (random losses, random starts). */
bool scenario_is_random(const struct scenario *sc);

/* The link direction with the lowest rate on flow 0's forward path: what `utilisation` and `queue_mean` are about. */
struct hop_ref scenario_bottleneck(const struct scenario *sc);

/* Store-and-forward round-trip time of a lone full segment and its ACK on a flow's path, ps. */
int64_t scenario_base_rtt_ps(const struct scenario *sc, uint32_t flow);

/* How much later than `start` a flow may start: start_jitter with its default worked out. */
int64_t scenario_start_jitter_ps(const struct scenario *sc);

/* Header of a flow's data packets, and its pure ACKs without SACK blocks, as IP packets. */
enum { DATAGRAM_HEADER_BYTES = 28 }; /* IP + UDP or ICMP */
uint32_t scenario_data_header_bytes(const struct flow_cfg *flow);
uint32_t scenario_ack_bytes(const struct flow_cfg *flow);

/* Bytes that an IP packet takes on a link, with what the link adds; the part of its rate that is not there for them. */
uint32_t scenario_wire_bytes(const struct channel_cfg *channel, uint32_t bytes);
double scenario_cbr_bps(const struct channel_cfg *channel);

/* Checks what single keys cannot show (dangling links, empty paths, receive window below one segment, ...).
 * Returns NULL, or one line that says what is wrong and what was expected. */
const char *scenario_check(const struct scenario *sc, char *text, size_t size);

#endif
