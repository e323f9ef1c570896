/* link_arq.c - see link_arq.h. */
#include "link_arq.h"

double arq_residual(const struct arq_cfg *arq)
{
    double all_lost = 1;
    for (uint32_t i = 0; i < arq->tries; i++)
        all_lost *= arq->loss;
    return all_lost;
}

double arq_mean_tries(const struct arq_cfg *arq)
{
    return arq->loss < 1 ? (1 - arq_residual(arq)) / (1 - arq->loss) : arq->tries;
}

/* Tries before the first that succeeds: a geometric gap whose events are successes. */
bool arq_try(struct arq_state *arq, uint32_t *tries)
{
    const struct arq_cfg *cfg = arq->cfg;
    int64_t lost = cfg->loss < 1 ? random_gap(&arq->random, 1 - cfg->loss) : cfg->tries;
    bool is_lost = lost >= cfg->tries;
    *tries = is_lost ? cfg->tries : (uint32_t)lost + 1;
    return !is_lost;
}

void arq_shorten(struct channel_cfg *channel)
{
    if (channel->error.arq.kind != ARQ_SHORTCUT)
        return;
    channel->rate_bps /= arq_mean_tries(&channel->error.arq);
    channel->per = 1 - (1 - channel->per) * (1 - arq_residual(&channel->error.arq));
}
