/* tcp.c - the sending end: ACK clocking, timers, opening and closing (RFC 9293, 5681, 6298).
 *
 * What happens on duplicate and partial ACKs is the recovery scheme's (recovery/), how the window grows the congestion
 * control's (cc/), what there is to send the application's (app/).
 */
#include "tcp.h"

#include "dgc.h"
#include "pacing.h"
#include "sender.h"

static const int64_t SYN_TIMEOUT_RTO_PS = 3 * PS_PER_S; /* RFC 6298 5.7 */

/* --- state with something to count ----------------------------------------------------------------------------------
 */

void tcp_flush_integrals(struct sim *s, struct flow *f, int64_t t_ps)
{
    (void)s;
    f->count.cwnd_time += f->cwnd * (double)(t_ps - f->cwnd_since_ps);
    f->cwnd_since_ps = t_ps;
    f->count.mode_ps[f->mode] += t_ps - f->mode_since_ps;
    f->mode_since_ps = t_ps;
}

void tcp_set_ssthresh(struct sim *s, struct flow *f, double ssthresh)
{
    f->ssthresh = ssthresh;
    TRACE(s, s->now_ps, f, TRACE_SSTHRESH, NULL, 0, 0, ssthresh);
}

void tcp_set_mode(struct sim *s, struct flow *f, enum mode mode)
{
    if (mode == MODE_RECOVERY && f->mode != mode && f->cfg->cc->is_random)
        tcp_classify_loss(s, f, f->una, !f->cfg->cc->is_random(s, f));
    f->count.mode_ps[f->mode] += s->now_ps - f->mode_since_ps;
    f->mode_since_ps = s->now_ps;
    f->mode = mode;
    f->is_special = mode != MODE_OPEN || f->sees_every_ack;
}

void tcp_leave_recovery(struct sim *s, struct flow *f)
{
    tcp_set_mode(s, f, MODE_OPEN);
    if (f->cfg->cc->on_recovery_exit)
        f->cfg->cc->on_recovery_exit(s, f);
}

static void set_state(struct sim *s, struct flow *f, enum tcp_state state)
{
    f->state = state;
    TRACE(s, s->now_ps, f, TRACE_STATE, NULL, state, -1, 0);
}

/* --- the retransmission timer ------------------------------------------------------------------------------------- */

static void arm_rto(struct sim *s, struct flow *f)
{
    if (f->rto.is_linux || f->rto.heartbeat_ps > 0)
        flow_set_timer(s, f, TIMER_RTO, rto_fires_ps(&f->rto, s->now_ps, rto_timeout_ps(&f->rto)));
    else
        start_rto(s, f);
}

