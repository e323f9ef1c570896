/* series.c - see series.h. */
#include "series.h"

bool series_is_uniform(const struct app_cfg *app, const struct tcp_cfg *tcp)
{
    (void)app, (void)tcp;
    return false;
}

static void next_write(const struct flow *f, struct app_cursor *cursor)
{
    f->flow_cfg->app.ops->next_write(f, cursor);
}

void series_on_open(struct sim *s, struct flow *f)
{
    f->cursor = (struct app_cursor){.t_ps = 0};
    app_random_init(s, f, &f->cursor.random);
    f->awaited = f->cursor;
    next_write(f, &f->cursor);
    series_next_record(f);
}

void series_on_starved(struct sim *s, struct flow *f)
{
    struct app_cursor *write = &f->cursor;
    if (write->t_ps >= f->flow_cfg->stop_ps || write->t_ps == TIME_NEVER) {
        f->is_closed = true;
        return;
    }
    if (write->t_ps > s->now_ps) {
        flow_set_timer(s, f, TIMER_APP, write->t_ps);
        return;
    }
    uint32_t bytes = write->bytes < f->mss ? (uint32_t)write->bytes : f->mss;
    if (tcp_nagle_waits(f, bytes))
        return;
    tcp_cut_segment(s, f, bytes);
    write->bytes -= bytes;
    if (write->bytes > 0)
        return;
    f->app.writes++;
    next_write(f, write);
}

void series_on_timer(struct sim *s, struct flow *f)
{
    tcp_push(s, f);
}

void series_next_record(struct flow *f)
{
    next_write(f, &f->awaited);
    f->app.record_end = f->awaited.t_ps == TIME_NEVER ? UINT64_MAX : f->app.record_end + f->awaited.bytes;
}
