/* scenario.c - what follows from a scenario before it runs; see scenario.h. */
#include "scenario.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "cc/cc.h"
#include "error/error.h"
#include "link_check.h"
#include "net.h"
#include "recovery/recovery.h"
#include "station/cell_port.h"
#include "station/station.h"

static const struct channel_cfg *channel_of(const struct scenario *sc, struct hop_ref ref)
{
    const struct link_cfg *link = &sc->links[ref.link];
    return &link->channel[link->shared_duplex ? FORWARD : ref.direction];
}

static bool channel_is_random(const struct link_cfg *link, enum direction direction)
{
    if (link_is_random(&link->channel[direction]))
        return true;
    for (const struct error_ops *const *ops = error_list; *ops; ops++)
        if ((*ops)->is_random && (*ops)->is_on(link, direction))
            return true;
    const struct managed_ops *managed = managed_of(&link->channel[direction]);
    if (managed && managed->is_random)
        return true;
    for (const struct station_ops *const *ops = station_list; *ops; ops++)
        if ((*ops)->is_random && (*ops)->is_on(link, direction))
            return true;
    return false;
}

bool scenario_is_random(const struct scenario *sc)
{
    if (scenario_start_jitter_ps(sc) > 0)
        return true;
    for (uint32_t i = 0; i < sc->nflows; i++)
        if (sc->flows[i].start_spread_ps > 0 || app_is_random(&sc->flows[i].app))
            return true;
    for (uint32_t i = 0; i < sc->nlinks; i++)
        if (channel_is_random(&sc->links[i], FORWARD) || channel_is_random(&sc->links[i], REVERSE))
            return true;
    return false;
}

static double rate_left_bps(const struct channel_cfg *channel)
{
    return channel->rate_bps - scenario_cbr_bps(channel);
}

struct hop_ref scenario_bottleneck(const struct scenario *sc)
{
    const struct flow_cfg *flow = &sc->flows[0];
    struct hop_ref slowest = flow->path[FORWARD][0];
    for (uint32_t i = 1; i < flow->path_len[FORWARD]; i++)
        if (rate_left_bps(channel_of(sc, flow->path[FORWARD][i])) < rate_left_bps(channel_of(sc, slowest)))
            slowest = flow->path[FORWARD][i];
    return slowest;
}

uint32_t scenario_data_header_bytes(const struct flow_cfg *flow)
{
    const struct tcp_cfg *tcp = &flow->tcp;
    if (flow->app.ops->transport != TRANSPORT_TCP)
        return DATAGRAM_HEADER_BYTES;
    return tcp->header_bytes + (tcp->timestamps ? tcp->timestamp_bytes : 0);
}

uint32_t scenario_ack_bytes(const struct flow_cfg *flow)
{
    const struct tcp_cfg *tcp = &flow->tcp;
    if (tcp->ack_is_full)
        return tcp->mss_bytes + scenario_data_header_bytes(flow);
    return (tcp->ack_bytes ? tcp->ack_bytes : tcp->header_bytes) + (tcp->timestamps ? tcp->timestamp_bytes : 0);
}

uint32_t scenario_wire_bytes(const struct channel_cfg *channel, uint32_t bytes)
{
    bytes += channel->overhead_bytes;
    return channel->atm.policy == ATM_OFF ? bytes : CELL_BYTES * cells_of(bytes, channel->atm.llc);
}

double scenario_cbr_bps(const struct channel_cfg *channel)
{
    return channel->atm.policy == ATM_OFF ? 0 : channel->atm.cbr_bps;
}

/* Payload of the largest packet that the flow sends. */
static uint32_t largest_payload(const struct flow_cfg *flow)
{
    return flow->app.ops->transport == TRANSPORT_TCP ? flow->tcp.mss_bytes : flow->app.packet_bytes;
}

