/* rack_tlp.c - losses found by the time of sending (RACK), and tail loss probes (TLP): RFC 8985, window by PRR.
 *
 * A segment is lost when one sent later has arrived and a reordering window has passed; this finds lost copies too. The
 * slot of the retransmission timer also serves the reordering timer and the probe. Departures, all Linux 6.1's:
 * duplicate ACKs end the wait only until reordering has been seen; the reduction after a repaired tail is made at once,
 * without fast recovery.
 */
#include "tagged.h"

#include "../rto.h"

enum { REO_PERSIST = 16, REO_MULT_MAX = 255 };

/* --- reordering window -------------------------------------------------------------------------------------------- */

static int64_t srtt_ps(const struct flow *f)
{
    if (f->rto.is_linux)
        return f->rto.srtt_8 * (PS_PER_US / 8);
    if (f->cfg->rto_estimator == RTO_NS2)
        return f->rto.srtt_8 * f->cfg->rto_granularity_ps / 8;
    return f->rto.srtt_ps;
}

/* RFC 8985 section 6.2 step 4. */
int64_t rack_reordering_window_ps(const struct flow *f, const struct tagged *t)
{
    bool is_recovering = f->mode != MODE_OPEN, has_enough = f->board.count >= f->cfg->dupack_threshold;
    if (!t->reordering_seen && (is_recovering || has_enough))
        return 0;
    int64_t least_ps = f->segments.min_rtt_ps > 0 ? f->segments.min_rtt_ps : 0;
    int64_t window_ps = least_ps / 4 * t->reo_mult, most_ps = srtt_ps(f);
    return window_ps < most_ps || !f->rto.has_sample ? window_ps : most_ps;
}

/* Duplicates reported mean that the window was too short: once a round it grows. */
static void adapt_window(const struct flow *f, struct tagged *t)
{
    if (!f->facts.has_latest)
        return;
    bool is_new_round = f->facts.rate.prior_delivered >= t->dsack_round;
    if (f->facts.has_dsack && is_new_round) {
        t->reo_mult += t->reo_mult < REO_MULT_MAX;
        t->reo_persist = REO_PERSIST;
        t->dsack_round = f->segments.delivered;
    } else if (t->reo_persist == 0) {
        t->reo_mult = 1;
    }
}

/* --- losses ------------------------------------------------------------------------------------------------------- */

/* A copy acknowledged by what its original must have caused says nothing. */
static bool is_ambiguous(const struct sim *s, const struct flow *f, uint32_t segment, const struct segment *g)
{
    if (!(g->flags & SEGMENT_RESENT))
        return false;
    bool is_echo_older = f->cfg->timestamps && segment < f->una && f->facts.echo_ps < g->sent_ps;
    return is_echo_older || s->now_ps - g->sent_ps < f->segments.min_rtt_ps;
}

static void rack_on_delivered(struct sim *s, struct flow *f, uint32_t segment)
{
    struct tagged *t = tagged_state(f);
    const struct segment *g = segment_at(&f->segments, segment);
    if (!(g->flags & SEGMENT_RESENT) && segment < f->facts.highest_before)
        t->reordering_seen = true;
    if (is_ambiguous(s, f, segment, g))
        return;
    t->rack_advanced = true;
    t->rack_rtt_ps = s->now_ps - g->sent_ps;
    if (segment_is_later(g->sent_ps, segment, t->rack_sent_ps, t->rack_segment)) {
        t->rack_sent_ps = g->sent_ps;
        t->rack_segment = segment;
    }
}

/* Time left until a segment counts as lost. */
static int64_t time_left_ps(const struct sim *s, const struct flow *f, const struct tagged *t, uint32_t segment,
                            int64_t window_ps)
{
    return segment_at(&f->segments, segment)->sent_ps + t->rack_rtt_ps + window_ps - s->now_ps;
}

/* Whether anything in flight was sent before what has been delivered. */
static bool is_any_earlier(const struct flow *f, const struct tagged *t)
{
    uint32_t oldest = f->segments.oldest;
    return oldest != SEGMENT_NONE &&
           segment_is_later(t->rack_sent_ps, t->rack_segment, segment_at(&f->segments, oldest)->sent_ps, oldest);
}

