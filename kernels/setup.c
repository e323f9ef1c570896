/* setup.c - lays an instance out in one block of memory and puts every element into its first state.
 *
 * The same walk over the scenario measures the block (base = NULL) and builds it. Each hop is classified once: a stream
 * walks through it when no other stream enters and nothing before it can reorder, otherwise it waits there in a ring.
 */
#include "setup.h"

#include <stdlib.h>
#include <string.h>

#include "dgc.h"
#include "rto.h"
#include "link_jitter.h"
#include "sack_compact.h"
#include "setup_links.h"
#include "station/station.h"

enum { RING_LEAST = 64 };

static void set_order(struct ring *ring, bool may_disorder)
{
    ring->room = may_disorder ? 0 : ring->mask + 1;
}

static struct ring carve_ring(struct carver *c, uint32_t capacity, bool may_disorder)
{
    struct ring ring = {.slot = carve(c, capacity * sizeof(struct packet)), .mask = capacity - 1};
    set_order(&ring, may_disorder);
    return ring;
}

/* --- sizes -------------------------------------------------------------------------------------------------------- */

static uint64_t send_limit_bytes(const struct tcp_cfg *tcp)
{
    uint64_t buffer = tcp->send_buffer_bytes;
    return buffer && buffer < tcp->receive_window_bytes ? buffer : tcp->receive_window_bytes;
}

static bool is_uniform(const struct flow_cfg *flow)
{
    return flow->app.ops->is_uniform(&flow->app, &flow->tcp) && !flow->tcp.dgc;
}

/* Segments that can be outstanding at once. Where writes end in short segments there are more than full ones. */
static uint64_t window_segments(const struct flow_cfg *flow)
{
    const struct app_cfg *app = &flow->app;
    if (app->ops->transport != TRANSPORT_TCP)
        return RING_LEAST;
    bool may_shrink = flow->tcp.dgc && flow->tcp.mss_bytes > DGC_LEAST_MSS;
    uint64_t bytes = send_limit_bytes(&flow->tcp), full = bytes / (may_shrink ? DGC_LEAST_MSS : flow->tcp.mss_bytes);
    if (app->ops->is_uniform(app, &flow->tcp))
        return full;
    uint64_t writes = app->ops->short_segments ? app->ops->short_segments(app, bytes)
                                               : bytes / (app->packet_bytes ? app->packet_bytes : 1);
    return full + writes + 4;
}

/* Whether a source of datagrams may find a queue that grows as long as it sends. */
static bool may_pile_up(const struct scenario *sc, const struct flow_cfg *flow, double offered_bps)
{
    for (int d = FORWARD; d <= REVERSE; d++)
        for (uint32_t k = 0; k < flow->path_len[d]; k++) {
            const struct channel_cfg *channel = &sc->links[flow->path[d][k].link].channel[flow->path[d][k].direction];
            bool is_radio = sc->links[flow->path[d][k].link].wlan.topology != WLAN_OFF;
            bool is_tight = sc->nflows > 1 || offered_bps >= channel->rate_bps || channel->nsteps > 0 || is_radio;
            if (channel->queue.unit == QUEUE_UNLIMITED && is_tight)
                return true;
        }
    return false;
}

static uint64_t queues_packets(const struct scenario *sc, const struct flow_cfg *flow)
{
    enum { SMALLEST_BYTES = 28 };
    double sum = 0;
    for (int d = FORWARD; d <= REVERSE; d++)
        for (uint32_t k = 0; k < flow->path_len[d]; k++) {
            struct queue_cfg queue = sc->links[flow->path[d][k].link].channel[flow->path[d][k].direction].queue;
            sum += queue.unit == QUEUE_BYTES     ? queue.size / SMALLEST_BYTES
                   : queue.unit == QUEUE_PACKETS ? queue.size
                                                 : 0;
        }
    return (uint64_t)sum;
}

