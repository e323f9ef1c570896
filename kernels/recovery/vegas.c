/* vegas.c - loss recovery of Vegas (Brakmo and Peterson, JSAC 13(8), 1995) as ns-2.35's Agent/TCP/Vegas has it.
 *
 * A duplicate ACK resends the first unacknowledged segment when it is older than the fine timeout, the third one in any
 * case; so do the first two new ACKs after that. A segment sent before the last cut costs no other. Duplicates beyond
 * the third inflate cwnd itself; the next new ACK takes that back only if there were more than three, as in ns-2. A
 * coarse timeout leaves two segments. The coarse timer backs off with each retransmission under ns2_rules only.
 *
 * Departure: ns-2 keeps send times in a ring of `window_` entries and clears it wrongly where an ACK wraps it; not
 * copied.
 */
#include "../cc/vegas_round.h"
#include "../rto.h"
#include "shared.h"
#include "vegas_fine.h"

static const double WINDOW_AFTER_TIMEOUT = 2;

static int64_t age_ps(const struct sim *s, const struct flow *f, uint32_t segment)
{
    return s->now_ps - f->sent_ps[segment & f->transmission_mask];
}

static uint32_t transmissions(const struct flow *f, uint32_t segment)
{
    return f->transmissions[segment & f->transmission_mask];
}

static void begin(const struct sim *s, const struct flow *f, struct vegas_fine *v)
{
    if (v->has_ack)
        return;
    int64_t since_start_ps = transmissions(f, 0) > 1 ? s->now_ps - f->active_from_ps : age_ps(s, f, 0);
    vegas_fine_begin(v, since_start_ps);
    if (v->cut_ps == 0)
        v->cut_ps = s->now_ps - since_start_ps;
}

static bool is_over(const struct sim *s, const struct flow *f, const struct vegas_fine *v)
{
    return f->una < f->end && vegas_fine_is_over(v, age_ps(s, f, f->una));
}

static void cut(struct sim *s, struct flow *f, struct vegas_fine *v, bool is_sent_again)
{
    double window = f->cwnd < f->window_real ? f->cwnd : f->window_real;
    v->window = vegas_ns2_cut((uint32_t)window, is_sent_again);
    v->cut_ps = s->now_ps;
    tcp_set_cwnd(s, f, v->window + f->duplicate_acks);
}

static void retransmit(struct sim *s, struct flow *f, struct vegas_fine *v)
{
    bool is_sent_again = transmissions(f, f->una) > 1;
    v->was_timeout = false;
    v->worried = f->next - f->una + 1 < VEGAS_WORRIED ? f->next - f->una + 1 : VEGAS_WORRIED;
    vegas_fine_back_off(v, is_sent_again);
    tcp_set_mode(s, f, MODE_RECOVERY);
    if (v->cut_ps < s->now_ps - age_ps(s, f, f->una))
        cut(s, f, v, is_sent_again);
    if (f->cfg->ns2_rules) {
        rto_back_off(&f->rto, f->cfg);
        TRACE(s, s->now_ps, f, TRACE_BACKOFF, NULL, f->rto.backoff, 0, 0);
    }
    tcp_note_fast_retransmit(s, f);
    tcp_send_segment(s, f, f->una);
    if (!is_sent_again)
        f->duplicate_acks = f->cfg->dupack_threshold;
}

/* After a timeout duplicates come from what is sent twice. */
static bool is_barred(const struct flow *f, const struct vegas_fine *v)
{
    return v->was_timeout && f->una <= f->recover && !f->cfg->multiple_fast_retransmit;
}

static void vegas_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    (void)ack;
    struct vegas_fine *v = RECOVERY_STATE(f, struct vegas_fine);
    begin(s, f, v);
    f->duplicate_acks++;
    if (is_over(s, f, v) || f->duplicate_acks == f->cfg->dupack_threshold) {
        if (!is_barred(f, v))
            retransmit(s, f, v);
    } else if (f->duplicate_acks > f->cfg->dupack_threshold) {
        tcp_set_cwnd(s, f, f->cwnd + 1);
    }
    if (f->duplicate_acks >= f->cfg->dupack_threshold)
        tcp_send_window(s, f);
}

static void deflate(struct sim *s, struct flow *f, const struct vegas_fine *v)
{
    if (f->duplicate_acks > f->cfg->dupack_threshold && f->cwnd > v->window) {
        tcp_set_cwnd(s, f, v->window);
        tcp_set_ssthresh(s, f, 2); /* counts in slow start only */
    }
    f->duplicate_acks = 0;
}

static void look_for_another(struct sim *s, struct flow *f, struct vegas_fine *v)
{
    if (v->worried == 0)
        return;
    v->worried--;
    if (!is_over(s, f, v)) {
        v->worried = 0;
        return;
    }
    f->duplicate_acks = f->cfg->dupack_threshold;
    tcp_send_segment(s, f, f->una);
}

static void vegas_on_new_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    struct vegas_fine *v = RECOVERY_STATE(f, struct vegas_fine);
    begin(s, f, v);
    deflate(s, f, v);
    tcp_restart_rto(s, f);
    if (f->mode == MODE_RECOVERY)
        tcp_leave_recovery(s, f);
    else if (f->una >= f->recover)
        tcp_set_mode(s, f, MODE_OPEN);
    tcp_grow(s, f, acked);
    if (transmissions(f, f->una - 1) == 1)
        vegas_fine_sample(v, age_ps(s, f, f->una - 1));
    look_for_another(s, f, v);
}

static void vegas_on_timeout(struct sim *s, struct flow *f)
{
    struct vegas_fine *v = RECOVERY_STATE(f, struct vegas_fine);
    v->was_timeout = true;
    v->cut_ps = s->now_ps;
    tcp_set_cwnd(s, f, WINDOW_AFTER_TIMEOUT);
    recovery_go_back_n(s, f);
}

const struct recovery_ops recovery_vegas = {
    .item = {"vegas", "fine timeouts from exact send times", "Brakmo and Peterson, JSAC 13(8), 1995",
             "Agent/TCP/Vegas (ns-2)"},
    .uses_send_times = true,
    .on_duplicate = vegas_on_duplicate,
    .on_new_ack = vegas_on_new_ack,
    .on_timeout = vegas_on_timeout,
};
