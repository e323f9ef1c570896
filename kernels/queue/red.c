/* red.c - RED: random early detection (Floyd and Jacobson, IEEE/ACM ToN 1(4), 1993), its gentle form (Floyd 2000), and
 * ARED, which moves max_p so that the average stays half-way (Floyd, Gummadi, Shenker 2001).
 *
 * Between the thresholds packets are hit with a probability that grows with the average queue, spread so that the
 * distance from one to the next is uniform on 1 ... 1/p_b: p_a = p_b / (1 - n p_b), n = packets passed since the last.
 * Above all thresholds every packet is dropped, ECN or not (RFC 3168, section 7).
 *
 * Departures: n counts as the paper's section 7 derives it; its listing (and ns-2) begins at 1 behind a drop, which
 * leaves out the last distance. The queue's own overflow does not restart n. ARED's adaptations are made up for at the
 * next arrival, with the average as it is then.
 */
#include "managed.h"

#include <stddef.h>

/* --- probability -------------------------------------------------------------------------------------------------- */

double red_probability(double average, double min, double max, double max_p, bool is_gentle)
{
    if (average < min)
        return 0;
    if (average < max)
        return max_p * (average - min) / (max - min);
    if (!is_gentle || average >= 2 * max)
        return 1;
    return max_p + (1 - max_p) * (average - max) / max;
}

static bool is_hit(struct managed *m, const struct arrival *a)
{
    struct red_state *red = &m->state.red;
    const struct red_params *params = &m->channel->aqm.red;
    double p = red_probability(red->average, red->min, red->max, red->max_p, params->is_gentle);
    if (params->counts_bytes)
        p *= (double)a->bytes / params->mean_packet_bytes;
    double left = 1 - red->passed * p;
    return left <= p || random_uniform(&m->random) * left < p;
}

/* --- adaptation --------------------------------------------------------------------------------------------------- */

static double adapted(const struct red_state *red, const struct red_params *params)
{
    double low = red->min + 0.4 * (red->max - red->min), high = red->min + 0.6 * (red->max - red->min);
    if (red->average > high && red->max_p <= 0.5)
        return red->max_p + (params->alpha < red->max_p / 4 ? params->alpha : red->max_p / 4);
    if (red->average < low && red->max_p >= 0.01)
        return red->max_p * params->beta;
    return red->max_p;
}

/* All adaptations due by t_ps; where one changes nothing, more don't either. */
static void adapt(struct red_state *red, const struct red_params *params, int64_t t_ps)
{
    while (red->next_ps <= t_ps) {
        double before = red->max_p;
        red->max_p = adapted(red, params);
        red->next_ps += red->max_p == before ? (t_ps - red->next_ps) / params->interval_ps * params->interval_ps : 0;
        red->next_ps += params->interval_ps;
    }
}

/* --- the discipline ----------------------------------------------------------------------------------------------- */

static double mean_packets_per_s(const struct channel_cfg *channel)
{
    return channel->rate_bps / (8.0 * channel->aqm.red.mean_packet_bytes);
}

double red_least(const struct channel_cfg *channel)
{
    const struct red_params *params = &channel->aqm.red;
    double half_target = (double)params->target_ps / (double)PS_PER_S * mean_packets_per_s(channel) / 2;
    if (params->min > 0)
        return params->min;
    return channel->aqm.kind == AQM_ARED && half_target > 5 ? half_target : 5;
}

/* ARED's `auto`: a delay of about ared_target at the link's rate, and an average with a time constant of 1 s. */
static void red_start(struct managed *m, double limit)
{
    (void)limit;
    const struct red_params *params = &m->channel->aqm.red;
    bool is_adaptive = m->ops->kind == AQM_ARED;
    double packets_per_s = mean_packets_per_s(m->channel), min = red_least(m->channel);
    double weight = is_adaptive ? 1 - det_exp(-1 / packets_per_s) : 0.002;
    m->state.red = (struct red_state){.min = min,
                                      .max = params->max > 0 ? params->max : 3 * min,
                                      .weight = params->weight > 0 ? params->weight : weight,
                                      .max_p = params->max_p,
                                      .service_ps = (int64_t)((double)PS_PER_S / packets_per_s + 0.5),
                                      .next_ps = is_adaptive ? params->interval_ps : TIME_NEVER};
}

static enum verdict red_arrives(struct managed *m, const struct arrival *a)
{
    struct red_state *red = &m->state.red;
    const struct red_params *params = &m->channel->aqm.red;
    red->average = managed_average(m, red->average, red->weight, a, red->service_ps);
    adapt(red, params, a->t_ps);
    if (red->average < red->min) {
        red->passed = 0;
        return VERDICT_PASS;
    }
    if (red->average >= (params->is_gentle ? 2 * red->max : red->max)) {
        red->passed = 0;
        return VERDICT_DROP;
    }
    if (!is_hit(m, a)) {
        red->passed++;
        return VERDICT_PASS;
    }
    red->passed = 0;
    return managed_verdict(m, a);
}

const struct managed_ops managed_red = {
    .item = {"red", "random early detection by the average queue, gentle or not",
             "Floyd and Jacobson, IEEE/ACM ToN 1(4), 1993; Floyd 2000 (gentle)",
             "RED (ns-2, Linux), RedQueueDisc (ns-3)"},
    .kind = AQM_RED,
    .is_random = true,
    .start = red_start,
    .arrives = red_arrives,
};

const struct managed_ops managed_ared = {
    .item = {"ared", "RED that sets itself by the link's rate and moves red_max_p", "Floyd, Gummadi, Shenker 2001",
             "RED adaptive_ (ns-2), adaptive (Linux), ARED (ns-3)"},
    .kind = AQM_ARED,
    .is_random = true,
    .start = red_start,
    .arrives = red_arrives,
};
