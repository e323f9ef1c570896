/* wireless.c - see wireless.h. */
#include "wireless.h"

static void begin(struct sim *s, struct flow *f, struct wireless *w)
{
    bool is_congestion = w->marked >= f->cfg->dupack_threshold;
    tcp_set_mode(s, f, MODE_RECOVERY);
    tcp_classify_loss(s, f, f->una, is_congestion);
    w->keeps_window = !is_congestion;
    w->cwnd = f->cwnd;
    if (is_congestion)
        tcp_set_cwnd(s, f, tcp_reduce(s, f));
    tcp_note_fast_retransmit(s, f);
    f->inflation = f->cfg->dupack_threshold;
    f->is_partial_seen = false;
    tcp_send_segment(s, f, f->una);
}

bool wireless_on_duplicate(struct sim *s, struct flow *f, struct wireless *w)
{
    uint32_t threshold = f->cfg->dupack_threshold;
    w->marked = !f->ecn.is_marked ? 0 : f->duplicate_acks == 0 ? 1 : w->marked + 1;
    f->duplicate_acks++;
    if (f->duplicate_acks < threshold) {
        tcp_limited_transmit(s, f);
    } else if (f->duplicate_acks == threshold && tcp_may_fast_retransmit(f)) {
        begin(s, f, w);
        return true;
    } else if (f->mode == MODE_RECOVERY) {
        f->inflation += 1;
    }
    return false;
}

static void end_with_window(struct sim *s, struct flow *f, const struct wireless *w)
{
    f->duplicate_acks = 0;
    f->inflation = 0;
    tcp_restart_rto(s, f);
    tcp_set_cwnd(s, f, w->cwnd);
    tcp_leave_recovery(s, f);
}

void wireless_on_new_ack(struct sim *s, struct flow *f, struct wireless *w, uint32_t acked)
{
    if (f->mode == MODE_OPEN)
        recovery_on_plain_ack(s, f, acked);
    else if (f->mode == MODE_RECOVERY && f->una >= f->recover && w->keeps_window)
        end_with_window(s, f, w);
    else
        recovery_newreno.on_new_ack(s, f, acked);
}

void wireless_resend(struct sim *s, struct flow *f, bool is_congestion)
{
    tcp_classify_loss(s, f, f->una, is_congestion);
    f->timing.is_running = false;
    tcp_send_segment(s, f, f->una);
    tcp_restart_rto(s, f);
}
