/* link_schedule.c - see link_schedule.h. */
#include "link_schedule.h"

static void apply_step(struct link_now *now, const struct channel_cfg *channel)
{
    const struct step_cfg *step = &channel->steps[now->step++];
    if (step->rate_bps > 0)
        now->rate_bps = step->rate_bps;
    if (step->delay_ps >= 0)
        now->delay_ps = step->delay_ps;
    if (step->up >= 0)
        now->is_up = step->up;
}

void link_apply_steps(struct link_now *now, const struct channel_cfg *channel, int64_t t_ps)
{
    while (now->step < channel->nsteps && channel->steps[now->step].at_ps <= t_ps)
        apply_step(now, channel);
}

static int64_t next_step_ps(const struct link_now *now, const struct channel_cfg *channel)
{
    return now->step < channel->nsteps ? channel->steps[now->step].at_ps : TIME_NEVER;
}

int64_t link_serve(struct link_now *now, const struct channel_cfg *channel, int64_t *start_ps, uint32_t bytes)
{
    link_apply_steps(now, channel, *start_ps);
    while (!now->is_up) {
        if (now->step == channel->nsteps)
            return *start_ps = TIME_NEVER;
        *start_ps = next_step_ps(now, channel);
        link_apply_steps(now, channel, *start_ps);
    }
    double bits = bytes * 8.0;
    int64_t t_ps = *start_ps;
    for (;;) {
        int64_t end_ps = t_ps + (int64_t)(bits * (double)PS_PER_S / now->rate_bps + 0.5);
        int64_t change_ps = next_step_ps(now, channel);
        if (end_ps <= change_ps)
            return end_ps;
        bits -= (double)(change_ps - t_ps) * now->rate_bps / (double)PS_PER_S;
        if (bits < 0)
            bits = 0;
        t_ps = change_ps;
        link_apply_steps(now, channel, t_ps);
        if (!now->is_up) {
            *start_ps = t_ps;
            return -1;
        }
    }
}
