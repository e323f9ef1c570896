/* file.c - files of N bytes over one connection: `repeat` of them, one each `interval`, or one after the other.
 *
 * File k is due at start + k x interval and waits for the one before. Its completion time runs from when it is due to
 * the ACK of its last byte. After the last file the connection is closed.
 */
#include "../tcp.h"

static bool file_is_uniform(const struct app_cfg *app, const struct tcp_cfg *tcp)
{
    return app->size_bytes % tcp->mss_bytes == 0;
}

static bool has_more_files(const struct flow *f)
{
    const struct app_cfg *app = &f->flow_cfg->app;
    return app->repeat == 0 || f->app.writes < app->repeat;
}

static int64_t due_ps(const struct sim *s, const struct flow *f)
{
    const struct app_cfg *app = &f->flow_cfg->app;
    return app->interval_ps > 0 ? f->app.start_ps + (int64_t)f->app.writes * app->interval_ps : s->now_ps;
}

/* Begins the next file if it is due, sets the timer if it is not, closes if there is none. */
static void begin_file(struct sim *s, struct flow *f)
{
    const struct app_cfg *app = &f->flow_cfg->app;
    int64_t at_ps = f->app.writes == 0 ? f->app.start_ps : due_ps(s, f);
    if (!has_more_files(f) || at_ps >= f->flow_cfg->stop_ps) {
        f->is_closed = true;
        return;
    }
    if (at_ps > s->now_ps) {
        flow_set_timer(s, f, TIMER_APP, at_ps);
        return;
    }
    f->app.writes++;
    f->app.file_start_ps = at_ps;
    f->app.bytes_cut = 0;
    f->app.file_end = UINT32_MAX; /* not yet cut */
    if (f->is_uniform)
        f->available = f->app.file_end = f->available + (uint32_t)(app->size_bytes / f->cfg->mss_bytes);
}

static void file_on_open(struct sim *s, struct flow *f)
{
    begin_file(s, f);
}

static void file_on_starved(struct sim *s, struct flow *f)
{
    (void)s;
    uint64_t left = f->flow_cfg->app.size_bytes - f->app.bytes_cut;
    if (f->is_uniform || left == 0)
        return;
    uint32_t bytes = left < f->mss ? (uint32_t)left : f->mss;
    f->app.bytes_cut += bytes;
    tcp_cut_segment(s, f, bytes);
    if (bytes == left)
        f->app.file_end = f->available;
}

static void file_on_acknowledged(struct sim *s, struct flow *f)
{
    if (f->app.file_end == 0 || f->una < f->app.file_end || f->count.files_done == f->app.writes)
        return;
    f->count.files_done++;
    f->count.files_time_s += (double)(s->now_ps - f->app.file_start_ps) / (double)PS_PER_S;
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
    .has_size = true,
    .is_uniform = file_is_uniform,
    .on_open = file_on_open,
    .on_starved = file_on_starved,
    .on_timer = file_on_timer,
    .on_acknowledged = file_on_acknowledged,
};
