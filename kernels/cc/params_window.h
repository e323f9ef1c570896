/* params_window.h - parameters of the congestion controls that react to loss: part of tcp_cfg, one sweep key each (tcp.NAME). */
#ifndef KERNELS_CC_PARAMS_WINDOW_H
#define KERNELS_CC_PARAMS_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/* The comment gives the default and its source; src/params.def has key, range and help. */
struct cc_window_params {
    double aimd_a, aimd_b; /* aimd_a (1), aimd_b (0.5, what remains): RFC 9438 section 4 */
};

#endif
