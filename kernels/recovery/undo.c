/* undo.c - taking back a reduction that turns out to have been unneeded: DSACK (RFC 3708), timestamps (Eifel, RFC 3522
 * and 4015); F-RTO (RFC 5682 section 3.1) is in tagged.c.
 *
 * What is restored is Linux 6.1's: cwnd and ssthresh as before the reduction, if they were larger. Departure from RFC
 * 4015: the RTO estimator is not reseeded.
 */
#include "tagged.h"

void undo_start(const struct flow *f, struct tagged *t)
{
    t->may_undo = true;
    t->undo_from = f->una;
    t->unproven = f->segments.copies > 0 ? (int32_t)f->segments.copies : -1;
}

void undo_note_copy(const struct sim *s, struct tagged *t)
{
    if (t->first_copy_ps < 0)
        t->first_copy_ps = s->now_ps;
    t->unproven = t->unproven < 0 ? 1 : t->unproven + 1;
}

void undo_note_dsack(const struct flow *f, struct tagged *t)
{
    if (t->may_undo && t->unproven > 0 && f->facts.dsack_end > t->undo_from)
        t->unproven--;
}

bool undo_is_original(const struct flow *f, const struct tagged *t)
{
    return f->cfg->tagged.undo_eifel && f->cfg->timestamps && t->may_undo && t->first_copy_ps >= 0 &&
           f->facts.echo_ps < t->first_copy_ps;
}

bool undo_is_proven(const struct flow *f, const struct tagged *t)
{
    return undo_is_all_copies(f, t) || undo_is_original(f, t);
}

void undo_reduction(struct sim *s, struct flow *f, struct tagged *t, bool clears_lost)
{
    if (clears_lost)
        segments_clear_lost(f);
    double three_quarters = 0.75 * f->prior_cwnd;
    double ssthresh = f->prior_ssthresh > three_quarters ? f->prior_ssthresh : three_quarters;
    if (f->prior_cwnd > f->cwnd && !f->cfg->cc->control)
        tcp_set_cwnd(s, f, f->prior_cwnd);
    if (ssthresh > f->ssthresh)
        tcp_set_ssthresh(s, f, ssthresh);
    t->may_undo = false;
    t->rack_advanced = true; /* look again */
    f->count.undone++;
}