void tcp_restart_rto(struct sim *s, struct flow *f)
{
    if (f->una < f->end)
        arm_rto(s, f);
    else
        f->deadline_ps[TIMER_RTO] = TIME_NEVER;
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

static uint32_t transmission_number(struct flow *f, uint32_t segment, bool is_again)
{
    if (!f->transmissions)
        return is_again ? 2 : 1;
    uint8_t *n = &f->transmissions[segment & f->transmission_mask];
    *n = is_again ? *n + (*n < UINT8_MAX) : 1;
    return *n;
}

void tcp_send_segment(struct sim *s, struct flow *f, uint32_t segment)
{
    bool is_again = segment < f->end, was_idle = f->una == f->end;
    if (was_idle && f->cfg->cc->on_restart)
        f->cfg->cc->on_restart(s, f);
    uint32_t payload = flow_payload(f, segment);
    struct packet p = {
        .t_ps = s->now_ps,
        .stamp_ps = s->now_ps,
        .seq = segment,
        .payload = payload,
        .transmission = transmission_number(f, segment, is_again),
        .bytes = (uint16_t)(f->data_header_bytes + payload),
        .flags = segment == f->fin_segment ? PACKET_FIN : 0,
    };
    if (is_again) {
        f->count.retransmitted += payload > 0;
        if (segment >= f->high_retransmitted)
            f->high_retransmitted = segment + 1;
    } else {
        f->end = segment + 1;
        if (f->ecn.owes_cwr)
            ecn_say_reduced(f, &p);
        if (!f->timing.is_running)
            f->timing = (struct rtt_timing){true, segment, s->now_ps};
    }
    if (f->fates)
        fate_note_send(f, segment, is_again);
    if (f->sent_ps)
        f->sent_ps[segment & f->transmission_mask] = s->now_ps;
    if (f->segments.at)
        segments_note_send(s, f, segment, is_again);
    f->count.sent += payload > 0;
    f->count.payload_bytes += payload;
    f->last_sent_ps = s->now_ps;
    if (f->is_paced)
        pacing_note_sent(s, f, payload);
    TRACE(s, s->now_ps, f, TRACE_SEND, NULL, segment, is_again, 0);
    if (was_idle || f->deadline_ps[TIMER_RTO] == TIME_NEVER)
        arm_rto(s, f);
    net_walk(s, f, &p);
}

static uint32_t bytes_between(const struct flow *f, uint32_t from, uint32_t to)
{
    return f->offset[to & f->offset_mask] - f->offset[from & f->offset_mask];
}

bool tcp_has_data(struct sim *s, struct flow *f)
{
    if (f->next < f->available)
        return true;
    if (!f->is_closed)
        f->flow_cfg->app.ops->on_starved(s, f);
    if (f->next < f->available)
        return true;
    if (!f->is_closed || !f->cfg->fin || f->fin_segment != UINT32_MAX || f->next != f->end)
        return false;
    f->fin_segment = f->available;
    f->takes_usual_ack = false;
    tcp_cut_segment(s, f, 0);
    set_state(s, f, TCP_FIN_WAIT_1);
    return true;
}

/* Bytes count where segments differ: the receive window always, cwnd where it grows by bytes. */
static bool bytes_allow(const struct flow *f, uint64_t window_bytes, double cwnd)
{
    uint64_t bytes = bytes_between(f, f->una, f->next + 1);
    if (bytes > window_bytes)
        return false;
    if (flow_counts_bytes(f))
        return (double)bytes <= cwnd * f->mss || f->next == f->una;
    return f->next - f->una < (uint32_t)cwnd;
}

static uint64_t window_bytes(const struct flow *f)
{
    uint64_t buffer = f->cfg->send_buffer_bytes;
    uint64_t window = f->has_window ? (uint64_t)f->window * f->full_payload : f->cfg->receive_window_bytes;
    return buffer && buffer < window ? buffer : window;
}

bool tcp_can_send_new(struct sim *s, struct flow *f)
{
    if (!tcp_has_data(s, f))
        return false;
    return f->is_uniform ? f->next < f->una + f->window : bytes_between(f, f->una, f->next + 1) <= window_bytes(f);
}

static void send_window_mixed(struct sim *s, struct flow *f)
{
    uint64_t limit_bytes = window_bytes(f);
    f->is_cwnd_limited = false;
    while (tcp_has_data(s, f)) {
        if (!bytes_allow(f, limit_bytes, f->cwnd + f->inflation)) {
            f->is_cwnd_limited = bytes_between(f, f->una, f->next + 1) <= limit_bytes;
            return;
        }
        if (!tcp_pacing_allows(s, f)) {
            f->is_cwnd_limited = true;
            return;
        }
        tcp_send_segment(s, f, f->next++);
    }
}

bool tcp_window_allows(struct sim *s, struct flow *f)
{
    double window = f->cwnd + f->inflation;
    if (!tcp_has_data(s, f))
        return false;
    return f->is_uniform ? tcp_can_send_new(s, f) && f->next < f->una + (uint32_t)window
                         : bytes_allow(f, window_bytes(f), window);
}

void tcp_send_window(struct sim *s, struct flow *f)
{
    if (!f->is_uniform) {
        send_window_mixed(s, f);
        return;
    }
    send_window(s, f, f->is_plain_sender && f->fin_segment == UINT32_MAX);
    if (f->deadline_ps[TIMER_RTO] == TIME_NEVER)
        tcp_restart_rto(s, f);
}

static void send_allowed(struct sim *s, struct flow *f)
{
    if (f->is_paced && f->mode == MODE_OPEN && pacing_is_waiting(s, f))
        return;
    if (f->is_special && f->cfg->recovery->send)
        f->cfg->recovery->send(s, f);
    else
        tcp_send_window(s, f);
}

/* RFC 5681 4.1: nothing sent for more than one RTO: the window restarts. */
static void restart_after_idle(struct sim *s, struct flow *f)
{
    if (f->cfg->idle_restart && !f->cfg->cc->control && f->una == f->end && f->end > 0 &&
        s->now_ps - f->last_sent_ps > rto_timeout_ps(&f->rto) && f->cwnd > f->cfg->initial_window_segs)
        tcp_set_cwnd(s, f, f->cfg->initial_window_segs);
}

void tcp_push(struct sim *s, struct flow *f)
{
    restart_after_idle(s, f);
    send_allowed(s, f);
}

void tcp_limited_transmit(struct sim *s, struct flow *f)
{
    if (!f->cfg->limited_transmit || !tcp_can_send_new(s, f))
        return;
    if (f->next - f->una >= (uint32_t)f->cwnd + f->duplicate_acks)
        return;
    f->limited_sent++;
    tcp_send_segment(s, f, f->next++);
}

void tcp_cut_segment(struct sim *s, struct flow *f, uint32_t bytes)
{
    (void)s;
    if (!f->is_uniform)
        f->offset[(f->available + 1) & f->offset_mask] = f->offset[f->available & f->offset_mask] + bytes;
    f->available++;
}

/* --- windows ------------------------------------------------------------------------------------------------------ */

uint32_t tcp_flight_size(const struct flow *f)
{
    if (f->cfg->dgc && flow_counts_bytes(f))
        return bytes_between(f, f->una, f->next) / f->mss;
    return f->next - f->una - f->limited_sent;
}

void tcp_grow(struct sim *s, struct flow *f, double acked)
{
    if (f->may_grow)
        f->on_ack(s, f, acked);
}

double tcp_reduce(struct sim *s, struct flow *f)
{
    f->prior_cwnd = f->cwnd;
    f->prior_ssthresh = f->ssthresh;
    double half = f->cfg->cc->ssthresh(s, f);
    double ssthresh = f->cfg->ssthresh_whole ? (double)(uint32_t)half : half;
    tcp_set_ssthresh(s, f, ssthresh > 2 ? ssthresh : 2);
    if (!f->cfg->ns2_rules)
        return f->ssthresh;
    return half > 1 ? half : 1;
}

bool tcp_may_fast_retransmit(const struct flow *f)
{
    if (f->cfg->ns2_rules && f->una == 1)
        return true; /* ns-2 bugfix_ss_: segment 1 always may */
    return f->cfg->multiple_fast_retransmit || !f->has_recover || f->una > f->recover;
}

void tcp_note_fast_retransmit(struct sim *s, struct flow *f)
{
    f->count.fast_retransmits++;
    f->recover = f->end;
    f->has_recover = true;
    f->timing.is_running = false;
    TRACE(s, s->now_ps, f, TRACE_FAST_RETRANSMIT, NULL, f->una, 0, 0);
    if (f->cfg->restart_rto_on_retransmit)
        arm_rto(s, f);
}

/* --- ACKs --------------------------------------------------------------------------------------------------------- */

static void send_open_ack(struct sim *s, struct flow *f)
{
    struct packet p = {
        .t_ps = s->now_ps,
        .stamp_ps = s->now_ps,
        .seq = f->una,
        .bytes = (uint16_t)f->ack_bytes,
        .transmission = 1,
        .flags = PACKET_OPEN,
    };
    net_walk(s, f, &p);
}

static void establish(struct sim *s, struct flow *f)
{
    f->deadline_ps[TIMER_RTO] = TIME_NEVER;
    set_state(s, f, TCP_ESTABLISHED);
    double window = f->syn_transmissions > f->cfg->iw_syn_losses ? 1 : f->cfg->initial_window_segs; /* RFC 5681 3.1 */
    f->cwnd_since_ps = f->mode_since_ps = s->now_ps;
    tcp_set_cwnd(s, f, window);
    tcp_set_ssthresh(s, f, f->cfg->initial_ssthresh_segs);
    if (f->cfg->cc->start)
        f->cfg->cc->start(s, f);
    f->flow_cfg->app.ops->on_open(s, f);
    send_allowed(s, f);
}

static void on_syn_ack(struct sim *s, struct flow *f, const struct packet *ack)
{
    if (f->state != TCP_SYN_SENT) {
        send_open_ack(s, f); /* ours was lost */
        return;
    }
    f->rto.backoff = 1;
    if (f->syn_transmissions == 1 || (f->rto.is_linux && f->cfg->timestamps))
        tcp_take_sample(s, f, ack->stamp_ps);
    else if (f->rto.base_ps < SYN_TIMEOUT_RTO_PS)
        f->rto.base_ps = SYN_TIMEOUT_RTO_PS;
    if (f->segments.at && f->syn_transmissions == 1)
        f->segments.min_rtt_ps = s->now_ps - ack->stamp_ps;
    send_open_ack(s, f);
    establish(s, f);
}

/* The peer's FIN, which comes on its ACKs from then on. */
static void on_fin(struct sim *s, struct flow *f)
{
    bool is_ours_acknowledged = f->una > f->fin_segment;
    if (f->state == TCP_FIN_WAIT_1)
        set_state(s, f, is_ours_acknowledged ? TCP_TIME_WAIT : TCP_CLOSING);
    else if (f->state == TCP_FIN_WAIT_2 || (f->state == TCP_CLOSING && is_ours_acknowledged))
        set_state(s, f, TCP_TIME_WAIT);
    send_open_ack(s, f);
}

static void on_ping_reply(struct sim *s, struct flow *f, const struct packet *p)
{
    int64_t rtt_ps = s->now_ps - p->stamp_ps;
    struct packet_counts *count = &f->packets[sim_phase(s, s->now_ps)];
    count->delivered++;
    count->bytes_in_order += p->payload;
    note_rtt(f, rtt_ps);
    receiver_note_delay(s, f, p->stamp_ps, s->now_ps);
    TRACE(s, s->now_ps, f, TRACE_RTT, NULL, p->seq, 0, (double)rtt_ps / (double)PS_PER_S);
}

static double acked_segments(const struct flow *f, uint32_t from, uint32_t to)
{
    if (f->is_uniform || !flow_counts_bytes(f))
        return to - from;
    return bytes_between(f, from, to) / (double)f->mss;
}

static void take_new_ack(struct sim *s, struct flow *f, const struct packet *ack)
{
    uint32_t acked = advance_una(f, ack->seq);
    if (f->segments.at) {
        segments_take_ack(s, f, f->una - acked, f->una);
        tcp_note_last_rtt(s, f);
    }
    if (f->board.count)
        sack_advance(f, f->una - acked, f->una);
    tcp_sample_rtt(s, f, ack);
    if (f->has_echoes)
        ecn_take_echoes(s, f, ack, acked);
    if (f->on_rtt)
        f->on_rtt(s, f, acked, tcp_ack_rtt(s, f, ack));
    if (f->is_special) {
        f->cfg->recovery->on_new_ack(s, f, acked);
    } else {
        f->duplicate_acks = 0;
        tcp_restart_rto(s, f);
        tcp_grow(s, f, acked_segments(f, f->una - acked, f->una));
    }
}

static void on_new_ack(struct sim *s, struct flow *f, const struct packet *ack)
{
    if (f->cfg->recovery->take_ack)
        f->cfg->recovery->take_ack(s, f, ack);
    else
        take_new_ack(s, f, ack);
    if (f->flow_cfg->app.ops->on_acknowledged)
        f->flow_cfg->app.ops->on_acknowledged(s, f);
    if (f->cfg->dgc)
        dgc_note_window(s, f);
    send_allowed(s, f);
    if (f->una > f->fin_segment && f->state == TCP_FIN_WAIT_1 && !(ack->flags & PACKET_FIN))
        set_state(s, f, TCP_FIN_WAIT_2);
}

static void on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    if (f->has_echoes)
        ecn_take_echoes(s, f, ack, 0);
    if (f->segments.at && f->newly_sacked) {
        tcp_note_last_rtt(s, f);
        if (f->cfg->segment_rtt)
            tcp_sample_by_segment(s, f);
    }
    if (f->cfg->dgc)
        dgc_note_trouble(s, f);
    if (f->cfg->cc->on_duplicate)
        f->cfg->cc->on_duplicate(s, f);
    if (f->cfg->recovery->take_ack) {
        f->cfg->recovery->take_ack(s, f, ack);
        send_allowed(s, f);
    } else {
        f->cfg->recovery->on_duplicate(s, f, ack);
    }
}

