/* store_plan.c - applies the stopping rule to what the journals hold, point by point, before anything is written. */
#include "store_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rule's metric of one point's replications. */
struct values {
    double *at;
    uint32_t capacity;
};

static int out_of_memory(struct error *err)
{
    return error_set(err, EXIT_ENVIRONMENT, "out of memory for the plan of the output");
}

static int reserve(struct values *values, uint32_t n, struct error *err)
{
    if (n <= values->capacity)
        return 0;
    double *at = realloc(values->at, n * sizeof *at);
    if (!at)
        return out_of_memory(err);
    *values = (struct values){at, n};
    return 0;
}

/* --- names of flows ---------------------------------------------------------------------------------------------- */

uint32_t store_plan_flow(const struct store_plan *plan, const char *name, uint32_t hint)
{
    for (uint32_t k = 0; k < plan->nflows; k++) {
        const uint32_t i = (hint + k) % plan->nflows;
        if (strcmp(plan->flow_names[i], name) == 0)
            return i;
    }
    return plan->nflows;
}

static int insert_flow(struct store_plan *plan, uint32_t at, const char *name, struct error *err)
{
    char(*names)[NAME_BYTES] = realloc(plan->flow_names, (plan->nflows + 1) * sizeof *names);
    if (!names)
        return out_of_memory(err);
    plan->flow_names = names;
    memmove(names[at + 1], names[at], (plan->nflows - at) * sizeof *names);
    memcpy(names[at], name, NAME_BYTES);
    plan->nflows++;
    return 0;
}

/* The number of flows may be an axis: a flow is found by its name, a new one goes behind the one before it. */
static int add_flows(struct store_plan *plan, const struct scenario *sc, struct error *err)
{
    uint32_t next = 0;
    for (uint32_t f = 0; f < sc->nflows; f++) {
        const uint32_t at = store_plan_flow(plan, sc->flows[f].name, next);
        if (at < plan->nflows)
            next = at + 1;
        else if (insert_flow(plan, next++, sc->flows[f].name, err))
            return -1;
    }
    if (sc->nflows > plan->flows_most)
        plan->flows_most = sc->nflows;
    return 0;
}

/* --- one point --------------------------------------------------------------------------------------------------- */

/* Appends replications from n up to `look`; stops at the first that is missing. */
static uint32_t fetch(const struct store_plan *plan, const struct point_plan *point, struct values *values, uint32_t n,
                      uint32_t look)
{
    const enum metric metric = sweep_replications(plan->sweep)->metric;
    struct record record;
    for (; n < look && journal_set_find(plan->set, point->hash, n, &record); n++)
        values->at[n] = record.status == SIM_OK ? record.values[metric] : NAN;
    return n;
}

/* Sets n and reason; STOP_NONE means that replication n is missing. */
static int apply_rule(const struct store_plan *plan, struct point_plan *point, bool random, struct values *values,
                      struct error *err)
{
    const struct replication_rule *rule = sweep_replications(plan->sweep);
    point->n = 0;
    point->reason = STOP_NONE;
    while (point->reason == STOP_NONE) {
        const uint32_t look = random ? next_look(rule, point->n) : 1;
        if (reserve(values, look, err))
            return -1;
        point->n = fetch(plan, point, values, point->n, look);
        if (point->n < look)
            return 0;
        point->reason = decide(rule, random, values->at, point->n);
    }
    return 0;
}

static int plan_point(struct store_plan *plan, uint64_t number, struct values *values, struct error *err)
{
    struct point_plan *point = &plan->points[number];
    struct scenario *sc = sweep_scenario(plan->sweep, number, err);
    if (!sc)
        return -1;
    const bool random = scenario_is_random(sc);
    const int failed = add_flows(plan, sc, err);
    free(sc);
    if (failed)
        return -1;
    point->hash = sweep_point_hash(plan->sweep, number);
    return apply_rule(plan, point, random, values, err);
}

