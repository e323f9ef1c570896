/* rule_1_22.c - the rule of thumb 1.22 MSS/(RTT sqrt p), constant as commonly rounded.
 *
 * Range: p at most 2 %, an ACK per segment, mean window below the receive window.
 */
#include "models.h"

#include <math.h>

static double goodput(const struct model_input *in)
{
    if (!(in->loss > 0 && in->loss <= 0.02) || in->acks_per != 1 || !model_halves(in))
        return NAN;
    double window = 1.22 / sqrt(in->loss);
    if (window > in->window_segs)
        return NAN;
    return model_below_link(in, window / in->rtt_s);
}

const struct model model_rule_1_22 = {
    .name = "rule_1_22",
    .source = "Mathis, Semke, Mahdavi, Ott 1997, constant rounded",
    .help = "1.22 MSS/(RTT sqrt p); 0 < p <= 0.02, no delayed ACK, 1.22/sqrt p <= receive window",
    .goodput_bps = goodput,
};
