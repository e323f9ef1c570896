/* tcp.h - the sending end of a flow, and the services that recovery schemes and applications build on. */
#ifndef KERNELS_TCP_H
#define KERNELS_TCP_H

#include "instance.h"

/* --- events ------------------------------------------------------------------------------------------------------ */

/* The flow's start time has come: opens the connection (or starts the source of cross traffic). */
void tcp_open(struct sim *s, struct flow *f);
/* Some deadline of the flow may have come. */
void tcp_on_timer(struct sim *s, struct flow *f);

/* --- for recovery schemes ----------------------------------------------------------------------------------------- */

/* Sends (again) one segment now. */
void tcp_send_segment(struct sim *s, struct flow *f, uint32_t segment);
/* Sends from f->next on while the window and the application allow. */
void tcp_send_window(struct sim *s, struct flow *f);
/* Whether there is something to send at f->next: asks the application for more, and closes the stream once it has no
 * more. */
bool tcp_has_data(struct sim *s, struct flow *f);
/* One segment at f->next may be sent now as far as application and receive window go (not cwnd). */
bool tcp_can_send_new(struct sim *s, struct flow *f);
/* One segment at f->next may be sent now, by cwnd with its inflation too. */
bool tcp_window_allows(struct sim *s, struct flow *f);
/* Limited transmit (RFC 3042) on a duplicate ACK below the threshold. */
void tcp_limited_transmit(struct sim *s, struct flow *f);

static inline void tcp_set_cwnd(struct sim *s, struct flow *f, double cwnd)
{
    f->count.cwnd_time += f->cwnd * (double)(s->now_ps - f->cwnd_since_ps);
    f->cwnd_since_ps = s->now_ps;
    f->cwnd = cwnd;
    TRACE(s, s->now_ps, f, TRACE_CWND, NULL, 0, 0, cwnd);
}

void tcp_set_ssthresh(struct sim *s, struct flow *f, double ssthresh);
/* Lets congestion control grow cwnd for `acked` segments, where the dialect allows it. */
void tcp_grow(struct sim *s, struct flow *f, double acked);
/* ssthresh after a loss by the flow's congestion control, and the window that it leaves. */
double tcp_reduce(struct sim *s, struct flow *f);
/* Segments in flight as RFC 5681 counts them, those of limited transmit left out. */
uint32_t tcp_flight_size(const struct flow *f);
/* Fast retransmit is (not) barred because una has not passed what was outstanding at the last reduction. */
bool tcp_may_fast_retransmit(const struct flow *f);

void tcp_set_mode(struct sim *s, struct flow *f, enum mode mode);
/* Fast recovery is over, cwnd has its value after it: back to MODE_OPEN, and congestion control is told. */
void tcp_leave_recovery(struct sim *s, struct flow *f);
/* Restarts the retransmission timer, or stops it when nothing is outstanding. */
void tcp_restart_rto(struct sim *s, struct flow *f);
/* Takes the RTT sample of what was sent at sent_ps. */
void tcp_take_sample(struct sim *s, struct flow *f, int64_t sent_ps);
/* Takes that of an ACK that advanced una, by the flow's rules. */
void tcp_sample_rtt(struct sim *s, struct flow *f, const struct packet *ack);
void tcp_reset_backoff(struct sim *s, struct flow *f);
void tcp_back_off(struct sim *s, struct flow *f);
/* The retransmission timer has expired: counts it. */
void tcp_note_timeout(struct sim *s, struct flow *f);
/* Gives up the segment being timed, and ends the backoff as its sample would. */
void tcp_end_timing(struct sim *s, struct flow *f);
/* A sample by the send time of the first segment newly acknowledged in order, else newly SACKed, that was never sent
 * again; else by the timestamp (Linux). For flows with segment records. */
void tcp_sample_by_segment(struct sim *s, struct flow *f);
/* Notes in f->facts the RTT of the segment (S)ACKed last that was never sent again; it enters the least one. */
void tcp_note_last_rtt(const struct sim *s, struct flow *f);
/* RTT of the segment acknowledged last, ps; without one (Karn) -1. */
int64_t tcp_ack_rtt(struct sim *s, struct flow *f, const struct packet *ack);
/* The first step of every fast retransmit: counts it, stops timing, remembers what is outstanding. */
void tcp_note_fast_retransmit(struct sim *s, struct flow *f);

/* Opens the connection of a flow that has none. */
void tcp_connect(struct sim *s, struct flow *f);

/* --- for applications ----------------------------------------------------------------------------------------------
 */

/* Opens another connection on a flow all of whose data is acknowledged: nothing but its segment numbers goes on. */
void tcp_reopen(struct sim *s, struct flow *f);
/* More data may be there: sends what may be sent. */
void tcp_push(struct sim *s, struct flow *f);
/* Appends a segment of `bytes` to what is available (flows with segments of different size). */
void tcp_cut_segment(struct sim *s, struct flow *f, uint32_t bytes);
/* Nagle (RFC 9293 3.7.4): a segment of `bytes` that is not full waits while anything is unacknowledged. */
static inline bool tcp_nagle_waits(const struct flow *f, uint32_t bytes)
{
    return f->cfg->nagle && bytes < f->mss && f->una < f->end;
}

/* A packet without TCP: cross traffic or ping. */
void tcp_send_datagram(struct sim *s, struct flow *f, uint8_t flags, uint32_t number, uint32_t payload);
/* Adds up to now what is integrated over time (cwnd, modes). */
void tcp_flush_integrals(struct sim *s, struct flow *f, int64_t t_ps);

#endif
