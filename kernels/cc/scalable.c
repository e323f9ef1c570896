/* scalable.c - Scalable TCP: growth in proportion to the window (Kelly 2003).
 *
 * scalable: a segments per segment acknowledged, a loss takes the part b; up to the low window like Reno.
 * scalable_linux: Linux 6.1 tcp_scalable.c in whole segments: one more per min(cwnd, 100) acknowledged, a loss takes
 *   cwnd/8 cut to whole segments.
 */
#include "hystart.h"

enum { SCALABLE_COUNT = 100, SCALABLE_SHIFT = 3 };

static void scalable_on_ack(struct sim *s, struct flow *f, double acked)
{
    const struct cc_window_params *p = &f->cfg->window;
    double cwnd = f->cwnd;
    acked = hystart_slow_start(f, CC_STATE(f, struct hystart), acked, &cwnd);
    if (acked > 0)
        cwnd += cwnd > p->scalable_low_window ? p->scalable_a * acked : acked / cwnd;
    growth_set_cwnd(s, f, cwnd);
}

static double scalable_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    const struct cc_window_params *p = &f->cfg->window;
    double window = growth_window_at_loss(f);
    double taken = window > p->scalable_low_window ? p->scalable_b : 0.5;
    return growth_at_least_min((1 - taken) * window);
}

const struct cc_ops cc_scalable = {
    .item = {"scalable", "growth in proportion to the window", "Kelly 2003", NULL},
    .on_ack = scalable_on_ack,
    .ssthresh = scalable_ssthresh,
    .on_rtt = hystart_on_rtt,
    .on_timeout = hystart_on_timeout,
};

struct scalable_linux {
    struct hystart hystart;
    struct linux_growth growth;
};

static void scalable_linux_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct scalable_linux *c = CC_STATE(f, struct scalable_linux);
    uint32_t cwnd = linux_cwnd(f), left = hystart_linux_slow_start(f, &c->hystart, &c->growth, acked, &cwnd);
    if (left > 0)
        linux_avoid(&c->growth, cwnd < SCALABLE_COUNT ? cwnd : SCALABLE_COUNT, left, &cwnd);
    growth_set_cwnd(s, f, cwnd);
}

static double scalable_linux_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    uint32_t cwnd = linux_cwnd(f);
    CC_STATE(f, struct scalable_linux)->growth.count = 0;
    return growth_at_least_min(cwnd - (cwnd >> SCALABLE_SHIFT));
}

const struct cc_ops cc_scalable_linux = {
    .item = {"scalable_linux", "scalable in whole segments", "Linux 6.1 tcp_scalable.c", NULL},
    .on_ack = scalable_linux_on_ack,
    .ssthresh = scalable_linux_ssthresh,
    .on_rtt = hystart_on_rtt,
    .on_timeout = hystart_on_timeout,
};
