/* cc_bench.h - one flow without a network, for tests of congestion controls: ACKs, losses and timeouts by hand, hooks
 * called in the order in which the sender calls them. */
#ifndef TESTS_UNIT_CC_BENCH_H
#define TESTS_UNIT_CC_BENCH_H

#include "load_sweep.h"

#include "../../kernels/tcp.h"

struct cc_bench {
    struct sim sim;
    struct flow flow;
    struct tcp_cfg cfg;
};

/* What is in flight: the whole window. */
static inline void bench_fill(struct flow *f)
{
    f->next = f->una + (f->cwnd > 1 ? (uint32_t)f->cwnd : 1);
    f->end = f->next;
}

/* A flow of a preset: cwnd and ssthresh at their initial values, nothing acknowledged. sets: `tcp.key=value;...`. */
static inline void bench_open(struct cc_bench *b, const char *algorithm, const char *sets)
{
    char text[500];
    memset(b, 0, sizeof *b);
    snprintf(text, sizeof text, "tcp.algorithm=%s;%s", algorithm, sets ? sets : "");
    struct sweep *sweep = load_set(PATH, text);
    struct scenario *scenario = scenario_at(sweep, 0);
    struct flow *f = &b->flow;
    b->cfg = scenario->flows[0].tcp;
    free(scenario);
    sweep_free(sweep);
    f->cfg = &b->cfg;
    f->is_uniform = f->may_grow = f->is_cwnd_limited = true;
    f->window = SEGMENTS_MAX;
    f->window_real = SEGMENTS_MAX;
    f->cwnd = b->cfg.initial_window_segs;
    f->ssthresh = b->cfg.initial_ssthresh_segs;
    f->fin_segment = UINT32_MAX;
    if (b->cfg.cc->start)
        b->cfg.cc->start(&b->sim, f);
    bench_fill(f);
}

/* In congestion avoidance at that window. */
static inline void bench_avoid(struct cc_bench *b, double cwnd)
{
    b->flow.cwnd = b->flow.ssthresh = cwnd;
    bench_fill(&b->flow);
}

static inline void bench_wait(struct cc_bench *b, double s)
{
    b->sim.now_ps += (int64_t)(s * (double)PS_PER_S + 0.5);
}

/* An ACK for n segments now, whose round trip took rtt_s. */
static inline void bench_ack(struct cc_bench *b, uint32_t n, double rtt_s)
{
    struct flow *f = &b->flow;
    const struct cc_ops *cc = b->cfg.cc;
    int64_t rtt_ps = (int64_t)(rtt_s * (double)PS_PER_S + 0.5);
    f->una += n;
    if (f->next < f->una)
        f->next = f->end = f->una;
    f->rto.srtt_ps = f->rto.has_sample ? f->rto.srtt_ps + (rtt_ps - f->rto.srtt_ps) / 8 : rtt_ps;
    f->rto.has_sample = true;
    if (cc->on_rtt)
        cc->on_rtt(&b->sim, f, n, rtt_ps);
    if (f->mode != MODE_RECOVERY)
        cc->on_ack(&b->sim, f, n);
    bench_fill(f);
}

/* So many round trips, the ACKs of each evenly spaced. */
static inline void bench_rounds(struct cc_bench *b, int rounds, double rtt_s)
{
    for (; rounds > 0; rounds--) {
        int n = (int)b->flow.cwnd > 1 ? (int)b->flow.cwnd : 1;
        for (int i = 0; i < n; i++) {
            bench_wait(b, rtt_s / n);
            bench_ack(b, 1, rtt_s);
        }
    }
}

/* As tcp_reduce. */
static inline void bench_reduce(struct cc_bench *b)
{
    double ssthresh = b->cfg.cc->ssthresh(&b->sim, &b->flow);
    b->flow.ssthresh = ssthresh > 2 ? ssthresh : 2;
}

/* A loss that three duplicate ACKs show, and the end of its recovery. */
static inline void bench_lose(struct cc_bench *b)
{
    struct flow *f = &b->flow;
    const struct cc_ops *cc = b->cfg.cc;
    for (int i = 0; i < 3 && cc->on_duplicate; i++)
        cc->on_duplicate(&b->sim, f);
    f->mode = MODE_RECOVERY;
    bench_reduce(b);
    f->cwnd = f->ssthresh;
    f->has_recover = true;
    f->mode = MODE_OPEN;
    if (cc->on_recovery_exit)
        cc->on_recovery_exit(&b->sim, f);
    bench_fill(f);
}

static inline void bench_time_out(struct cc_bench *b)
{
    struct flow *f = &b->flow;
    const struct cc_ops *cc = b->cfg.cc;
    bench_reduce(b);
    if (cc->on_timeout)
        cc->on_timeout(&b->sim, f);
    f->has_recover = f->slow_start_after_rto = true;
    f->cwnd = 1;
    f->duplicate_acks = 0;
    bench_fill(f);
}

#endif
