/* ping.c - echo requests and replies: `packet` bytes every `interval`. */
#include "../tcp.h"
#include "datagram.h"

static void ping_on_timer(struct sim *s, struct flow *f)
{
    datagram_tick(s, f, PACKET_PING);
}

const struct app_ops app_ping = {
    .item = {"ping", "echo requests and replies", "-", "ping"},
    .transport = TRANSPORT_PING,
    .needs = NEEDS_PACKET | NEEDS_INTERVAL,
    .is_uniform = datagram_is_uniform,
    .on_open = ping_on_timer,
    .on_starved = datagram_on_starved,
    .on_timer = ping_on_timer,
};
