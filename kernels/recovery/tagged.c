/* tagged.c - see tagged.h. The order of steps is that of Linux 6.1: tcp_ack, tcp_fastretrans_alert, tcp_cong_control,
 * tcp_xmit_recovery, tcp_write_xmit.
 *
 * Departures: no limit on the burst that one ACK releases but cwnd; reneging is not modelled (receivers keep what they
 * have SACKed).
 */
#include "tagged.h"

#include "../pacing.h"
#include "../walk.h"

/* --- states ------------------------------------------------------------------------------------------------------- */

static void reduce(struct sim *s, struct flow *f, struct tagged *t)
{
    undo_start(f, t);
    t->has_probe = false;
    tcp_reduce(s, f);
    prr_start(f, t);
}

void tagged_enter(struct sim *s, struct flow *f)
{
    struct tagged *t = tagged_state(f);
    reduce(s, f, t);
    tcp_set_mode(s, f, MODE_RECOVERY);
    tcp_note_fast_retransmit(s, f);
}

void tagged_reduce_once(struct sim *s, struct flow *f)
{
    struct tagged *t = tagged_state(f);
    reduce(s, f, t);
    f->recover = f->end;
    f->has_recover = true;
    if (!f->cfg->cc->control)
        tcp_set_cwnd(s, f, f->ssthresh);
}

static void leave_recovery(struct sim *s, struct flow *f, struct tagged *t)
{
    if (undo_is_proven(f, t)) {
        undo_reduction(s, f, t, false);
    } else {
        if (t->reo_persist > 0)
            t->reo_persist--;
        if (!f->cfg->cc->control)
            tcp_set_cwnd(s, f, f->ssthresh);
    }
    tcp_leave_recovery(s, f);
}

INLINE void detect(struct sim *s, struct flow *f)
{
    if (f->una < f->end)
        f->cfg->recovery->detect(s, f);
}

INLINE void judge_open(struct sim *s, struct flow *f, struct tagged *t)
{
    if (undo_is_all_copies(f, t))
        undo_reduction(s, f, t, false);
    detect(s, f);
    if (f->segments.lost > 0)
        tagged_enter(s, f);
}

static void judge_recovery(struct sim *s, struct flow *f, struct tagged *t)
{
    bool is_undone = false;
    if (f->una > f->facts.prior_una && undo_is_original(f, t)) {
        if (f->segments.copies > 0)
            return; /* wait for what the copies turn out to be */
        undo_reduction(s, f, t, true);
        is_undone = true;
    }
    if (undo_is_all_copies(f, t)) {
        undo_reduction(s, f, t, false);
        is_undone = true;
    }
    if (is_undone)
        tcp_leave_recovery(s, f);
    detect(s, f);
    if (f->mode == MODE_OPEN && f->segments.lost > 0)
        tagged_enter(s, f);
}

/* F-RTO (RFC 5682 section 3.1): steps 2b and 3a; the rest is undo_timeout's. */
static void follow_frto(struct flow *f, struct tagged *t)
{
    bool is_advanced = f->una > f->facts.prior_una;
    if (f->end > f->recover) {
        if (f->newly_sacked || !is_advanced)
            t->is_frto = false; /* the loss was real */
    } else if (is_advanced && f->una < f->recover) {
        f->recover = f->end;
        t->sends_new_first = true;
    }
}

static void judge_loss(struct sim *s, struct flow *f, struct tagged *t)
{
    bool is_spurious = t->is_frto && f->facts.is_original_delivered;
    if (is_spurious || (f->una > f->facts.prior_una && undo_is_proven(f, t))) {
        undo_reduction(s, f, t, true);
        tcp_set_mode(s, f, MODE_OPEN);
        judge_open(s, f, t);
        return;
    }
    bool is_over = f->una >= f->recover;
    if (t->is_frto)
        follow_frto(f, t);
    if (is_over) {
        tcp_set_mode(s, f, MODE_OPEN);
        judge_open(s, f, t);
        return;
    }
    uint32_t copies_before = f->segments.copies;
    detect(s, f);
    if (f->segments.copies < copies_before)
        tagged_enter(s, f); /* a copy is lost: recovery in place of the timeout's slow start */
}

static void judge(struct sim *s, struct flow *f, struct tagged *t)
{
    if (f->mode == MODE_RECOVERY && f->una >= f->recover)
        leave_recovery(s, f, t);
    if (f->mode == MODE_RECOVERY)
        judge_recovery(s, f, t);
    else if (f->mode == MODE_LOSS)
        judge_loss(s, f, t);
    else
        judge_open(s, f, t);
    if (t->first_copy_ps >= 0 && f->mode == MODE_OPEN && !tagged_is_disordered(f))
        t->first_copy_ps = -1;
}

/* --- windows ------------------------------------------------------------------------------------------------------ */

/* Linux tcp_cwnd_validate: whether cwnd was what limited sending, remembered for a window of data. */
static void note_window_use(struct flow *f, struct tagged *t, bool is_limited)
{
    uint32_t out = f->end - f->una;
    if (f->una < t->use_end && !is_limited && (f->is_cwnd_limited || out <= t->most_out))
        return;
    f->is_cwnd_limited = is_limited;
    t->most_out = out;
    t->use_end = f->end;
}

static bool is_window_used(const struct flow *f, const struct tagged *t)
{
    return f->cfg->grow_when_limited || f->is_cwnd_limited || (f->cwnd < f->ssthresh && f->cwnd < 2.0 * t->most_out);
}

