/* pftk.h - parts of the full PFTK model that others use. */
#ifndef ANALYSIS_PFTK_H
#define ANALYSIS_PFTK_H

#include "models.h"

/* Probability that a loss in a window of w segments ends in a timeout. */
double pftk_timeout_share(double p, double w);
/* Length of a series of timeouts in T0, backing off to 64 T0. */
double pftk_backoff_sum(double p);
/* Rate received, for any p. */
double pftk_segments_per_s(const struct model_input *in);

#endif
