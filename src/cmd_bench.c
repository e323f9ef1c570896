/* cmd_bench.c - `tcpsweep bench`: the standard benchmark, user CPU of one thread.
 *
 * One case for each of the presets of dialects.def beside the standard cases.
 * With --callgrind CASE one replication runs with callgrind's counting switched on around sim_run alone
 * (tests/bench_instructions.py).
 */
#include "cmd.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "dialects.h"
#include "error.h"
#include "sweep.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

/* One flow over seed 000's three links, 100 ms, window 44, an ACK per segment. */
#define SINGLE_FLOW(algorithm)                                                                                         \
    "duration: 100 s\n"                                                                                                \
    "path:\n"                                                                                                          \
    "  - {name: in, rate: 10 Mbit/s, delay: 100 us}\n"                                                                 \
    "  - {name: backbone, rate: 10 Mbit/s, delay: 49.8 ms, ber: 1e-7, errors: both}\n"                                 \
    "  - {name: out, rate: 10 Mbit/s, delay: 100 us}\n"                                                                \
    "tcp: {dialect: rfc, algorithm: " algorithm                                                                        \
    ", mss: 1460 B, receive_window: 64240 B, delayed_ack: false, handshake: false}\n"                                  \
    "app: {kind: bulk}\n"

/* Every preset on one path whose loss and buffer keep all of them busy: what their ways of control cost. */
#define ALGORITHM_CASE                                                                                                 \
    "duration: 200 s\n"                                                                                                \
    "path:\n"                                                                                                          \
    "  - {name: in, rate: 100 Mbit/s, delay: 1 ms}\n"                                                                  \
    "  - {name: backbone, rate: 10 Mbit/s, delay: 48 ms, queue: 80 packets, per: 1e-3, errors: both}\n"                \
    "  - {name: out, rate: 100 Mbit/s, delay: 1 ms}\n"                                                                 \
    "tcp: {dialect: rfc, algorithm: %s, mss: 1460 B, receive_window: 512 KiB, delayed_ack: false, handshake: false}\n" \
    "app: {kind: bulk}\n"
static const char algorithm_help[] = "1 flow, 10 Mbit/s, 100 ms, drop-tail 80 packets, PER 1e-3 both ways, 200 s";
static const char baseline[] = "sack"; /* what algorithms are compared with */

/* In the group of algorithms a case has the name of its preset, and no sweep of its own. */
struct bench_case {
    const char *name, *help, *sweep;
};

static const struct bench_case standard_cases[] = {
    {"newreno-1", "1 flow, newreno, 3 links 10 Mbit/s, 100 ms, BER 1e-7, window 44, 100 s", SINGLE_FLOW("newreno")},
    {"sack-1", "the same with sack", SINGLE_FLOW("sack")},
    {"newreno-10", "10 flows, shared 100 Mbit/s bottleneck, drop-tail 100 packets, 50 ms one way, window 300, 60 s",
     "duration: 60 s\n"
     "links:\n"
     "  access: {rate: 100 Mbit/s, delay: 1 ms}\n"
     "  bottleneck: {rate: 100 Mbit/s, delay: 48 ms, queue: 100 packets}\n"
     "  exit: {rate: 100 Mbit/s, delay: 1 ms}\n"
     "flows:\n"
     "  - {name: f, count: 10, via: [access*, bottleneck, exit*], start: {uniform: [0 s, 1 s]}}\n"
     "tcp: {dialect: rfc, algorithm: newreno, mss: 1460 B, receive_window: 438000 B, delayed_ack: false, "
     "handshake: false}\n"
     "app: {kind: bulk}\n"},
};

enum { STANDARD_CASES = sizeof standard_cases / sizeof standard_cases[0], REPEATS_MAX = 1000 };

struct request {
    bool json, algorithms;
    const char *only; /* case, NULL: all */
    const char *callgrind;
    int repeats;
};

/* A case ready to run. */
struct bench {
    struct sweep *sweep;
    struct scenario *sc;
    void *memory;
};

struct outcome {
    double ns_per_packet, instances_per_s;
    double relative;  /* to the baseline's ns_per_packet; 0 for standard cases */
    uint64_t packets; /* of replication 0 */
    size_t bytes;
};

static size_t case_count(void)
{
    return STANDARD_CASES + algorithm_count;
}

