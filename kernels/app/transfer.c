/* transfer.c - see transfer.h. */
#include "transfer.h"

#include "../histogram.h"

void transfer_begin(struct sim *s, struct flow *f, int64_t at_ps, uint64_t bytes)
{
    (void)s;
    f->app.file_start_ps = at_ps;
    f->app.file_bytes = bytes;
    f->app.bytes_cut = 0;
    f->app.file_end = UINT32_MAX; /* not yet cut */
    if (!f->is_uniform)
        return;
    f->available = f->app.file_end = f->available + (uint32_t)(bytes / f->cfg->mss_bytes);
    f->app.bytes_cut = bytes;
}

void transfer_on_starved(struct sim *s, struct flow *f)
{
    uint64_t left = f->app.file_bytes - f->app.bytes_cut;
    if (left == 0)
        return;
    uint32_t bytes = left < f->mss ? (uint32_t)left : f->mss;
    if (tcp_nagle_waits(f, bytes))
        return;
    f->app.bytes_cut += bytes;
    tcp_cut_segment(s, f, bytes);
    if (bytes == left)
        f->app.file_end = f->available;
}

bool transfer_is_done(struct sim *s, struct flow *f)
{
    if (f->app.file_end == 0 || f->una < f->app.file_end || f->count.files_done == f->app.writes)
        return false;
    int64_t time_ps = s->now_ps - f->app.file_start_ps;
    const struct flow *owner = f->completions ? f : &s->flows[f->flow_cfg->group_first];
    f->count.files_done++;
    f->count.files_time_s += (double)time_ps / (double)PS_PER_S;
    histogram_note(owner->completions, COMPLETION_OCTAVES, (double)time_ps);
    return true;
}

uint64_t transfer_short_segments(const struct app_cfg *app, uint64_t window_bytes)
{
    (void)app, (void)window_bytes;
    return 1;
}
