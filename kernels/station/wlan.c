/* wlan.c - an IEEE 802.11 medium as a link: a chain of hops, or stations round an access point; see wlan/wlan.h.
 *
 * Chain: packets in FORWARD enter at node 0 and leave at the last one, those in REVERSE go back. Star: node 0 is the
 * access point, and the flows that use the link have a station each, in their order; FORWARD is from the station to the
 * access point. The link's delay and error models act once, behind the medium.
 */
#include "../wlan/wlan.h"

#include "../net.h"
#include "station.h"

static bool wlan_is_on(const struct link_cfg *link, enum direction direction)
{
    (void)direction;
    return link->wlan.topology != WLAN_OFF;
}

/* --- ways --------------------------------------------------------------------------------------------------------- */

static bool is_forward(const struct wlan *w, const struct guest *guest)
{
    return guest->stage->hop == w->station->hop[FORWARD];
}

static uint32_t entry(const struct wlan *w, const struct guest *guest)
{
    if (w->cfg->topology == WLAN_CHAIN)
        return is_forward(w, guest) ? 0 : w->nnodes - 1;
    return is_forward(w, guest) ? w->node_of_flow[guest->flow->id] : 0;
}

bool wlan_is_at_end(const struct wlan *w, uint32_t n, const struct guest *guest)
{
    if (w->cfg->topology == WLAN_STAR)
        return true;
    return n == (is_forward(w, guest) ? w->nnodes - 1 : 0);
}

uint32_t wlan_next_node(const struct wlan *w, uint32_t n, const struct guest *guest)
{
    if (w->cfg->topology == WLAN_CHAIN)
        return is_forward(w, guest) ? n + 1 : n - 1;
    return is_forward(w, guest) ? 0 : w->node_of_flow[guest->flow->id];
}

/* --- layout ------------------------------------------------------------------------------------------------------- */

static bool flow_uses(const struct flow_cfg *flow, uint32_t link)
{
    for (int d = FORWARD; d <= REVERSE; d++)
        for (uint32_t k = 0; k < flow->path_len[d]; k++)
            if (flow->path[d][k].link == link)
                return true;
    return false;
}

/* Numbers the flows that use the link from 1 on, into node_of_flow if there is one. Returns how many. */
static uint32_t number_stations(const struct scenario *sc, const struct link_cfg *link, uint16_t *node_of_flow)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < sc->nflows; i++) {
        bool is_user = flow_uses(&sc->flows[i], (uint32_t)(link - sc->links));
        n += is_user;
        if (node_of_flow)
            node_of_flow[i] = (uint16_t)(is_user ? n : 0);
    }
    return n;
}

static void set_constants(struct wlan *w, const struct channel_cfg *channel)
{
    enum { RTS_BYTES = 20, CTS_BYTES = 14, ACK_BYTES = 14 };
    const struct wlan_cfg *cfg = w->cfg;
    w->rts_ps = cfg->preamble_ps + net_transmission_ps(cfg->basic_bps, RTS_BYTES);
    w->cts_ps = cfg->preamble_ps + net_transmission_ps(cfg->basic_bps, CTS_BYTES);
    w->ack_ps = cfg->preamble_ps + net_transmission_ps(cfg->basic_bps, ACK_BYTES);
    w->difs_ps = cfg->sifs_ps + 2 * cfg->slot_ps;
    w->eifs_ps = cfg->sifs_ps + w->ack_ps + w->difs_ps;
    bool is_limited = channel->queue.unit == QUEUE_PACKETS;
    w->queue_limit = is_limited ? (uint64_t)channel->queue.size : UINT64_MAX;
    bool has_marks = channel->mark.unit != MARK_OFF;
    double unit = channel->mark.unit == MARK_FRACTION ? channel->queue.size : 1;
    w->mark_threshold = has_marks ? channel->mark.size * unit : -1;
}