static int64_t path_ps(const struct scenario *sc, const struct flow_cfg *flow, enum direction direction, uint32_t bytes)
{
    int64_t sum_ps = 0;
    for (uint32_t i = 0; i < flow->path_len[direction]; i++) {
        const struct channel_cfg *channel = channel_of(sc, flow->path[direction][i]);
        sum_ps += net_transmission_ps(channel->rate_bps, scenario_wire_bytes(channel, bytes)) + channel->delay_ps;
    }
    return sum_ps;
}

int64_t scenario_base_rtt_ps(const struct scenario *sc, uint32_t i)
{
    const struct flow_cfg *flow = &sc->flows[i];
    return path_ps(sc, flow, FORWARD, largest_payload(flow) + scenario_data_header_bytes(flow)) +
           path_ps(sc, flow, REVERSE, scenario_ack_bytes(flow));
}

int64_t scenario_start_jitter_ps(const struct scenario *sc)
{
    if (sc->start_jitter_ps >= 0)
        return sc->start_jitter_ps;
    if (sc->nflows < 2)
        return 0;
    const struct flow_cfg *flow = &sc->flows[0];
    return net_transmission_ps(channel_of(sc, scenario_bottleneck(sc))->rate_bps,
                               largest_payload(flow) + scenario_data_header_bytes(flow));
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static const char *complain(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, size, format, args);
    va_end(args);
    return text;
}

static const char *check_path(const struct scenario *sc, const struct flow_cfg *flow, enum direction direction,
                              char *text, size_t size)
{
    const char *way = direction == FORWARD ? "path" : "way back";
    uint32_t n = flow->path_len[direction];
    if (n == 0 || n > PATH_MAX_LINKS)
        return complain(text, size, "flow %s: its %s has %u links, expected 1 to %d", flow->name, way, n,
                        PATH_MAX_LINKS);
    for (uint32_t i = 0; i < n; i++) {
        struct hop_ref a = flow->path[direction][i];
        if (a.link >= sc->nlinks || a.direction > REVERSE)
            return complain(text, size, "flow %s: its %s uses a link that does not exist", flow->name, way);
        for (uint32_t k = 0; k < i; k++) {
            struct hop_ref b = flow->path[direction][k];
            if (a.link == b.link && a.direction == b.direction)
                return complain(text, size, "flow %s: its %s uses link %s twice, expected no cycle", flow->name, way,
                                sc->links[a.link].name);
        }
    }
    return NULL;
}

static const char *check_tcp(const struct flow_cfg *flow, char *text, size_t size)
{
    static const uint64_t LARGEST_WINDOW_BYTES = UINT64_C(1) << 30;
    const struct tcp_cfg *tcp = &flow->tcp;
    if (tcp->receive_window_bytes < tcp->mss_bytes)
        return complain(text, size,
                        "flow %s: receive_window of %llu B is below one segment, expected at least the mss of %u B",
                        flow->name, (unsigned long long)tcp->receive_window_bytes, tcp->mss_bytes);
    if (tcp->send_buffer_bytes && tcp->send_buffer_bytes < tcp->mss_bytes)
        return complain(text, size,
                        "flow %s: send_buffer of %llu B is below one segment, expected at least the mss of %u B",
                        flow->name, (unsigned long long)tcp->send_buffer_bytes, tcp->mss_bytes);
    if (!tcp->window_scaling && tcp->receive_window_bytes > 65535)
        return complain(text, size,
                        "flow %s: receive_window of %llu B needs window_scaling, expected at most 65535 B without",
                        flow->name, (unsigned long long)tcp->receive_window_bytes);
    if (tcp->mss_bytes + scenario_data_header_bytes(flow) > 65535)
        return complain(text, size,
                        "flow %s: mss of %u B and headers exceed an IP packet, expected at most 65535 B together",
                        flow->name, tcp->mss_bytes);
    if (tcp->cc->control && !tcp->recovery->tags_segments)
        return complain(text, size, "flow %s: cc %s needs recovery rack_tlp or prr, found %s", flow->name,
                        tcp->cc->item.name, tcp->recovery->item.name);
    if (tcp->sack_format == SACK_FORMAT_COMPACT && tcp->receive_window_bytes > LARGEST_WINDOW_BYTES)
        return complain(text, size,
                        "flow %s: sack_format compact counts bytes modulo 2^32, expected a receive_window of at most "
                        "1 GiB (RFC 7323)",
                        flow->name);
    if (tcp->min_rto_ps > tcp->max_rto_ps)
        return complain(text, size, "flow %s: min_rto is above max_rto", flow->name);
    return NULL;
}

