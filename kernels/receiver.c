/* receiver.c - the receiving end: order, acknowledgements, opening and closing (RFC 9293, 5681 section 4.2, 7323).
 *
 * It is walked: a packet arrives here as soon as order alone decides its fate, often ahead of the instance's clock. Its
 * own timers fire first if their deadline is not later. The application reads at once, so the window never closes.
 */
#include "receiver.h"

#include <math.h>

#include "instance.h"
#include "rto.h"

/* --- acknowledging ----------------------------------------------------------------------------------------------- */

static void send_ack(struct sim *s, struct flow *f, int64_t t_ps)
{
    struct packet ack = {
        .t_ps = t_ps,
        .stamp_ps = f->echo_ps,
        .seq = f->expected,
        .bytes = (uint16_t)f->ack_bytes,
        .flags = PACKET_ACK | (f->peer_state == TCP_LAST_ACK ? PACKET_FIN : 0),
    };
    if (f->sacks.count) {
        ack.sack_blocks = (uint8_t)f->sacks.count;
        ack.payload = sack_make_report(f);
        ack.bytes += f->cfg->sack_option_bytes + 8 * ack.sack_blocks;
    }
    f->acknowledged = f->expected;
    f->unacknowledged = 0;
    f->deadline_ps[TIMER_DELAYED_ACK] = TIME_NEVER;
    net_walk(s, &f->stream[REVERSE], &ack, 0);
}

/* ns-2 also lets the ACK wait when the last segment in order comes a second time. */
static bool is_delayed_duplicate(const struct flow *f, const struct packet *p)
{
    return f->cfg->ns2_rules && f->cfg->delayed_ack && p->seq > 0 && p->seq + 1 == f->expected && f->out_of_order == 0 &&
           f->unacknowledged == 0;
}

