/* udp_trace.c - datagrams by a trace: each row's bytes leave at its time after the flow's start, cut into datagrams of
 * at most `packet` bytes. */
#include "../tcp.h"
#include "datagram.h"

static uint64_t udp_trace_most_packets(const struct app_cfg *app, int64_t time_ps)
{
    uint64_t n = 0;
    (void)time_ps;
    for (uint32_t i = 0; i < app->trace.n; i++)
        n += (app->trace.at[i].bytes + app->packet_bytes - 1) / app->packet_bytes;
    return n;
}

static void send_row(struct sim *s, struct flow *f, uint64_t bytes)
{
    uint32_t most = f->flow_cfg->app.packet_bytes;
    for (; bytes > 0; bytes -= bytes < most ? bytes : most)
        tcp_send_datagram(s, f, PACKET_UDP, (uint32_t)f->app.writes++, bytes < most ? (uint32_t)bytes : most);
}

static void udp_trace_on_timer(struct sim *s, struct flow *f)
{
    const struct write_list *trace = &f->flow_cfg->app.trace;
    uint64_t *k = &f->cursor.k;
    if (datagram_has_stopped(s, f))
        return;
    for (; *k < trace->n && f->app.start_ps + trace->at[*k].at_ps <= s->now_ps; ++*k)
        send_row(s, f, trace->at[*k].bytes);
    if (*k < trace->n)
        flow_set_timer(s, f, TIMER_APP, f->app.start_ps + trace->at[*k].at_ps);
}

const struct app_ops app_udp_trace = {
    .item = {"udp_trace", "datagrams at the times of a file: cross traffic", "-", "Application/Traffic/Trace (ns-2)"},
    .transport = TRANSPORT_UDP,
    .needs = NEEDS_PACKET | NEEDS_TRACE,
    .is_uniform = datagram_is_uniform,
    .most_packets = udp_trace_most_packets,
    .on_open = udp_trace_on_timer,
    .on_starved = datagram_on_starved,
    .on_timer = udp_trace_on_timer,
};
