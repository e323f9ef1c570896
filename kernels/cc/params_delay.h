/* params_delay.h - parameters of the congestion controls that look at delay or bandwidth: part of tcp_cfg, one sweep key each (tcp.NAME). */
#ifndef KERNELS_CC_PARAMS_DELAY_H
#define KERNELS_CC_PARAMS_DELAY_H

#include <stdbool.h>
#include <stdint.h>

/* The comment gives the default and its source; src/params.def has key, range and help. */
struct cc_delay_params {
    double vegas_alpha, vegas_beta, vegas_gamma; /* vegas_alpha (1), vegas_beta (3), vegas_gamma (1) packets: Brakmo and Peterson 1995 */
};

#endif
