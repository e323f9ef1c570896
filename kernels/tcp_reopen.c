/* tcp_reopen.c - a flow that carries one connection after the other. */
#include "receiver_linux.h"
#include "rto.h"
#include "tcp.h"

static void forget_sender(struct flow *f)
{
    f->duplicate_acks = f->limited_sent = 0;
    f->inflation = 0;
    f->ssthresh = f->cfg->initial_ssthresh_segs;
    f->slow_start_after_rto = f->has_timed_out = f->is_partial_seen = f->is_cwnd_limited = false;
    f->is_special = f->sees_every_ack;
    f->takes_usual_ack = false;
    f->recover = f->una;
    f->has_recover = f->cfg->ns2_rules;
    f->prior_cwnd = f->prior_ssthresh = 0;
    f->ecn = (struct ecn_state){0};
    f->mss = f->cfg->mss_bytes;
    f->is_avoiding = false;
    f->timing.is_running = false;
    f->pacing_bps = 0;
    f->pacing_next_ps = 0;
    f->syn_transmissions = 0;
    f->segments.min_rtt_ps = -1;
    f->segments.app_limited = f->segments.delivered = f->segments.total_lost = 0;
    rto_init(&f->rto, f->cfg);
    memset(f->cc_state, 0, sizeof f->cc_state);
    memset(f->recovery_state, 0, sizeof f->recovery_state);
}

static void forget_receiver(struct flow *f)
{
    f->acknowledged = f->expected;
    f->unacknowledged = 0;
    f->takes_usual = false;
    f->peer_state = TCP_LISTEN;
    f->peer_transmissions = 0;
    f->sacks.has_duplicate = false;
    sack_forget(f);
    receiver_linux_start(f);
}

void tcp_reopen(struct sim *s, struct flow *f)
{
    static const enum timer timers[] = {TIMER_RTO, TIMER_DELAYED_ACK, TIMER_PEER, TIMER_PACE};
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++)
        f->deadline_ps[timers[i]] = TIME_NEVER;
    tcp_flush_integrals(s, f, s->now_ps);
    tcp_set_mode(s, f, MODE_OPEN);
    f->first_segment = f->end;
    f->sent_before = f->count.sent;
    forget_sender(f);
    forget_receiver(f);
    tcp_connect(s, f);
}
