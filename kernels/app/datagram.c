/* datagram.c - see datagram.h. */
#include "datagram.h"

#include "../tcp.h"

bool datagram_is_uniform(const struct app_cfg *app, const struct tcp_cfg *tcp)
{
    (void)app, (void)tcp;
    return true;
}

void datagram_on_starved(struct sim *s, struct flow *f)
{
    (void)s, (void)f;
}

bool datagram_has_stopped(const struct sim *s, const struct flow *f)
{
    return s->now_ps >= f->flow_cfg->stop_ps;
}

void datagram_send(struct sim *s, struct flow *f, uint8_t flags)
{
    tcp_send_datagram(s, f, flags, (uint32_t)f->app.writes++, f->flow_cfg->app.packet_bytes);
}

void datagram_tick(struct sim *s, struct flow *f, uint8_t flags)
{
    if (datagram_has_stopped(s, f))
        return;
    datagram_send(s, f, flags);
    flow_set_timer(s, f, TIMER_APP, s->now_ps + f->flow_cfg->app.interval_ps);
}
