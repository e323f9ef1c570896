/* datagram.h - sources of packets without TCP. */
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
/* Whether the flow has stopped by now. */
bool datagram_has_stopped(const struct sim *s, const struct flow *f);
/* Sends one packet of the configured size with the given flags. */
void datagram_send(struct sim *s, struct flow *f, uint8_t flags);
/* The same, and sets the timer for the next by `interval`, until the flow stops. */
void datagram_tick(struct sim *s, struct flow *f, uint8_t flags);

#endif
