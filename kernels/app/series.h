/* series.h - TCP applications that write so many bytes at given times, boundaries of writes kept.
 *
 * The series of writes is gone through twice: by the sender, who cuts them into segments when there is room, and by the
 * receiver, who measures each write's delay when its last byte has arrived in order.
 */
#ifndef KERNELS_APP_SERIES_H
#define KERNELS_APP_SERIES_H

#include "../tcp.h"

/* Brings a cursor to the write after it. */
typedef void series_next(const struct flow *f, struct app_cursor *cursor);

bool series_is_uniform(const struct app_cfg *app, const struct tcp_cfg *tcp);
/* on_open: both begin; `next` brings an empty cursor to the first write. */
void series_open(struct sim *s, struct flow *f, series_next *next);
/* on_starved: cuts a segment of a write that is due, else sets the timer, else closes. */
void series_starved(struct sim *s, struct flow *f, series_next *next);
void series_on_timer(struct sim *s, struct flow *f);
/* next_record. */
void series_next_record(struct flow *f, series_next *next);

#endif
