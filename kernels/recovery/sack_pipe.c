/* sack_pipe.c - the "pipe" algorithm of Fall & Floyd (CCR 26(3), 1996) as ns-2's Agent/TCP/Sack1 has it.
 *
 * Against RFC 6675: no DupThresh test for holes (any below a SACKed segment may be resent), each hole is resent once,
 * no rescue retransmission; the scoreboard is cleared by a timeout and by every new ACK outside recovery; pipe is a
 * counter, one less for each ACK, two less for a partial one; no duplicates count between a timeout and the next new
 * ACK; partial ACKs give no RTT sample.
 */
#include "../pacing.h"
#include "../tcp.h"
#include "shared.h"

static bool can_send_new(struct sim *s, struct flow *f)
{
    return f->next < f->end ? f->next < f->una + f->window : tcp_can_send_new(s, f);
}

static void send_by_pipe(struct sim *s, struct flow *f)
{
    struct sack_board *b = &f->board;
    while (b->pipe < (int64_t)f->cwnd && tcp_pacing_allows(s, f)) {
        uint32_t from = b->high_rxt > f->una ? b->high_rxt : f->una, top = b->count ? b->highest : f->una;
        uint32_t hole = sack_next_unmarked(f, from, top);
        if (hole < top) {
            b->high_rxt = hole + 1;
            tcp_send_segment(s, f, hole);
            if (f->next <= hole)
                f->next = hole + 1;
        } else if (can_send_new(s, f)) {
            tcp_send_segment(s, f, f->next++);
        } else {
            return;
        }
        b->pipe++;
    }
}

static void sack_pipe_send(struct sim *s, struct flow *f)
{
    if (f->mode == MODE_RECOVERY)
        send_by_pipe(s, f);
    else
        tcp_send_window(s, f);
}

static void enter(struct sim *s, struct flow *f)
{
    tcp_set_mode(s, f, MODE_RECOVERY);
    f->board.pipe = (int64_t)f->end - f->una - f->cfg->dupack_threshold;
    double window = tcp_reduce(s, f);
    tcp_note_fast_retransmit(s, f);
    tcp_set_cwnd(s, f, window);
    f->board.high_rxt = f->una + 1;
    tcp_send_segment(s, f, f->una);
}

static void sack_pipe_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    (void)ack;
    if (f->mode == MODE_RECOVERY) {
        f->board.pipe--;
        send_by_pipe(s, f);
        return;
    }
    if (f->mode == MODE_LOSS && f->timeout_una == f->una)
        return;
    if (f->newly_sacked == 0)
        return;
    f->duplicate_acks++;
    if (f->duplicate_acks < f->cfg->dupack_threshold)
        tcp_limited_transmit(s, f);
    else if (f->duplicate_acks == f->cfg->dupack_threshold && tcp_may_fast_retransmit(f))
        enter(s, f);
}

static void on_recovery_ack(struct sim *s, struct flow *f)
{
    f->board.pipe--;
    tcp_restart_rto(s, f);
    if (f->una < f->recover) {
        f->board.pipe--;
        tcp_reset_backoff(s, f);
        return;
    }
    f->recover = 0;
    f->duplicate_acks = 0;
    sack_clear(f);
    tcp_leave_recovery(s, f);
}

static void sack_pipe_on_new_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    if (f->mode == MODE_RECOVERY) {
        on_recovery_ack(s, f);
        return;
    }
    sack_clear(f);
    recovery_on_plain_ack(s, f, acked);
}

static void sack_pipe_on_timeout(struct sim *s, struct flow *f)
{
    sack_clear(f);
    recovery_go_back_n(s, f);
}

const struct recovery_ops recovery_sack_pipe = {
    .item = {"sack_pipe", "the 1996 pipe algorithm", "Fall and Floyd, CCR 26(3), 1996", "Agent/TCP/Sack1 (ns-2)"},
    .uses_sack = true,
    .stays_on_partial = true,
    .on_duplicate = sack_pipe_on_duplicate,
    .on_new_ack = sack_pipe_on_new_ack,
    .on_timeout = sack_pipe_on_timeout,
    .send = sack_pipe_send,
};
