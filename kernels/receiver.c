/* receiver.c - the receiving end: order, acknowledgements, opening and closing (RFC 9293, 5681 section 4.2, 7323).
 *
 * It is walked: a packet arrives here as soon as order alone decides its fate, often ahead of the instance's clock. Its
 * own timers fire first if their deadline is not later. The application reads at once, so the window never closes.
 */
#include "receiver.h"

#include <math.h>

#include "rto.h"
#include "walk.h"

/* --- acknowledging ----------------------------------------------------------------------------------------------- */

static void add_echoes(struct flow *f, struct packet *ack)
{
    if (f->ecn.echoes)
        ack->flags |= PACKET_ECE;
    if (f->has_window)
        ack->edge = receiver_linux_edge(f);
    else if (f->wants_arrivals)
        ack->arrival_us = (uint32_t)(ack->t_ps / PS_PER_US);
}

/* Acknowledges all that has arrived in order, now. */
static void send_ack(struct sim *s, struct flow *f, int64_t t_ps)
{
    struct packet ack = receiver_make_ack(f, t_ps);
    if (__builtin_expect(f->has_echoes, 0))
        add_echoes(f, &ack);
    f->acknowledged = f->expected;
    f->unacknowledged = 0;
    f->deadline_ps[TIMER_DELAYED_ACK] = TIME_NEVER;
    if (f->has_linux_acks)
        receiver_linux_sent(f);
    if (f->peer_state == TCP_LAST_ACK)
        ack.flags |= PACKET_FIN;
    if (sack_has_report(&f->sacks))
        sack_make_report(f, &ack);
    net_walk_back(s, f, &ack, ack.sack_blocks == 0);
}

/* By a timer of its own, or (4.4BSD tcp_fasttimo) at the next tick of a clock. */
static int64_t delayed_until_ps(const struct tcp_cfg *cfg, int64_t t_ps)
{
    int64_t beat_ps = cfg->delayed_ack_heartbeat_ps;
    return beat_ps > 0 ? (t_ps / beat_ps + 1) * beat_ps : t_ps + cfg->delayed_ack_timeout_ps;
}

void receiver_delay_ack(struct sim *s, struct flow *f, uint32_t segment, int64_t t_ps)
{
    if (segment == f->first_segment && f->cfg->ns2_rules) /* ns-2 acknowledges the very first packet at once */
        send_ack(s, f, t_ps);
    else if (f->unacknowledged == 1)
        flow_set_timer(s, f, TIMER_DELAYED_ACK, delayed_until_ps(f->cfg, t_ps));
}

/* ns-2 also lets the ACK wait when the last segment in order comes a second time. */
static bool is_delayed_duplicate(const struct flow *f, const struct packet *p)
{
    return f->cfg->ns2_rules && f->cfg->delayed_ack && p->seq > 0 && p->seq + 1 == f->expected &&
           f->out_of_order == 0 && f->unacknowledged == 0;
}

/* An in-order segment with nothing held: may its ACK wait? */
static void acknowledge_in_order(struct sim *s, struct flow *f, const struct packet *p)
{
    f->unacknowledged++;
    if (f->has_linux_acks) {
        if (receiver_linux_in_order(s, f, p))
            send_ack(s, f, p->t_ps);
    } else if (f->unacknowledged >= f->ack_every || (p->flags & PACKET_FIN))
        send_ack(s, f, p->t_ps);
    else
        receiver_delay_ack(s, f, p->seq, p->t_ps);
}

