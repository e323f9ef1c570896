/* models.h - analytic throughput models: one file each, one row in the table.
 *
 * A model takes what is known of a path and a loss rate and gives goodput in bit/s, NaN outside its range of validity.
 */
#ifndef ANALYSIS_MODELS_H
#define ANALYSIS_MODELS_H

#include <stdint.h>

struct scenario;

struct model_input {
    double mss_bytes, header_bytes;
    double rtt_s;            /* without queueing: store and forward of one segment and its ACK */
    double loss;             /* p, per packet (or per loss event where the caller measured it) */
    double window_segs;      /* receive window, segments; INFINITY = none */
    double acks_per;         /* b: segments per ACK, 1 or 2 */
    double rto_s;            /* T0 */
    double link_bps;         /* bottleneck rate */
};

struct model {
    const char *name;   /* HDF5: /model_NAME */
    const char *source; /* paper or RFC section */
    const char *help;
    double (*goodput_bps)(const struct model_input *in);
};

extern const struct model *const model_table[]; /* NULL at the end */

/* Input for a scenario of one TCP flow; returns -1 where no model applies (several flows, no TCP, time-varying links ...). */
int model_input_from_scenario(const struct scenario *sc, struct model_input *out);

#endif
