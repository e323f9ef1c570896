/* pftk_approx.c - the short form of Padhye et al. (eq. 30): a send rate, so slightly above goodput.
 *
 * Range as for the full form.
 */
#include "models.h"

#include <math.h>

static double goodput(const struct model_input *in)
{
    double p = in->loss, b = in->acks_per;
    if (!(p >= 1e-4 && p <= 0.2) || !model_halves(in))
        return NAN;
    double sawtooth_s = in->rtt_s * sqrt(2 * b * p / 3);
    double timeout_s = in->rto_s * fmin(1, 3 * sqrt(3 * b * p / 8)) * p * (1 + 32 * p * p);
    return model_below_link(in, fmin(in->window_segs / in->rtt_s, 1 / (sawtooth_s + timeout_s)));
}

const struct model model_pftk_approx = {
    .name = "pftk_approx",
    .source = "Padhye, Firoiu, Towsley, Kurose, SIGCOMM 1998, eq. 30",
    .help = "short form, send rate; 1e-4 <= p <= 0.2",
    .goodput_bps = goodput,
};
