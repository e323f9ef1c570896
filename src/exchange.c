/* exchange.c - messages between the ranks' schedules.
 *
 *   ASK      a hungry rank to another        POINTS  whole points     TASK  part of a job     NOTHING
 *   RETURN   values of a task to its owner   COUNTS  a rank's state to rank 0     END  all is done, or stop
 *
 * A rank has one question out at a time. It goes round the others and, when none has anything, waits a little longer
 * each round. Messages are sent synchronously and a rank leaves only when its own have all arrived, so none is left
 * over.
 */
#include "exchange.h"
#include "par.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum message { ASK, POINTS, TASK, NOTHING, RETURN, COUNTS, END };

enum { POINTS_MAX = 256 };

static const double TICK_S = 0.001;      /* how often messages are looked for while there are some, */
static const double QUIET_TICK_S = 0.01; /* otherwise, */
static const double BUSY_S = 0.05;       /* which is so long after the last one; */
static const double ALONE_TICK_S = 0.05; /* with one rank, signals are looked for */
static const double COUNTS_S = 0.2;      /* how often ranks report and `watch` is called */
static const double PATIENCE_S = 0.002;  /* first wait after a round without success, doubled up to ... */
static const double PATIENCE_MAX_S = 0.05;

struct returned {
    struct task task;
    double values[TASK_MAX];
};

_Static_assert(sizeof(struct returned) <= PAR_MESSAGE_BYTES, "a task's values fit one message");

