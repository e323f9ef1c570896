/* linux26_cubic.c - CUBIC 2.1 as Linux 2.6.22 has it in ns-2.35 (linux/src/tcp_cubic.c), in integers.
 *
 * Against Linux 6.1 (cubic.c): beta is 819/1024, no HyStart, steps count ACKs (linux26.h) and are divided by the mean
 * of segments per ACK, growth beyond the plateau is bounded to 16 segments per 100 ms, the first stage grows by one in
 * 50 ACKs (25 by the initial ratio of 2), the clock has 1000 Hz.
 *
 * Departure: the cube root is exact; the module's has an error of 0.2 % on average.
 */
#include "linux26.h"

#include <string.h>

#include "../detmath.h"

enum { SCALE = 1024, BETA = 819, TIME_HZ = 1024, C = 410, C_SHIFT = 40, MAX_INCREMENT = 16, FIRST_PER = 50 };
enum { RENO_SCALE = 8 * (SCALE + BETA) / 3 / (SCALE - BETA), RATIO_SHIFT = 4, FIRST_RATIO = 2 << RATIO_SHIFT };

struct cubic {
    struct linux26_growth growth;
    bool is_running;
    uint32_t last_max, last_cwnd, origin;
    uint32_t per, acks, reno_cwnd;
    uint32_t ratio; /* segments per ACK << 4; 0: not begun */
    uint32_t min_8; /* least RTT, ticks times 8; 0: none */
    int64_t k, epoch_tick, last_tick;
};

static void begin(struct cubic *c, int64_t tick, uint32_t cwnd)
{
    c->is_running = true;
    c->epoch_tick = tick;
    c->acks = 1;
    c->reno_cwnd = cwnd;
    c->origin = c->last_max > cwnd ? c->last_max : cwnd;
    c->k = det_cube_root((UINT64_C(1) << C_SHIFT) / C * (c->origin - cwnd));
}

static uint32_t per_of_curve(const struct cubic *c, int64_t tick, uint32_t cwnd)
{
    int64_t t = (tick + (c->min_8 >> 3) - c->epoch_tick) * TIME_HZ / LINUX26_HZ;
    int64_t offset = t < c->k ? c->k - t : t - c->k;
    int64_t delta = (int64_t)((uint64_t)C * offset * offset * offset >> C_SHIFT);
    int64_t target = t < c->k ? c->origin - delta : c->origin + delta;
    uint32_t per = target > cwnd ? (uint32_t)(cwnd / (target - cwnd)) : 100 * cwnd;
    if (c->min_8 > 0 && t >= c->k) {
        uint32_t least = (uint32_t)((uint64_t)cwnd * LINUX26_HZ * 8 / (10 * MAX_INCREMENT * (uint64_t)c->min_8));
        per = per > least ? per : least;
    }
    return c->last_max == 0 ? FIRST_PER : per;
}

static uint32_t per_of_reno(struct cubic *c, uint32_t cwnd)
{
    uint32_t step = cwnd * RENO_SCALE >> 3;
    while (c->acks > step) {
        c->acks -= step;
        c->reno_cwnd++;
    }
    return c->reno_cwnd > cwnd ? cwnd / (c->reno_cwnd - cwnd) : UINT32_MAX;
}

static void update(const struct sim *s, struct cubic *c, uint32_t cwnd)
{
    int64_t tick = linux26_tick(s);
    c->acks++;
    if (c->last_cwnd == cwnd && tick - c->last_tick <= LINUX26_HZ / 32)
        return;
    c->last_cwnd = cwnd;
    c->last_tick = tick;
    if (!c->is_running)
        begin(c, tick, cwnd);
    uint32_t per = per_of_curve(c, tick, cwnd), most = per_of_reno(c, cwnd);
    per = per < most ? per : most;
    c->per = (uint32_t)(((uint64_t)per << RATIO_SHIFT) / (c->ratio ? c->ratio : FIRST_RATIO));
    c->per = c->per ? c->per : 1;
}

static void cubic_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    struct cubic *c = CC_STATE(f, struct cubic);
    uint32_t cwnd = linux_cwnd(f);
    if (linux26_in_slow_start(f)) {
        cwnd = linux26_slow_start(f, &c->growth, cwnd);
    } else {
        update(s, c, cwnd);
        cwnd = linux26_avoid(f, &c->growth, c->per, cwnd);
    }
    growth_set_cwnd(s, f, cwnd);
}

static double cubic_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct cubic *c = CC_STATE(f, struct cubic);
    uint64_t cwnd = linux_cwnd(f);
    c->is_running = false;
    c->last_max = (uint32_t)(cwnd < c->last_max ? cwnd * (SCALE + BETA) / (2 * SCALE) : cwnd);
    return linux26_reduce(&c->growth, (uint32_t)(cwnd * BETA / SCALE));
}

/* No delay is looked at in the first second of a stage, nor while losses are being repaired. */
static void note_delay(const struct sim *s, const struct flow *f, struct cubic *c, int64_t rtt_ps)
{
    int64_t since = linux26_tick(s) - (c->is_running ? c->epoch_tick : 0);
    if (f->mode != MODE_OPEN || f->newly_sacked || rtt_ps < 0 || since < LINUX26_HZ)
        return;
    uint32_t delay_8 = (uint32_t)(rtt_ps / LINUX26_TICK_PS) << 3;
    delay_8 = delay_8 ? delay_8 : 1;
    if (c->min_8 == 0 || delay_8 < c->min_8)
        c->min_8 = delay_8;
}

static void cubic_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    struct cubic *c = CC_STATE(f, struct cubic);
    uint32_t ratio = c->ratio ? c->ratio : FIRST_RATIO;
    c->growth.acked += acked;
    if (f->mode == MODE_OPEN)
        c->ratio = ratio + acked - (ratio >> RATIO_SHIFT);
    note_delay(s, f, c, rtt_ps);
}

static void cubic_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    memset(CC_STATE(f, struct cubic), 0, sizeof(struct cubic));
}

const struct cc_ops cc_cubic_linux26 = {
    .item = {"cubic_linux26", "cubic of Linux 2.6.22", "ns-2 2.35, linux/src/tcp_cubic.c", NULL},
    .on_ack = cubic_on_ack,
    .ssthresh = cubic_ssthresh,
    .on_rtt = cubic_on_rtt,
    .on_timeout = cubic_on_timeout,
};
