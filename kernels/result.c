/* result.c - from counters to metrics, and the check that no packet was lost count of. */
#include "result.h"

#include <math.h>
#include <string.h>

#include "tcp.h"

/* --- one flow, or several added up ----------------------------------------------------------------------------------
 */

struct totals {
    struct sender_counts count; /* in the window */
    uint64_t rtt_n;
    struct packet_counts packets;
    uint64_t files_started, files_done; /* over the whole run: what is unfinished at its end */
    double active_s;                    /* time in the window since the start; several flows: the longest */
    double active_sum_s;                /* several flows: added up */
    double goodput_bps, throughput_bps;
    struct delay_stats delay;
    bool has_marks, judges_first, judges_retransmissions;
    uint32_t transports; /* bit per enum transport */
    double mss_share;    /* payload share of a full TCP packet at the bottleneck */
    uint32_t nflows;
};

static double seconds(int64_t t_ps)
{
    return (double)t_ps / (double)PS_PER_S;
}

static int64_t window_ps(const struct sim *s)
{
    return s->to_ps - s->scenario->measure_from_ps;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

static struct sender_counts subtract(const struct sender_counts *a, const struct sender_counts *b)
{
    struct sender_counts d = *a;
    d.sent -= b->sent, d.retransmitted -= b->retransmitted, d.payload_bytes -= b->payload_bytes;
    for (int i = 0; i < TIMEOUT_CAUSES; i++)
        d.timeouts[i] -= b->timeouts[i];
    for (int i = 0; i < MODES; i++)
        d.mode_ps[i] -= b->mode_ps[i];
    d.fast_retransmits -= b->fast_retransmits;
    d.probes -= b->probes, d.undone -= b->undone;
    d.rtt_sum_ps -= b->rtt_sum_ps;
    d.first_rto_n -= b->first_rto_n, d.first_rto_sum_s -= b->first_rto_sum_s;
    d.cwnd_time -= b->cwnd_time;
    d.ecn_reductions -= b->ecn_reductions;
    for (int i = 0; i < FATES; i++)
        d.judged[i] -= b->judged[i], d.judged_right[i] -= b->judged_right[i];
    d.files_done -= b->files_done, d.files_time_s -= b->files_time_s;
    return d;
}

static void add_counts(struct sender_counts *sum, const struct sender_counts *a)
{
    sum->sent += a->sent, sum->retransmitted += a->retransmitted, sum->payload_bytes += a->payload_bytes;
    for (int i = 0; i < TIMEOUT_CAUSES; i++)
        sum->timeouts[i] += a->timeouts[i];
    for (int i = 0; i < MODES; i++)
        sum->mode_ps[i] += a->mode_ps[i];
    sum->fast_retransmits += a->fast_retransmits;
    sum->probes += a->probes, sum->undone += a->undone;
    sum->rtt_sum_ps += a->rtt_sum_ps;
    sum->first_rto_n += a->first_rto_n, sum->first_rto_sum_s += a->first_rto_sum_s;
    sum->cwnd_time += a->cwnd_time;
    sum->ecn_reductions += a->ecn_reductions;
    for (int i = 0; i < FATES; i++)
        sum->judged[i] += a->judged[i], sum->judged_right[i] += a->judged_right[i];
    sum->files_done += a->files_done, sum->files_time_s += a->files_time_s;
}

static void add_packets(struct packet_counts *sum, const struct packet_counts *a)
{
    sum->delivered += a->delivered, sum->duplicates += a->duplicates, sum->bytes_in_order += a->bytes_in_order;
    sum->drops_queue += a->drops_queue, sum->drops_error += a->drops_error, sum->data_dropped += a->data_dropped;
    sum->drops_retry += a->drops_retry;
    sum->marked += a->marked;
    for (int i = 0; i < FATES; i++)
        sum->lost[i] += a->lost[i];
}

/* Pools two sets of delays (Chan, Golub and LeVeque's update); differences are within a flow only. */
static void add_delays(struct delay_stats *sum, const struct delay_stats *a)
{
    if (a->n == 0)
        return;
    double n = (double)(sum->n + a->n), delta = a->mean_s - sum->mean_s;
    sum->m2 += a->m2 + delta * delta * (double)sum->n * (double)a->n / n;
    sum->mean_s += delta * (double)a->n / n;
    sum->n += a->n;
    sum->difference_sum_s += a->difference_sum_s;
}

static uint64_t rtt_samples(const struct flow *f)
{
    uint64_t n = 0;
    for (int k = 0; k < RTT_OCTAVES * HISTOGRAM_STEPS; k++)
        n += f->rtt_histogram[k];
    return n;
}

static struct totals totals_of(const struct sim *s, const struct flow *f)
{
    const struct flow_cfg *cfg = f->flow_cfg;
    struct totals t = {.count = subtract(&f->count, &f->count_at_start),
                       .rtt_n = rtt_samples(f),
                       .packets = f->packets[WITHIN],
                       .delay = f->delay,
                       .has_marks = cfg->tcp.ecn != ECN_OFF,
                       .judges_first = f->fates && (cfg->tcp.cc->is_random || cfg->tcp.recovery->reads_marks),
                       .judges_retransmissions = f->fates && cfg->tcp.recovery->classifies,
                       .transports = 1u << cfg->app.ops->transport,
                       .nflows = 1};
    int64_t from_ps = f->active_from_ps > s->from_ps ? f->active_from_ps : s->from_ps;
    int64_t to_ps = cfg->stop_ps < s->to_ps ? cfg->stop_ps : s->to_ps;
    t.active_s = t.active_sum_s = to_ps > from_ps ? seconds(to_ps - from_ps) : 0;
    t.goodput_bps = ratio(8.0 * (double)t.packets.bytes_in_order, t.active_s);
    t.throughput_bps = ratio(8.0 * (double)t.count.payload_bytes, t.active_s);
    t.files_started = f->app.writes + f->pool.waiting;
    t.files_done = f->count.files_done;
    t.mss_share = (double)cfg->tcp.mss_bytes /
                  scenario_wire_bytes(s->bottleneck->channel, cfg->tcp.mss_bytes + f->data_header_bytes);
    return t;
}

static void add_totals(struct totals *sum, const struct totals *t)
{
    add_counts(&sum->count, &t->count);
    sum->rtt_n += t->rtt_n;
    add_packets(&sum->packets, &t->packets);
    add_delays(&sum->delay, &t->delay);
    sum->files_started += t->files_started, sum->files_done += t->files_done;
    sum->active_s = t->active_s > sum->active_s ? t->active_s : sum->active_s;
    sum->active_sum_s += t->active_sum_s;
    sum->goodput_bps += isnan(t->goodput_bps) ? 0 : t->goodput_bps;
    sum->throughput_bps += isnan(t->throughput_bps) ? 0 : t->throughput_bps;
    sum->has_marks |= t->has_marks, sum->judges_first |= t->judges_first;
    sum->judges_retransmissions |= t->judges_retransmissions;
    sum->transports |= t->transports;
    sum->mss_share = t->mss_share > sum->mss_share ? t->mss_share : sum->mss_share;
    sum->nflows += t->nflows;
}

/* --- metrics ------------------------------------------------------------------------------------------------------ */

static bool is_file(const struct flow *f)
{
    return f->flow_cfg->app.ops->has_files;
}

/* The quantile of a histogram of n times, interpolated inside its step. */
static double quantile(const uint32_t *histogram, int octaves, uint64_t n, double share)
{
    double wanted = share * (double)n, sum = 0;
    for (int i = 0; i < octaves * HISTOGRAM_STEPS; i++) {
        if (sum + histogram[i] >= wanted && histogram[i] > 0) {
            double octave_ps = (double)(UINT64_C(1) << (HISTOGRAM_FIRST_OCTAVE + i / HISTOGRAM_STEPS)),
                   inside = (wanted - sum) / histogram[i];
            return (1 + (i % HISTOGRAM_STEPS + inside) / HISTOGRAM_STEPS) * octave_ps / (double)PS_PER_S;
        }
        sum += histogram[i];
    }
    return NAN;
}

static double percentile_95(const uint32_t *histogram, uint64_t n)
{
    return quantile(histogram, RTT_OCTAVES, n, 0.95);
}

/* Percentiles of completion times, of a flow that has them. */
static void fill_completions(double *m, const uint32_t *completions)
{
    uint64_t n = 0;
    for (int k = 0; k < COMPLETION_OCTAVES * HISTOGRAM_STEPS; k++)
        n += completions[k];
    m[METRIC_completion_p50] = quantile(completions, COMPLETION_OCTAVES, n, 0.5);
    m[METRIC_completion_p95] = quantile(completions, COMPLETION_OCTAVES, n, 0.95);
    m[METRIC_completion_p99] = quantile(completions, COMPLETION_OCTAVES, n, 0.99);
}

/* Of all flows together: their histograms are added up in the first one's. */
static void fill_all_completions(struct sim *s, double *m)
{
    uint32_t *sum = NULL;
    for (uint32_t i = 0; i < s->nflows; i++) {
        uint32_t *own = s->flows[i].completions;
        for (int k = 0; own && sum && k < COMPLETION_OCTAVES * HISTOGRAM_STEPS; k++)
            sum[k] += own[k];
        sum = sum ? sum : own;
    }
    if (sum)
        fill_completions(m, sum);
}

static void fill_tcp(double *m, const struct totals *t)
{
    const struct sender_counts *c = &t->count;
    double timeouts = 0, active_ps = t->active_sum_s * (double)PS_PER_S;
    for (int i = 0; i < TIMEOUT_CAUSES; i++)
        timeouts += (double)c->timeouts[i];
    m[METRIC_retransmitted] = (double)c->retransmitted;
    m[METRIC_timeouts] = timeouts;
    m[METRIC_timeouts_lost_retransmission] = (double)c->timeouts[TIMEOUT_LOST_RETRANSMISSION];
    m[METRIC_timeouts_tail] = (double)c->timeouts[TIMEOUT_TAIL];
    m[METRIC_timeouts_other] = (double)c->timeouts[TIMEOUT_OTHER];
    m[METRIC_fast_retransmits] = (double)c->fast_retransmits;
    m[METRIC_probes] = (double)c->probes;
    m[METRIC_undone] = (double)c->undone;
    m[METRIC_spurious_retransmits] = (double)t->packets.duplicates;
    m[METRIC_loss_event_rate] = ratio((double)c->fast_retransmits + timeouts, (double)c->sent);
    m[METRIC_rto_first_mean] = ratio(c->first_rto_sum_s, (double)c->first_rto_n);
    m[METRIC_cwnd_mean] = ratio(c->cwnd_time, active_ps);
    m[METRIC_time_recovery] = ratio((double)c->mode_ps[MODE_RECOVERY], active_ps);
    m[METRIC_time_timeout] = ratio((double)c->mode_ps[MODE_LOSS], active_ps);
}

static double percent(uint64_t part, uint64_t whole)
{
    return 100 * ratio((double)part, (double)whole);
}

/* What a scheme made of its losses; retransmissions: of all that happened, first losses: of those it decided on. */
static void fill_classification(double *m, const struct totals *t)
{
    const struct sender_counts *c = &t->count;
    if (t->judges_retransmissions) {
        const uint64_t *lost = t->packets.lost, *right = c->judged_right;
        m[METRIC_rlc_total] = (double)lost[FATE_RETRANSMISSION_CONGESTION];
        m[METRIC_rlc_right] = (double)right[FATE_RETRANSMISSION_CONGESTION];
        m[METRIC_rlw_total] = (double)lost[FATE_RETRANSMISSION_RANDOM];
        m[METRIC_rlw_right] = (double)right[FATE_RETRANSMISSION_RANDOM];
        m[METRIC_accuracy_rlc] = percent(right[FATE_RETRANSMISSION_CONGESTION], lost[FATE_RETRANSMISSION_CONGESTION]);
        m[METRIC_accuracy_rlw] = percent(right[FATE_RETRANSMISSION_RANDOM], lost[FATE_RETRANSMISSION_RANDOM]);
        m[METRIC_accuracy_average] = (m[METRIC_accuracy_rlc] + m[METRIC_accuracy_rlw]) / 2;
    }
    if (t->judges_first) {
        m[METRIC_first_congestion] = (double)c->judged[FATE_FIRST_CONGESTION];
        m[METRIC_first_congestion_right] = (double)c->judged_right[FATE_FIRST_CONGESTION];
        m[METRIC_first_random] = (double)c->judged[FATE_FIRST_RANDOM];
        m[METRIC_first_random_right] = (double)c->judged_right[FATE_FIRST_RANDOM];
        m[METRIC_accuracy_first] = (percent(c->judged_right[FATE_FIRST_CONGESTION], c->judged[FATE_FIRST_CONGESTION]) +
                                    percent(c->judged_right[FATE_FIRST_RANDOM], c->judged[FATE_FIRST_RANDOM])) /
                                   2;
    }
    if (t->has_marks) {
        m[METRIC_marked] = (double)t->packets.marked;
        m[METRIC_ecn_reductions] = (double)c->ecn_reductions;
    }
}

static void fill_files(double *m, const struct totals *t)
{
    m[METRIC_completion_time] = ratio(t->count.files_time_s, (double)t->count.files_done);
    m[METRIC_completed] = (double)t->count.files_done;
    m[METRIC_censored] = (double)(t->files_started - t->files_done);
}

static void fill(double *m, const struct totals *t, double left_bps, bool has_files)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        m[i] = NAN;
    m[METRIC_goodput] = t->goodput_bps;
    m[METRIC_throughput] = t->throughput_bps;
    m[METRIC_sent] = (double)t->count.sent;
    m[METRIC_drops_queue] = (double)t->packets.drops_queue;
    m[METRIC_drops_error] = (double)t->packets.drops_error;
    m[METRIC_drops_retry] = (double)t->packets.drops_retry;
    m[METRIC_rtt_mean] = ratio(t->count.rtt_sum_ps / (double)PS_PER_S, (double)t->rtt_n);
    if (t->transports & 1u << TRANSPORT_TCP) {
        fill_tcp(m, t);
        fill_classification(m, t);
        m[METRIC_available_share] = ratio(t->goodput_bps, left_bps * t->mss_share);
    }
    if (has_files)
        fill_files(m, t);
    if (t->delay.n > 0) {
        m[METRIC_delay_mean] = t->delay.mean_s;
        m[METRIC_delay_variance] = t->delay.n > 1 ? t->delay.m2 / (double)(t->delay.n - 1) : NAN;
        m[METRIC_jitter_mad] = ratio(t->delay.difference_sum_s, (double)(t->delay.n - t->nflows));
    }
}

