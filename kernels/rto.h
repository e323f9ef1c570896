/* rto.h - round-trip time estimation and the retransmission timeout. */
#ifndef KERNELS_RTO_H
#define KERNELS_RTO_H

#include "flow.h"

static inline bool rto_is_ticks(const struct tcp_cfg *cfg)
{
    return cfg->rto_estimator == RTO_NS2 || cfg->rto_estimator == RTO_NS2_LINUX;
}

/* The state before any sample: RTO = initial_rto. */
void rto_init(struct rto_state *rto, const struct tcp_cfg *cfg);

/* ns-2's estimator: ticks, see rto.c. */
void rto_sample_ns2(struct rto_state *rto, const struct tcp_cfg *cfg, int64_t rtt_ps, int64_t sent_ps);

/* Linux's estimator, see rto.c: a sample of a segment sent at sent_ps, taken when una and the next new segment are
 * these. */
void rto_sample_linux(struct rto_state *rto, int64_t now_ps, int64_t sent_ps, uint32_t una, uint32_t next);

/* When a timer that is set at now_ps for wait_ps fires: at once when it is due, but by Linux's clock on a tick. */
int64_t rto_fires_ps(const struct rto_state *rto, int64_t now_ps, int64_t wait_ps);

/* RFC 6298 section 2, in whole picoseconds. */
static inline void rto_sample_rfc6298(struct rto_state *rto, int64_t rtt_ps)
{
    if (__builtin_expect(!rto->has_sample, 0)) {
        rto->srtt_ps = rtt_ps;
        rto->rttvar_ps = rtt_ps / 2;
        rto->has_sample = true;
    } else {
        int64_t error_ps = rtt_ps - rto->srtt_ps;
        rto->rttvar_ps += ((error_ps < 0 ? -error_ps : error_ps) - rto->rttvar_ps) >> 2;
        rto->srtt_ps += error_ps >> 3;
    }
    int64_t deviation_ps = 4 * rto->rttvar_ps;
    int64_t base_ps = rto->srtt_ps + (deviation_ps > rto->granularity_ps ? deviation_ps : rto->granularity_ps);
    rto->base_ps = base_ps > rto->min_ps ? base_ps : rto->min_ps;
}

/* Takes a sample: `rtt_ps`, of a segment sent at `sent_ps` (what a coarse clock reads depends on when it was sent). */
static inline void rto_sample(struct rto_state *rto, const struct tcp_cfg *cfg, int64_t rtt_ps, int64_t sent_ps)
{
    if (__builtin_expect(rto_is_ticks(cfg) && cfg->rto_granularity_ps > 0, 0))
        rto_sample_ns2(rto, cfg, rtt_ps, sent_ps);
    else
        rto_sample_rfc6298(rto, rtt_ps);
}

/* Doubles the backoff after an expiry. */
void rto_back_off(struct rto_state *rto, const struct tcp_cfg *cfg);

/* The timeout in force, with backoff and limits, ps. */
static inline int64_t rto_timeout_ps(const struct rto_state *rto)
{
    int64_t t_ps = rto->base_ps * rto->backoff;
    return t_ps < rto->max_ps ? t_ps : rto->max_ps;
}

/* Estimates in seconds, for traces. */
double rto_srtt_s(const struct rto_state *rto, const struct tcp_cfg *cfg);
double rto_rttvar_s(const struct rto_state *rto, const struct tcp_cfg *cfg);

#endif