struct exchange {
    const struct exchange_setup *setup;
    struct schedule *schedule;
    struct schedule_state *heard; /* rank 0: by rank */
    bool asked;                   /* a question is out */
    uint32_t next, refusals;      /* whom to ask next; refusals in a row */
    double patience_s, ask_at_s, counts_at_s, busy_until_s;
    uint64_t reported; /* points decided, as last reported */
    bool end_sent;
    struct par_message message;
    struct returned returned;
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- giving ------------------------------------------------------------------------------------------------------ */

static void on_ask(struct exchange *x)
{
    uint64_t points[POINTS_MAX];
    struct task task;
    uint32_t n = schedule_ended(x->schedule) ? 0 : schedule_cut_points(x->schedule, points, POINTS_MAX);
    if (n > 0)
        par_send(x->message.source, POINTS, points, n * sizeof *points);
    else if (schedule_cut_task(x->schedule, &task))
        par_send(x->message.source, TASK, &task, sizeof task);
    else
        par_send(x->message.source, NOTHING, NULL, 0);
}

static void on_return(struct exchange *x)
{
    memcpy(&x->returned, x->message.data, x->message.bytes);
    schedule_returned(x->schedule, &x->returned.task, x->returned.values);
}

static void on_counts(struct exchange *x)
{
    memcpy(&x->heard[x->message.source], x->message.data, sizeof *x->heard);
}

/* --- taking ------------------------------------------------------------------------------------------------------ */

static void answered(struct exchange *x, bool success)
{
    x->asked = false;
    if (success) {
        x->refusals = 0;
        x->patience_s = PATIENCE_S;
        return;
    }
    x->next = (x->next + 1) % par_size();
    if (++x->refusals < par_size() - 1)
        return;
    x->refusals = 0;
    x->ask_at_s = now_s() + x->patience_s;
    x->patience_s = x->patience_s * 2 < PATIENCE_MAX_S ? x->patience_s * 2 : PATIENCE_MAX_S;
}

static void on_points(struct exchange *x)
{
    schedule_add_points(x->schedule, (const uint64_t *)x->message.data,
                        (uint32_t)(x->message.bytes / sizeof(uint64_t)));
    answered(x, true);
}

static void on_task(struct exchange *x)
{
    struct task task;
    memcpy(&task, x->message.data, sizeof task);
    schedule_add_task(x->schedule, x->message.source, &task);
    answered(x, true);
}

static void on_nothing(struct exchange *x)
{
    answered(x, false);
}

static void on_end(struct exchange *x)
{
    x->end_sent = true; /* whoever ends the run tells all */
    schedule_end(x->schedule);
}

static void (*const handlers[])(struct exchange *x) = {
    [ASK] = on_ask,       [POINTS] = on_points, [TASK] = on_task, [NOTHING] = on_nothing,
    [RETURN] = on_return, [COUNTS] = on_counts, [END] = on_end,
};

static void receive(struct exchange *x)
{
    while (par_receive(&x->message)) {
        handlers[x->message.kind](x);
        if (x->message.kind != COUNTS)
            x->busy_until_s = now_s() + BUSY_S;
    }
}

static void ask(struct exchange *x)
{
    if (x->asked || par_size() == 1 || !schedule_hungry(x->schedule) || now_s() < x->ask_at_s)
        return;
    if (x->next == par_rank())
        x->next = (x->next + 1) % par_size();
    par_send(x->next, ASK, NULL, 0);
    x->asked = true;
}

static void send_returns(struct exchange *x)
{
    uint32_t owner;
    struct returned *r = &x->returned;
    while (schedule_next_return(x->schedule, &owner, &r->task, r->values))
        par_send(owner, RETURN, r, offsetof(struct returned, values) + r->task.count * sizeof *r->values);
}

/* --- the whole run ----------------------------------------------------------------------------------------------- */

static void tell_end(struct exchange *x)
{
    for (uint32_t rank = 0; rank < par_size() && !x->end_sent; rank++)
        if (rank != par_rank())
            par_send(rank, END, NULL, 0);
    x->end_sent = true;
    schedule_end(x->schedule);
}

static struct schedule_state sum_heard(const struct exchange *x)
{
    struct schedule_state sum = {0};
    for (uint32_t rank = 0; rank < par_size(); rank++) {
        const struct schedule_state *one = &x->heard[rank];
        sum.points += one->points;
        sum.decided_replications += one->decided_replications;
        sum.replications += one->replications;
        sum.cost_done += one->cost_done;
        sum.cost_left += one->cost_left;
        sum.kernel_cpu_s += one->kernel_cpu_s;
    }
    return sum;
}

static void send_counts(struct exchange *x, const struct schedule_state *state)
{
    par_send(0, COUNTS, state, sizeof *state);
    x->reported = state->points;
}

static void report(struct exchange *x)
{
    double now = now_s();
    struct schedule_state state = schedule_state(x->schedule);
    bool due = now >= x->counts_at_s;
    if (par_rank() == 0)
        x->heard[0] = state;
    else if (due || (state.points != x->reported && schedule_hungry(x->schedule)))
        send_counts(x, &state);
    if (par_rank() == 0)
        state = sum_heard(x);
    if (due) {
        x->counts_at_s = now + COUNTS_S;
        if (!x->setup->watch(x->setup->ctx, &state))
            tell_end(x);
    }
    if (par_rank() == 0 && state.points == x->setup->npoints)
        tell_end(x);
}

static double tick_s(const struct exchange *x)
{
    if (par_size() == 1)
        return ALONE_TICK_S;
    return x->asked || now_s() < x->busy_until_s ? TICK_S : QUIET_TICK_S;
}

/* Serves the others until all have ended, too. */
static void leave(struct exchange *x)
{
    while (x->asked || !par_all_sent()) {
        receive(x);
        schedule_wait(x->schedule, TICK_S);
    }
    par_barrier_begin();
    while (!par_barrier_done()) {
        receive(x);
        schedule_wait(x->schedule, TICK_S);
    }
}

void exchange_run(const struct exchange_setup *setup)
{
    struct exchange *x = calloc(1, sizeof *x);
    struct schedule_state *heard = calloc(par_size(), sizeof *heard);
    if (!x || !heard)
        par_abort(EXIT_ENVIRONMENT);
    x->setup = setup;
    x->schedule = setup->schedule;
    x->heard = heard;
    x->next = (par_rank() + 1) % par_size();
    x->patience_s = PATIENCE_S;
    while (!schedule_ended(x->schedule)) {
        receive(x);
        send_returns(x);
        ask(x);
        report(x);
        if (!schedule_ended(x->schedule))
            schedule_wait(x->schedule, tick_s(x));
    }
    tell_end(x); /* an error here ends the run there */
    leave(x);
    free(heard);
    free(x);
}