static void set_nodes(struct wlan *w)
{
    for (uint32_t n = 0; n < w->nnodes; n++)
        w->node[n] =
            (struct node){.rx.from = WLAN_NOBODY, .window = w->cfg->cw_min, .idle_ps = -w->difs_ps, .nav_ps = 0};
    for (uint32_t i = 0; i < w->npackets; i++)
        w->packet[i].next = i + 1 < w->npackets ? i + 1 : WLAN_NOBODY;
    w->free = 0;
}

static void wlan_lay_out(struct carver *c, const struct scenario *sc, struct station *station)
{
    const struct link_cfg *link = station->link;
    const struct channel_cfg *channel = &link->channel[FORWARD];
    bool is_star = link->wlan.topology == WLAN_STAR;
    uint32_t nnodes = 1 + (is_star ? number_stations(sc, link, NULL) : link->wlan.hops);
    uint64_t most = channel->queue.unit == QUEUE_PACKETS ? nnodes * ((uint64_t)channel->queue.size + 1) + 1
                                                         : station->most_packets + 1;
    uint32_t sources = 2 * nnodes, leaves = events_leaves(sources);
    struct wlan *w = carve(c, sizeof *w);
    struct node *node = carve(c, nnodes * sizeof *node);
    struct wlan_packet *packet = carve(c, most * sizeof *packet);
    uint64_t *keys = carve(c, 2 * leaves * sizeof *keys);
    int64_t *due_ps = carve(c, sources * sizeof *due_ps);
    uint16_t *node_of_flow = carve(c, is_star ? sc->nflows * sizeof *node_of_flow : 0);
    station->state = w;
    if (!w)
        return;
    *w = (struct wlan){.cfg = &link->wlan,
                       .station = station,
                       .due_ps = due_ps,
                       .node = node,
                       .nnodes = nnodes,
                       .packet = packet,
                       .npackets = (uint32_t)most,
                       .node_of_flow = node_of_flow,
                       .shown_ps = TIME_NEVER};
    set_constants(w, channel);
    set_nodes(w);
    events_init(&w->events, keys, leaves, sc->measure_to_ps);
    for (uint32_t i = 0; i < sources; i++)
        due_ps[i] = TIME_NEVER;
    if (is_star)
        number_stations(sc, link, node_of_flow);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static int64_t next_ps(const struct wlan *w)
{
    return events_pending(&w->events) ? w->due_ps[events_next(&w->events)] : TIME_NEVER;
}

static void show_next(struct sim *s, struct station *station)
{
    struct wlan *w = station->state;
    int64_t t_ps = next_ps(w);
    if (t_ps == w->shown_ps)
        return;
    w->shown_ps = t_ps;
    station_set(s, station, t_ps);
}

static void wlan_take(struct sim *s, struct station *station, const struct guest *guest)
{
    struct wlan *w = station->state;
    uint32_t packet = w->free;
    if (packet == WLAN_NOBODY) {
        sim_fail(s, SIM_LIMIT);
        return;
    }
    w->free = w->packet[packet].next;
    w->packet[packet].guest = *guest;
    wlan_enqueue(s, w, entry(w, guest), packet);
    show_next(s, station);
}

/* All that comes before anything else in the instance. */
static void wlan_on_event(struct sim *s, struct station *station)
{
    struct wlan *w = station->state;
    w->shown_ps = TIME_NEVER;
    do {
        uint32_t source = events_next(&w->events);
        s->now_ps = w->due_ps[source];
        if (source < w->nnodes)
            wlan_frame_ends(s, w, source);
        else
            wlan_on_timer(s, w, source - w->nnodes);
    } while (next_ps(w) < sim_next_ps(s) && s->status == SIM_OK);
    show_next(s, station);
}

const struct station_ops station_wlan = {
    .item = {"wlan", "IEEE 802.11 DCF: a chain of hops, or stations round an access point", "IEEE 802.11-1999 clause 9",
             "Mac/802_11 (ns-2), AdhocWifiMac (ns-3)"},
    .is_on = wlan_is_on,
    .is_both = true,
    .is_random = true,
    .lay_out = wlan_lay_out,
    .take = wlan_take,
    .on_event = wlan_on_event,
};
