/* response.c - see response.h. */
#include "response.h"

#include <math.h>
#include <string.h>

double response_reno(double p, double acks_per)
{
    return sqrt(1.5 / (acks_per * p));
}

double response_aimd(double p, double a, double b)
{
    return sqrt(a * (1 + b) / (2 * (1 - b) * p));
}

double response_cubic(double p, double rtt_s, double c, double beta)
{
    return pow(c * (3 + beta) / (4 * (1 - beta)), 0.25) * pow(rtt_s / p, 0.75);
}

double response_highspeed(double p)
{
    return p < 1e-3 ? 0.12 / pow(p, 0.835) : response_reno(p, 1);
}

double response_scalable(double p, double a, double b)
{
    return a / b * (1 - p) / p;
}

/* Segments sent, and rounds, in a cycle that ends at window w. */
static double bic_cycle(double w, double smax, double smin, double d, double *rounds)
{
    double additive = fmax(ceil(d * w / smax) - 2, 0), rest = d * w - additive * smax;
    double search = fmax(log2(rest / smin) + 2, 1);
    *rounds = additive + search;
    return additive / 2 * (2 * w * (1 - d) + (additive - 1) * smax) + w * search - 2 * rest + smin;
}

double response_bic(double p, double smax, double smin, double d)
{
    double low = 1, high = 1e9, rounds = 1;
    for (int i = 0; i < 200; i++) {
        double middle = sqrt(low * high);
        if (bic_cycle(middle, smax, smin, d, &rounds) < 1 / p)
            low = middle;
        else
            high = middle;
    }
    return bic_cycle(low, smax, smin, d, &rounds) / rounds;
}

double response_goodput_bps(const struct model_input *in, double window_segs, double peak)
{
    if (peak * window_segs > 1.1 * in->window_segs)
        return NAN;
    return model_below_link(in, window_segs / in->rtt_s);
}

bool response_is_of(const struct model_input *in, const char *cc)
{
    return in->cc && strcmp(in->cc, cc) == 0 && model_has_fast_recovery(in);
}
