/* rto.c - what rto.h has not inlined: the start, backoff, ns-2's integer clock ticks, and Linux's estimator.
 *
 * ns-2 (tcp.cc): srtt is kept times 8, rttvar times 4, both at least 1; without timestamps a sample counts the ticks
 * that pass between sending and now; beyond a backoff of 8 the estimate is given up, its mean moved into the deviation.
 *
 * Linux 6.1 (tcp_input.c tcp_rtt_estimator, tcp_set_rto): whole microseconds, srtt times 8, deviations times 4. The
 * deviation that the timeout uses is at least min_rto: it rises at once with the largest one of a window and sinks by a
 * quarter once a window. A sample below srtt counts an eighth, and only if it raises the deviation.
 * Its timers (timer.c) are set for whole ticks (rto_granularity), counted from the tick before, and fire on a tick
 * after that: the next one up to 62 ticks, the next multiple of 8, 64 ... beyond. The wheel's phase is ours.
 *
 * BSD (4.4BSD tcp_slowtimo): a timer of n ticks fires at the n-th tick of a clock that all connections share, so up to
 * a tick early. The clock's phase is ours: ticks at multiples of rto_heartbeat.
 */
#include "rto.h"

enum { NS2_BACKOFF_MAX = 64, NS2_BACKOFF_FORGET = 8, BACKOFF_MAX = 65536 }; /* max_rto bounds the others */

void rto_init(struct rto_state *rto, const struct tcp_cfg *cfg)
{
    *rto = (struct rto_state){
        .base_ps = cfg->initial_rto_ps,
        .backoff = 1,
        .granularity_ps = cfg->rto_granularity_ps,
        .min_ps = cfg->min_rto_ps,
        .max_ps = cfg->max_rto_ps,
        .is_linux = cfg->rto_estimator == RTO_LINUX,
        .heartbeat_ps = cfg->rto_heartbeat_ps,
    };
}

static int64_t ns2_ticks(const struct tcp_cfg *cfg, int64_t rtt_ps, int64_t sent_ps)
{
    int64_t tick_ps = cfg->rto_granularity_ps;
    int64_t ticks = cfg->timestamps ? (rtt_ps + tick_ps / 2) / tick_ps : (rtt_ps + sent_ps % tick_ps) / tick_ps;
    return ticks < 1 ? 1 : ticks;
}

/* What a sample that differs by `delta` adds to the deviation. Linux's agent lets one below the mean raise it by an
 * eighth only, and has no least value. */
static int64_t ns2_deviation(const struct rto_state *rto, const struct tcp_cfg *cfg, int64_t delta)
{
    int64_t step = (delta < 0 ? -delta : delta) - (rto->rttvar_4 >> 2);
    if (cfg->rto_estimator == RTO_NS2_LINUX)
        return delta < 0 && step > 0 ? step >> 3 : step;
    return rto->rttvar_4 + step < 1 ? 1 - rto->rttvar_4 : step;
}

void rto_sample_ns2(struct rto_state *rto, const struct tcp_cfg *cfg, int64_t rtt_ps, int64_t sent_ps)
{
    int64_t m = ns2_ticks(cfg, rtt_ps, sent_ps);
    if (rto->srtt_8 == 0) {
        rto->srtt_8 = 8 * m;
        rto->rttvar_4 = 2 * m;
        rto->has_sample = true;
    } else {
        int64_t delta = m - (rto->srtt_8 >> 3);
        rto->srtt_8 += delta;
        if (rto->srtt_8 < 1)
            rto->srtt_8 = 1;
        rto->rttvar_4 += ns2_deviation(rto, cfg, delta);
    }
    int64_t base_ps = ((8 * rto->rttvar_4 + rto->srtt_8) >> 3) * cfg->rto_granularity_ps;
    rto->base_ps = base_ps > cfg->min_rto_ps ? base_ps : cfg->min_rto_ps;
}

/* --- Linux -------------------------------------------------------------------------------------------------------- */

enum { WHEEL_FIRST_LEVEL = 63, WHEEL_LEVEL_BITS = 3, WHEEL_LEVELS = 9 };

static int64_t ticks_up(int64_t time_ps, int64_t tick_ps)
{
    return (time_ps + tick_ps - 1) / tick_ps;
}

