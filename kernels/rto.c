/* rto.c - what rto.h has not inlined: the start, backoff, and ns-2's integer clock ticks.
 *
 * ns-2 (tcp.cc): srtt is kept times 8, rttvar times 4, both at least 1; without timestamps a sample counts the ticks
 * that pass between sending and now; beyond a backoff of 8 the estimate is given up, its mean moved into the deviation.
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
    };
}

static int64_t ns2_ticks(const struct tcp_cfg *cfg, int64_t rtt_ps, int64_t sent_ps)
{
    int64_t tick_ps = cfg->rto_granularity_ps;
    int64_t ticks = cfg->timestamps ? (rtt_ps + tick_ps / 2) / tick_ps : (rtt_ps + sent_ps % tick_ps) / tick_ps;
    return ticks < 1 ? 1 : ticks;
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
        rto->rttvar_4 += (delta < 0 ? -delta : delta) - (rto->rttvar_4 >> 2);
        if (rto->rttvar_4 < 1)
            rto->rttvar_4 = 1;
    }
    int64_t base_ps = ((8 * rto->rttvar_4 + rto->srtt_8) >> 3) * cfg->rto_granularity_ps;
    rto->base_ps = base_ps > cfg->min_rto_ps ? base_ps : cfg->min_rto_ps;
}

void rto_back_off(struct rto_state *rto, const struct tcp_cfg *cfg)
{
    bool is_ns2 = cfg->rto_estimator == RTO_NS2;
    if (rto->backoff < (is_ns2 ? NS2_BACKOFF_MAX : BACKOFF_MAX))
        rto->backoff *= 2;
    if (is_ns2 && rto->backoff > NS2_BACKOFF_FORGET) {
        rto->rttvar_4 += rto->srtt_8 >> 3;
        rto->srtt_8 = 0;
    }
}

double rto_srtt_s(const struct rto_state *rto, const struct tcp_cfg *cfg)
{
    if (cfg->rto_estimator == RTO_NS2)
        return (double)rto->srtt_8 / 8 * (double)cfg->rto_granularity_ps / (double)PS_PER_S;
    return (double)rto->srtt_ps / (double)PS_PER_S;
}

double rto_rttvar_s(const struct rto_state *rto, const struct tcp_cfg *cfg)
{
    if (cfg->rto_estimator == RTO_NS2)
        return (double)rto->rttvar_4 / 4 * (double)cfg->rto_granularity_ps / (double)PS_PER_S;
    return (double)rto->rttvar_ps / (double)PS_PER_S;
}
