/* cell_port.c - see cell_port.h. */
#include "cell_port.h"

#include "../net.h"

uint32_t cells_of(uint32_t bytes, bool llc)
{
    uint32_t all = bytes + (llc ? LLC_SNAP_BYTES : 0) + AAL5_TRAILER_BYTES;
    return (all + CELL_PAYLOAD_BYTES - 1) / CELL_PAYLOAD_BYTES;
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

static bool has_slots(const struct cell_port *port)
{
    return port->cbr_ps == 0 || port->cbr_ps > port->slot_ps;
}

/* Slots of the first n that are not CBR's. */
static int64_t slots_left(const struct cell_port *port, int64_t n)
{
    if (port->cbr_ps == 0 || n == 0)
        return n;
    return has_slots(port) ? n - 1 - (n - 1) * port->slot_ps / port->cbr_ps : 0;
}

/* The same of those that have begun by t_ps. */
static int64_t slots_by(const struct cell_port *port, int64_t t_ps)
{
    return slots_left(port, t_ps / port->slot_ps + 1);
}

/* When the place-th of them begins. */
static int64_t slot_begin_ps(const struct cell_port *port, int64_t place)
{
    if (!has_slots(port))
        return TIME_NEVER;
    int64_t n = place;
    if (port->cbr_ps > 0) {
        double share = 1 - (double)port->slot_ps / (double)port->cbr_ps;
        n = (int64_t)((double)place / share);
        while (slots_left(port, n) < place)
            n++;
        while (slots_left(port, n - 1) >= place)
            n--;
    }
    return (n - 1) * port->slot_ps;
}

void cell_port_init(struct cell_port *port, const struct atm_cfg *cfg, double rate_bps, int64_t from_ps, int64_t to_ps)
{
    *port = (struct cell_port){.slot_ps = net_transmission_ps(rate_bps, CELL_BYTES),
                               .cbr_ps = cfg->cbr_bps > 0 ? net_transmission_ps(cfg->cbr_bps, CELL_BYTES) : 0,
                               .room = cfg->cells,
                               .threshold = (int64_t)(cfg->epd_threshold * cfg->cells),
                               .policy = cfg->policy};
    if (port->threshold < 1)
        port->threshold = 1; /* an empty buffer refuses nothing */
    port->from = slots_by(port, from_ps);
    port->to = slots_by(port, to_ps);
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static void keep(struct cell_port *port, struct cell_vc *vc, int64_t before, uint32_t n)
{
    port->last = before + n;
    port->kept += n;
    vc->kept += n;
    if (vc->arrived + n == vc->cells)
        vc->last = port->last;
    port->kept_within += (uint64_t)(clamp(port->to, before, port->last) - clamp(port->from, before, port->last));
}

/* How many of n cells that come from now on surely find room and take places one after the other: the line is busy
 * until the last of them comes, or they come no slower than slots go by. */
static uint32_t sure_run(const struct cell_port *port, const struct cell_vc *vc, uint32_t n, int64_t waiting)
{
    int64_t free = port->room - waiting;
    uint32_t run = free < n ? (uint32_t)free : n;
    if (run == 1 || vc->gap_ps <= port->slot_ps)
        return run;
    return port->last >= slots_by(port, vc->next_ps + (run - 1) * vc->gap_ps) ? run : 1;
}

/* Offers n cells to the buffer, without regard to what has become of the frame. Returns how many it has dealt with. */
static uint32_t offer(struct cell_port *port, struct cell_vc *vc, uint32_t n)
{
    int64_t gone = slots_by(port, vc->next_ps), waiting = port->last > gone ? port->last - gone : 0;
    if (waiting >= port->room) {
        vc->is_cut = port->policy != ATM_PLAIN;
        return 1;
    }
    uint32_t run = sure_run(port, vc, n, waiting);
    keep(port, vc, port->last > gone ? port->last : gone, run);
    return run;
}

/* A frame's first cell under EPD. */
static bool is_refused(const struct cell_port *port, const struct cell_vc *vc)
{
    return port->policy == ATM_EPD && port->last - slots_by(port, vc->next_ps) >= port->threshold;
}

/* The next of n cells that share a fate; returns how many. */
static uint32_t take_some(struct cell_port *port, struct cell_vc *vc, uint32_t n)
{
    uint32_t before_last = vc->cells - 1 - vc->arrived;
    if (vc->arrived == 0)
        vc->is_refused = is_refused(port, vc);
    if (vc->is_refused)
        return n;
    if (vc->is_cut && before_last > 0)
        return n < before_last ? n : before_last;
    return offer(port, vc, n);
}

void cell_frame_begin(struct cell_vc *vc, uint32_t cells, int64_t first_ps, int64_t gap_ps)
{
    *vc = (struct cell_vc){.has_rest = vc->has_rest, .cells = cells, .next_ps = first_ps, .gap_ps = gap_ps};
}

void cell_frame_take(struct cell_port *port, struct cell_vc *vc, uint32_t n)
{
    port->arrived += n;
    while (n > 0) {
        uint32_t some = take_some(port, vc, n);
        vc->arrived += some;
        vc->next_ps += some * vc->gap_ps;
        n -= some;
    }
}

int64_t cell_frame_end(const struct cell_port *port, struct cell_vc *vc)
{
    bool is_whole = vc->kept == vc->cells && !vc->has_rest;
    vc->has_rest = vc->last == 0 && (vc->has_rest || vc->kept > 0);
    return is_whole ? slot_begin_ps(port, vc->last) : -1;
}
