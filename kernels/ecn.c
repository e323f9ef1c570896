/* ecn.c - explicit congestion notification at both ends.
 *
 * classic (RFC 3168): the receiver sets ECE on all ACKs from a marked segment on until one with CWR; retransmissions
 * are not ECN-capable. accurate (RFC 8257 3.2): an ACK carries the mark of the segment that triggered it, and a change
 * sends a delayed ACK for what came before at once; retransmissions can be marked too, as Linux has it for DCTCP.
 *
 * A congestion control without a rule of its own reacts as RFC 3168 6.1.2: once per window its ssthresh for a loss,
 * cwnd no larger than that, no growth with this ACK, no retransmission.
 *
 * Departures: both ends have agreed on it, without a negotiation in SYN and SYN-ACK. Pure ACKs, SYN and FIN are never
 * marked.
 */
#include "ecn.h"

#include "tcp.h"

bool ecn_is_capable(const struct flow *f, const struct packet *p)
{
    if (f->cfg->ecn == ECN_OFF || p->payload == 0)
        return false;
    if (p->flags & (PACKET_ACK | PACKET_SYN | PACKET_UDP | PACKET_PING | PACKET_OPEN))
        return false;
    return f->cfg->ecn == ECN_ACCURATE || p->transmission <= 1;
}

/* --- sender ------------------------------------------------------------------------------------------------------- */

void ecn_say_reduced(struct flow *f, struct packet *p)
{
    f->ecn.owes_cwr = false;
    p->flags |= PACKET_CWR;
}

/* A loss being repaired has reduced the window already. */
static void reduce(struct sim *s, struct flow *f)
{
    if (f->mode != MODE_OPEN)
        return;
    f->count.ecn_reductions++;
    double window = tcp_reduce(s, f);
    if (window < f->cwnd)
        tcp_set_cwnd(s, f, window);
}

static void take_mark(struct sim *s, struct flow *f, uint32_t acked)
{
    struct ecn_state *e = &f->ecn;
    const struct cc_ops *cc = f->cfg->cc;
    bool is_first = !e->has_reduced || f->una > e->reduced_next;
    if (is_first) {
        e->has_reduced = e->owes_cwr = true;
        e->reduced_next = f->end;
    }
    if (cc->on_mark) {
        cc->on_mark(s, f, acked);
        return;
    }
    f->may_grow = false;
    if (is_first)
        reduce(s, f);
}

/* Linux's automatic receive window (receiver_linux.c). */
static void take_window(struct flow *f, uint32_t edge)
{
    uint64_t buffer = f->cfg->send_buffer_bytes / f->cfg->mss_bytes;
    if (edge > f->edge)
        f->edge = edge;
    f->window = f->edge - f->una;
    if (buffer > 0 && buffer < f->window)
        f->window = (uint32_t)buffer;
    f->window_real = f->window;
}

void ecn_take_echoes(struct sim *s, struct flow *f, const struct packet *ack, uint32_t acked)
{
    if (f->has_window)
        take_window(f, ack->edge);
    else
        f->arrival_us = ack->arrival_us;
    f->ecn.is_marked = ack->flags & PACKET_ECE;
    if (f->ecn.is_marked && !f->cfg->recovery->reads_marks)
        take_mark(s, f, acked);
}

/* --- receiver ----------------------------------------------------------------------------------------------------- */

bool ecn_must_acknowledge(const struct flow *f, const struct packet *p)
{
    bool is_marked = p->flags & PACKET_CE;
    return f->cfg->ecn == ECN_ACCURATE && p->payload > 0 && is_marked != f->ecn.echoes && f->unacknowledged > 0;
}

void ecn_note_data(struct flow *f, const struct packet *p)
{
    bool is_marked = p->flags & PACKET_CE;
    if (f->cfg->ecn == ECN_CLASSIC)
        f->ecn.echoes = is_marked || (f->ecn.echoes && !(p->flags & PACKET_CWR));
    else if (p->payload > 0)
        f->ecn.echoes = is_marked;
}
