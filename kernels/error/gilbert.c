/* gilbert.c - Gilbert-Elliott: a two-state Markov chain that steps once per packet, before the packet is judged.
 *
 * E. N. Gilbert, Bell Syst. Tech. J. 39 (1960); E. O. Elliott, ibid. 42 (1963). Starts from the stationary state.
 */
#include "../packet.h"
#include "error.h"

static bool gilbert_is_on(const struct link_cfg *link, enum direction direction)
{
    return link->channel[direction].gilbert.good_to_bad > 0;
}

static void gilbert_start(struct error_state *e)
{
    const struct gilbert_cfg *g = &e->channel->gilbert;
    e->bad = random_uniform(&e->random) < g->good_to_bad / (g->good_to_bad + g->bad_to_good);
}

static bool gilbert_is_lost(struct error_state *e, const struct packet *p, uint32_t bytes)
{
    (void)p, (void)bytes;
    const struct gilbert_cfg *g = &e->channel->gilbert;
    if (random_uniform(&e->random) < (e->bad ? g->bad_to_good : g->good_to_bad))
        e->bad = !e->bad;
    double loss = e->bad ? g->loss_bad : g->loss_good;
    return loss >= 1 || (loss > 0 && random_uniform(&e->random) < loss);
}

const struct error_ops error_gilbert = {
    .item = {"gilbert", "Gilbert-Elliott two-state Markov chain, one step per packet",
             "Gilbert, Bell Syst. Tech. J. 39, 1960; Elliott, ibid. 42, 1963",
             "netem loss gemodel, MultiState (ns-2), BurstErrorModel (ns-3)"},
    .is_on = gilbert_is_on,
    .is_random = true,
    .start = gilbert_start,
    .is_lost = gilbert_is_lost,
};
