/* shared.c - see shared.h. */
#include "shared.h"

#include "../pacing.h"

void recovery_go_back_n(struct sim *s, struct flow *f)
{
    (void)s;
    f->next = f->una;
    f->duplicate_acks = 0;
}

void recovery_on_plain_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    f->duplicate_acks = 0;
    tcp_restart_rto(s, f);
    if (f->una >= f->recover)
        tcp_set_mode(s, f, MODE_OPEN);
    tcp_grow(s, f, acked);
}

void recovery_fast_retransmit(struct sim *s, struct flow *f)
{
    tcp_set_mode(s, f, MODE_RECOVERY);
    double window = tcp_reduce(s, f);
    tcp_note_fast_retransmit(s, f);
    tcp_set_cwnd(s, f, window);
    f->inflation = f->cfg->dupack_threshold;
    f->is_partial_seen = false;
    tcp_send_segment(s, f, f->una);
}

void recovery_on_duplicate(struct sim *s, struct flow *f, bool may_enter)
{
    uint32_t threshold = f->cfg->dupack_threshold;
    f->duplicate_acks++;
    if (f->duplicate_acks < threshold) {
        tcp_limited_transmit(s, f);
        return;
    }
    if (f->duplicate_acks == threshold && may_enter)
        recovery_fast_retransmit(s, f);
    else if (f->duplicate_acks > threshold && f->mode == MODE_RECOVERY)
        f->inflation += 1;
    if (f->cfg->recovery->send)
        f->cfg->recovery->send(s, f);
    else
        tcp_send_window(s, f);
}

void recovery_send_unsacked(struct sim *s, struct flow *f)
{
    uint32_t window = (uint32_t)f->cwnd;
    for (;;) {
        if (f->next < f->end)
            f->next = sack_next_unmarked(f, f->next, f->end);
        uint32_t in_flight = f->next - f->una - sack_count(f, f->una, f->next);
        if (in_flight >= window || (f->next == f->end && !tcp_can_send_new(s, f)) || !tcp_pacing_allows(s, f))
            return;
        tcp_send_segment(s, f, f->next++);
    }
}

void recovery_on_sacked_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    tcp_restart_rto(s, f);
    f->duplicate_acks = 0;
    bool is_recovery = f->mode == MODE_RECOVERY;
    if (f->una >= f->recover) {
        f->board.high_rxt = 0;
        f->board.sacked_below_rxt = 0;
        if (is_recovery)
            tcp_leave_recovery(s, f);
        else
            tcp_set_mode(s, f, MODE_OPEN);
    }
    if (!is_recovery)
        tcp_grow(s, f, acked);
}

void recovery_resend_unsacked(struct sim *s, struct flow *f)
{
    recovery_go_back_n(s, f);
    f->board.high_rxt = 0;
    f->board.sacked_below_rxt = 0;
}
