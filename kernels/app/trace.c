/* trace.c - writes over TCP by a trace: each row's bytes are written at its time after the flow's start. */
#include "series.h"

/* As if all writes were as short as the shortest, but no more than there are. */
static uint64_t trace_short_segments(const struct app_cfg *app, uint64_t window_bytes)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < app->trace.n; i++)
        least = app->trace.at[i].bytes < least ? app->trace.at[i].bytes : least;
    return window_bytes / least < app->trace.n ? window_bytes / least + 1 : app->trace.n;
}

static void next_row(const struct flow *f, struct app_cursor *row)
{
    const struct write_list *trace = &f->flow_cfg->app.trace;
    if (row->k == trace->n) {
        row->t_ps = TIME_NEVER;
        return;
    }
    row->bytes = trace->at[row->k].bytes;
    row->t_ps = f->app.start_ps + trace->at[row->k++].at_ps;
}

const struct app_ops app_trace = {
    .item = {"trace", "writes over TCP at the times of a file", "-", "Application/Traffic/Trace (ns-2)"},
    .transport = TRANSPORT_TCP,
    .needs = NEEDS_TRACE,
    .is_uniform = series_is_uniform,
    .short_segments = trace_short_segments,
    .on_open = series_on_open,
    .on_starved = series_on_starved,
    .on_timer = series_on_timer,
    .next_write = next_row,
    .next_record = series_next_record,
};
