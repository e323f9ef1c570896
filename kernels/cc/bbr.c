/* bbr.c - BBR version 1: paces at the bandwidth that it measures, keeps about twice the product of bandwidth and least
 * RTT in flight (draft-cardwell-iccrg-bbr-congestion-control-00; Linux 6.1 tcp_bbr.c, whose order of operations it
 * has).
 *
 * After each ACK: round, bandwidth, ACK aggregation, phase of ProbeBW, is the pipe full, drain, least RTT, then pacing
 * rate and window. The first loss also starts the search for a policer (two intervals of 4 to 16 rounds with a fifth
 * lost and equal rates). Windows are whole segments, bandwidth real segments per second; times are exact, not in ticks.
 * Spurious recoveries are not undone.
 */
#include <math.h>

#include "bbr.h"

enum bbr_state { BBR_STARTUP, BBR_DRAIN, BBR_PROBE_BW, BBR_PROBE_RTT };
enum { BBR_PHASES = 8, BBR_BW_ROUNDS = 10, BBR_LEAST_WINDOW = 4, BBR_FULL_ROUNDS = 3 };
enum { BBR_EXTRA_ROUNDS = 5, BBR_EPOCH_MAX = 1 << 20, BBR_FIRST_WINDOW = 10 };
enum { BBR_POLICER_ROUNDS_MIN = 4, BBR_POLICER_ROUNDS_MAX = 16, BBR_POLICER_ROUNDS_USED = 48 };

static const double BBR_HIGH_GAIN = 2885.0 / 1000, BBR_DRAIN_GAIN = 1000.0 / 2885, BBR_CWND_GAIN = 2;
static const double BBR_PHASE_GAIN[BBR_PHASES] = {1.25, 0.75, 1, 1, 1, 1, 1, 1};
static const double BBR_FULL_GROWTH = 1.25, BBR_MARGIN = 0.99, BBR_EXTRA_MAX_S = 0.1;
static const double BBR_POLICER_LOSS = 50.0 / 256, BBR_POLICER_RATIO = 1.0 / 8, BBR_POLICER_DIFFERENCE_BPS = 4000;
static const double BBR_SLOW_BPS = 1.2e6, BBR_QUANTUM_S = 1.0 / 1024; /* a burst is at most 2^-10 s of the rate */
static const int64_t BBR_PROBE_RTT_PS = 200 * PS_PER_MS;

struct bbr {
    struct bbr_max bw;
    double full_bw, prior_cwnd, pacing_gain, cwnd_gain;
    double extra_acked[2], epoch_acked;
    double policed_bw;
    int64_t min_rtt_ps; /* -1: none */
    int64_t min_rtt_since_ps, probe_rtt_until_ps, phase_since_ps, epoch_ps, policer_since_ps;
    uint32_t rounds, next_round, draws;
    uint32_t policer_delivered, policer_lost, policer_rounds;
    enum bbr_state state;
    enum mode before; /* mode at the last ACK */
    uint8_t phase, full_rounds, extra_slot, extra_rounds;
    bool is_round_start, is_full, conserves, has_rtt, is_idle_restart, is_round_done, is_policed, watches_policer;
};

/* --- the model's numbers ------------------------------------------------------------------------------------------ */

static double bbr_bandwidth(const struct bbr *c)
{
    return c->is_policed ? c->policed_bw : c->bw.value[0];
}

/* Segments that a host sends at once, as if it had segmentation offload: the model leaves room for three of them. */
static uint32_t bbr_quantum(const struct flow *f)
{
    uint32_t least = f->pacing_bps < BBR_SLOW_BPS ? 1 : 2;
    double n = bbr_pace(f) * BBR_QUANTUM_S;
    return n > 127 ? 127 : n > least ? (uint32_t)n : least;
}

static double bbr_bdp(const struct bbr *c, double bw, double gain)
{
    return c->min_rtt_ps < 0 ? BBR_FIRST_WINDOW : bbr_up(gain * bw * bbr_seconds(c->min_rtt_ps));
}

