/* fack.c - forward acknowledgement: the highest SACKed segment says how much is in the network.
 *
 * fack: Mathis and Mahdavi, "Forward Acknowledgement", SIGCOMM 1996. awnd = next - fack + segments sent again and not
 *   yet acknowledged; recovery begins when fack is more than dupack_threshold segments beyond una, or on that many
 *   duplicates; every hole below fack is sent again, once. Options of the paper: fack_rampdown lets the window in use
 *   fall by half a segment for each segment that fack advances, instead of a pause of half a round trip;
 *   fack_overdamping halves once more for a loss in slow start, whose window was half as large when the lost segment
 *   was sent. A reduction is barred until una has passed what was outstanding at the last one. Limited transmit where
 *   the flow has it. After a timeout unSACKed segments are sent again in order, as with sack.
 * fack_ns2: what ns-2.35's Agent/TCP/Fack (tcp-fack.cc, scoreboard.cc) does otherwise: cwnd is 1 on entry and grows by
 *   every ACK of the recovery, so slow start leads it back to half; nothing is sent on the first duplicates and on the
 *   ACK that starts recovery, which one more segment than was outstanding must end, with an ACK without blocks; a
 *   segment SACKed that was sent after a retransmission stops all sending until the timer expires; a timeout does not
 *   end recovery, forgets the board and sends everything from una on again; every ACK that is a duplicate, has blocks
 *   or comes in recovery gives an RTT sample by its timestamp, also without timestamps elsewhere.
 */
#include "../pacing.h"
#include "../sender.h"
#include "shared.h"

static const double TRIM_SHARE = 0.5, TRIM_SHARE_OVERDAMPED = 0.75;

struct fack {
    uint32_t fack; /* one above the highest segment known to be received */
    double trim;   /* rampdown: what of the old window is still in use */
    double share;  /* of fack's advance that it loses */
    /* fack_ns2 */
    uint32_t recover;
    bool is_recovering, is_stopped, holds; /* holds: this ACK must not send */
};

/* Segments sent again that are not known to have arrived. */
static uint32_t resent(const struct flow *f)
{
    const struct sack_board *b = &f->board;
    return b->high_rxt > f->una ? b->high_rxt - f->una - b->sacked_below_rxt : 0;
}

static void note_resent(struct flow *f, uint32_t segment)
{
    struct sack_board *b = &f->board;
    uint32_t from = b->high_rxt > f->una ? b->high_rxt : f->una;
    b->sacked_below_rxt = (b->high_rxt > f->una ? b->sacked_below_rxt : 0) + sack_count(f, from, segment + 1);
    b->high_rxt = segment + 1;
    if (f->notes)
        f->notes[segment & f->transmission_mask] = f->next;
}

static uint32_t next_hole(const struct flow *f, uint32_t fack)
{
    return sack_next_unmarked(f, f->board.high_rxt > f->una ? f->board.high_rxt : f->una, fack);
}

static void advance(const struct flow *f, struct fack *c)
{
    uint32_t to = f->board.count && f->board.highest > f->una ? f->board.highest : f->una;
    if (to <= c->fack)
        return;
    c->trim -= (to - c->fack) * c->share;
    c->trim = c->trim > 0 ? c->trim : 0;
    c->fack = to;
}

/* The last of the old window goes out over the next round trip. */
static void begin_rampdown(const struct flow *f, struct fack *c, bool is_overdamped)
{
    c->share = is_overdamped ? TRIM_SHARE_OVERDAMPED : TRIM_SHARE;
    c->trim = f->cfg->fack_rampdown && f->next > c->fack ? (f->next - c->fack) * c->share : 0;
}

/* --- the paper ---------------------------------------------------------------------------------------------------- */

