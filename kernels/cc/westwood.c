/* westwood.c - TCP Westwood: Reno's growth; after a loss the window is what the measured bandwidth fills.
 *
 * westwood: the filter of Mascolo and others 2001, a sample per ACK, zero samples after tau/2 without one.
 * westwood_plus: Grieco, Mascolo 2004, a sample per RTT (at least 50 ms), weight 1/8.
 * westwood_linux: Westwood+ as in Linux 6.1 tcp_westwood.c: filtered twice, halving at the loss, the estimate is
 * applied when recovery ends; the least RTT is measured anew after a timeout. Rates are real, not bytes per clock tick.
 * Bandwidth is in segments per second. Fast recovery sets cwnd to what ssthresh() returns, which therefore is no more
 * than the window was; after a timeout ssthresh is the whole estimate.
 */
#include "hystart.h"

static const int64_t WESTWOOD_WINDOW_PS = 50 * PS_PER_MS, WESTWOOD_FIRST_RTT_PS = 20 * PS_PER_S;
static const double WESTWOOD_WEIGHT = 1.0 / 8;

enum { WESTWOOD_ZEROS_MAX = 64 }; /* after so many zero samples nothing is left */

struct westwood {
    struct hystart hystart;
    struct linux_growth growth; /* westwood_linux */
    int64_t last_ps;            /* of the last sample: the time up to which ACKs are counted */
    int64_t rtt_ps;             /* the last */
    int64_t min_ps;             /* least RTT; 0: none */
    double acked;               /* segments since then */
    double sample, bandwidth;   /* segments per second; sample: the last one, or the first filter's value */
    uint32_t accounted;         /* segments that duplicate ACKs have counted */
};

/* Segments that an ACK reports delivered: those of duplicate ACKs have been counted. */
static uint32_t westwood_count(struct westwood *c, uint32_t acked)
{
    if (acked <= 1)
        return acked;
    if (c->accounted >= acked) {
        c->accounted -= acked;
        return 1;
    }
    uint32_t n = acked - c->accounted;
    c->accounted = 0;
    return n;
}

/* Segments that the bandwidth fills, at least 2; 0: nothing is known. */
static double westwood_window(const struct westwood *c)
{
    if (c->bandwidth == 0 || c->min_ps == 0)
        return 0;
    return growth_at_least_min(c->bandwidth * (double)c->min_ps / (double)PS_PER_S);
}

static void westwood_on_ack(struct sim *s, struct flow *f, double acked)
{
    double cwnd = f->cwnd;
    acked = hystart_slow_start(f, CC_STATE(f, struct hystart), acked, &cwnd);
    if (acked > 0)
        cwnd += acked / cwnd;
    growth_set_cwnd(s, f, cwnd);
}

static double westwood_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    double estimate = westwood_window(CC_STATE(f, struct westwood)), window = growth_window_at_loss(f);
    if (estimate == 0)
        return growth_at_least_min(window / 2);
    return growth_at_least_min(estimate < window ? estimate : window);
}

static void westwood_on_timeout(struct sim *s, struct flow *f)
{
    struct westwood *c = CC_STATE(f, struct westwood);
    double estimate = westwood_window(c);
    if (estimate > 0)
        tcp_set_ssthresh(s, f, estimate);
    hystart_timeout(&c->hystart);
}

static void westwood_start(struct sim *s, struct flow *f)
{
    CC_STATE(f, struct westwood)->last_ps = s->now_ps;
}

static void westwood_note_rtt(struct sim *s, struct flow *f, struct westwood *c, int64_t rtt_ps)
{
    if (rtt_ps < 0) /* none with this ACK (Karn) */
        return;
    c->rtt_ps = rtt_ps;
    if (c->min_ps == 0 || rtt_ps < c->min_ps)
        c->min_ps = rtt_ps;
    hystart_sample(s, f, &c->hystart, rtt_ps);
}

/* --- a sample per ACK --------------------------------------------------------------------------------------------- */

static void westwood_filter(struct westwood *c, int64_t tau_ps, int64_t interval_ps, double acked)
{
    double sample = acked * (double)PS_PER_S / (double)interval_ps;
    double tau = 2 * (double)tau_ps, interval = (double)interval_ps, keep = (tau - interval) / (tau + interval);
    c->bandwidth = keep * c->bandwidth + (1 - keep) * (sample + c->sample) / 2;
    c->sample = sample;
}

static void westwood_take(const struct sim *s, const struct flow *f, struct westwood *c, double acked)
{
    int64_t tau_ps = f->cfg->window.westwood_tau_ps, longest_ps = tau_ps / 2;
    c->acked += acked;
    for (int i = 0; i < WESTWOOD_ZEROS_MAX && s->now_ps - c->last_ps > longest_ps; i++) {
        westwood_filter(c, tau_ps, longest_ps, 0);
        c->last_ps += longest_ps;
    }
    if (s->now_ps - c->last_ps > longest_ps)
        c->last_ps = s->now_ps - longest_ps;
    if (s->now_ps == c->last_ps)
        return;
    westwood_filter(c, tau_ps, s->now_ps - c->last_ps, c->acked);
    c->last_ps = s->now_ps;
    c->acked = 0;
}