static bool is_algorithm(size_t i)
{
    return i >= STANDARD_CASES;
}

static struct bench_case case_at(size_t i)
{
    if (!is_algorithm(i))
        return standard_cases[i];
    return (struct bench_case){algorithm_table[i - STANDARD_CASES].name, algorithm_help, NULL};
}

static void print_help(void)
{
    printf("usage: tcpsweep bench [--algorithms] [--json] [--case NAME] [--repeat N] | --callgrind NAME\n"
           "Nanoseconds of user CPU per data packet (retransmissions included), one thread, median of N (5).\n\n");
    for (size_t i = 0; i < STANDARD_CASES; i++)
        printf("  %-16s %s\n", standard_cases[i].name, standard_cases[i].help);
    printf("  %-16s %s\n", "ALGORITHM", algorithm_help);
    printf("\nWith --algorithms or --json also a case for each of the algorithms (tcpsweep list algorithms), with its\n"
           "cost relative to %s.\n",
           baseline);
}

static void bench_close(struct bench *bench)
{
    free(bench->memory);
    free(bench->sc);
    if (bench->sweep)
        sweep_free(bench->sweep);
}

static int bench_open(struct bench *bench, size_t i, struct error *err)
{
    const struct bench_case which = case_at(i);
    char text[1024];
    *bench = (struct bench){0};
    if (is_algorithm(i))
        snprintf(text, sizeof text, ALGORITHM_CASE, which.name);
    else
        snprintf(text, sizeof text, "%s", which.sweep);
    if (sweep_load_text(&bench->sweep, which.name, text, err) < 0)
        return -1;
    bench->sc = sweep_scenario(bench->sweep, 0, err);
    if (!bench->sc)
        return -1;
    bench->memory = aligned_alloc(64, sim_bytes(bench->sc));
    return bench->memory ? 0 : error_set(err, EXIT_ENVIRONMENT, "out of memory");
}

/* Runs one replication; returns its data packets, 0 with *err on failure. */
static uint64_t run_replication(const struct bench *bench, uint32_t replication, struct error *err)
{
    struct sim_result result = {.flow = NULL};
    sim_run(bench->sc, sweep_random_key(bench->sweep, 0, replication), bench->memory, NULL, &result);
    if (result.status == SIM_OK)
        return result.packets;
    error_set(err, EXIT_SOME_FAILED, "replication %" PRIu32 ": %s", replication, sim_status_text(result.status));
    return 0;
}

static double user_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Median over the repeats; each repeats the same replications until 0.2 s have gone. */
static int measure(const struct bench *bench, int repeats, struct outcome *out, struct error *err)
{
    double ns[REPEATS_MAX], rate[REPEATS_MAX];
    out->packets = run_replication(bench, 0, err); /* also warms the caches */
    out->bytes = sim_bytes(bench->sc);
    if (out->packets == 0)
        return -1;
    for (int repeat = 0; repeat < repeats; repeat++) {
        double start = user_seconds(), used = 0;
        uint64_t packets = 0;
        uint32_t n = 0;
        while (used < 0.2) {
            uint64_t sent = run_replication(bench, n++, err);
            if (sent == 0)
                return -1;
            packets += sent;
            used = user_seconds() - start;
        }
        ns[repeat] = 1e9 * used / (double)packets;
        rate[repeat] = n / used;
    }
    qsort(ns, (size_t)repeats, sizeof ns[0], compare);
    qsort(rate, (size_t)repeats, sizeof rate[0], compare);
    out->ns_per_packet = ns[repeats / 2];
    out->instances_per_s = rate[repeats / 2];
    return 0;
}

/* Index of a case, or -1. */
static int find_case(const char *name, struct error *err)
{
    for (size_t i = 0; i < case_count(); i++)
        if (strcmp(case_at(i).name, name) == 0)
            return (int)i;
    return error_set(err, EXIT_BAD_INPUT, "unknown case `%s`, see tcpsweep bench --help", name);
}

/* Prints the packets of the counted replication. */
static int run_callgrind(const char *name, struct error *err)
{
    struct bench bench;
    int i = find_case(name, err);
    uint64_t packets = 0;
    if (i < 0)
        return -1;
    if (bench_open(&bench, (size_t)i, err) == 0) {
        CALLGRIND_START_INSTRUMENTATION;
        packets = run_replication(&bench, 0, err);
        CALLGRIND_STOP_INSTRUMENTATION;
    }
    bench_close(&bench);
    if (packets == 0)
        return -1;
    printf("%" PRIu64 "\n", packets);
    return 0;
}