static double bbr_with_budget(const struct flow *f, const struct bbr *c, double window)
{
    uint64_t whole = (uint64_t)window + 3 * bbr_quantum(f);
    whole = (whole + 1) & ~UINT64_C(1);
    return (double)(whole + (c->state == BBR_PROBE_BW && c->phase == 0 ? 2 : 0));
}

static double bbr_target(const struct flow *f, const struct bbr *c, double gain)
{
    return bbr_with_budget(f, c, bbr_bdp(c, c->bw.value[0], gain));
}

/* Segments in flight when the next may leave. */
static double bbr_flight_at_departure(const struct sim *s, const struct flow *f, const struct bbr *c, double flight)
{
    int64_t wait_ps = f->pacing_next_ps > s->now_ps ? f->pacing_next_ps - s->now_ps : 0;
    if (c->pacing_gain > 1)
        flight += bbr_quantum(f);
    double left = flight - bbr_down(bbr_bandwidth(c) * bbr_seconds(wait_ps));
    return left > 0 ? left : 0;
}

/* --- states ------------------------------------------------------------------------------------------------------- */

static void bbr_next_phase(const struct sim *s, struct bbr *c)
{
    c->phase = (c->phase + 1) % BBR_PHASES;
    c->phase_since_ps = s->now_ps;
}

/* Any phase but the second (0.75) may be the first. */
static void bbr_enter_probe_bw(const struct sim *s, const struct flow *f, struct bbr *c)
{
    c->state = BBR_PROBE_BW;
    c->phase = (uint8_t)(BBR_PHASES - 1 - (uint32_t)(bbr_random(s, f, &c->draws) * (BBR_PHASES - 1)));
    bbr_next_phase(s, c);
}

static void bbr_set_gains(struct bbr *c)
{
    switch (c->state) {
    case BBR_STARTUP:
        c->pacing_gain = c->cwnd_gain = BBR_HIGH_GAIN;
        break;
    case BBR_DRAIN:
        c->pacing_gain = BBR_DRAIN_GAIN;
        c->cwnd_gain = BBR_HIGH_GAIN;
        break;
    case BBR_PROBE_BW:
        c->pacing_gain = c->is_policed ? 1 : BBR_PHASE_GAIN[c->phase];
        c->cwnd_gain = BBR_CWND_GAIN;
        break;
    case BBR_PROBE_RTT:
        c->pacing_gain = c->cwnd_gain = 1;
        break;
    }
}

/* --- a policer on the path ---------------------------------------------------------------------------------------- */

static void bbr_policer_interval(const struct sim *s, const struct flow *f, struct bbr *c)
{
    c->policer_since_ps = s->now_ps;
    c->policer_delivered = f->segments.delivered;
    c->policer_lost = f->segments.total_lost;
    c->policer_rounds = 0;
}

static void bbr_policer_reset(const struct sim *s, const struct flow *f, struct bbr *c)
{
    c->policed_bw = 0;
    c->is_policed = c->watches_policer = false;
    bbr_policer_interval(s, f, c);
}

static void bbr_policer_end_interval(const struct sim *s, const struct flow *f, struct bbr *c, double bw)
{
    double difference = fabs(bw - c->policed_bw);
    bool is_close = difference <= BBR_POLICER_RATIO * c->policed_bw ||
                    difference * BBR_MARGIN * 8 * f->full_payload <= BBR_POLICER_DIFFERENCE_BPS;
    if (c->policed_bw > 0 && is_close) {
        c->policed_bw = (bw + c->policed_bw) / 2;
        c->is_policed = true;
        c->pacing_gain = 1;
        c->policer_rounds = 0;
        return;
    }
    c->policed_bw = bw;
    bbr_policer_interval(s, f, c);
}

