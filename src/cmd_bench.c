/* cmd_bench.c - `tcpsweep bench`: the standard benchmark, user CPU of one thread.
 *
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

static const struct bench_case {
    const char *name, *help, *sweep;
} cases[] = {
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

enum { CASES = sizeof cases / sizeof cases[0], REPEATS_MAX = 1000 };

struct request {
    bool json;
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
    uint64_t packets; /* of replication 0 */
    size_t bytes;
};

static void print_help(void)
{
    printf("usage: tcpsweep bench [--json] [--case NAME] [--repeat N] | --callgrind CASE\n"
           "Nanoseconds of user CPU per data packet (retransmissions included), one thread, median of N (5).\n\n");
    for (int i = 0; i < CASES; i++)
        printf("  %-12s %s\n", cases[i].name, cases[i].help);
}

static void bench_close(struct bench *bench)
{
    free(bench->memory);
    free(bench->sc);
    if (bench->sweep)
        sweep_free(bench->sweep);
}

static int bench_open(struct bench *bench, const struct bench_case *which, struct error *err)
{
    *bench = (struct bench){0};
    if (sweep_load_text(&bench->sweep, which->name, which->sweep, err) < 0)
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

static const struct bench_case *find_case(const char *name, struct error *err)
{
    for (int i = 0; i < CASES; i++)
        if (strcmp(cases[i].name, name) == 0)
            return &cases[i];
    error_set(err, EXIT_BAD_INPUT, "unknown case `%s`, see tcpsweep bench --help", name);
    return NULL;
}

/* Prints the packets of the counted replication. */
static int run_callgrind(const char *name, struct error *err)
{
    struct bench bench;
    const struct bench_case *which = find_case(name, err);
    if (!which)
        return -1;
    uint64_t packets = 0;
    if (bench_open(&bench, which, err) == 0) {
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

static void print_outcome(const struct request *request, const struct bench_case *which, const struct outcome *out,
                          bool is_first)
{
    if (request->json)
        printf("%s{\"case\": \"%s\", \"ns_per_packet\": %.2f, \"packets\": %" PRIu64
               ", \"instances_per_s\": %.2f, \"bytes_per_instance\": %zu}",
               is_first ? "" : ",\n ", which->name, out->ns_per_packet, out->packets, out->instances_per_s, out->bytes);
    else
        printf("%-12s %12.1f %12" PRIu64 " %14.1f %14zu\n", which->name, out->ns_per_packet, out->packets,
               out->instances_per_s, out->bytes);
    fflush(stdout);
}

static int run_cases(const struct request *request, struct error *err)
{
    bool is_first = true;
    if (request->only && !find_case(request->only, err))
        return -1;
    if (request->json)
        printf("[");
    else
        printf("%-12s %12s %12s %14s %14s\n", "case", "ns/packet", "packets", "instances/s", "bytes/instance");
    for (int i = 0; i < CASES; i++) {
        struct bench bench;
        struct outcome outcome;
        if (request->only && strcmp(request->only, cases[i].name) != 0)
            continue;
        int status = bench_open(&bench, &cases[i], err);
        if (status == 0)
            status = measure(&bench, request->repeats, &outcome, err);
        bench_close(&bench);
        if (status < 0)
            return -1;
        print_outcome(request, &cases[i], &outcome, is_first);
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
        {"json", no_argument, NULL, 'j'},         {"case", required_argument, NULL, 'c'},
        {"repeat", required_argument, NULL, 'r'}, {"callgrind", required_argument, NULL, 'g'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
    };
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'h')
            return 1;
        if (option == 'j')
            request->json = true;
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
