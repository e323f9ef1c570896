/* options.c - one table of options, with getopt_long. */
#include "options.h"
#include "units.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    char letter;
    const char *name, *value, *help;
};

static const struct row rows[] = {
    {'o', "output", "OUT.h5", "where the results go (also -o)"},
    {'t', "threads", "N", "threads of each rank (default: the CPUs this rank may use)"},
    {'s', "set", "KEY=V[,V...]", "set a key, or the values of an axis; several values make a new axis"},
    {'e', "seed", "S", "instead of the file's seed"},
    {'n', "replications", "N", "so many of each point, instead of the file's rule"},
    {'r', "resume", NULL, "keep what has been run and run what is missing"},
    {'f', "force", NULL, "throw away what is there and start afresh"},
    {'i', "shard", "I/N", "only the I-th of N parts of the sweep; merge them at the end"},
    {'l', "time-limit", "T", "stop in order after so long, such as 50 min (default: Slurm's end time)"},
    {'k', "replication", "K", "which replication (0)"},
    {'m', "meter", "INTERVAL", "a line per interval, such as 1s: Mbit/s, cwnd, ssthresh, rtt, retransmissions"},
    {'c', "trace", "FILE.csv", "every event in time order"},
    {'q', "quiet", NULL, "no progress and no table"},
    {'j', "json", NULL, "print JSON"},
    {'h', "help", NULL, "this text"},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static bool is_allowed(const struct row *row, const char *allowed)
{
    return row->letter == 'h' || strchr(allowed, row->letter);
}

void options_print(const char *allowed)
{
    for (int i = 0; i < ROWS; i++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", rows[i].name, rows[i].value ? " " : "",
                 rows[i].value ? rows[i].value : "");
        if (is_allowed(&rows[i], allowed))
            printf("  %-20s %s\n", left, rows[i].help);
    }
}

/* --- values ------------------------------------------------------------------------------------------------------ */

static int read_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *out,
                       struct error *err)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || *out < least || *out > most)
        return error_set(err, EXIT_BAD_INPUT, "--%s: `%s`, expected a whole number from %" PRIu64 " to %" PRIu64,
                         option, text, least, most);
    return 0;
}

static int read_u32(const char *option, const char *text, uint32_t most, uint32_t *out, struct error *err)
{
    uint64_t number;
    if (read_number(option, text, 1, most, &number, err))
        return -1;
    *out = (uint32_t)number;
    return 0;
}

static int read_replication(struct options *o, const char *text, struct error *err)
{
    uint64_t number;
    if (read_number("replication", text, 0, UINT32_MAX, &number, err))
        return -1;
    o->replication = (uint32_t)number;
    return 0;
}

static int read_shard(struct options *o, const char *text, struct error *err)
{
    char *end;
    unsigned long shard = strtoul(text, &end, 10), nshards = 0;
    if (*text >= '0' && *text <= '9' && *end == '/' && end[1] >= '0' && end[1] <= '9')
        nshards = strtoul(end + 1, &end, 10);
    if (*end || shard < 1 || shard > nshards || nshards > 100000)
        return error_set(err, EXIT_BAD_INPUT, "--shard: `%s`, expected I/N such as 1/4, with I from 1 to N", text);
    o->shard = (uint32_t)shard;
    o->nshards = (uint32_t)nshards;
    return 0;
}

static int read_time(const char *option, const char *text, double least_s, double *out_s, struct error *err)
{
    struct quantity duration;
    char why[512];
    if (units_parse(text, UNIT_BIT(UNIT_TIME), &duration, why, sizeof why))
        return error_set(err, EXIT_BAD_INPUT, "--%s: %s", option, why);
    if (!(duration.value > 0 && duration.value >= least_s && duration.value < 1e9))
        return error_set(err, EXIT_BAD_INPUT, "--%s: `%s`, expected more than %g s", option, text, least_s);
    *out_s = duration.value;
    return 0;
}

static void add_set(struct options *o, const char *text)
{
    o->sets[o->nsets].text = text;
    o->set_texts[o->nsets++] = text;
}