static void send_by_awnd(struct sim *s, struct flow *f)
{
    struct fack *c = RECOVERY_STATE(f, struct fack);
    uint32_t window = (uint32_t)(f->cwnd + c->trim);
    while ((int64_t)f->next - c->fack + resent(f) < window && tcp_pacing_allows(s, f)) {
        uint32_t hole = next_hole(f, c->fack);
        if (hole < c->fack) {
            note_resent(f, hole);
            tcp_send_segment(s, f, hole);
        } else if (tcp_can_send_new(s, f)) {
            tcp_send_segment(s, f, f->next++);
        } else {
            return;
        }
    }
}

static void fack_send(struct sim *s, struct flow *f)
{
    if (f->mode == MODE_RECOVERY)
        send_by_awnd(s, f);
    else if (f->mode == MODE_LOSS)
        recovery_send_unsacked(s, f);
    else
        tcp_send_window(s, f);
}

static void enter(struct sim *s, struct flow *f, struct fack *c)
{
    bool is_overdamped = f->cfg->fack_overdamping && f->cwnd < f->ssthresh;
    tcp_set_mode(s, f, MODE_RECOVERY);
    double window = tcp_reduce(s, f);
    if (is_overdamped) {
        window = window / 2 > 2 ? window / 2 : 2;
        tcp_set_ssthresh(s, f, window);
    }
    tcp_note_fast_retransmit(s, f);
    begin_rampdown(f, c, is_overdamped);
    tcp_set_cwnd(s, f, window);
    f->board.high_rxt = 0;
    note_resent(f, f->una);
    tcp_send_segment(s, f, f->una);
    send_by_awnd(s, f);
}

static void fack_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    (void)ack;
    struct fack *c = RECOVERY_STATE(f, struct fack);
    advance(f, c);
    if (f->mode != MODE_OPEN) {
        fack_send(s, f);
        return;
    }
    f->duplicate_acks++;
    bool is_lost = c->fack - f->una > f->cfg->dupack_threshold || f->duplicate_acks >= f->cfg->dupack_threshold;
    if (is_lost && tcp_may_fast_retransmit(f))
        enter(s, f, c);
    else if (!is_lost)
        tcp_limited_transmit(s, f);
}

static void fack_on_new_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    advance(f, RECOVERY_STATE(f, struct fack));
    recovery_on_sacked_ack(s, f, acked);
}

static void fack_on_timeout(struct sim *s, struct flow *f)
{
    struct fack *c = RECOVERY_STATE(f, struct fack);
    c->trim = 0;
    recovery_resend_unsacked(s, f);
}

const struct recovery_ops recovery_fack = {
    .item = {"fack", "forward acknowledgement", "Mathis and Mahdavi, SIGCOMM 1996", NULL},
    .uses_sack = true,
    .stays_on_partial = true,
    .on_duplicate = fack_on_duplicate,
    .on_new_ack = fack_on_new_ack,
    .on_timeout = fack_on_timeout,
    .send = fack_send,
};

/* --- ns-2 --------------------------------------------------------------------------------------------------------- */

static void ns2_send(struct sim *s, struct flow *f)
{
    struct fack *c = RECOVERY_STATE(f, struct fack);
    struct sack_board *b = &f->board;
    double window = (f->cwnd < f->window_real ? f->cwnd : f->window_real) + c->trim;
    while (!c->holds && !c->is_stopped && f->next + resent(f) < c->fack + (uint32_t)window) {
        uint32_t hole = b->count ? next_hole(f, b->highest) : f->next;
        if (b->count && hole < b->highest) {
            note_resent(f, hole);
            tcp_send_segment(s, f, hole);
            f->next = f->next > hole ? f->next : hole + 1;
        } else if (f->next < f->end ? f->next < f->una + f->window : tcp_can_send_new(s, f)) {
            tcp_send_segment(s, f, f->next++);
        } else {
            return;
        }
    }
}

static void ns2_enter(struct sim *s, struct flow *f, struct fack *c)
{
    bool is_overdamped = f->cfg->fack_overdamping && f->cwnd <= f->ssthresh + TRIM_SHARE;
    if (is_overdamped)
        tcp_set_cwnd(s, f, f->cwnd / 2);
    tcp_set_mode(s, f, MODE_RECOVERY);
    c->is_recovering = true;
    c->recover = f->next;
    tcp_reduce(s, f);
    tcp_note_fast_retransmit(s, f);
    begin_rampdown(f, c, is_overdamped);
    tcp_set_cwnd(s, f, 1);
    note_resent(f, f->una);
    tcp_send_segment(s, f, f->una);
}

