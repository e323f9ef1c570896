/* dac.c - Duplicate Acknowledgment Counting (Kim and Lee, IEEE Communications Letters 8(1), 2004) on NewReno: more
 * duplicate ACKs than segments sent before a retransmission can cause mean that the retransmission is lost.
 *
 * Of W segments outstanding at a retransmission, the W - 1 behind it can each cause one duplicate; the next shows that
 * something sent later has arrived. Then una is sent again and ssthresh is halved once more, to cwnd too: any loss is
 * taken for congestion. With m losses in a window detection is m - 1 duplicates late, never early.
 *
 * Departures: after a partial ACK the next hole has its own count, less the duplicates whose segments are still above
 * it; the timer begins anew with the repeated retransmission.
 */
#include "wireless.h"

struct dac {
    uint32_t reported; /* segments above una that duplicates have reported */
    uint32_t most;     /* of those sent before una was last sent again: W - 1 */
};

static void dac_arm(const struct flow *f, struct dac *d)
{
    d->most = f->end - f->una - 1;
}

static bool dac_is_lost_again(const struct dac *d)
{
    return d->reported > d->most;
}

static void send_again(struct sim *s, struct flow *f, struct dac *d)
{
    double half = f->ssthresh / 2 > 2 ? f->ssthresh / 2 : 2;
    dac_arm(f, d);
    tcp_set_ssthresh(s, f, half);
    tcp_set_cwnd(s, f, half);
    wireless_resend(s, f, true);
}

static void dac_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    (void)ack;
    struct dac *d = RECOVERY_STATE(f, struct dac);
    if (f->mode == MODE_RECOVERY) {
        d->reported++;
        if (dac_is_lost_again(d))
            send_again(s, f, d);
        recovery_on_duplicate(s, f, false);
        return;
    }
    uint32_t end = f->end; /* before new segments leave */
    recovery_on_duplicate(s, f, tcp_may_fast_retransmit(f));
    d->reported = f->duplicate_acks;
    d->most = end - f->una - 1;
}

static void dac_on_new_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    struct dac *d = RECOVERY_STATE(f, struct dac);
    recovery_newreno.on_new_ack(s, f, acked);
    d->reported = d->reported > acked - 1 ? d->reported - (acked - 1) : 0;
    if (f->mode == MODE_RECOVERY)
        dac_arm(f, d);
}

const struct recovery_ops recovery_dac = {
    .item = {"dac", "NewReno; too many duplicates mean that the retransmission is lost",
             "Kim, Lee, IEEE Comm. Letters 8(1), 2004", NULL},
    .stays_on_partial = true,
    .classifies = true,
    .on_duplicate = dac_on_duplicate,
    .on_new_ack = dac_on_new_ack,
    .on_timeout = recovery_go_back_n,
};
