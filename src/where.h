/* where.h - the condition that a point must meet to be part of the sweep.
 *
 *   links.backbone.queue >= 2 bdp or (tcp.mss < 1000 B and not tcp.delayed_ack)
 *
 * and, or, not; < <= > >= == !=; + - * /; keys (or an axis' short name), numbers with units, names. Units are checked
 * when it is read. Packets, segments, bytes and bdp compare with each other: a packet is a full segment with headers,
 * a bdp the rate of the link in the comparison (else of the bottleneck) times the base RTT of the first flow.
 */
#ifndef SRC_WHERE_H
#define SRC_WHERE_H

#include "sweep_internal.h"

enum where_kind {
    WHERE_OR,
    WHERE_AND,
    WHERE_NOT,
    WHERE_LESS,
    WHERE_LESS_EQUAL,
    WHERE_MORE,
    WHERE_MORE_EQUAL,
    WHERE_EQUAL,
    WHERE_NOT_EQUAL,
    WHERE_NAME_EQUAL, /* a is a key, text the canonical text of a name */
    WHERE_NAME_NOT_EQUAL,
    WHERE_PLUS,
    WHERE_MINUS,
    WHERE_TIMES,
    WHERE_DIVIDE,
    WHERE_NUMBER,
    WHERE_KEY,
    WHERE_NAME, /* only until it meets the key that it is compared with */
};

struct where {
    enum where_kind kind;
    const struct where *a, *b;
    struct quantity number;
    struct key_ref key;
    const char *text;
    unsigned units; /* of a number or sum: mask of what its unit can be; 0 = a condition or a name */
};

/* Product of units: compares with plain numbers. */
enum { UNIT_DERIVED = UNIT_COUNT };

/* -1 with the reason in `why`. */
int where_parse(struct sweep *s, const char *text, const struct where **out, char *why, size_t size);
/* Whether a point meets it. Thread-safe. */
bool where_holds(const struct sweep *s, uint64_t point);

#endif
