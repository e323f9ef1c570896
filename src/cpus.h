/* cpus.h - which CPUs this process may use, and how many threads follow from that. */
#ifndef SRC_CPUS_H
#define SRC_CPUS_H

#include <stddef.h>
#include <stdint.h>

uint32_t cpus_allowed(void);
void cpus_text(char *text, size_t size); /* `0-3,8` */

/* Threads for one of `local_ranks` ranks of this host: OMP_NUM_THREADS, else SLURM_CPUS_PER_TASK, else the allowed
 * CPUs, shared between the ranks if they are not bound to CPUs of their own. */
uint32_t cpus_default_threads(uint32_t local_ranks);

#endif
