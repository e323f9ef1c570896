/* walk.h - the walk of net.h, inlined where every packet passes: over the links, into the receiver, back with the ACK.
 *
 * Only what nearly every packet does is here; net.c and receiver.c have the rest.
 */
#ifndef KERNELS_WALK_H
#define KERNELS_WALK_H

#include "instance.h"
#include "receiver.h"

#define INLINE static inline __attribute__((always_inline))

/* --- links -------------------------------------------------------------------------------------------------------- */

/* A hop with more than a rate, a delay and a gap error model. False: the packet is lost, and counted. */
bool net_hop_pass_full(struct sim *s, struct flow *f, struct hop *hop, struct packet *p);
/* The gap of a hop's error models has run out at this packet. True: it is lost, and counted. */
bool net_gap_over(struct sim *s, struct flow *f, struct hop *hop, const struct packet *p, uint32_t bytes);
/* Adds a packet's service to the hop's busy and waiting time, where the measuring window begins or ends. */
void net_meter_edge(const struct sim *s, struct hop *hop, int64_t arrival_ps, int64_t start_ps);

INLINE void net_meter(const struct sim *s, struct hop *hop, int64_t arrival_ps, int64_t start_ps)
{
    if (__builtin_expect(arrival_ps < s->from_ps || hop->free_ps > s->to_ps, 0)) {
        net_meter_edge(s, hop, arrival_ps, start_ps);
        return;
    }
    hop->busy_ps += hop->free_ps - start_ps;
    hop->waiting_ps += start_ps - arrival_ps;
}

/* Drop-tail in packets, queue/packets.c inlined. */
INLINE bool net_tail_admits(struct queue_state *q, int64_t t_ps, int64_t start_ps)
{
    struct queue_slot *oldest = &q->slot[q->tail];
    if (__builtin_expect(oldest->start_ps > t_ps, 0))
        return false;
    oldest->start_ps = start_ps;
    q->tail = q->tail + 1 == q->slots ? 0 : q->tail + 1;
    return true;
}

/* What a hop has beyond a rate and a delay. The packet itself stays in registers: only a copy goes out of line. */
INLINE bool net_hop_extras(struct sim *s, struct flow *f, struct hop *hop, struct packet *p, int64_t service_ps)
{
    uint32_t extras = hop->extras;
    int64_t start_ps = p->t_ps > hop->free_ps ? p->t_ps : hop->free_ps;
    if (extras & HOP_FULL || (extras & HOP_TAIL && !net_tail_admits(&hop->queue, p->t_ps, start_ps))) {
        struct packet copy = *p;
        bool is_through = net_hop_pass_full(s, f, hop, &copy);
        p->t_ps = copy.t_ps;
        return is_through;
    }
    hop->free_ps = start_ps + service_ps;
    if (extras & HOP_METERED)
        net_meter(s, hop, p->t_ps, start_ps);
    p->t_ps = start_ps + service_ps + hop->delay_ps;
    if (extras & HOP_ERRORS) {
        hop->gap -= (p->bytes + hop->overhead_bytes) * hop->gap_per_byte + hop->gap_per_packet;
        if (__builtin_expect(hop->gap < 0, 0)) {
            struct packet copy = *p;
            return !net_gap_over(s, f, hop, &copy, p->bytes + hop->overhead_bytes);
        }
    }
    return true;
}

/* Takes a packet, which needs `service_ps` here, from its arrival at a hop to its arrival at the far end. */
INLINE bool net_hop_pass(struct sim *s, struct flow *f, struct hop *hop, struct packet *p, int64_t service_ps)
{
    if (__builtin_expect(hop->extras, 0))
        return net_hop_extras(s, f, hop, p, service_ps);
    int64_t start_ps = p->t_ps > hop->free_ps ? p->t_ps : hop->free_ps;
    hop->free_ps = start_ps + service_ps;
    p->t_ps = start_ps + service_ps + hop->delay_ps;
    return true;
}

INLINE int64_t net_service_ps(const struct hop *hop, const struct packet *p)
{
    return (p->bytes + hop->overhead_bytes) * hop->ps_per_byte;
}

/* net_walk_hops hop by hop, for packets of any size. */
const struct stage *net_walk_slowly(struct sim *s, struct stream *stream, struct packet *p, struct stage *stage);

