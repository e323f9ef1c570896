/* units.h - quantities as people write them: `10 Mbit/s`, `50 ms`, `64 KiB`, `100 packets`, `1 %`.
 *
 * Values are SI: seconds, bit/s, bytes. k, M, G, T are powers of 1000, Ki, Mi, Gi powers of 1024; `KB` means 1000
 * bytes.
 */
#ifndef SRC_UNITS_H
#define SRC_UNITS_H

#include <stddef.h>

enum unit { UNIT_NONE, UNIT_TIME, UNIT_RATE, UNIT_BYTES, UNIT_PACKETS, UNIT_SEGMENTS, UNIT_BDP, UNIT_COUNT };

#define UNIT_BIT(unit) (1u << (unit))

struct quantity {
    double value;
    enum unit unit;
};

/* Reads one quantity whose unit is in the mask `allowed` (of UNIT_BIT). Decimal prefixes are applied to the decimal
 * text, so `1.1 Mbit/s` and `1100 kbit/s` give the same double. On failure returns -1 and says what is wrong and what
 * was expected in `why`. */
int units_parse(const char *text, unsigned allowed, struct quantity *out, char *why, size_t size);

/* Length of the number at the start of `text` (sign, digits, point, exponent), 0 if there is none. */
size_t units_number_length(const char *text);

/* The quantity in human units: whole numbers in full, others to six digits. */
void units_format(struct quantity q, char *text, size_t size);

/* Examples of the units in a mask, for messages: `a time such as 50 ms`. */
void units_examples(unsigned allowed, char *text, size_t size);

const char *units_name(enum unit unit);    /* `bytes`, `packets`, `a time` */
const char *units_udunits(enum unit unit); /* `s`, `bit s-1`, `byte`, `1` */

#endif
