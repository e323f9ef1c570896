/* par.h - ranks: the only file that calls MPI is par.c; built with MPI=0 it is one rank and no-ops.
 *
 * All calls come from the main thread. Waiting polls and sleeps, since a rank that waits inside MPI burns a core.
 */
#ifndef SRC_PAR_H
#define SRC_PAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"

/* Starts MPI if a launcher started this process. Refuses a launch of N tasks that came up as N times one rank
 * (SLURM_NTASKS, OMPI_COMM_WORLD_SIZE). */
int par_start(int *argc, char ***argv, struct error *err);
void par_finish(void);
void par_abort(int status);
uint32_t par_rank(void);
uint32_t par_size(void);
uint32_t par_hosts(void);
uint32_t par_local_size(void); /* ranks on this host */

/* --- all ranks together, outside the work loop ------------------------------------------------------------------- */

/* Returns -1 on every rank if `rc` is not 0 on any, with *err of the lowest such rank. */
int par_agree(int rc, struct error *err);
void par_sum(double *values, size_t n);       /* element by element over all ranks, result everywhere */
void par_broadcast(void *data, size_t bytes); /* from rank 0 */
void par_barrier(void);

/* --- messages between ranks, inside the work loop ---------------------------------------------------------------- */

enum { PAR_MESSAGE_BYTES = 1 << 16 };

struct par_message {
    uint32_t source;
    int kind; /* caller's */
    size_t bytes;
    _Alignas(8) unsigned char data[PAR_MESSAGE_BYTES];
};

void par_send(uint32_t to, int kind, const void *data, size_t bytes); /* returns at once, the data are copied */
bool par_all_sent(void);                                              /* all that was sent has been received */
bool par_receive(struct par_message *message);                        /* false: nothing there */

/* A barrier to poll: between begin and done messages go on being received. */
void par_barrier_begin(void);
bool par_barrier_done(void);

#endif
