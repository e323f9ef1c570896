/* pie.c - PIE: drops with a probability that a proportional-integral controller of the queue's delay sets (RFC 8033).
 *
 * The delay at an update is exact: the link sends until free_ps, so a packet would wait free_ps - t. Updates change
 * nothing before the next arrival, which makes up for all that are due.
 *
 * Departures: always active (the activation of the RFC's appendix is an option); `MEAN_PKTSIZE` of the rule that lets
 * two packets wait is the largest packet so far.
 */
#include "managed.h"

#include <stddef.h>

/* --- controller --------------------------------------------------------------------------------------------------- */

/* Small probabilities move in small steps. */
static double scale_of(double p)
{
    static const struct {
        double below, scale;
    } table[] = {{1e-6, 1.0 / 2048}, {1e-5, 1.0 / 512}, {1e-4, 1.0 / 128},
                 {1e-3, 1.0 / 32},   {1e-2, 1.0 / 8},   {0.1, 1.0 / 2}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (p < table[i].below)
            return table[i].scale;
    return 1;
}

double pie_probability(const struct pie_params *pie, double p, double delay_s, double old_delay_s)
{
    double target_s = (double)pie->target_ps / (double)PS_PER_S;
    double step = scale_of(p) * (pie->alpha * (delay_s - target_s) + pie->beta * (delay_s - old_delay_s));
    if (p >= 0.1 && step > 0.02)
        step = 0.02;
    if (delay_s > 0.25)
        step += 0.02;
    p += step;
    if (delay_s == 0 && old_delay_s == 0)
        p *= 0.98;
    return p < 0 ? 0 : p > 1 ? 1 : p;
}

static bool is_calm(const struct pie_state *pie, double half_target_s)
{
    return pie->p == 0 && pie->delay_s < half_target_s && pie->old_delay_s < half_target_s;
}

static void update(struct pie_state *pie, const struct pie_params *params, int64_t free_ps)
{
    double half_target_s = (double)params->target_ps / (double)PS_PER_S / 2;
    pie->old_delay_s = pie->delay_s;
    pie->delay_s = free_ps > pie->next_ps ? (double)(free_ps - pie->next_ps) / (double)PS_PER_S : 0;
    pie->p = pie_probability(params, pie->p, pie->delay_s, pie->old_delay_s);
    pie->burst_ps = pie->burst_ps > params->update_ps ? pie->burst_ps - params->update_ps : 0;
    if (is_calm(pie, half_target_s))
        pie->burst_ps = params->burst_ps;
    pie->next_ps += params->update_ps;
}

/* All updates due by t_ps; once the link is idle and all is calm, more change nothing. */
static void catch_up(struct pie_state *pie, const struct pie_params *params, int64_t t_ps, int64_t free_ps)
{
    while (pie->next_ps <= t_ps) {
        update(pie, params, free_ps);
        bool is_still = pie->p == 0 && pie->delay_s == 0 && pie->old_delay_s == 0;
        if (is_still && pie->next_ps <= t_ps)
            pie->next_ps += ((t_ps - pie->next_ps) / params->update_ps + 1) * params->update_ps;
    }
}

/* --- the discipline ----------------------------------------------------------------------------------------------- */

static void pie_start(struct managed *m, double limit)
{
    (void)limit;
    const struct pie_params *params = &m->channel->aqm.pie;
    m->state.pie = (struct pie_state){.burst_ps = params->burst_ps, .next_ps = params->update_ps};
}

static bool is_hit(struct managed *m)
{
    struct pie_state *pie = &m->state.pie;
    pie->accumulated = pie->p == 0 ? 0 : pie->accumulated + pie->p;
    if (m->channel->aqm.pie.is_derandomized) {
        if (pie->accumulated < 0.85)
            return false;
        if (pie->accumulated >= 8.5)
            return true;
    }
    return random_uniform(&m->random) < pie->p;
}

static enum verdict pie_arrives(struct managed *m, const struct arrival *a)
{
    struct pie_state *pie = &m->state.pie;
    const struct pie_params *params = &m->channel->aqm.pie;
    double half_target_s = (double)params->target_ps / (double)PS_PER_S / 2;
    catch_up(pie, params, a->t_ps, a->free_ps);
    if (a->bytes > pie->largest_bytes)
        pie->largest_bytes = a->bytes;
    bool is_short = m->bytes <= 2 * (uint64_t)pie->largest_bytes;
    if (pie->burst_ps > 0 || (pie->delay_s < half_target_s && pie->p < 0.2) || is_short || !is_hit(m))
        return VERDICT_PASS;
    pie->accumulated = 0;
    return pie->p <= params->mark_limit ? managed_verdict(m, a) : VERDICT_DROP;
}

const struct managed_ops managed_pie = {
    .item = {"pie", "drops with a probability that a controller of the queue's delay sets", "RFC 8033",
             "pie (Linux), PieQueueDisc (ns-3)"},
    .kind = AQM_PIE,
    .is_random = true,
    .start = pie_start,
    .arrives = pie_arrives,
};