static void westwood_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    struct westwood *c = CC_STATE(f, struct westwood);
    westwood_note_rtt(s, f, c, rtt_ps);
    westwood_take(s, f, c, westwood_count(c, acked));
}

static void westwood_on_duplicate(struct sim *s, struct flow *f)
{
    struct westwood *c = CC_STATE(f, struct westwood);
    c->accounted++;
    westwood_take(s, f, c, 1);
}

const struct cc_ops cc_westwood = {
    .item = {"westwood", "window after a loss from the measured bandwidth", "Mascolo and others 2001", NULL},
    .on_ack = westwood_on_ack,
    .ssthresh = westwood_ssthresh,
    .start = westwood_start,
    .on_rtt = westwood_on_rtt,
    .on_duplicate = westwood_on_duplicate,
    .on_timeout = westwood_on_timeout,
};

/* --- a sample per RTT --------------------------------------------------------------------------------------------- */

/* Closes the window of a sample, before the ACK at hand is counted. True: c->acked was turned into *sample. */
static bool westwood_close(const struct sim *s, struct westwood *c, double *sample)
{
    int64_t interval_ps = s->now_ps - c->last_ps;
    if (interval_ps <= (c->rtt_ps > WESTWOOD_WINDOW_PS ? c->rtt_ps : WESTWOOD_WINDOW_PS))
        return false;
    *sample = c->acked * (double)PS_PER_S / (double)interval_ps;
    c->acked = 0;
    c->last_ps = s->now_ps;
    return true;
}

static void westwood_plus_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    struct westwood *c = CC_STATE(f, struct westwood);
    double sample;
    westwood_note_rtt(s, f, c, rtt_ps);
    if (westwood_close(s, c, &sample))
        c->bandwidth = c->bandwidth == 0 ? sample : c->bandwidth + WESTWOOD_WEIGHT * (sample - c->bandwidth);
    c->acked += westwood_count(c, acked);
}

static void westwood_plus_on_duplicate(struct sim *s, struct flow *f)
{
    (void)s;
    struct westwood *c = CC_STATE(f, struct westwood);
    c->accounted++;
    c->acked++;
}

const struct cc_ops cc_westwood_plus = {
    .item = {"westwood_plus", "westwood with a bandwidth sample per round trip", "Grieco, Mascolo 2004", "westwood+"},
    .on_ack = westwood_on_ack,
    .ssthresh = westwood_ssthresh,
    .start = westwood_start,
    .on_rtt = westwood_plus_on_rtt,
    .on_duplicate = westwood_plus_on_duplicate,
    .on_timeout = westwood_on_timeout,
};

/* --- Linux -------------------------------------------------------------------------------------------------------- */

static void westwood_linux_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct westwood *c = CC_STATE(f, struct westwood);
    uint32_t cwnd = linux_cwnd(f), left = hystart_linux_slow_start(f, &c->hystart, &c->growth, acked, &cwnd);
    if (left > 0)
        linux_avoid(&c->growth, cwnd, left, &cwnd);
    growth_set_cwnd(s, f, cwnd);
}

static double westwood_linux_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return linux_half(f, &CC_STATE(f, struct westwood)->growth);
}

static void westwood_linux_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    struct westwood *c = CC_STATE(f, struct westwood);
    double sample;
    westwood_note_rtt(s, f, c, rtt_ps);
    if (westwood_close(s, c, &sample)) {
        bool is_first = c->bandwidth == 0 && c->sample == 0;
        c->sample = is_first ? sample : c->sample + WESTWOOD_WEIGHT * (sample - c->sample);
        c->bandwidth = is_first ? sample : c->bandwidth + WESTWOOD_WEIGHT * (c->sample - c->bandwidth);
    }
    c->acked += westwood_count(c, acked);
}

/* Whole segments, as all windows there. */
static double westwood_linux_window(const struct westwood *c)
{
    struct westwood known = *c;
    known.min_ps = c->min_ps > 0 ? c->min_ps : WESTWOOD_FIRST_RTT_PS;
    double estimate = westwood_window(&known);
    return estimate < SSTHRESH_UNLIMITED ? (uint32_t)estimate : SSTHRESH_UNLIMITED;
}

static void westwood_linux_on_timeout(struct sim *s, struct flow *f)
{
    struct westwood *c = CC_STATE(f, struct westwood);
    tcp_set_ssthresh(s, f, growth_at_least_min(westwood_linux_window(c)));
    c->min_ps = 0;
    hystart_timeout(&c->hystart);
}

static void westwood_linux_on_recovery_exit(struct sim *s, struct flow *f)
{
    double window = growth_at_least_min(westwood_linux_window(CC_STATE(f, struct westwood)));
    tcp_set_ssthresh(s, f, window);
    growth_set_cwnd(s, f, window);
}

const struct cc_ops cc_westwood_linux = {
    .item = {"westwood_linux", "westwood_plus as Linux has it", "Linux 6.1 tcp_westwood.c", NULL},
    .on_ack = westwood_linux_on_ack,
    .ssthresh = westwood_linux_ssthresh,
    .start = westwood_start,
    .on_rtt = westwood_linux_on_rtt,
    .on_duplicate = westwood_plus_on_duplicate,
    .on_timeout = westwood_linux_on_timeout,
    .on_recovery_exit = westwood_linux_on_recovery_exit,
};
