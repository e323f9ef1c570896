/* cbr.c - constant bit rate over TCP: a write of `packet` bytes every `interval`.
 *
 * Writes cost no events: how many there have been by now is a division, made only when the sender runs out of data.
 * Boundaries of writes are kept (a write of 1460 bytes at MSS 500 goes as 500 + 500 + 460) unless `cbr_coalesce`. The
 * first write is at the flow's start, before the handshake is over.
 */
#include "../tcp.h"

static bool cbr_is_uniform(const struct app_cfg *app, const struct tcp_cfg *tcp)
{
    return !app->coalesce && app->packet_bytes % tcp->mss_bytes == 0;
}

/* Writes made until now. */
static uint64_t writes_due(const struct sim *s, const struct flow *f)
{
    int64_t last_ps = f->flow_cfg->stop_ps - 1 < s->now_ps ? f->flow_cfg->stop_ps - 1 : s->now_ps;
    if (last_ps < f->app.start_ps)
        return 0;
    return (uint64_t)((last_ps - f->app.start_ps) / f->flow_cfg->app.interval_ps) + 1;
}

static int64_t write_time_ps(const struct flow *f, uint64_t k)
{
    return f->app.start_ps + (int64_t)k * f->flow_cfg->app.interval_ps;
}

static void cut_write(struct sim *s, struct flow *f)
{
    uint32_t left = f->flow_cfg->app.packet_bytes, mss = f->mss;
    if (tcp_nagle_waits(f, left))
        return;
    for (; left > 0; left -= left < mss ? left : mss)
        tcp_cut_segment(s, f, left < mss ? left : mss);
    f->app.writes++;
}

static void cut_stream(struct sim *s, struct flow *f, uint64_t due)
{
    uint64_t left = due * f->flow_cfg->app.packet_bytes - f->app.bytes_cut;
    uint32_t bytes = left < f->mss ? (uint32_t)left : f->mss;
    if (bytes == 0 || tcp_nagle_waits(f, bytes))
        return;
    f->app.bytes_cut += bytes;
    f->app.writes = f->app.bytes_cut / f->flow_cfg->app.packet_bytes;
    tcp_cut_segment(s, f, bytes);
}

static void cbr_on_starved(struct sim *s, struct flow *f)
{
    const struct app_cfg *app = &f->flow_cfg->app;
    uint64_t due = writes_due(s, f);
    if (due > SEGMENTS_MAX / 64) {
        sim_fail(s, SIM_LIMIT);
    } else if (f->is_uniform) {
        f->available = (uint32_t)due * (app->packet_bytes / f->cfg->mss_bytes);
        f->app.writes = due;
    } else if (app->coalesce) {
        cut_stream(s, f, due);
    } else if (f->app.writes < due) {
        cut_write(s, f);
    }
    if (f->available > f->next)
        return;
    int64_t next_ps = write_time_ps(f, due);
    if (next_ps < f->flow_cfg->stop_ps)
        flow_set_timer(s, f, TIMER_APP, next_ps);
    else if (f->app.writes == due)
        f->is_closed = true;
}

static void cbr_next_record(struct flow *f)
{
    f->awaited.t_ps = write_time_ps(f, f->awaited.k++);
    f->app.record_end += f->flow_cfg->app.packet_bytes;
}

static void cbr_on_open(struct sim *s, struct flow *f)
{
    (void)s;
    cbr_next_record(f);
}

static void cbr_on_timer(struct sim *s, struct flow *f)
{
    tcp_push(s, f);
}

const struct app_ops app_cbr = {
    .item = {"cbr", "constant bit rate over TCP", "-", "CBR (NetSim), OnOff (ns-3)"},
    .transport = TRANSPORT_TCP,
    .needs = NEEDS_PACKET | NEEDS_INTERVAL,
    .is_uniform = cbr_is_uniform,
    .on_open = cbr_on_open,
    .on_starved = cbr_on_starved,
    .on_timer = cbr_on_timer,
    .next_record = cbr_next_record,
};
