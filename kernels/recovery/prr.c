/* prr.c - proportional rate reduction (RFC 9937, and RFC 6937 before it), and the scheme `prr`: losses found by SACK as
 * in RFC 6675, the window reduced by PRR.
 *
 * Departures: NextSeg's rules 3 and 4 (segments below the highest SACKed that are not yet lost, and the rescue
 * retransmission) are left out, as in Linux; segments, not bytes. Variants: RFC 9937 reckons from what was not yet
 * (S)ACKed before the ACK that began recovery, RFC 6937 from FlightSize, Linux from cwnd; RFC 6937 has the slow start
 * or the conservative bound on every ACK, the others slow start only on an ACK that advances and brings no news of
 * loss. ns3 (ns-3 3.48, tcp-prr-recovery.cc, tcp-socket-base.cc): reckons from what is in flight; an ACK that advances and
 * has news in its blocks counts twice; slow start on an ACK of something sent again; a partial ACK sends the first
 * segment again whatever cwnd says, unless it has been (tagged.c); the window grows by all that una passes, with the ACK
 * that ends recovery too.
 */
#include "tagged.h"

#include <math.h>

void prr_start(struct flow *f, struct tagged *t)
{
    const struct ack_facts *facts = &f->facts;
    enum prr_variant variant = f->cfg->tagged.prr;
    uint32_t outstanding = f->end - f->una, newly = f->segments.delivered - facts->delivered_before;
    t->prr_delivered = t->prr_out = 0;
    if (variant == PRR_LINUX)
        t->prr_flight = f->cwnd;
    else if (variant == PRR_RFC9937)
        t->prr_flight = outstanding - f->board.count + newly;
    else
        t->prr_flight = f->end - facts->prior_una;
    if (variant == PRR_NS3)
        t->prr_flight = segments_in_flight(f);
    if (t->prr_flight < 1)
        t->prr_flight = 1;
}

double prr_send_count(enum prr_variant variant, const struct tagged *t, double ssthresh, uint32_t pipe,
                      uint32_t delivered, bool is_safe)
{
    double count;
    if (pipe > ssthresh) {
        count = ceil(t->prr_delivered * ssthresh / t->prr_flight) - t->prr_out;
    } else {
        double owed = (double)t->prr_delivered - t->prr_out;
        count = owed > delivered ? owed : delivered;
        if (variant == PRR_RFC6937_SSRB || (variant != PRR_RFC6937_CRB && is_safe))
            count += 1;
        if (count > ssthresh - pipe)
            count = ssthresh - pipe;
    }
    double least = t->prr_out == 0 ? 1 : 0; /* the fast retransmit */
    return count > least ? count : least;
}

void prr_set_cwnd(struct sim *s, struct flow *f, struct tagged *t)
{
    const struct rate_sample *rate = &f->facts.rate;
    enum prr_variant variant = f->cfg->tagged.prr;
    if (rate->newly_delivered == 0)
        return;
    bool is_partial = rate->is_una_advanced && f->newly_sacked > 0;
    t->prr_delivered += rate->newly_delivered * (variant == PRR_NS3 && is_partial ? 2 : 1);
    bool is_safe = rate->is_una_advanced && (variant == PRR_NS3 ? f->facts.is_resent_acked : rate->newly_lost == 0);
    double ssthresh = (double)(uint32_t)f->ssthresh;
    tcp_set_cwnd(s, f,
                 rate->in_flight +
                     prr_send_count(variant, t, ssthresh, rate->in_flight, rate->newly_delivered, is_safe));
}

/* RFC 6675 IsLost: what lies below the third highest SACKed segment, once. */
static void prr_detect(struct sim *s, struct flow *f)
{
    (void)s;
    struct tagged *t = tagged_state(f);
    uint32_t edge = f->board.count ? f->board.lost_edge : f->una;
    for (uint32_t i = t->examined > f->una ? t->examined : f->una; i < edge; i++)
        if (!(segment_at(&f->segments, i)->flags & SEGMENT_LOST))
            segments_mark_lost(f, i);
    if (edge > t->examined)
        t->examined = edge;
}

static void prr_on_timeout(struct sim *s, struct flow *f)
{
    tagged_on_timeout(s, f, NULL);
}

const struct recovery_ops recovery_prr = {
    .item = {"prr", "selective acknowledgements with proportional rate reduction", "RFC 9937, RFC 6937, RFC 6675",
             NULL},
    .uses_sack = true,
    .stays_on_partial = true,
    .tags_segments = true,
    .on_duplicate = tagged_on_duplicate,
    .on_new_ack = tagged_on_new_ack,
    .on_timeout = prr_on_timeout,
    .send = tagged_send,
    .detect = prr_detect,
};
