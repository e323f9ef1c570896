/* newreno.c - RFC 6582: partial ACKs stay in fast recovery and resend the next hole.
 *
 * impatient (recommended there, and in ns-2) restarts the timer on the first partial ACK only, slow_but_steady on each.
 * cwnd is kept without the inflation by duplicate ACKs, which RFC 6582 adds into it: what may be sent is the same. The
 * heuristics of its section 4 are not used.
 */
#include "../tcp.h"
#include "shared.h"

enum { NS2_BURST = 2 };

static void newreno_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    (void)ack;
    recovery_on_duplicate(s, f, tcp_may_fast_retransmit(f));
}

/* Takes the acknowledged segments out of the inflated window and puts one back (3.2 step 3, partial). */
static void deflate(struct sim *s, struct flow *f, uint32_t acked)
{
    if (f->inflation > acked) {
        f->inflation -= acked - 1.0;
        return;
    }
    double cwnd = f->cwnd - (acked - f->inflation);
    f->inflation = 1;
    tcp_set_cwnd(s, f, cwnd > 1 ? cwnd : 1);
}

static void on_partial_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    deflate(s, f, acked);
    if (!f->is_partial_seen || f->cfg->newreno == NEWRENO_SLOW_BUT_STEADY)
        tcp_restart_rto(s, f);
    f->is_partial_seen = true;
    if (f->cfg->ns2_rules && f->timing.is_running && f->una > f->timing.segment)
        tcp_end_timing(s, f); /* no sample, but the backoff ends */
    tcp_send_segment(s, f, f->una);
}

static void on_full_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    f->duplicate_acks = 0;
    f->inflation = 0;
    tcp_restart_rto(s, f);
    if (!f->cfg->grow_on_recovery_exit) {
        double flight = f->next - f->una > 1 ? f->next - f->una : 1;
        bool is_cut = !f->cfg->newreno_exit_to_ssthresh && flight + 1 < f->ssthresh;
        tcp_set_cwnd(s, f, is_cut ? flight + 1 : f->ssthresh);
    }
    tcp_leave_recovery(s, f);
    if (f->cfg->grow_on_recovery_exit)
        tcp_grow(s, f, acked);
}

static void newreno_on_new_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    if (f->mode == MODE_LOSS)
        recovery_on_plain_ack(s, f, acked);
    else if (f->una >= f->recover)
        on_full_ack(s, f, acked);
    else
        on_partial_ack(s, f, acked);
}

/* ns-2 sends at most two segments an ACK while duplicates are counted. */
static void newreno_send(struct sim *s, struct flow *f)
{
    if (!f->cfg->ns2_rules || f->duplicate_acks < f->cfg->dupack_threshold) {
        tcp_send_window(s, f);
        return;
    }
    for (int i = 0; i < NS2_BURST && tcp_window_allows(s, f); i++)
        tcp_send_segment(s, f, f->next++);
}

const struct recovery_ops recovery_newreno = {
    .item = {"newreno", "fast recovery through partial ACKs", "RFC 6582",
             "Agent/TCP/Newreno (ns-2), TcpClassicRecovery (ns-3)"},
    .stays_on_partial = true,
    .on_duplicate = newreno_on_duplicate,
    .on_new_ack = newreno_on_new_ack,
    .on_timeout = recovery_go_back_n,
    .send = newreno_send,
};
