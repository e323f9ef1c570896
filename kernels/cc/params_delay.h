/* params_delay.h - parameters of the congestion controls that look at delay or bandwidth: part of tcp_cfg, one sweep
 * key each (tcp.NAME). */
#ifndef KERNELS_CC_PARAMS_DELAY_H
#define KERNELS_CC_PARAMS_DELAY_H

#include <stdbool.h>
#include <stdint.h>

enum vegas_a_diff { VEGAS_A_INT, VEGAS_A_REAL };
enum newjersey_mode { NEWJERSEY_SEED, NEWJERSEY_PAPER };

/* The comment gives the default and its source; src/params.def has key, range and help. */
struct cc_delay_params {
    double vegas_alpha, vegas_beta, vegas_gamma; /* 1, 3, 1 packets: Brakmo and Peterson 1995; Linux has 2, 4, 1 */
    bool vegas_reroute_fix;                      /* false; La, Walrand, Anantharam 1998, as are the next five */
    uint32_t vegas_reroute_k;                    /* 200: plain Vegas for so many segments */
    uint32_t vegas_reroute_n;                    /* 20: RTT samples in a block */
    uint32_t vegas_reroute_l;                    /* 3: blocks in a row whose least RTT is too high */
    double vegas_reroute_delta;                  /* 0.1: how much too high, part of the base RTT */
    double vegas_reroute_gamma;                  /* 2 packets: most that may be queued meanwhile */
    enum vegas_a_diff vegas_a_diff;              /* int: ns-2's rounding */
    double vegas_a_eps;                          /* 0: by which part throughput must differ to count as different */
    int64_t vegas_a_jitter_ps;                   /* 10 us: of the RTT that throughput is computed from */
    uint32_t vegas_plus_count_max;               /* 8: Hasegawa, Kurata, Murata 2000 */
    double veno_beta;                            /* 3 packets: Fu and Liew 2003 */
    double cerl_a;                               /* 0.55: El-Ocla 2010 */
    enum newjersey_mode newjersey_mode;          /* seed: what three duplicates do with and without a mark */
    int64_t ledbat_target_ps;                    /* 100 ms: RFC 6817 */
    double ledbat_gain;                          /* 1: RFC 6817 */
    double dctcp_g;                              /* 1/16: RFC 8257 */
};

#endif
