/* setup_links.c - see setup_links.h. */
#include "setup_links.h"

#include <math.h>

#include "link_jitter.h"
#include "station/station.h"

/* Random elements of a link's direction that are not among the first error models. */
enum { LINK_ELEMENTS = 0x10000000, ELEMENT_ARQ = 0, ELEMENT_ERRORS = 1, ELEMENT_JITTER = 15 };

uint32_t setup_hop_index(const struct scenario *sc, struct hop_ref ref)
{
    return 2u * ref.link + (sc->links[ref.link].shared_duplex ? FORWARD : ref.direction);
}

/* Bandwidth-delay product in full packets of the link's first flow, rounded, at least 1. */
static uint64_t bdp_packets(const struct scenario *sc, uint32_t i, const struct channel_cfg *channel)
{
    const struct flow_cfg *flow = &sc->flows[i];
    bool is_tcp = flow->app.ops->transport == TRANSPORT_TCP;
    uint32_t bytes = (is_tcp ? flow->tcp.mss_bytes : flow->app.packet_bytes) + scenario_data_header_bytes(flow) +
                     channel->overhead_bytes;
    double rtt_s = (double)scenario_base_rtt_ps(sc, i) / (double)PS_PER_S;
    double packets = floor(channel->queue.size * channel->rate_bps * rtt_s / (8.0 * bytes) + 0.5);
    return packets > 1 ? (uint64_t)packets : 1;
}

struct queue_limit setup_queue_limit(const struct scenario *sc, const struct channel_cfg *channel,
                                     const struct hop_use *use)
{
    if (channel->queue.unit == QUEUE_BDP)
        return (struct queue_limit){QUEUE_PACKETS, bdp_packets(sc, use->first_flow, channel)};
    return (struct queue_limit){channel->queue.unit, (uint64_t)channel->queue.size};
}

static void setup_queue(struct carver *c, const struct scenario *sc, const struct channel_cfg *channel,
                        const struct hop_use *use, struct hop *hop)
{
    struct queue_limit limit = setup_queue_limit(sc, channel, use);
    const struct queue_ops *const *ops = queue_list;
    while ((*ops)->unit != limit.unit)
        ops++;
    bool can_overflow = (*ops)->admit && !(limit.unit == QUEUE_PACKETS && limit.n >= use->most_packets);
    uint64_t slots = can_overflow ? (*ops)->slots(limit.n) : 0;
    struct queue_slot *slot = carve_zero(c, slots * sizeof *slot);
    if (hop && can_overflow) {
        hop->queue_ops = *ops;
        hop->queue = (struct queue_state){.limit = limit.n, .slots = (uint32_t)slots, .slot = slot};
    }
}

/* Whether a flow whose data can be marked enters the hop: only then it keeps an average. */
static bool can_mark(const struct scenario *sc, uint32_t hop)
{
    for (uint32_t i = 0; i < sc->nflows; i++)
        for (uint32_t k = 0; k < sc->flows[i].path_len[FORWARD]; k++)
            if (sc->flows[i].tcp.ecn != ECN_OFF && setup_hop_index(sc, sc->flows[i].path[FORWARD][k]) == hop)
                return true;
    return false;
}

static void setup_managed(struct carver *c, const struct scenario *sc, const struct channel_cfg *channel,
                          uint32_t index, struct sim_key key, const struct hop_use *use, struct hop *hop)
{
    enum { QUEUE_ELEMENTS = 0x30000000 };
    const struct managed_ops *ops = managed_of(channel);
    if (!ops || (ops->kind == AQM_MARK && !can_mark(sc, index)))
        return;
    struct queue_limit limit = setup_queue_limit(sc, channel, use);
    bool is_packets = limit.unit == QUEUE_PACKETS;
    uint64_t slots = is_packets && limit.n < use->most_packets ? limit.n + 1 : use->most_packets;
    struct managed *managed = carve(c, sizeof *managed);
    struct queue_slot *slot = carve(c, slots * sizeof *slot);
    if (!hop)
        return;
    *managed = (struct managed){.ops = ops, .channel = channel, .slot = slot, .slots = (uint32_t)slots};
    random_init(&managed->random, key, QUEUE_ELEMENTS + index);
    ops->start(managed, is_packets ? (double)limit.n : INFINITY);
    hop->managed = managed;
}

static uint32_t error_element(uint32_t index, uint32_t model)
{
    return model < ERROR_MODELS_FIRST ? index * ERROR_MODELS_FIRST + model
                                      : LINK_ELEMENTS + 16 * index + ELEMENT_ERRORS + model - ERROR_MODELS_FIRST;
}

static void setup_errors(struct carver *c, const struct link_cfg *link, enum direction direction, uint32_t index,
                         struct sim_key key, struct hop *hop)
{
    uint32_t n = 0;
    for (const struct error_ops *const *ops = error_list; *ops; ops++)
        n += (*ops)->is_on(link, direction);
    struct error_state *state = carve(c, n * sizeof *state);
    if (!hop || n == 0)
        return;
    hop->errors = state;
    hop->nerrors = (uint16_t)n;
    for (const struct error_ops *const *ops = error_list; *ops; ops++) {
        if (!(*ops)->is_on(link, direction))
            continue;
        *state = (struct error_state){
            .ops = *ops, .link = link, .channel = &link->channel[direction], .direction = direction};
        random_init(&state->random, key, error_element(index, (uint32_t)(ops - error_list)));
        (*ops)->start(state++);
    }
    const struct error_ops *only = hop->errors->ops;
    bool is_gap = n == 1 && !only->is_lost;
    hop->gap = is_gap ? hop->errors->gap : 0;
    hop->gap_per_byte = is_gap ? only->gap_per_byte : 0;
    hop->gap_per_packet = is_gap ? only->gap_per_packet : 1;
}