/* Rate of the bottleneck that cross traffic (UDP, ATM's CBR) leaves, bit/s on the wire. */
static double rate_left_bps(const struct sim *s)
{
    double window_s = seconds(window_ps(s)), left_bps = s->bottleneck->rate_bps;
    left_bps -= scenario_cbr_bps(s->bottleneck->channel);
    for (uint32_t i = 0; i < s->nflows; i++) {
        const struct flow *f = &s->flows[i];
        if (f->flow_cfg->app.ops->transport != TRANSPORT_UDP)
            continue;
        struct sender_counts c = subtract(&f->count, &f->count_at_start);
        double bytes =
            (double)c.payload_bytes + (double)c.sent * (f->data_header_bytes + s->bottleneck->overhead_bytes);
        left_bps -= 8 * bytes / window_s;
    }
    return left_bps > 0 ? left_bps : 0;
}

static double jain(const struct sim *s)
{
    double sum = 0, squares = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->nflows; i++) {
        if (s->flows[i].flow_cfg->app.ops->transport != TRANSPORT_TCP)
            continue;
        double x = totals_of(s, &s->flows[i]).goodput_bps;
        if (isnan(x))
            continue;
        sum += x, squares += x * x, n++;
    }
    return n > 1 ? ratio(sum * sum, n * squares) : NAN;
}

