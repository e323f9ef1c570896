/* onoff.c - error-free and error periods of exponential length in time; a packet that arrives in an error period is
 * lost.
 *
 * ns-2's TwoState model with time as its unit, QualNet's exponential up and down times. Starts error-free, as ns-2
 * does; unlike there error periods have no upper bound.
 */
#include "../packet.h"
#include "error.h"

static bool onoff_is_on(const struct link_cfg *link, enum direction direction)
{
    return link->channel[direction].onoff.up_mean_ps > 0;
}

static void onoff_start(struct error_state *e)
{
    e->bad = false;
    e->change_ps = random_exponential(&e->random, e->channel->onoff.up_mean_ps);
}

static bool onoff_is_lost(struct error_state *e, const struct packet *p, uint32_t bytes)
{
    (void)bytes;
    while (e->change_ps <= p->t_ps) {
        e->bad = !e->bad;
        int64_t mean_ps = e->bad ? e->channel->onoff.down_mean_ps : e->channel->onoff.up_mean_ps;
        e->change_ps += random_exponential(&e->random, mean_ps);
    }
    return e->bad;
}

const struct error_ops error_onoff = {
    .item = {"onoff_loss", "error-free and error periods of exponential length in time",
             "ns-2 errmodel.cc (TwoState, unit time)", "TwoStateErrorModel (ns-2), exponential error model (QualNet)"},
    .is_on = onoff_is_on,
    .is_random = true,
    .start = onoff_start,
    .is_lost = onoff_is_lost,
};
