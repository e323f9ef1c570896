/* cubic.c - CUBIC: its cubic region, or Reno where that is faster.
 *
 * Losses evenly spaced and no fast convergence are assumed. */
#include "response.h"

#include <math.h>

static double goodput(const struct model_input *in)
{
    if (!(in->loss > 0 && in->loss <= 0.01) || !response_is_of(in, "cubic"))
        return NAN;
    double c = in->window.cubic_c, beta = in->window.cubic_beta;
    double window = response_cubic(in->loss, in->rtt_s, c, beta);
    if (in->window.cubic_reno_friendly)
        window = fmax(window, response_reno(in->loss, 1));
    return response_goodput_bps(in, window, 4 / (3 + beta));
}

const struct model model_cubic = {
    .name = "cubic",
    .source = "RFC 9438 equations 3 and 5",
    .help = "1.054 (RTT/p)^(3/4) segments per round trip, at least Reno's; cc cubic, 0 < p <= 0.01, peak window <= 1.1 "
            "receive window",
    .goodput_bps = goodput,
};
