/* timeout_only.c - no fast retransmit: every loss waits for the timer (4.3BSD before Tahoe; NetSim's "Old Tahoe"). */
#include "../tcp.h"
#include "shared.h"

static void timeout_only_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    (void)ack;
    f->duplicate_acks++;
    tcp_send_window(s, f);
}

const struct recovery_ops recovery_timeout_only = {
    .item = {"timeout_only", "retransmission timeouts only, go-back-N",
             "Jacobson, SIGCOMM 1988, before fast retransmit", "Old Tahoe (NetSim)"},
    .on_duplicate = timeout_only_on_duplicate,
    .on_new_ack = recovery_on_plain_ack,
    .on_timeout = recovery_go_back_n,
};
