/* params_atm.h - settings of a link that is an output port of an ATM switch. */
#ifndef KERNELS_STATION_PARAMS_ATM_H
#define KERNELS_STATION_PARAMS_ATM_H

#include <stdbool.h>
#include <stdint.h>

enum atm_policy { ATM_OFF, ATM_PLAIN, ATM_PPD, ATM_EPD };

struct atm_cfg {
    enum atm_policy policy; /* atm: off | plain | ppd | epd: which cells a full buffer loses */
    uint32_t cells;         /* atm_cells: buffer of the port for UBR, all VCs together */
    double epd_threshold;   /* atm_epd_threshold: part of the buffer from which on whole frames are refused (0.8) */
    double cbr_bps;         /* atm_cbr: rate of cells that go before all others (0) */
    double access_bps;      /* atm_access: rate of cells on each flow's own line into the switch; 0 = the link's */
    bool llc;               /* atm_llc: 8 bytes of LLC/SNAP in each frame (true) */
};

#endif
