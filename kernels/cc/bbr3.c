/* bbr3.c - BBR version 3: as bbr, and loss bounds what is in flight (draft-ietf-ccwg-bbr, core; section names below).
 *
 * Long-term bound: what was in flight when a probe for bandwidth (REFILL, UP) lost more than 2 %. Short-term bounds:
 * the rate and volume just delivered, at least 0.7 of before, after each round with a loss outside such probes.
 * Departures: the least RTT has its own window of 10 s and ProbeRTT its own interval (bbr3_probe_rtt_interval, 5 s as
 * in the drafts up to 04 and Google's Linux; the later draft has one of 10 s for both), but ProbeRTT's window is fixed
 * when the interval ends, as in the later draft; cwnd-limited is an ACK that found cwnd in flight; a burst of losses in
 * Startup is counted by ACKs that report any, as in Google's Linux; no ECN; spurious recoveries are not undone.
 * Windows in segments, bandwidth in segments per second.
 */
#include "bbr.h"

enum bbr3_state {
    BBR3_STARTUP,
    BBR3_DRAIN,
    BBR3_DOWN,
    BBR3_CRUISE,
    BBR3_REFILL,
    BBR3_UP,
    BBR3_PROBE_RTT,
};
enum bbr3_acks { ACKS_INIT, ACKS_REFILLING, ACKS_PROBE_STARTING, ACKS_PROBE_FEEDBACK, ACKS_PROBE_STOPPING };
enum { BBR3_LEAST_WINDOW = 4, BBR3_FULL_ROUNDS = 3, BBR3_DRAIN_ROUNDS = 3, BBR3_FULL_LOSSES = 6 };
enum { BBR3_EXTRA_ROUNDS = 10, BBR3_FIRST_WINDOW = 10, BBR3_RENO_ROUNDS = 63, BBR3_UP_ROUNDS_MAX = 30 };
enum { BBR3_QUANTUM_BYTES = 65536 };

static const struct {
    double pacing, cwnd;
} BBR3_GAIN[] = {
    [BBR3_STARTUP] = {2.77, 2}, [BBR3_DRAIN] = {0.5, 2},  [BBR3_DOWN] = {0.9, 2},      [BBR3_CRUISE] = {1, 2},
    [BBR3_REFILL] = {1, 2},     [BBR3_UP] = {1.25, 2.25}, [BBR3_PROBE_RTT] = {1, 0.5},
};

static const double BBR3_MARGIN = 0.99, BBR3_FULL_GROWTH = 1.25, BBR3_QUANTUM_S = 1e-3, BBR3_NONE = 1e18;
static const int64_t BBR3_PROBE_RTT_PS = 200 * PS_PER_MS, BBR3_PROBE_WAIT_PS = 2 * PS_PER_S;

struct bbr3 {
    struct bbr_max extra; /* ACK aggregation */
    double max_bw[2];     /* of this cycle of ProbeBW and the last */
    double bw;            /* within the short-term bound */
    double bw_latest, bw_short, inflight_latest, inflight_short, inflight_long;
    double full_bw, prior_cwnd, extra_delivered, probe_rtt_cwnd;
    double up_acked, up_acked_per_step;   /* UP: growth of the long-term bound */
    int64_t min_rtt_ps, min_rtt_since_ps; /* -1: none */
    int64_t probe_rtt_ps, probe_rtt_since_ps, probe_rtt_until_ps;
    int64_t probe_at_ps, extra_since_ps;
    uint32_t rounds, next_round, loss_round, rounds_since_up, drain_round, draws;
    uint8_t state, acks, before, full_rounds, up_rounds, losses_in_round;
    bool is_round_start, is_loss_round_start, is_lossy_round, is_full, is_full_now, has_rtt, is_idle_restart;
    bool is_round_done, is_probe_sample, was_too_high, was_precautionary;
    bool is_too_high; /* a segment of a probe was lost, and the state has not followed yet */
};

static bool bbr3_is_probe_bw(const struct bbr3 *c)
{
    return c->state >= BBR3_DOWN && c->state <= BBR3_UP;
}