/* Whether the next ACK may be a usual one (sender.h). */
static void note_usual(struct flow *f)
{
    f->takes_usual_ack = f->may_take_usual_ack && !f->is_special && f->board.count == 0 && f->fin_segment == UINT32_MAX;
}

void tcp_on_any_ack(struct sim *s, struct flow *f, const struct packet *ack)
{
    if (ack->flags & (PACKET_SYN | PACKET_PING)) {
        if (ack->flags & PACKET_PING)
            on_ping_reply(s, f, ack);
        else
            on_syn_ack(s, f, ack);
        return;
    }
    TRACE(s, s->now_ps, f, TRACE_ACK, NULL, (int64_t)ack->seq - 1, ack->sack_blocks,
          (double)ack->stamp_ps / (double)PS_PER_S);
    f->newly_sacked = 0;
    if (f->segments.at)
        segments_begin_ack(f, ack);
    if (ack->sack_blocks) {
        if (f->segments.at)
            segments_take_report(s, f, ack);
        f->newly_sacked = sack_mark(f, ack);
        f->is_special = true; /* the scheme sees to its board */
    }
    if (ack->seq > f->una)
        on_new_ack(s, f, ack);
    else if (ack->seq == f->una && f->una < f->end && !(ack->flags & PACKET_FIN))
        on_duplicate(s, f, ack);
    if (ack->flags & PACKET_FIN)
        on_fin(s, f);
    note_usual(f);
}

