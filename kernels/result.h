/* result.h - the metrics of a finished instance. */
#ifndef KERNELS_RESULT_H
#define KERNELS_RESULT_H

#include "instance.h"

/* Checks conservation and fills *result. */
void result_fill(struct sim *s, struct sim_result *result);

#endif