/* An in-order segment with nothing held: may its ACK wait? ns-2 acknowledges the very first packet at once. */
static void acknowledge_in_order(struct sim *s, struct flow *f, const struct packet *p)
{
    const struct tcp_cfg *cfg = f->cfg;
    f->unacknowledged++;
    bool must = !cfg->delayed_ack || f->unacknowledged >= cfg->delayed_ack_segments || (p->flags & PACKET_FIN) ||
                (cfg->ns2_rules && p->seq == 0);
    if (must)
        send_ack(s, f, p->t_ps);
    else if (f->unacknowledged == 1)
        flow_set_timer(s, f, TIMER_DELAYED_ACK, p->t_ps + cfg->delayed_ack_timeout_ps);
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static void set_peer_state(struct sim *s, struct flow *f, enum tcp_state state, int64_t t_ps)
{
    f->peer_state = state;
    TRACE(s, t_ps, f, TRACE_STATE, NULL, f->state, state, 0);
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
    flow_set_timer(s, f, TIMER_PEER, t_ps + (wait_ps < f->cfg->max_rto_ps ? wait_ps : f->cfg->max_rto_ps));
    net_walk(s, &f->stream[REVERSE], &p, 0);
}

static void close_peer(struct sim *s, struct flow *f, int64_t t_ps)
{
    set_peer_state(s, f, TCP_CLOSE_WAIT, t_ps);
    set_peer_state(s, f, TCP_LAST_ACK, t_ps); /* its application closes at once */
    flow_set_timer(s, f, TIMER_PEER, t_ps + rto_timeout_ps(&f->rto, f->cfg));
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
    for (;;) {
        int64_t ack_ps = f->deadline_ps[TIMER_DELAYED_ACK], peer_ps = f->deadline_ps[TIMER_PEER];
        if (ack_ps > t_ps && peer_ps > t_ps)
            return;
        if (ack_ps <= peer_ps)
            send_ack(s, f, ack_ps);
        else
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

static void note_delay_of(struct sim *s, struct flow *f, int64_t from_ps, int64_t to_ps)
{
    if (sim_phase(s, to_ps) == WITHIN)
        note_delay(&f->delay, (double)(to_ps - from_ps) / (double)PS_PER_S);
}

/* Application packets that the bytes received so far complete. */
static void note_records(struct sim *s, struct flow *f, int64_t t_ps)
{
    const struct app_cfg *app = &f->flow_cfg->app;
    uint32_t record_bytes = app->ops->record_bytes(app);
    while (f->app.bytes_received >= f->app.record_bytes + record_bytes) {
        note_delay_of(s, f, app->ops->record_time_ps(f, f->app.records), t_ps);
        f->app.records++;
        f->app.record_bytes += record_bytes;
    }
}

static void deliver_in_order(struct sim *s, struct flow *f, int64_t t_ps, uint32_t bytes)
{
    f->packets[sim_phase(s, t_ps)].bytes_in_order += bytes;
    f->app.bytes_received += bytes;
    TRACE(s, t_ps, f, TRACE_APP, NULL, 0, 0, bytes);
    if (f->flow_cfg->app.ops->record_bytes)
        note_records(s, f, t_ps);
}

static bool is_held(const struct flow *f, uint32_t segment)
{
    uint32_t i = segment & f->held_mask;
    return f->held[i >> 6] >> (i & 63) & 1;
}

/* Takes what is held from `expected` on out of the hold and delivers it. */
static void drain_held(struct sim *s, struct flow *f, int64_t t_ps)
{
    while (f->out_of_order > 0 && is_held(f, f->expected)) {
        uint32_t i = f->expected & f->held_mask;
        f->held[i >> 6] &= ~(UINT64_C(1) << (i & 63));
        f->out_of_order--;
        deliver_in_order(s, f, t_ps, flow_payload(f, f->expected));
        f->expected++;
    }
}

/* A segment that is not the next one, or while others are held: its ACK goes out at once. */
static void take_out_of_order(struct sim *s, struct flow *f, struct packet *p)
{
    if (p->seq == f->expected) {
        f->expected++;
        deliver_in_order(s, f, p->t_ps, p->payload);
        drain_held(s, f, p->t_ps);
        sack_forget(f);
    } else if (p->seq < f->expected || is_held(f, p->seq)) {
        f->packets[sim_phase(s, p->t_ps)].duplicates += p->payload > 0;
        if (f->sacks.most && p->seq > f->expected)
            sack_note(f, p->seq);
    } else if (p->seq - f->expected > f->held_mask) {
        s->status = SIM_LIMIT;
    } else {
        uint32_t i = p->seq & f->held_mask;
        f->held[i >> 6] |= UINT64_C(1) << (i & 63);
        f->out_of_order++;
        if (f->sacks.most)
            sack_note(f, p->seq);
    }
}

static void take_data(struct sim *s, struct flow *f, struct packet *p)
{
    struct packet_counts *count = &f->packets[sim_phase(s, p->t_ps)];
    if (p->payload)
        count->delivered++;
    TRACE(s, p->t_ps, f, TRACE_DELIVER, NULL, p->seq, p->seq < f->expected || (f->out_of_order && is_held(f, p->seq)),
          0);
    if (p->seq <= f->acknowledged && p->stamp_ps >= f->echo_ps)
        f->echo_ps = p->stamp_ps; /* RFC 7323 4.3 */
    if (__builtin_expect(p->seq == f->expected && f->out_of_order == 0, 1)) {
        f->expected++;
        deliver_in_order(s, f, p->t_ps, p->payload);
        if (p->seq == f->fin_segment)
            close_peer(s, f, p->t_ps);
        acknowledge_in_order(s, f, p);
    } else {
        bool may_wait = is_delayed_duplicate(f, p);
        take_out_of_order(s, f, p);
        if (may_wait) {
            acknowledge_in_order(s, f, p);
            return;
        }
        if (f->expected > f->fin_segment && f->peer_state == TCP_ESTABLISHED)
            close_peer(s, f, p->t_ps);
        send_ack(s, f, p->t_ps);
    }
}

/* SYN, the opener's pure ACKs, cross traffic, pings. */
static void take_control(struct sim *s, struct flow *f, struct packet *p)
{
    if (p->flags & PACKET_UDP) {
        struct packet_counts *count = &f->packets[sim_phase(s, p->t_ps)];
        count->delivered++;
        count->bytes_in_order += p->payload;
        TRACE(s, p->t_ps, f, TRACE_DELIVER, NULL, p->seq, 0, 0);
        TRACE(s, p->t_ps, f, TRACE_APP, NULL, 0, 0, p->payload);
        note_delay_of(s, f, p->stamp_ps, p->t_ps);
    } else if (p->flags & PACKET_PING) {
        p->flags |= PACKET_ACK;
        net_walk(s, &f->stream[REVERSE], p, 0);
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
    receiver_timers(s, f, p->t_ps);
    if (__builtin_expect(f->peer_state == TCP_SYN_RECEIVED && !(p->flags & PACKET_SYN), 0)) {
        f->deadline_ps[TIMER_PEER] = TIME_NEVER;
        set_peer_state(s, f, TCP_ESTABLISHED, p->t_ps);
    }
    if (__builtin_expect(p->flags & (PACKET_SYN | PACKET_OPEN | PACKET_UDP | PACKET_PING), 0))
        take_control(s, f, p);
    else
        take_data(s, f, p);
}