/* Datagrams sent in such a time, at most. */
static uint64_t most_datagrams(const struct app_cfg *app, int64_t time_ps)
{
    if (app->ops->most_packets)
        return app->ops->most_packets(app, time_ps);
    return (uint64_t)(time_ps / (app->interval_ps > 0 ? app->interval_ps : 1)) + 1;
}

/* Datagrams under way at once: those of the path's delay, and what its queues can hold. */
static uint64_t datagrams_under_way(const struct scenario *sc, uint32_t i)
{
    const struct flow_cfg *flow = &sc->flows[i];
    int64_t interval_ps = flow->app.interval_ps > 0 ? flow->app.interval_ps : 1;
    double offered_bps = 8.0 * flow->app.packet_bytes * (double)PS_PER_S / (double)interval_ps;
    uint64_t all = most_datagrams(&flow->app, sc->measure_to_ps);
    uint64_t some = most_datagrams(&flow->app, 4 * scenario_base_rtt_ps(sc, i)) + queues_packets(sc, flow);
    return may_pile_up(sc, flow, offered_bps) || some > all ? all : some;
}

/* Packets of one stream under way at once: windows overlap when a timeout resends what is still queued. */
static uint32_t ring_capacity(const struct scenario *sc, uint32_t i)
{
    bool is_tcp = sc->flows[i].app.ops->transport == TRANSPORT_TCP;
    return power_of_two((is_tcp ? 3 * window_segments(&sc->flows[i]) : datagrams_under_way(sc, i)) + RING_LEAST);
}

static void count_uses(const struct scenario *sc, struct hop_use *uses)
{
    for (uint32_t i = 0; i < sc->nflows; i++) {
        uint32_t most = ring_capacity(sc, i);
        for (int d = FORWARD; d <= REVERSE; d++)
            for (uint32_t k = 0; k < sc->flows[i].path_len[d]; k++) {
                struct hop_use *use = &uses[setup_hop_index(sc, sc->flows[i].path[d][k])];
                if (use->streams++ == 0)
                    use->first_flow = i;
                use->most_packets += most;
            }
    }
}

/* --- streams ------------------------------------------------------------------------------------------------------ */

static bool can_reorder(const struct channel_cfg *channel)
{
    if (jitter_reorders(channel))
        return true;
    int64_t delay_ps = channel->delay_ps;
    for (uint32_t i = 0; i < channel->nsteps; i++) {
        if (channel->steps[i].delay_ps < 0)
            continue;
        if (channel->steps[i].delay_ps < delay_ps)
            return true;
        delay_ps = channel->steps[i].delay_ps;
    }
    return false;
}

struct layout {
    const struct scenario *sc;
    struct carver carver;
    struct sim *sim;
    const struct hop_use *uses;
    uint32_t nsources;
};

static uint32_t add_source(struct layout *l, struct flow *f, struct stage *stage)
{
    if (l->sim)
        l->sim->sources[l->nsources] = (struct source){.flow = f, .stage = stage};
    return l->nsources++;
}

static const struct channel_cfg *channel_at(const struct scenario *sc, uint32_t hop)
{
    return &sc->links[hop / 2].channel[hop % 2];
}

/* Whether stage k of a stream waits for events: streams meet there, a station does, or what comes before may have
 * reordered it. */
static bool stage_waits(const struct layout *l, const struct flow_cfg *flow, enum direction d, uint32_t k,
                        bool is_disordered)
{
    if (is_disordered || k == flow->path_len[d])
        return is_disordered;
    uint32_t hop = setup_hop_index(l->sc, flow->path[d][k]);
    return l->uses[hop].streams > 1 || setup_station_ops(l->sc, hop);
}

static void set_hop(struct stage *stage, struct hop *hop, bool is_walked, uint32_t usual_bytes)
{
    stage->hop = hop;
    stage->is_walked = is_walked;
    stage->run.service_ps = net_service_ps(hop, usual_bytes);
    stage->run.usual_bytes = usual_bytes;
    stage->run.last_ps = -1;
}

