/* fate.c - see fate.h. The cause of a drop: a full queue or a link that is down is congestion, an error is not. */
#include "fate.h"

#include "flow.h"
#include "instance.h"

/* f->fates: the kind of the last transmission, then the cause of its loss. */
enum { KNOWN_FIRST = 1, KNOWN_RETRANSMISSION = 2, LOST_CONGESTION = 4, LOST_RANDOM = 8 };

static uint8_t *fate_of(struct flow *f, uint32_t segment)
{
    return &f->fates[segment & f->transmission_mask];
}

static bool is_lost(uint8_t fate)
{
    return fate & (LOST_CONGESTION | LOST_RANDOM);
}

static enum fate loss_of(uint8_t fate)
{
    bool is_congestion = fate & LOST_CONGESTION;
    if (fate & KNOWN_FIRST)
        return is_congestion ? FATE_FIRST_CONGESTION : FATE_FIRST_RANDOM;
    return is_congestion ? FATE_RETRANSMISSION_CONGESTION : FATE_RETRANSMISSION_RANDOM;
}

void fate_note_send(struct flow *f, uint32_t segment, bool is_again)
{
    *fate_of(f, segment) = !is_again ? KNOWN_FIRST : f->mode == MODE_RECOVERY ? KNOWN_RETRANSMISSION : 0;
}

void fate_note_drop(const struct sim *s, struct flow *f, uint32_t segment, int64_t t_ps, enum drop_cause cause)
{
    uint8_t *fate = f->fates ? fate_of(f, segment) : NULL;
    if (!fate || !*fate)
        return;
    *fate |= cause == CAUSE_ERROR ? LOST_RANDOM : LOST_CONGESTION;
    f->packets[sim_phase(s, t_ps)].lost[loss_of(*fate)]++;
}

void tcp_classify_loss(struct sim *s, struct flow *f, uint32_t segment, bool is_congestion)
{
    (void)s;
    uint8_t *fate = f->fates ? fate_of(f, segment) : NULL;
    if (!fate || !is_lost(*fate))
        return; /* not lost at all, or judged before */
    bool was_congestion = *fate & LOST_CONGESTION;
    f->count.judged[loss_of(*fate)]++;
    f->count.judged_right[loss_of(*fate)] += is_congestion == was_congestion;
    *fate = 0;
}
