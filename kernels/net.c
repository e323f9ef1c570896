/* net.c - links and streams; see net.h. */
#include "net.h"

#include "walk.h"

int64_t net_transmission_ps(double rate_bps, uint32_t bytes)
{
    return (int64_t)(bytes * 8.0 * (double)PS_PER_S / rate_bps + 0.5);
}

/* --- counting ---------------------------------------------------------------------------------------------------- */

static void count_drop(struct sim *s, struct flow *f, const struct hop *hop, const struct packet *p, int64_t t_ps,
                       enum drop_cause cause)
{
    struct packet_counts *count = &f->packets[sim_phase(s, t_ps)];
    bool is_ack = p->flags & PACKET_ACK;
    if (cause == CAUSE_ERROR)
        count->drops_error++;
    else
        count->drops_queue++;
    if (!is_ack && p->payload > 0)
        count->data_dropped++;
    TRACE(s, t_ps, f, is_ack ? TRACE_ACK_DROP : TRACE_DROP, hop, is_ack ? (int64_t)p->seq - 1 : p->seq, cause, 0);
}

/* The part of [from_ps, to_ps) that lies in the measuring window. */
static int64_t clip(const struct sim *s, int64_t from_ps, int64_t to_ps)
{
    int64_t a = from_ps > s->from_ps ? from_ps : s->from_ps;
    int64_t b = to_ps < s->to_ps ? to_ps : s->to_ps;
    return b > a ? b - a : 0;
}

void net_meter_edge(const struct sim *s, struct hop *hop, int64_t arrival_ps, int64_t start_ps)
{
    hop->busy_ps += clip(s, start_ps, hop->free_ps);
    hop->waiting_ps += clip(s, arrival_ps, start_ps);
}

/* --- error models ------------------------------------------------------------------------------------------------ */

/* All models see every packet that none before has lost. */
static bool errors_hit(struct hop *hop, const struct packet *p, uint32_t bytes)
{
    for (uint32_t i = 0; i < hop->nerrors; i++) {
        struct error_state *e = &hop->errors[i];
        if (e->ops->is_lost) {
            if (e->ops->is_lost(e, p, bytes))
                return true;
            continue;
        }
        e->gap -= bytes * e->ops->gap_per_byte + e->ops->gap_per_packet;
        if (e->gap < 0) {
            e->ops->start(e);
            return true;
        }
    }
    return false;
}

/* A lone gap model has its loss here; others judge each packet (their hop's gap is 0). */
bool net_gap_over(struct sim *s, struct flow *f, struct hop *hop, const struct packet *p, uint32_t bytes)
{
    if (hop->nerrors > 1 || hop->errors->ops->is_lost) {
        hop->gap = 0;
        if (!errors_hit(hop, p, bytes))
            return false;
    } else {
        hop->errors->ops->start(hop->errors);
        hop->gap = hop->errors->gap;
    }
    count_drop(s, f, hop, p, p->t_ps, CAUSE_ERROR);
    return true;
}

/* --- links whose rate, delay or state changes at known times -------------------------------------------------------
 */

struct link_now {
    double rate_bps;
    int64_t delay_ps;
    bool is_up;
    uint32_t step; /* next step */
};

static void apply_step(struct link_now *now, const struct channel_cfg *channel)
{
    const struct step_cfg *step = &channel->steps[now->step++];
    if (step->rate_bps > 0)
        now->rate_bps = step->rate_bps;
    if (step->delay_ps >= 0)
        now->delay_ps = step->delay_ps;
    if (step->up >= 0)
        now->is_up = step->up;
}

static void apply_steps_until(struct link_now *now, const struct channel_cfg *channel, int64_t t_ps)
{
    while (now->step < channel->nsteps && channel->steps[now->step].at_ps <= t_ps)
        apply_step(now, channel);
}

static int64_t next_step_ps(const struct link_now *now, const struct channel_cfg *channel)
{
    return now->step < channel->nsteps ? channel->steps[now->step].at_ps : TIME_NEVER;
}

/* Serves `bytes` from *start_ps on (moved past times when the link is down), integrating over rate changes. Returns the
 * end, or -1 if the link goes down meanwhile: *start_ps is then when it went down. */
static int64_t serve(struct link_now *now, const struct channel_cfg *channel, int64_t *start_ps, uint32_t bytes)
{
    apply_steps_until(now, channel, *start_ps);
    while (!now->is_up) {
        if (now->step == channel->nsteps)
            return *start_ps = TIME_NEVER;
        *start_ps = next_step_ps(now, channel);
        apply_steps_until(now, channel, *start_ps);
    }
    double bits = bytes * 8.0;
    int64_t t_ps = *start_ps;
    for (;;) {
        int64_t end_ps = t_ps + (int64_t)(bits * (double)PS_PER_S / now->rate_bps + 0.5);
        int64_t change_ps = next_step_ps(now, channel);
        if (end_ps <= change_ps)
            return end_ps;
        bits -= (double)(change_ps - t_ps) * now->rate_bps / (double)PS_PER_S;
        if (bits < 0)
            bits = 0;
        t_ps = change_ps;
        apply_steps_until(now, channel, t_ps);
        if (!now->is_up) {
            *start_ps = t_ps;
            return -1;
        }
    }
}

static bool queue_admits(struct hop *hop, int64_t t_ps, int64_t start_ps, uint32_t bytes)
{
    return !hop->queue_ops || hop->queue_ops->admit(&hop->queue, t_ps, start_ps, bytes);
}

