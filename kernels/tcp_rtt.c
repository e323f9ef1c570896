/* tcp_rtt.c - which ACK gives which round-trip time to the retransmission timer and to congestion control: timestamps
 * (RFC 7323), one timed segment (RFC 6298 section 3, Karn), or the send times of segments (Linux). Part of tcp.h.
 */
#include "tcp.h"

#include "sender.h"

void tcp_reset_backoff(struct sim *s, struct flow *f)
{
    if (f->rto.backoff == 1)
        return;
    f->rto.backoff = 1;
    TRACE(s, s->now_ps, f, TRACE_BACKOFF, NULL, 1, 0, 0);
}

static void trace_rtt(struct sim *s, const struct flow *f, int64_t rtt_ps)
{
    TRACE(s, s->now_ps, f, TRACE_RTT, NULL, 0, 0, (double)rtt_ps / (double)PS_PER_S);
    TRACE(s, s->now_ps, f, TRACE_SRTT, NULL, 0, 0, rto_srtt_s(&f->rto, f->cfg));
    TRACE(s, s->now_ps, f, TRACE_RTTVAR, NULL, 0, 0, rto_rttvar_s(&f->rto, f->cfg));
}

void tcp_take_sample(struct sim *s, struct flow *f, int64_t sent_ps)
{
    if (f->rto.is_linux)
        rto_sample_linux(&f->rto, s->now_ps, sent_ps, f->una, f->end);
    else
        rto_sample(&f->rto, f->cfg, s->now_ps - sent_ps, sent_ps);
    if (__builtin_expect(s->trace != NULL, 0))
        trace_rtt(s, f, s->now_ps - sent_ps);
}

/* When a segment was sent, as far as a timestamp of coarse ticks tells: now less the ticks that have passed since. */
static int64_t stamped_ps(const struct sim *s, const struct flow *f, int64_t stamp_ps)
{
    int64_t tick_ps = f->cfg->timestamp_tick_ps;
    return tick_ps > 0 ? s->now_ps - (s->now_ps / tick_ps - stamp_ps / tick_ps) * tick_ps : stamp_ps;
}

/* ns-2 ends a backoff only with the sample of a timed segment, also when it uses timestamps, and takes none from a
 * partial ACK. */
static void sample_by_rules(struct sim *s, struct flow *f, const struct packet *ack)
{
    const struct tcp_cfg *cfg = f->cfg;
    if (cfg->ns2_rules && f->mode == MODE_RECOVERY && cfg->recovery->stays_on_partial && f->una < f->recover)
        return;
    bool is_timed = f->timing.is_running && ack->seq > f->timing.segment;
    if (cfg->timestamps)
        tcp_take_sample(s, f, stamped_ps(s, f, ack->stamp_ps));
    if (is_timed) {
        f->timing.is_running = false;
        if (!cfg->timestamps)
            tcp_take_sample(s, f, f->timing.sent_ps);
    }
    if (is_timed || (cfg->timestamps && !cfg->ns2_rules))
        tcp_reset_backoff(s, f);
}

void tcp_sample_by_segment(struct sim *s, struct flow *f)
{
    const struct ack_facts *facts = &f->facts;
    int64_t sent_ps = facts->first_ps >= 0 && !facts->is_resent_acked ? facts->first_ps : facts->sack_first_ps;
    if (sent_ps < 0 && f->una > facts->prior_una && f->cfg->timestamps)
        sent_ps = stamped_ps(s, f, facts->echo_ps);
    if (sent_ps < 0)
        return;
    tcp_take_sample(s, f, sent_ps);
    tcp_reset_backoff(s, f);
}

void tcp_sample_rtt(struct sim *s, struct flow *f, const struct packet *ack)
{
    int64_t rtt_ps = s->now_ps - ack->stamp_ps;
    note_rtt(f, rtt_ps);
    if (f->cfg->segment_rtt && f->segments.at) {
        tcp_sample_by_segment(s, f);
        return;
    }
    if (!f->samples_every_ack) {
        sample_by_rules(s, f, ack);
        return;
    }
    sample_by_stamp(s, f, rtt_ps);
    if (s->trace)
        trace_rtt(s, f, rtt_ps);
}

void tcp_end_timing(struct sim *s, struct flow *f)
{
    f->timing.is_running = false;
    tcp_reset_backoff(s, f);
}

void tcp_note_last_rtt(const struct sim *s, struct flow *f)
{
    struct ack_facts *facts = &f->facts;
    int64_t sent_ps = facts->is_resent_acked ? -1 : facts->last_ps;
    if (facts->sack_last_ps >= 0)
        sent_ps = facts->sack_last_ps;
    if (sent_ps < 0)
        return;
    facts->rate.rtt_ps = s->now_ps - sent_ps;
    if (f->segments.min_rtt_ps < 0 || facts->rate.rtt_ps < f->segments.min_rtt_ps)
        f->segments.min_rtt_ps = facts->rate.rtt_ps;
}

int64_t tcp_ack_rtt(struct sim *s, struct flow *f, const struct packet *ack)
{
    if (f->segments.at)
        return f->facts.rate.rtt_ps;
    if (!f->sent_ps)
        return s->now_ps - ack->stamp_ps;
    uint32_t at = (f->una - 1) & f->transmission_mask;
    return f->transmissions[at] == 1 ? s->now_ps - f->sent_ps[at] : -1;
}
