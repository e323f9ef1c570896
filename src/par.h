/* par.h - ranks. The only file that calls MPI is par.c; built with MPI=0 it is one rank and no-ops. */
#ifndef SRC_PAR_H
#define SRC_PAR_H

#include <stdbool.h>
#include <stdint.h>
#include "error.h"

int par_start(int *argc, char ***argv, struct error *err); /* refuses N singletons (SLURM_NTASKS, OMPI_COMM_WORLD_SIZE against the size) */
void par_finish(void);
void par_abort(int status);
uint32_t par_rank(void);
uint32_t par_size(void);
uint32_t par_hosts(void);
#endif
