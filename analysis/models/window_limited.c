/* window_limited.c - a window of whole segments each round trip, or the link if that is less.
 *
 * The window is cut to whole segments and the RTT holds the store-and-forward times, as in a real stack: seed 000 has
 * 44 x 1460 B / 104.1 ms. Range: a loss costs about W^2/8 segments, so below p W^2 = 0.08 losses cost less than 1 %.
 */
#include "models.h"

#include <math.h>

static double goodput(const struct model_input *in)
{
    double window = fmin(floor(in->window_segs), model_pipe_segs(in));
    if (in->loss * window * window > 0.08)
        return NAN;
    return fmin(floor(in->window_segs) * in->mss_bytes * 8 / in->rtt_s, model_link_limit_bps(in));
}

const struct model model_window_limited = {
    .name = "window_limited",
    .source = "W/RTT",
    .help = "receive window per round trip, at most the link; almost no loss (p W^2 <= 0.08)",
    .goodput_bps = goodput,
};
