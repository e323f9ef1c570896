/* link_jitter.c - see link_jitter.h. */
#include "link_jitter.h"

#include <math.h>

bool jitter_is_on(const struct channel_cfg *channel)
{
    return channel->error.jitter.jitter_ps > 0 || channel->error.jitter.reorder > 0;
}

bool jitter_reorders(const struct channel_cfg *channel)
{
    return jitter_is_on(channel) && channel->error.jitter.order == JITTER_ALLOW;
}

/* The next random number, of mean 0: in -1 .. 1, or with deviation 1. */
static double next_number(struct jitter_state *j)
{
    double rho = j->cfg->correlation;
    if (j->cfg->law == JITTER_NORMAL) {
        j->last = rho * j->last + sqrt(1 - rho * rho) * random_normal(&j->random);
        return j->last;
    }
    j->last = (1 - rho) * random_uniform(&j->random) + rho * j->last;
    return 2 * j->last - 1;
}

static bool skips_delay(struct jitter_state *j)
{
    if (j->cfg->reorder <= 0)
        return false;
    if (j->since + 1 < j->cfg->reorder_gap || random_uniform(&j->random) >= j->cfg->reorder) {
        j->since++;
        return false;
    }
    j->since = 0;
    return true;
}

int64_t jitter_arrival_ps(struct jitter_state *j, int64_t t_ps, int64_t delay_ps)
{
    int64_t extra_ps = 0;
    if (skips_delay(j))
        extra_ps = -delay_ps;
    else if (j->cfg->jitter_ps > 0)
        extra_ps = (int64_t)(next_number(j) * (double)j->cfg->jitter_ps);
    if (extra_ps < -delay_ps)
        extra_ps = -delay_ps;
    t_ps += extra_ps;
    if (j->cfg->order == JITTER_KEEP && t_ps < j->last_ps)
        t_ps = j->last_ps;
    if (t_ps > j->last_ps)
        j->last_ps = t_ps;
    return t_ps;
}
