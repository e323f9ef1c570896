/* properties.c - what must hold in every run, tried on random scenarios.
 *
 *   properties [N] [SEED] [-v]
 *
 * Conservation (packets sent = delivered + dropped + in flight, bytes in order = bytes handed to the application, the
 * metrics = what the trace shows), queues within their limits, time that never goes back, the same run twice bit for
 * bit, and the horizon: a run of T shows what the first T of a run of 2 T shows, and counts of windows add up.
 * `-v` prints each scenario that fails as a sweep file; scenario K of a seed is always the same.
 */
#include "../../kernels/sim.h"
#include "../../kernels/app/app.h"
#include "../../kernels/registry.h"
#include "../../src/sweep.h"
#include "random_sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LENGTH (20 * PS_PER_S) /* T */

struct run {
    const struct scenario *scenario;
    struct trace_row *row;
    size_t n, room;
    struct sim_result result;
};

static char why[256]; /* of the property that failed last */

static bool fails(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Notes why and returns true, so that `return !fails(...)` reads well. */
static bool fails(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return true;
}

static void *allocate(void *old, size_t n, size_t size)
{
    void *memory = realloc(old, n ? n * size : 1);
    if (!memory) {
        fputs("properties: out of memory\n", stderr);
        exit(EXIT_ENVIRONMENT);
    }
    return memory;
}

/* --- runs --- */

static void keep_row(void *ctx, const struct trace_row *row)
{
    struct run *run = ctx;
    if (run->n == run->room) {
        run->room = run->room ? 2 * run->room : 4096;
        run->row = allocate(run->row, run->room, sizeof *run->row);
    }
    run->row[run->n++] = *row;
}

static struct run simulate(struct scenario *scenario, int64_t from_ps, int64_t to_ps)
{
    struct run run = {.scenario = scenario};
    struct sim_trace hook = {.row = keep_row, .ctx = &run};
    scenario->measure_from_ps = from_ps;
    scenario->measure_to_ps = to_ps;
    run.result.flow = allocate(NULL, scenario->nflows, sizeof *run.result.flow);
    void *memory = aligned_alloc(64, sim_bytes(scenario));
    if (!memory)
        allocate(NULL, SIZE_MAX / 2, 1);
    memset(memory, 0xa5, sim_bytes(scenario)); /* what it held before must not matter */
    sim_run(scenario, (struct sim_key){{7, 11}}, memory, &hook, &run.result);
    free(memory);
    return run;
}

static void run_free(struct run *run)
{
    free(run->row);
    free(run->result.flow);
}

/* Stable order by time; the kernel hands rows out as it walks. */
static void sort_rows(struct trace_row *row, struct trace_row *spare, size_t n)
{
    if (n < 2)
        return;
    size_t half = n / 2, i = 0, j = half;
    sort_rows(row, spare, half);
    sort_rows(row + half, spare, n - half);
    for (size_t k = 0; k < n; k++)
        spare[k] = i < half && (j == n || row[i].t_ps <= row[j].t_ps) ? row[i++] : row[j++];
    memcpy(row, spare, n * sizeof *row);
}

static void run_sort(struct run *run)
{
    struct trace_row *spare = allocate(NULL, run->n, sizeof *spare);
    sort_rows(run->row, spare, run->n);
    free(spare);
}

/* --- single properties --- */

static bool is_done(const struct run *run)
{
    if (run->result.status == SIM_OK)
        return true;
    return !fails("%s", sim_status_text(run->result.status));
}

/* Before sorting: what one end of a flow does comes in the order of time. */
static bool time_goes_on(const struct run *run)
{
    static const enum trace_event kinds[] = {TRACE_SEND, TRACE_ACK, TRACE_DELIVER};
    int64_t(*last)[3] = allocate(NULL, run->scenario->nflows, sizeof *last);
    memset(last, 0, run->scenario->nflows * sizeof *last);
    bool good = true;
    for (size_t i = 0; i < run->n && good; i++) {
        const struct trace_row *row = &run->row[i];
        for (int kind = 0; kind < 3; kind++) {
            if (row->event != kinds[kind])
                continue;
            if (row->t_ps < last[row->flow][kind])
                good = !fails("flow %u: event %u at %" PRId64 " ps after one at %" PRId64, row->flow, row->event,
                              row->t_ps, last[row->flow][kind]);
            last[row->flow][kind] = row->t_ps;
        }
    }
    free(last);
    return good;
}

/* Sorted rows before `end_ps` of two runs, field by field. */
static bool same_rows(const struct run *a, const struct run *b, int64_t end_ps)
{
    for (size_t i = 0;; i++) {
        const struct trace_row *l = i < a->n && a->row[i].t_ps < end_ps ? &a->row[i] : NULL;
        const struct trace_row *r = i < b->n && b->row[i].t_ps < end_ps ? &b->row[i] : NULL;
        if (!l && !r)
            return true;
        if (l && r && l->t_ps == r->t_ps && l->flow == r->flow && l->event == r->event && l->hop == r->hop &&
            l->a == r->a && l->b == r->b && memcmp(&l->x, &r->x, sizeof l->x) == 0)
            continue;
        return !fails("row %zu differs: event %d at %" PRId64 " ps against event %d at %" PRId64 " ps", i,
                      l ? l->event : -1, l ? l->t_ps : 0, r ? r->event : -1, r ? r->t_ps : 0);
    }
}

static bool same_bits(const struct run *a, const struct run *b)
{
    size_t bytes = a->scenario->nflows * sizeof *a->result.flow;
    if (memcmp(a->result.all, b->result.all, sizeof a->result.all) != 0 ||
        memcmp(a->result.flow, b->result.flow, bytes) != 0)
        return !fails("the metrics of the same run twice differ");
    return same_rows(a, b, INT64_MAX);
}

/* --- conservation, per flow --- */

struct segment {
    uint32_t sent, resolved;
    bool is_received;
    int64_t last_sent_ps;
};

struct tally {
    const struct run *run;
    uint32_t flow;
    struct segment *segment;
    size_t nsegments;
    int64_t in_order; /* segments */
    double app_bytes;
    uint64_t count[TRACE_MARK + 1]; /* rows by event */
    uint64_t again, duplicates, by_queue, by_error, by_retry;
    int64_t least_ps, most_ps; /* transit of a full segment; most 0 = no bound */
};

static uint32_t wire_bytes(const struct scenario *sc)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < sc->nflows; i++) {
        const struct tcp_cfg *tcp = &sc->flows[i].tcp;
        uint32_t payload =
            tcp->mss_bytes > sc->flows[i].app.packet_bytes ? tcp->mss_bytes : sc->flows[i].app.packet_bytes;
        uint32_t bytes = payload + tcp->header_bytes + (tcp->timestamps ? tcp->timestamp_bytes : 0);
        most = bytes > most ? bytes : most;
    }
    return most + 80; /* an ACK with all its options on a path of tiny segments */
}

