/* params_recovery.h - settings of the recovery schemes that tag segments; embedded in tcp_cfg. The comment behind each
 * field is its sweep-file key. */
#ifndef KERNELS_RECOVERY_PARAMS_RECOVERY_H
#define KERNELS_RECOVERY_PARAMS_RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

enum prr_variant { PRR_RFC9937, PRR_RFC6937_SSRB, PRR_RFC6937_CRB, PRR_LINUX, PRR_NS3 };

struct recovery_params {
    enum prr_variant prr;        /* prr: rfc9937 | rfc6937_ssrb | rfc6937_crb | linux | ns3 */
    bool frto;                   /* frto: RFC 5682 with SACK: a timeout is spurious if an original arrives */
    bool undo_dsack;             /* undo_dsack: a reduction is undone when all copies are reported as duplicates */
    bool undo_eifel;             /* undo_eifel: or when an ACK echoes a timestamp older than the first copy's */
    bool tlp;                    /* tlp: tail loss probes (rack_tlp) */
    int64_t tlp_ack_delay_ps;    /* tlp_ack_delay: added to a probe's timeout when one segment is out */
    int64_t rack_timer_slack_ps; /* rack_timer_slack: added to RACK's reordering timer, and to a probe's timeout when
                                    several segments are out */
};

#endif
