/* scalable.c - Scalable TCP. */
#include "response.h"

#include <math.h>

static double goodput(const struct model_input *in)
{
    double window = response_scalable(in->loss, in->window.scalable_a, in->window.scalable_b);
    if (!(in->loss > 0 && in->loss <= 0.01) || !response_is_of(in, "scalable") ||
        window < in->window.scalable_low_window)
        return NAN;
    return response_goodput_bps(in, window, 1 / (1 - in->window.scalable_b / 2));
}

const struct model model_scalable = {
    .name = "scalable",
    .source = "Kelly, CCR 33(2), 2003",
    .help = "a(1-p)/(bp) segments per round trip; cc scalable, p <= 0.01, above its low window, peak window <= 1.1 "
            "receive window",
    .goodput_bps = goodput,
};