/* Whether a hop has neither a schedule nor a managed queue nor tries nor jitter nor a station nor a queue of another
 * kind than packets. */
static bool is_simple(const struct hop *hop)
{
    return hop->channel->nsteps == 0 && !hop->managed && !hop->arq && !hop->station && !hop->jitter &&
           (!hop->queue_ops || hop->extras & HOP_TAIL);
}

/* Whether hop b never needs longer than hop a, whatever the packet's size, and has nothing but error models. */
static bool is_never_slower(const struct hop *b, const struct hop *a)
{
    return is_simple(b) && b->extras == 0 && b->ps_per_byte > 0 && b->ps_per_byte <= a->ps_per_byte &&
           b->overhead_bytes * b->ps_per_byte <= a->overhead_bytes * a->ps_per_byte;
}

/* Takes a hop's part into a run's short way. */
static void add_to_run(struct run *run, struct hop *hop, int64_t service_ps)
{
    run->delay_ps += service_ps + hop->delay_ps;
    run->past_errors_ps += service_ps + hop->delay_ps;
    if (!hop->nerrors)
        return;
    run->errors = hop;
    run->gap = (run->usual_bytes + hop->overhead_bytes) * hop->gap_per_byte + hop->gap_per_packet;
    run->past_errors_ps = 0;
}

/* The longest run from a stage on. Returns the stage behind it. */
static struct stage *set_run(struct stage *first)
{
    struct run *run = &first->run;
    struct stage *stage = first + 1;
    run->is_short = is_simple(first->hop);
    add_to_run(run, first->hop, 0);
    while (run->is_short && stage->is_walked && is_never_slower(stage->hop, first->hop) &&
           !(stage->hop->nerrors && run->errors)) {
        add_to_run(run, stage->hop, stage->run.service_ps);
        run->length++;
        stage++;
    }
    return first->next = stage;
}

static uint32_t usual_bytes(const struct flow_cfg *cfg, enum direction d)
{
    if (cfg->app.ops->transport != TRANSPORT_TCP)
        return cfg->app.packet_bytes + scenario_data_header_bytes(cfg);
    return d == FORWARD ? cfg->tcp.mss_bytes + scenario_data_header_bytes(cfg) : scenario_ack_bytes(cfg);
}

static void setup_stream(struct layout *l, uint32_t flow, enum direction d, struct flow *f)
{
    const struct flow_cfg *cfg = &l->sc->flows[flow];
    uint32_t n = cfg->path_len[d], capacity = ring_capacity(l->sc, flow);
    struct stage *stages = carve_zero(&l->carver, (n + 1) * sizeof *stages);
    struct stream *stream = f ? &f->stream[d] : NULL;
    if (stream)
        *stream = (struct stream){.stage = stages, .nhops = n};
    bool is_disordered = false;
    for (uint32_t k = 0; k <= n; k++) {
        bool is_end = k == n, waits = stage_waits(l, cfg, d, k, is_disordered) && !(is_end && d == REVERSE);
        struct ring *ring = waits ? carve(&l->carver, sizeof *ring) : NULL;
        if (waits) {
            struct ring made = carve_ring(&l->carver, capacity, is_disordered);
            made.source = add_source(l, f, f ? &stages[k] : NULL);
            if (f) {
                *ring = made;
                stages[k].ring = ring;
            }
        }
        if (is_end)
            break;
        uint32_t hop = setup_hop_index(l->sc, cfg->path[d][k]);
        if (f)
            set_hop(&stages[k], &l->sim->hops[hop], !waits, usual_bytes(cfg, d));
        is_disordered = (is_disordered && !waits) || can_reorder(channel_at(l->sc, hop));
    }
    for (struct stage *stage = stages; f && stage->hop;)
        stage = set_run(stage);
    if (f && d == REVERSE) { /* the way back ends in the ring of ACKs */
        set_order(&f->acks, is_disordered);
        stages[n].ring = &f->acks;
    }
}

