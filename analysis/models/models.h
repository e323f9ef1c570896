/* models.h - analytic throughput models: one file each, one row in the table.
 *
 * A model takes what is known of a path and a loss rate and gives goodput in bit/s, NaN outside its range of validity.
 */
#ifndef ANALYSIS_MODELS_H
#define ANALYSIS_MODELS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../kernels/cc/params_window.h"

struct scenario;

struct model_input {
    double mss_bytes;
    double header_bytes; /* added to the payload on the bottleneck link: IP, TCP, options, link overhead */
    double rtt_s;        /* without queueing: store and forward of one segment and its ACK */
    double loss;         /* p, per packet (or per loss event where the caller measured it) */
    double window_segs;  /* receive window, segments; INFINITY = none */
    double acks_per;     /* b: segments acknowledged per step of window growth, 1 or 2 */
    double rto_s;        /* T0 */
    double link_bps;     /* bottleneck rate; INFINITY = none */
    const char *cc;      /* congestion control and recovery by registry name; NULL = halving on loss, +1 per RTT */
    const char *recovery;
    struct cc_window_params window; /* parameters of the congestion control that `cc` names */
};

struct model {
    const char *name;   /* HDF5: /model_NAME */
    const char *source; /* paper or RFC section */
    const char *help;   /* one line, with the range outside which the model gives NaN */
    double (*goodput_bps)(const struct model_input *in);
};

extern const struct model *const model_table[]; /* NULL at the end */

/* Input for a scenario of one TCP flow; returns -1 where no model applies (several flows, no TCP, time-varying links
 * ...). */
int model_input_from_scenario(const struct scenario *sc, struct model_input *out);

/* For the models themselves: */

/* Probability that a packet of `bytes` meets a bit error. */
double model_packet_error_rate(double ber, double bytes);
/* Most payload the bottleneck carries, bit/s. */
double model_link_limit_bps(const struct model_input *in);
/* Packets that fill the path without a queue. */
double model_pipe_segs(const struct model_input *in);
/* Whether a loss that is noticed by duplicate ACKs leaves the window above one segment. */
bool model_has_fast_recovery(const struct model_input *in);
/* Whether the flow halves its window on a loss (fast recovery) and grows by one segment a round trip. */
bool model_halves(const struct model_input *in);
/* segments_per_s as payload bit/s, or NaN if the bottleneck cannot carry it (losses would then come from its queue). */
double model_below_link(const struct model_input *in, double segments_per_s);

#endif
