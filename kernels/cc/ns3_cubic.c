/* ns3_cubic.c - CUBIC as ns-3 3.48 has it (tcp-cubic.cc), in whole segments and real time.
 *
 * Against Linux (cubic.c): one segment more at most an ACK, however many segments it acknowledges; the curve is worked
 * out at every ACK, in exact time; a timeout also forgets the least delay. HyStart is Linux's (key hystart).
 */
#include "hystart.h"
#include "ns3.h"

#include "../detmath.h"

enum { FIRST_PER = 20, LEAST_PER = 2, RENO_SCALE = 15 };

static const double C = 0.4, BETA = 0.7;

static const int64_t AFTER_RECOVERY_PS = 10 * PS_PER_MS; /* no delay is looked at for so long */

struct cubic {
    struct hystart hystart;
    bool is_running;
    int64_t epoch_ps, min_ps; /* min 0: none */
    double k;
    uint32_t last_max, origin, count, acks, reno_cwnd;
};

static void begin(const struct sim *s, struct cubic *c, uint32_t cwnd)
{
    c->is_running = true;
    c->epoch_ps = s->now_ps;
    c->acks = 0;
    c->reno_cwnd = cwnd;
    c->origin = c->last_max > cwnd ? c->last_max : cwnd;
    c->k = det_cbrt((c->origin - cwnd) / C);
}

static uint32_t per_of_reno(struct cubic *c, uint32_t cwnd)
{
    uint32_t step = cwnd * RENO_SCALE >> 3;
    while (step > 0 && c->acks > step) {
        c->acks -= step;
        c->reno_cwnd++;
    }
    return c->reno_cwnd > cwnd ? cwnd / (c->reno_cwnd - cwnd) : UINT32_MAX;
}

static uint32_t update(const struct sim *s, struct cubic *c, uint32_t cwnd, uint32_t acked)
{
    if (!c->is_running)
        begin(s, c, cwnd);
    c->acks += acked;
    double t_s = (double)(s->now_ps + c->min_ps - c->epoch_ps) / (double)PS_PER_S;
    double offset = t_s < c->k ? c->k - t_s : t_s - c->k;
    int64_t delta = (int64_t)(C * offset * offset * offset),
            target = t_s < c->k ? c->origin - delta : c->origin + delta;
    uint32_t per = target > cwnd ? (uint32_t)(cwnd / (target - cwnd)) : 100 * cwnd, most = per_of_reno(c, cwnd);
    if (c->last_max == 0 && per > FIRST_PER)
        per = FIRST_PER;
    per = per < most ? per : most;
    return per > LEAST_PER ? per : LEAST_PER;
}

static void cubic_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct cubic *c = CC_STATE(f, struct cubic);
    double cwnd = f->cwnd;
    if (cwnd < f->ssthresh) {
        cwnd = cwnd + acked < f->ssthresh ? cwnd + acked : f->ssthresh;
        acked -= (uint32_t)(cwnd - f->cwnd);
    }
    if (acked >= 1) {
        c->count += (uint32_t)acked;
        uint32_t per = update(s, c, ns3_whole(cwnd), (uint32_t)acked);
        cwnd += c->count >= per;
        c->count -= c->count >= per ? per : 0;
    }
    growth_set_cwnd(s, f, cwnd);
}

static double cubic_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct cubic *c = CC_STATE(f, struct cubic);
    uint32_t cwnd = ns3_whole(f->cwnd);
    c->last_max = cwnd < c->last_max ? (uint32_t)(cwnd * (1 + BETA) / 2) : cwnd;
    c->is_running = false;
    return growth_at_least_min((uint32_t)(cwnd * BETA));
}

static void cubic_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)acked;
    struct cubic *c = CC_STATE(f, struct cubic);
    if (rtt_ps < 0 || (c->is_running && s->now_ps - c->epoch_ps < AFTER_RECOVERY_PS))
        return;
    if (c->min_ps == 0 || rtt_ps < c->min_ps)
        c->min_ps = rtt_ps;
    hystart_sample(s, f, &c->hystart, rtt_ps);
}

static void cubic_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    struct cubic *c = CC_STATE(f, struct cubic);
    c->last_max = c->origin = c->count = 0;
    c->is_running = false;
    c->min_ps = 0;
    hystart_timeout(&c->hystart);
}

const struct cc_ops cc_cubic_ns3 = {
    .item = {"cubic_ns3", "TcpCubic of ns-3", "ns-3 3.48, tcp-cubic.cc", NULL},
    .on_ack = cubic_on_ack,
    .ssthresh = cubic_ssthresh,
    .on_rtt = cubic_on_rtt,
    .on_timeout = cubic_on_timeout,
};
