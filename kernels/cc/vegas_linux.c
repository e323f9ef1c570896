/* vegas_linux.c - Vegas as Linux's tcp_vegas has it, in integers (rules of Linux 6.6 restated).
 *
 * RTTs in whole us plus 1; diff = cwnd (minRTT - baseRTT) / baseRTT with the least RTT of the round, so larger than the
 * paper's; slow start grows every round; steps of one segment at once; a loss halves, recovery is not touched. Rounds
 * with fewer than three samples, and all that is not the open state, grow as Reno.
 *
 * Departures: a restart of the measurement on the return to the open state comes with the first ACK there. Presets set
 * vegas_alpha 2 and vegas_beta 4, Linux's values.
 */
#include "delay.h"
#include "linux_growth.h"

enum { FEW_SAMPLES = 2, PS_PER_US_INT = 1000000 };

struct vegas_linux {
    struct linux_growth growth;
    uint32_t base_us, min_us; /* plus 1; 0: none */
    uint32_t count;           /* samples in the round */
    uint32_t begin;           /* snd_nxt when the round began */
    bool is_on;
    bool was_idle; /* nothing was outstanding after the last ACK */
};

static void vegas_linux_restart(const struct flow *f, struct vegas_linux *c)
{
    c->is_on = true;
    c->begin = f->next;
    c->count = 0;
    c->min_us = 0;
}

static void vegas_linux_start(struct sim *s, struct flow *f)
{
    (void)s;
    vegas_linux_restart(f, CC_STATE(f, struct vegas_linux));
}

static void vegas_linux_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)s;
    struct vegas_linux *c = CC_STATE(f, struct vegas_linux);
    if (c->was_idle) { /* TX_START: the first segment after silence */
        c->base_us = 0;
        vegas_linux_restart(f, c);
        c->begin = f->una - acked;
    }
    c->was_idle = f->una == f->end;
    if (f->mode != MODE_OPEN)
        c->is_on = false;
    if (rtt_ps <= 0)
        return;
    uint32_t rtt_us = (uint32_t)(rtt_ps / PS_PER_US_INT) + 1;
    if (c->base_us == 0 || rtt_us < c->base_us)
        c->base_us = rtt_us;
    if (c->min_us == 0 || rtt_us < c->min_us)
        c->min_us = rtt_us;
    c->count++;
}

static uint32_t vegas_linux_reno(struct flow *f, struct vegas_linux *c, uint32_t acked, uint32_t cwnd)
{
    uint32_t left = linux_slow_start(f, acked, &cwnd);
    if (left)
        linux_avoid(&c->growth, cwnd, left, &cwnd);
    return cwnd;
}

/* The decision of a round; *ssthresh may change with it. */
static uint32_t vegas_linux_decide(struct flow *f, const struct vegas_linux *c, uint32_t acked, uint32_t *ssthresh)
{
    const struct cc_delay_params *p = &f->cfg->delay;
    uint32_t cwnd = linux_cwnd(f);
    uint64_t target = (uint64_t)cwnd * c->base_us / c->min_us;
    double diff = (double)((uint64_t)cwnd * (c->min_us - c->base_us) / c->base_us);
    if (cwnd < *ssthresh && diff <= p->vegas_gamma) {
        linux_slow_start(f, acked, &cwnd);
    } else if (cwnd < *ssthresh) {
        cwnd = target + 1 < cwnd ? (uint32_t)target + 1 : cwnd;
        *ssthresh = cwnd < *ssthresh ? cwnd : *ssthresh;
    } else if (diff > p->vegas_beta) {
        cwnd--;
        *ssthresh = cwnd < *ssthresh ? cwnd : *ssthresh;
    } else if (diff < p->vegas_alpha) {
        cwnd++;
    }
    cwnd = cwnd > CWND_MIN_SEGS ? cwnd : CWND_MIN_SEGS;
    uint32_t floor = cwnd / 2 + cwnd / 4; /* tcp_current_ssthresh */
    *ssthresh = *ssthresh > floor ? *ssthresh : floor;
    return cwnd;
}

static uint32_t vegas_linux_end_round(struct sim *s, struct flow *f, struct vegas_linux *c, uint32_t acked)
{
    uint32_t ssthresh = (uint32_t)f->ssthresh, before = ssthresh, cwnd;
    if (c->count <= FEW_SAMPLES)
        cwnd = vegas_linux_reno(f, c, acked, linux_cwnd(f));
    else
        cwnd = vegas_linux_decide(f, c, acked, &ssthresh);
    if (ssthresh != before)
        tcp_set_ssthresh(s, f, ssthresh);
    c->begin = f->next;
    c->count = 0;
    c->min_us = 0;
    return cwnd;
}

static void vegas_linux_on_ack(struct sim *s, struct flow *f, double acked_segments)
{
    struct vegas_linux *c = CC_STATE(f, struct vegas_linux);
    uint32_t acked = linux_acked(&c->growth, acked_segments), cwnd = linux_cwnd(f);
    if (!c->is_on && f->mode == MODE_OPEN)
        vegas_linux_restart(f, c);
    if (!c->is_on)
        cwnd = vegas_linux_reno(f, c, acked, cwnd);
    else if (f->una > c->begin)
        cwnd = vegas_linux_end_round(s, f, c, acked);
    else
        linux_slow_start(f, acked, &cwnd);
    growth_set_cwnd(s, f, cwnd);
}

static double vegas_linux_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct vegas_linux *c = CC_STATE(f, struct vegas_linux);
    c->is_on = false;
    return linux_half(f, &c->growth);
}

const struct cc_ops cc_vegas_linux = {
    .item = {"vegas_linux", "Vegas in Linux's integers", "Linux 6.6, tcp_vegas.c", "TcpVegas (ns-3)"},
    .on_ack = vegas_linux_on_ack,
    .ssthresh = vegas_linux_ssthresh,
    .start = vegas_linux_start,
    .on_rtt = vegas_linux_on_rtt,
};
