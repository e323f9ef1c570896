/* packet_exact.c - runs the kernel on ns-2's drop-list cases and compares packet by packet.
 *
 *   packet_exact REFDIR [CASE...] [-v]
 *
 * REFDIR/index.csv lists the cases with their settings, REFDIR/CASE.csv holds what ns-2 did
 * (tests/reference/ns2/README.md says what the columns mean). Each case becomes a sweep file of dialect ns2 and is read
 * back through src/sweep.h, so the dialect's settings are checked too. New cases of the same form need no code.
 */
#include "../../kernels/sim.h"
#include "../../src/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS_MAX = 40, TEXT_BYTES = 512, INDEX_BYTES = 16384, MSS_BYTES = 960 };

#define TICK_S 0.01 /* ns-2's clock in the vectors */

/* --- small tools --- */

static void *grow(void *memory, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return memory;
    *room = *room ? *room * 2 : 1024;
    memory = realloc(memory, *room * size);
    if (!memory) {
        fputs("packet_exact: out of memory\n", stderr);
        exit(EXIT_ENVIRONMENT);
    }
    return memory;
}

/* Cuts a line at its commas in place; returns the number of fields. */
static int split(char *line, char **field)
{
    int n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    while (line && n < FIELDS_MAX)
        field[n++] = strsep(&line, ",");
    return n;
}

/* --- traces --- */

struct row {
    int64_t t_ps;
    size_t order;
    char event; /* letter of the vectors */
    int64_t a, b;
    double x; /* C H m s v */
};

struct trace {
    struct row *row;
    size_t n, room;
};

static void trace_add(struct trace *trace, struct row row)
{
    trace->row = grow(trace->row, trace->n, &trace->room, sizeof(struct row));
    row.order = trace->n;
    trace->row[trace->n++] = row;
}

static int64_t round_us(int64_t t_ps)
{
    return (t_ps + PS_PER_US / 2) / PS_PER_US;
}

/* By time; within one instant drops come first (they have no order against what the hosts do), then as they came. */
static int row_before(const void *left, const void *right)
{
    const struct row *l = left, *r = right;
    int64_t l_us = round_us(l->t_ps), r_us = round_us(r->t_ps);
    if (l_us != r_us)
        return l_us < r_us ? -1 : 1;
    int l_host = l->event != 'D' && l->event != 'L', r_host = r->event != 'D' && r->event != 'L';
    if (l_host != r_host)
        return l_host - r_host;
    return l->order < r->order ? -1 : l->order > r->order;
}

static void trace_sort(struct trace *trace)
{
    if (trace->n)
        qsort(trace->row, trace->n, sizeof(struct row), row_before);
}

static const struct {
    char event;
    double scale; /* of x, from the kernel's seconds to ns-2's units */
} translation[] = {
    [TRACE_SEND] = {'S', 1},
    [TRACE_DROP] = {'D', 1},
    [TRACE_ACK_DROP] = {'L', 1},
    [TRACE_ACK] = {'A', 1},
    [TRACE_CWND] = {'C', 1},
    [TRACE_SSTHRESH] = {'H', 1},
    [TRACE_FAST_RETRANSMIT] = {'F', 1},
    [TRACE_TIMEOUT] = {'T', 1},
    [TRACE_BACKOFF] = {'B', 1},
    [TRACE_RTT] = {'m', 1 / TICK_S},
    [TRACE_SRTT] = {'s', 8 / TICK_S},
    [TRACE_RTTVAR] = {'v', 4 / TICK_S},
};

static void take_row(void *ctx, const struct trace_row *from)
{
    if (from->event >= sizeof translation / sizeof translation[0] || !translation[from->event].event)
        return;
    struct row row = {.t_ps = from->t_ps, .event = translation[from->event].event, .a = from->a, .b = from->b};
    row.x = from->x * translation[from->event].scale;
    if (strchr("msv", row.event))
        row.x = nearbyint(row.x);
    trace_add(ctx, row);
}