static bool is_steady(const struct jitter_cfg *jitter)
{
    return jitter->jitter_ps == 0 && jitter->reorder <= 0;
}

/* Bounds of the time from sending to delivery: the least with empty queues, the most with full ones. */
static void bound_transit(struct tally *t)
{
    const struct scenario *sc = t->run->scenario;
    const struct flow_cfg *flow = &sc->flows[t->flow];
    uint32_t largest = wire_bytes(sc);
    bool is_bounded = true;
    for (uint16_t i = 0; i < flow->path_len[FORWARD]; i++) {
        const struct link_cfg *link = &sc->links[flow->path[FORWARD][i].link];
        const struct channel_cfg *channel =
            &link->channel[link->shared_duplex ? FORWARD : flow->path[FORWARD][i].direction];
        double byte_ps = 8e12 / channel->rate_bps, waiting = 0;
        if (channel->queue.unit == QUEUE_PACKETS)
            waiting = (channel->queue.size + 1) * (largest + channel->overhead_bytes);
        else if (channel->queue.unit == QUEUE_BYTES)
            waiting = channel->queue.size + largest + channel->overhead_bytes;
        bool is_fifo = link->wlan.topology == WLAN_OFF && channel->aqm.scheduler == SCHEDULER_FIFO &&
                       channel->aqm.kind != AQM_FQ_CODEL && channel->error.arq.kind != ARQ_FRAME;
        is_bounded = is_bounded && waiting > 0 && channel->nsteps == 0 && is_fifo;
        const struct jitter_cfg *jitter = &channel->error.jitter;
        is_bounded = is_bounded && is_steady(jitter);
        t->most_ps += channel->delay_ps + (int64_t)((waiting + largest + channel->overhead_bytes) * byte_ps) + 1000;
        t->least_ps += channel->nsteps || !is_steady(jitter) ? 0 : channel->delay_ps;
    }
    if (!is_bounded)
        t->most_ps = 0;
}

static struct segment *segment_at(struct tally *t, int64_t number)
{
    size_t need = (size_t)number + 1;
    if (need > t->nsegments) {
        size_t room = need * 2;
        t->segment = allocate(t->segment, room, sizeof *t->segment);
        memset(t->segment + t->nsegments, 0, (room - t->nsegments) * sizeof *t->segment);
        t->nsegments = room;
    }
    return &t->segment[number];
}

