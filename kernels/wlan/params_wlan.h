/* params_wlan.h - settings of an IEEE 802.11 radio medium; the comment behind each field begins with its key. */
#ifndef KERNELS_WLAN_PARAMS_WLAN_H
#define KERNELS_WLAN_PARAMS_WLAN_H

#include <stdbool.h>
#include <stdint.h>

enum wlan_topology { WLAN_OFF, WLAN_CHAIN, WLAN_STAR };
enum wlan_hidden { WLAN_HIDDEN_NONE, WLAN_HIDDEN_HALVES, WLAN_HIDDEN_ALL };
enum wlan_rules { WLAN_IEEE, WLAN_NS2 };

struct wlan_cfg {
    enum wlan_topology topology; /* wlan: off | chain | star; the link stands for the whole medium */
    uint32_t hops;               /* wlan_hops: of a chain; FORWARD from its first node to its last */
    enum wlan_hidden hidden;     /* wlan_hidden: stations of a star that do not hear each other */
    enum wlan_rules rules;       /* wlan_rules: ieee | ns2, see wlan.h */
    bool rts;                    /* wlan_rts: every data frame is announced by RTS and CTS */
    bool capture;                /* wlan_capture: a frame survives a later one that is 10 dB weaker */
    double basic_bps;            /* wlan_basic_rate: of RTS, CTS and ACK */
    uint32_t header_bytes;       /* wlan_header: MAC header and checksum of a data frame */
    uint32_t short_retries;      /* wlan_short_retry: transmissions of an RTS, or of data without RTS, until given up */
    uint32_t long_retries;       /* wlan_long_retry: transmissions of data behind an RTS until given up */
    uint32_t cw_min, cw_max;     /* wlan_cw_min, wlan_cw_max: backoff is uniform in 0 .. window, slots */
    int64_t slot_ps, sifs_ps;    /* wlan_slot, wlan_sifs */
    int64_t preamble_ps;         /* wlan_preamble: and physical header of each frame */
    double frame_loss;           /* wlan_frame_loss: of data frames at each hop, before retries */
};

#endif