static int trace_read(struct trace *trace, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return -1;
    }
    char line[TEXT_BYTES], *field[FIELDS_MAX];
    while (fgets(line, sizeof line, file)) {
        if (split(line, field) < 4 || strcmp(field[0], "t_us") == 0)
            continue;
        struct row row = {.t_ps = strtoll(field[0], NULL, 10) * PS_PER_US, .event = field[1][0]};
        row.a = strtoll(field[2], NULL, 10);
        row.b = strtoll(field[3], NULL, 10);
        row.x = strtod(field[2], NULL);
        trace_add(trace, row);
    }
    fclose(file);
    return 0;
}

/* --- comparison: a trace becomes lists of lines, which must be equal --- */

struct lines {
    char (*line)[64];
    size_t n, room;
};

static void lines_add(struct lines *lines, const char *text)
{
    lines->line = grow(lines->line, lines->n, &lines->room, sizeof *lines->line);
    snprintf(lines->line[lines->n++], sizeof *lines->line, "%s", text);
}

/* S, D, L, A rows in order. */
static void list_packets(struct lines *lines, const struct trace *trace, const char *kinds, int64_t end_ps)
{
    char text[64];
    for (const struct row *row = trace->row; row < trace->row + trace->n; row++) {
        if (!strchr(kinds, row->event) || row->t_ps >= end_ps)
            continue;
        int64_t t_us = round_us(row->t_ps);
        if (row->event == 'S')
            snprintf(text, sizeof text, "%" PRId64 " S %" PRId64 " %" PRId64, t_us, row->a, row->b);
        else
            snprintf(text, sizeof text, "%" PRId64 " %c %" PRId64, t_us, row->event, row->a);
        lines_add(lines, text);
    }
}

/* Times of F and T; times and factors of B above 1 (ns-2 does not report the return to 1). */
static void list_instants(struct lines *lines, const struct trace *trace, const char *kinds, int64_t end_ps)
{
    char text[64];
    for (const struct row *row = trace->row; row < trace->row + trace->n; row++) {
        if (!strchr(kinds, row->event) || row->t_ps >= end_ps || (row->event == 'B' && row->a == 1))
            continue;
        int64_t t_us = round_us(row->t_ps);
        snprintf(text, sizeof text, "%" PRId64 " %c %" PRId64, t_us, row->event, row->event == 'B' ? row->a : 0);
        lines_add(lines, text);
    }
}

/* The next row of a kind from `row` on, or NULL. */
static const struct row *next_of(const struct trace *trace, const struct row *row, char kind, int64_t end_ps)
{
    for (; row < trace->row + trace->n; row++) {
        if (row->event == kind && row->t_ps < end_ps)
            return row;
    }
    return NULL;
}

/* Value in force after each instant, to 6 digits, where it changes after the set-up at 0. */
static void list_states(struct lines *lines, const struct trace *trace, const char *kinds, int64_t end_ps)
{
    char before[32] = "", value[32], text[64];
    const struct row *next, *row = next_of(trace, trace->row, *kinds, end_ps);
    for (; row; row = next) {
        int64_t t_us = round_us(row->t_ps);
        next = next_of(trace, row + 1, *kinds, end_ps);
        snprintf(value, sizeof value, "%g", row->x);
        if ((next && round_us(next->t_ps) == t_us) || strcmp(value, before) == 0)
            continue;
        snprintf(before, sizeof before, "%s", value);
        snprintf(text, sizeof text, "%" PRId64 " %c %s", t_us, *kinds, value);
        if (t_us > 0)
            lines_add(lines, text);
    }
}

static const struct {
    const char *name, *kinds;
    void (*list)(struct lines *lines, const struct trace *trace, const char *kinds, int64_t end_ps);
} comparison[] = {
    {"packets", "SDLA", list_packets}, {"fast retransmits", "F", list_instants},
    {"timeouts", "T", list_instants},  {"backoff", "B", list_instants},
    {"ssthresh", "H", list_states},    {"cwnd", "C", list_states},
    {"RTT sample", "m", list_states},  {"8 srtt", "s", list_states},
    {"4 rttvar", "v", list_states},
};

