/* receiver.h - the receiving end of a flow. */
#ifndef KERNELS_RECEIVER_H
#define KERNELS_RECEIVER_H

#include <stdint.h>

struct sim;
struct flow;
struct packet;

/* A packet of the forward stream has arrived; p->t_ps may lie in the future of s->now_ps. */
void receiver_take(struct sim *s, struct flow *f, struct packet *p);

/* Fires the receiver's timers (delayed ACK, SYN-ACK, FIN) with a deadline at or before t_ps, in order. */
void receiver_timers(struct sim *s, struct flow *f, int64_t t_ps);

#endif
