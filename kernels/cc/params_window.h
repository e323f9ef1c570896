/* params_window.h - parameters of the congestion controls that react to loss: part of tcp_cfg, one sweep key each
 * (tcp.NAME). */
#ifndef KERNELS_CC_PARAMS_WINDOW_H
#define KERNELS_CC_PARAMS_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

enum hystart_kind { HYSTART_OFF, HYSTART_LINUX, HYSTART_RFC9406 };

/* The comment gives the default and its source; src/params.def has key, range and help. */
struct cc_window_params {
    enum hystart_kind hystart;           /* hystart (off): early end of slow start, see hystart.h */
    double aimd_a, aimd_b;               /* aimd_a (1), aimd_b (0.5, what remains): RFC 9438 section 4 */
    double bic_smax, bic_smin;           /* bic_smax (32), bic_smin (0.01) segments an RTT: INFOCOM 2004 */
    double bic_beta;                     /* bic_beta (0.125), what is taken away */
    double bic_low_window;               /* bic_low_window (14) segments */
    double cubic_c, cubic_beta;          /* cubic_c (0.4) segments/s^3, cubic_beta (0.7, what remains): RFC 9438 */
    bool cubic_fast_convergence;         /* cubic_fast_convergence (true): RFC 9438 4.7 */
    bool cubic_reno_friendly;            /* cubic_reno_friendly (true): RFC 9438 4.3 */
    bool hstcp_table;                    /* hstcp_table (false): RFC 3649 appendix B instead of the formula */
    double scalable_a, scalable_b;       /* scalable_a (0.01), scalable_b (0.125, taken away): Kelly 2003 */
    double scalable_low_window;          /* scalable_low_window (16) segments */
    int64_t htcp_delta_l_ps;             /* htcp_delta_l (1 s): Leith and Shorten 2004 */
    double htcp_delta_b;                 /* htcp_delta_b (0.2) */
    double htcp_beta_min, htcp_beta_max; /* htcp_beta_min (0.5), htcp_beta_max (0.8) */
    bool htcp_rtt_scaling;               /* htcp_rtt_scaling (false; Linux true) */
    int64_t hybla_rtt0_ps;               /* hybla_rtt0 (25 ms): Caini and Firrincieli 2004 */
    double illinois_alpha_min, illinois_alpha_max; /* illinois_alpha_min (0.3), illinois_alpha_max (10): Liu 2006 */
    double illinois_beta_min, illinois_beta_max;   /* illinois_beta_min (0.125), illinois_beta_max (0.5) */
    double illinois_window;                        /* illinois_window (10; Linux 15) segments */
    uint32_t yeah_alpha;                           /* yeah_alpha (80) packets queued: Linux 6.1 */
    uint32_t yeah_phi, yeah_rho, yeah_zeta;        /* yeah_phi (8), yeah_rho (16), yeah_zeta (50) */
    double ctcp_alpha, ctcp_beta, ctcp_k;          /* ctcp_alpha (0.125), ctcp_beta (0.5), ctcp_k (0.75): Tan 2006 */
    double ctcp_gamma, ctcp_zeta;                  /* ctcp_gamma (30) packets, ctcp_zeta (1) */
    double ctcp_low_window;                        /* ctcp_low_window (38) segments */
    int64_t westwood_tau_ps;                       /* westwood_tau (500 ms): Mascolo 2001 */
    double fast_alpha, fast_gamma;                 /* fast_alpha (20) packets, fast_gamma (0.5): Wei 2006 */
    int64_t bbr_min_rtt_window_ps;                 /* bbr_min_rtt_window (10 s): Cardwell and others 2017 */
    int64_t bbr3_probe_rtt_interval_ps;            /* bbr3_probe_rtt_interval (5 s) */
    double bbr3_loss_threshold, bbr3_beta;         /* bbr3_loss_threshold (0.02), bbr3_beta (0.7, what remains) */
    double bbr3_headroom;                          /* bbr3_headroom (0.15) of the long-term bound */
};

#endif