static const char *check_flow(const struct scenario *sc, const struct flow_cfg *flow, char *text, size_t size)
{
    const char *wrong = check_path(sc, flow, FORWARD, text, size);
    if (!wrong)
        wrong = check_path(sc, flow, REVERSE, text, size);
    if (!wrong && flow->stop_ps <= flow->start_ps)
        wrong = complain(text, size, "flow %s: stop is not after start", flow->name);
    if (!wrong && flow->app.ops->transport == TRANSPORT_TCP)
        wrong = check_tcp(flow, text, size);
    return wrong ? wrong : app_check(flow, text, size);
}

static const char *check_steps(const struct link_cfg *link, char *text, size_t size)
{
    for (int d = FORWARD; d <= REVERSE; d++) {
        const struct channel_cfg *channel = &link->channel[d];
        for (uint32_t i = 1; i < channel->nsteps; i++)
            if (channel->steps[i].at_ps < channel->steps[i - 1].at_ps)
                return complain(text, size, "link %s: schedule times go back, expected them in order", link->name);
    }
    return NULL;
}

static const char *check_mark(const struct link_cfg *link, char *text, size_t size)
{
    for (int d = FORWARD; d <= REVERSE; d++) {
        const struct channel_cfg *channel = &link->channel[d];
        if (channel->mark.unit != MARK_FRACTION)
            continue;
        if (channel->mark.size > 1)
            return complain(text, size, "link %s: mark_threshold is %g of the buffer, expected at most 1, or packets",
                            link->name, channel->mark.size);
        if (channel->queue.unit != QUEUE_PACKETS && channel->queue.unit != QUEUE_BDP)
            return complain(text, size,
                            "link %s: mark_threshold is a part of the queue, expected a queue in packets or bdp, "
                            "or a threshold such as `20 packets`",
                            link->name);
    }
    return NULL;
}

/* A port's buffer is one of cells, and its rate does not change. */
static const char *check_atm(const struct link_cfg *link, char *text, size_t size)
{
    for (int d = FORWARD; d <= REVERSE; d++) {
        const struct channel_cfg *channel = &link->channel[d];
        if (channel->atm.policy == ATM_OFF)
            continue;
        if (link->shared_duplex)
            return complain(text, size, "link %s: atm and duplex: shared, expected duplex: full", link->name);
        if (channel->queue.unit != QUEUE_UNLIMITED)
            return complain(text, size, "link %s: atm and queue, expected atm_cells for its buffer", link->name);
        if (channel->mark.unit != MARK_OFF)
            return complain(text, size, "link %s: atm and mark_threshold, expected one of them", link->name);
        if (channel->aqm.kind != AQM_NONE || channel->aqm.scheduler != SCHEDULER_FIFO)
            return complain(text, size, "link %s: atm and aqm or scheduler, expected one of them", link->name);
        if (channel->nsteps > 0)
            return complain(text, size, "link %s: atm and schedule, expected one of them", link->name);
    }
    return NULL;
}

