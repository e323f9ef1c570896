/* formulas.h - what is reckoned besides goodput: transfers, retries on links, loss processes, buffers, segment sizes.
 */
#ifndef ANALYSIS_FORMULAS_H
#define ANALYSIS_FORMULAS_H

#include "models.h"

/* Cardwell, Savage, Anderson 2000: time in s to transfer `segments`, without handshake and the delayed ACK of the
 * first. */
struct transfer_time {
    double slow_start_segs; /* sent in slow start */
    double window_segs;     /* reached by then */
    double slow_start_s, loss_s, avoidance_s, all_s;
};
struct transfer_time formula_transfer(const struct model_input *in, double segments, double initial_window_segs);
/* Time of the three-way handshake; losses of the two directions below 1/2. */
double formula_handshake_s(double rtt_s, double first_rto_s, double loss_forward, double loss_reverse);

/* Altman, Avrachenkov, Barakat 2000: segments/s where each loss event multiplies the window by nu and the times between
 * them have the normalised covariances c0 and, at lag k, ck[k - 1]. */
double formula_altman_pps(const struct model_input *in, double nu, double c0, const double *ck, int n);

/* Retries on a link: at most `tries` of a frame, each lost with probability p. */
struct link_retries {
    double residual_loss, mean_tries, mean_tries_delivered;
    double rate_share; /* of the link's rate that is left */
};
struct link_retries formula_arq(double p, int tries);

/* Gilbert-Elliott. */
double formula_gilbert_bad(double p, double r);
double formula_gilbert_loss(double p, double r, double loss_good, double loss_bad);

/* Utilisation of a bottleneck by one flow that keeps part m of its window at a loss; buffer in bandwidth-delay
 * products. */
double formula_buffer_utilisation(double buffer, double m);
/* Buffer for n desynchronised flows, bytes (Appenzeller et al. 2004). */
double formula_buffer_bytes(double rate_bps, double rtt_s, double n);

/* Segment of the best efficiency on a full link with bit errors, and that efficiency. */
double formula_best_mss_bytes(double ber, double header_bytes);
double formula_link_efficiency(double ber, double mss_bytes, double header_bytes);

#endif
