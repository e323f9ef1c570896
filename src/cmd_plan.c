/* cmd_plan.c - `tcpsweep plan`: what a sweep would run, and what that is likely to cost, from a short calibration. */
#include "cmd.h"
#include "journal.h"
#include "options.h"
#include "points.h"
#include "progress.h"
#include "replicate.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 16 };

static const double CALIBRATION_S = 0.5;
static const double ROW_BYTES = 8.0 * METRIC_COUNT + 16; /* a replication in the file */
static const double ARRAYS_PER_METRIC = 4;               /* mean, sd, ci, n */
static const char ALLOWED[] = "osenij";

struct range {
    double least, most;
};

struct plan {
    const struct sweep *sweep;
    double *cost;     /* by point */
    uint64_t *points; /* selected ones, most expensive first */
    uint64_t npoints;
    double cost_of_one; /* one replication of every point */
    uint64_t random;    /* points with any random element */
    double random_cost;
    size_t bytes;   /* the largest instance */
    double flows;   /* the most of a point */
    uint64_t found; /* replications in journals */
    double found_cost;
    double packets_per_cost, s_per_cost; /* calibration; NaN if nothing ran */
};

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- what there is to run ---------------------------------------------------------------------------------------- */

/* Replications of a point that journals hold: all of the least number, then as far as there is no gap. */
static uint32_t count_found(const struct sweep *sweep, const struct journal_set *set, uint64_t point, uint32_t least)
{
    struct record record;
    struct hash128 hash = sweep_point_hash(sweep, point);
    uint32_t found = 0, most = sweep_replications(sweep)->max;
    for (uint32_t r = 0; r < most; r++) {
        bool there = journal_set_find(set, hash, r, &record);
        if (!there && r >= least)
            break;
        found += there;
    }
    return found;
}

static void look_at_points(struct plan *plan, const struct journal_set *set)
{
    uint32_t least = next_look(sweep_replications(plan->sweep), 0);
    for (uint64_t i = 0; i < plan->npoints; i++) {
        struct error err;
        uint64_t point = plan->points[i];
        struct scenario *sc = sweep_scenario(plan->sweep, point, &err);
        if (!sc) /* was checked before */
            continue;
        bool random = scenario_is_random(sc);
        plan->cost_of_one += plan->cost[point];
        plan->random += random;
        plan->random_cost += random ? plan->cost[point] : 0;
        plan->bytes = sim_bytes(sc) > plan->bytes ? sim_bytes(sc) : plan->bytes;
        plan->flows = fmax(plan->flows, sc->nflows > 1 ? sc->nflows : 0);
        free(sc);
        uint32_t found = set ? count_found(plan->sweep, set, point, random ? least : 1) : 0;
        plan->found += found;
        plan->found_cost += found * plan->cost[point];
    }
}

/* Runs points spread over the range of costs, the cheapest first, for about CALIBRATION_S. */
static int calibrate(struct plan *plan, struct error *err)
{
    double spent_s = 0, cost = 0, packets = 0;
    uint64_t samples = plan->npoints < SAMPLES ? plan->npoints : SAMPLES;
    void *memory = aligned_alloc(64, plan->bytes + 64 - plan->bytes % 64);
    if (!memory)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory: one instance needs %zu bytes", plan->bytes);
    for (uint64_t k = 0; k < 64 * samples && spent_s < CALIBRATION_S; k++) {
        uint64_t point = plan->points[plan->npoints - 1 - k % samples * plan->npoints / samples];
        struct scenario *sc = sweep_scenario(plan->sweep, point, err);
        struct sim_result result = {0};
        if (!sc)
            continue;
        double start_s = cpu_s();
        sim_run(sc, sweep_random_key(plan->sweep, point, (uint32_t)(k / samples)), memory, NULL, &result);
        spent_s += cpu_s() - start_s;
        cost += plan->cost[point];
        packets += (double)result.packets;
        free(sc);
    }
    free(memory);
    plan->packets_per_cost = packets / cost;
    plan->s_per_cost = spent_s / cost;
    return 0;
}

/* A point without any random element runs once, the others as often as the rule says. */
static struct range times(const struct plan *plan, double all, double random)
{
    const struct replication_rule *rule = sweep_replications(plan->sweep);
    return (struct range){all - random + random * next_look(rule, 0), all - random + random * rule->max};
}

/* --- printing ---------------------------------------------------------------------------------------------------- */

static void count_text(double value, char *text, size_t size)
{
    snprintf(text, size, value < 1e6 ? "%.0f" : "%.3g", value);
}

static void bytes_text(double value, char *text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    snprintf(text, size, "%.3g %s", value, units[unit]);
}

static void print_range(const char *label, struct range range, void (*format)(double, char *, size_t))
{
    char least[32], most[32];
    format(range.least, least, sizeof least);
    format(range.most, most, sizeof most);
    printf(strcmp(least, most) == 0 ? "%-22s %s\n" : "%-22s %s to %s\n", label, least, most);
}

struct estimate {
    struct range replications, packets, cpu_s, file_bytes;
};

