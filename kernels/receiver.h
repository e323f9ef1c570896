/* receiver.h - the receiving end of a flow. walk.h has the usual case inlined. */
#ifndef KERNELS_RECEIVER_H
#define KERNELS_RECEIVER_H

#include "packet.h"

struct sim;
struct flow;

/* A packet of the forward stream has arrived; p->t_ps may lie in the future of s->now_ps. */
void receiver_take(struct sim *s, struct flow *f, struct packet *p);

/* Fires the receiver's timers (delayed ACK, SYN-ACK, FIN) with a deadline at or before t_ps, in order. */
void receiver_timers(struct sim *s, struct flow *f, int64_t t_ps);

/* Counts the delay of an application packet that is complete at to_ps. */
void receiver_note_delay(struct sim *s, struct flow *f, int64_t from_ps, int64_t to_ps);

/* An in-order segment that need not be acknowledged at once: starts the timer if none runs. */
void receiver_delay_ack(struct sim *s, struct flow *f, uint32_t segment, int64_t t_ps);
/* Arrivals have entered a later phase of the measuring window. */
void receiver_next_phase(struct sim *s, struct flow *f, int64_t t_ps);

#endif
