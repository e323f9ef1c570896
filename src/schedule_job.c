/* schedule_job.c - the state of one point's replications. */
#include "schedule_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int prepare(struct work *work, const struct schedule_setup *setup, uint64_t point, struct error *err)
{
    work->setup = setup;
    work->cost = setup->cost[point];
    work->job.point = point;
    work->job.scenario = sweep_scenario(setup->sweep, point, err);
    if (!work->job.scenario)
        return -1;
    work->job.hash = sweep_point_hash(setup->sweep, point);
    work->job.random_hash = sweep_random_hash(setup->sweep, point);
    work->job.bytes = sim_bytes(work->job.scenario);
    work->random = scenario_is_random(work->job.scenario);
    return 0;
}

/* Extends the job to replications up to target-1 and takes those that journals hold. */
static int extend(struct work *work, uint32_t target, struct error *err)
{
    size_t length = target - work->first;
    unsigned char *given = realloc(work->given, length);
    work->given = given ? given : work->given;
    double *values = realloc(work->values, length * sizeof *values);
    work->values = values ? values : work->values;
    if (!given || !values)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory");
    for (uint32_t r = work->target; r < target; r++) {
        struct record record;
        bool found =
            !work->borrowed && work->setup->found && journal_set_find(work->setup->found, work->job.hash, r, &record);
        work->given[r - work->first] = found;
        if (found)
            work->values[r - work->first] = record.values[sweep_replications(work->setup->sweep)->metric];
        work->found += found;
        work->done += found;
        work->todo += !found;
    }
    work->target = target;
    return 0;
}

struct work *work_point(const struct schedule_setup *setup, uint64_t point, struct error *err)
{
    struct work *work = calloc(1, sizeof *work);
    if (!work) {
        error_set(err, EXIT_ENVIRONMENT, "out of memory");
        return NULL;
    }
    if (prepare(work, setup, point, err) ||
        extend(work, work->random ? next_look(sweep_replications(setup->sweep), 0) : 1, err)) {
        work_free(work);
        return NULL;
    }
    return work;
}

struct work *work_task(const struct schedule_setup *setup, uint32_t owner, const struct task *task, struct error *err)
{
    struct work *work = calloc(1, sizeof *work);
    if (!work) {
        error_set(err, EXIT_ENVIRONMENT, "out of memory");
        return NULL;
    }
    work->borrowed = true;
    work->owner = owner;
    work->first = work->cursor = work->target = task->first;
    if (prepare(work, setup, task->point, err) || extend(work, task->first + task->count, err)) {
        work_free(work);
        return NULL;
    }
    return work;
}

void work_free(struct work *work)
{
    if (!work)
        return;
    free(work->job.scenario);
    free(work->given);
    free(work->values);
    free(work);
}

uint32_t work_cut(struct work *work, uint32_t limit, uint32_t *first)
{
    while (work->given[work->cursor - work->first])
        work->cursor++;
    uint32_t count = 0;
    *first = work->cursor;
    while (count < limit && work->cursor < work->target && !work->given[work->cursor - work->first]) {
        work->given[work->cursor++ - work->first] = 1;
        count++;
    }
    work->todo -= count;
    return count;
}

void work_put(struct work *work, uint32_t first, uint32_t count, const double *values)
{
    memcpy(work->values + (first - work->first), values, count * sizeof *values);
    work->done += count;
}

int work_look(struct work *work, bool *decided, struct error *err)
{
    const struct replication_rule *rule = sweep_replications(work->setup->sweep);
    *decided = false;
    while (work->todo == 0 && work->done == work->target) {
        *decided = decide(rule, work->random, work->values, work->target) != STOP_NONE;
        if (*decided)
            return 0;
        if (extend(work, next_look(rule, work->target), err))
            return -1;
    }
    return 0;
}
