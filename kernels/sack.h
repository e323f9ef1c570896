/* sack.h - selective acknowledgement: the receiver's block history and reports, the sender's scoreboard (RFC 2018). */
#ifndef KERNELS_SACK_H
#define KERNELS_SACK_H

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct flow;
struct packet;
struct tcp_cfg;
struct sack_compact;

enum {
    SACK_BLOCKS_PLAIN = 4, /* in the option of RFC 2018 */
    SACK_BLOCKS_MAX = 12,  /* in the compact one */
};

struct sack_block {
    uint32_t left, right; /* segments [left, right) */
};

struct sack_report {
    struct sack_block block[SACK_BLOCKS_PLAIN];
};

/* Receiver: the most recently changed blocks, newest first. */
struct sack_history {
    struct sack_block block[SACK_BLOCKS_MAX];
    uint32_t count;
    uint32_t most;      /* blocks that it remembers and reports */
    uint32_t room;      /* bytes that a compact option may have */
    bool has_duplicate; /* the next ACK reports a segment that came twice (DSACK, RFC 2883): */
    uint32_t duplicate;
    struct sack_report *report;   /* ring of reports under way */
    struct sack_compact *compact; /* the same as compact options, of flows that use them; otherwise NULL */
    uint32_t report_mask, next_report;
};

/* Sender: which outstanding segments the receiver holds. Bits at segment & mask. */
struct sack_board {
    uint64_t *sacked;
    uint32_t mask;
    uint32_t count;             /* segments marked */
    uint32_t highest;           /* one above the highest marked segment; only with count > 0 */
    uint32_t high_rxt;          /* one above the highest segment retransmitted in this recovery */
    uint32_t sacked_below_rxt;  /* marked segments below high_rxt */
    uint32_t lost_edge;         /* RFC 6675 IsLost: unmarked segments below this are lost */
    uint32_t marked_above_edge; /* marked segments at or above it */
    uint32_t rescue;            /* RescueRxt */
    int64_t pipe;               /* sack_pipe: its own estimate */
};

static inline bool sack_is_marked(const struct sack_board *board, uint32_t segment)
{
    uint32_t i = segment & board->mask;
    return board->sacked[i >> 6] >> (i & 63) & 1;
}

/* Receiver: `segment` arrived out of order (or repeated): brings its block to the front. */
void sack_note(struct flow *f, uint32_t segment);
/* Receiver: forgets blocks that the cumulative ACK has passed. */
void sack_forget(struct flow *f);
/* Receiver: whether the next ACK has something to report. */
static inline bool sack_has_report(const struct sack_history *h)
{
    return h->count > 0 || h->has_duplicate;
}
/* Receiver: puts the current blocks, as many as fit, on an ACK: their report, number and bytes. */
void sack_make_report(struct flow *f, struct packet *ack);
/* Blocks that the receiver of such a connection remembers, and bytes of options that it has for them. */
uint32_t sack_most_blocks(const struct tcp_cfg *tcp);
uint32_t sack_option_room(const struct tcp_cfg *tcp);

/* Sender: the blocks of an ACK's report; `decoded` has room for SACK_BLOCKS_MAX. */
const struct sack_block *sack_read_report(const struct flow *f, const struct packet *ack, struct sack_block *decoded);
/* Sender: marks what an ACK reports above una. Returns the number of newly marked segments. */
uint32_t sack_mark(struct flow *f, const struct packet *ack);
/* Sender: una moved from `from` to `to`: what was marked there is forgotten. Returns how many were marked. */
uint32_t sack_advance(struct flow *f, uint32_t from, uint32_t to);
/* Sender: forgets all marks. */
void sack_clear(struct flow *f);
/* Sender: first unmarked segment in [from, to), or `to`. */
uint32_t sack_next_unmarked(const struct flow *f, uint32_t from, uint32_t to);
/* Sender: one above the last unmarked segment in [low, from), or `low`. */
uint32_t sack_last_unmarked(const struct flow *f, uint32_t from, uint32_t low);
/* Sender: marked segments in [from, to). */
uint32_t sack_count(const struct flow *f, uint32_t from, uint32_t to);

#endif