int64_t rto_fires_ps(const struct rto_state *rto, int64_t now_ps, int64_t wait_ps)
{
    int64_t tick_ps = rto->granularity_ps, beat_ps = rto->heartbeat_ps;
    if (beat_ps > 0)
        return (wait_ps < beat_ps ? now_ps / beat_ps + 1 : (now_ps + wait_ps) / beat_ps) * beat_ps;
    if (!rto->is_linux || tick_ps == 0)
        return now_ps + wait_ps;
    int64_t wait = ticks_up(wait_ps, tick_ps), expires = now_ps / tick_ps + wait;
    int bits = 0;
    for (int64_t most = WHEEL_FIRST_LEVEL; wait >= most && bits < WHEEL_LEVELS * WHEEL_LEVEL_BITS;
         most <<= WHEEL_LEVEL_BITS)
        bits += WHEEL_LEVEL_BITS;
    return (((expires >> bits) + 1) << bits) * tick_ps;
}

static void linux_deviation(struct rto_state *rto, int64_t error_us)
{
    int64_t change = (error_us < 0 ? -error_us : error_us) - (rto->mdev_4 >> 2);
    if (error_us < 0 && change > 0)
        change >>= 3;
    rto->mdev_4 += change;
    if (rto->mdev_4 > rto->mdev_max_4) {
        rto->mdev_max_4 = rto->mdev_4;
        if (rto->mdev_max_4 > rto->rttvar_4)
            rto->rttvar_4 = rto->mdev_max_4;
    }
}

void rto_sample_linux(struct rto_state *rto, int64_t now_ps, int64_t sent_ps, uint32_t una, uint32_t next)
{
    int64_t rtt_us = now_ps / PS_PER_US - sent_ps / PS_PER_US, floor_us = rto->min_ps / PS_PER_US;
    if (rtt_us < 1)
        rtt_us = 1;
    if (!rto->has_sample) {
        rto->has_sample = true;
        rto->srtt_8 = 8 * rtt_us;
        rto->mdev_4 = 2 * rtt_us;
        rto->mdev_max_4 = rto->rttvar_4 = rto->mdev_4 > floor_us ? rto->mdev_4 : floor_us;
        rto->window_end = next;
    } else {
        int64_t error_us = rtt_us - (rto->srtt_8 >> 3);
        rto->srtt_8 += error_us;
        linux_deviation(rto, error_us);
        if (una > rto->window_end) {
            if (rto->mdev_max_4 < rto->rttvar_4)
                rto->rttvar_4 -= (rto->rttvar_4 - rto->mdev_max_4) >> 2;
            rto->window_end = next;
            rto->mdev_max_4 = floor_us;
        }
    }
    int64_t base_ps = ((rto->srtt_8 >> 3) + rto->rttvar_4) * PS_PER_US, tick_ps = rto->granularity_ps;
    rto->base_ps = tick_ps > 0 ? ticks_up(base_ps, tick_ps) * tick_ps : base_ps;
}

/* ------------------------------------------------------------------------------------------------------------------ */

void rto_back_off(struct rto_state *rto, const struct tcp_cfg *cfg)
{
    bool is_ns2 = rto_is_ticks(cfg);
    if (rto->backoff < (is_ns2 ? NS2_BACKOFF_MAX : BACKOFF_MAX))
        rto->backoff *= 2;
    if (is_ns2 && rto->backoff > NS2_BACKOFF_FORGET) {
        rto->rttvar_4 += rto->srtt_8 >> 3;
        rto->srtt_8 = 0;
    }
}

double rto_srtt_s(const struct rto_state *rto, const struct tcp_cfg *cfg)
{
    if (rto->is_linux)
        return (double)rto->srtt_8 / 8 * 1e-6;
    if (rto_is_ticks(cfg))
        return (double)rto->srtt_8 / 8 * (double)cfg->rto_granularity_ps / (double)PS_PER_S;
    return (double)rto->srtt_ps / (double)PS_PER_S;
}

double rto_rttvar_s(const struct rto_state *rto, const struct tcp_cfg *cfg)
{
    if (rto->is_linux)
        return (double)rto->rttvar_4 / 4 * 1e-6;
    if (rto_is_ticks(cfg))
        return (double)rto->rttvar_4 / 4 * (double)cfg->rto_granularity_ps / (double)PS_PER_S;
    return (double)rto->rttvar_ps / (double)PS_PER_S;
}