/* --- timeouts ----------------------------------------------------------------------------------------------------- */

static enum timeout_cause timeout_cause(const struct flow *f)
{
    if (f->una < f->high_retransmitted)
        return TIMEOUT_LOST_RETRANSMISSION;
    return f->end - f->una <= f->cfg->dupack_threshold ? TIMEOUT_TAIL : TIMEOUT_OTHER;
}

void tcp_note_timeout(struct sim *s, struct flow *f)
{
    TRACE(s, s->now_ps, f, TRACE_TIMEOUT, NULL, f->una, 0, 0);
    f->count.timeouts[timeout_cause(f)]++;
    if (f->rto.backoff > 1)
        return;
    f->count.first_rto_n++;
    f->count.first_rto_sum_s += (double)rto_timeout_ps(&f->rto) / (double)PS_PER_S;
}

void tcp_back_off(struct sim *s, struct flow *f)
{
    rto_back_off(&f->rto, f->cfg);
    TRACE(s, s->now_ps, f, TRACE_BACKOFF, NULL, f->rto.backoff, 0, 0);
}

/* RFC 5681 3.1: a repeated timeout of the same segment keeps ssthresh; ns-2 reduces again. Linux: so does a timeout in
 * a window for which fast recovery has reduced it. */
static bool reduces_at_timeout(const struct flow *f, bool is_repeated)
{
    if (f->segments.at && f->mode == MODE_RECOVERY)
        return f->una >= f->recover;
    return !is_repeated || f->cfg->ns2_rules;
}

