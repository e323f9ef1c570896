/* kurose_ross.c - one loss per sawtooth: window from W/2 to W by one segment a round trip, inverted exactly.
 *
 * A cycle carries 3/8 W^2 + 3/4 W = 1/p segments and the mean window is 3/4 W. Range: p at most 1 %, no delayed ACK,
 * and the peak W at most 10 % above the receive window (a peak cut off by 10 % costs 1 %).
 */
#include "models.h"

#include <math.h>

static double goodput(const struct model_input *in)
{
    if (!(in->loss > 0 && in->loss <= 0.01) || in->acks_per != 1 || !model_halves(in))
        return NAN;
    double peak = -1 + sqrt(1 + 8 / (3 * in->loss));
    if (peak > 1.1 * in->window_segs)
        return NAN;
    return model_below_link(in, 0.75 * peak / in->rtt_s);
}

const struct model model_kurose_ross = {
    .name = "kurose_ross",
    .source = "Kurose and Ross, Computer Networking, 3.7",
    .help =
        "0.75 W per round trip from p = 1/(3/8 W^2 + 3/4 W); 0 < p <= 0.01, no delayed ACK, W <= 1.1 receive window",
    .goodput_bps = goodput,
};