static void fill_net(const struct sim *s, double *m)
{
    double whole_ps = (double)window_ps(s);
    m[METRIC_queue_mean] = (double)s->bottleneck->waiting_ps / whole_ps;
    m[METRIC_utilisation] = (double)s->bottleneck->busy_ps / whole_ps;
    m[METRIC_jain] = jain(s);
    m[METRIC_exchanges] = (double)s->exchanges;
    m[METRIC_exchanges_failed] = (double)s->exchanges_failed;
}

/* All flows together: TCP flows if there are any, cross traffic and pings only where they are alone. */
static bool counts_in_all(const struct sim *s, const struct flow *f)
{
    for (uint32_t i = 0; i < s->nflows; i++)
        if (s->flows[i].flow_cfg->app.ops->transport == TRANSPORT_TCP)
            return f->flow_cfg->app.ops->transport == TRANSPORT_TCP;
    return true;
}

static void fill_flows(struct sim *s, struct sim_result *result)
{
    struct totals all = {.nflows = 0};
    double left_bps = rate_left_bps(s);
    uint32_t *pooled = s->flows[0].rtt_histogram;
    bool has_files = false;
    for (uint32_t i = 0; i < s->nflows; i++) {
        struct flow *f = &s->flows[i];
        struct totals t = totals_of(s, f);
        if (result->flow) {
            fill(result->flow[i], &t, left_bps, is_file(f));
            result->flow[i][METRIC_rtt_p95] = percentile_95(f->rtt_histogram, t.rtt_n);
            if (f->completions)
                fill_completions(result->flow[i], f->completions);
        }
        if (!counts_in_all(s, f)) {
            memset(f->rtt_histogram, 0, RTT_OCTAVES * HISTOGRAM_STEPS * sizeof *f->rtt_histogram); /* not in the pool */
            continue;
        }
        add_totals(&all, &t);
        has_files |= is_file(f);
        for (int k = 0; i > 0 && k < RTT_OCTAVES * HISTOGRAM_STEPS; k++)
            pooled[k] += f->rtt_histogram[k];
    }
    if (all.active_s <= 0)
        all.goodput_bps = all.throughput_bps = NAN;
    fill(result->all, &all, left_bps, has_files);
    result->all[METRIC_rtt_p95] = percentile_95(pooled, all.rtt_n);
    fill_all_completions(s, result->all);
    fill_net(s, result->all);
}

