/* aimd.c - generalised AIMD: a segments a round trip, part b of the window kept at a loss. */
#include "response.h"

#include <math.h>

static double goodput(const struct model_input *in)
{
    if (!(in->loss > 0 && in->loss <= 0.01) || !response_is_of(in, "aimd"))
        return NAN;
    double window = response_aimd(in->loss, in->window.aimd_a, in->window.aimd_b);
    return response_goodput_bps(in, window, 2 / (1 + in->window.aimd_b));
}

const struct model model_aimd = {
    .name = "aimd",
    .source = "RFC 9438 equation 3",
    .help = "sqrt(a(1+b)/(2(1-b)p)) segments per round trip; cc aimd, 0 < p <= 0.01, peak window <= 1.1 receive window",
    .goodput_bps = goodput,
};
