/* udp_cbr.c - constant bit rate over UDP: cross traffic of `packet` bytes every `interval`. */
#include "../tcp.h"
#include "datagram.h"

static void udp_cbr_on_timer(struct sim *s, struct flow *f)
{
    datagram_tick(s, f, PACKET_UDP);
}

const struct app_ops app_udp_cbr = {
    .item = {"udp_cbr", "constant bit rate over UDP: cross traffic", "-", "CBR over UDP (ns-2, NetSim), iperf -u"},
    .transport = TRANSPORT_UDP,
    .needs = NEEDS_PACKET | NEEDS_INTERVAL,
    .is_uniform = datagram_is_uniform,
    .on_open = udp_cbr_on_timer,
    .on_starved = datagram_on_starved,
    .on_timer = udp_cbr_on_timer,
};
