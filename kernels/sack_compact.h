/* sack_compact.h - the compact SACK option: more blocks in the same option space, by offsets of few bits. */
#ifndef KERNELS_SACK_COMPACT_H
#define KERNELS_SACK_COMPACT_H

#include "sack.h"

enum { SACK_OPTION_BYTES_MAX = 40 };

struct sack_compact {
    uint8_t byte[SACK_OPTION_BYTES_MAX]; /* as on the wire; byte[1] is the length */
};

/* Writes as many of the first n blocks (edges are bytes, modulo 2^32) as `room` bytes hold. Returns how many. */
uint32_t sack_compact_encode(struct sack_compact *option, const struct sack_block *blocks, uint32_t n, uint32_t room);

/* Reads them back, at most SACK_BLOCKS_MAX. Returns how many. */
uint32_t sack_compact_decode(const struct sack_compact *option, struct sack_block *blocks);

static inline uint32_t sack_compact_length(const struct sack_compact *option)
{
    return option->byte[1];
}

/* Bits of an offset: the least that hold `largest`, but not below 8 (see sack_compact.c). */
uint32_t sack_compact_bits(uint32_t largest);

/* Bytes of an option with n blocks and offsets of so many bits. */
uint32_t sack_compact_bytes(uint32_t n, uint32_t bits);

#endif