static void bbr_watch_policer(const struct sim *s, const struct flow *f, struct bbr *c, uint32_t lost,
                              bool is_app_limited)
{
    if (c->is_policed) {
        if (c->state == BBR_PROBE_BW && c->is_round_start && ++c->policer_rounds >= BBR_POLICER_ROUNDS_USED) {
            bbr_policer_reset(s, f, c);
            bbr_enter_probe_bw(s, f, c);
        }
        return;
    }
    if (!c->watches_policer) {
        if (!lost)
            return;
        bbr_policer_interval(s, f, c);
        c->watches_policer = true;
    }
    c->policer_rounds += c->is_round_start;
    if (is_app_limited || c->policer_rounds > BBR_POLICER_ROUNDS_MAX) {
        bbr_policer_reset(s, f, c);
        return;
    }
    double delivered = f->segments.delivered - c->policer_delivered,
           seconds = bbr_seconds(s->now_ps - c->policer_since_ps);
    if (c->policer_rounds < BBR_POLICER_ROUNDS_MIN || !lost || delivered <= 0 || seconds < 1e-3 ||
        f->segments.total_lost - c->policer_lost < BBR_POLICER_LOSS * delivered)
        return;
    bbr_policer_end_interval(s, f, c, delivered / seconds);
}

/* --- the model after an ACK --------------------------------------------------------------------------------------- */

static void bbr_take_bandwidth(const struct sim *s, const struct flow *f, struct bbr *c, const struct rate_sample *rs)
{
    c->is_round_start = false;
    if (!rs->delivered)
        return;
    if ((int32_t)(rs->prior_delivered - c->next_round) >= 0) {
        c->next_round = f->segments.delivered;
        c->rounds++;
        c->is_round_start = true;
        c->conserves = false;
    }
    bbr_watch_policer(s, f, c, rs->newly_lost, rs->is_app_limited);
    double bw = rs->delivered / bbr_seconds(rs->interval_ps);
    if (!rs->is_app_limited || bw >= c->bw.value[0])
        bbr_max_take(&c->bw, BBR_BW_ROUNDS, c->rounds, bw);
}

/* How much more is acknowledged at once than the bandwidth explains. */
static void bbr_take_aggregation(const struct sim *s, const struct flow *f, struct bbr *c, const struct rate_sample *rs)
{
    if (!rs->newly_delivered || !rs->delivered)
        return;
    if (c->is_round_start && ++c->extra_rounds >= BBR_EXTRA_ROUNDS) {
        c->extra_rounds = 0;
        c->extra_slot = !c->extra_slot;
        c->extra_acked[c->extra_slot] = 0;
    }
    double expected = bbr_down(bbr_bandwidth(c) * bbr_seconds(s->now_ps - c->epoch_ps));
    if (c->epoch_acked <= expected || c->epoch_acked + rs->newly_delivered >= BBR_EPOCH_MAX) {
        c->epoch_acked = expected = 0;
        c->epoch_ps = s->now_ps;
    }
    c->epoch_acked += rs->newly_delivered;
    double extra = c->epoch_acked - expected;
    if (extra > f->cwnd)
        extra = f->cwnd;
    if (extra > c->extra_acked[c->extra_slot])
        c->extra_acked[c->extra_slot] = extra;
}

static bool bbr_is_phase_over(const struct sim *s, const struct flow *f, const struct bbr *c,
                              const struct rate_sample *rs)
{
    bool is_long = s->now_ps - c->phase_since_ps > c->min_rtt_ps;
    if (c->pacing_gain == 1)
        return is_long;
    double flight = bbr_flight_at_departure(s, f, c, rs->prior_in_flight);
    if (c->pacing_gain > 1)
        return is_long && (rs->newly_lost || flight >= bbr_target(f, c, c->pacing_gain));
    return is_long || flight <= bbr_target(f, c, 1);
}

static void bbr_check_full(struct bbr *c, const struct rate_sample *rs)
{
    if (c->is_full || !c->is_round_start || rs->is_app_limited)
        return;
    if (c->bw.value[0] >= BBR_FULL_GROWTH * c->full_bw) {
        c->full_bw = c->bw.value[0];
        c->full_rounds = 0;
        return;
    }
    c->is_full = ++c->full_rounds >= BBR_FULL_ROUNDS;
}

static void bbr_check_drain(struct sim *s, struct flow *f, struct bbr *c)
{
    if (c->state == BBR_STARTUP && c->is_full) {
        c->state = BBR_DRAIN;
        tcp_set_ssthresh(s, f, bbr_target(f, c, 1));
    }
    if (c->state == BBR_DRAIN && bbr_flight_at_departure(s, f, c, segments_in_flight(f)) <= bbr_target(f, c, 1))
        bbr_enter_probe_bw(s, f, c);
}