enum { NCOMPARISONS = sizeof comparison / sizeof comparison[0] };

static bool has_event(const struct trace *trace, char event)
{
    return next_of(trace, trace->row, event, INT64_MAX) != NULL;
}

static void print_around(const char *side, const struct lines *lines, size_t at, size_t context)
{
    for (size_t i = at > context ? at - context : 0; i <= at + context && i <= lines->n; i++)
        printf("    %-8s %c %5zu: %s\n", side, i == at ? '>' : ' ', i, i < lines->n ? lines->line[i] : "(end)");
}

/* Compares one list; prints the first difference. */
static bool lines_equal(const char *name, const char *what, const struct lines *want, const struct lines *have,
                        size_t context)
{
    size_t i = 0;
    while (i < want->n && i < have->n && strcmp(want->line[i], have->line[i]) == 0)
        i++;
    if (i == want->n && i == have->n)
        return true;
    printf("%s: %s, row %zu: expected `%s`, got `%s`\n", name, what, i, i < want->n ? want->line[i] : "(end)",
           i < have->n ? have->line[i] : "(end)");
    print_around("expected", want, i, context);
    print_around("got", have, i, context);
    return false;
}

/* Compares everything that the reference recorded (`rand` cases have no A and C rows). */
static bool traces_equal(const char *name, const struct trace *want, const struct trace *have, int64_t end_ps,
                         size_t context)
{
    for (size_t i = 0; i < NCOMPARISONS; i++) {
        struct lines left = {0}, right = {0};
        const char *kinds = comparison[i].kinds;
        if (strchr("FCmsv", *kinds) && !has_event(want, *kinds)) /* Vegas has no F rows */
            continue;
        if (*kinds == 'S' && !has_event(want, 'A'))
            kinds = "SDL";
        comparison[i].list(&left, want, kinds, end_ps);
        comparison[i].list(&right, have, kinds, end_ps);
        bool equal = lines_equal(name, comparison[i].name, &left, &right, context);
        free(left.line);
        free(right.line);
        if (!equal)
            return false;
    }
    return true;
}

/* --- cases --- */

/* One line of index.csv by the names of its header. */
struct index_row {
    char text[INDEX_BYTES];
    char *field[FIELDS_MAX];
    char *const *header;
    int n;
};

static const char *get(const struct index_row *row, const char *name)
{
    for (int i = 0; i < row->n; i++) {
        if (strcmp(row->header[i], name) == 0)
            return row->field[i];
    }
    fprintf(stderr, "packet_exact: index.csv has no column %s\n", name);
    exit(EXIT_BAD_INPUT);
}

static const struct {
    const char *agent, *algorithm;
} agents[] = {{"Tahoe", "tahoe"}, {"Reno", "reno"},   {"Newreno", "newreno"},
              {"Sack1", "sack"},  {"Vegas", "vegas"}, {"Linux", "ns2_linux"}};

/* Linux's agent: cases CASE-MODULE-linux. It counts in ticks of 1 ms, ignores the initial ssthresh and takes the window
 * for the limit of cwnd, not of what may be outstanding. */
static bool is_linux(const struct index_row *row)
{
    return strcmp(get(row, "agent"), "Linux") == 0;
}

static const char *algorithm_of(const struct index_row *row)
{
    for (size_t i = 0; i < sizeof agents / sizeof agents[0]; i++) {
        if (strcmp(agents[i].agent, get(row, "agent")) == 0)
            return agents[i].algorithm;
    }
    return NULL;
}

/* `drops:` from a list of 0-based numbers of arrival. */
static void write_drops(FILE *file, const char *key, const char *ordinals)
{
    const char *separator = ", drops: [";
    char *end;
    for (long number = strtol(ordinals, &end, 10); end != ordinals; number = strtol(ordinals, &end, 10)) {
        fprintf(file, "%s{%s: %ld}", separator, key, number + 1);
        separator = ", ";
        ordinals = end;
    }
    fputs(*separator == ',' && separator[2] == '\0' ? "]}\n" : "}\n", file);
}

