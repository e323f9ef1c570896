/* pftk.c - Padhye, Firoiu, Towsley, Kurose: sawtooth, timeouts and receive window, the full form.
 *
 * Gives throughput as received (ToN section IV: numerator with W/2 and Q), not the send rate. Range: the fitted
 * 1e-4 <= p <= 0.2.
 */
#include "pftk.h"

#include <math.h>

/* Mean window at the end of a sawtooth without a receive window. */
static double unlimited_window(double p, double b)
{
    double c = (2 + b) / (3 * b);
    return c + sqrt(8 * (1 - p) / (3 * b * p) + c * c);
}

double pftk_timeout_share(double p, double w)
{
    double three = pow(1 - p, 3);
    return fmin(1, (1 - three) * (1 + three * (1 - pow(1 - p, w - 3))) / (1 - pow(1 - p, w)));
}

double pftk_backoff_sum(double p)
{
    return 1 + p * (1 + p * (2 + p * (4 + p * (8 + p * (16 + p * 32)))));
}

double pftk_segments_per_s(const struct model_input *in)
{
    double p = in->loss, b = in->acks_per;
    double window = unlimited_window(p, b);
    double rounds = b / 2 * window + 1;
    if (window >= in->window_segs) {
        window = in->window_segs;
        rounds = b / 8 * window + (1 - p) / (p * window) + 2;
    }
    double q = pftk_timeout_share(p, window);
    double segments = (1 - p) / p + window / 2 + q;
    return segments / (in->rtt_s * rounds + q * pftk_backoff_sum(p) * in->rto_s / (1 - p));
}

static double goodput(const struct model_input *in)
{
    if (!(in->loss >= 1e-4 && in->loss <= 0.2) || !model_halves(in))
        return NAN;
    return model_below_link(in, pftk_segments_per_s(in));
}

const struct model model_pftk = {
    .name = "pftk",
    .source = "Padhye, Firoiu, Towsley, Kurose, ToN 2000, section IV",
    .help = "full model with timeouts and receive window, rate received; 1e-4 <= p <= 0.2",
    .goodput_bps = goodput,
};
