/* receiver_linux.h - when Linux acknowledges: quick ACKs, delayed ACKs that adapt, compressed duplicates.
 *
 * Each rule has its key (quick_acks, delayed_ack_adaptive, autotune_acks, autotune_window, sack_compression).
 * receiver.c asks here where any is on.
 */
#ifndef KERNELS_RECEIVER_LINUX_H
#define KERNELS_RECEIVER_LINUX_H

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct flow;
struct packet;
struct tcp_cfg;

/* Linux's automatic receive window, as far as ACKs depend on it: bytes. */
struct linux_window {
    int64_t buffer, limit; /* what is offered at most */
    int64_t offered;
    int64_t edge;  /* first byte beyond what ACKs have offered */
    int64_t space; /* read in the last round */
    uint32_t from; /* first segment of the round */
    int64_t from_ps;
    int64_t rtt_8_ps; /* estimate, times 8; 0: none */
    int64_t stamp_ps; /* of the last sample */
    int64_t back_ps;  /* time that an ACK takes to the sender */
};

struct linux_acks {
    struct linux_window window;
    uint32_t quick;          /* segments that are still acknowledged one by one */
    bool has_data;           /* some has come */
    int64_t last_ps;         /* when the last segment in order came */
    int64_t ato_ps;          /* how long an ACK may wait */
    int64_t delayed_ps;      /* when the ACK that waits for a second segment is sent; TIME_NEVER: none */
    int64_t rtt_ps;          /* of the handshake; 0: none */
    int64_t syn_ack_ps;      /* when the SYN-ACK was sent */
    uint32_t duplicates, at; /* ACKs of segments out of order, while the next one in order is this */
    uint32_t compressed;     /* such ACKs that wait */
};

bool receiver_linux_is_on(const struct tcp_cfg *cfg);
void receiver_linux_start(struct flow *f);

/* The handshake is over with this packet. */
void receiver_linux_open(struct flow *f, const struct packet *p);

/* A segment in order, counted in f->unacknowledged; nothing is held. True: its ACK goes out now, else the timer is set.
 */
bool receiver_linux_in_order(struct sim *s, struct flow *f, const struct packet *p);
/* Another segment: one received before, or out of order, or one that fills a hole. True: its ACK goes out now. */
bool receiver_linux_other(struct sim *s, struct flow *f, const struct packet *p, bool is_filler);
/* First segment beyond the window: as the sender knows it from the SYN-ACK; as the ACK that is sent now tells it. */
uint32_t receiver_linux_first_edge(const struct tcp_cfg *cfg);
uint32_t receiver_linux_edge(struct flow *f);
/* An ACK has been sent. */
void receiver_linux_sent(struct flow *f);
/* The timer of an ACK that waits has expired. */
void receiver_linux_expired(struct flow *f, int64_t t_ps);

#endif
