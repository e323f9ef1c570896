/* codel_queue.h - CoDel's law (RFC 8289), one state for each queue that it looks after. */
#ifndef KERNELS_STATION_CODEL_QUEUE_H
#define KERNELS_STATION_CODEL_QUEUE_H

#include "port.h"

struct codel {
    int64_t first_above_ps; /* when the delay will have been too large for an interval; 0: it is not */
    int64_t drop_next_ps;
    uint32_t count, last_count; /* drops since dropping began, and how many that was at its last beginning */
    bool is_dropping;
};

/* The control law: the next drop's time after one at t_ps. */
int64_t codel_next_ps(int64_t t_ps, int64_t interval_ps, uint32_t count);

/* The next packet that CoDel lets through, dropping or marking on the way. False: the queue is empty. */
bool codel_pull(struct sim *s, const struct station *station, struct fifo *q, struct codel *c, struct guest *next);

#endif