/* --- flows -------------------------------------------------------------------------------------------------------- */

static bool wants_transmissions(const struct scenario *sc)
{
    for (uint32_t i = 0; i < sc->nlinks; i++)
        for (uint32_t k = 0; k < sc->links[i].ndrops; k++)
            if (sc->links[i].drops[k].kind == DROP_SEGMENT)
                return true;
    return false;
}

static void setup_arrays(struct layout *l, uint32_t i, struct flow *f)
{
    const struct flow_cfg *cfg = &l->sc->flows[i];
    uint32_t outstanding = power_of_two(window_segments(cfg) + 64), ring = ring_capacity(l->sc, i);
    bool is_tcp = cfg->app.ops->transport == TRANSPORT_TCP, has_sack = is_tcp && cfg->tcp.recovery->uses_sack;
    bool uniform = is_uniform(cfg);
    struct carver *c = &l->carver;
    struct ring acks = carve_ring(c, ring, false);
    uint32_t *histogram = carve_zero(c, RTT_OCTAVES * HISTOGRAM_STEPS * sizeof *histogram);
    bool has_completions = cfg->app.ops->has_files && !(cfg->app.ops->shares_pool && cfg->group_first != i);
    size_t completions_bytes = has_completions ? COMPLETION_OCTAVES * HISTOGRAM_STEPS * sizeof *histogram : 0;
    uint32_t *completions = carve_zero(c, completions_bytes);
    uint64_t *held = carve_zero(c, is_tcp ? outstanding / 8 : 0);
    uint64_t *sacked = carve_zero(c, has_sack ? outstanding / 8 : 0);
    bool is_compact = has_sack && cfg->tcp.sack_format == SACK_FORMAT_COMPACT;
    struct sack_report *reports = carve(c, has_sack && !is_compact ? ring * sizeof *reports : 0);
    struct sack_compact *compact = carve(c, is_compact ? ring * sizeof *compact : 0);
    uint32_t *offset = carve_zero(c, uniform ? 0 : 2 * (size_t)outstanding * sizeof *offset);
    bool has_send_times = is_tcp && cfg->tcp.recovery->uses_send_times;
    bool counts_transmissions = has_send_times || (is_tcp && wants_transmissions(l->sc));
    uint8_t *transmissions = carve_zero(c, counts_transmissions ? outstanding : 0);
    uint32_t words = is_tcp ? cfg->tcp.recovery->words_per_segment : 0;
    uint32_t *notes = carve_zero(c, (size_t)words * outstanding * sizeof *notes);
    int64_t *sent_ps = carve_zero(c, has_send_times ? outstanding * sizeof *sent_ps : 0);
    struct segment *segments =
        carve(c, is_tcp && cfg->tcp.recovery->tags_segments ? outstanding * sizeof *segments : 0);
    bool is_judged = is_tcp && (cfg->tcp.cc->is_random || cfg->tcp.recovery->classifies);
    uint8_t *fates = carve_zero(c, is_judged ? outstanding : 0);
    if (!f)
        return;
    if (is_tcp && cfg->tcp.recovery->tags_segments)
        segments_init(&f->segments, segments, outstanding - 1);
    f->acks = acks;
    f->acks.source = i;
    f->rtt_histogram = histogram;
    f->completions = has_completions ? completions : NULL;
    f->held = held;
    f->held_mask = outstanding - 1;
    f->board.sacked = sacked;
    f->board.mask = outstanding - 1;
    f->sacks.report = reports;
    f->sacks.compact = is_compact ? compact : NULL;
    f->sacks.room = sack_option_room(&cfg->tcp);
    f->sacks.report_mask = ring - 1;
    f->sacks.most = has_sack ? sack_most_blocks(&cfg->tcp) : 0;
    f->is_uniform = uniform;
    f->offset = offset;
    f->offset_mask = 2 * outstanding - 1;
    f->transmissions = counts_transmissions ? transmissions : NULL;
    f->sent_ps = has_send_times ? sent_ps : NULL;
    f->notes = words ? notes : NULL;
    f->fates = is_judged ? fates : NULL;
    f->sees_every_ack = is_tcp && (has_send_times || f->segments.at || cfg->tcp.recovery->take_ack ||
                                   cfg->tcp.recovery->sees_every_ack);
    f->wants_arrivals = is_tcp && (cfg->tcp.cc->uses_arrivals || cfg->tcp.recovery->uses_arrivals);
    f->is_special = f->sees_every_ack;
    f->transmission_mask = outstanding - 1;
}

