/* hystart.c - see hystart.h.
 *
 * linux: Linux 6.1 tcp_cubic.c without pacing (facts: loss-based rules, Ha and Rhee 2011). From cwnd 16 on, slow start
 *   ends when ACKs no more than 2 ms apart have come for half the least RTT, or when the 9th and later samples of a
 *   round show its least RTT above the connection's by 1/8 (4 to 16 ms). Times are not cut to whole microseconds.
 * rfc9406: section 4.2, L = 8 (no pacing), in the first slow start only (4.3): after a loss or a timeout it is off.
 */
#include "hystart.h"

#include <string.h>

enum { LOW_WINDOW = 16, SAMPLES = 8, DIVISOR = 8, CSS_ROUNDS = 5, CSS_DIVISOR = 4, RFC9406_L = 8 };

static const int64_t MIN_THRESHOLD_PS = 4 * PS_PER_MS, MAX_THRESHOLD_PS = 16 * PS_PER_MS;
static const int64_t TRAIN_GAP_PS = 2 * PS_PER_MS, TRAIN_MARGIN_PS = PS_PER_MS; /* hystart_ack_delay: its most */

static int64_t threshold_ps(int64_t rtt_ps)
{
    int64_t part_ps = rtt_ps / DIVISOR;
    if (part_ps < MIN_THRESHOLD_PS)
        return MIN_THRESHOLD_PS;
    return part_ps < MAX_THRESHOLD_PS ? part_ps : MAX_THRESHOLD_PS;
}

static void start_round(const struct sim *s, const struct flow *f, struct hystart *h)
{
    h->last_round_ps = h->round_min_ps;
    h->round_min_ps = 0;
    h->samples = 0;
    h->round_start_ps = h->last_ack_ps = s->now_ps;
    h->round_end = f->next > f->una ? f->next : f->una;
}

static void note(struct hystart *h, int64_t rtt_ps)
{
    if (h->round_min_ps == 0 || rtt_ps < h->round_min_ps)
        h->round_min_ps = rtt_ps;
}

static void end_slow_start(struct sim *s, struct flow *f, struct hystart *h)
{
    h->is_over = true;
    h->is_cautious = false;
    tcp_set_ssthresh(s, f, f->cwnd);
}

/* --- linux -------------------------------------------------------------------------------------------------------- */

static bool is_train_long(const struct sim *s, struct hystart *h)
{
    if (s->now_ps - h->last_ack_ps > TRAIN_GAP_PS)
        return false;
    h->last_ack_ps = s->now_ps;
    return s->now_ps - h->round_start_ps > (h->min_ps + TRAIN_MARGIN_PS) / 2;
}

static bool is_delay_high(struct hystart *h, int64_t rtt_ps)
{
    note(h, rtt_ps);
    if (h->samples < SAMPLES) {
        h->samples++;
        return false;
    }
    return h->round_min_ps > h->min_ps + threshold_ps(h->min_ps);
}

static void linux_sample(struct sim *s, struct flow *f, struct hystart *h, int64_t rtt_ps)
{
    if (h->min_ps == 0 || rtt_ps < h->min_ps)
        h->min_ps = rtt_ps;
    if (h->is_over || f->cwnd >= f->ssthresh)
        return;
    if (f->una > h->round_end)
        start_round(s, f, h);
    if (f->cwnd < LOW_WINDOW)
        return;
    if (is_train_long(s, h) || is_delay_high(h, rtt_ps))
        end_slow_start(s, f, h);
}

/* --- rfc9406 ------------------------------------------------------------------------------------------------------ */

static bool is_first_slow_start(const struct flow *f, const struct hystart *h)
{
    return !h->is_over && !f->has_recover && f->cwnd < f->ssthresh;
}

static void rfc9406_sample(struct sim *s, struct flow *f, struct hystart *h, int64_t rtt_ps)
{
    if (!is_first_slow_start(f, h))
        return;
    if (f->una >= h->round_end) {
        if (h->is_cautious && ++h->css_rounds == CSS_ROUNDS) {
            end_slow_start(s, f, h);
            return;
        }
        start_round(s, f, h);
    }
    note(h, rtt_ps);
    if (++h->samples < SAMPLES)
        return;
    if (h->is_cautious) {
        if (h->round_min_ps < h->baseline_ps)
            h->is_cautious = false;
    } else if (h->last_round_ps > 0 && h->round_min_ps >= h->last_round_ps + threshold_ps(h->last_round_ps)) {
        h->is_cautious = true;
        h->css_rounds = 0;
        h->baseline_ps = h->round_min_ps;
    }
}

/* ------------------------------------------------------------------------------------------------------------------ */

void hystart_sample(struct sim *s, struct flow *f, struct hystart *h, int64_t rtt_ps)
{
    if (rtt_ps < 0) /* none with this ACK (Karn) */
        return;
    switch (f->cfg->window.hystart) {
    case HYSTART_OFF:
        return;
    case HYSTART_LINUX:
        linux_sample(s, f, h, rtt_ps);
        return;
    case HYSTART_RFC9406:
        rfc9406_sample(s, f, h, rtt_ps);
    }
}

static bool is_rfc9406(const struct flow *f, const struct hystart *h)
{
    return f->cfg->window.hystart == HYSTART_RFC9406 && is_first_slow_start(f, h);
}

double hystart_factor(const struct flow *f, const struct hystart *h)
{
    return h->is_cautious && is_rfc9406(f, h) ? 1.0 / CSS_DIVISOR : 1;
}

double hystart_limit(const struct flow *f, const struct hystart *h)
{
    return is_rfc9406(f, h) ? RFC9406_L : growth_limit(f);
}

void hystart_timeout(struct hystart *h)
{
    memset(h, 0, sizeof *h);
}

void hystart_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    (void)acked;
    hystart_sample(s, f, CC_STATE(f, struct hystart), rtt_ps);
}

void hystart_on_timeout(struct sim *s, struct flow *f)
{
    (void)s;
    hystart_timeout(CC_STATE(f, struct hystart));
}