static void on_timeout(struct sim *s, struct flow *f)
{
    tcp_note_timeout(s, f);
    bool is_repeated = f->has_timed_out && f->timeout_una == f->una;
    if (f->cfg->dgc)
        dgc_note_trouble(s, f);
    f->mode_before_timeout = f->mode;
    if (reduces_at_timeout(f, is_repeated))
        tcp_reduce(s, f);
    f->has_timed_out = true;
    f->timeout_una = f->una;
    f->recover = f->end;
    f->has_recover = true;
    f->inflation = 0;
    f->limited_sent = 0;
    f->slow_start_after_rto = true;
    f->timing.is_running = false;
    tcp_set_mode(s, f, MODE_LOSS);
    if (f->cfg->cc->on_timeout)
        f->cfg->cc->on_timeout(s, f);
    tcp_set_cwnd(s, f, 1);
    tcp_back_off(s, f);
    f->cfg->recovery->on_timeout(s, f);
    arm_rto(s, f);
    send_allowed(s, f);
}

static void send_syn(struct sim *s, struct flow *f)
{
    struct packet p = {
        .t_ps = s->now_ps,
        .stamp_ps = s->now_ps,
        .bytes = (uint16_t)f->ack_bytes,
        .transmission = ++f->syn_transmissions,
        .flags = PACKET_SYN,
    };
    arm_rto(s, f);
    net_walk(s, f, &p);
}