static int read_option(struct options *o, int letter, const char *value, struct error *err)
{
    switch (letter) {
    case 'o':
        o->output = value;
        return *value ? 0 : error_set(err, EXIT_BAD_INPUT, "--output: empty, expected a file name");
    case 's':
        add_set(o, value);
        return 0;
    case 't':
        return read_u32("threads", value, 4096, &o->threads, err);
    case 'e':
        o->has_seed = true;
        return read_number("seed", value, 0, UINT64_MAX, &o->seed, err);
    case 'n':
        o->has_replications = true;
        return read_u32("replications", value, 1000000000, &o->replications, err);
    case 'i':
        return read_shard(o, value, err);
    case 'l':
        return read_time("time-limit", value, 0, &o->time_limit_s, err);
    case 'k':
        return read_replication(o, value, err);
    case 'm':
        return read_time("meter", value, 1e-6, &o->meter_s, err);
    case 'c':
        o->trace = value;
        return 0;
    case 'r':
        o->resume = true;
        return 0;
    case 'f':
        o->force = true;
        return 0;
    case 'q':
        o->quiet = true;
        return 0;
    case 'j':
        o->json = true;
        return 0;
    default:
        o->help = true;
        return 0;
    }
}

/* --- the command line -------------------------------------------------------------------------------------------- */

static int read_all(struct options *o, int argc, char **argv, const char *allowed, struct error *err)
{
    struct option table[ROWS + 1] = {0};
    int n = 0, letter;
    for (int i = 0; i < ROWS; i++)
        if (is_allowed(&rows[i], allowed))
            table[n++] =
                (struct option){rows[i].name, rows[i].value ? required_argument : no_argument, NULL, rows[i].letter};
    opterr = 0;
    while ((letter = getopt_long(argc, argv, strchr(allowed, 'o') ? ":o:" : ":", table, NULL)) != -1) {
        if (letter == ':')
            return error_set(err, EXIT_BAD_INPUT, "%s: a value is missing, see tcpsweep %s --help", argv[optind - 1],
                             o->command);
        if (letter == '?')
            return error_set(err, EXIT_BAD_INPUT, "%s: unknown option, see tcpsweep %s --help", argv[optind - 1],
                             o->command);
        if (read_option(o, letter, optarg, err))
            return -1;
    }
    if (o->help)
        return 0;
    if (optind != argc - 1)
        return error_set(err, EXIT_BAD_INPUT, "%d arguments, expected one sweep file, see tcpsweep %s --help",
                         argc - optind, o->command);
    o->path = argv[optind];
    if (o->resume && o->force)
        return error_set(err, EXIT_BAD_INPUT, "--resume and --force: expected at most one of them");
    if (o->force && o->nshards > 1)
        return error_set(
            err, EXIT_BAD_INPUT,
            "--force and --shard: would throw away the other shards' journals; expected the old ones to be "
            "removed before the first shard starts");
    return 0;
}

int options_parse(struct options *o, int argc, char **argv, const char *allowed, struct error *err)
{
    *o = (struct options){.command = argv[0], .shard = 1, .nshards = 1};
    o->sets = calloc((size_t)argc, sizeof *o->sets);
    o->set_texts = calloc((size_t)argc, sizeof *o->set_texts);
    int failed = o->sets && o->set_texts ? read_all(o, argc, argv, allowed, err)
                                         : error_set(err, EXIT_ENVIRONMENT, "out of memory");
    if (failed)
        options_free(o);
    return failed;
}

void options_free(struct options *o)
{
    free(o->sets);
    free(o->set_texts);
    o->sets = NULL;
    o->set_texts = NULL;
}

int options_load_sweep(const struct options *o, struct sweep **out, struct error *err)
{
    if (sweep_load(out, o->path, o->sets, o->nsets, err))
        return -1;
    if (o->has_seed)
        sweep_set_seed(*out, o->seed);
    if (o->has_replications)
        sweep_set_replications(*out, o->replications);
    return 0;
}

int options_command(int argc, char **argv, const char *allowed, const char *usage,
                    int (*work)(const struct options *options, struct error *err))
{
    struct error err;
    struct options options;
    int failed = options_parse(&options, argc, argv, allowed, &err);
    if (!failed && options.help) {
        fputs(usage, stdout);
        options_print(allowed);
    } else if (!failed) {
        failed = work(&options, &err);
    }
    if (failed)
        fprintf(stderr, "%s\n", err.text);
    options_free(&options);
    return failed ? (int)err.status : EXIT_DONE;
}
