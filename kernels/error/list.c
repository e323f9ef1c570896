/* list.c - chosen packets are lost: "the 14th data packet", "the 2nd transmission of segment 80", "the 60th ACK". */
#include "../packet.h"
#include "error.h"

#include <stddef.h>

static bool acts(const struct drop_cfg *drop, enum direction direction, bool both)
{
    return both || (drop->kind == DROP_ACK) == (direction == REVERSE);
}

static bool list_is_on(const struct link_cfg *link, enum direction direction)
{
    for (uint32_t i = 0; i < link->ndrops; i++)
        if (acts(&link->drops[i], direction, link->shared_duplex))
            return true;
    return false;
}

static void list_start(struct error_state *e)
{
    e->both = e->link->shared_duplex;
    e->data_seen = e->acks_seen = 0;
}

static bool is_hit(const struct error_state *e, const struct drop_cfg *drop, const struct packet *p, bool is_ack)
{
    switch (drop->kind) {
    case DROP_PACKET:
        return !is_ack && drop->number == e->data_seen;
    case DROP_SEGMENT:
        return !is_ack && drop->number == p->seq && drop->transmission == p->transmission;
    case DROP_ACK:
        return is_ack && drop->number == e->acks_seen;
    }
    return false;
}

/* Control packets (SYN, FIN, the opener's ACKs, pings) are neither counted nor dropped: the numbers are those of data
 * packets and ACKs. */
static bool list_is_lost(struct error_state *e, const struct packet *p, uint32_t bytes)
{
    (void)bytes;
    if (p->flags & (PACKET_SYN | PACKET_FIN | PACKET_PING | PACKET_OPEN))
        return false;
    bool is_ack = p->flags & PACKET_ACK;
    if (is_ack)
        e->acks_seen++;
    else
        e->data_seen++;
    for (uint32_t i = 0; i < e->link->ndrops; i++) {
        const struct drop_cfg *drop = &e->link->drops[i];
        if (acts(drop, e->direction, e->both) && is_hit(e, drop, p, is_ack))
            return true;
    }
    return false;
}

const struct error_ops error_list_drops = {
    .item = {"drops", "chosen data packets, transmissions of segments, or ACKs", "ns-2 errmodel.cc (List)",
             "ErrorModel/List (ns-2), ReceiveListErrorModel (ns-3)"},
    .is_on = list_is_on,
    .is_random = false,
    .start = list_start,
    .is_lost = list_is_lost,
};