static void on_rto(struct sim *s, struct flow *f)
{
    f->deadline_ps[TIMER_RTO] = TIME_NEVER;
    if (f->state == TCP_SYN_SENT) {
        rto_back_off(&f->rto, f->cfg);
        send_syn(s, f);
    } else if (f->una < f->end && !(f->cfg->recovery->on_timer && f->cfg->recovery->on_timer(s, f))) {
        on_timeout(s, f);
    }
}

void tcp_on_timer(struct sim *s, struct flow *f)
{
    s->now_ps = f->timer_ps;
    f->timer_ps = TIME_NEVER; /* whoever sets one meanwhile tells the tree */
    if (!f->is_started) {
        tcp_open(s, f);
    } else {
        receiver_timers(s, f, s->now_ps);
        if (f->deadline_ps[TIMER_RTO] <= s->now_ps)
            on_rto(s, f);
        if (f->deadline_ps[TIMER_PACE] <= s->now_ps) {
            f->deadline_ps[TIMER_PACE] = TIME_NEVER;
            send_allowed(s, f);
        }
        if (f->deadline_ps[TIMER_APP] <= s->now_ps) {
            f->deadline_ps[TIMER_APP] = TIME_NEVER;
            f->flow_cfg->app.ops->on_timer(s, f);
        }
    }
    int64_t next_ps = f->deadline_ps[0];
    for (int i = 1; i < TIMERS; i++)
        if (f->deadline_ps[i] < next_ps)
            next_ps = f->deadline_ps[i];
    f->timer_ps = next_ps;
    sim_set_timer(s, f->id, next_ps);
    note_usual(f);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

void tcp_send_datagram(struct sim *s, struct flow *f, uint8_t flags, uint32_t number, uint32_t payload)
{
    struct packet p = {
        .t_ps = s->now_ps,
        .stamp_ps = s->now_ps,
        .seq = number,
        .payload = payload,
        .transmission = 1,
        .bytes = (uint16_t)(payload + f->data_header_bytes),
        .flags = flags,
    };
    f->end++;
    f->count.sent++;
    f->count.payload_bytes += payload;
    TRACE(s, s->now_ps, f, TRACE_SEND, NULL, number, 0, 0);
    net_walk(s, f, &p);
}

void tcp_connect(struct sim *s, struct flow *f)
{
    if (f->cfg->handshake) {
        set_state(s, f, TCP_SYN_SENT);
        send_syn(s, f);
    } else {
        f->peer_state = TCP_ESTABLISHED;
        establish(s, f);
    }
}

void tcp_open(struct sim *s, struct flow *f)
{
    f->is_started = true;
    f->deadline_ps[TIMER_APP] = TIME_NEVER;
    f->app.start_ps = f->active_from_ps = s->now_ps;
    f->cwnd_since_ps = f->mode_since_ps = s->now_ps;
    if (f->flow_cfg->app.ops->on_start)
        f->flow_cfg->app.ops->on_start(s, f);
    else if (f->flow_cfg->app.ops->transport != TRANSPORT_TCP)
        f->flow_cfg->app.ops->on_open(s, f);
    else
        tcp_connect(s, f);
}