static struct estimate estimate(const struct plan *plan)
{
    struct estimate e;
    struct range cost = times(plan, plan->cost_of_one, plan->random_cost);
    double left[] = {fmax(cost.least - plan->found_cost, 0), fmax(cost.most - plan->found_cost, 0)};
    double arrays = (double)plan->npoints * METRIC_COUNT * ARRAYS_PER_METRIC * 8 * (1 + plan->flows);
    e.replications = times(plan, (double)plan->npoints, (double)plan->random);
    e.packets = (struct range){left[0] * plan->packets_per_cost, left[1] * plan->packets_per_cost};
    e.cpu_s = (struct range){left[0] * plan->s_per_cost, left[1] * plan->s_per_cost};
    double rows = sweep_keep_replications(plan->sweep) ? ROW_BYTES : 0;
    e.file_bytes = (struct range){arrays + e.replications.least * rows, arrays + e.replications.most * rows};
    return e;
}

static void print_table(const struct plan *plan, const struct options *options)
{
    char text[32];
    struct estimate e = estimate(plan);
    printf("%-22s %s\n", "sweep", sweep_name(plan->sweep));
    for (uint32_t i = 0; i < sweep_ndimensions(plan->sweep); i++)
        printf("%-22s %s: %u values\n", i == 0 ? "axes" : "", sweep_dimensions(plan->sweep)[i].name,
               sweep_dimensions(plan->sweep)[i].length);
    printf("%-22s %" PRIu64 " (of %" PRIu64 " in the grid; %" PRIu64 " without any random element)\n", "points",
           plan->npoints, sweep_npoints(plan->sweep), plan->npoints - plan->random);
    print_range("replications", e.replications, count_text);
    if (options->output)
        printf("%-22s %" PRIu64 "\n", "found, not run again", plan->found);
    print_range("data packets to run", e.packets, count_text);
    print_range("CPU time", e.cpu_s, progress_time);
    printf("%-22s %.1f\n", "CPU ns per packet", 1e9 * plan->s_per_cost / plan->packets_per_cost);
    bytes_text((double)plan->bytes, text, sizeof text);
    printf("%-22s %s\n", "memory per thread", text);
    print_range("output at most", e.file_bytes, bytes_text);
}

static void print_json(const struct plan *plan)
{
    struct estimate e = estimate(plan);
    printf("{\"points\": %" PRIu64 ", \"grid\": %" PRIu64 ", \"deterministic\": %" PRIu64 ", \"found\": %" PRIu64
           ",\n \"replications\": [%.0f, %.0f], \"packets\": [%.6g, %.6g], \"cpu_s\": [%.4g, %.4g],\n"
           " \"ns_per_packet\": %.4g, \"bytes_per_thread\": %zu, \"file_bytes\": [%.0f, %.0f]}\n",
           plan->npoints, sweep_npoints(plan->sweep), plan->npoints - plan->random, plan->found, e.replications.least,
           e.replications.most, e.packets.least, e.packets.most, e.cpu_s.least, e.cpu_s.most,
           1e9 * plan->s_per_cost / plan->packets_per_cost, plan->bytes, e.file_bytes.least, e.file_bytes.most);
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static int make_plan(struct plan *plan, const struct options *options, struct journal_set **set, struct error *err)
{
    uint64_t all = sweep_npoints(plan->sweep);
    plan->cost = calloc(all + 1, sizeof *plan->cost);
    if (!plan->cost)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory for %" PRIu64 " points", all);
    if (points_check(plan->sweep, options->path, omp_get_max_threads(), plan->cost, err))
        return -1;
    plan->points = points_in_order(plan->cost, all, &plan->npoints);
    if (!plan->points)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory for %" PRIu64 " points", all);
    plan->npoints = points_deal(plan->points, plan->npoints, options->shard - 1, options->nshards);
    if (plan->npoints == 0)
        return error_set(err, EXIT_BAD_INPUT, "%s: where: leaves no point, expected at least one", options->path);
    if (options->output && journal_set_open(set, options->output, sweep_seed(plan->sweep), err))
        return -1;
    look_at_points(plan, *set);
    return calibrate(plan, err);
}

static int plan_sweep(const struct options *options, struct error *err)
{
    struct sweep *sweep;
    struct journal_set *set = NULL;
    if (options_load_sweep(options, &sweep, err))
        return -1;
    struct plan plan = {.sweep = sweep};
    int failed = make_plan(&plan, options, &set, err);
    if (!failed && options->json)
        print_json(&plan);
    else if (!failed)
        print_table(&plan, options);
    journal_set_close(set);
    free(plan.cost);
    free(plan.points);
    sweep_free(sweep);
    return failed;
}

static const char usage[] =
    "usage: tcpsweep plan SWEEP.yaml [options]\n"
    "Dry run: what the sweep would run, and its likely cost from a calibration of half a second. With -o, what "
    "`run --resume` would find.\n\n";

int cmd_plan(int argc, char **argv)
{
    return options_command(argc, argv, ALLOWED, usage, plan_sweep);
}
