/* net.c - links and streams; see net.h. */
#include "net.h"

#include "link_schedule.h"
#include "link_jitter.h"
#include "station/station.h"
#include "walk.h"

int64_t net_transmission_ps(double rate_bps, uint32_t bytes)
{
    return (int64_t)(bytes * 8.0 * (double)PS_PER_S / rate_bps + 0.5);
}

/* --- rings ---------------------------------------------------------------------------------------------------------
 */

void ring_insert(struct sim *s, struct ring *ring, const struct packet *p, int64_t t_ps)
{
    uint32_t n = ring->tail - ring->head, at = ring->tail;
    if (n > ring->mask) {
        sim_fail(s, SIM_LIMIT);
        return;
    }
    ring->tail++;
    for (; n > 0 && ring->slot[(at - 1) & ring->mask].t_ps > t_ps; at--, n--)
        ring->slot[at & ring->mask] = ring->slot[(at - 1) & ring->mask];
    ring->slot[at & ring->mask] = *p;
    ring->slot[at & ring->mask].t_ps = t_ps;
    if (n == 0)
        events_set(&s->events, ring->source, t_ps);
}

/* --- counting ---------------------------------------------------------------------------------------------------- */

void net_count_drop(struct sim *s, struct flow *f, const struct hop *hop, const struct packet *p, int64_t t_ps,
                    enum drop_cause cause)
{
    struct packet_counts *count = &f->packets[sim_phase(s, t_ps)];
    bool is_ack = p->flags & PACKET_ACK;
    if (cause == CAUSE_ERROR)
        count->drops_error++;
    else if (cause == CAUSE_RETRY)
        count->drops_retry++;
    else
        count->drops_queue++;
    if (!is_ack && p->payload > 0) {
        count->data_dropped++;
        fate_note_drop(s, f, p->seq, t_ps, cause);
    }
    TRACE(s, t_ps, f, is_ack ? TRACE_ACK_DROP : TRACE_DROP, hop, is_ack ? (int64_t)p->seq - 1 : p->seq, cause, 0);
}

int64_t net_clip(const struct sim *s, int64_t from_ps, int64_t to_ps)
{
    int64_t a = from_ps > s->from_ps ? from_ps : s->from_ps;
    int64_t b = to_ps < s->to_ps ? to_ps : s->to_ps;
    return b > a ? b - a : 0;
}

