/* segments.c - see segments.h. */
#include "segments.h"

#include "instance.h"

void segments_init(struct segment_table *t, struct segment *at, uint32_t mask)
{
    *t = (struct segment_table){
        .at = at,
        .mask = mask,
        .oldest = SEGMENT_NONE,
        .newest = SEGMENT_NONE,
        .min_rtt_ps = -1,
    };
}

/* --- in order of sending ------------------------------------------------------------------------------------------ */

static void unlink_segment(struct segment_table *t, uint32_t segment)
{
    struct segment *g = segment_at(t, segment);
    if (t->oldest == segment) /* usual */
        t->oldest = g->newer;
    else if (g->older == SEGMENT_NONE)
        return; /* not in the list */
    else
        segment_at(t, g->older)->newer = g->newer;
    if (g->newer == SEGMENT_NONE)
        t->newest = g->older;
    else
        segment_at(t, g->newer)->older = g->older;
    g->older = g->newer = SEGMENT_NONE;
}

static void append_segment(struct segment_table *t, uint32_t segment)
{
    struct segment *g = segment_at(t, segment);
    g->older = t->newest;
    g->newer = SEGMENT_NONE;
    if (t->newest == SEGMENT_NONE)
        t->oldest = segment;
    else
        segment_at(t, t->newest)->newer = segment;
    t->newest = segment;
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

void segments_note_send(struct sim *s, struct flow *f, uint32_t segment, bool is_again)
{
    struct segment_table *t = &f->segments;
    struct segment *g = segment_at(t, segment);
    if (!is_again) {
        if (f->end - f->una == 1) /* nothing else is outstanding */
            t->first_sent_ps = t->delivered_ps = s->now_ps;
        *g = (struct segment){.older = SEGMENT_NONE, .newer = SEGMENT_NONE};
    } else {
        t->copies += !(g->flags & SEGMENT_COPY_OUT);
        g->flags = (uint8_t)((g->flags & ~SEGMENT_APP_LIMITED) | SEGMENT_COPY_OUT | SEGMENT_RESENT);
        unlink_segment(t, segment);
    }
    g->sent_ps = s->now_ps;
    g->first_sent_ps = t->first_sent_ps;
    g->delivered_ps = t->delivered_ps;
    g->delivered = t->delivered;
    g->total_lost = t->total_lost;
    g->in_flight = segments_in_flight(f);
    g->flags |= t->app_limited ? SEGMENT_APP_LIMITED : 0;
    append_segment(t, segment);
}

bool segments_mark_lost(struct flow *f, uint32_t segment)
{
    struct segment_table *t = &f->segments;
    struct segment *g = segment_at(t, segment);
    if (g->flags & SEGMENT_SACKED || (g->flags & SEGMENT_LOST && !(g->flags & SEGMENT_COPY_OUT)))
        return false;
    t->lost += !(g->flags & SEGMENT_LOST);
    t->copies -= !!(g->flags & SEGMENT_COPY_OUT);
    t->total_lost++;
    g->flags = (uint8_t)((g->flags | SEGMENT_LOST) & ~SEGMENT_COPY_OUT);
    unlink_segment(t, segment);
    if (segment < t->resend_from)
        t->resend_from = segment;
    if (f->cfg->cc->on_lost)
        f->cfg->cc->on_lost(f, g);
    return true;
}

void segments_clear_lost(struct flow *f)
{
    struct segment_table *t = &f->segments;
    for (uint32_t i = f->una; t->lost > 0 && i < f->end; i++) {
        struct segment *g = segment_at(t, i);
        if (!(g->flags & SEGMENT_LOST))
            continue;
        g->flags &= (uint8_t)~SEGMENT_LOST;
        t->lost--;
    }
}

uint32_t segments_next_lost(struct flow *f)
{
    struct segment_table *t = &f->segments;
    if (t->lost == 0)
        return SEGMENT_NONE;
    for (uint32_t i = t->resend_from > f->una ? t->resend_from : f->una; i < f->end; i++)
        if ((segment_at(t, i)->flags & (SEGMENT_LOST | SEGMENT_COPY_OUT | SEGMENT_SACKED)) == SEGMENT_LOST) {
            t->resend_from = i;
            return i;
        }
    t->resend_from = f->end;
    return SEGMENT_NONE;
}

void segments_note_app_limited(struct flow *f)
{
    uint32_t mark = f->segments.delivered + segments_in_flight(f);
    f->segments.app_limited = mark ? mark : 1;
}

/* --- an ACK ------------------------------------------------------------------------------------------------------- */

void segments_begin_ack(struct flow *f, const struct packet *ack)
{
    struct ack_facts *facts = &f->facts; /* field by field: clearing all of it costs more than the rest */
    facts->first_ps = facts->last_ps = facts->sack_first_ps = facts->sack_last_ps = -1;
    facts->is_resent_acked = facts->is_original_delivered = facts->has_dsack = facts->has_latest = false;
    facts->dsack_end = 0;
    facts->highest_before = f->board.count ? f->board.highest : f->una;
    facts->echo_ps = ack->stamp_ps;
    facts->lost_before = f->segments.total_lost;
    facts->delivered_before = f->segments.delivered;
    facts->prior_una = f->una;
    facts->rate = (struct rate_sample){.prior_in_flight = segments_in_flight(f), .rtt_ps = -1};
}

static void note_span(int64_t *first_ps, int64_t *last_ps, int64_t sent_ps)
{
    if (*first_ps < 0)
        *first_ps = sent_ps;
    *last_ps = sent_ps;
}

/* A segment counts as delivered the first time that an ACK reports it. */
static void deliver(struct sim *s, struct flow *f, uint32_t segment, struct segment *g)
{
    struct segment_table *t = &f->segments;
    struct ack_facts *facts = &f->facts;
    if (!(g->flags & SEGMENT_RESENT) && segment < f->recover)
        facts->is_original_delivered = true;
    t->delivered++;
    if (!facts->has_latest || segment_is_later(g->sent_ps, segment, facts->latest_ps, facts->latest)) {
        facts->has_latest = true;
        facts->latest = segment;
        facts->latest_ps = g->sent_ps;
        facts->prior_delivered_ps = g->delivered_ps;
        facts->send_interval_ps = g->sent_ps - g->first_sent_ps;
        facts->rate.prior_delivered = g->delivered;
        facts->rate.is_app_limited = g->flags & SEGMENT_APP_LIMITED;
        facts->rate.tx_in_flight = g->in_flight;
        facts->rate.lost = t->total_lost - g->total_lost;
    }
    if (f->cfg->recovery->on_delivered)
        f->cfg->recovery->on_delivered(s, f, segment);
    if (g->flags & (SEGMENT_LOST | SEGMENT_COPY_OUT)) {
        t->lost -= !!(g->flags & SEGMENT_LOST);
        t->copies -= !!(g->flags & SEGMENT_COPY_OUT);
        g->flags &= (uint8_t) ~(SEGMENT_LOST | SEGMENT_COPY_OUT);
    }
    unlink_segment(t, segment);
}

static void take_block(struct sim *s, struct flow *f, uint32_t left, uint32_t right)
{
    for (uint32_t i = left; i < right; i++) {
        struct segment *g = segment_at(&f->segments, i);
        if (g->flags & SEGMENT_SACKED)
            continue;
        if (!(g->flags & SEGMENT_RESENT))
            note_span(&f->facts.sack_first_ps, &f->facts.sack_last_ps, g->sent_ps);
        deliver(s, f, i, g);
        g->flags |= SEGMENT_SACKED;
    }
}

/* RFC 2883: the first block is a DSACK when it lies below the ACK or inside the second. */
static bool is_dsack(const struct sack_block *block, uint32_t n, uint32_t ack)
{
    return block[0].right <= ack || (n > 1 && block[0].left >= block[1].left && block[0].right <= block[1].right);
}

void segments_take_report(struct sim *s, struct flow *f, const struct packet *ack)
{
    struct sack_block decoded[SACK_BLOCKS_MAX];
    const struct sack_block *block = sack_read_report(f, ack, decoded);
    uint32_t n = ack->sack_blocks, low = ack->seq > f->una ? ack->seq : f->una;
    f->facts.has_dsack = is_dsack(block, n, ack->seq);
    f->facts.dsack_end = f->facts.has_dsack ? block[0].right : 0;
    for (uint32_t i = f->facts.has_dsack; i < n; i++)
        take_block(s, f, block[i].left > low ? block[i].left : low, block[i].right);
}

void segments_take_ack(struct sim *s, struct flow *f, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        struct segment *g = segment_at(&f->segments, i);
        if (g->flags & SEGMENT_RESENT)
            f->facts.is_resent_acked = true;
        else if (!(g->flags & SEGMENT_SACKED))
            note_span(&f->facts.first_ps, &f->facts.last_ps, g->sent_ps);
        if (!(g->flags & SEGMENT_SACKED))
            deliver(s, f, i, g);
    }
}

