/* tdlrp.c - T-DLRP: timestamps find lost retransmissions, marks tell why (Sreekumari, Chung, Lee, Kim, IJDSN 2013,
 * 592502). On NewReno, with the receiver's timestamp_echo: trigger.
 *
 * FRL: the first new segment behind a fast retransmission gives TS_New; a duplicate that echoes TS_New or later comes
 * from a segment sent after it, so the retransmission is lost. (Algorithm 1 prints the comparison the other way round;
 * the text and figure 6 have it so.) IFR: una goes again; with a mark cwnd = bandwidth x RTT, else the window stays.
 * IRTOR: a timeout after an ACK without a mark sends una alone, then hole after hole, and keeps the windows; a second
 * one for the same segment is a plain timeout.
 *
 * Departures, where the paper is silent: TS_New is forgotten with IFR and with a partial ACK, and the next new segment
 * sets it again; after a loss without congestion the full ACK restores the window from before; the bandwidth is
 * NewJersey's (cc/abe.h).
 */
#include "../cc/abe.h"
#include "wireless.h"

struct tdlrp {
    struct wireless wireless;
    struct abe abe;
    int64_t new_ps;      /* TS_New; -1: not yet */
    uint32_t new_from;   /* first segment that would set it */
    uint32_t resent_una; /* IRTOR: the segment it was for */
    bool is_resending, has_resent;
    bool has_begun;
};

static void begin(const struct sim *s, const struct flow *f, struct tdlrp *t)
{
    if (t->has_begun)
        return;
    t->has_begun = true;
    abe_start(s, &t->abe);
    t->abe.arrival_ps -= f->rto.srtt_ps - f->rto.srtt_ps % PS_PER_US;
}

/* What is sent from now on comes after the retransmission. */
static void arm(const struct flow *f, struct tdlrp *t)
{
    t->new_ps = -1;
    t->new_from = f->end;
}

static bool tdlrp_is_lost_again(const struct tdlrp *t, int64_t echo_ps)
{
    return t->new_ps >= 0 && echo_ps >= t->new_ps;
}

static void immediate_retransmit(struct sim *s, struct flow *f, struct tdlrp *t)
{
    if (f->ecn.is_marked) {
        double window = abe_window(&t->abe, f->rto.srtt_ps);
        tcp_set_cwnd(s, f, window);
        t->wireless.cwnd = window;
    }
    arm(f, t);
    wireless_resend(s, f, f->ecn.is_marked);
}

static void tdlrp_send(struct sim *s, struct flow *f)
{
    struct tdlrp *t = RECOVERY_STATE(f, struct tdlrp);
    tcp_send_window(s, f);
    if (f->mode == MODE_RECOVERY && t->new_ps < 0 && f->end > t->new_from)
        t->new_ps = s->now_ps;
}

static void tdlrp_on_duplicate(struct sim *s, struct flow *f, const struct packet *ack)
{
    struct tdlrp *t = RECOVERY_STATE(f, struct tdlrp);
    begin(s, f, t);
    abe_on_duplicate(s, f, &t->abe, f->rto.srtt_ps);
    if (wireless_on_duplicate(s, f, &t->wireless))
        arm(f, t);
    else if (f->mode == MODE_RECOVERY && tdlrp_is_lost_again(t, ack->stamp_ps))
        immediate_retransmit(s, f, t);
    if (f->duplicate_acks >= f->cfg->dupack_threshold)
        tdlrp_send(s, f);
}

/* Behind IRTOR: hole after hole, then congestion avoidance. */
static void on_ack_of_resent(struct sim *s, struct flow *f, struct tdlrp *t)
{
    f->duplicate_acks = 0;
    tcp_restart_rto(s, f);
    t->is_resending = f->una < f->recover;
    if (t->is_resending)
        tcp_send_segment(s, f, f->una);
    else
        tcp_set_mode(s, f, MODE_OPEN);
}

static void tdlrp_on_new_ack(struct sim *s, struct flow *f, uint32_t acked)
{
    struct tdlrp *t = RECOVERY_STATE(f, struct tdlrp);
    begin(s, f, t);
    abe_on_new_ack(s, f, &t->abe, f->rto.srtt_ps, acked);
    if (t->is_resending) {
        on_ack_of_resent(s, f, t);
        return;
    }
    wireless_on_new_ack(s, f, &t->wireless, acked);
    if (f->mode == MODE_RECOVERY)
        arm(f, t);
}

static bool tdlrp_on_timer(struct sim *s, struct flow *f)
{
    struct tdlrp *t = RECOVERY_STATE(f, struct tdlrp);
    bool is_second = t->has_resent && t->resent_una == f->una;
    if (f->ecn.is_marked || is_second)
        return false;
    tcp_note_timeout(s, f);
    t->is_resending = t->has_resent = true;
    t->resent_una = f->una;
    f->recover = f->end;
    f->has_recover = true;
    f->inflation = 0;
    f->limited_sent = f->duplicate_acks = 0;
    f->timing.is_running = false;
    tcp_set_mode(s, f, MODE_LOSS);
    tcp_back_off(s, f);
    tcp_send_segment(s, f, f->una);
    return true;
}

static void tdlrp_on_timeout(struct sim *s, struct flow *f)
{
    RECOVERY_STATE(f, struct tdlrp)->is_resending = false;
    recovery_go_back_n(s, f);
}

const struct recovery_ops recovery_tdlrp = {
    .item = {"tdlrp",
             "NewReno that finds lost retransmissions by timestamps and keeps its window for losses without marks",
             "Sreekumari et al., IJDSN 2013, 592502", "T-DLRP"},
    .stays_on_partial = true,
    .sees_every_ack = true,
    .classifies = true,
    .reads_marks = true,
    .uses_arrivals = true,
    .on_duplicate = tdlrp_on_duplicate,
    .on_new_ack = tdlrp_on_new_ack,
    .on_timeout = tdlrp_on_timeout,
    .send = tdlrp_send,
    .on_timer = tdlrp_on_timer,
};
