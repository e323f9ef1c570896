/* bic.c - BIC: additive rounds, then a binary search, between evenly spaced losses. */
#include "response.h"

#include <math.h>

static double goodput(const struct model_input *in)
{
    if (!(in->loss > 0 && in->loss <= 0.01) || !response_is_of(in, "bic"))
        return NAN;
    double window = response_bic(in->loss, in->window.bic_smax, in->window.bic_smin, in->window.bic_beta);
    return window < in->window.bic_low_window ? NAN
                                              : response_goodput_bps(in, window, 1 / (1 - in->window.bic_beta / 2));
}

const struct model model_bic = {
    .name = "bic",
    .source = "Xu, Harfoush, Rhee, INFOCOM 2004",
    .help = "additive rounds and binary search between losses; cc bic, p <= 0.01, above its low window, peak window <= "
            "1.1 receive window",
    .goodput_bps = goodput,
};
