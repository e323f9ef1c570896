/* where.h - the condition that a point must meet to be part of the sweep.
 *
 *   links.backbone.queue >= 2 bdp or (tcp.mss < 1000 B and not flows.a.tcp.algorithm == vegas)
 *
 * and, or, not; < <= > >= == !=; + - * /; keys (or an axis' short name), numbers with units, names.
 */
#ifndef SRC_WHERE_H
#define SRC_WHERE_H

#include "sweep_internal.h"

/* -1 with the reason in `why`. */
int where_parse(struct sweep *s, const char *text, const struct where **out, char *why, size_t size);
/* Whether a point meets it. Thread-safe. */
bool where_holds(const struct sweep *s, uint64_t point);

#endif
