/* ecn.h - explicit congestion notification at both ends (RFC 3168, RFC 8257). ecn.c has the details. */
#ifndef KERNELS_ECN_H
#define KERNELS_ECN_H

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct flow;
struct packet;

struct ecn_state {
    /* sender */
    uint32_t reduced_next; /* next to send at the last reduction: marks of what went before it count no more */
    bool has_reduced;
    bool is_marked; /* the last ACK echoed a mark */
    bool owes_cwr;  /* the next new segment says that the window was reduced */
    /* receiver */
    bool echoes; /* ACKs carry the mark */
};

/* Whether a packet of the flow can carry a mark. */
bool ecn_is_capable(const struct flow *f, const struct packet *p);

/* Sender: a segment about to be sent for the first time says what is owed. */
void ecn_say_reduced(struct flow *f, struct packet *p);
/* Sender: what an ACK tells besides what has arrived; acked segments, 0 for a duplicate. */
void ecn_take_echoes(struct sim *s, struct flow *f, const struct packet *ack, uint32_t acked);

/* Receiver: a data packet has arrived. True: first what came before it must be acknowledged, with the echo as
 * it is; then ecn_note_data. */
bool ecn_must_acknowledge(const struct flow *f, const struct packet *p);
void ecn_note_data(struct flow *f, const struct packet *p);

#endif
