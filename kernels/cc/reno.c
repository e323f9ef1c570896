/* reno.c - slow start and congestion avoidance of RFC 5681, with the growth rules that implementations use.
 *
 * growth bytes: RFC 3465 byte counting in real arithmetic: slow start min(acked, L) (L = 1 in the slow start that
 *   follows a timeout), avoidance acked/cwnd per ACK.
 * growth ack: one step an ACK, however much it acknowledges (RFC 2581, ns-2).
 * growth segments: per segment acknowledged; what slow start does not need goes to avoidance.
 */
#include "../tcp.h"

static double slow_start_step(const struct flow *f, double acked)
{
    double limit = f->slow_start_after_rto ? 1 : f->cfg->abc_limit;
    switch (f->cfg->growth) {
    case GROWTH_ACK:
        return 1;
    case GROWTH_BYTES:
        return acked < limit ? acked : limit;
    case GROWTH_SEGMENTS:
        break;
    }
    return acked;
}

static void reno_on_ack(struct sim *s, struct flow *f, double acked)
{
    double cwnd = f->cwnd;
    if (cwnd < f->ssthresh) {
        double step = slow_start_step(f, acked);
        bool is_split = f->cfg->growth == GROWTH_SEGMENTS && cwnd + step > f->ssthresh;
        acked = is_split ? acked - (f->ssthresh - cwnd) : 0;
        cwnd = is_split ? f->ssthresh : cwnd + step;
    } else {
        f->slow_start_after_rto = false;
        if (f->cfg->growth == GROWTH_ACK)
            acked = 1;
    }
    if (acked > 0)
        cwnd += acked / cwnd;
    tcp_set_cwnd(s, f, cwnd < f->cfg->cwnd_max_segs ? cwnd : f->cfg->cwnd_max_segs);
}

/* ns-3's BytesInFlight when a loss is found: what duplicate ACKs stand for has left, with SACK the lost segment too. */
static double pipe(const struct flow *f)
{
    double flight = f->next - f->una, gone = f->duplicate_acks;
    if (f->cfg->recovery->uses_sack)
        gone = f->board.count > 0 ? f->board.count + 1 : 0;
    return gone < flight ? flight - gone : flight;
}

static double reno_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    switch (f->cfg->ssthresh_base) {
    case BASE_FLIGHT:
        return tcp_flight_size(f) / 2.0;
    case BASE_WINDOW:
        return (f->cwnd < f->window ? f->cwnd : f->window) / 2;
    case BASE_PIPE:
        return pipe(f) / 2;
    case BASE_CWND:
        break;
    }
    return f->cwnd / 2;
}

const struct cc_ops cc_reno = {
    .item = {"reno", "slow start and congestion avoidance, halving on loss", "RFC 5681 3.1, RFC 3465",
             "TcpLinuxReno, TcpNewReno (ns-3)"},
    .on_ack = reno_on_ack,
    .ssthresh = reno_ssthresh,
};
