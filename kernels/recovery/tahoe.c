/* tahoe.c - fast retransmit without fast recovery (Jacobson, SIGCOMM 1988): the third duplicate ACK sets cwnd = 1.
 *
 * With tahoe_go_back_n (4.3BSD, ns-2) everything from the hole on is sent again, otherwise the one segment. A second
 * fast retransmit for the same window is barred by `recover` (ns-2 bugFix_).
 */
#include "../tcp.h"
#include "shared.h"

static void tahoe_fast_retransmit(struct sim *s, struct flow *f)
{
    tcp_set_mode(s, f, MODE_RECOVERY);
    tcp_reduce(s, f);
    tcp_note_fast_retransmit(s, f);
    tcp_set_cwnd(s, f, 1);
    f->slow_start_after_rto = true;
    if (f->cfg->tahoe_go_back_n)
        f->next = f->una;
    else
        tcp_send_segment(s, f, f->una);
}

static void tahoe_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    (void)ack;
    f->duplicate_acks++;
    if (f->duplicate_acks < f->cfg->dupack_threshold)
        tcp_limited_transmit(s, f);
    else if (f->duplicate_acks == f->cfg->dupack_threshold && tcp_may_fast_retransmit(f))
        tahoe_fast_retransmit(s, f);
    tcp_send_window(s, f);
}

static void tahoe_on_timeout(struct sim *s, struct flow *f)
{
    uint32_t duplicates = f->duplicate_acks;
    recovery_go_back_n(s, f);
    if (f->cfg->ns2_rules)
        f->duplicate_acks = duplicates; /* ns-2's Tahoe does not clear its count */
}

const struct recovery_ops recovery_tahoe = {
    .item = {"tahoe", "fast retransmit, then slow start", "Jacobson, SIGCOMM 1988", "Agent/TCP (ns-2)"},
    .on_duplicate = tahoe_on_duplicate,
    .on_new_ack = recovery_on_plain_ack,
    .on_timeout = tahoe_on_timeout,
};
