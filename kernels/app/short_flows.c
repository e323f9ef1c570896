/* short_flows.c - Poisson arrivals of short connections, each with a file of its own, by `size_law`.
 *
 * The flows of a group (`count`) are a pool: an arrival takes one that is free, in turn, and opens a new connection on
 * it: handshake, initial window, RTO and the state of all schemes as at a start. If none is free it waits, first come
 * first served; its completion time runs from its arrival to the ACK of its last byte. So `count` is the most
 * connections at once, and with one flow the pool is an M/G/1 queue.
 *
 * The arrivals' times and sizes are one random stream of the group's first flow, gone through twice: for when the next
 * arrives, and for the one to be served next, so that nothing has to be kept of those that wait.
 *
 * Departures: connections end without a FIN exchange, and segment numbers go on from one connection of a flow to the
 * next; a duplicate ACK that outlives its connection is taken for one of the next (a flow is free for as long as the
 * pool allows before).
 */
#include "transfer.h"

static bool short_flows_is_uniform(const struct app_cfg *app, const struct tcp_cfg *tcp)
{
    (void)app, (void)tcp;
    return false;
}

static bool short_flows_is_random(const struct app_cfg *app)
{
    (void)app;
    return true;
}

static struct flow *first_of_group(struct sim *s, const struct flow *f)
{
    return &s->flows[f->flow_cfg->group_first];
}

static void next_arrival(const struct flow *first, struct app_cursor *arrival)
{
    const struct app_cfg *app = &first->flow_cfg->app;
    arrival->t_ps += random_exponential(&arrival->random, app->interval_ps);
    arrival->bytes = app_draw_size(&arrival->random, app);
}

/* The first arrival that waits gets a flow. */
static void serve(struct sim *s, struct flow *first, struct flow *f)
{
    struct app_cursor *arrival = &first->awaited;
    first->pool.waiting--;
    f->app.writes++;
    f->app.file_start_ps = arrival->t_ps;
    f->app.file_bytes = f->app.bytes_cut = arrival->bytes; /* nothing to cut until it is open */
    f->app.file_end = UINT32_MAX;
    next_arrival(first, arrival);
    tcp_reopen(s, f);
}

static bool is_idle(const struct flow *f)
{
    return f->is_started && f->count.files_done == f->app.writes;
}

static struct flow *next_idle(struct flow *first)
{
    uint32_t n = first->flow_cfg->group_size;
    struct flow *f;
    do {
        f = first + first->pool.turn;
        first->pool.turn = first->pool.turn + 1 == n ? 0 : first->pool.turn + 1;
    } while (!is_idle(f));
    return f;
}

static void serve_idle(struct sim *s, struct flow *first)
{
    if (first->pool.waiting == 0 || first->pool.idle == 0)
        return;
    first->pool.idle--;
    serve(s, first, next_idle(first));
}

static void short_flows_on_start(struct sim *s, struct flow *f)
{
    struct flow *first = first_of_group(s, f);
    if (f == first) {
        f->cursor = (struct app_cursor){.t_ps = s->now_ps};
        app_random_init(s, f, &f->cursor.random);
        f->awaited = f->cursor;
        next_arrival(f, &f->cursor);
        next_arrival(f, &f->awaited);
        flow_set_timer(s, f, TIMER_APP, f->cursor.t_ps);
    }
    first->pool.idle++;
    serve_idle(s, first);
}

static void short_flows_on_timer(struct sim *s, struct flow *first)
{
    if (s->now_ps >= first->flow_cfg->stop_ps)
        return;
    first->pool.waiting++;
    next_arrival(first, &first->cursor);
    flow_set_timer(s, first, TIMER_APP, first->cursor.t_ps);
    serve_idle(s, first);
}

static void short_flows_on_open(struct sim *s, struct flow *f)
{
    transfer_begin(s, f, f->app.file_start_ps, f->app.file_bytes);
}

static void short_flows_on_acknowledged(struct sim *s, struct flow *f)
{
    struct flow *first = first_of_group(s, f);
    if (!transfer_is_done(s, f))
        return;
    if (first->pool.waiting > 0)
        serve(s, first, f);
    else
        first->pool.idle++;
}

const struct app_ops app_short_flows = {
    .item = {"short_flows", "Poisson arrivals of connections with a file each, over the flows of a group", "-", NULL},
    .transport = TRANSPORT_TCP,
    .needs = NEEDS_SIZE | NEEDS_INTERVAL,
    .has_files = true,
    .shares_pool = true,
    .is_uniform = short_flows_is_uniform,
    .is_random = short_flows_is_random,
    .short_segments = transfer_short_segments,
    .on_start = short_flows_on_start,
    .on_open = short_flows_on_open,
    .on_starved = transfer_on_starved,
    .on_timer = short_flows_on_timer,
    .on_acknowledged = short_flows_on_acknowledged,
};