static double bbr3_max_bw(const struct bbr3 *c)
{
    return c->max_bw[0] > c->max_bw[1] ? c->max_bw[0] : c->max_bw[1];
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* --- Computing BBR.max_inflight ----------------------------------------------------------------------------------- */

static double bbr3_bdp(const struct bbr3 *c, double bw, double gain)
{
    return c->min_rtt_ps < 0 ? BBR3_FIRST_WINDOW : gain * bw * bbr_seconds(c->min_rtt_ps);
}

static double bbr3_with_budget(const struct flow *f, const struct bbr3 *c, double window)
{
    double quantum = smaller(bbr_pace(f) * BBR3_QUANTUM_S, (double)BBR3_QUANTUM_BYTES / f->full_payload);
    window = larger(window, 3 * larger(quantum, 2));
    return larger(window, BBR3_LEAST_WINDOW) + (c->state == BBR3_UP ? 2 : 0);
}

static double bbr3_inflight(const struct flow *f, const struct bbr3 *c, double bw)
{
    return bbr3_with_budget(f, c, bbr3_bdp(c, bw, 1));
}

/* Leaves some of the long-term bound to others. */
static double bbr3_with_headroom(const struct flow *f, const struct bbr3 *c)
{
    if (c->inflight_long >= BBR3_NONE)
        return BBR3_NONE;
    double headroom = larger(1, f->cfg->window.bbr3_headroom * c->inflight_long);
    return larger(c->inflight_long - headroom, BBR3_LEAST_WINDOW);
}

/* The BDP, unless congestion has cut cwnd. */
static double bbr3_target(const struct flow *f, const struct bbr3 *c)
{
    return smaller(bbr3_bdp(c, c->bw, 1), f->cwnd);
}

/* --- ProbeBW Algorithm Details ------------------------------------------------------------------------------------ */

static void bbr3_start_round(const struct flow *f, struct bbr3 *c)
{
    c->next_round = f->segments.delivered;
}

static void bbr3_reset_full(struct bbr3 *c, double full_bw)
{
    c->full_bw = full_bw;
    c->full_rounds = 0;
    c->is_full_now = false;
}

static void bbr3_reset_short_term(struct bbr3 *c)
{
    c->bw_short = c->inflight_short = BBR3_NONE;
}

static void bbr3_start_down(const struct sim *s, const struct flow *f, struct bbr3 *c)
{
    c->is_lossy_round = false;
    c->bw_latest = c->inflight_latest = 0;
    c->up_acked_per_step = BBR3_NONE;
    c->rounds_since_up = bbr_random(s, f, &c->draws) < 0.5 ? 0 : 1;
    c->probe_at_ps = s->now_ps + BBR3_PROBE_WAIT_PS + (int64_t)(bbr_random(s, f, &c->draws) * (double)PS_PER_S);
    c->acks = ACKS_PROBE_STOPPING;
    bbr3_start_round(f, c);
    c->state = BBR3_DOWN;
}

static void bbr3_start_refill(const struct flow *f, struct bbr3 *c)
{
    bbr3_reset_short_term(c);
    c->up_rounds = 0;
    c->up_acked = 0;
    c->was_precautionary = false;
    c->acks = ACKS_REFILLING;
    bbr3_start_round(f, c);
    c->state = BBR3_REFILL;
}

/* The long-term bound grows by 1, 2, 4 ... segments a round. */
static void bbr3_raise_slope(const struct flow *f, struct bbr3 *c)
{
    c->up_acked_per_step = larger(f->cwnd / (double)(UINT32_C(1) << c->up_rounds), 1);
    if (c->up_rounds < BBR3_UP_ROUNDS_MAX)
        c->up_rounds++;
}

static void bbr3_start_up(const struct flow *f, struct bbr3 *c, double bw)
{
    c->acks = ACKS_PROBE_STARTING;
    bbr3_start_round(f, c);
    bbr3_reset_full(c, bw);
    c->state = BBR3_UP;
    bbr3_raise_slope(f, c);
}

static bool bbr3_is_limited(const struct flow *f, const struct rate_sample *rs)
{
    return rs->prior_in_flight >= f->cwnd;
}

static void bbr3_probe_upward(const struct flow *f, struct bbr3 *c, const struct rate_sample *rs)
{
    if (!bbr3_is_limited(f, rs) || f->cwnd < c->inflight_long)
        return;
    c->up_acked += rs->newly_delivered;
    if (c->up_acked >= c->up_acked_per_step) {
        double steps = bbr_down(c->up_acked / c->up_acked_per_step);
        c->up_acked -= steps * c->up_acked_per_step;
        c->inflight_long += steps;
    }
    if (c->is_round_start)
        bbr3_raise_slope(f, c);
}

static bool bbr3_is_too_high(const struct flow *f, double lost, double tx_in_flight)
{
    return lost > f->cfg->window.bbr3_loss_threshold * tx_in_flight;
}

/* True: the next state is decided. */
static bool bbr3_end_probe_samples(const struct flow *f, struct bbr3 *c, const struct rate_sample *rs)
{
    c->is_probe_sample = false;
    c->acks = ACKS_INIT;
    if (!bbr3_is_probe_bw(c))
        return false;
    if (!rs->is_app_limited && c->max_bw[1] > 0) {
        c->max_bw[0] = c->max_bw[1];
        c->max_bw[1] = 0;
    }
    if (!c->was_precautionary || c->was_too_high)
        return false;
    bbr3_start_refill(f, c);
    return true;
}

static bool bbr3_adapt_long_term(const struct flow *f, struct bbr3 *c, const struct rate_sample *rs)
{
    if (c->acks == ACKS_PROBE_STARTING && c->is_round_start)
        c->acks = ACKS_PROBE_FEEDBACK;
    if (c->acks == ACKS_PROBE_STOPPING && c->is_round_start && bbr3_end_probe_samples(f, c, rs))
        return true;
    if (bbr3_is_too_high(f, rs->lost, rs->tx_in_flight) || c->inflight_long >= BBR3_NONE)
        return false;
    c->inflight_long = larger(c->inflight_long, rs->tx_in_flight);
    if (c->state == BBR3_UP)
        bbr3_probe_upward(f, c, rs);
    return false;
}

static bool bbr3_is_time_to_probe(const struct sim *s, const struct flow *f, const struct bbr3 *c)
{
    double reno_rounds = smaller(bbr3_target(f, c), BBR3_RENO_ROUNDS);
    return s->now_ps > c->probe_at_ps || c->rounds_since_up >= reno_rounds;
}

static bool bbr3_is_time_to_go_down(const struct flow *f, struct bbr3 *c, const struct rate_sample *rs, double bw)
{
    if (c->was_too_high && rs->in_flight >= c->inflight_long) {
        c->was_precautionary = true;
        return true;
    }
    if (bbr3_is_limited(f, rs) && f->cwnd >= c->inflight_long) {
        bbr3_reset_full(c, bw); /* the bound limits it, not the path */
        return false;
    }
    return c->is_full_now;
}

static void bbr3_update_phase(const struct sim *s, struct flow *f, struct bbr3 *c, const struct rate_sample *rs,
                              double bw)
{
    if (!c->is_full || bbr3_adapt_long_term(f, c, rs) || !bbr3_is_probe_bw(c))
        return;
    if (c->state == BBR3_REFILL) {
        if (c->is_round_start) {
            c->is_probe_sample = true;
            bbr3_start_up(f, c, bw);
        }
    } else if (c->state == BBR3_UP) {
        if (bbr3_is_time_to_go_down(f, c, rs, bw)) {
            c->was_too_high = false;
            bbr3_start_down(s, f, c);
        }
    } else if (bbr3_is_time_to_probe(s, f, c)) {
        bbr3_start_refill(f, c);
    } else if (c->state == BBR3_DOWN && rs->in_flight <= bbr3_with_headroom(f, c) &&
               rs->in_flight <= bbr3_inflight(f, c, bbr3_max_bw(c))) {
        c->state = BBR3_CRUISE;
    }
}

/* --- Updating the Model Upon Packet Loss -------------------------------------------------------------------------- */

static void bbr3_save_cwnd(const struct flow *f, struct bbr3 *c)
{
    bool is_reduced = c->before != MODE_OPEN || c->state == BBR3_PROBE_RTT;
    c->prior_cwnd = is_reduced ? larger(c->prior_cwnd, f->cwnd) : f->cwnd;
}

/* A segment is taken as lost; what follows for the state comes with the ACK. */
static void bbr3_on_lost(struct flow *f, const struct segment *segment)
{
    struct bbr3 *c = CC_STATE(f, struct bbr3);
    double lost = f->segments.total_lost - segment->total_lost, before = segment->in_flight - 1.0;
    if (!c->is_lossy_round) {
        c->loss_round = f->segments.delivered;
        bbr3_save_cwnd(f, c);
    }
    c->is_lossy_round = true;
    if (!c->is_probe_sample || !bbr3_is_too_high(f, lost, segment->in_flight))
        return;
    double threshold = f->cfg->window.bbr3_loss_threshold;
    double in_flight = before + (threshold * before - (lost - 1)) / (1 - threshold);
    c->was_too_high = true;
    c->is_probe_sample = false;
    c->is_too_high = true;
    if (!(segment->flags & SEGMENT_APP_LIMITED))
        c->inflight_long = larger(in_flight, bbr3_target(f, c) * f->cfg->window.bbr3_beta);
}

static void bbr3_react_to_too_high(const struct sim *s, const struct flow *f, struct bbr3 *c)
{
    if (c->is_too_high && c->state == BBR3_UP)
        bbr3_start_down(s, f, c);
    c->is_too_high = false;
}

/* Once a round with losses, not while probing. */
static void bbr3_lower_bounds(const struct flow *f, struct bbr3 *c)
{
    bool is_probing = c->state == BBR3_STARTUP || c->state == BBR3_REFILL || c->state == BBR3_UP;
    double beta = f->cfg->window.bbr3_beta;
    if (is_probing || !c->is_lossy_round)
        return;
    if (c->bw_short >= BBR3_NONE)
        c->bw_short = bbr3_max_bw(c);
    if (c->inflight_short >= BBR3_NONE)
        c->inflight_short = f->cwnd;
    c->bw_short = larger(c->bw_latest, beta * c->bw_short);
    c->inflight_short = larger(c->inflight_latest, beta * c->inflight_short);
}

static void bbr3_take_signals(const struct flow *f, struct bbr3 *c, const struct rate_sample *rs, double bw)
{
    c->is_loss_round_start = c->is_round_start = false;
    if (!rs->delivered)
        return;
    c->bw_latest = larger(c->bw_latest, bw);
    c->inflight_latest = larger(c->inflight_latest, rs->delivered);
    if ((int32_t)(rs->prior_delivered - c->loss_round) >= 0) {
        c->loss_round = f->segments.delivered;
        c->is_loss_round_start = true;
    }
    if ((int32_t)(rs->prior_delivered - c->next_round) >= 0) {
        bbr3_start_round(f, c);
        c->rounds++;
        c->rounds_since_up++;
        c->is_round_start = true;
    }
    if (!rs->is_app_limited || bw >= bbr3_max_bw(c))
        c->max_bw[1] = larger(c->max_bw[1], bw);
    if (c->is_loss_round_start) {
        bbr3_lower_bounds(f, c);
        c->is_lossy_round = false;
    }
}

/* --- the other steps of UpdateModelAndState ----------------------------------------------------------------------- */

static void bbr3_take_aggregation(const struct sim *s, const struct flow *f, struct bbr3 *c,
                                  const struct rate_sample *rs)
{
    double expected = c->bw * bbr_seconds(s->now_ps - c->extra_since_ps);
    if (c->extra_delivered <= expected) {
        c->extra_delivered = expected = 0;
        c->extra_since_ps = s->now_ps;
    }
    c->extra_delivered += rs->newly_delivered;
    double extra = smaller(c->extra_delivered - expected, f->cwnd);
    bbr_max_take(&c->extra, c->is_full ? BBR3_EXTRA_ROUNDS : 1, c->rounds, extra);
}

static void bbr3_check_full(struct bbr3 *c, const struct rate_sample *rs, double bw)
{
    if (c->is_full_now || !c->is_round_start || rs->is_app_limited)
        return;
    if (bw >= BBR3_FULL_GROWTH * c->full_bw) {
        bbr3_reset_full(c, bw);
        return;
    }
    c->is_full_now = ++c->full_rounds >= BBR3_FULL_ROUNDS;
    c->is_full |= c->is_full_now;
}

/* Startup ends early when a round of recovery lost too much. */
static void bbr3_check_startup_loss(const struct flow *f, struct bbr3 *c, const struct rate_sample *rs)
{
    if (c->is_full)
        return;
    c->losses_in_round += rs->newly_lost > 0 && c->losses_in_round < UINT8_MAX;
    if (!c->is_loss_round_start)
        return;
    if (f->mode == MODE_RECOVERY && c->losses_in_round >= BBR3_FULL_LOSSES &&
        bbr3_is_too_high(f, rs->lost, rs->tx_in_flight)) {
        c->is_full = true;
        c->inflight_long = larger(bbr3_bdp(c, c->bw, 1), c->inflight_latest);
    }
    c->losses_in_round = 0;
}

static void bbr3_check_startup_and_drain(const struct sim *s, const struct flow *f, struct bbr3 *c,
                                         const struct rate_sample *rs)
{
    bbr3_check_startup_loss(f, c, rs);
    if (c->state == BBR3_STARTUP && c->is_full) {
        c->state = BBR3_DRAIN;
        c->drain_round = c->rounds;
    }
    if (c->state == BBR3_DRAIN &&
        (rs->in_flight <= bbr3_inflight(f, c, c->bw) || c->rounds > c->drain_round + BBR3_DRAIN_ROUNDS))
        bbr3_start_down(s, f, c);
}

/* --- ProbeRTT ----------------------------------------------------------------------------------------------------- */

/* True: it is time for ProbeRTT. */
static bool bbr3_take_rtt(const struct sim *s, const struct flow *f, struct bbr3 *c, const struct rate_sample *rs)
{
    bool is_due = s->now_ps > c->probe_rtt_since_ps + f->cfg->window.bbr3_probe_rtt_interval_ps;
    if (is_due && c->state != BBR3_PROBE_RTT)
        c->probe_rtt_cwnd = larger(bbr3_bdp(c, c->bw, BBR3_GAIN[BBR3_PROBE_RTT].cwnd), BBR3_LEAST_WINDOW);
    if (rs->rtt_ps >= 0 && (c->probe_rtt_ps < 0 || rs->rtt_ps < c->probe_rtt_ps || is_due)) {
        c->probe_rtt_ps = rs->rtt_ps;
        c->probe_rtt_since_ps = s->now_ps;
    }
    bool is_old = s->now_ps > c->min_rtt_since_ps + f->cfg->window.bbr_min_rtt_window_ps;
    if (c->probe_rtt_ps >= 0 && (c->min_rtt_ps < 0 || c->probe_rtt_ps < c->min_rtt_ps || is_old)) {
        c->min_rtt_ps = c->probe_rtt_ps;
        c->min_rtt_since_ps = c->probe_rtt_since_ps;
    }
    return is_due;
}

static void bbr3_restore_cwnd(struct sim *s, struct flow *f, struct bbr3 *c)
{
    bbr_set_cwnd(s, f, larger(f->cwnd, c->prior_cwnd));
}

static void bbr3_end_probe_rtt(struct sim *s, struct flow *f, struct bbr3 *c)
{
    if (!c->probe_rtt_until_ps || s->now_ps <= c->probe_rtt_until_ps)
        return;
    c->probe_rtt_since_ps = s->now_ps;
    bbr3_restore_cwnd(s, f, c);
    bbr3_reset_short_term(c);
    if (c->is_full) {
        bbr3_start_down(s, f, c);
        c->state = BBR3_CRUISE;
    } else {
        c->state = BBR3_STARTUP;
    }
}

static void bbr3_check_probe_rtt(struct sim *s, struct flow *f, struct bbr3 *c, const struct rate_sample *rs,
                                 bool is_due)
{
    if (is_due && c->state != BBR3_PROBE_RTT && !c->is_idle_restart) {
        bbr3_save_cwnd(f, c);
        c->state = BBR3_PROBE_RTT;
        c->probe_rtt_until_ps = 0;
        c->acks = ACKS_PROBE_STOPPING;
        bbr3_start_round(f, c);
    }
    if (rs->delivered)
        c->is_idle_restart = false;
    if (c->state != BBR3_PROBE_RTT)
        return;
    segments_note_app_limited(f);
    if (!c->probe_rtt_until_ps && rs->in_flight <= c->probe_rtt_cwnd) {
        c->probe_rtt_until_ps = s->now_ps + BBR3_PROBE_RTT_PS;
        c->is_round_done = false;
        bbr3_start_round(f, c);
    } else if (c->probe_rtt_until_ps) {
        c->is_round_done |= c->is_round_start;
        if (c->is_round_done)
            bbr3_end_probe_rtt(s, f, c);
    }
}

/* --- Updating Control Parameters ---------------------------------------------------------------------------------- */

static void bbr3_first_pace(struct flow *f, struct bbr3 *c)
{
    double rtt_s = f->rto.has_sample ? rto_srtt_s(&f->rto, f->cfg) : 1e-3;
    c->has_rtt = f->rto.has_sample;
    bbr_set_pace(f, BBR3_GAIN[BBR3_STARTUP].pacing * f->cwnd / rtt_s);
}

static void bbr3_update_pace(struct flow *f, struct bbr3 *c, double gain)
{
    if (!c->has_rtt && f->rto.has_sample)
        bbr3_first_pace(f, c);
    double pace = gain * c->bw * BBR3_MARGIN;
    if (c->is_full || pace > bbr_pace(f))
        bbr_set_pace(f, pace);
}

static double bbr3_bound(const struct flow *f, const struct bbr3 *c)
{
    double cap = BBR3_NONE;
    if (c->state == BBR3_PROBE_RTT || c->state == BBR3_CRUISE)
        cap = bbr3_with_headroom(f, c);
    else if (bbr3_is_probe_bw(c))
        cap = c->inflight_long;
    return larger(smaller(cap, c->inflight_short), BBR3_LEAST_WINDOW);
}

static void bbr3_update_window(struct sim *s, struct flow *f, struct bbr3 *c, const struct rate_sample *rs)
{
    double most = bbr3_bdp(c, c->bw, BBR3_GAIN[c->state].cwnd) + c->extra.value[0], cwnd = f->cwnd;
    most = bbr3_with_budget(f, c, most);
    if (c->is_full)
        cwnd = smaller(cwnd + rs->newly_delivered, most);
    else if (cwnd < most || f->segments.delivered < BBR3_FIRST_WINDOW)
        cwnd += rs->newly_delivered;
    cwnd = larger(cwnd, BBR3_LEAST_WINDOW);
    if (c->state == BBR3_PROBE_RTT)
        cwnd = smaller(cwnd, c->probe_rtt_cwnd);
    bbr_set_cwnd(s, f, smaller(cwnd, bbr3_bound(f, c)));
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static void bbr3_note_mode(struct sim *s, struct flow *f, struct bbr3 *c)
{
    if (f->mode == MODE_OPEN && c->before != MODE_OPEN)
        bbr3_restore_cwnd(s, f, c);
    c->before = (uint8_t)f->mode;
}

static void bbr3_control(struct sim *s, struct flow *f, const struct rate_sample *rs)
{
    struct bbr3 *c = CC_STATE(f, struct bbr3);
    double bw = rs->delivered ? rs->delivered / bbr_seconds(rs->interval_ps) : 0;
    bbr3_note_mode(s, f, c);
    bbr3_react_to_too_high(s, f, c);
    bbr3_take_signals(f, c, rs, bw);
    bbr3_take_aggregation(s, f, c, rs);
    bbr3_check_full(c, rs, bw);
    bbr3_check_startup_and_drain(s, f, c, rs);
    bbr3_update_phase(s, f, c, rs, bw);
    bbr3_check_probe_rtt(s, f, c, rs, bbr3_take_rtt(s, f, c, rs));
    if (c->is_loss_round_start) {
        c->bw_latest = bw;
        c->inflight_latest = rs->delivered;
    }
    c->bw = smaller(bbr3_max_bw(c), c->bw_short);
    bbr3_update_pace(f, c, BBR3_GAIN[c->state].pacing);
    bbr3_update_window(s, f, c, rs);
}

static void bbr3_start(struct sim *s, struct flow *f)
{
    struct bbr3 *c = CC_STATE(f, struct bbr3);
    c->min_rtt_ps = c->probe_rtt_ps = bbr_first_rtt_ps(f);
    c->min_rtt_since_ps = c->probe_rtt_since_ps = c->extra_since_ps = s->now_ps;
    c->inflight_long = c->up_acked_per_step = BBR3_NONE;
    c->probe_rtt_cwnd = BBR3_FIRST_WINDOW;
    bbr3_reset_short_term(c);
    bbr3_first_pace(f, c);
}

static double bbr3_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    bbr3_save_cwnd(f, CC_STATE(f, struct bbr3));
    return f->ssthresh;
}

static void bbr3_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    CC_STATE(f, struct bbr3)->before = MODE_LOSS;
}

static void bbr3_on_restart(struct sim *s, struct flow *f)
{
    struct bbr3 *c = CC_STATE(f, struct bbr3);
    if (!f->segments.app_limited)
        return;
    c->is_idle_restart = true;
    c->extra_since_ps = s->now_ps;
    if (bbr3_is_probe_bw(c))
        bbr3_update_pace(f, c, 1);
    else if (c->state == BBR3_PROBE_RTT)
        bbr3_end_probe_rtt(s, f, c);
}

const struct cc_ops cc_bbr3 = {
    .item = {"bbr3", "bbr with bounds from losses, version 3", "draft-ietf-ccwg-bbr", "bbrv3"},
    .paces = true,
    .control = bbr3_control,
    .ssthresh = bbr3_ssthresh,
    .start = bbr3_start,
    .on_timeout = bbr3_on_timeout,
    .on_lost = bbr3_on_lost,
    .on_restart = bbr3_on_restart,
};
