/* sack_compact.c - the compact SACK option of Srijith, Jacob and Ananda, ICCS 2002.
 *
 * byte 0 kind 5, byte 1 length of the option, byte 2 X = bits of an offset, bytes 3-6 the right edge A of the first
 * block; then, packed without gaps, the left edge of block 1 and right and left edge of each further one, as X-bit
 * distances below A modulo 2^32; zero bits up to a whole byte. X is the bit length of the largest distance.
 *
 * Ours: X is at least 8, so that the zero bits at the end (at most 7) can't pass for one more offset. A block above A
 * (a retransmission filled a low hole) makes a distance wrap and X 32: right, but no better than RFC 2018.
 */
#include "sack_compact.h"

#include <string.h>

enum { KIND = 5, HEAD_BYTES = 7, BITS_LEAST = 8 };

uint32_t sack_compact_bits(uint32_t largest)
{
    uint32_t bits = largest ? 32 - (uint32_t)__builtin_clz(largest) : 0;
    return bits > BITS_LEAST ? bits : BITS_LEAST;
}

uint32_t sack_compact_bytes(uint32_t n, uint32_t bits)
{
    return HEAD_BYTES + ((2 * n - 1) * bits + 7) / 8;
}

/* Writes the low `bits` bits of value from bit `at` on; the bits there are zero. */
static void put_bits(uint8_t *byte, uint32_t at, uint32_t bits, uint32_t value)
{
    for (uint32_t left = bits; left > 0;) {
        uint32_t room = 8 - at % 8, n = left < room ? left : room;
        uint32_t part = value >> (left - n) & ((1u << n) - 1);
        byte[at / 8] = (uint8_t)(byte[at / 8] | part << (room - n));
        at += n;
        left -= n;
    }
}

static uint32_t get_bits(const uint8_t *byte, uint32_t at, uint32_t bits)
{
    uint32_t value = 0;
    for (uint32_t left = bits; left > 0;) {
        uint32_t room = 8 - at % 8, n = left < room ? left : room;
        value = value << n | (byte[at / 8] >> (room - n) & ((1u << n) - 1));
        at += n;
        left -= n;
    }
    return value;
}

/* How many of the first n blocks fit, and in how many bits an offset. */
static uint32_t fitting(const struct sack_block *blocks, uint32_t n, uint32_t room, uint32_t *bits)
{
    uint32_t largest = 0, fit = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t right = blocks[0].right - blocks[i].right, left = blocks[0].right - blocks[i].left;
        largest = right > largest ? right : largest;
        largest = left > largest ? left : largest;
        if (sack_compact_bytes(i + 1, sack_compact_bits(largest)) > room)
            break;
        *bits = sack_compact_bits(largest);
        fit = i + 1;
    }
    return fit;
}

uint32_t sack_compact_encode(struct sack_compact *option, const struct sack_block *blocks, uint32_t n, uint32_t room)
{
    uint32_t bits = 0, fit = fitting(blocks, n, room, &bits), at = 8 * HEAD_BYTES;
    memset(option, 0, sizeof *option);
    if (fit == 0)
        return 0;
    option->byte[0] = KIND;
    option->byte[1] = (uint8_t)sack_compact_bytes(fit, bits);
    option->byte[2] = (uint8_t)bits;
    put_bits(option->byte, 24, 32, blocks[0].right);
    for (uint32_t i = 0; i < fit; i++) {
        if (i > 0) {
            put_bits(option->byte, at, bits, blocks[0].right - blocks[i].right);
            at += bits;
        }
        put_bits(option->byte, at, bits, blocks[0].right - blocks[i].left);
        at += bits;
    }
    return fit;
}

uint32_t sack_compact_decode(const struct sack_compact *option, struct sack_block *blocks)
{
    uint32_t length = option->byte[1], bits = option->byte[2], at = 8 * HEAD_BYTES, n = 0;
    if (length < HEAD_BYTES || bits == 0)
        return 0;
    uint32_t offsets = 8 * (length - HEAD_BYTES) / bits, first = get_bits(option->byte, 24, 32);
    for (; n < (offsets + 1) / 2 && n < SACK_BLOCKS_MAX; n++) { /* an even one out would be padding */
        blocks[n].right = first;
        if (n > 0) {
            blocks[n].right -= get_bits(option->byte, at, bits);
            at += bits;
        }
        blocks[n].left = first - get_bits(option->byte, at, bits);
        at += bits;
    }
    return n;
}
