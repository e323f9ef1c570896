/* response.h - response functions of congestion controls: the mean window in segments at a loss rate.
 *
 * Losses are evenly spaced, 1/p segments apart, unless said otherwise; none knows a receive window or timeouts.
 */
#ifndef ANALYSIS_RESPONSE_H
#define ANALYSIS_RESPONSE_H

#include "models.h"

/* sqrt(3/(2bp)): Reno with one ACK for b segments. */
double response_reno(double p, double acks_per);
/* a segments a round trip, part b of the window kept: RFC 9438 equation 3. */
double response_aimd(double p, double a, double b);
/* RFC 9438 equation 5, beta the part of the window kept; without the region in which it is Reno. */
double response_cubic(double p, double rtt_s, double c, double beta);
/* RFC 3649 section 5: 0.12/p^0.835, Reno's from p = 1e-3 on. */
double response_highspeed(double p);
/* Kelly 2003: a segments for each acknowledged, part b of the window lost. */
double response_scalable(double p, double a, double b);
/* Xu, Harfoush, Rhee 2004: additive rounds of smax, then a binary search down to smin; d the part of the window lost.
 */
double response_bic(double p, double smax, double smin, double d);

/* A window of so many segments as goodput; NaN where the receive window would cut its peak, which is `peak` times the
 * mean, or the bottleneck can't carry it. */
double response_goodput_bps(const struct model_input *in, double window_segs, double peak);
/* Whether a congestion control runs with a recovery that keeps its window going. */
bool response_is_of(const struct model_input *in, const char *cc);

#endif
