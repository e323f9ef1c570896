/* sim.c - the event loop of one instance: take the earliest source, let it act, until the run's end. */
#include "sim.h"

#include "cc/hystart.h"
#include "pacing.h"
#include "result.h"
#include "setup.h"
#include "sender.h"
#include "station/station.h"

const struct metric_info metric_table[METRIC_COUNT] = {
#define METRIC(name, unit, scope, help) {#name, unit, scope, help},
#include "metrics.def"
#undef METRIC
};

const char *sim_status_text(enum sim_status status)
{
    static const char *const text[] = {
        [SIM_OK] = "ok",
        [SIM_LIMIT] = "more packets under way than the scenario's windows explain, or too many segments",
        [SIM_BROKEN] = "packets are not conserved: a defect of the program",
    };
    return text[status];
}

void sim_trace_row(const struct sim *s, int64_t t_ps, const struct flow *f, enum trace_event event,
                   const struct hop *hop, int64_t a, int64_t b, double x)
{
    struct trace_row row = {t_ps, f->id, (uint16_t)event, hop ? hop->id : 0, a, b, x};
    s->trace->row(s->trace->ctx, &row);
}

/* The measuring window begins: what the senders have counted so far is set aside. */
static void start_measuring(struct sim *s)
{
    for (uint32_t i = 0; i < s->nflows; i++) {
        struct flow *f = &s->flows[i];
        if (f->is_started)
            tcp_flush_integrals(s, f, s->now_ps);
        f->count_at_start = f->count;
        for (int k = 0; k < RTT_OCTAVES * HISTOGRAM_STEPS; k++)
            f->rtt_histogram[k] = 0;
        for (int k = 0; f->completions && k < COMPLETION_OCTAVES * HISTOGRAM_STEPS; k++)
            f->completions[k] = 0;
    }
}

void sim_set_other_timer(struct sim *s, uint32_t timer, int64_t t_ps)
{
    s->other_timer_ps[timer] = t_ps;
    events_set(&s->others, timer, t_ps);
    s->other_ps = s->other_timer_ps[events_next(&s->others)];
    sim_set_timer(s, s->nflows, s->other_ps);
}

/* A timer that is not a flow's. */
static void on_other_timer(struct sim *s)
{
    uint32_t timer = events_next(&s->others);
    s->now_ps = s->other_ps;
    sim_set_other_timer(s, timer, TIME_NEVER);
    if (timer == 0)
        start_measuring(s);
    else
        s->stations[timer - 1].ops->on_event(s, &s->stations[timer - 1]);
}

static void on_timer(struct sim *s)
{
    uint32_t timer = events_next(&s->timers);
    if (timer < s->nflows)
        tcp_on_timer(s, &s->flows[timer]);
    else
        on_other_timer(s);
}

/* Which of the usual cases the flow may take by the inlined way. */
static void prepare_short_ways(const struct sim *s, struct flow *f)
{
    receiver_linux_start(f);
    f->is_paced = f->flow_cfg->app.ops->transport == TRANSPORT_TCP && pacing_is_on(f->cfg);
    f->has_echoes =
        f->cfg->ecn != ECN_OFF || f->cfg->stamp_echo == STAMP_ECHO_TRIGGER || f->wants_arrivals || f->has_window;
    f->is_quiet = !s->trace && !f->has_records && !f->has_linux_acks && !f->has_echoes;
    f->is_plain_sender =
        !s->trace && f->is_uniform && !f->transmissions && !f->fates && f->cfg->ecn == ECN_OFF && !f->is_paced;
    f->samples_every_ack =
        f->cfg->timestamps && !f->cfg->ns2_rules && !f->rto.is_linux && f->cfg->timestamp_tick_ps == 0;
    bool is_idle_hook = f->cfg->cc->on_rtt == hystart_on_rtt && f->cfg->window.hystart == HYSTART_OFF;
    f->on_ack = f->cfg->cc->on_ack;
    f->grows_always = f->cfg->grow_when_limited;
    f->on_rtt = is_idle_hook ? NULL : f->cfg->cc->on_rtt;
    f->may_take_usual_ack =
        f->is_plain_sender && f->samples_every_ack && !f->flow_cfg->app.ops->on_acknowledged && !f->on_rtt;
    f->may_take_usual_ack = f->may_take_usual_ack && f->cfg->rto_heartbeat_ps == 0 && !f->has_window;
}

void sim_run(const struct scenario *sc, struct sim_key key, void *memory, const struct sim_trace *trace,
             struct sim_result *result)
{
    struct sim *s = setup_instance(sc, key, memory);
    s->trace = trace;
    for (uint32_t i = 0; i < s->nflows; i++)
        prepare_short_ways(s, &s->flows[i]);
    while (events_pending(&s->events)) {
        const struct source *source = &s->sources[events_next(&s->events)];
        if (source->stage)
            net_arrive(s, source->flow, source->stage);
        else if (source->flow)
            sender_take_ack(s, source->flow);
        else
            on_timer(s);
    }
    s->now_ps = s->to_ps;
    result_fill(s, result);
}