/* What a radio medium has no use for, or has only one of. */
static const char *wlan_clash(const struct link_cfg *link)
{
    const struct channel_cfg *a = &link->channel[FORWARD], *b = &link->channel[REVERSE];
    const struct {
        bool is_wrong;
        const char *what;
    } rules[] = {
        {a->atm.policy != ATM_OFF || b->atm.policy != ATM_OFF, "and atm are two kinds of link, expected one of them"},
        {link->shared_duplex, "is shared anyway, expected duplex full"},
        {a->nsteps > 0 || b->nsteps > 0, "can't have a schedule"},
        {a->rate_bps != b->rate_bps, "has one rate, expected the same in both directions"},
        {a->queue.unit != b->queue.unit || a->queue.size != b->queue.size,
         "has one kind of queue, expected the same in both directions"},
        {a->queue.unit != QUEUE_PACKETS && a->queue.unit != QUEUE_UNLIMITED,
         "counts packets, expected queue unlimited or such as `50 packets`"},
        {a->aqm.kind > AQM_MARK || b->aqm.kind > AQM_MARK, "has no such aqm, expected none or mark"},
        {a->aqm.scheduler != SCHEDULER_FIFO || b->aqm.scheduler != SCHEDULER_FIFO, "has no priorities, expected fifo"},
        {link->wlan.cw_min > link->wlan.cw_max, "has wlan_cw_min above wlan_cw_max"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].is_wrong)
            return rules[i].what;
    return NULL;
}

static const char *check_wlan(const struct link_cfg *link, char *text, size_t size)
{
    const char *clash = link->wlan.topology == WLAN_OFF ? NULL : wlan_clash(link);
    return clash ? complain(text, size, "link %s: a wlan %s", link->name, clash) : NULL;
}

/* What a link's queue cannot be at once. */
static const char *check_aqm(const struct link_cfg *link, char *text, size_t size)
{
    for (int d = FORWARD; d <= REVERSE; d++) {
        const struct channel_cfg *channel = &link->channel[d];
        const struct queue_params *aqm = &channel->aqm;
        bool is_marking = channel->mark.unit != MARK_OFF, is_priority = aqm->scheduler == SCHEDULER_PRIORITY;
        if (aqm->kind == AQM_MARK && !is_marking)
            return complain(text, size, "link %s: aqm mark needs a mark_threshold", link->name);
        if (is_marking && aqm->kind != AQM_MARK && (aqm->kind != AQM_NONE || is_priority))
            return complain(text, size, "link %s: mark_threshold beside another aqm or scheduler, expected one of them",
                            link->name);
        if (is_priority && aqm->kind != AQM_NONE)
            return complain(text, size, "link %s: scheduler priority with an aqm, expected aqm none", link->name);
        bool is_red = aqm->kind == AQM_RED || aqm->kind == AQM_ARED;
        if (is_red && aqm->red.max > 0 && aqm->red.max <= red_least(channel))
            return complain(text, size, "link %s: red_max is %g packets, expected more than red_min of %g", link->name,
                            aqm->red.max, red_least(channel));
    }
    return NULL;
}

const char *scenario_check(const struct scenario *sc, char *text, size_t size)
{
    if (sc->nflows == 0 || sc->nflows > FLOWS_MAX)
        return complain(text, size, "%u flows, expected 1 to %d", sc->nflows, FLOWS_MAX);
    if (sc->measure_to_ps <= sc->measure_from_ps)
        return complain(text, size,
                        "the measuring window is empty: expected warmup (measure.from) before duration (measure.to)");
    for (uint32_t i = 0; i < sc->nlinks; i++) {
        const char *wrong = check_steps(&sc->links[i], text, size);
        if (!wrong)
            wrong = check_mark(&sc->links[i], text, size);
        if (!wrong)
            wrong = check_atm(&sc->links[i], text, size);
        if (!wrong)
            wrong = check_wlan(&sc->links[i], text, size);
        if (!wrong)
            wrong = check_aqm(&sc->links[i], text, size);
        if (!wrong)
            wrong = link_check(&sc->links[i], text, size);
        if (wrong)
            return wrong;
    }
    for (uint32_t i = 0; i < sc->nflows; i++) {
        const char *wrong = check_flow(sc, &sc->flows[i], text, size);
        if (wrong)
            return wrong;
    }
    return NULL;
}