/* --- all points -------------------------------------------------------------------------------------------------- */

static int refuse_incomplete(const struct store_plan *plan, uint64_t first, struct error *err)
{
    char label[512];
    sweep_point_label(plan->sweep, first, label, sizeof label);
    return error_set(err, EXIT_BAD_INPUT,
                     "%llu of %llu points are not complete, the first is %s (replication %u is missing): `run` with "
                     "--resume, or `merge` with --partial",
                     (unsigned long long)plan->outcome.missing_points, (unsigned long long)plan->outcome.points,
                     label[0] ? label : "the only one", plan->points[first].n);
}

static int plan_points(struct store_plan *plan, bool partial, struct error *err)
{
    struct values values = {0};
    int failed = 0;
    uint64_t first_missing = 0;
    for (uint64_t i = 0; !failed && i < plan->npoints; i++) {
        if (!sweep_point_selected(plan->sweep, i))
            continue;
        struct point_plan *point = &plan->points[i];
        failed = plan_point(plan, i, &values, err);
        plan->outcome.points++;
        plan->outcome.replications += point->n;
        if (failed || point->reason != STOP_NONE)
            continue;
        if (plan->outcome.missing_points++ == 0)
            first_missing = i;
        if (partial)
            point->reason = STOP_TIME;
    }
    free(values.at);
    if (!failed && !partial && plan->outcome.missing_points > 0)
        return refuse_incomplete(plan, first_missing, err);
    return failed;
}

int store_plan_make(struct store_plan *plan, const struct sweep *sweep, const struct journal_set *set, bool partial,
                    struct error *err)
{
    *plan = (struct store_plan){.sweep = sweep, .set = set, .npoints = sweep_npoints(sweep)};
    plan->points = calloc(plan->npoints, sizeof *plan->points);
    const int failed = plan->points ? plan_points(plan, partial, err) : out_of_memory(err);
    if (failed)
        store_plan_free(plan);
    return failed;
}

void store_plan_free(struct store_plan *plan)
{
    free(plan->points);
    free(plan->flow_names);
    *plan = (struct store_plan){0};
}

int store_plan_gather(const struct store_plan *plan, uint64_t point, struct gathered *gathered, struct error *err)
{
    const struct point_plan *planned = &plan->points[point];
    if (planned->n > gathered->capacity) {
        struct record *memory = realloc(gathered->memory, planned->n * sizeof *memory);
        if (!memory)
            return out_of_memory(err);
        gathered->memory = memory;
        gathered->capacity = planned->n;
    }
    gathered->records = gathered->memory;
    gathered->n = planned->n;
    for (uint32_t r = 0; r < planned->n; r++)
        if (!journal_set_find(plan->set, planned->hash, r, &gathered->memory[r]))
            return error_set(err, EXIT_ENVIRONMENT, "replication %u of a point has vanished from the journals", r);
    return 0;
}

void gathered_free(struct gathered *gathered)
{
    free(gathered->memory);
    *gathered = (struct gathered){0};
}

int store_list_failed(const struct sweep *sweep, const struct journal_set *set, uint64_t most, FILE *out,
                      struct error *err)
{
    struct store_plan plan;
    struct gathered gathered = {0};
    int failed = store_plan_make(&plan, sweep, set, true, err);
    if (failed)
        return failed;
    for (uint64_t i = 0; !failed && i < plan.npoints && most > 0; i++) {
        failed = store_plan_gather(&plan, i, &gathered, err);
        for (uint32_t r = 0; !failed && r < gathered.n && most > 0; r++) {
            if (gathered.records[r].status == SIM_OK)
                continue;
            char label[512];
            sweep_point_label(sweep, i, label, sizeof label);
            fprintf(out, "%s replication %u: %s\n", label, r, sim_status_text(gathered.records[r].status));
            most--;
        }
    }
    gathered_free(&gathered);
    store_plan_free(&plan);
    return failed;
}
