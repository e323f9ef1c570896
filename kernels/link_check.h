/* link_check.h - what follows from error_params before a run: contradictions, and whether anything is drawn. */
#ifndef KERNELS_LINK_CHECK_H
#define KERNELS_LINK_CHECK_H

#include "scenario.h"

/* Part of scenario_check: NULL, or one line. */
const char *link_check(const struct link_cfg *link, char *text, size_t size);

/* Whether a direction draws random numbers beside those of the error models and stations. */
bool link_is_random(const struct channel_cfg *channel);

#endif