static void ns2_forget(struct flow *f, struct fack *c)
{
    sack_clear(f);
    f->board.high_rxt = 0;
    c->is_stopped = false;
    c->trim = 0;
    c->fack = f->una;
}

/* Whether a segment sent after the first retransmission still out is among this ACK's. */
static bool is_lost_again(const struct flow *f, const struct packet *ack)
{
    uint32_t first = sack_next_unmarked(f, f->una, f->board.high_rxt), right = 0;
    struct sack_block decoded[SACK_BLOCKS_MAX];
    const struct sack_block *block = sack_read_report(f, ack, decoded);
    for (uint32_t i = 0; i < ack->sack_blocks; i++)
        right = block[i].right > right ? block[i].right : right;
    return first < f->board.high_rxt && f->notes[first & f->transmission_mask] < right;
}

static uint32_t move_una(struct flow *f, const struct packet *ack)
{
    uint32_t acked = advance_una(f, ack->seq);
    if (f->board.count)
        sack_advance(f, f->una - acked, f->una);
    return acked;
}

static void ns2_take_plain(struct sim *s, struct flow *f, struct fack *c, const struct packet *ack)
{
    uint32_t acked = move_una(f, ack);
    tcp_sample_rtt(s, f, ack);
    tcp_restart_rto(s, f);
    tcp_grow(s, f, acked);
    ns2_forget(f, c);
    f->duplicate_acks = 0;
    if (f->mode != MODE_OPEN && f->una >= f->recover)
        tcp_set_mode(s, f, MODE_OPEN);
}

static void ns2_take_special(struct sim *s, struct flow *f, struct fack *c, const struct packet *ack)
{
    move_una(f, ack);
    tcp_restart_rto(s, f);
    if (f->timing.is_running && f->una > f->timing.segment)
        tcp_end_timing(s, f);
    note_rtt(f, s->now_ps - ack->stamp_ps);
    tcp_take_sample(s, f, ack->stamp_ps);
    advance(f, c);
    f->next = f->next > c->fack ? f->next : c->fack;
}

static void ns2_leave(struct sim *s, struct flow *f, struct fack *c)
{
    c->is_recovering = false;
    ns2_forget(f, c);
    tcp_leave_recovery(s, f);
}

static void ns2_take_ack(struct sim *s, struct flow *f, const struct packet *ack)
{
    struct fack *c = RECOVERY_STATE(f, struct fack);
    c->holds = false;
    if (c->is_recovering) {
        ns2_take_special(s, f, c, ack);
        c->is_stopped |= ack->sack_blocks && is_lost_again(f, ack);
        tcp_grow(s, f, 1);
        if (!ack->sack_blocks && f->una > c->recover)
            ns2_leave(s, f, c);
    } else if (ack->seq > f->una && !ack->sack_blocks) {
        ns2_take_plain(s, f, c, ack);
    } else {
        ns2_take_special(s, f, c, ack);
        uint32_t beyond = c->fack - f->una;
        c->holds = beyond != 1;
        if (beyond > f->cfg->dupack_threshold)
            ns2_enter(s, f, c);
    }
    f->is_special = true;
}

static void ns2_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    struct fack *c = RECOVERY_STATE(f, struct fack);
    ns2_forget(f, c);
    c->holds = false;
    f->next = f->una;
}

const struct recovery_ops recovery_fack_ns2 = {
    .item = {"fack_ns2", "fack as ns-2 has it", "ns-2 2.35, tcp-fack.cc", "Agent/TCP/Fack (ns-2)"},
    .uses_sack = true,
    .stays_on_partial = true,
    .words_per_segment = 1,
    .take_ack = ns2_take_ack,
    .on_timeout = ns2_on_timeout,
    .send = ns2_send,
};
