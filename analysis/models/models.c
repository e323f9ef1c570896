/* models.c - the list of models, and what several of them need. A new model is its own file and one line here. */
#include "models.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define MODELS(MODEL)                                                                                                  \
    MODEL(window_limited)                                                                                              \
    MODEL(kurose_ross)                                                                                                 \
    MODEL(square_root)                                                                                                 \
    MODEL(rule_1_22)                                                                                                   \
    MODEL(pftk)                                                                                                        \
    MODEL(pftk_approx)                                                                                                 \
    MODEL(mathis_random)                                                                                               \
    MODEL(aimd)                                                                                                        \
    MODEL(cubic)                                                                                                       \
    MODEL(highspeed)                                                                                                   \
    MODEL(scalable)                                                                                                    \
    MODEL(bic)

#define DECLARE(name) extern const struct model model_##name;
MODELS(DECLARE)

#define ENTRY(name) &model_##name,
const struct model *const model_table[] = {MODELS(ENTRY) NULL};

double model_packet_error_rate(double ber, double bytes)
{
    return -expm1(8 * bytes * log1p(-ber));
}

double model_link_limit_bps(const struct model_input *in)
{
    return in->link_bps * in->mss_bytes / (in->mss_bytes + in->header_bytes);
}

double model_pipe_segs(const struct model_input *in)
{
    return in->link_bps * in->rtt_s / (8 * (in->mss_bytes + in->header_bytes));
}

bool model_has_fast_recovery(const struct model_input *in)
{
    return !in->recovery || (strcmp(in->recovery, "timeout_only") != 0 && strcmp(in->recovery, "tahoe") != 0);
}

bool model_halves(const struct model_input *in)
{
    return (!in->cc || strcmp(in->cc, "reno") == 0) && model_has_fast_recovery(in);
}

double model_below_link(const struct model_input *in, double segments_per_s)
{
    double bps = segments_per_s * in->mss_bytes * 8;
    return bps <= model_link_limit_bps(in) ? bps : NAN;
}
