/* correlated.c - loss with netem's correlation: each packet's random number is a mean of a fresh one and of the last
 * packet's, and the packet is lost if that is below the loss rate.
 *
 * Linux net/sched/sch_netem.c (get_crandom). Such numbers lie nearer to 1/2 than fresh ones, so rates below one half
 * lose less than they say, and the more so the larger the correlation: that is how netem is. It takes the place of per.
 */
#include "../packet.h"
#include "error.h"

static bool correlated_is_on(const struct link_cfg *link, enum direction direction)
{
    const struct channel_cfg *channel = &link->channel[direction];
    return channel->per > 0 && channel->error.per_correlation > 0;
}

static void correlated_start(struct error_state *e)
{
    e->p = 0; /* the last number; netem begins so */
}

static bool correlated_is_lost(struct error_state *e, const struct packet *p, uint32_t bytes)
{
    (void)p, (void)bytes;
    double rho = e->channel->error.per_correlation;
    e->p = (1 - rho) * random_uniform(&e->random) + rho * e->p;
    return e->p < e->channel->per;
}

const struct error_ops error_correlated = {
    .item = {"per_correlation", "packet loss by random numbers that depend on the last one", "Linux sch_netem.c",
             "netem loss P CORR"},
    .is_on = correlated_is_on,
    .is_random = true,
    .start = correlated_start,
    .is_lost = correlated_is_lost,
};
