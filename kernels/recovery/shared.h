/* shared.h - steps that several recovery schemes have in common. */
#ifndef KERNELS_RECOVERY_SHARED_H
#define KERNELS_RECOVERY_SHARED_H

#include "../tcp.h"

/* After a timeout without SACK: everything from una on is sent again as the window allows; duplicates count afresh. */
void recovery_go_back_n(struct sim *s, struct flow *f);

/* A new ACK outside fast recovery: growth, timer, and the end of the loss period once `recover` is passed. */
void recovery_on_plain_ack(struct sim *s, struct flow *f, uint32_t acked);

/* Reno and NewReno: third duplicate ACK: halve, resend una, inflate by the duplicates seen. */
void recovery_fast_retransmit(struct sim *s, struct flow *f);

/* Reno and NewReno: what a duplicate ACK does once counted. `may_enter`: whether the third starts fast recovery. */
void recovery_on_duplicate(struct sim *s, struct flow *f, bool may_enter);

extern const struct recovery_ops recovery_newreno; /* for the parts in which a scheme is NewReno */

/* With SACK. After a timeout: slow start over what is not SACKed, from f->next on. */
void recovery_send_unsacked(struct sim *s, struct flow *f);

/* A new ACK: the end of recovery or loss once `recover` is passed, growth outside recovery. */
void recovery_on_sacked_ack(struct sim *s, struct flow *f, uint32_t acked);

/* A timeout: everything not SACKed is to be sent again; the board is kept. */
void recovery_resend_unsacked(struct sim *s, struct flow *f);

#endif