/* hop_pass for a link with a schedule. While it is down arrivals are lost and the queue is held; a packet in service
 * when it goes down is lost, one already propagating is not. */
static bool hop_pass_scheduled(struct sim *s, struct flow *f, struct hop *hop, struct packet *p, uint32_t bytes)
{
    const struct channel_cfg *channel = hop->channel;
    struct link_now now = {hop->rate_bps, hop->delay_ps, hop->is_up, hop->step};
    apply_steps_until(&now, channel, p->t_ps);
    hop->rate_bps = now.rate_bps, hop->delay_ps = now.delay_ps, hop->is_up = now.is_up, hop->step = now.step;
    if (!now.is_up) {
        count_drop(s, f, hop, p, p->t_ps, CAUSE_DOWN);
        return false;
    }
    int64_t start_ps = p->t_ps > hop->free_ps ? p->t_ps : hop->free_ps;
    int64_t end_ps = serve(&now, channel, &start_ps, bytes);
    if (!queue_admits(hop, p->t_ps, start_ps, bytes)) {
        count_drop(s, f, hop, p, p->t_ps, CAUSE_QUEUE);
        return false;
    }
    if (end_ps < 0) {
        hop->free_ps = start_ps;
        count_drop(s, f, hop, p, start_ps, CAUSE_DOWN);
        return false;
    }
    hop->free_ps = end_ps;
    if (hop->extras & HOP_METERED)
        net_meter(s, hop, p->t_ps, start_ps);
    apply_steps_until(&now, channel, end_ps);
    p->t_ps = end_ps + now.delay_ps;
    return true;
}

/* --- one hop ------------------------------------------------------------------------------------------------------ */

/* At a constant rate. */
static bool hop_pass_steady(struct sim *s, struct flow *f, struct hop *hop, struct packet *p, uint32_t bytes)
{
    int64_t start_ps = p->t_ps > hop->free_ps ? p->t_ps : hop->free_ps;
    if (!queue_admits(hop, p->t_ps, start_ps, bytes)) {
        count_drop(s, f, hop, p, p->t_ps, CAUSE_QUEUE);
        return false;
    }
    hop->free_ps = start_ps + (hop->ps_per_byte ? bytes * hop->ps_per_byte : net_transmission_ps(hop->rate_bps, bytes));
    if (hop->extras & HOP_METERED)
        net_meter(s, hop, p->t_ps, start_ps);
    p->t_ps = hop->free_ps + hop->delay_ps;
    return true;
}

bool net_hop_pass_full(struct sim *s, struct flow *f, struct hop *hop, struct packet *p)
{
    uint32_t bytes = p->bytes + hop->overhead_bytes;
    if (hop->channel->nsteps ? !hop_pass_scheduled(s, f, hop, p, bytes) : !hop_pass_steady(s, f, hop, p, bytes))
        return false;
    if (!(hop->extras & HOP_ERRORS))
        return true;
    hop->gap -= bytes * hop->gap_per_byte + hop->gap_per_packet;
    return hop->gap >= 0 || !net_gap_over(s, f, hop, p, bytes);
}

/* The hops of a run behind its first as they are after a packet that took the short way. */
static void work_out_run(struct stage *first)
{
    int64_t t_ps = first->hop->free_ps + first->hop->delay_ps;
    for (uint32_t i = 1; i <= first->run.length; i++) {
        first[i].hop->free_ps = t_ps + first[i].usual_ps;
        t_ps = first[i].hop->free_ps + first[i].hop->delay_ps;
    }
    first->run.was_usual = false;
}

const struct stage *net_walk_slowly(struct sim *s, struct stream *stream, struct packet *p, struct stage *stage)
{
    bool has_waited = p->bytes > stream->usual_bytes;
    for (; stage->walked; stage++) {
        if (stage->run.was_usual)
            work_out_run(stage);
        has_waited |= stage->walked->free_ps > p->t_ps;
        if (!net_hop_pass(s, stream->flow, stage->walked, p, net_service_ps(stage->walked, p)))
            return NULL;
    }
    stream->may_wait = has_waited && (stream->may_wait || p->bytes > stream->usual_bytes);
    return stage;
}

/* The end of a walk: a ring, or the receiver. */
INLINE void end_walk(struct sim *s, struct stream *stream, const struct stage *stage, struct packet *p)
{
    if (!stage)
        return;
    if (stage->ring)
        ring_push(s, stage->ring, stage->source, p);
    else
        receiver_take_data(s, stream->flow, p);
}

void net_walk(struct sim *s, struct stream *stream, struct packet *p, uint32_t from)
{
    end_walk(s, stream, net_walk_hops(s, stream, p, &stream->stage[from]), p);
}

void net_arrive(struct sim *s, struct stream *stream, uint32_t at)
{
    struct stage *stage = &stream->stage[at];
    struct packet p = ring_pop(s, stage->ring, stage->source);
    s->now_ps = p.t_ps;
    if (!stage->hop)
        receiver_take_data(s, stream->flow, &p);
    else if (net_hop_pass(s, stream->flow, stage->hop, &p,
                          p.bytes == stream->usual_bytes ? stage->usual_ps : net_service_ps(stage->hop, &p)))
        end_walk(s, stream, net_walk_hops(s, stream, &p, stage + 1), &p);
}
