/* atm.c - IP over ATM with unspecified bit rate (UBR): the link is an output port of an ATM switch. Each flow is a
 * virtual connection with a line of its own into the switch; its packets become AAL5 frames (RFC 2684), whose cells
 * meet those of the others at the port's buffer (cell_port.h). A packet arrives when the last of its cells does, or not
 * at all: a single lost cell costs all of it, and the last one the next frame as well.
 *
 * Exact to the cell: which are lost, and when a frame's last cell leaves. A port that one stream uses takes a whole
 * frame as its packet arrives; where several do, the cells that have come by then are gone through in order of time
 * whenever the last cell of a frame comes in. The link's delay counts once, behind the port. A packet is lost at the
 * time at which its last cell would have come in. Settings as rate, delay and error models are the link's; its `queue`
 * has no meaning here.
 */
#include "../net.h"
#include "../scenario.h"
#include "cell_port.h"
#include "station.h"

#define NONE UINT32_MAX

/* A packet that waits for its flow's line, or whose cells are coming in. */
struct waiting {
    struct guest guest;
    uint32_t next;
};

struct line {
    struct cell_vc vc;
    int64_t free_ps;      /* its last cell so far is in the switch */
    int64_t end_ps;       /* the same of the frame that is coming in */
    uint32_t first, last; /* packets, the first is coming in */
};

struct atm_port {
    struct cell_port cells;
    int64_t gap_ps; /* between the cells of a line */
    bool llc;
    bool is_lone;       /* one stream only */
    struct line *lines; /* by flow */
    /* several streams */
    struct events next, ends; /* the lines' next cells, and last ones */
    struct waiting *waiting;
    uint32_t unused;
};

static const struct atm_cfg *settings(const struct station *station)
{
    return &station->link->channel[station->direction].atm;
}

static bool atm_is_on(const struct link_cfg *link, enum direction direction)
{
    return link->channel[direction].atm.policy != ATM_OFF;
}

/* --- layout ------------------------------------------------------------------------------------------------------- */

static uint32_t count_streams(const struct scenario *sc, const struct station *station)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < sc->nflows; i++)
        for (int d = FORWARD; d <= REVERSE; d++)
            for (uint32_t k = 0; k < sc->flows[i].path_len[d]; k++) {
                struct hop_ref ref = sc->flows[i].path[d][k];
                n += &sc->links[ref.link] == station->link && ref.direction == station->direction;
            }
    return n;
}

static void chain_up(struct waiting *waiting, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        waiting[i].next = i + 1 < n ? (uint32_t)(i + 1) : NONE;
}

static void atm_lay_out(struct carver *c, const struct scenario *sc, struct station *station)
{
    const struct channel_cfg *channel = &station->link->channel[station->direction];
    const struct atm_cfg *cfg = settings(station);
    bool is_lone = count_streams(sc, station) == 1;
    uint32_t leaves = events_leaves(sc->nflows);
    uint64_t most = is_lone ? 0 : station->most_packets;
    struct atm_port *port = carve_zero(c, sizeof *port);
    struct line *lines = carve_zero(c, sc->nflows * sizeof *lines);
    uint64_t *next = carve(c, is_lone ? 0 : 2 * leaves * sizeof *next);
    uint64_t *ends = carve(c, is_lone ? 0 : 2 * leaves * sizeof *ends);
    struct waiting *waiting = carve(c, most * sizeof *waiting);
    station->state = port;
    if (!port)
        return;
    cell_port_init(&port->cells, cfg, channel->rate_bps, sc->measure_from_ps, sc->measure_to_ps);
    port->gap_ps = net_transmission_ps(cfg->access_bps > 0 ? cfg->access_bps : channel->rate_bps, CELL_BYTES);
    port->llc = cfg->llc;
    port->is_lone = is_lone;
    port->lines = lines;
    for (uint32_t i = 0; i < sc->nflows; i++)
        lines[i].first = lines[i].last = NONE;
    if (is_lone)
        return;
    events_init(&port->next, next, leaves, sc->measure_to_ps);
    events_init(&port->ends, ends, leaves, sc->measure_to_ps);
    port->waiting = waiting;
    chain_up(waiting, most);
}

/* --- frames ------------------------------------------------------------------------------------------------------- */

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t clip(int64_t t_ps, const struct sim *s)
{
    return t_ps < s->from_ps ? s->from_ps : t_ps > s->to_ps ? s->to_ps : t_ps;
}

static void begin_frame(const struct atm_port *port, struct line *line, const struct guest *guest)
{
    uint32_t n = cells_of(guest->packet.bytes + guest->stage->hop->overhead_bytes, port->llc);
    int64_t start_ps = later(guest->packet.t_ps, line->free_ps);
    cell_frame_begin(&line->vc, n, start_ps + port->gap_ps, port->gap_ps);
    line->end_ps = line->free_ps = start_ps + n * port->gap_ps;
}