void receiver_next_phase(struct sim *s, struct flow *f, int64_t t_ps)
{
    enum phase phase = sim_phase(s, t_ps);
    f->arrivals = &f->packets[phase];
    f->arrivals_until_ps = phase == BEFORE ? s->from_ps : phase == WITHIN ? s->to_ps : TIME_NEVER;
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static void set_peer_state(struct sim *s, struct flow *f, enum tcp_state state, int64_t t_ps)
{
    f->peer_state = state;
    TRACE(s, t_ps, f, TRACE_STATE, NULL, -1, state, 0);
}

static void send_syn_ack(struct sim *s, struct flow *f, int64_t t_ps)
{
    struct packet p = {
        .t_ps = t_ps,
        .stamp_ps = f->echo_ps,
        .bytes = (uint16_t)f->ack_bytes,
        .transmission = ++f->peer_transmissions,
        .flags = PACKET_ACK | PACKET_SYN,
    };
    uint32_t doublings = f->peer_transmissions - 1 < 16 ? f->peer_transmissions - 1 : 16;
    int64_t wait_ps = f->cfg->initial_rto_ps << doublings;
    f->linux_acks.syn_ack_ps = t_ps;
    flow_set_timer(s, f, TIMER_PEER, t_ps + (wait_ps < f->cfg->max_rto_ps ? wait_ps : f->cfg->max_rto_ps));
    net_walk_back(s, f, &p, true);
}

static void close_peer(struct sim *s, struct flow *f, int64_t t_ps)
{
    set_peer_state(s, f, TCP_CLOSE_WAIT, t_ps);
    set_peer_state(s, f, TCP_LAST_ACK, t_ps); /* its application closes at once */
    flow_set_timer(s, f, TIMER_PEER, t_ps + rto_timeout_ps(&f->rto));
}

static void on_peer_timer(struct sim *s, struct flow *f, int64_t t_ps)
{
    f->deadline_ps[TIMER_PEER] = TIME_NEVER;
    if (f->peer_state == TCP_SYN_RECEIVED) {
        send_syn_ack(s, f, t_ps);
    } else if (f->peer_state == TCP_LAST_ACK) {
        send_ack(s, f, t_ps); /* carries the FIN again */
        flow_set_timer(s, f, TIMER_PEER, t_ps + f->cfg->max_rto_ps);
    }
}

void receiver_timers(struct sim *s, struct flow *f, int64_t t_ps)
{
    if (t_ps >= TIME_NEVER) /* of a packet that waits for a link that stays down: no timer is due */
        t_ps = TIME_NEVER - 1;
    for (;;) {
        int64_t ack_ps = f->deadline_ps[TIMER_DELAYED_ACK], peer_ps = f->deadline_ps[TIMER_PEER];
        if (ack_ps > t_ps && peer_ps > t_ps)
            return;
        if (ack_ps <= peer_ps) {
            if (f->has_linux_acks)
                receiver_linux_expired(f, ack_ps);
            send_ack(s, f, ack_ps);
        } else
            on_peer_timer(s, f, peer_ps);
    }
}

/* --- what arrives ------------------------------------------------------------------------------------------------- */

static void note_delay(struct delay_stats *d, double delay_s)
{
    double before = d->mean_s;
    d->n++;
    d->mean_s += (delay_s - d->mean_s) / (double)d->n;
    d->m2 += (delay_s - before) * (delay_s - d->mean_s);
    if (d->n > 1)
        d->difference_sum_s += fabs(delay_s - d->last_s);
    d->last_s = delay_s;
}

void receiver_note_delay(struct sim *s, struct flow *f, int64_t from_ps, int64_t to_ps)
{
    if (sim_phase(s, to_ps) == WITHIN)
        note_delay(&f->delay, (double)(to_ps - from_ps) / (double)PS_PER_S);
}

/* Application packets that the bytes received so far complete. */
static void note_records(struct sim *s, struct flow *f, int64_t t_ps, uint32_t bytes)
{
    f->app.bytes_received += bytes;
    while (f->app.bytes_received >= f->app.record_end) {
        receiver_note_delay(s, f, f->awaited.t_ps, t_ps);
        f->flow_cfg->app.ops->next_record(f);
    }
}

static void deliver_in_order(struct sim *s, struct flow *f, struct packet_counts *count, int64_t t_ps, uint32_t bytes)
{
    count->bytes_in_order += bytes;
    TRACE(s, t_ps, f, TRACE_APP, NULL, 0, 0, bytes);
    if (f->has_records)
        note_records(s, f, t_ps, bytes);
}

static bool is_held(const struct flow *f, uint32_t segment)
{
    uint32_t i = segment & f->held_mask;
    return f->held[i >> 6] >> (i & 63) & 1;
}

/* Takes what is held from `expected` on out of the hold and delivers it. */
static void drain_held(struct sim *s, struct flow *f, struct packet_counts *count, int64_t t_ps)
{
    while (f->out_of_order > 0 && is_held(f, f->expected)) {
        uint32_t i = f->expected & f->held_mask;
        f->held[i >> 6] &= ~(UINT64_C(1) << (i & 63));
        f->out_of_order--;
        deliver_in_order(s, f, count, t_ps, flow_payload(f, f->expected));
        f->expected++;
    }
}

/* A segment that is not the next one, or while others are held: its ACK goes out at once. */
static void take_out_of_order(struct sim *s, struct flow *f, struct packet_counts *count, struct packet *p)
{
    if (p->seq == f->expected) {
        f->expected++;
        deliver_in_order(s, f, count, p->t_ps, p->payload);
        drain_held(s, f, count, p->t_ps);
        sack_forget(f);
    } else if (p->seq < f->expected || is_held(f, p->seq)) {
        count->duplicates += p->payload > 0;
        f->sacks.has_duplicate = f->cfg->dsack && f->sacks.most;
        f->sacks.duplicate = p->seq;
        if (f->sacks.most && p->seq > f->expected)
            sack_note(f, p->seq);
    } else if (p->seq - f->expected > f->held_mask) {
        sim_fail(s, SIM_LIMIT);
    } else {
        uint32_t i = p->seq & f->held_mask;
        f->held[i >> 6] |= UINT64_C(1) << (i & 63);
        f->out_of_order++;
        if (f->sacks.most)
            sack_note(f, p->seq);
    }
}

/* What the ACKs from now on say about this packet: its mark, its timestamp. */
static void note_echoes(struct sim *s, struct flow *f, const struct packet *p)
{
    if (f->cfg->ecn != ECN_OFF) {
        if (ecn_must_acknowledge(f, p))
            send_ack(s, f, p->t_ps);
        ecn_note_data(f, p);
    }
    if (f->cfg->stamp_echo == STAMP_ECHO_TRIGGER)
        f->echo_ps = p->stamp_ps;
}

static void take_data(struct sim *s, struct flow *f, struct packet *p)
{
    struct packet_counts *count = receiver_counts(s, f, p->t_ps);
    count->delivered += p->payload > 0;
    TRACE(s, p->t_ps, f, TRACE_DELIVER, NULL, p->seq, p->seq < f->expected || (f->out_of_order && is_held(f, p->seq)),
          0);
    receiver_note_stamp(f, p);
    if (__builtin_expect(f->has_echoes, 0))
        note_echoes(s, f, p);
    if (__builtin_expect(p->seq == f->expected && f->out_of_order == 0, 1)) {
        f->expected++;
        deliver_in_order(s, f, count, p->t_ps, p->payload);
        if (p->seq == f->fin_segment)
            close_peer(s, f, p->t_ps);
        acknowledge_in_order(s, f, p);
    } else {
        bool may_wait = is_delayed_duplicate(f, p), is_filler = p->seq == f->expected;
        take_out_of_order(s, f, count, p);
        if (may_wait) {
            acknowledge_in_order(s, f, p);
            return;
        }
        if (f->expected > f->fin_segment && f->peer_state == TCP_ESTABLISHED)
            close_peer(s, f, p->t_ps);
        if (!f->has_linux_acks || receiver_linux_other(s, f, p, is_filler))
            send_ack(s, f, p->t_ps);
    }
}

/* SYN, the opener's pure ACKs, cross traffic, pings. */
static void take_control(struct sim *s, struct flow *f, struct packet *p)
{
    if (p->flags & PACKET_UDP) {
        struct packet_counts *count = receiver_counts(s, f, p->t_ps);
        count->delivered++;
        count->bytes_in_order += p->payload;
        TRACE(s, p->t_ps, f, TRACE_DELIVER, NULL, p->seq, 0, 0);
        TRACE(s, p->t_ps, f, TRACE_APP, NULL, 0, 0, p->payload);
        receiver_note_delay(s, f, p->stamp_ps, p->t_ps);
    } else if (p->flags & PACKET_PING) {
        p->flags |= PACKET_ACK;
        net_walk_back(s, f, p, p->bytes == f->stream[REVERSE].stage->run.usual_bytes);
    } else if (p->flags & PACKET_SYN) {
        f->echo_ps = p->stamp_ps;
        if (f->peer_state == TCP_LISTEN)
            set_peer_state(s, f, TCP_SYN_RECEIVED, p->t_ps);
        if (f->peer_state == TCP_SYN_RECEIVED)
            send_syn_ack(s, f, p->t_ps);
    } else if (f->peer_state == TCP_LAST_ACK && p->seq > f->fin_segment) {
        f->deadline_ps[TIMER_PEER] = TIME_NEVER;
        set_peer_state(s, f, TCP_CLOSED, p->t_ps);
    }
}

void receiver_take(struct sim *s, struct flow *f, struct packet *p)
{
    if (__builtin_expect(f->deadline_ps[TIMER_DELAYED_ACK] <= p->t_ps || f->deadline_ps[TIMER_PEER] <= p->t_ps, 0))
        receiver_timers(s, f, p->t_ps);
    if (__builtin_expect(f->peer_state == TCP_SYN_RECEIVED && !(p->flags & PACKET_SYN), 0)) {
        f->deadline_ps[TIMER_PEER] = TIME_NEVER;
        receiver_linux_open(f, p);
        set_peer_state(s, f, TCP_ESTABLISHED, p->t_ps);
    }
    if (__builtin_expect(p->flags & (PACKET_SYN | PACKET_OPEN | PACKET_UDP | PACKET_PING), 0))
        take_control(s, f, p);
    else
        take_data(s, f, p);
    f->takes_usual = f->is_quiet && f->peer_state == TCP_ESTABLISHED && f->out_of_order == 0;
}
