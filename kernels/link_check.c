/* link_check.c - see link_check.h. */
#include "link_check.h"

#include <stdio.h>

#include "link_jitter.h"
#include "station/station.h"

bool link_is_random(const struct channel_cfg *channel)
{
    const struct arq_cfg *arq = &channel->error.arq;
    return jitter_is_on(channel) || (arq->kind == ARQ_FRAME && arq->loss > 0 && arq->loss < 1);
}

static bool has_station(const struct link_cfg *link, enum direction direction)
{
    for (const struct station_ops *const *ops = station_list; *ops; ops++)
        if ((*ops)->is_on(link, (*ops)->is_both ? FORWARD : direction))
            return true;
    return false;
}

static const char *arq_problem(const struct link_cfg *link, enum direction direction)
{
    const struct channel_cfg *channel = &link->channel[direction];
    const struct arq_cfg *arq = &channel->error.arq;
    if (arq->loss > 0 && arq->kind == ARQ_OFF)
        return "arq_loss without arq, expected `arq: frame` or `arq: shortcut`";
    if (arq->ack_time_ps > 0 && arq->kind != ARQ_FRAME)
        return "arq_ack_time is for `arq: frame` only";
    if (arq->kind != ARQ_OFF && channel->nsteps > 0)
        return "arq and schedule, expected one of them";
    if (arq->kind == ARQ_FRAME && has_station(link, direction))
        return "arq: frame needs a first-in first-out link";
    return NULL;
}

static const char *jitter_problem(const struct link_cfg *link, enum direction direction)
{
    const struct channel_cfg *channel = &link->channel[direction];
    const struct jitter_cfg *jitter = &channel->error.jitter;
    if (jitter->law == JITTER_UNIFORM && jitter->jitter_ps > channel->delay_ps)
        return "jitter is above delay, expected at most that";
    if (jitter->reorder > 0 && channel->delay_ps == 0)
        return "reorder needs a delay that some packets go without, expected delay above 0";
    return NULL;
}

const char *link_check(const struct link_cfg *link, char *text, size_t size)
{
    static const char *(*const checks[])(const struct link_cfg *link, enum direction direction) = {arq_problem,
                                                                                                   jitter_problem};
    for (int d = FORWARD; d <= (link->shared_duplex ? FORWARD : REVERSE); d++)
        for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
            const char *problem = checks[i](link, (enum direction)d);
            if (problem) {
                snprintf(text, size, "link %s: %s", link->name, problem);
                return text;
            }
        }
    return NULL;
}
