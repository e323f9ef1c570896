/* wlan.h - an IEEE 802.11 DCF medium with its nodes: who hears whom, backoff, and the exchange of frames.
 *
 * Source: IEEE 802.11-1999 clause 9 (DCF) and 802.11b-1999 (DSSS and CCK); ranges and capture as ns-2.35's 914 MHz
 * card: nodes of a chain are 200 m apart, decode one hop and sense two (550 m), and the signal of a neighbour is 12 dB
 * above that of the node behind it. In a star all signals are equally strong. Nothing moves, routes are fixed.
 *
 * Simplified: no propagation time between nodes (0.7 us), so a frame begins and ends everywhere at once, and nodes
 * whose backoff ends at the same instant collide. A station that has sent a CTS waits for the data, as in ns-2.
 *
 * wlan_rules ns2 has what ns-2's mac-802_11.cc does otherwise: backoff is drawn from 0 .. window - 1, also for a packet
 * that finds the medium idle; EIFS after a bad frame counts as NAV, with a DIFS behind it; a CTS, and the data behind
 * one, is sent only if the medium is idle.
 */
#ifndef KERNELS_WLAN_WLAN_H
#define KERNELS_WLAN_WLAN_H

#include "../station/station.h"

enum { WLAN_NOBODY = UINT32_MAX };

enum frame_type { FRAME_RTS, FRAME_CTS, FRAME_DATA, FRAME_ACK };

struct frame {
    enum frame_type type;
    uint32_t to;
    int64_t nav_ps; /* end of the exchange, announced to all who decode it */
    int64_t end_ps;
};

/* What a node receives: of frames that overlap, the one that ends last. */
struct reception {
    uint32_t from; /* WLAN_NOBODY: nothing */
    uint32_t strength;
    bool is_good;
    int64_t begin_ps, end_ps;
};

enum node_state {
    NODE_FREE,     /* may count its backoff */
    NODE_PAUSING,  /* SIFS before `frame` */
    NODE_SENDING,  /* `frame` */
    NODE_AWAITING, /* the answer to it */
};

/* A packet inside the medium, in its node's queue. */
struct wlan_packet {
    struct guest guest;
    uint32_t next;
};

struct node {
    enum node_state state;
    struct frame frame;
    struct reception rx;
    int64_t nav_ps;  /* others have the medium until then */
    int64_t gate_ps; /* and DIFS does not begin before then */
    int64_t idle_ps; /* since when it hears and sends nothing */
    /* backoff */
    bool has_backoff, is_counting;
    bool is_immediate; /* the medium was idle when the packet came: no backoff, unless it is busy before DIFS is over */
    uint32_t slots, window;
    int64_t count_from_ps;
    /* the packet in service */
    bool has_job, is_across; /* across: the next node has it, but its ACK was lost */
    uint32_t job;            /* WLAN_NOBODY once across */
    uint32_t to;
    int64_t data_ps; /* length of its data frame */
    uint32_t short_tries, long_tries;
    /* waiting ones */
    uint32_t first, last, waiting;
    double average; /* for marks */
};

struct wlan {
    const struct wlan_cfg *cfg;
    struct station *station;
    struct events events; /* leaf i: node i's frame ends; nnodes + i: its timer. So frames end before others begin. */
    int64_t *due_ps;
    struct node *node;
    uint32_t nnodes;
    struct wlan_packet *packet;
    uint32_t npackets, free; /* list of free ones */
    uint64_t queue_limit;
    double mark_threshold;  /* packets; below 0: none */
    uint16_t *node_of_flow; /* star */
    int64_t rts_ps, cts_ps, ack_ps, difs_ps, eifs_ps;
    uint32_t on_air; /* frames */
    int64_t air_since_ps, shown_ps;
};

/* --- medium.c: frames on the air --- */

/* How well node b hears node a: 0 not at all, WLAN_DECODABLE or more well enough to decode. */
enum { WLAN_SENSED = 1, WLAN_DECODABLE = 16, WLAN_CAPTURE_RATIO = 10 };
uint32_t wlan_strength(const struct wlan *w, uint32_t a, uint32_t b);

/* A node sends now, whatever it hears. */
void wlan_send(struct sim *s, struct wlan *w, uint32_t from, struct frame frame, int64_t length_ps);

/* Its frame ends now: those who have received it take it. */
void wlan_frame_ends(struct sim *s, struct wlan *w, uint32_t from);

void wlan_set_event(struct wlan *w, uint32_t source, int64_t t_ps);

/* --- node.c: queue and backoff --- */

void wlan_draw_backoff(struct wlan *w, struct node *node);
/* The medium has become busy, or idle, for a node. */
void wlan_pause(const struct sim *s, struct wlan *w, uint32_t n);
void wlan_resume(const struct sim *s, struct wlan *w, uint32_t n);
bool wlan_is_idle(const struct sim *s, const struct node *node);
/* A packet joins a node's queue, or is dropped. */
void wlan_enqueue(struct sim *s, struct wlan *w, uint32_t n, uint32_t packet);
/* The packet in service is done with: the next one, if any. */
void wlan_end_job(struct sim *s, struct wlan *w, uint32_t n);
void wlan_release(struct wlan *w, uint32_t packet);

/* --- exchange.c: RTS, CTS, data, ACK --- */

/* A node has decoded a frame that was meant for it. */
void wlan_take_frame(struct sim *s, struct wlan *w, uint32_t n, uint32_t from);
/* A node's own frame has ended. */
void wlan_frame_sent(struct sim *s, struct wlan *w, uint32_t n);
/* A node's timer: backoff, SIFS, or an answer that does not come. */
void wlan_on_timer(struct sim *s, struct wlan *w, uint32_t n);

/* --- station/wlan.c: the way through the medium --- */

bool wlan_is_at_end(const struct wlan *w, uint32_t n, const struct guest *guest);
uint32_t wlan_next_node(const struct wlan *w, uint32_t n, const struct guest *guest);

#endif
