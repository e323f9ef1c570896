/* aimd.c - additive increase, multiplicative decrease with any a and b (RFC 9438 4.3; Floyd, Handley, Padhye 2000).
 *
 * A segments more per round trip, after a loss the part B of the window remains. Slow start is RFC 5681's.
 */
#include "hystart.h"

static void aimd_on_ack(struct sim *s, struct flow *f, double acked)
{
    double cwnd = f->cwnd;
    acked = hystart_slow_start(f, CC_STATE(f, struct hystart), acked, &cwnd);
    if (acked > 0)
        cwnd += f->cfg->window.aimd_a * acked / cwnd;
    growth_set_cwnd(s, f, cwnd);
}

static double aimd_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return growth_at_least_min(f->cfg->window.aimd_b * growth_window_at_loss(f));
}

const struct cc_ops cc_aimd = {
    .item = {"aimd", "additive increase by aimd_a, multiplicative decrease to aimd_b",
             "RFC 9438 4.3; Floyd, Handley, Padhye 2000", NULL},
    .on_ack = aimd_on_ack,
    .ssthresh = aimd_ssthresh,
    .on_rtt = hystart_on_rtt,
    .on_timeout = hystart_on_timeout,
};
