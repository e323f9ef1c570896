/* packet.h - one packet on its way: 32 bytes, in the rings and on the stack of the walk. */
#ifndef KERNELS_PACKET_H
#define KERNELS_PACKET_H

#include <stdint.h>

enum {
    PACKET_ACK = 1, /* travels from receiver to sender */
    PACKET_SYN = 2,
    PACKET_FIN = 4,
    PACKET_UDP = 8, /* cross traffic: nothing comes back */
    PACKET_PING = 16,
    PACKET_OPEN = 32, /* a pure ACK from the active opener (of SYN-ACK or FIN): no data */
    PACKET_CE = 64,   /* data: marked on the way (RFC 3168) */
    PACKET_ECE = 64,  /* ACK: echoes such a mark */
    PACKET_CWR = 128, /* data: the sender has reduced its window because of an echo */
};

struct packet {
    int64_t t_ps;     /* when it is where it has got to */
    int64_t stamp_ps; /* data: when the sender sent it (TSval); ACK: the stamp echoed (TSecr) */
    uint32_t seq;     /* data: segment number; ACK: next segment expected */
    uint32_t payload; /* data: bytes; ACK: slot of its SACK report */
    union {
        uint32_t transmission; /* data: 1 = original, 2 = first retransmission ... */
        uint32_t arrival_us;   /* ACK: when it left, modulo 2^32, for flows that ask (f->wants_arrivals) */
        uint32_t edge;         /* ACK: first segment that the receive window has no room for (f->has_window) */
    };
    uint16_t bytes; /* IP packet on the wire */
    uint8_t flags;
    uint8_t sack_blocks; /* ACK: blocks in its report */
};

_Static_assert(sizeof(struct packet) == 32, "two packets a cache line");

#endif