/* What ns-3 grows by: all that una passes, also what was SACKed before; the end of a timeout's repair counts from
 * `recover`. */
static uint32_t acked_in_ns3(const struct flow *f)
{
    bool is_end_of_loss = f->mode == MODE_LOSS && f->una >= f->recover;
    return f->una - (is_end_of_loss ? f->recover : f->facts.prior_una);
}

static void set_window(struct sim *s, struct flow *f, struct tagged *t)
{
    f->may_grow = is_window_used(f, t);
    const struct rate_sample *rate = &f->facts.rate;
    if (f->cfg->cc->control)
        f->cfg->cc->control(s, f, rate);
    else if (f->mode == MODE_RECOVERY)
        prr_set_cwnd(s, f, t);
    else if (rate->is_una_advanced)
        tcp_grow(s, f, f->cfg->tagged.prr == PRR_NS3 ? t->acked : rate->newly_delivered);
}

void tagged_on_ack(struct sim *s, struct flow *f)
{
    struct tagged *t = tagged_state(f);
    bool is_advanced = f->una > f->facts.prior_una;
    t->sends_new_first = false;
    t->acked = acked_in_ns3(f);
    if (f->facts.has_dsack)
        undo_note_dsack(f, t);
    judge(s, f, t);
    if (is_advanced) {
        f->duplicate_acks = 0;
        if (f->cfg->recovery->set_timer)
            f->cfg->recovery->set_timer(s, f);
        else
            tcp_restart_rto(s, f);
    }
    segments_end_ack(s, f);
    set_window(s, f, t);
}

void tagged_on_new_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    (void)acked;
    tagged_on_ack(s, f);
}

void tagged_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    (void)ack;
    f->duplicate_acks += f->newly_sacked > 0;
    tagged_on_ack(s, f);
    tagged_send(s, f);
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

static uint32_t room(const struct flow *f)
{
    uint32_t in_flight = segments_in_flight(f), window = (uint32_t)f->cwnd;
    return window > in_flight ? window - in_flight : 0;
}

static void send_lost(struct sim *s, struct flow *f, struct tagged *t)
{
    while (room(f) > 0) {
        uint32_t segment = segments_next_lost(f);
        if (segment == SEGMENT_NONE || !tcp_pacing_allows(s, f))
            return;
        tcp_send_segment(s, f, segment);
        undo_note_copy(s, t);
        t->prr_out++;
        if (segment == f->una && t->slot != SLOT_REORDER) { /* Linux: a copy of the first restarts the timer */
            t->slot = SLOT_RTO;
            tcp_restart_rto(s, f);
        }
    }
}

/* ns-3: a partial ACK sends the first segment again, whatever cwnd says, unless it has. */
static void resend_first(struct sim *s, struct flow *f, struct tagged *t)
{
    bool is_partial = f->mode == MODE_RECOVERY && f->facts.rate.is_una_advanced && f->una < f->recover;
    if (f->cfg->tagged.prr != PRR_NS3 || !is_partial || segment_at(&f->segments, f->una)->flags & SEGMENT_RESENT)
        return;
    segments_mark_lost(f, f->una);
    tcp_send_segment(s, f, f->una);
    t->prr_out++;
}

/* tcp_can_send_new, which costs more where the data is known to be there. */
INLINE bool can_send_new(struct sim *s, struct flow *f)
{
    if (f->is_uniform && f->next < f->available)
        return f->next < f->una + f->window;
    return tcp_can_send_new(s, f);
}

INLINE bool send_new(struct sim *s, struct flow *f, struct tagged *t)
{
    bool has_sent = false;
    uint32_t left = room(f);
    for (; left > 0 && can_send_new(s, f) && tcp_pacing_allows(s, f); left--) {
        tcp_send_segment(s, f, f->next++);
        t->prr_out++;
        has_sent = true;
    }
    bool is_full = left == 0;
    if (!is_full && !tcp_has_data(s, f)) /* neither receiver nor pace limits */
        segments_note_app_limited(f);
    if (has_sent || (is_full && can_send_new(s, f)))
        note_window_use(f, t, is_full);
    return has_sent;
}

void tagged_send(struct sim *s, struct flow *f)
{
    struct tagged *t = tagged_state(f);
    bool has_sent = t->sends_new_first && send_new(s, f, t);
    if (!has_sent) {
        resend_first(s, f, t);
        t->is_frto = t->is_frto && !t->sends_new_first;
        if (f->segments.lost > 0)
            send_lost(s, f, t);
        has_sent = send_new(s, f, t);
    }
    t->sends_new_first = false;
    if (f->cfg->recovery->on_sent)
        f->cfg->recovery->on_sent(s, f, has_sent);
}

void tagged_on_timeout(struct sim *s, struct flow *f, bool (*is_fresh)(struct sim *s, struct flow *f, uint32_t i))
{
    struct tagged *t = tagged_state(f);
    bool is_repeated = f->rto.backoff > 2, is_first = f->mode_before_timeout == MODE_OPEN;
    for (uint32_t i = f->una; i < f->end; i++)
        if (i == f->una || !is_fresh || !is_fresh(s, f, i))
            segments_mark_lost(f, i);
    if (is_first || (f->mode_before_timeout == MODE_LOSS && !is_repeated))
        undo_start(f, t);
    t->is_frto = f->cfg->tagged.frto && (is_first || is_repeated);
    t->has_probe = false;
    t->slot = SLOT_RTO;
    f->duplicate_acks = 0;
    tcp_set_cwnd(s, f, segments_in_flight(f) + 1);
}
