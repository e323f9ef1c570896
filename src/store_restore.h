/* store_restore.h - a finished OUT.h5 without its journals can be gone on with: its replications become a journal
 * again. */
#ifndef SRC_STORE_RESTORE_H
#define SRC_STORE_RESTORE_H

#include "journal.h"

/* Appends the replications kept in OUT.h5 to a journal and counts them. None if it does not hold them as they were run:
 * with `keep: points`, or with several flows, whose own values it has no column for. Refuses an OUT.h5 of another seed
 * or program. */
int store_restore(const char *output, uint64_t seed, struct journal *journal, uint64_t *restored, struct error *err);

#endif