/* Marks what is overdue, in order of sending; returns how long to wait for the rest, or 0. */
static int64_t mark_overdue(struct sim *s, struct flow *f, const struct tagged *t)
{
    int64_t window_ps = rack_reordering_window_ps(f, t), wait_ps = 0;
    for (uint32_t i = f->segments.oldest; i != SEGMENT_NONE;) {
        const struct segment *g = segment_at(&f->segments, i);
        uint32_t next = g->newer;
        if (!segment_is_later(t->rack_sent_ps, t->rack_segment, g->sent_ps, i))
            break;
        int64_t left_ps = time_left_ps(s, f, t, i, window_ps);
        if (left_ps <= 0)
            segments_mark_lost(f, i);
        else if (left_ps > wait_ps)
            wait_ps = left_ps;
        i = next;
    }
    return wait_ps;
}

static bool is_fresh(struct sim *s, struct flow *f, uint32_t segment)
{
    return time_left_ps(s, f, tagged_state(f), segment, 0) > 0;
}

static void set_slot(struct sim *s, struct flow *f, struct tagged *t, enum slot slot, int64_t wait_ps)
{
    t->slot = slot;
    flow_set_timer(s, f, TIMER_RTO, rto_fires_ps(&f->rto, s->now_ps, wait_ps > 0 ? wait_ps : 0));
}

static void rack_detect(struct sim *s, struct flow *f)
{
    struct tagged *t = tagged_state(f);
    if (!t->rack_advanced)
        return;
    t->rack_advanced = false;
    if (!is_any_earlier(f, t))
        return;
    int64_t wait_ps = mark_overdue(s, f, t);
    if (wait_ps == 0)
        return;
    wait_ps += f->cfg->tagged.rack_timer_slack_ps;
    int64_t rto_ps = rto_timeout_ps(&f->rto);
    set_slot(s, f, t, SLOT_REORDER, wait_ps < rto_ps ? wait_ps : rto_ps);
    t->is_slot_taken = true;
}

/* --- the timer's slot --------------------------------------------------------------------------------------------- */

/* Time until the retransmission timer of the first segment would expire, had it been set when that was sent. */
static int64_t rto_left_ps(const struct sim *s, const struct flow *f)
{
    return segment_at(&f->segments, f->una)->sent_ps + rto_timeout_ps(&f->rto) - s->now_ps;
}

static void set_rto(struct sim *s, struct flow *f, struct tagged *t)
{
    if (f->una == f->end) {
        f->deadline_ps[TIMER_RTO] = TIME_NEVER;
        t->slot = SLOT_RTO;
        return;
    }
    set_slot(s, f, t, SLOT_RTO, t->slot == SLOT_RTO ? rto_timeout_ps(&f->rto) : rto_left_ps(s, f));
}

/* RFC 8985 section 7.2. */
int64_t rack_probe_timeout_ps(const struct recovery_params *cfg, int64_t srtt_ps, int64_t initial_rto_ps,
                              uint32_t outstanding, int64_t rto_left_ps)
{
    int64_t wait_ps = srtt_ps > 0 ? 2 * srtt_ps : initial_rto_ps;
    if (srtt_ps > 0)
        wait_ps += outstanding == 1 ? cfg->tlp_ack_delay_ps : cfg->rack_timer_slack_ps;
    return rto_left_ps > 0 && rto_left_ps < wait_ps ? rto_left_ps : wait_ps;
}

static bool may_probe(const struct flow *f)
{
    return f->cfg->tagged.tlp && f->una < f->end && f->mode == MODE_OPEN && !tagged_is_disordered(f);
}

static void set_probe(struct sim *s, struct flow *f, struct tagged *t, bool is_advancing)
{
    int64_t left_ps = is_advancing ? rto_timeout_ps(&f->rto) : rto_left_ps(s, f);
    set_slot(s, f, t, SLOT_PROBE,
             rack_probe_timeout_ps(&f->cfg->tagged, srtt_ps(f), f->cfg->initial_rto_ps, f->end - f->una, left_ps));
}

/* What is sent now may change the time, so that it waits for rack_on_sent; not where it would come after a copy of the
 * first segment, which sets the timer itself. */
static void rack_set_timer(struct sim *s, struct flow *f)
{
    struct tagged *t = tagged_state(f);
    if (t->is_slot_taken)
        return;
    t->is_timer_due = f->segments.lost == 0;
    if (!t->is_timer_due)
        set_rto(s, f, t);
}

static void rack_on_sent(struct sim *s, struct flow *f, bool has_sent)
{
    struct tagged *t = tagged_state(f);
    bool is_due = t->is_timer_due;
    t->is_timer_due = false;
    if (!has_sent && !is_due)
        return;
    if (may_probe(f))
        set_probe(s, f, t, !has_sent);
    else if (is_due || t->slot == SLOT_PROBE)
        set_rto(s, f, t);
}

