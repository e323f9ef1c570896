/* bbr.h - what bbr and bbr3 share: the windowed maximum, their random numbers, the rate at which segments leave. */
#ifndef KERNELS_CC_BBR_H
#define KERNELS_CC_BBR_H

#include "../random.h"
#include "../rto.h"
#include "../tcp.h"

/* Maximum over a window of rounds: the three best in different parts of it (K. Nichols; Linux lib/win_minmax.c). */
struct bbr_max {
    double value[3];
    uint32_t round[3];
};

static inline void bbr_max_move_up(struct bbr_max *m)
{
    for (int i = 0; i < 2; i++) {
        m->value[i] = m->value[i + 1];
        m->round[i] = m->round[i + 1];
    }
}

static inline void bbr_max_fill(struct bbr_max *m, int from, uint32_t round, double value)
{
    for (int i = from; i < 3; i++) {
        m->value[i] = value;
        m->round[i] = round;
    }
}

static inline void bbr_max_take(struct bbr_max *m, uint32_t window, uint32_t round, double value)
{
    if (value >= m->value[0] || round - m->round[2] > window) {
        bbr_max_fill(m, 0, round, value);
        return;
    }
    if (value >= m->value[1])
        bbr_max_fill(m, 1, round, value);
    else if (value >= m->value[2])
        bbr_max_fill(m, 2, round, value);
    uint32_t age = round - m->round[0];
    if (age > window) {
        for (int i = 0; i < 2 && round - m->round[0] > window; i++) {
            bbr_max_move_up(m);
            bbr_max_fill(m, 2, round, value);
        }
    } else if (m->round[1] == m->round[0] && age > window / 4) {
        bbr_max_fill(m, 1, round, value);
    } else if (m->round[2] == m->round[1] && age > window / 2) {
        bbr_max_fill(m, 2, round, value);
    }
}

/* Draw number *draws of the flow's own stream, uniform in (0, 1). */
static inline double bbr_random(const struct sim *s, const struct flow *f, uint32_t *draws)
{
    enum { BBR_ELEMENTS = 0x50000000 };
    struct random_stream random;
    random_init(&random, s->key, BBR_ELEMENTS + f->id);
    random.block = (*draws)++;
    return random_uniform(&random);
}

static inline double bbr_seconds(int64_t t_ps)
{
    return (double)t_ps / (double)PS_PER_S;
}

/* Whole numbers of segments; none is negative or near 2^63. */
static inline double bbr_down(double segments)
{
    return (double)(int64_t)segments;
}

static inline double bbr_up(double segments)
{
    double down = bbr_down(segments);
    return down + (down < segments);
}

/* The smoothed RTT at the start, the handshake's; -1: none. */
static inline int64_t bbr_first_rtt_ps(const struct flow *f)
{
    return f->rto.has_sample ? (int64_t)(rto_srtt_s(&f->rto, f->cfg) * (double)PS_PER_S) : -1;
}

/* Segments per second that the pacing rate is. */
static inline double bbr_pace(const struct flow *f)
{
    return f->pacing_bps / (8.0 * f->full_payload);
}

static inline void bbr_set_pace(struct flow *f, double segments_per_s)
{
    f->pacing_bps = segments_per_s * 8 * f->full_payload;
}

static inline void bbr_set_cwnd(struct sim *s, struct flow *f, double cwnd)
{
    if (cwnd > f->cfg->cwnd_max_segs)
        cwnd = f->cfg->cwnd_max_segs;
    if (cwnd != f->cwnd)
        tcp_set_cwnd(s, f, cwnd);
}

#endif
