/* mark.c - marks of congestion: a queue whose average length has reached a threshold marks every packet that can carry
 * a mark, and drops only when it is full.
 *
 * avg = (1 - w) avg + w q at every arrival, q = packets waiting before it; after the link has been idle for m packet
 * times first avg = (1 - w)^m avg, as in RED (Floyd and Jacobson 1993). avg >= threshold marks. With w = 1 that is the
 * instantaneous queue of DCTCP (RFC 8257); with a threshold of 30 % or 90 % of the buffer the congestion warning of
 * NewJersey (Xu, Tian, Ansari 2005) and of Sreekumari et al. (IJDSN 2013, 592502).
 */
#include "managed.h"

#include <stddef.h>

static void mark_start(struct managed *m, double limit)
{
    const struct mark_cfg *mark = &m->channel->mark;
    m->state.mark = (struct mark_state){.threshold = mark->unit == MARK_FRACTION ? mark->size * limit : mark->size};
}

static enum verdict mark_arrives(struct managed *m, const struct arrival *a)
{
    struct mark_state *mark = &m->state.mark;
    mark->average = managed_average(m, mark->average, m->channel->mark_weight, a, a->service_ps);
    return mark->average >= mark->threshold ? VERDICT_MARK : VERDICT_PASS;
}

const struct managed_ops managed_mark = {
    .item = {"mark", "marks all that can carry a mark from an average queue of mark_threshold on",
             "RFC 8257; Xu, Tian, Ansari 2005", NULL},
    .kind = AQM_MARK,
    .start = mark_start,
    .arrives = mark_arrives,
};
