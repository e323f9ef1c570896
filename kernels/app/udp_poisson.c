/* udp_poisson.c - datagrams of one size as a Poisson process: exponential times between them, mean `interval`. */
#include "../tcp.h"
#include "datagram.h"

static bool udp_poisson_is_random(const struct app_cfg *app)
{
    (void)app;
    return true;
}

static uint64_t udp_poisson_most_packets(const struct app_cfg *app, int64_t time_ps)
{
    return app_most_events((double)time_ps / (double)app->interval_ps);
}

static void set_next(struct sim *s, struct flow *f)
{
    int64_t gap_ps = random_exponential(&f->cursor.random, f->flow_cfg->app.interval_ps);
    flow_set_timer(s, f, TIMER_APP, s->now_ps + gap_ps);
}

static void udp_poisson_on_open(struct sim *s, struct flow *f)
{
    app_random_init(s, f, &f->cursor.random);
    set_next(s, f);
}

static void udp_poisson_on_timer(struct sim *s, struct flow *f)
{
    if (datagram_has_stopped(s, f))
        return;
    datagram_send(s, f, PACKET_UDP);
    set_next(s, f);
}

const struct app_ops app_udp_poisson = {
    .item = {"udp_poisson", "datagrams at random times (a Poisson process): cross traffic", "-",
             "POO_Traffic with a burst of one packet (ns-2)"},
    .transport = TRANSPORT_UDP,
    .needs = NEEDS_PACKET | NEEDS_INTERVAL,
    .is_uniform = datagram_is_uniform,
    .is_random = udp_poisson_is_random,
    .most_packets = udp_poisson_most_packets,
    .on_open = udp_poisson_on_open,
    .on_starved = datagram_on_starved,
    .on_timer = udp_poisson_on_timer,
};