static void bbr_save_cwnd(const struct flow *f, struct bbr *c)
{
    bool is_reduced = c->before != MODE_OPEN || c->state == BBR_PROBE_RTT;
    if (!is_reduced || f->cwnd > c->prior_cwnd)
        c->prior_cwnd = f->cwnd;
}

static void bbr_end_probe_rtt(struct sim *s, struct flow *f, struct bbr *c)
{
    if (!c->probe_rtt_until_ps || s->now_ps <= c->probe_rtt_until_ps)
        return;
    c->min_rtt_since_ps = s->now_ps;
    if (c->prior_cwnd > f->cwnd)
        bbr_set_cwnd(s, f, c->prior_cwnd);
    if (c->is_full)
        bbr_enter_probe_bw(s, f, c);
    else
        c->state = BBR_STARTUP;
}

static void bbr_probe_rtt(struct sim *s, struct flow *f, struct bbr *c)
{
    segments_note_app_limited(f);
    if (!c->probe_rtt_until_ps && segments_in_flight(f) <= BBR_LEAST_WINDOW) {
        c->probe_rtt_until_ps = s->now_ps + BBR_PROBE_RTT_PS;
        c->is_round_done = false;
        c->next_round = f->segments.delivered;
    } else if (c->probe_rtt_until_ps) {
        c->is_round_done |= c->is_round_start;
        if (c->is_round_done)
            bbr_end_probe_rtt(s, f, c);
    }
}

static void bbr_take_rtt(struct sim *s, struct flow *f, struct bbr *c, const struct rate_sample *rs)
{
    bool is_old = s->now_ps > c->min_rtt_since_ps + f->cfg->window.bbr_min_rtt_window_ps;
    bool is_lower = c->min_rtt_ps < 0 || rs->rtt_ps < c->min_rtt_ps;
    if (rs->rtt_ps >= 0 && (is_lower || (is_old && !rs->is_ack_delayed))) {
        c->min_rtt_ps = rs->rtt_ps;
        c->min_rtt_since_ps = s->now_ps;
    }
    if (is_old && !c->is_idle_restart && c->state != BBR_PROBE_RTT) {
        bbr_save_cwnd(f, c);
        c->state = BBR_PROBE_RTT;
        c->probe_rtt_until_ps = 0;
    }
    if (c->state == BBR_PROBE_RTT)
        bbr_probe_rtt(s, f, c);
    if (rs->delivered)
        c->is_idle_restart = false;
}

/* --- pacing rate and window --------------------------------------------------------------------------------------- */

static void bbr_first_pace(struct flow *f, struct bbr *c)
{
    double rtt_s = f->rto.has_sample ? rto_srtt_s(&f->rto, f->cfg) : 1e-3;
    c->has_rtt = f->rto.has_sample;
    bbr_set_pace(f, BBR_HIGH_GAIN * BBR_MARGIN * f->cwnd / rtt_s);
}

static void bbr_update_pace(struct flow *f, struct bbr *c, double gain)
{
    if (!c->has_rtt && f->rto.has_sample)
        bbr_first_pace(f, c);
    double pace = gain * bbr_bandwidth(c) * BBR_MARGIN;
    if (c->is_full || pace > bbr_pace(f))
        bbr_set_pace(f, pace);
}

/* The window in recovery, and after it. True: nothing more is to be done to it. */
static bool bbr_recover(const struct flow *f, struct bbr *c, const struct rate_sample *rs, double *cwnd)
{
    enum mode before = c->before;
    double conserved = segments_in_flight(f) + rs->newly_delivered;
    if (rs->newly_lost)
        *cwnd = *cwnd > rs->newly_lost + 1.0 ? *cwnd - rs->newly_lost : 1;
    if (f->mode == MODE_RECOVERY && before != MODE_RECOVERY) {
        c->conserves = true;
        c->next_round = f->segments.delivered;
        *cwnd = conserved;
    } else if (before != MODE_OPEN && f->mode == MODE_OPEN) {
        c->conserves = false;
        if (c->prior_cwnd > *cwnd)
            *cwnd = c->prior_cwnd;
    }
    c->before = f->mode;
    if (c->conserves && conserved > *cwnd)
        *cwnd = conserved;
    return c->conserves;
}