static void write_linux(FILE *file, const struct index_row *row, long window)
{
    const char *module = strchr(get(row, "case"), '-');
    int length = module ? (int)strcspn(module + 1, "-") : 0;
    fprintf(file, "  cwnd_max: %ld segments\n  cc: %.*s_linux26\n", window, length, module ? module + 1 : "");
}

static void write_tcp(FILE *file, const struct index_row *row)
{
    const char *sink = get(row, "sink");
    bool delayed = strlen(sink) >= 6 && strcmp(sink + strlen(sink) - 6, "delack") == 0;
    fprintf(file, "tcp:\n  dialect: ns2\n  algorithm: %s\n  mss: %d B\n  header: 40 B\n  ack_size: 40 B\n",
            algorithm_of(row), MSS_BYTES);
    long window = atol(get(row, "window"));
    fprintf(file, "  receive_window: %ld B\n  window_scaling: true\n", window * MSS_BYTES * (is_linux(row) ? 4 : 1));
    fprintf(file, "  initial_window: %s segments\n  initial_ssthresh: %s segments\n", get(row, "iw"),
            get(row, is_linux(row) ? "window" : "ssthresh0"));
    if (is_linux(row))
        write_linux(file, row, window);
    fprintf(file, "  limited_transmit: %s\n", atoi(get(row, "limited_transmit")) ? "true" : "false");
    fprintf(file, "  multiple_fast_retransmit: %s\n", atoi(get(row, "bugfix")) ? "false" : "true");
    fprintf(file, "  timestamps: %s\n", atoi(get(row, "ts")) ? "true" : "false");
    fprintf(file, "  delayed_ack: %s\n", delayed ? "true" : "false");
    if (delayed)
        fputs("  delayed_ack_timeout: 100 ms\n  delayed_ack_segments: 2\n", file);
    fprintf(file, "  initial_rto: 1 s\n  min_rto: %s s\n  max_rto: 60 s\n  rto_granularity: %s\n", get(row, "minrto_s"),
            is_linux(row) ? "1 ms" : "10 ms");
    fprintf(file, "  sack_blocks: %s\n", get(row, "maxsack"));
}

static void write_sweep(FILE *file, const struct index_row *row)
{
    const char *packets = get(row, "maxpkts");
    fprintf(file, "name: %s\nduration: %s s\nstart_jitter: 0 s\nreplications: 1\npath:\n", get(row, "case"),
            get(row, "stop_s"));
    fprintf(file, "  - {name: in, rate: %s bit/s, delay: 0.1 ms", get(row, "access_bps"));
    write_drops(file, "packet", get(row, "data_drop_ordinals"));
    fprintf(file, "  - {name: mid, rate: 0.8 Mbit/s, delay: 100 ms, queue: %d packets}\n", atoi(get(row, "queue")) - 1);
    fputs("  - {name: out, rate: 8 Mbit/s, delay: 0.1 ms", file);
    write_drops(file, "ack", get(row, "ack_drop_ordinals"));
    write_tcp(file, row);
    if (*packets)
        fprintf(file, "app: {kind: file, size: %ld B}\n", atol(packets) * MSS_BYTES);
    else
        fputs("app: {kind: bulk}\n", file);
}

/* The case as a sweep file, loaded. */
static int load_case(struct sweep **sweep, const struct index_row *row, struct error *err)
{
    char path[] = "/tmp/packet_exact_XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file)
        return error_set(err, EXIT_ENVIRONMENT, "%s: cannot be written", path);
    write_sweep(file, row);
    fclose(file);
    int status = sweep_load(sweep, path, NULL, 0, err);
    unlink(path);
    return status;
}

static bool simulate(const char *name, const struct scenario *scenario, struct trace *trace)
{
    struct sim_trace hook = {.row = take_row, .ctx = trace};
    struct sim_result result = {0};
    void *memory = aligned_alloc(64, sim_bytes(scenario));
    if (!memory) {
        printf("%s: no memory for an instance of %zu bytes\n", name, sim_bytes(scenario));
        return false;
    }
    sim_run(scenario, (struct sim_key){{0, 0}}, memory, &hook, &result);
    free(memory);
    if (result.status != SIM_OK)
        printf("%s: %s\n", name, sim_status_text(result.status));
    return result.status == SIM_OK;
}