/* --- probes ------------------------------------------------------------------------------------------------------- */

/* At most one probe until its end is acknowledged: new data if there is any, else the last segment. */
static void send_probe(struct sim *s, struct flow *f, struct tagged *t)
{
    if (!t->has_probe) {
        t->is_probe_copy = !tcp_can_send_new(s, f);
        uint32_t segment = t->is_probe_copy ? f->end - 1 : f->next++;
        tcp_send_segment(s, f, segment);
        if (t->is_probe_copy) { /* not taken as in flight: the original may be as well */
            segment_at(&f->segments, segment)->flags &= (uint8_t)~SEGMENT_COPY_OUT;
            f->segments.copies--;
        }
        t->has_probe = true;
        t->probe_end = f->end;
        t->slot = SLOT_RTO; /* the timeout counts from now */
        f->count.probes++;
    }
    set_rto(s, f, t);
}

/* RFC 8985 section 7.4. */
static void judge_probe(struct sim *s, struct flow *f, struct tagged *t)
{
    if (f->una < t->probe_end)
        return;
    bool is_dsack = f->facts.has_dsack && f->facts.dsack_end == t->probe_end;
    bool is_advanced = f->una > f->facts.prior_una;
    if (!t->is_probe_copy || is_dsack)
        t->has_probe = false; /* nothing was lost, or nothing is known */
    else if (f->una > t->probe_end)
        tagged_reduce_once(s, f); /* the copy has repaired a loss */
    else if (!is_advanced && f->newly_sacked == 0)
        t->has_probe = false; /* a plain duplicate: original and copy have arrived */
}

static void on_reordering_timer(struct sim *s, struct flow *f, struct tagged *t)
{
    uint32_t lost_before = f->segments.total_lost;
    segments_begin_ack(f, &(struct packet){.stamp_ps = s->now_ps});
    int64_t wait_ps = mark_overdue(s, f, t);
    if (f->segments.total_lost > lost_before) {
        if (f->mode != MODE_RECOVERY) {
            tagged_enter(s, f);
            if (!f->cfg->cc->control)
                tcp_set_cwnd(s, f, segments_in_flight(f) + 1); /* PRR for one segment delivered */
            t->prr_delivered = 1;
        }
        tagged_send(s, f);
    }
    if (wait_ps > 0 && t->slot != SLOT_RTO)
        set_slot(s, f, t, SLOT_REORDER, wait_ps + f->cfg->tagged.rack_timer_slack_ps);
    else if (t->slot != SLOT_RTO)
        set_rto(s, f, t);
}

static bool rack_on_timer(struct sim *s, struct flow *f)
{
    struct tagged *t = tagged_state(f);
    if (t->slot == SLOT_RTO)
        return false;
    if (t->slot == SLOT_PROBE)
        send_probe(s, f, t);
    else
        on_reordering_timer(s, f, t);
    return true;
}

/* --- the scheme --------------------------------------------------------------------------------------------------- */

static void rack_judge_ack(struct sim *s, struct flow *f)
{
    struct tagged *t = tagged_state(f);
    t->is_slot_taken = false;
    if (t->reo_mult == 0)
        t->reo_mult = 1;
    adapt_window(f, t);
    if (t->has_probe)
        judge_probe(s, f, t);
}

static void rack_on_new_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    rack_judge_ack(s, f);
    tagged_on_new_ack(s, f, acked);
}

static void rack_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    rack_judge_ack(s, f);
    tagged_on_duplicate(s, f, ack);
}

static void rack_on_timeout(struct sim *s, struct flow *f)
{
    tagged_on_timeout(s, f, is_fresh);
}

const struct recovery_ops recovery_rack_tlp = {
    .item = {"rack_tlp", "losses by time of sending, tail loss probes, proportional rate reduction",
             "RFC 8985, RFC 9937; Linux 6.1 tcp_recovery.c, tcp_input.c", NULL},
    .uses_sack = true,
    .stays_on_partial = true,
    .tags_segments = true,
    .on_duplicate = rack_on_duplicate,
    .on_new_ack = rack_on_new_ack,
    .on_timeout = rack_on_timeout,
    .send = tagged_send,
    .on_delivered = rack_on_delivered,
    .detect = rack_detect,
    .on_timer = rack_on_timer,
    .set_timer = rack_set_timer,
    .on_sent = rack_on_sent,
};
