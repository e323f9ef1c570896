/* writes.c - endless writes of `packet` bytes, each as soon as the send buffer has room for all of it.
 *
 * What waits in the buffer leaves in full segments; less than one leaves when TCP may send it: at once, or with `nagle`
 * when nothing is unacknowledged (RFC 9293 3.7.4). With segments that are large beside the buffer that can wait for a
 * delayed ACK each time (Moldeklev and Gunningberg, IEEE/ACM ToN 3(4), 1995). Departures: a write goes into the buffer
 * as a whole or not at all; the sender does not send a part because it is half the largest window (RFC 9293 3.8.6.2.1
 * (3)).
 */
#include "../tcp.h"

static bool writes_are_uniform(const struct app_cfg *app, const struct tcp_cfg *tcp)
{
    (void)app, (void)tcp;
    return false;
}

static void writes_on_open(struct sim *s, struct flow *f)
{
    if (s->now_ps >= f->flow_cfg->stop_ps)
        f->is_closed = true;
    else if (f->flow_cfg->stop_ps < TIME_NEVER)
        flow_set_timer(s, f, TIMER_APP, f->flow_cfg->stop_ps);
}

/* As many writes as there is room for. Returns the bytes that wait then, at most a full segment. */
static uint32_t fill_buffer(struct flow *f)
{
    uint32_t in_flight = f->offset[f->available & f->offset_mask] - f->offset[f->una & f->offset_mask];
    uint64_t used = in_flight + f->app.bytes_written - f->app.bytes_cut, buffer = f->cfg->send_buffer_bytes;
    uint32_t write = f->flow_cfg->app.packet_bytes;
    if (buffer == 0)
        return f->mss;
    if (buffer > used)
        f->app.bytes_written += (buffer - used) / write * write;
    uint64_t waiting = f->app.bytes_written - f->app.bytes_cut;
    return waiting < f->mss ? (uint32_t)waiting : f->mss;
}

static void writes_on_starved(struct sim *s, struct flow *f)
{
    uint32_t bytes = fill_buffer(f);
    if (bytes == 0 || tcp_nagle_waits(f, bytes))
        return;
    f->app.bytes_cut += bytes;
    tcp_cut_segment(s, f, bytes);
}

/* The stop: what has been sent is still delivered. */
static void writes_on_timer(struct sim *s, struct flow *f)
{
    f->available = f->end;
    f->is_closed = true;
    tcp_push(s, f);
}

const struct app_ops app_writes = {
    .item = {"writes", "endless writes of a given size into the send buffer", "-", "ttcp, netperf"},
    .transport = TRANSPORT_TCP,
    .fills_buffer = true,
    .is_uniform = writes_are_uniform,
    .on_open = writes_on_open,
    .on_starved = writes_on_starved,
    .on_timer = writes_on_timer,
};