/* The sample is not valid where nothing was delivered, or over less than the least round-trip time. */
static void sample_rate(struct sim *s, struct flow *f)
{
    struct segment_table *t = &f->segments;
    struct ack_facts *facts = &f->facts;
    struct rate_sample *rate = &facts->rate;
    t->delivered_ps = s->now_ps;
    t->first_sent_ps = facts->latest_ps;
    int64_t ack_interval_ps = s->now_ps - facts->prior_delivered_ps;
    rate->interval_ps = facts->send_interval_ps > ack_interval_ps ? facts->send_interval_ps : ack_interval_ps;
    if (rate->interval_ps >= t->min_rtt_ps && rate->interval_ps > 0)
        rate->delivered = t->delivered - rate->prior_delivered;
}

void segments_end_ack(struct sim *s, struct flow *f)
{
    struct segment_table *t = &f->segments;
    struct rate_sample *rate = &f->facts.rate;
    rate->newly_delivered = t->delivered - f->facts.delivered_before;
    rate->newly_lost = t->total_lost - f->facts.lost_before;
    rate->lost += rate->newly_lost;
    rate->is_una_advanced = f->una > f->facts.prior_una;
    rate->in_flight = segments_in_flight(f);
    if (t->app_limited && t->delivered > t->app_limited)
        t->app_limited = 0;
    if (f->facts.has_latest)
        sample_rate(s, f);
}
