/* linux26.c - the sender of Linux 2.6 as ns-2.35's Agent/TCP/Linux models it (tcp-linux.cc, scoreboard1.cc; Wei and
 * Cao, "NS-2 TCP-Linux", WNS2 2006): FACK with retransmissions that may be lost again, and rate halving.
 *
 * A segment is lost when fack is more than dupack_threshold + 1 segments beyond it; a retransmission when something is
 * SACKed that was sent after it, or one that was sent more than dupack_threshold + 1 retransmissions later is
 * acknowledged. In flight: neither SACKed nor lost. Recovery leaves cwnd at ssthresh, or at what the congestion control
 * says (cc_ops.recovery_window), but what may be in flight falls to it by one for every second ACK. It ends with the
 * ACK of what was outstanding, and cwnd is then at most 3 above what is in flight (tcp_moderate_cwnd). A timeout takes
 * all that is not SACKed as lost; a loss found after it starts recovery again. Every ACK, duplicates too, restarts the
 * timer and gives an RTT sample by its timestamp. Only full use of cwnd lets it grow. ns-2 ignores the receiver's
 * window here; we do not.
 *
 * Departure: an ACK that shows a retransmission delivered is known of before, not after, the other retransmissions are
 * looked at.
 */
#include "../sender.h"
#include "shared.h"

enum { BURST_MAX = 3, STATE_BITS = 2, WORDS = 3 };

enum state {
    IN_FLIGHT,
    SACKED,
    LOST,
    RESENT
}; /* a segment's word: its state, above that the retransmission's number */

struct linux26 {
    uint32_t falling; /* what may be in flight while the rate is halved */
    uint32_t sacked, lost;
    uint32_t fack;               /* one above the highest SACKed segment; 0: no board */
    uint32_t board_end;          /* nothing is on the board from here on */
    uint32_t examined;           /* below it no segment sent once is without a verdict */
    uint32_t next_lost;          /* no lost segment below it */
    uint32_t resent, oldest;     /* number of the next retransmission, of the first one still under way */
    int32_t delivered;           /* number of the last retransmission known to have arrived; -1: none */
    bool has_news, is_ambiguous; /* this ACK: a segment was found lost; a retransmission arrived */
};

static uint32_t *word_of(struct flow *f, uint32_t segment)
{
    return &f->notes[segment & f->transmission_mask];
}

static enum state state_of(struct flow *f, uint32_t segment)
{
    return (enum state)(*word_of(f, segment) & ((1 << STATE_BITS) - 1));
}

/* A retransmission by its number: the segment, and what was to be sent next then. */
static uint32_t *resent_of(struct flow *f, uint32_t number)
{
    return &f->notes[f->transmission_mask + 1 + 2 * (number & f->transmission_mask)];
}

static uint32_t in_flight(const struct flow *f, const struct linux26 *c)
{
    return f->next - f->una - c->sacked - c->lost;
}

/* --- the board ---------------------------------------------------------------------------------------------------- */

static void clear(struct flow *f, struct linux26 *c)
{
    for (uint32_t segment = f->una; segment < c->board_end; segment++)
        *word_of(f, segment) = IN_FLIGHT;
    sack_clear(f);
    c->sacked = c->lost = c->fack = c->board_end = c->resent = c->oldest = 0;
    c->delivered = -1;
    c->examined = c->next_lost = f->una;
}

static void set_lost(struct flow *f, struct linux26 *c, uint32_t segment)
{
    *word_of(f, segment) = LOST;
    c->lost++;
    c->has_news = true;
    if (segment < c->next_lost)
        c->next_lost = segment;
}

/* A segment arrived that was not known to have: what it was counted as. */
static void note_arrival(struct flow *f, struct linux26 *c, uint32_t segment)
{
    enum state state = state_of(f, segment);
    c->lost -= state == LOST;
    if (state != RESENT)
        return;
    int32_t number = (int32_t)(*word_of(f, segment) >> STATE_BITS);
    c->is_ambiguous = true;
    c->delivered = number > c->delivered ? number : c->delivered;
}

