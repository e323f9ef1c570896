/* mathis_random.c - the square-root formula for independent losses, 1.31/sqrt(bp) segments a round trip.
 *
 * 1.31 is the mean of the window's stationary distribution when each packet is lost on its own. Range as square_root.
 */
#include "response.h"

#include <math.h>

static double goodput(const struct model_input *in)
{
    if (!(in->loss > 0 && in->loss <= 0.01) || !model_halves(in))
        return NAN;
    return response_goodput_bps(in, 1.31 / sqrt(in->acks_per * in->loss), 4.0 / 3);
}

const struct model model_mathis_random = {
    .name = "mathis_random",
    .source = "Mathis, Semke, Mahdavi, Ott 1997 (random loss); Ott, Kemperman, Mathis 1996",
    .help = "1.31/sqrt(bp) segments per round trip; 0 < p <= 0.01, peak window <= 1.1 receive window",
    .goodput_bps = goodput,
};