static double bbr_aggregation_window(const struct bbr *c)
{
    if (!c->is_full)
        return 0;
    double extra = c->extra_acked[0] > c->extra_acked[1] ? c->extra_acked[0] : c->extra_acked[1];
    double most = bbr_down(bbr_bandwidth(c) * BBR_EXTRA_MAX_S);
    return bbr_down(extra < most ? extra : most);
}

static void bbr_update_window(struct sim *s, struct flow *f, struct bbr *c, const struct rate_sample *rs)
{
    double cwnd = f->cwnd, acked = rs->newly_delivered;
    if (acked > 0 && !bbr_recover(f, c, rs, &cwnd)) {
        double target = bbr_bdp(c, bbr_bandwidth(c), c->cwnd_gain) + bbr_aggregation_window(c);
        target = bbr_with_budget(f, c, target);
        if (c->is_full)
            cwnd = cwnd + acked < target ? cwnd + acked : target;
        else if (cwnd < target || f->segments.delivered < BBR_FIRST_WINDOW)
            cwnd += acked;
        if (cwnd < BBR_LEAST_WINDOW)
            cwnd = BBR_LEAST_WINDOW;
    }
    if (c->state == BBR_PROBE_RTT && cwnd > BBR_LEAST_WINDOW)
        cwnd = BBR_LEAST_WINDOW;
    bbr_set_cwnd(s, f, cwnd);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static void bbr_control(struct sim *s, struct flow *f, const struct rate_sample *rs)
{
    struct bbr *c = CC_STATE(f, struct bbr);
    bbr_take_bandwidth(s, f, c, rs);
    bbr_take_aggregation(s, f, c, rs);
    if (c->state == BBR_PROBE_BW && bbr_is_phase_over(s, f, c, rs))
        bbr_next_phase(s, c);
    bbr_check_full(c, rs);
    bbr_check_drain(s, f, c);
    bbr_take_rtt(s, f, c, rs);
    bbr_set_gains(c);
    bbr_update_pace(f, c, c->pacing_gain);
    bbr_update_window(s, f, c, rs);
}

static void bbr_start(struct sim *s, struct flow *f)
{
    struct bbr *c = CC_STATE(f, struct bbr);
    c->min_rtt_ps = bbr_first_rtt_ps(f);
    c->min_rtt_since_ps = c->epoch_ps = s->now_ps;
    bbr_set_gains(c);
    bbr_policer_reset(s, f, c);
    bbr_first_pace(f, c);
}

/* ssthresh means nothing to it; the window before the loss does. */
static double bbr_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    bbr_save_cwnd(f, CC_STATE(f, struct bbr));
    return f->ssthresh;
}

static void bbr_on_timeout(struct sim *s, struct flow *f)
{
    struct bbr *c = CC_STATE(f, struct bbr);
    c->before = MODE_LOSS;
    c->full_bw = 0;
    c->is_round_start = true;
    bbr_watch_policer(s, f, c, 1, false);
}

/* After a pause of the application it starts at the bandwidth that it knows. */
static void bbr_on_restart(struct sim *s, struct flow *f)
{
    struct bbr *c = CC_STATE(f, struct bbr);
    if (!f->segments.app_limited)
        return;
    c->is_idle_restart = true;
    c->epoch_ps = s->now_ps;
    c->epoch_acked = 0;
    if (c->state == BBR_PROBE_BW)
        bbr_update_pace(f, c, 1);
    else if (c->state == BBR_PROBE_RTT)
        bbr_end_probe_rtt(s, f, c);
}

const struct cc_ops cc_bbr = {
    .item = {"bbr", "paces at the measured bandwidth, version 1",
             "draft-cardwell-iccrg-bbr-congestion-control-00; Linux 6.1 tcp_bbr.c", "bbr1"},
    .paces = true,
    .control = bbr_control,
    .ssthresh = bbr_ssthresh,
    .start = bbr_start,
    .on_timeout = bbr_on_timeout,
    .on_restart = bbr_on_restart,
};
