/* sack.h - selective acknowledgement: the receiver's block history and reports, the sender's scoreboard (RFC 2018). */
#ifndef KERNELS_SACK_H
#define KERNELS_SACK_H

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct flow;
struct packet;

enum { SACK_BLOCKS_MAX = 4 };

struct sack_block {
    uint32_t left, right; /* segments [left, right) */
};

struct sack_report {
    struct sack_block block[SACK_BLOCKS_MAX];
};

/* Receiver: the most recently changed blocks, newest first. */
struct sack_history {
    struct sack_block block[SACK_BLOCKS_MAX];
    uint32_t count;
    uint32_t most;      /* blocks that fit in an ACK */
    bool has_duplicate; /* the next ACK reports a segment that came twice (DSACK, RFC 2883): */
    uint32_t duplicate;
    struct sack_report *report; /* ring of reports under way */
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
/* Receiver: blocks of the next report. */
static inline uint32_t sack_report_blocks(const struct sack_history *h)
{
    uint32_t n = h->count + h->has_duplicate;
    return n < h->most ? n : h->most;
}
/* Receiver: stores the current blocks as a report; returns its slot. */
uint32_t sack_make_report(struct flow *f);

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
