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

/* Takes a packet of any size through a run hop by hop. False: it is lost, and counted; or its flags may have changed,
 * and it has gone on from there. */
bool net_run_slowly(struct sim *s, struct flow *f, struct stage *stage, struct packet *p);
/* A packet that took the short way was lost in the run: the hops behind never had it. before_ps: last_ps before it. */
void net_end_short_way(struct stage *stage, int64_t before_ps);
/* The gap of a hop's error models has run out at this packet. True: it is lost, and counted. */
bool net_gap_over(struct sim *s, struct flow *f, struct hop *hop, const struct packet *p);
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

/* Out of line only a copy of the packet goes, so that the packet itself stays in registers. */
INLINE bool net_leave_short_way(struct sim *s, struct flow *f, struct stage *stage, const struct packet *p,
                                int64_t *t_ps)
{
    struct packet copy = *p;
    copy.t_ps = *t_ps;
    bool is_through = net_run_slowly(s, f, stage, &copy);
    *t_ps = copy.t_ps;
    return is_through;
}

INLINE bool net_errors_hit(struct sim *s, struct flow *f, const struct run *run, const struct packet *p, int64_t t_ps)
{
    struct packet copy = *p;
    copy.t_ps = t_ps - run->past_errors_ps;
    return net_gap_over(s, f, run->errors, &copy);
}

/* Takes a packet from its arrival at a stage, *t_ps, to its arrival at the end of the run that begins there. False: it
 * is lost, and counted, or has gone on from there (net_run_slowly). */
INLINE bool net_run_pass(struct sim *s, struct flow *f, struct stage *stage, const struct packet *p, int64_t *t_ps,
                         bool is_usual)
{
    struct hop *hop = stage->hop;
    struct run *run = &stage->run;
    if (__builtin_expect(!is_usual || !run->is_short, 0))
        return net_leave_short_way(s, f, stage, p, t_ps);
    int64_t start_ps = *t_ps > hop->free_ps ? *t_ps : hop->free_ps, end_ps = start_ps + run->service_ps;
    if (hop->extras & HOP_TAIL && __builtin_expect(!net_tail_admits(&hop->queue, *t_ps, start_ps), 0))
        return net_leave_short_way(s, f, stage, p, t_ps);
    int64_t before_ps = run->last_ps;
    hop->free_ps = run->last_ps = end_ps;
    if (hop->extras & HOP_METERED)
        net_meter(s, hop, *t_ps, start_ps);
    *t_ps = end_ps + run->delay_ps;
    if (!run->errors)
        return true;
    run->errors->gap -= run->gap;
    if (__builtin_expect(run->errors->gap >= 0, 1) || !net_errors_hit(s, f, run, p, *t_ps))
        return true;
    net_end_short_way(stage, before_ps);
    return false;
}

/* net_walk_runs behind a packet's first run. */
struct stage *net_walk_further(struct sim *s, struct flow *f, struct stage *stage, struct packet *p);

/* From a stage on to where the packet has to wait or the stream ends: that stage, or NULL if it is lost. */
INLINE struct stage *net_walk_runs(struct sim *s, struct flow *f, struct stage *stage, const struct packet *p,
                                   int64_t *t_ps, bool is_usual)
{
    if (!stage->is_walked)
        return stage;
    if (!net_run_pass(s, f, stage, p, t_ps, is_usual))
        return NULL;
    stage = stage->next;
    if (__builtin_expect(!stage->is_walked, 1))
        return stage;
    struct packet copy = *p;
    copy.t_ps = *t_ps;
    stage = net_walk_further(s, f, stage, &copy);
    *t_ps = copy.t_ps;
    return stage;
}

/* --- receiver ----------------------------------------------------------------------------------------------------- */

/* The way back of an ACK or a reply; is_usual: one without blocks. */
INLINE void net_walk_back(struct sim *s, struct flow *f, const struct packet *p, bool is_usual)
{
    int64_t t_ps = p->t_ps;
    const struct stage *stage = net_walk_runs(s, f, f->stream[REVERSE].stage, p, &t_ps, is_usual);
    if (stage)
        ring_push(s, stage->ring, p, t_ps);
}

/* An ACK for all that has arrived in order. */
INLINE struct packet receiver_make_ack(const struct flow *f, int64_t t_ps)
{
    return (struct packet){
        .t_ps = t_ps,
        .stamp_ps = f->echo_ps,
        .seq = f->expected,
        .bytes = (uint16_t)f->ack_bytes,
        .flags = PACKET_ACK,
    };
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

/* Data packet p arrives at t_ps. The usual one is next in order with nothing held. */
INLINE void receiver_take_data(struct sim *s, struct flow *f, const struct packet *p, int64_t t_ps)
{
    bool is_usual =
        f->takes_usual && p->seq == f->expected && p->flags == 0 && f->deadline_ps[TIMER_DELAYED_ACK] > t_ps;
    if (__builtin_expect(!is_usual, 0)) {
        struct packet copy = *p;
        copy.t_ps = t_ps;
        receiver_take(s, f, &copy);
        return;
    }
    struct packet_counts *count = receiver_counts(s, f, t_ps);
    count->delivered++;
    count->bytes_in_order += p->payload;
    receiver_note_stamp(f, p);
    f->expected++;
    if (f->ack_every > 1) {
        if (++f->unacknowledged < f->ack_every) {
            receiver_delay_ack(s, f, p->seq, t_ps);
            return;
        }
        f->unacknowledged = 0;
        f->deadline_ps[TIMER_DELAYED_ACK] = TIME_NEVER;
    }
    f->acknowledged = f->expected;
    struct packet ack = receiver_make_ack(f, t_ps);
    net_walk_back(s, f, &ack, true);
}

/* The way of a packet of the forward stream from a stage on: to a ring or the receiver. */
INLINE void net_walk_on(struct sim *s, struct flow *f, struct stage *from, const struct packet *p, int64_t t_ps,
                        bool is_usual)
{
    const struct stage *end = net_walk_runs(s, f, from, p, &t_ps, is_usual);
    if (!end)
        return;
    if (end->ring)
        ring_push(s, end->ring, p, t_ps);
    else
        receiver_take_data(s, f, p, t_ps);
}

/* The way out of a packet; is_usual: a full segment. */
INLINE void net_walk_out(struct sim *s, struct flow *f, const struct packet *p, bool is_usual)
{
    net_walk_on(s, f, f->stream[FORWARD].stage, p, p->t_ps, is_usual);
}

/* A packet's time has come at a stage with a ring. */
INLINE void net_arrive(struct sim *s, struct flow *f, struct stage *stage)
{
    const struct packet *p = ring_pop(s, stage->ring);
    int64_t t_ps = s->now_ps = p->t_ps;
    bool is_usual = p->bytes == stage->run.usual_bytes;
    if (__builtin_expect(!stage->hop, 0))
        receiver_take_data(s, f, p, t_ps);
    else if (net_run_pass(s, f, stage, p, &t_ps, is_usual))
        net_walk_on(s, f, stage->next, p, t_ps, is_usual);
}

#endif
