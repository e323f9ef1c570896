/* cmd_one.c - `tcpsweep one`: one replication of one point, in detail. */
#include "cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "one_meter.h"
#include "one_report.h"
#include "options.h"
#include "trace.h"

static const char ALLOWED[] = "sejkmc";

/* The first point that `where:` leaves in; says which if there are others. */
static int choose_point(const struct sweep *sweep, const char *path, uint64_t *point, struct error *err)
{
    char label[512];
    uint64_t npoints = sweep_npoints(sweep);
    for (*point = 0; *point < npoints && !sweep_point_selected(sweep, *point);)
        ++*point;
    if (*point == npoints)
        return error_set(err, EXIT_BAD_INPUT, "%s: where: leaves no point, expected at least one", path);
    if (npoints > 1) {
        sweep_point_label(sweep, *point, label, sizeof label);
        fprintf(stderr, "tcpsweep one: %" PRIu64 " points, this is the first: %s (choose with --set)\n", npoints,
                label);
    }
    return 0;
}

static int report(const struct options *options, const struct one_run *run, struct error *err)
{
    if (options->trace && trace_write_csv(run->trace, run->sc, options->trace, err) < 0)
        return -1;
    if (options->json)
        one_print_json(stdout, run);
    else if (run->meter_ps > 0)
        one_meter_print(stdout, run);
    else
        one_print_tables(stdout, run);
    if (fflush(stdout) != 0)
        return error_set(err, EXIT_ENVIRONMENT, "cannot write the result");
    return 0;
}

/* Runs the scenario with a trace and reports. */
static int simulate(const struct options *options, const struct scenario *sc, struct sim_key key, const char *label,
                    struct error *err)
{
    struct trace trace = {.end_ps = sc->measure_to_ps};
    struct sim_trace sink = trace_sink(&trace);
    struct sim_result result = {.flow = calloc(sc->nflows, sizeof *result.flow)};
    void *memory = aligned_alloc(64, sim_bytes(sc));
    int status = 0;
    if (!memory || !result.flow)
        status = error_set(err, EXIT_ENVIRONMENT, "out of memory");
    if (status == 0) {
        sim_run(sc, key, memory, &sink, &result);
        if (trace.out_of_memory)
            status = error_set(err, EXIT_ENVIRONMENT, "out of memory for %" PRIu64 " trace rows", trace.count);
        else if (result.status != SIM_OK)
            status = error_set(err, EXIT_SOME_FAILED, "%s: %s", label, sim_status_text(result.status));
    }
    if (status == 0) {
        trace_sort(&trace);
        status = report(options,
                        &(struct one_run){.label = label,
                                          .replication = options->replication,
                                          .sc = sc,
                                          .result = &result,
                                          .trace = &trace,
                                          .meter_ps = (int64_t)(options->meter_s * PS_PER_S + 0.5)},
                        err);
    }
    free(memory);
    free(result.flow);
    trace_free(&trace);
    return status;
}

static int run_one(const struct options *options, struct error *err)
{
    char label[512];
    struct sweep *sweep;
    uint64_t point;
    if (options_load_sweep(options, &sweep, err) < 0)
        return -1;
    int status = choose_point(sweep, options->path, &point, err);
    struct scenario *sc = status == 0 ? sweep_scenario(sweep, point, err) : NULL;
    if (sc) {
        sweep_point_label(sweep, point, label, sizeof label);
        status = simulate(options, sc, sweep_random_key(sweep, point, options->replication), label, err);
    }
    sweep_free(sweep);
    status = sc ? status : -1;
    free(sc);
    return status;
}

static const char usage[] =
    "usage: tcpsweep one SWEEP.yaml [options]\n"
    "One replication of one point: application, TCP and links. Where axes leave several points, the first.\n\n";

int cmd_one(int argc, char **argv)
{
    return options_command(argc, argv, ALLOWED, usage, run_one);
}
