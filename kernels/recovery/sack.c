/* sack.c - conservative loss recovery with SACK, RFC 6675.
 *
 * Segments, not bytes: IsLost(S) is "at least DupThresh segments above S are SACKed" (for full segments the same as
 * the RFC's byte rule). high_rxt is HighRxt + 1. After a timeout the scoreboard is kept and unSACKed segments are sent
 * again in order (5.1). cwnd is exactly ssthresh in recovery, and after it.
 */
#include "../pacing.h"
#include "../tcp.h"
#include "shared.h"

/* SetPipe: segments thought to be in the network; a retransmitted one that is not lost counts twice. */
static uint32_t pipe_size(const struct flow *f)
{
    const struct sack_board *b = &f->board;
    uint32_t edge = b->count && b->lost_edge > f->una ? b->lost_edge : f->una;
    uint32_t above = b->count ? b->marked_above_edge : 0;
    uint32_t pipe = f->end - edge - above;
    if (b->high_rxt > f->una)
        pipe += b->high_rxt - f->una - b->sacked_below_rxt;
    return pipe;
}

static void note_rxt(struct flow *f, uint32_t segment)
{
    struct sack_board *b = &f->board;
    uint32_t from = b->high_rxt > f->una ? b->high_rxt : f->una;
    b->sacked_below_rxt = (b->high_rxt > f->una ? b->sacked_below_rxt : 0) + sack_count(f, from, segment + 1);
    b->high_rxt = segment + 1;
}

/* NextSeg rules 1 and 3: the first unSACKed segment above HighRxt and below `limit`; false if there is none. */
static bool next_hole(const struct flow *f, uint32_t limit, uint32_t *segment)
{
    uint32_t from = f->board.high_rxt > f->una ? f->board.high_rxt : f->una;
    *segment = sack_next_unmarked(f, from, limit);
    return *segment < limit;
}

/* Sends one segment by NextSeg; false if there is none to send. */
static bool send_next(struct sim *s, struct flow *f)
{
    struct sack_board *b = &f->board;
    uint32_t segment;
    if (b->count && next_hole(f, b->lost_edge, &segment)) {
        note_rxt(f, segment);
        tcp_send_segment(s, f, segment);
        return true;
    }
    if (tcp_can_send_new(s, f)) {
        tcp_send_segment(s, f, f->next++);
        return true;
    }
    if (b->count && next_hole(f, b->highest, &segment)) {
        note_rxt(f, segment);
        tcp_send_segment(s, f, segment);
        return true;
    }
    if (f->una <= b->rescue) /* rule 4: once a recovery, the last unSACKed segment; rescue is RescueRxt + 1 */
        return false;
    segment = sack_last_unmarked(f, f->end, f->una);
    b->rescue = f->recover;
    if (segment == f->una)
        return false;
    tcp_send_segment(s, f, segment - 1);
    return true;
}

static void send_by_pipe(struct sim *s, struct flow *f)
{
    for (int64_t room = (int64_t)f->cwnd - pipe_size(f); room > 0; room--)
        if (!tcp_pacing_allows(s, f) || !send_next(s, f))
            return;
}

static void sack_send(struct sim *s, struct flow *f)
{
    if (f->mode == MODE_RECOVERY)
        send_by_pipe(s, f);
    else if (f->mode == MODE_LOSS)
        recovery_send_unsacked(s, f);
    else
        tcp_send_window(s, f);
}

static void enter(struct sim *s, struct flow *f)
{
    tcp_set_mode(s, f, MODE_RECOVERY);
    double window = tcp_reduce(s, f);
    tcp_note_fast_retransmit(s, f);
    tcp_set_cwnd(s, f, window);
    f->board.high_rxt = 0;
    note_rxt(f, f->una);
    f->board.rescue = f->una + 1;
    tcp_send_segment(s, f, f->una);
    send_by_pipe(s, f);
}

/* Limited transmit with SACK (section 5 step 3): new segments while the pipe is below cwnd. */
static void limited_transmit(struct sim *s, struct flow *f)
{
    if (!f->cfg->limited_transmit)
        return;
    for (int64_t room = (int64_t)f->cwnd - pipe_size(f); room > 0; room--) {
        if (!tcp_can_send_new(s, f))
            return;
        f->limited_sent++;
        tcp_send_segment(s, f, f->next++);
    }
}

/* A duplicate is an ACK with news in its blocks (section 2). */
static void sack_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    (void)ack;
    if (f->mode != MODE_OPEN) {
        sack_send(s, f);
        return;
    }
    if (f->newly_sacked == 0)
        return;
    f->duplicate_acks++;
    if (f->duplicate_acks < f->cfg->dupack_threshold && f->board.lost_edge <= f->una)
        limited_transmit(s, f);
    else if (tcp_may_fast_retransmit(f))
        enter(s, f);
}

const struct recovery_ops recovery_sack = {
    .item = {"sack", "conservative recovery with selective acknowledgements", "RFC 6675, RFC 2018", NULL},
    .uses_sack = true,
    .stays_on_partial = true,
    .on_duplicate = sack_on_duplicate,
    .on_new_ack = recovery_on_sacked_ack,
    .on_timeout = recovery_resend_unsacked,
    .send = sack_send,
};
