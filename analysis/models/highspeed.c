/* highspeed.c - HighSpeed TCP. */
#include "response.h"

#include <math.h>

static double goodput(const struct model_input *in)
{
    if (!(in->loss > 0 && in->loss <= 0.01) || !response_is_of(in, "highspeed"))
        return NAN;
    return response_goodput_bps(in, response_highspeed(in->loss), 4.0 / 3);
}

const struct model model_highspeed = {
    .name = "highspeed",
    .source = "RFC 3649 section 5",
    .help = "0.12/p^0.835 segments per round trip, Reno from p = 1e-3 on; cc highspeed, p <= 0.01, peak window <= 1.1 "
            "receive window",
    .goodput_bps = goodput,
};
