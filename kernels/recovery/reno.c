/* reno.c - fast retransmit and fast recovery of RFC 2581 / RFC 5681 section 3.2: the next new ACK, partial or not, ends
 * it.
 *
 * Several losses in a window each need three duplicate ACKs of their own and halve again, or end in a timeout. ns-2
 * allows one fast retransmit a window (bugFix_) and lets the ACK that ends recovery grow cwnd.
 */
#include "../tcp.h"
#include "shared.h"

static bool may_enter(const struct flow *f)
{
    if (f->cfg->ns2_rules)
        return tcp_may_fast_retransmit(f);
    return f->mode != MODE_LOSS; /* after a timeout duplicates come from what is sent twice */
}

static void reno_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    (void)ack;
    recovery_on_duplicate(s, f, may_enter(f));
}

static void reno_on_new_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    if (f->mode == MODE_LOSS) {
        recovery_on_plain_ack(s, f, acked);
        return;
    }
    f->duplicate_acks = 0;
    f->inflation = 0;
    tcp_leave_recovery(s, f);
    tcp_restart_rto(s, f);
    if (f->cfg->grow_on_recovery_exit)
        tcp_grow(s, f, acked);
}

const struct recovery_ops recovery_reno = {
    .item = {"reno", "fast retransmit and fast recovery", "RFC 5681 3.2", "Agent/TCP/Reno (ns-2)"},
    .on_duplicate = reno_on_duplicate,
    .on_new_ack = reno_on_new_ack,
    .on_timeout = recovery_go_back_n,
};
