/* rto.h - round-trip time estimation and the retransmission timeout. */
#ifndef KERNELS_RTO_H
#define KERNELS_RTO_H

#include <stdint.h>

struct rto_state;
struct tcp_cfg;

/* The state before any sample: RTO = initial_rto. */
void rto_init(struct rto_state *rto, const struct tcp_cfg *cfg);

/* Takes a sample: `rtt_ps`, of a segment sent at `sent_ps` (what a coarse clock reads depends on when it was sent). */
void rto_sample(struct rto_state *rto, const struct tcp_cfg *cfg, int64_t rtt_ps, int64_t sent_ps);

/* Doubles the backoff after an expiry. */
void rto_back_off(struct rto_state *rto, const struct tcp_cfg *cfg);

/* The timeout in force, with backoff and limits, ps. */
int64_t rto_timeout_ps(const struct rto_state *rto, const struct tcp_cfg *cfg);

/* Estimates in seconds, for traces. */
double rto_srtt_s(const struct rto_state *rto, const struct tcp_cfg *cfg);
double rto_rttvar_s(const struct rto_state *rto, const struct tcp_cfg *cfg);

#endif