static void setup_sender(struct flow *f, const struct flow_cfg *cfg)
{
    const struct tcp_cfg *tcp = &cfg->tcp;
    f->cfg = tcp;
    f->flow_cfg = cfg;
    f->data_header_bytes = scenario_data_header_bytes(cfg);
    f->ack_bytes = scenario_ack_bytes(cfg);
    f->mss = f->full_payload = tcp->mss_bytes;
    f->full_bytes = (uint16_t)(f->data_header_bytes + tcp->mss_bytes);
    f->window = (uint32_t)(send_limit_bytes(tcp) / tcp->mss_bytes);
    f->has_window = tcp->autotune_window && !f->wants_arrivals;
    if (f->has_window) {
        uint32_t first = receiver_linux_first_edge(tcp);
        f->edge = f->window = first < f->window ? first : f->window;
    }
    f->window_real = f->window;
    f->ack_every = tcp->delayed_ack ? tcp->delayed_ack_segments : 1;
    f->has_records = cfg->app.ops->next_record;
    f->arrivals_until_ps = -1; /* the first arrival finds its phase */
    f->cwnd = tcp->initial_window_segs;
    f->ssthresh = tcp->initial_ssthresh_segs;
    f->fin_segment = UINT32_MAX;
    f->has_recover = tcp->ns2_rules; /* ns-2: packet 0 cannot be fast-retransmitted before any ACK */
    f->state = TCP_CLOSED;
    f->peer_state = TCP_LISTEN;
    f->timer_ps = TIME_NEVER;
    rto_init(&f->rto, tcp);
    for (int t = 0; t < TIMERS; t++)
        f->deadline_ps[t] = TIME_NEVER;
}

/* The start is the first thing on the flow's timers. */
static void setup_start(struct sim *s, struct flow *f)
{
    enum { START_ELEMENTS = 0x40000000 };
    struct random_stream random;
    random_init(&random, s->key, START_ELEMENTS + f->id);
    int64_t spread_ps = f->flow_cfg->start_spread_ps + scenario_start_jitter_ps(s->scenario);
    double share = spread_ps > 0 ? random_uniform(&random) : 0;
    f->active_from_ps = TIME_NEVER;
    flow_set_timer(s, f, TIMER_APP, f->flow_cfg->start_ps + (int64_t)(share * (double)spread_ps));
}

static void setup_flow(struct layout *l, uint32_t i)
{
    struct flow *f = l->sim ? &l->sim->flows[i] : NULL;
    if (f) {
        f->id = i;
        l->sim->sources[i] = (struct source){.flow = f};
        setup_sender(f, &l->sc->flows[i]);
    }
    setup_arrays(l, i, f);
    setup_stream(l, i, FORWARD, f);
    setup_stream(l, i, REVERSE, f);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static uint32_t count_stages(const struct scenario *sc)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < sc->nflows; i++)
        n += sc->flows[i].path_len[FORWARD] + sc->flows[i].path_len[REVERSE] + 2;
    return n;
}

