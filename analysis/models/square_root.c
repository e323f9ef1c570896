/* square_root.c - the square-root formula, sqrt(3/(2bp)) segments a round trip: the periodic sawtooth for small p.
 *
 * Range as for kurose_ross, but with delayed ACKs (b = 2) too.
 */
#include "models.h"

#include <math.h>

static double goodput(const struct model_input *in)
{
    if (!(in->loss > 0 && in->loss <= 0.01) || !model_halves(in))
        return NAN;
    double peak = sqrt(8 / (3 * in->acks_per * in->loss));
    if (peak > 1.1 * in->window_segs)
        return NAN;
    return model_below_link(in, 0.75 * peak / in->rtt_s);
}

const struct model model_square_root = {
    .name = "square_root",
    .source = "Mathis, Semke, Mahdavi, Ott 1997 (periodic loss)",
    .help = "sqrt(3/(2bp)) segments per round trip; 0 < p <= 0.01, peak window <= 1.1 receive window",
    .goodput_bps = goodput,
};
