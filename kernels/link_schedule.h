/* link_schedule.h - a link whose rate, delay or state changes at known times. */
#ifndef KERNELS_LINK_SCHEDULE_H
#define KERNELS_LINK_SCHEDULE_H

#include <stdbool.h>

#include "scenario.h"

struct link_now {
    double rate_bps;
    int64_t delay_ps;
    bool is_up;
    uint32_t step; /* next step */
};

/* Goes on to a time. */
void link_apply_steps(struct link_now *now, const struct channel_cfg *channel, int64_t t_ps);

/* Serves `bytes` from *start_ps on (moved past times when the link is down), integrating over rate changes. Returns the
 * end, or -1 if the link goes down meanwhile: *start_ps is then when it went down. */
int64_t link_serve(struct link_now *now, const struct channel_cfg *channel, int64_t *start_ps, uint32_t bytes);

#endif
