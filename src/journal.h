/* journal.h - finished replications on disk while a sweep runs: one append-only file a rank.
 *
 * OUT.h5.journal/shard-I-of-N.rank-R.jrn: a header (format, record layout, seed, program version), then records with a
 * length and an XXH3 check each. One write() a batch, fdatasync about every second. A torn tail is cut; anything else
 * that does not check is reported with its place. The byte layout is in journal_format.h.
 */
#ifndef SRC_JOURNAL_H
#define SRC_JOURNAL_H

#include "sweep.h"

struct record {
    struct hash128 scenario;
    uint32_t replication;
    uint32_t status;      /* enum sim_status */
    uint32_t nflows;      /* rows of flow values that follow; 0 for a single flow, whose values are `all` */
    uint32_t cpu_us;      /* what it cost; not part of the results */
    const double *values; /* METRIC_COUNT values of all flows together, then nflows rows of METRIC_COUNT */
};

struct journal; /* one rank's open file */

/* Creates or continues OUT.h5.journal/shard-I-of-N.rank-R.jrn; refuses one of another seed, layout or version by name.
 * The caller holds the shard's lock. */
int journal_open(struct journal **out, const char *output, uint32_t shard, uint32_t nshards, uint32_t rank,
                 uint64_t seed, struct error *err);
/* Adds a record to the batch; writes the batch when it is large or a second old, and makes it durable about every
 * second. Caller serialises. After an error the file still ends with a whole record and what did not fit stays in the
 * batch, so that a later call may succeed. */
int journal_append(struct journal *journal, const struct record *record, struct error *err);
/* Writes what is batched and makes it durable. */
int journal_sync(struct journal *journal, struct error *err);
/* journal_sync, then frees all, also when that fails. NULL is allowed. */
int journal_close(struct journal *journal, struct error *err);

/* All journals of an output, read-only (mapped): torn tails ignored, duplicates that are equal counted once (cpu_us
 * aside), duplicates that differ and damage in the middle reported. No journal folder is an empty set. 24 bytes of
 * memory a record; the values stay in the page cache. */
struct journal_set;
int journal_set_open(struct journal_set **out, const char *output, uint64_t seed, struct error *err);
void journal_set_close(struct journal_set *set);
uint64_t journal_set_count(const struct journal_set *set);
double journal_set_cpu_s(const struct journal_set *set); /* CPU seconds of all records, second copies left out */
/* Finds one replication. False if it is not there. Thread-safe. `values` points into the set. */
bool journal_set_find(const struct journal_set *set, struct hash128 scenario, uint32_t replication, struct record *out);

/* Path of a file in the output's journal folder, or of the folder itself (file NULL). */
void journal_path(char *path, size_t size, const char *output, const char *file);
/* Makes OUT.h5.journal if it is not there. */
int journal_make_folder(const char *output, struct error *err);
/* Whether OUT.h5.journal holds any records file. */
bool journal_exists(const char *output);
/* Removes OUT.h5.journal and all in it. */
int journal_discard(const char *output, struct error *err);

/* Our own lock, since file systems differ: OUT.h5.journal/NAME (shard-I-of-N.lock, merge.lock) made with O_EXCL,
 * holding host, pid, the process's start time and the Slurm job. One left by a dead process of this host, or by an
 * earlier start of the same (requeued) job, is taken over. A process that ends without lock_release leaves it to that
 * rule. */
struct lock;
int lock_acquire(struct lock **out, const char *output, const char *name, struct error *err);
void lock_release(struct lock *lock);

#endif
