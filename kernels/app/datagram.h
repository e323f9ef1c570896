/* datagram.h - sources that send a packet every interval, without TCP. */
#ifndef KERNELS_APP_DATAGRAM_H
#define KERNELS_APP_DATAGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct flow;
struct app_cfg;
struct tcp_cfg;

bool datagram_is_uniform(const struct app_cfg *app, const struct tcp_cfg *tcp);
void datagram_on_starved(struct sim *s, struct flow *f);
/* Sends one packet with the given flags and sets the timer for the next, until the flow stops. */
void datagram_tick(struct sim *s, struct flow *f, uint8_t flags);

#endif