/* Linux's agent reports its initial ssthresh with the first ACK only. */
static void drop_setup(struct trace *trace)
{
    const struct row *first = next_of(trace, trace->row, 'A', INT64_MAX);
    for (struct row *row = trace->row; first && row < trace->row + trace->n; row++)
        if (row->event == 'H' && row->t_ps == first->t_ps)
            row->event = ' ';
}

static bool check_case(const char *directory, const struct index_row *row, size_t context)
{
    const char *name = get(row, "case");
    char path[2 * TEXT_BYTES];
    struct error err = {0};
    struct trace want = {0}, have = {0};
    struct sweep *sweep = NULL; /* the scenario refers to it */
    snprintf(path, sizeof path, "%s/%s.csv", directory, name);
    struct scenario *scenario = load_case(&sweep, row, &err) == 0 ? sweep_scenario(sweep, 0, &err) : NULL;
    bool passed = scenario && trace_read(&want, path) == 0 && simulate(name, scenario, &have);
    if (!scenario)
        printf("%s: %s\n", name, err.text);
    if (passed) {
        trace_sort(&want);
        if (is_linux(row))
            drop_setup(&want);
        trace_sort(&have);
        int64_t end_ps = (int64_t)llround(strtod(get(row, "stop_s"), NULL) * 1e6) * PS_PER_US;
        passed = traces_equal(name, &want, &have, end_ps, context);
    }
    free(scenario);
    if (sweep)
        sweep_free(sweep);
    free(want.row);
    free(have.row);
    return passed;
}

/* --- main --- */

struct options {
    const char *directory;
    char *const *wanted;
    int nwanted;
    bool verbose;
};

static struct options parse(int argc, char **argv)
{
    struct options options = {0};
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0)
            options.verbose = true;
        else
            argv[kept++] = argv[i];
    }
    options.directory = kept > 1 ? argv[1] : NULL;
    options.wanted = argv + 2;
    options.nwanted = kept - 2;
    return options;
}

static bool is_wanted(const struct options *options, const char *name)
{
    for (int i = 0; i < options->nwanted; i++) {
        if (strcmp(options->wanted[i], name) == 0)
            return true;
    }
    return options->nwanted <= 0;
}

static FILE *open_index(const char *directory, char *line, size_t size, char **header)
{
    char path[2 * TEXT_BYTES];
    snprintf(path, sizeof path, "%s/index.csv", directory);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, (int)size, file)) {
        perror(path);
        exit(EXIT_BAD_INPUT);
    }
    split(line, header);
    return file;
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    if (!options.directory) {
        fputs("usage: packet_exact REFDIR [CASE...] [-v]\n", stderr);
        return EXIT_BAD_INPUT;
    }
    char header_line[INDEX_BYTES], *header[FIELDS_MAX];
    FILE *file = open_index(options.directory, header_line, sizeof header_line, header);
    struct index_row row = {.header = header};
    unsigned passed = 0, failed = 0, skipped = 0;
    while (fgets(row.text, sizeof row.text, file)) {
        row.n = split(row.text, row.field);
        const char *name = get(&row, "case");
        if (!is_wanted(&options, name))
            continue;
        if (!algorithm_of(&row)) {
            skipped++;
            if (options.verbose)
                printf("%s: skipped (%s: later issue)\n", name, get(&row, "agent"));
            continue;
        }
        bool ok = check_case(options.directory, &row, options.verbose ? 12 : 4);
        *(ok ? &passed : &failed) += 1;
        if (ok && options.verbose)
            printf("%s: passed\n", name);
    }
    fclose(file);
    if (skipped)
        printf("%u cases of Linux agents skipped: later issue\n", skipped);
    printf("%u passed, %u failed\n", passed, failed);
    return failed || !passed ? EXIT_ENVIRONMENT : EXIT_DONE;
}
