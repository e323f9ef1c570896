/* bulk.c - endless data from the flow's start to its stop. */
#include "../tcp.h"

static bool bulk_is_uniform(const struct app_cfg *app, const struct tcp_cfg *tcp)
{
    (void)app, (void)tcp;
    return true;
}

static void bulk_on_open(struct sim *s, struct flow *f)
{
    if (s->now_ps >= f->flow_cfg->stop_ps) {
        f->is_closed = true;
        return;
    }
    if (f->is_uniform)
        f->available = SEGMENTS_MAX;
    if (f->flow_cfg->stop_ps < TIME_NEVER)
        flow_set_timer(s, f, TIMER_APP, f->flow_cfg->stop_ps);
}

static void bulk_on_starved(struct sim *s, struct flow *f)
{
    if (f->available == SEGMENTS_MAX)
        sim_fail(s, SIM_LIMIT);
    else if (!f->is_uniform)
        tcp_cut_segment(s, f, f->mss);
}

/* The stop: what has been sent is still delivered. */
static void bulk_on_timer(struct sim *s, struct flow *f)
{
    f->available = f->end;
    f->is_closed = true;
    tcp_push(s, f);
}

const struct app_ops app_bulk = {
    .item = {"bulk", "endless data", "-", "FTP (ns-2), BulkSend (ns-3), iperf"},
    .transport = TRANSPORT_TCP,
    .is_uniform = bulk_is_uniform,
    .on_open = bulk_on_open,
    .on_starved = bulk_on_starved,
    .on_timer = bulk_on_timer,
};