static bool tally_delivery(struct tally *t, const struct trace_row *row, struct segment *segment)
{
    if (segment->is_received != row->b)
        return !fails("segment %" PRId64 " delivered at %" PRId64 " ps: `before` is %" PRId64, row->a, row->t_ps,
                      row->b);
    t->duplicates += row->b != 0;
    segment->is_received = true;
    while (segment_at(t, t->in_order)->is_received)
        t->in_order++;
    int64_t transit_ps = row->t_ps - segment_at(t, row->a)->last_sent_ps;
    if (segment_at(t, row->a)->sent > 1)
        return true;
    if (transit_ps < t->least_ps || (t->most_ps && transit_ps > t->most_ps))
        return !fails("segment %" PRId64 " under way for %" PRId64 " ps, expected %" PRId64 " to %" PRId64
                      ": a queue over its limit?",
                      row->a, transit_ps, t->least_ps, t->most_ps);
    return true;
}

/* One row of the flow, in order of time. */
static bool tally_row(struct tally *t, const struct trace_row *row)
{
    t->count[row->event]++;
    if (row->event == TRACE_DROP || row->event == TRACE_ACK_DROP)
        *(row->b == CAUSE_ERROR ? &t->by_error : row->b == CAUSE_RETRY ? &t->by_retry : &t->by_queue) += 1;
    if (row->event == TRACE_APP)
        t->app_bytes += row->x;
    if (row->event == TRACE_ACK && row->a >= t->in_order && t->run->scenario->flows[t->flow].path_len[REVERSE])
        return !fails("segment %" PRId64 " acknowledged at %" PRId64 " ps, only %" PRId64 " in order", row->a,
                      row->t_ps, t->in_order);
    if (row->event != TRACE_SEND && row->event != TRACE_DROP && row->event != TRACE_DELIVER)
        return true;
    struct segment *segment = segment_at(t, row->a);
    if (row->event == TRACE_SEND) {
        if ((segment->sent > 0) != (row->b != 0))
            return !fails("segment %" PRId64 " sent at %" PRId64 " ps: `again` is %" PRId64, row->a, row->t_ps, row->b);
        t->again += row->b != 0;
        segment->sent++;
        segment->last_sent_ps = row->t_ps;
        return true;
    }
    if (++segment->resolved > segment->sent)
        return !fails("segment %" PRId64 " arrived or lost at %" PRId64 " ps more often than sent", row->a, row->t_ps);
    return row->event == TRACE_DROP || tally_delivery(t, row, segment);
}

/* What is neither delivered nor dropped at the end must have been sent a short time ago. */
static bool in_flight_is_recent(struct tally *t)
{
    for (size_t i = 0; i < t->nsegments && t->most_ps; i++) {
        const struct segment *segment = &t->segment[i];
        if (segment->resolved < segment->sent && segment->last_sent_ps < LENGTH - t->most_ps)
            return !fails("segment %zu, sent last at %" PRId64 " ps, has vanished", i, segment->last_sent_ps);
    }
    return true;
}

static bool metric_is(const struct tally *t, enum metric metric, double expected)
{
    double got = t->run->result.flow[t->flow][metric];
    if (got == expected)
        return true;
    return !fails("flow %u: metric %s is %.17g, the trace shows %.17g", t->flow, metric_table[metric].name, got,
                  expected);
}

static bool metrics_agree(const struct tally *t)
{
    const struct app_cfg *app = &t->run->scenario->flows[t->flow].app;
    bool is_tcp = app->ops->transport == TRANSPORT_TCP;
    if (!metric_is(t, METRIC_sent, (double)t->count[TRACE_SEND]) ||
        !metric_is(t, METRIC_drops_error, (double)t->by_error) ||
        !metric_is(t, METRIC_drops_queue, (double)t->by_queue) ||
        !metric_is(t, METRIC_drops_retry, (double)t->by_retry))
        return false;
    return !is_tcp || (metric_is(t, METRIC_retransmitted, (double)t->again) &&
                       metric_is(t, METRIC_spurious_retransmits, (double)t->duplicates) &&
                       metric_is(t, METRIC_timeouts, (double)t->count[TRACE_TIMEOUT]) &&
                       metric_is(t, METRIC_fast_retransmits, (double)t->count[TRACE_FAST_RETRANSMIT]));
}

