/* setup.h - lays an instance out in memory. */
#ifndef KERNELS_SETUP_H
#define KERNELS_SETUP_H

#include "instance.h"

/* The instance, ready to run, at the start of `memory`. */
struct sim *setup_instance(const struct scenario *sc, struct sim_key key, void *memory);

#endif
