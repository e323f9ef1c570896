/* fq_codel.c - a link with a queue for each flow, served in turn, CoDel in each (RFC 8290).
 *
 * Deficit round robin by bytes. Queues that have just become busy go first, once; so a flow that sends less than its
 * share keeps its delay beside those that fill their queues. Where there is no room, up to half of the longest queue
 * (in bytes) is dropped from its head, at most fq_codel_batch packets.
 *
 * Departures: each flow and direction has a queue of its own; with fq_codel_queues they are hashed, but always to the
 * same queues. The limit is `queue`, without the RFC's 10240 packets by default and Linux's limit of memory.
 */
#include "codel_queue.h"

enum { NOBODY = UINT32_MAX };

enum turn { TURN_NONE, TURN_NEW, TURN_OLD };

struct fq_queue {
    struct fifo fifo;
    struct codel codel;
    int64_t deficit; /* bytes */
    enum turn turn;  /* in which list */
    uint32_t next;   /* behind it there */
};

struct fq_list {
    uint32_t first, last;
};

struct fq_station {
    struct port port; /* first */
    const struct fq_codel_params *params;
    struct fq_queue *queue;
    uint32_t queues, known; /* in use */
    uint32_t *of_stream;    /* queue of each flow and direction */
    struct fq_list fresh, old;
};

/* --- lists -------------------------------------------------------------------------------------------------------- */

static void append(struct fq_station *state, struct fq_list *list, uint32_t queue, enum turn turn)
{
    state->queue[queue].turn = turn;
    state->queue[queue].next = NOBODY;
    if (list->first == NOBODY)
        list->first = queue;
    else
        state->queue[list->last].next = queue;
    list->last = queue;
}

static void remove_first(struct fq_station *state, struct fq_list *list)
{
    struct fq_queue *queue = &state->queue[list->first];
    list->first = queue->next;
    queue->turn = TURN_NONE;
}

/* --- arrivals ----------------------------------------------------------------------------------------------------- */

/* Flows and directions get their queues in the order in which they come; hashed ones by Fibonacci hashing. */
static uint32_t queue_of(struct fq_station *state, const struct guest *guest)
{
    uint32_t stream = guest_stream(guest);
    if (state->params->queues)
        return (uint32_t)(((uint64_t)(stream * UINT32_C(2654435769)) * state->queues) >> 32);
    uint32_t *queue = &state->of_stream[stream];
    if (*queue == NOBODY)
        *queue = state->known++;
    return *queue;
}

static uint32_t longest(const struct fq_station *state)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < state->queues; i++)
        if (state->queue[i].fifo.bytes > state->queue[best].fifo.bytes)
            best = i;
    return best;
}

static void make_room(struct sim *s, struct fq_station *state)
{
    struct fq_queue *queue = &state->queue[longest(state)];
    uint64_t half = queue->fifo.bytes / 2, dropped = 0;
    for (uint32_t n = 0; n < state->params->batch && queue->fifo.n > 0 && (n == 0 || dropped < half); n++) {
        struct guest guest = port_take(s, &state->port, &queue->fifo);
        dropped += guest_bytes(&guest);
        station_drop(s, &guest, CAUSE_QUEUE);
    }
}

static void fq_codel_take(struct sim *s, struct station *station, const struct guest *guest)
{
    struct fq_station *state = station->state;
    struct port *port = &state->port;
    if (!port_begin(s, station, guest))
        return;
    uint32_t number = queue_of(state, guest);
    struct fq_queue *queue = &state->queue[number];
    bool is_busy = port->end_ps != TIME_NEVER;
    bool has_room = !is_busy || port_has_room(station, port->waiting, port->bytes, guest_bytes(guest));
    port_put(s, port, &queue->fifo, guest);
    if (queue->turn == TURN_NONE) {
        queue->deficit = state->params->quantum_bytes;
        append(state, &state->fresh, number, TURN_NEW);
    }
    if (!has_room)
        make_room(s, state);
    port_serve(s, station);
}

/* --- departures --------------------------------------------------------------------------------------------------- */

/* A queue at the head of its list has had its turn, or is empty. */
static void pass_turn(struct fq_station *state, struct fq_list *list, bool is_empty)
{
    uint32_t number = list->first;
    bool is_new = list == &state->fresh;
    remove_first(state, list);
    if (!is_empty || (is_new && state->old.first != NOBODY))
        append(state, &state->old, number, TURN_OLD);
}

static bool pull(struct sim *s, struct station *station, struct guest *next)
{
    struct fq_station *state = station->state;
    for (;;) {
        struct fq_list *list = state->fresh.first != NOBODY ? &state->fresh : &state->old;
        if (list->first == NOBODY)
            return false;
        struct fq_queue *queue = &state->queue[list->first];
        if (queue->deficit <= 0) {
            queue->deficit += state->params->quantum_bytes;
            pass_turn(state, list, false);
            continue;
        }
        if (codel_pull(s, station, &queue->fifo, &queue->codel, next)) {
            queue->deficit -= guest_bytes(next);
            return true;
        }
        pass_turn(state, list, true);
    }
}

/* --- the station -------------------------------------------------------------------------------------------------- */

static bool fq_codel_is_on(const struct link_cfg *link, enum direction direction)
{
    return link->channel[direction].aqm.kind == AQM_FQ_CODEL;
}

static void fq_codel_lay_out(struct carver *c, const struct scenario *sc, struct station *station)
{
    const struct fq_codel_params *params = &station->link->channel[station->direction].aqm.fq_codel;
    uint32_t queues = params->queues ? params->queues : station->streams;
    uint32_t streams = params->queues ? 0 : 2 * sc->nflows;
    struct fq_queue *queue = carve_zero(c, queues * sizeof *queue);
    uint32_t *of_stream = carve(c, streams * sizeof *of_stream);
    struct fq_station *state = port_lay_out(c, station, sizeof *state, pull);
    if (!state)
        return;
    state->params = params;
    state->queue = queue;
    state->queues = queues;
    state->of_stream = of_stream;
    state->fresh = state->old = (struct fq_list){NOBODY, NOBODY};
    for (uint32_t i = 0; i < streams; i++)
        of_stream[i] = NOBODY;
}

const struct station_ops station_fq_codel = {
    .item = {"fq_codel", "a queue for each flow, served in turn, CoDel in each", "RFC 8290",
             "fq_codel (Linux), FqCoDelQueueDisc (ns-3)"},
    .is_on = fq_codel_is_on,
    .lay_out = fq_codel_lay_out,
    .take = fq_codel_take,
    .on_event = port_on_event,
};