/* Bytes in order: bulk segments are all full but with dgc, a file ends with a smaller one. */
static bool bytes_agree(const struct tally *t)
{
    const struct flow_cfg *flow = &t->run->scenario->flows[t->flow];
    const char *app = ((const struct item *)flow->app.ops)->name;
    double bytes = (double)t->in_order * flow->tcp.mss_bytes;
    if (flow->tcp.dgc)
        return true;
    if (strcmp(app, "file") == 0 && flow->app.repeat == 1 && flow->app.size_law == SIZE_FIXED)
        bytes = fmin(bytes, (double)flow->app.size_bytes);
    else if (strcmp(app, "bulk") != 0)
        return true;
    if (bytes != t->app_bytes)
        return !fails("flow %u: %.0f bytes in order, %.0f handed to the application", t->flow, bytes, t->app_bytes);
    if (flow->start_ps > 0 || flow->start_spread_ps > 0 || flow->stop_ps < LENGTH ||
        t->run->scenario->start_jitter_ps != 0)
        return true;
    double goodput = t->run->result.flow[t->flow][METRIC_goodput], expected = bytes * 8 * PS_PER_S / LENGTH;
    if (fabs(goodput - expected) > 1e-9 * expected)
        return !fails("flow %u: goodput %.17g, expected %.17g", t->flow, goodput, expected);
    return true;
}

static bool conserves(const struct run *run, uint32_t flow)
{
    struct tally t = {.run = run, .flow = flow};
    bound_transit(&t);
    bool good = true;
    for (size_t i = 0; i < run->n && good; i++) {
        if (run->row[i].flow == flow && run->row[i].t_ps <= run->scenario->measure_to_ps)
            good = tally_row(&t, &run->row[i]);
    }
    good = good && in_flight_is_recent(&t) && metrics_agree(&t) && bytes_agree(&t);
    free(t.segment);
    return good;
}

/* --- windows: what is counted in (0, T] and in (T, 2 T] is what is counted in (0, 2 T] --- */

static bool windows_add_up(const struct run *first, const struct run *second, const struct run *both)
{
    static const enum metric counters[] = {
        METRIC_sent,        METRIC_retransmitted,    METRIC_timeouts,    METRIC_timeouts_lost_retransmission,
        METRIC_completed,   METRIC_fast_retransmits, METRIC_drops_queue, METRIC_spurious_retransmits,
        METRIC_drops_error, METRIC_drops_retry,
    };
    for (uint32_t flow = 0; flow < first->scenario->nflows; flow++) {
        for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
            enum metric m = counters[i];
            double sum = first->result.flow[flow][m] + second->result.flow[flow][m], all = both->result.flow[flow][m];
            if (sum != all && !(isnan(sum) && isnan(all)))
                return !fails("flow %u: %s is %g in the first half and %g in the second, %g in both", flow,
                              metric_table[m].name, first->result.flow[flow][m], second->result.flow[flow][m], all);
        }
    }
    return true;
}

/* --- one scenario --- */

static bool check_runs(struct scenario *scenario, bool is_plain)
{
    struct run once = simulate(scenario, 0, LENGTH);
    bool good = is_done(&once) && time_goes_on(&once);
    run_sort(&once);
    for (uint32_t flow = 0; flow < scenario->nflows && good && is_plain; flow++)
        good = conserves(&once, flow);
    struct run again = simulate(scenario, 0, LENGTH), second = simulate(scenario, LENGTH, 2 * LENGTH);
    struct run both = simulate(scenario, 0, 2 * LENGTH);
    run_sort(&again);
    run_sort(&both);
    good = good && same_bits(&once, &again) && is_done(&second) && is_done(&both);
    good = good && same_rows(&once, &both, LENGTH) && windows_add_up(&once, &second, &both);
    run_free(&once);
    run_free(&again);
    run_free(&second);
    run_free(&both);
    return good;
}

static bool check_text(const char *text, bool is_plain)
{
    char path[] = "/tmp/properties_XXXXXX";
    struct error err = {0};
    struct sweep *sweep = NULL;
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        return !fails("%s cannot be written", path);
    close(fd);
    struct scenario *scenario = NULL; /* refers to the sweep */
    if (sweep_load(&sweep, path, NULL, 0, &err) == 0)
        scenario = sweep_scenario(sweep, 0, &err);
    unlink(path);
    bool good = scenario ? check_runs(scenario, is_plain) : !fails("%.200s", err.text);
    free(scenario);
    if (sweep)
        sweep_free(sweep);
    return good;
}

int main(int argc, char **argv)
{
    bool is_verbose = argc > 1 && strcmp(argv[argc - 1], "-v") == 0;
    argc -= is_verbose;
    unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 200, failed = 0;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (unsigned i = 0; i < n; i++) {
        char text[RANDOM_SWEEP_BYTES];
        bool is_plain = random_sweep(text, seed, i);
        if (check_text(text, is_plain))
            continue;
        failed++;
        printf("scenario %u of seed %" PRIu64 ": %s\n%s", i, seed, why, is_verbose ? text : "");
    }
    printf("%u passed, %u failed\n", n - failed, failed);
    return failed ? EXIT_ENVIRONMENT : EXIT_DONE;
}
