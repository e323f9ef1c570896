/* formulas.c - see formulas.h. */
#include "formulas.h"

#include <math.h>

#include "pftk.h"

/* --- short transfers ---------------------------------------------------------------------------------------------- */

struct transfer_time formula_transfer(const struct model_input *in, double segments, double initial_window_segs)
{
    double p = in->loss, gamma = 1 + 1 / in->acks_per, first = initial_window_segs;
    struct transfer_time t = {.slow_start_segs = segments};
    double lossy = 1 - pow(1 - p, segments);
    if (p > 0)
        t.slow_start_segs = fmin(segments, lossy * (1 - p) / p + 1);
    double grown = t.slow_start_segs * (gamma - 1);
    t.window_segs = grown / gamma + first / gamma;
    if (t.window_segs <= in->window_segs)
        t.slow_start_s = in->rtt_s * log(grown / first + 1) / log(gamma);
    else
        t.slow_start_s =
            in->rtt_s * (log(in->window_segs / first) / log(gamma) + 1 +
                         (t.slow_start_segs - (gamma * in->window_segs - first) / (gamma - 1)) / in->window_segs);
    if (p > 0) {
        double share = pftk_timeout_share(p, t.window_segs);
        t.loss_s = lossy * (share * pftk_backoff_sum(p) * in->rto_s / (1 - p) + (1 - share) * in->rtt_s);
    }
    if (segments > t.slow_start_segs)
        t.avoidance_s = (segments - t.slow_start_segs) / pftk_segments_per_s(in);
    t.all_s = t.slow_start_s + t.loss_s + t.avoidance_s;
    return t;
}

double formula_handshake_s(double rtt_s, double first_rto_s, double loss_forward, double loss_reverse)
{
    return rtt_s + first_rto_s *
                       ((1 - loss_reverse) / (1 - 2 * loss_reverse) + (1 - loss_forward) / (1 - 2 * loss_forward) - 2);
}

/* --- losses ------------------------------------------------------------------------------------------------------- */

double formula_altman_pps(const struct model_input *in, double nu, double c0, const double *ck, int n)
{
    double sum = (1 + nu) / (2 * (1 - nu)) + c0 / 2, power = 1;
    for (int k = 0; k < n; k++)
        sum += (power *= nu) * ck[k];
    return sqrt(sum / (in->acks_per * in->loss)) / in->rtt_s;
}

struct link_retries formula_arq(double p, int tries)
{
    double residual = pow(p, tries), tried = (1 - residual) / (1 - p);
    double delivered = (1 - (tries + 1) * residual + tries * residual * p) / ((1 - p) * (1 - residual));
    return (struct link_retries){residual, tried, delivered, 1 / tried};
}

double formula_gilbert_bad(double p, double r)
{
    return p / (p + r);
}

double formula_gilbert_loss(double p, double r, double loss_good, double loss_bad)
{
    double bad = formula_gilbert_bad(p, r);
    return (1 - bad) * loss_good + bad * loss_bad;
}

/* --- buffers and segment sizes ------------------------------------------------------------------------------------ */

double formula_buffer_utilisation(double buffer, double m)
{
    if (buffer >= 1 / m - 1)
        return 1;
    double peak = 1 + buffer;
    return peak * peak * (1 - m * m) / 2 / (1 - m * peak + (peak * peak - 1) / 2);
}

double formula_buffer_bytes(double rate_bps, double rtt_s, double n)
{
    return rate_bps * rtt_s / 8 / sqrt(n);
}

double formula_best_mss_bytes(double ber, double header_bytes)
{
    double per_byte = -8 * log1p(-ber);
    return (header_bytes + sqrt(header_bytes * header_bytes + 4 * header_bytes / per_byte)) / 2 - header_bytes;
}

double formula_link_efficiency(double ber, double mss_bytes, double header_bytes)
{
    double bytes = mss_bytes + header_bytes;
    return mss_bytes / bytes * (1 - model_packet_error_rate(ber, bytes));
}
