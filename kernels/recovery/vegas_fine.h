/* vegas_fine.h - decisions of Vegas's loss recovery as ns-2.35 has it: a timeout from exact send times, looked at with
 * each duplicate ACK and with the first two new ACKs after a retransmission.
 *
 * Times in ps, the estimator in real numbers as in ns-2.
 */
#ifndef KERNELS_RECOVERY_VEGAS_FINE_H
#define KERNELS_RECOVERY_VEGAS_FINE_H

#include <stdbool.h>
#include <stdint.h>

enum { VEGAS_WORRIED = 2 }; /* new ACKs after a retransmission that look for another loss */

struct vegas_fine {
    double mean_8, deviation_4; /* scaled by 8 and 4 */
    double timeout_ps;
    double window;  /* after the last cut, without the duplicates' inflation */
    int64_t cut_ps; /* time of the last cut; segments sent before it cost no other */
    uint32_t worried;
    bool has_ack;
    bool was_timeout; /* the last retransmission came from the coarse timer */
};

/* At the first ACK of a connection, `since_start_ps` after its first segment. */
static inline void vegas_fine_begin(struct vegas_fine *v, int64_t since_start_ps)
{
    v->has_ack = true;
    v->mean_8 = 8 * (double)since_start_ps;
    v->deviation_4 = (double)since_start_ps;
    v->timeout_ps = (v->mean_8 / 4 + v->deviation_4) / 2;
}

static inline void vegas_fine_sample(struct vegas_fine *v, int64_t rtt_ps)
{
    double n = (double)rtt_ps - v->mean_8 / 8;
    v->mean_8 += n;
    v->deviation_4 += (n < 0 ? -n : n) - v->deviation_4 / 4;
    v->timeout_ps = (v->mean_8 / 4 + v->deviation_4) / 2;
    v->timeout_ps += v->timeout_ps / 16;
}

static inline bool vegas_fine_is_over(const struct vegas_fine *v, int64_t age_ps)
{
    return v->has_ack && (double)age_ps >= v->timeout_ps;
}

/* After a retransmission. */
static inline void vegas_fine_back_off(struct vegas_fine *v, bool is_sent_again)
{
    v->timeout_ps += is_sent_again ? v->timeout_ps : v->timeout_ps / 8;
}

#endif
