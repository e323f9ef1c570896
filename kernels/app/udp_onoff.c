/* udp_onoff.c - cross traffic over UDP that comes and goes: `packet` bytes every `interval` in an on period, nothing in
 * an off period, both drawn by `period_law`.
 *
 * The flow begins with an on period; each has a packet at its beginning and every interval after it until it ends, so
 * at least one. Many such sources with Pareto periods of shape below 2 add up to self-similar traffic (Willinger et
 * al., SIGCOMM 1995). ns-2's sources round an on period to whole packets instead.
 */
#include "../tcp.h"
#include "datagram.h"

static bool udp_onoff_is_random(const struct app_cfg *app)
{
    return app->period_law != TIME_FIXED;
}

static uint64_t udp_onoff_most_packets(const struct app_cfg *app, int64_t time_ps)
{
    return (uint64_t)(time_ps / app->interval_ps) + app_most_events((double)time_ps / (double)app->off_ps);
}

static int64_t draw_period(struct flow *f, int64_t mean_ps)
{
    const struct app_cfg *app = &f->flow_cfg->app;
    return app_draw_time(&f->cursor.random, app->period_law, mean_ps, app->time_shape);
}

static void udp_onoff_on_timer(struct sim *s, struct flow *f)
{
    const struct app_cfg *app = &f->flow_cfg->app;
    if (datagram_has_stopped(s, f))
        return;
    if (s->now_ps >= f->app.next_ps) /* a period begins: it ends at next_ps */
        f->app.next_ps = s->now_ps + draw_period(f, app->on_ps);
    datagram_send(s, f, PACKET_UDP);
    int64_t next_ps = s->now_ps + app->interval_ps;
    if (next_ps >= f->app.next_ps)
        next_ps = f->app.next_ps += draw_period(f, app->off_ps);
    flow_set_timer(s, f, TIMER_APP, next_ps);
}

static void udp_onoff_on_open(struct sim *s, struct flow *f)
{
    app_random_init(s, f, &f->cursor.random);
    f->app.next_ps = s->now_ps;
    udp_onoff_on_timer(s, f);
}

const struct app_ops app_udp_onoff = {
    .item = {"udp_onoff", "datagrams at a constant rate in on periods, none in off periods: cross traffic", "-",
             "EXPOO_Traffic and POO_Traffic (ns-2), OnOff (ns-3)"},
    .transport = TRANSPORT_UDP,
    .needs = NEEDS_PACKET | NEEDS_INTERVAL | NEEDS_PERIODS,
    .is_uniform = datagram_is_uniform,
    .is_random = udp_onoff_is_random,
    .most_packets = udp_onoff_most_packets,
    .on_open = udp_onoff_on_open,
    .on_starved = datagram_on_starved,
    .on_timer = udp_onoff_on_timer,
};