/* All cells have come in: where the packet goes from here. */
static void end_frame(struct sim *s, struct atm_port *port, struct line *line, const struct guest *guest)
{
    struct hop *hop = guest->stage->hop;
    int64_t start_ps = cell_frame_end(&port->cells, &line->vc);
    if (hop->extras & HOP_METERED)
        hop->busy_ps = (int64_t)port->cells.kept_within * port->cells.slot_ps;
    if (start_ps < 0) {
        station_drop_at(s, guest, line->end_ps, CAUSE_QUEUE);
        return;
    }
    if (hop->extras & HOP_METERED)
        hop->waiting_ps += clip(start_ps, s) - clip(line->end_ps, s);
    if (start_ps < TIME_NEVER) /* otherwise it stays here */
        station_forward_at(s, guest, start_ps + port->cells.slot_ps);
}

/* --- several streams ---------------------------------------------------------------------------------------------- */

static void begin_next(struct atm_port *port, uint32_t flow)
{
    struct line *line = &port->lines[flow];
    begin_frame(port, line, &port->waiting[line->first].guest);
    events_set(&port->next, flow, line->vc.next_ps);
    events_set(&port->ends, flow, line->end_ps);
}

/* The frame of a line is complete; the next one begins. */
static void finish(struct sim *s, struct atm_port *port, uint32_t flow)
{
    struct line *line = &port->lines[flow];
    uint32_t done = line->first;
    struct guest guest = port->waiting[done].guest;
    line->first = port->waiting[done].next;
    port->waiting[done].next = port->unused;
    port->unused = done;
    end_frame(s, port, line, &guest);
    if (line->first != NONE) {
        begin_next(port, flow);
        return;
    }
    line->last = NONE;
    events_set(&port->next, flow, TIME_NEVER);
    events_set(&port->ends, flow, TIME_NEVER);
}

/* Cells of a line that come before any other line's, and by t_ps. */
static uint32_t run_length(const struct atm_port *port, const struct line *line, int64_t t_ps)
{
    uint64_t second = events_second(&port->next);
    int64_t until_ps = t_ps;
    if (second < port->next.end) {
        int64_t other_ps = port->lines[second & port->next.mask].vc.next_ps - 1;
        until_ps = other_ps < t_ps ? other_ps : t_ps;
    }
    uint32_t left = line->vc.cells - line->vc.arrived;
    int64_t n = until_ps > line->vc.next_ps ? (until_ps - line->vc.next_ps) / line->vc.gap_ps + 1 : 1;
    return n < left ? (uint32_t)n : left;
}

/* All cells that come by t_ps. */
static void advance(struct sim *s, struct atm_port *port, int64_t t_ps)
{
    while (events_pending(&port->next)) {
        uint32_t flow = events_next(&port->next);
        struct line *line = &port->lines[flow];
        if (line->vc.next_ps > t_ps)
            return;
        cell_frame_take(&port->cells, &line->vc, run_length(port, line, t_ps));
        if (line->vc.arrived == line->vc.cells)
            finish(s, port, flow);
        else
            events_advance(&port->next, flow, line->vc.next_ps);
    }
}

static void set_timer(struct sim *s, const struct station *station, const struct atm_port *port)
{
    bool is_any = events_pending(&port->ends);
    station_set(s, station, is_any ? port->lines[events_next(&port->ends)].end_ps : TIME_NEVER);
}

static void enqueue(struct sim *s, struct station *station, struct atm_port *port, const struct guest *guest)
{
    struct line *line = &port->lines[guest->flow->id];
    uint32_t slot = port->unused;
    if (slot == NONE) {
        sim_fail(s, SIM_LIMIT);
        return;
    }
    port->unused = port->waiting[slot].next;
    port->waiting[slot] = (struct waiting){*guest, NONE};
    if (line->last != NONE)
        port->waiting[line->last].next = slot;
    else
        line->first = slot;
    line->last = slot;
    if (line->first == slot) {
        begin_next(port, guest->flow->id);
        set_timer(s, station, port);
    }
}

static void atm_take(struct sim *s, struct station *station, const struct guest *guest)
{
    struct atm_port *port = station->state;
    struct line *line = &port->lines[guest->flow->id];
    if (!port->is_lone) {
        enqueue(s, station, port, guest);
        return;
    }
    begin_frame(port, line, guest);
    cell_frame_take(&port->cells, &line->vc, line->vc.cells);
    end_frame(s, port, line, guest);
}

static void atm_on_event(struct sim *s, struct station *station)
{
    struct atm_port *port = station->state;
    advance(s, port, s->now_ps);
    set_timer(s, station, port);
}

const struct station_ops station_atm = {
    .item = {"atm", "output port of an ATM switch: cells of AAL5 frames, plain UBR, PPD, EPD, CBR before it",
             "Romanow and Floyd 1995, RFC 2684, ITU-T I.363.5", NULL},
    .is_on = atm_is_on,
    .lay_out = atm_lay_out,
    .take = atm_take,
    .on_event = atm_on_event,
};
