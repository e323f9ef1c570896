/* ddlrp.c - DDLRP as Sreekumari, Chung, Lee, Kim (IJDSN 2013, 592502) describe it: counts duplicates against FlightSize
 * to find a lost retransmission, and tells by marks whether losses are congestion.
 *
 * At the third duplicate FlightSize - 4 more can come from what was sent before: the outstanding segments less the lost
 * one and the three seen. One more means that the retransmission is lost. It finds one in each recovery, and none after
 * a partial ACK.
 *
 * Its own paper was not to be had, so the rest is our reading: marks as T-DLRP has them (wireless.h), and a
 * retransmission lost with a mark halves ssthresh once more, as DAC; without one the windows stay.
 */
#include "wireless.h"

struct ddlrp {
    struct wireless wireless;
    uint32_t further; /* duplicates that may still come */
    bool is_armed;
};

static void send_again(struct sim *s, struct flow *f, struct ddlrp *d)
{
    d->is_armed = false;
    if (f->ecn.is_marked) {
        tcp_set_ssthresh(s, f, f->ssthresh / 2 > 2 ? f->ssthresh / 2 : 2);
        tcp_set_cwnd(s, f, f->ssthresh);
    }
    wireless_resend(s, f, f->ecn.is_marked);
}

static void ddlrp_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    (void)ack;
    struct ddlrp *d = RECOVERY_STATE(f, struct ddlrp);
    uint32_t outstanding = f->end - f->una;
    if (wireless_on_duplicate(s, f, &d->wireless)) {
        d->is_armed = true;
        d->further = outstanding > f->duplicate_acks ? outstanding - f->duplicate_acks - 1 : 0;
    } else if (f->mode == MODE_RECOVERY && d->is_armed && d->further-- == 0) {
        send_again(s, f, d);
    }
    if (f->duplicate_acks >= f->cfg->dupack_threshold)
        tcp_send_window(s, f);
}

static void ddlrp_on_new_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    struct ddlrp *d = RECOVERY_STATE(f, struct ddlrp);
    d->is_armed = false;
    wireless_on_new_ack(s, f, &d->wireless, acked);
}

const struct recovery_ops recovery_ddlrp = {
    .item = {"ddlrp", "NewReno that finds one lost retransmission and keeps its window for losses without marks",
             "Sreekumari et al., IJDSN 2013, 592502", NULL},
    .stays_on_partial = true,
    .classifies = true,
    .reads_marks = true,
    .on_duplicate = ddlrp_on_duplicate,
    .on_new_ack = ddlrp_on_new_ack,
    .on_timeout = recovery_go_back_n,
};
