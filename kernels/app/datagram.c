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

void datagram_tick(struct sim *s, struct flow *f, uint8_t flags)
{
    if (s->now_ps >= f->flow_cfg->stop_ps)
        return;
    tcp_send_datagram(s, f, flags, (uint32_t)f->app.writes++, f->flow_cfg->app.packet_bytes);
    flow_set_timer(s, f, TIMER_APP, s->now_ps + f->flow_cfg->app.interval_ps);
}
