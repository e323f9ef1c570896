/* replicate.h - when a point has enough replications.
 *
 * Looks at n = min, x 1.5 rounded up, ... and at max; decides on replications 0 .. n-1 only, so that neither the number
 * of threads nor the order of finishing can change what enters the file. The scheduler asks it what to run next, the
 * merge what to use: one rule, one place.
 */
#ifndef SRC_REPLICATE_H
#define SRC_REPLICATE_H

#include "sweep.h"

enum stop_reason { STOP_NONE, STOP_TARGET, STOP_MAX, STOP_FIXED, STOP_DETERMINISTIC, STOP_TIME };
extern const char *const stop_reason_text[]; /* "", target, max, fixed, deterministic, time */

struct summary {
    uint64_t n;        /* finite values */
    double mean, sd;   /* sd: n - 1; NaN below two values */
    double half_width; /* of the mean at the asked confidence, Student's t */
};

/* Mean, sd and half-width of values in order; NaN entries do not count. Numerically stable, same sum order always. */
struct summary summarise(const double *values, uint64_t n, double confidence);

/* First look after `n` replications are in (n = 0: the first look of all); max if there is no further one. */
uint32_t next_look(const struct replication_rule *rule, uint32_t n);

/* Decides at a look: `values` are the rule's metric of replications 0 .. n-1 (NaN where failed). */
enum stop_reason decide(const struct replication_rule *rule, bool random, const double *values, uint32_t n);

#endif