static void setup_arq(struct carver *c, const struct channel_cfg *channel, uint32_t index, struct sim_key key,
                      struct hop *hop)
{
    if (channel->error.arq.kind != ARQ_FRAME)
        return;
    struct arq_state *arq = carve(c, sizeof *arq);
    if (!hop)
        return;
    *arq = (struct arq_state){.cfg = &channel->error.arq};
    random_init(&arq->random, key, LINK_ELEMENTS + 16 * index + ELEMENT_ARQ);
    hop->arq = arq;
}

static void setup_jitter(struct carver *c, const struct channel_cfg *channel, uint32_t index, struct sim_key key,
                         struct hop *hop)
{
    struct jitter_state *jitter = carve(c, jitter_is_on(channel) ? sizeof *jitter : 0);
    if (!hop || !jitter_is_on(channel))
        return;
    *jitter = (struct jitter_state){.cfg = &channel->error.jitter};
    random_init(&jitter->random, key, LINK_ELEMENTS + 16 * index + ELEMENT_JITTER);
    hop->jitter = jitter;
}

static void setup_rate(struct hop *hop, const struct channel_cfg *channel)
{
    double ps_per_byte = 8.0 * (double)PS_PER_S / channel->rate_bps;
    hop->ps_per_byte = ps_per_byte == floor(ps_per_byte) && ps_per_byte < 1e15 ? (int64_t)ps_per_byte : 0;
    hop->rate_bps = channel->rate_bps;
    hop->delay_ps = channel->delay_ps;
    hop->overhead_bytes = channel->overhead_bytes;
    hop->channel = channel;
    hop->is_up = true;
}

void setup_hop(struct carver *c, const struct scenario *sc, uint32_t index, struct sim_key key,
               const struct hop_use *use, struct hop *hop)
{
    const struct link_cfg *link = &sc->links[index / 2];
    enum direction direction = (enum direction)(index % 2);
    if (direction == REVERSE && link->shared_duplex)
        return;
    const struct channel_cfg *channel = &link->channel[direction];
    setup_queue(c, sc, channel, use, hop);
    setup_managed(c, sc, channel, index, key, use, hop);
    setup_errors(c, link, direction, index, key, hop);
    setup_arq(c, channel, index, key, hop);
    setup_jitter(c, channel, index, key, hop);
    if (!hop)
        return;
    setup_rate(hop, channel);
    hop->id = (uint16_t)index;
    bool has_tail = hop->queue_ops && hop->queue_ops->unit == QUEUE_PACKETS && hop->queue.limit > 0;
    hop->extras = has_tail ? HOP_TAIL : 0;
}

/* --- stations ----------------------------------------------------------------------------------------------------- */

const struct station_ops *setup_station_ops(const struct scenario *sc, uint32_t index)
{
    const struct link_cfg *link = &sc->links[index / 2];
    for (const struct station_ops *const *ops = station_list; *ops; ops++)
        if ((*ops)->is_on(link, (*ops)->is_both ? FORWARD : (enum direction)(index % 2)))
            return *ops;
    return NULL;
}

/* Whether the station of a hop begins there: the second direction of one for both has none of its own. */
static bool is_first_of_station(const struct scenario *sc, uint32_t index, const struct station_ops *ops)
{
    bool is_second = index % 2 == REVERSE;
    return ops && !(is_second && (ops->is_both || sc->links[index / 2].shared_duplex));
}

static void setup_station(struct carver *c, const struct scenario *sc, uint32_t index, const struct hop_use *uses,
                          struct station *station)
{
    station->ops = setup_station_ops(sc, index);
    station->link = &sc->links[index / 2];
    station->direction = (enum direction)(index % 2);
    station->most_packets = uses[index].most_packets + (station->ops->is_both ? uses[index + 1].most_packets : 0);
    station->limit = setup_queue_limit(sc, &station->link->channel[index % 2], &uses[index]);
    station->streams = uses[index].streams + (station->ops->is_both ? uses[index + 1].streams : 0);
    station->ops->lay_out(c, sc, station);
}

static void join_hops(struct sim *s, uint32_t index, struct sim_key key, uint32_t number, struct station *station)
{
    enum { STATION_ELEMENTS = 0x20000000 };
    random_init(&station->random, key, STATION_ELEMENTS + index);
    station->timer = 1 + number;
    for (uint32_t h = index; h <= index + station->ops->is_both; h++) {
        station->hop[h % 2] = &s->hops[h];
        s->hops[h].station = station;
    }
}

uint32_t setup_stations(struct carver *c, const struct scenario *sc, struct sim_key key, const struct hop_use *uses,
                        struct sim *s)
{
    uint32_t n = 0;
    for (uint32_t h = 0; h < 2 * sc->nlinks; h++)
        n += is_first_of_station(sc, h, setup_station_ops(sc, h));
    struct station *stations = carve_zero(c, n * sizeof *stations);
    for (uint32_t h = 0, k = 0; h < 2 * sc->nlinks; h++) {
        struct station measured = {.ops = NULL}, *station = s ? &stations[k] : &measured;
        if (!is_first_of_station(sc, h, setup_station_ops(sc, h)))
            continue;
        setup_station(c, sc, h, uses, station);
        if (s)
            join_hops(s, h, key, k, station);
        k++;
    }
    if (s)
        s->stations = stations;
    return n;
}