/* --- conservation ------------------------------------------------------------------------------------------------- */

static uint64_t data_in_ring(const struct ring *ring, const struct flow *f)
{
    uint64_t n = 0;
    for (uint32_t i = ring->head; i != ring->tail; i++) {
        const struct packet *p = &ring->slot[i & ring->mask];
        n += !(p->flags & PACKET_ACK) && p->payload > 0 && f;
    }
    return n;
}

/* Whether the bytes handed to the application are those of the segments in order (offsets are modulo 2^32). */
static bool bytes_agree(const struct flow *f, uint64_t in_order)
{
    if (!f->is_uniform)
        return (uint32_t)in_order == f->offset[f->expected & f->offset_mask];
    return in_order == (uint64_t)(f->expected - (f->expected > f->fin_segment)) * f->cfg->mss_bytes;
}

static bool is_conserved(const struct flow *f)
{
    uint64_t arrived = 0, dropped = 0, under_way = f->in_stations, in_order = 0;
    for (int p = 0; p < PHASES; p++) {
        arrived += f->packets[p].delivered;
        dropped += f->packets[p].data_dropped;
        in_order += f->packets[p].bytes_in_order;
    }
    for (uint32_t k = 0; k <= f->stream[FORWARD].nhops; k++)
        if (f->stream[FORWARD].stage[k].ring)
            under_way += data_in_ring(f->stream[FORWARD].stage[k].ring, f);
    if (f->flow_cfg->app.ops->transport == TRANSPORT_PING)
        return true; /* requests become replies on the way */
    if (f->flow_cfg->app.ops->transport == TRANSPORT_TCP && !bytes_agree(f, in_order))
        return false;
    return f->count.sent == arrived + dropped + under_way;
}

void result_fill(struct sim *s, struct sim_result *result)
{
    result->packets = 0;
    for (uint32_t i = 0; i < s->nflows; i++) {
        struct flow *f = &s->flows[i];
        if (f->is_started)
            tcp_flush_integrals(s, f, s->to_ps);
        result->packets += f->count.sent;
        if (s->status == SIM_OK && !is_conserved(f))
            s->status = SIM_BROKEN;
    }
    result->status = s->status;
    fill_flows(s, result);
}