/* The part of a run behind its first hop. */
INLINE bool net_run_pass(struct sim *s, struct flow *f, struct run *run, struct packet *p)
{
    run->was_usual = true;
    struct hop *hop = run->errors;
    if (hop) {
        uint32_t bytes = p->bytes + hop->overhead_bytes;
        hop->gap -= bytes * hop->gap_per_byte + hop->gap_per_packet;
        if (__builtin_expect(hop->gap < 0, 0)) {
            struct packet copy = *p;
            copy.t_ps += run->errors_ps;
            if (net_gap_over(s, f, hop, &copy, bytes))
                return false;
        }
    }
    p->t_ps += run->delay_ps;
    return true;
}

/* From a stage on to where the packet has to wait or the stream ends: that stage, or NULL if it is lost. Most packets
 * of a stream are of one size, whose service times the stages hold. */
INLINE const struct stage *net_walk_hops(struct sim *s, struct stream *stream, struct packet *p, struct stage *stage)
{
    if (__builtin_expect(p->bytes != stream->usual_bytes || stream->may_wait, 0)) {
        struct packet copy = *p;
        const struct stage *end = net_walk_slowly(s, stream, &copy, stage);
        p->t_ps = copy.t_ps;
        return end;
    }
    while (stage->walked) {
        if (!net_hop_pass(s, stream->flow, stage->walked, p, stage->usual_ps) ||
            (stage->run.length > 0 && !net_run_pass(s, stream->flow, &stage->run, p)))
            return NULL;
        stage += 1 + stage->run.length;
    }
    return stage;
}

/* --- receiver ----------------------------------------------------------------------------------------------------- */

/* The way back of an ACK or a reply. */
INLINE void net_walk_back(struct sim *s, struct flow *f, struct packet *p)
{
    const struct stage *stage = net_walk_hops(s, &f->stream[REVERSE], p, f->stream[REVERSE].stage);
    if (stage)
        ring_push(s, stage->ring, stage->source, p);
}

/* Acknowledges all that has arrived in order, now. is_plain: it is known that there is nothing else to say. */
INLINE void receiver_acknowledge(struct sim *s, struct flow *f, int64_t t_ps, bool is_plain)
{
    struct packet ack = {
        .t_ps = t_ps,
        .stamp_ps = f->echo_ps,
        .seq = f->expected,
        .bytes = (uint16_t)f->ack_bytes,
        .flags = PACKET_ACK,
    };
    f->acknowledged = f->expected;
    f->unacknowledged = 0;
    f->deadline_ps[TIMER_DELAYED_ACK] = TIME_NEVER;
    if (!is_plain && (f->sacks.count || f->peer_state == TCP_LAST_ACK))
        receiver_acknowledge_fully(s, f, ack);
    else
        net_walk_back(s, f, &ack);
}

/* The counters of the phase in which t_ps lies; arrivals come in order of time. */
INLINE struct packet_counts *receiver_counts(struct sim *s, struct flow *f, int64_t t_ps)
{
    if (__builtin_expect(t_ps > f->arrivals_until_ps, 0))
        receiver_next_phase(s, f, t_ps);
    return f->arrivals;
}

/* RFC 7323 4.3: which timestamp the next ACK echoes. */
INLINE void receiver_note_stamp(struct flow *f, const struct packet *p)
{
    if (p->seq <= f->acknowledged && p->stamp_ps >= f->echo_ps)
        f->echo_ps = p->stamp_ps;
}

/* A data packet. The usual one is next in order with nothing held, and is acknowledged at once. */
INLINE void receiver_take_data(struct sim *s, struct flow *f, struct packet *p)
{
    bool is_usual = p->seq == f->expected && f->out_of_order == 0 && p->flags == 0 &&
                    f->deadline_ps[TIMER_DELAYED_ACK] > p->t_ps && f->peer_state == TCP_ESTABLISHED && f->is_quiet;
    if (__builtin_expect(!is_usual, 0)) {
        struct packet copy = *p;
        receiver_take(s, f, &copy);
        return;
    }
    struct packet_counts *count = receiver_counts(s, f, p->t_ps);
    count->delivered++;
    count->bytes_in_order += p->payload;
    receiver_note_stamp(f, p);
    f->expected++;
    if (++f->unacknowledged >= f->ack_every)
        receiver_acknowledge(s, f, p->t_ps, true);
    else
        receiver_delay_ack(s, f, p->seq, p->t_ps);
}

/* The way out of a data packet. */
INLINE void net_walk_data(struct sim *s, struct flow *f, struct packet *p)
{
    const struct stage *stage = net_walk_hops(s, &f->stream[FORWARD], p, f->stream[FORWARD].stage);
    if (!stage)
        return;
    if (stage->ring)
        ring_push(s, stage->ring, stage->source, p);
    else
        receiver_take_data(s, f, p);
}

#endif
