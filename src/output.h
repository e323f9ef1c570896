/* output.h - the output of a run before and after the work: nothing that is there is lost, nobody else writes to it,
 * and at the end the journals become OUT.h5. Rank 0 only. */
#ifndef SRC_OUTPUT_H
#define SRC_OUTPUT_H

#include "options.h"
#include "store.h"

/* Refuses an output or journal that is there without --resume or --force, and a folder that cannot be written; takes
 * the shard's lock, throws away old journals with --force, and makes new ones from a finished output with --resume. */
int output_prepare(const struct options *options, uint64_t seed, struct lock **lock, struct error *err);
/* Gives back the lock, and takes the journal folder away if nothing has come into it. NULL is allowed. */
void output_release(const struct options *options, struct lock *lock);

/* Makes OUT.h5, lists failed replications on stderr and removes the journals unless they are to be kept. */
int output_finish(const struct options *options, const struct sweep *sweep, struct provenance *prov,
                  struct store_outcome *outcome, struct error *err);

#endif
