/* transfer.h - one file on its way over TCP: cut into segments, and the time it takes. */
#ifndef KERNELS_APP_TRANSFER_H
#define KERNELS_APP_TRANSFER_H

#include "../tcp.h"

/* A file of so many bytes is due at at_ps, its completion time's begin; it may be sent from now on. */
void transfer_begin(struct sim *s, struct flow *f, int64_t at_ps, uint64_t bytes);
/* on_starved: the file's next segment. */
void transfer_on_starved(struct sim *s, struct flow *f);
/* on_acknowledged: whether the file's last byte is acknowledged for the first time; it is counted. */
bool transfer_is_done(struct sim *s, struct flow *f);
/* A file that comes after another has more short segments than its last only while both are out: none. */
uint64_t transfer_short_segments(const struct app_cfg *app, uint64_t window_bytes);

#endif
