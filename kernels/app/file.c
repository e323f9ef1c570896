/* file.c - files over one connection: `repeat` of them, one each `interval`, or one after the other with a pause to
 * think (none by default). Their sizes are all the same or drawn by `size_law`.
 *
 * File k is due at start + k x interval and waits for the one before; or `think` after that one's end. Its completion
 * time runs from when it is due to the ACK of its last byte. After the last file the connection is closed.
 */
#include "transfer.h"

static bool file_is_uniform(const struct app_cfg *app, const struct tcp_cfg *tcp)
{
    return app->size_law == SIZE_FIXED && app->size_bytes % tcp->mss_bytes == 0;
}

static bool file_is_random(const struct app_cfg *app)
{
    return app->size_law != SIZE_FIXED || (app->think_ps > 0 && app->think_law != TIME_FIXED);
}

static bool has_more_files(const struct flow *f)
{
    const struct app_cfg *app = &f->flow_cfg->app;
    return app->repeat == 0 || f->app.writes < app->repeat;
}

/* Begins the next file if it is due, sets the timer if it is not, closes if there is none. */
static void begin_file(struct sim *s, struct flow *f)
{
    int64_t at_ps = f->app.next_ps;
    if (!has_more_files(f) || at_ps >= f->flow_cfg->stop_ps) {
        f->is_closed = true;
        return;
    }
    if (at_ps > s->now_ps) {
        flow_set_timer(s, f, TIMER_APP, at_ps);
        return;
    }
    f->app.writes++;
    transfer_begin(s, f, at_ps, app_draw_size(&f->cursor.random, &f->flow_cfg->app));
}

static void file_on_open(struct sim *s, struct flow *f)
{
    app_random_init(s, f, &f->cursor.random);
    f->app.next_ps = f->app.start_ps;
    begin_file(s, f);
}

/* When the next file is due, now that one is done. */
static int64_t next_due_ps(const struct sim *s, struct flow *f)
{
    const struct app_cfg *app = &f->flow_cfg->app;
    if (app->interval_ps > 0)
        return f->app.start_ps + (int64_t)f->app.writes * app->interval_ps;
    if (app->think_ps == 0)
        return s->now_ps;
    return s->now_ps + app_draw_time(&f->cursor.random, app->think_law, app->think_ps, app->time_shape);
}

static void file_on_acknowledged(struct sim *s, struct flow *f)
{
    if (!transfer_is_done(s, f))
        return;
    f->app.next_ps = next_due_ps(s, f);
    begin_file(s, f);
}

static void file_on_timer(struct sim *s, struct flow *f)
{
    begin_file(s, f);
    tcp_push(s, f);
}

const struct app_ops app_file = {
    .item = {"file", "files of a given size, repeated", "-", "FTP (NetSim), FTP produce (ns-2)"},
    .transport = TRANSPORT_TCP,
    .needs = NEEDS_SIZE,
    .has_files = true,
    .is_uniform = file_is_uniform,
    .is_random = file_is_random,
    .short_segments = transfer_short_segments,
    .on_open = file_on_open,
    .on_starved = transfer_on_starved,
    .on_timer = file_on_timer,
    .on_acknowledged = file_on_acknowledged,
};
