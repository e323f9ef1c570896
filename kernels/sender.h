/* sender.h - what nearly every ACK does at the sender, inlined into the event loop: RTT sample, growth, next segments.
 *
 * tcp.c has the rest, and uses the same steps. A usual ACK advances una while nothing is lost, in a flow of full
 * segments with timestamps that nobody watches.
 */
#ifndef KERNELS_SENDER_H
#define KERNELS_SENDER_H

#include "pacing.h"
#include "rto.h"
#include "tcp.h"
#include "walk.h"

/* --- round-trip times and the retransmission timer ---------------------------------------------------------------- */

/* Sum and histogram, which also tells how many there were. */
INLINE void note_rtt(struct flow *f, int64_t rtt_ps)
{
    double rtt = (double)rtt_ps;
    f->count.rtt_sum_ps += rtt;
    histogram_note(f->rtt_histogram, RTT_OCTAVES, rtt);
}

/* With timestamps every new ACK gives a sample. */
INLINE void sample_by_stamp(struct sim *s, struct flow *f, int64_t rtt_ps)
{
    rto_sample_rfc6298(&f->rto, rtt_ps);
    if (__builtin_expect(f->rto.backoff != 1, 0))
        tcp_reset_backoff(s, f);
}

INLINE void start_rto(struct sim *s, struct flow *f)
{
    flow_set_timer(s, f, TIMER_RTO, s->now_ps + rto_timeout_ps(&f->rto));
}

/* Restarts the timer, or stops it when nothing is outstanding. */
INLINE void restart_rto(struct sim *s, struct flow *f)
{
    if (__builtin_expect(f->una < f->end, 1))
        start_rto(s, f);
    else
        f->deadline_ps[TIMER_RTO] = TIME_NEVER;
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

/* A full segment for the first time. The caller sees to the timer. */
INLINE void send_full_segment(struct sim *s, struct flow *f, uint32_t segment)
{
    struct packet p = {
        .t_ps = s->now_ps,
        .stamp_ps = s->now_ps,
        .seq = segment,
        .payload = f->full_payload,
        .transmission = 1,
        .bytes = f->full_bytes,
    };
    f->next = f->end = segment + 1;
    if (!f->timing.is_running)
        f->timing = (struct rtt_timing){true, segment, s->now_ps};
    f->count.sent++;
    f->count.payload_bytes += p.payload;
    f->last_sent_ps = s->now_ps;
    net_walk_out(s, f, &p, true);
}

/* Segments of one size, from f->next on while window and application allow. is_plain: f->is_plain_sender without a FIN.
 * The caller sees to the timer. */
INLINE void send_window(struct sim *s, struct flow *f, bool is_plain)
{
    double window = f->cwnd + f->inflation;
    bool is_limited = window < f->window_real;
    uint32_t limit = f->una + (is_limited ? (uint32_t)window : f->window);
    f->is_cwnd_limited = is_limited;
    for (uint32_t next = f->next; next < limit; next++) {
        bool is_known = next < f->available;
        if (__builtin_expect(is_plain && is_known && next == f->end, 1)) {
            send_full_segment(s, f, next);
        } else if (is_known || tcp_has_data(s, f)) {
            if (!tcp_pacing_allows(s, f))
                return;
            f->next = next + 1;
            tcp_send_segment(s, f, next);
        } else {
            f->is_cwnd_limited = false;
            return;
        }
    }
}

/* --- ACKs --------------------------------------------------------------------------------------------------------- */

/* RFC 5681 and Linux: no growth while something else than cwnd limits sending. In slow start half the window in use is
 * enough (Linux tcp_is_cwnd_limited). */
INLINE bool is_window_used(const struct flow *f, uint32_t flight)
{
    if (f->grows_always)
        return true;
    if (f->cwnd < f->ssthresh)
        return f->cwnd < 2.0 * flight;
    return flight >= (uint32_t)f->cwnd || f->is_cwnd_limited;
}

/* Returns how many segments una moves. */
INLINE uint32_t advance_una(struct flow *f, uint32_t to)
{
    uint32_t acked = to - f->una;
    f->may_grow = is_window_used(f, f->next - f->una);
    f->una = to;
    if (f->next < to)
        f->next = to;
    f->limited_sent = 0;
    return acked;
}

INLINE void on_usual_ack(struct sim *s, struct flow *f, const struct packet *ack)
{
    int64_t rtt_ps = s->now_ps - ack->stamp_ps;
    note_rtt(f, rtt_ps);
    sample_by_stamp(s, f, rtt_ps);
    uint32_t acked = advance_una(f, ack->seq);
    f->duplicate_acks = 0;
    if (f->may_grow)
        f->on_ack(s, f, acked);
    send_window(s, f, true);
    restart_rto(s, f);
}

/* An ACK of any kind. */
void tcp_on_any_ack(struct sim *s, struct flow *f, const struct packet *ack);

/* The first packet in f->acks has reached the sender. */
INLINE void sender_take_ack(struct sim *s, struct flow *f)
{
    const struct packet *ack = ring_pop(s, &f->acks);
    s->now_ps = ack->t_ps;
    if (__builtin_expect(f->takes_usual_ack && ack->flags == PACKET_ACK && ack->sack_blocks == 0 && ack->seq > f->una,
                         1)) {
        on_usual_ack(s, f, ack);
    } else {
        struct packet copy = *ack; /* its slot may be needed meanwhile */
        tcp_on_any_ack(s, f, &copy);
    }
}

#endif
