/* cmd_one.c - `tcpsweep one`: one replication of one point, in detail. */
#include "cmd.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "one_meter.h"
#include "one_report.h"
#include "sweep.h"
#include "trace.h"
#include "units.h"

enum { SETS_MAX = 1000 };

struct request {
    const char *path;
    struct override sets[SETS_MAX];
    uint32_t nsets;
    const char *seed; /* NULL: the file's */
    uint32_t replication;
    bool json;
    int64_t meter_ps;
    const char *trace_path;
};

static void print_help(void)
{
    printf("usage: tcpsweep one SWEEP.yaml [options]\n"
           "One replication of one point: application, TCP and links. Where axes leave several points, the first.\n\n"
           "  --set KEY=VALUE    set a key, or choose the value of an axis\n"
           "  --replication K    which replication (0)\n"
           "  --seed S           instead of the file's seed\n"
           "  --json             the same as JSON\n"
           "  --meter INTERVAL   a line per interval, such as 1s: Mbit/s, cwnd, ssthresh, rtt, retransmissions\n"
           "  --trace FILE.csv   every event in time order\n");
}

/* --- options ------------------------------------------------------------------------------------------------------ */

static int read_whole_number(const char *option, const char *text, uint64_t max, uint64_t *out, struct error *err)
{
    char *end;
    *out = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || *out > max)
        return error_set(err, EXIT_BAD_INPUT, "%s: `%s`, expected a whole number from 0 to %" PRIu64, option, text,
                         max);
    return 0;
}

static int read_meter(const char *text, int64_t *out, struct error *err)
{
    char why[512];
    struct quantity interval;
    if (units_parse(text, UNIT_BIT(UNIT_TIME), &interval, why, sizeof why) < 0)
        return error_set(err, EXIT_BAD_INPUT, "--meter: %s", why);
    if (!(interval.value >= 1e-6 && interval.value <= 1e6))
        return error_set(err, EXIT_BAD_INPUT, "--meter: `%s`, expected an interval from 1 us to 1e6 s", text);
    *out = (int64_t)(interval.value * PS_PER_S + 0.5);
    return 0;
}

static int read_option(struct request *request, int option, const char *value, struct error *err)
{
    uint64_t number;
    switch (option) {
    case 's':
        if (request->nsets == SETS_MAX)
            return error_set(err, EXIT_BAD_INPUT, "--set: more than %d", SETS_MAX);
        request->sets[request->nsets++].text = value;
        return 0;
    case 'k':
        if (read_whole_number("--replication", value, UINT32_MAX, &number, err) < 0)
            return -1;
        request->replication = (uint32_t)number;
        return 0;
    case 'e':
        request->seed = value;
        return read_whole_number("--seed", value, UINT64_MAX, &number, err);
    case 'j':
        request->json = true;
        return 0;
    case 'm':
        return read_meter(value, &request->meter_ps, err);
    case 't':
        request->trace_path = value;
        return 0;
    default:
        return error_set(err, EXIT_BAD_INPUT, "unknown option or missing value, see tcpsweep one --help");
    }
}

/* Returns 1 if only help was asked for. */
static int read_options(int argc, char **argv, struct request *request, struct error *err)
{
    static const struct option options[] = {
        {"set", required_argument, NULL, 's'},   {"replication", required_argument, NULL, 'k'},
        {"seed", required_argument, NULL, 'e'},  {"json", no_argument, NULL, 'j'},
        {"meter", required_argument, NULL, 'm'}, {"trace", required_argument, NULL, 't'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
    };
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'h')
            return 1;
        if (read_option(request, option, optarg, err) < 0)
            return -1;
    }
    if (optind != argc - 1)
        return error_set(err, EXIT_BAD_INPUT, "expected one sweep file, see tcpsweep one --help");
    request->path = argv[optind];
    return 0;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

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

static int report(const struct request *request, const struct one_run *run, struct error *err)
{
    if (request->trace_path && trace_write_csv(run->trace, run->sc, request->trace_path, err) < 0)
        return -1;
    if (request->json)
        one_print_json(stdout, run);
    else if (request->meter_ps > 0)
        one_meter_print(stdout, run);
    else
        one_print_tables(stdout, run);
    if (fflush(stdout) != 0)
        return error_set(err, EXIT_ENVIRONMENT, "cannot write the result");
    return 0;
}

/* Runs the scenario with a trace and reports. */
static int simulate(const struct request *request, const struct scenario *sc, struct sim_key key, const char *label,
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
        status = report(request,
                        &(struct one_run){.label = label,
                                          .replication = request->replication,
                                          .sc = sc,
                                          .result = &result,
                                          .trace = &trace,
                                          .meter_ps = request->meter_ps},
                        err);
    }
    free(memory);
    free(result.flow);
    trace_free(&trace);
    return status;
}

static int run_one(const struct request *request, struct error *err)
{
    char label[512];
    struct sweep *sweep;
    uint64_t point;
    if (sweep_load(&sweep, request->path, request->sets, request->nsets, err) < 0)
        return -1;
    if (request->seed)
        sweep_set_seed(sweep, strtoull(request->seed, NULL, 10));
    int status = choose_point(sweep, request->path, &point, err);
    struct scenario *sc = status == 0 ? sweep_scenario(sweep, point, err) : NULL;
    if (sc) {
        sweep_point_label(sweep, point, label, sizeof label);
        status = simulate(request, sc, sweep_random_key(sweep, point, request->replication), label, err);
    }
    sweep_free(sweep);
    status = sc ? status : -1;
    free(sc);
    return status;
}

int cmd_one(int argc, char **argv)
{
    struct error err;
    struct request request = {0};
    int status = read_options(argc, argv, &request, &err);
    if (status > 0)
        print_help();
    if (status == 0)
        status = run_one(&request, &err);
    if (status < 0) {
        fprintf(stderr, "%s\n", err.text);
        return err.status;
    }
    return EXIT_DONE;
}