void net_meter_edge(const struct sim *s, struct hop *hop, int64_t arrival_ps, int64_t start_ps)
{
    hop->busy_ps += net_clip(s, start_ps, hop->free_ps);
    hop->waiting_ps += net_clip(s, arrival_ps, start_ps);
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
bool net_gap_over(struct sim *s, struct flow *f, struct hop *hop, const struct packet *p)
{
    if (hop->nerrors > 1 || hop->errors->ops->is_lost) {
        hop->gap = 0;
        if (!errors_hit(hop, p, p->bytes + hop->overhead_bytes))
            return false;
    } else {
        hop->errors->ops->start(hop->errors);
        hop->gap = hop->errors->gap;
    }
    net_count_drop(s, f, hop, p, p->t_ps, CAUSE_ERROR);
    return true;
}

/* --- queue -------------------------------------------------------------------------------------------------------- */

void net_mark(struct sim *s, struct flow *f, const struct hop *hop, struct packet *p, int64_t t_ps)
{
    if (p->flags & PACKET_CE || !ecn_is_capable(f, p))
        return;
    p->flags |= PACKET_CE;
    f->packets[sim_phase(s, t_ps)].marked++;
    TRACE(s, t_ps, f, TRACE_MARK, hop, p->seq, 0, 0);
}

static bool queue_admits(struct hop *hop, int64_t t_ps, int64_t start_ps, uint32_t bytes)
{
    return !hop->queue_ops || hop->queue_ops->admit(&hop->queue, t_ps, start_ps, bytes);
}

/* The same for a queue that does more than to drop what it has no room for. */
static bool managed_queue_admits(struct sim *s, struct flow *f, struct hop *hop, struct packet *p, int64_t start_ps)
{
    uint32_t bytes = p->bytes + hop->overhead_bytes;
    struct arrival arrival = {p->t_ps, hop->free_ps, net_service_ps(hop, p->bytes), bytes, ecn_is_capable(f, p)};
    enum verdict verdict = managed_arrives(hop->managed, &arrival);
    if (verdict == VERDICT_DROP || !queue_admits(hop, p->t_ps, start_ps, bytes))
        return false;
    if (!managed_waits(hop->managed, p->t_ps, start_ps, bytes))
        sim_fail(s, SIM_LIMIT);
    if (verdict == VERDICT_MARK)
        net_mark(s, f, hop, p, p->t_ps);
    return true;
}

/* Whether a packet that has just arrived is let in, if its service would begin at start_ps. */
static inline bool queue_takes(struct sim *s, struct flow *f, struct hop *hop, struct packet *p, int64_t start_ps)
{
    if (__builtin_expect(hop->managed != NULL, 0))
        return managed_queue_admits(s, f, hop, p, start_ps);
    return queue_admits(hop, p->t_ps, start_ps, p->bytes + hop->overhead_bytes);
}

/* hop_pass for a link with a schedule. While it is down arrivals are lost and the queue is held; a packet in service
 * when it goes down is lost, one already propagating is not. */
static bool hop_pass_scheduled(struct sim *s, struct flow *f, struct hop *hop, struct packet *p)
{
    const struct channel_cfg *channel = hop->channel;
    uint32_t bytes = p->bytes + hop->overhead_bytes;
    struct link_now now = {hop->rate_bps, hop->delay_ps, hop->is_up, hop->step};
    link_apply_steps(&now, channel, p->t_ps);
    hop->rate_bps = now.rate_bps, hop->delay_ps = now.delay_ps, hop->is_up = now.is_up, hop->step = now.step;
    if (!now.is_up) {
        net_count_drop(s, f, hop, p, p->t_ps, CAUSE_DOWN);
        return false;
    }
    int64_t start_ps = p->t_ps > hop->free_ps ? p->t_ps : hop->free_ps;
    int64_t end_ps = link_serve(&now, channel, &start_ps, bytes);
    if (!queue_takes(s, f, hop, p, start_ps)) {
        net_count_drop(s, f, hop, p, p->t_ps, CAUSE_QUEUE);
        return false;
    }
    if (end_ps < 0) {
        hop->free_ps = start_ps;
        net_count_drop(s, f, hop, p, start_ps, CAUSE_DOWN);
        return false;
    }
    hop->free_ps = end_ps;
    if (hop->extras & HOP_METERED)
        net_meter(s, hop, p->t_ps, start_ps);
    link_apply_steps(&now, channel, end_ps);
    p->t_ps = end_ps + now.delay_ps;
    return true;
}

/* --- one hop ------------------------------------------------------------------------------------------------------ */

int64_t net_service_ps(const struct hop *hop, uint32_t bytes)
{
    bytes += hop->overhead_bytes;
    return hop->ps_per_byte ? bytes * hop->ps_per_byte : net_transmission_ps(hop->rate_bps, bytes);
}

/* At a constant rate. */
static bool hop_pass_steady(struct sim *s, struct flow *f, struct hop *hop, struct packet *p)
{
    int64_t start_ps = p->t_ps > hop->free_ps ? p->t_ps : hop->free_ps;
    if (!queue_takes(s, f, hop, p, start_ps)) {
        net_count_drop(s, f, hop, p, p->t_ps, CAUSE_QUEUE);
        return false;
    }
    hop->free_ps = start_ps + net_service_ps(hop, p->bytes);
    if (hop->extras & HOP_METERED)
        net_meter(s, hop, p->t_ps, start_ps);
    p->t_ps = hop->free_ps + hop->delay_ps;
    return true;
}

/* A frame that takes several tries. */
static bool hop_pass_tried(struct sim *s, struct flow *f, struct hop *hop, struct packet *p)
{
    int64_t start_ps = p->t_ps > hop->free_ps ? p->t_ps : hop->free_ps;
    if (!queue_takes(s, f, hop, p, start_ps)) {
        net_count_drop(s, f, hop, p, p->t_ps, CAUSE_QUEUE);
        return false;
    }
    uint32_t tries;
    bool is_sent = arq_try(hop->arq, &tries);
    hop->free_ps = start_ps + tries * (net_service_ps(hop, p->bytes) + hop->arq->cfg->ack_time_ps);
    if (hop->extras & HOP_METERED)
        net_meter(s, hop, p->t_ps, start_ps);
    if (!is_sent) {
        net_count_drop(s, f, hop, p, hop->free_ps, CAUSE_ERROR);
        return false;
    }
    p->t_ps = hop->free_ps - hop->arq->cfg->ack_time_ps + hop->delay_ps;
    return true;
}

/* Takes a packet, sent and propagated, past the hop's error models and jitter. False: it is lost, and counted. */
static bool reaches_far_end(struct sim *s, struct flow *f, struct hop *hop, struct packet *p)
{
    if (hop->nerrors > 0) {
        hop->gap -= (p->bytes + hop->overhead_bytes) * hop->gap_per_byte + hop->gap_per_packet;
        if (hop->gap < 0 && net_gap_over(s, f, hop, p))
            return false;
    }
    if (hop->jitter)
        p->t_ps = jitter_arrival_ps(hop->jitter, p->t_ps, hop->delay_ps);
    return true;
}

/* Takes a packet from its arrival at a hop to its arrival at the far end. False: it is lost, and counted. */
static bool hop_pass(struct sim *s, struct flow *f, struct hop *hop, struct packet *p)
{
    bool is_sent = hop->channel->nsteps ? hop_pass_scheduled(s, f, hop, p)
                   : hop->arq           ? hop_pass_tried(s, f, hop, p)
                                        : hop_pass_steady(s, f, hop, p);
    return is_sent && reaches_far_end(s, f, hop, p);
}

void net_leave_station(struct sim *s, struct flow *f, struct stage *stage, struct packet *p)
{
    p->t_ps += stage->hop->delay_ps;
    if (reaches_far_end(s, f, stage->hop, p))
        net_walk_on(s, f, stage->next, p, p->t_ps, p->bytes == stage->run.usual_bytes);
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

/* The hops of a run behind its first as they are after a packet that took the short way. */
static void work_out_run(struct stage *first)
{
    int64_t t_ps = first->run.last_ps + first->hop->delay_ps;
    for (uint32_t i = 1; i <= first->run.length; i++) {
        first[i].hop->free_ps = t_ps + first[i].run.service_ps;
        t_ps = first[i].hop->free_ps + first[i].hop->delay_ps;
    }
    first->run.last_ps = -1;
}

bool net_run_slowly(struct sim *s, struct flow *f, struct stage *stage, struct packet *p)
{
    struct run *run = &stage->run;
    bool is_large = p->bytes > run->usual_bytes, has_waited = false;
    if (__builtin_expect(stage->hop->station != NULL, 0)) {
        station_take(s, f, stage, p);
        return false;
    }
    if (run->last_ps >= 0)
        work_out_run(stage);
    if (is_large)
        run->is_short = false; /* those behind may have to wait for it */
    for (uint32_t i = 0; i <= run->length; i++) {
        has_waited |= i > 0 && stage[i].hop->free_ps > p->t_ps;
        if (!hop_pass(s, f, stage[i].hop, p))
            return false;
    }
    if (run->length > 0 && !is_large && !has_waited)
        run->is_short = true;
    if (__builtin_expect(stage->hop->managed == NULL, 1))
        return true;
    net_walk_on(s, f, stage->next, p, p->t_ps, p->bytes == run->usual_bytes); /* with its new flags */
    return false;
}

void net_end_short_way(struct stage *stage, int64_t before_ps)
{
    struct run *run = &stage->run;
    int64_t t_ps = run->last_ps + stage->hop->delay_ps;
    run->last_ps = before_ps;
    if (before_ps >= 0)
        work_out_run(stage);
    for (uint32_t i = 1; stage[i - 1].hop != run->errors; i++) {
        stage[i].hop->free_ps = t_ps + stage[i].run.service_ps;
        t_ps = stage[i].hop->free_ps + stage[i].hop->delay_ps;
    }
}

struct stage *net_walk_further(struct sim *s, struct flow *f, struct stage *stage, struct packet *p)
{
    for (; stage->is_walked; stage = stage->next)
        if (!net_run_pass(s, f, stage, p, &p->t_ps, p->bytes == stage->run.usual_bytes))
            return NULL;
    return stage;
}

void net_walk(struct sim *s, struct flow *f, const struct packet *p)
{
    net_walk_out(s, f, p, p->bytes == f->stream[FORWARD].stage->run.usual_bytes);
}