static void setup_events(struct layout *l, uint32_t nstations)
{
    struct sim *s = l->sim;
    add_source(l, NULL, NULL);
    uint32_t leaves = events_leaves(l->nsources), timer_leaves = events_leaves(l->sc->nflows + 1);
    uint64_t *keys = carve(&l->carver, 2 * leaves * sizeof *keys);
    uint32_t other_leaves = events_leaves(1 + nstations);
    uint64_t *timers = carve(&l->carver, 2 * timer_leaves * sizeof *timers);
    uint64_t *others = carve(&l->carver, 2 * other_leaves * sizeof *others);
    int64_t *other_timer_ps = carve(&l->carver, other_leaves * sizeof *other_timer_ps);
    if (!s)
        return;
    s->nsources = l->nsources;
    events_init(&s->events, keys, leaves, s->to_ps);
    events_init(&s->timers, timers, timer_leaves, s->to_ps);
    events_init(&s->others, others, other_leaves, s->to_ps);
    s->other_timer_ps = other_timer_ps;
    sim_set_other_timer(s, 0, s->from_ps > 0 ? s->from_ps : TIME_NEVER);
    for (uint32_t i = 0; i < s->nflows; i++)
        setup_start(s, &s->flows[i]);
}

static size_t uses_bytes(const struct scenario *sc)
{
    return (2 * sc->nlinks * sizeof(struct hop_use) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/* Returns the bytes used; builds the instance too when there is memory. `uses`: uses_bytes(sc) of memory. */
static size_t lay_out(const struct scenario *sc, struct sim_key key, char *memory, struct hop_use *uses)
{
    memset(uses, 0, uses_bytes(sc));
    count_uses(sc, uses);
    struct layout l = {.sc = sc, .carver = {memory, 0}, .uses = uses};
    uint32_t nhops = 2 * sc->nlinks, most_sources = sc->nflows + count_stages(sc) + 1;
    struct sim *s = carve_zero(&l.carver, sizeof *s);
    struct flow *flows = carve_zero(&l.carver, sc->nflows * sizeof *flows);
    struct hop *hops = carve_zero(&l.carver, nhops * sizeof *hops);
    struct source *sources = carve(&l.carver, most_sources * sizeof *sources);
    if (s)
        *s = (struct sim){.from_ps = sc->measure_from_ps > 0 ? sc->measure_from_ps : -1,
                          .to_ps = sc->measure_to_ps,
                          .sources = sources,
                          .nflows = sc->nflows,
                          .nhops = nhops,
                          .flows = flows,
                          .hops = hops,
                          .scenario = sc,
                          .key = key};
    l.sim = s;
    for (uint32_t h = 0; h < nhops; h++)
        setup_hop(&l.carver, sc, h, key, &uses[h], s ? &hops[h] : NULL);
    if (s) {
        s->bottleneck = &hops[setup_hop_index(sc, scenario_bottleneck(sc))];
        s->bottleneck->extras |= HOP_METERED;
    }
    l.nsources = sc->nflows; /* the first are the rings of ACKs */
    uint32_t nstations = setup_stations(&l.carver, sc, key, uses, s);
    for (uint32_t i = 0; i < sc->nflows; i++)
        setup_flow(&l, i);
    setup_events(&l, nstations);
    return l.carver.used;
}

/* Called before a run, once a scenario: the only place in kernels/ that allocates, for the time of the call. */
size_t sim_bytes(const struct scenario *sc)
{
    struct hop_use *uses = malloc(uses_bytes(sc));
    if (!uses)
        return SIZE_MAX;
    size_t bytes = uses_bytes(sc) + lay_out(sc, (struct sim_key){{0, 0}}, NULL, uses);
    free(uses);
    return bytes;
}

struct sim *setup_instance(const struct scenario *sc, struct sim_key key, void *memory)
{
    char *start = (char *)memory + uses_bytes(sc);
    lay_out(sc, key, start, memory);
    return (struct sim *)start;
}
