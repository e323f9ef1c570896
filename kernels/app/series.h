/* series.h - TCP applications that write so many bytes at given times, boundaries of writes kept.
 *
 * The series of writes is gone through twice: by the sender, who cuts them into segments when there is room, and by the
 * receiver, who measures each write's delay when its last byte has arrived in order.
 */
#ifndef KERNELS_APP_SERIES_H
#define KERNELS_APP_SERIES_H

#include "../tcp.h"

/* Hooks of app_ops for those that have next_write; an empty cursor is brought to the first write. */
bool series_is_uniform(const struct app_cfg *app, const struct tcp_cfg *tcp);
void series_on_open(struct sim *s, struct flow *f);
void series_on_starved(struct sim *s, struct flow *f);
void series_on_timer(struct sim *s, struct flow *f);
void series_next_record(struct flow *f);

#endif
