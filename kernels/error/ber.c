/* ber.c - independent bit errors: a packet of L bytes is lost with probability 1 - (1 - BER)^(8 L).
 *
 * L is every byte on the link: payload, headers, overhead. The distance to the next bad bit is drawn (geometric), so a
 * packet costs one subtraction. After a loss the count starts afresh behind that packet: bits are independent.
 */
#include "error.h"

static bool ber_is_on(const struct link_cfg *link, enum direction direction)
{
    return link->channel[direction].ber > 0;
}

static void ber_start(struct error_state *e)
{
    e->gap = random_gap(&e->random, e->channel->ber);
}

const struct error_ops error_ber = {
    .item = {"ber", "independent bit errors over every byte on the link", "loss-rate law 1-(1-BER)^(8L)",
             "RateErrorModel (ns-3, bit units)"},
    .is_on = ber_is_on,
    .is_random = true,
    .start = ber_start,
    .gap_per_byte = 8,
};