static void print_outcome(const struct request *request, size_t i, const struct outcome *out, bool is_first)
{
    const char *name = case_at(i).name;
    char relative[32] = "";
    if (is_algorithm(i))
        snprintf(relative, sizeof relative, request->json ? ", \"relative\": %.3f" : "%.2f", out->relative);
    if (request->json)
        printf("%s{\"case\": \"%s\", \"ns_per_packet\": %.2f, \"packets\": %" PRIu64
               ", \"instances_per_s\": %.2f, \"bytes_per_instance\": %zu%s}",
               is_first ? "" : ",\n ", name, out->ns_per_packet, out->packets, out->instances_per_s, out->bytes,
               relative);
    else
        printf("%-16s %10.1f %8s %12" PRIu64 " %14.1f %14zu\n", name, out->ns_per_packet, relative, out->packets,
               out->instances_per_s, out->bytes);
    fflush(stdout);
}

static int measure_case(size_t i, int repeats, struct outcome *out, struct error *err)
{
    struct bench bench;
    int status = bench_open(&bench, i, err);
    if (status == 0)
        status = measure(&bench, repeats, out, err);
    bench_close(&bench);
    return status;
}

static bool is_wanted(const struct request *request, size_t i)
{
    if (request->only)
        return strcmp(request->only, case_at(i).name) == 0;
    return !is_algorithm(i) || request->algorithms || request->json;
}

static int run_cases(const struct request *request, struct error *err)
{
    bool is_first = true;
    struct outcome out, base = {0};
    if (request->only && find_case(request->only, err) < 0)
        return -1;
    if (request->json)
        printf("[");
    else
        printf("%-16s %10s %8s %12s %14s %14s\n", "case", "ns/packet", "/ sack", "packets", "instances/s",
               "bytes/instance");
    for (size_t i = 0; i < case_count(); i++) {
        if (!is_wanted(request, i))
            continue;
        if (is_algorithm(i) && base.packets == 0 &&
            measure_case((size_t)find_case(baseline, err), request->repeats, &base, err) < 0)
            return -1;
        if (measure_case(i, request->repeats, &out, err) < 0)
            return -1;
        out.relative = base.packets ? out.ns_per_packet / base.ns_per_packet : 0;
        print_outcome(request, i, &out, is_first);
        is_first = false;
    }
    if (request->json)
        printf("]\n");
    return 0;
}

/* Returns 1 if only help was asked for. */
static int read_options(int argc, char **argv, struct request *request, struct error *err)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'},
        {"algorithms", no_argument, NULL, 'a'},
        {"case", required_argument, NULL, 'c'},
        {"repeat", required_argument, NULL, 'r'},
        {"help", no_argument, NULL, 'h'},
        {"callgrind", required_argument, NULL, 'g'},
        {NULL, 0, NULL, 0},
    };
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'h')
            return 1;
        if (option == 'j')
            request->json = true;
        else if (option == 'a')
            request->algorithms = true;
        else if (option == 'c')
            request->only = optarg;
        else if (option == 'g')
            request->callgrind = optarg;
        else if (option != 'r')
            return error_set(err, EXIT_BAD_INPUT, "unknown option or missing value, see tcpsweep bench --help");
        else if ((request->repeats = atoi(optarg)) < 1 || request->repeats > REPEATS_MAX)
            return error_set(err, EXIT_BAD_INPUT, "--repeat: `%s`, expected 1 to %d", optarg, REPEATS_MAX);
    }
    if (optind < argc)
        return error_set(err, EXIT_BAD_INPUT, "unexpected `%s`, see tcpsweep bench --help", argv[optind]);
    return 0;
}

int cmd_bench(int argc, char **argv)
{
    struct error err;
    struct request request = {.repeats = 5};
    int status = read_options(argc, argv, &request, &err);
    if (status > 0)
        print_help();
    if (status == 0)
        status = request.callgrind ? run_callgrind(request.callgrind, &err) : run_cases(&request, &err);
    if (status < 0) {
        fprintf(stderr, "%s\n", err.text);
        return err.status;
    }
    return EXIT_DONE;
}