static void take_acked(struct flow *f, struct linux26 *c, uint32_t from)
{
    for (uint32_t segment = from; segment < f->una; segment++) {
        note_arrival(f, c, segment);
        c->sacked -= state_of(f, segment) == SACKED;
        *word_of(f, segment) = IN_FLIGHT;
    }
    c->examined = c->examined > f->una ? c->examined : f->una;
    c->next_lost = c->next_lost > f->una ? c->next_lost : f->una;
    if (c->board_end && f->una >= c->board_end)
        clear(f, c);
}

static void take_block(struct flow *f, struct linux26 *c, struct sack_block block, uint32_t *left_over)
{
    uint32_t from = block.left > f->una ? block.left : f->una;
    for (uint32_t segment = block.right; segment > from && *left_over > 0; segment--) {
        if (state_of(f, segment - 1) == SACKED)
            continue;
        note_arrival(f, c, segment - 1);
        *word_of(f, segment - 1) = SACKED;
        c->sacked++;
        (*left_over)--;
    }
    c->fack = block.right > c->fack ? block.right : c->fack;
    c->board_end = c->fack > c->board_end ? c->fack : c->board_end;
}

static void find_lost(struct flow *f, struct linux26 *c)
{
    uint32_t reach = f->cfg->dupack_threshold + 1;
    for (; c->examined + reach < c->fack; c->examined++)
        if (state_of(f, c->examined) == IN_FLIGHT)
            set_lost(f, c, c->examined);
    for (; c->oldest < c->resent; c->oldest++) {
        const uint32_t *entry = resent_of(f, c->oldest);
        bool is_out = entry[0] >= f->una && *word_of(f, entry[0]) == (c->oldest << STATE_BITS | RESENT);
        bool is_lost = entry[1] < c->fack || (int64_t)c->oldest + reach < c->delivered;
        if (is_out && !is_lost)
            return;
        if (is_out)
            set_lost(f, c, entry[0]);
    }
}

