/* signals.h - asked to stop: SIGUSR1 (from Slurm before the time limit), SIGTERM, SIGINT. The only global state of
 * src/: a signal handler has no other place for it. */
#ifndef SRC_SIGNALS_H
#define SRC_SIGNALS_H

/* From now on these signals are noted; a second SIGINT ends the program at once. */
void signals_install(void);

/* The signal that came, 0 if none. */
int signals_received(void);

#endif