static void take_blocks(struct flow *f, struct linux26 *c, const struct packet *ack)
{
    uint32_t left_over = f->newly_sacked;
    struct sack_block decoded[SACK_BLOCKS_MAX];
    const struct sack_block *block = ack->sack_blocks ? sack_read_report(f, ack, decoded) : NULL;
    for (uint32_t i = 0; i < ack->sack_blocks; i++)
        if (block[i].right > f->una)
            take_block(f, c, block[i], &left_over);
    if (c->board_end)
        find_lost(f, c);
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

static bool find_next_lost(struct flow *f, struct linux26 *c)
{
    while (c->next_lost < f->next && c->lost > 0 && state_of(f, c->next_lost) != LOST)
        c->next_lost++;
    return c->lost > 0 && c->next_lost < f->next;
}

static void resend(struct sim *s, struct flow *f, struct linux26 *c)
{
    uint32_t segment = c->next_lost, *entry = resent_of(f, c->resent);
    entry[0] = segment;
    entry[1] = f->next;
    *word_of(f, segment) = c->resent++ << STATE_BITS | RESENT;
    c->lost--;
    tcp_send_segment(s, f, segment);
}

static void linux26_send(struct sim *s, struct flow *f)
{
    struct linux26 *c = RECOVERY_STATE(f, struct linux26);
    uint32_t flight = in_flight(f, c), cwnd = (uint32_t)f->cwnd;
    c->falling = c->falling < flight + 1 ? c->falling : flight + 1;
    while (flight < (cwnd > c->falling ? cwnd : c->falling)) {
        if (find_next_lost(f, c)) {
            resend(s, f, c);
        } else if (tcp_can_send_new(s, f)) {
            *word_of(f, f->next) = IN_FLIGHT;
            tcp_send_segment(s, f, f->next++);
        } else {
            return;
        }
        flight = in_flight(f, c);
        uint32_t less = flight > 2 ? flight - 1 : 1;
        c->falling = c->falling < less ? c->falling : less;
    }
}

/* --- ACKs --------------------------------------------------------------------------------------------------------- */

static void take_time(struct sim *s, struct flow *f, const struct packet *ack)
{
    note_rtt(f, s->now_ps - ack->stamp_ps);
    tcp_take_sample(s, f, ack->stamp_ps);
    if (f->timing.is_running && f->una > f->timing.segment)
        tcp_end_timing(s, f);
    tcp_restart_rto(s, f);
}

static void enter(struct sim *s, struct flow *f, struct linux26 *c)
{
    f->recover = f->end;
    f->has_recover = true;
    f->count.fast_retransmits++;
    TRACE(s, s->now_ps, f, TRACE_FAST_RETRANSMIT, NULL, f->una, 0, 0);
    c->falling = (uint32_t)f->cwnd;
    tcp_reduce(s, f);
    tcp_set_cwnd(s, f, f->cfg->cc->recovery_window ? f->cfg->cc->recovery_window(s, f) : f->ssthresh);
    tcp_set_mode(s, f, MODE_RECOVERY);
}

static void leave(struct sim *s, struct flow *f, struct linux26 *c)
{
    clear(f, c);
    if (f->cwnd < f->ssthresh) {
        double most = in_flight(f, c) + BURST_MAX;
        tcp_set_cwnd(s, f, f->ssthresh < most ? f->ssthresh : most);
    }
    c->falling = 0;
    tcp_leave_recovery(s, f);
}

static void linux26_take_ack(struct sim *s, struct flow *f, const struct packet *ack)
{
    struct linux26 *c = RECOVERY_STATE(f, struct linux26);
    bool is_full = in_flight(f, c) >= (uint32_t)f->cwnd;
    uint32_t from = f->una, acked = advance_una(f, ack->seq);
    c->has_news = c->is_ambiguous = false;
    f->may_grow = is_full;
    if (f->board.count)
        sack_advance(f, from, f->una);
    take_acked(f, c, from);
    take_blocks(f, c, ack);
    take_time(s, f, ack);
    if (acked && f->cfg->cc->on_rtt)
        f->cfg->cc->on_rtt(s, f, acked, c->is_ambiguous ? -1 : s->now_ps - ack->stamp_ps);
    if (acked && f->mode != MODE_RECOVERY)
        tcp_grow(s, f, acked);
    if (f->mode != MODE_OPEN && f->una >= f->recover)
        leave(s, f, c);
    else if (f->mode != MODE_RECOVERY && c->has_news)
        enter(s, f, c);
    if (f->mode == MODE_RECOVERY) /* what ns-2 shows as cwnd */
        TRACE(s, s->now_ps, f, TRACE_CWND, NULL, 0, 0, c->falling > f->cwnd ? c->falling : f->cwnd);
    f->is_special = true;
}

static void linux26_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    struct linux26 *c = RECOVERY_STATE(f, struct linux26);
    for (uint32_t segment = f->una; segment < f->next; segment++)
        if (state_of(f, segment) != SACKED)
            *word_of(f, segment) = LOST;
    c->lost = f->next - f->una - c->sacked;
    c->resent = c->oldest = 0;
    c->delivered = -1;
    c->next_lost = f->una;
    c->examined = c->board_end = f->next;
    c->falling = 0;
}

const struct recovery_ops recovery_linux26 = {
    .item = {"linux26", "FACK and rate halving as in Linux 2.6", "ns-2 2.35, tcp-linux.cc, scoreboard1.cc",
             "Agent/TCP/Linux (ns-2)"},
    .uses_sack = true,
    .stays_on_partial = true,
    .words_per_segment = WORDS,
    .take_ack = linux26_take_ack,
    .on_timeout = linux26_on_timeout,
    .send = linux26_send,
};
