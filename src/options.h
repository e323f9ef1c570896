/* options.h - command line of the subcommands that take a sweep file (run, plan, one). */
#ifndef SRC_OPTIONS_H
#define SRC_OPTIONS_H

#include "sweep.h"

struct options {
    const char *command; /* run, plan, one */
    const char *path;    /* the sweep file */
    const char *output;  /* -o, or NULL */
    struct override *sets;
    uint32_t nsets;
    const char **set_texts; /* the same, as plain texts */
    uint64_t seed;
    uint32_t replications;
    bool has_seed, has_replications;
    uint32_t threads;        /* 0: not given */
    uint32_t shard, nshards; /* 1-based; 1 of 1 */
    double time_limit_s;     /* 0: none */
    uint32_t replication;    /* which one */
    double meter_s;          /* 0: none */
    const char *trace;       /* file, or NULL */
    bool resume, force, quiet, json, help;
};

/* Options by letter: o(utput) t(hreads) s(et) e (seed) n (replications) r(esume) f(orce) i (shard) l (time limit)
 * q(uiet) j(son) k (replication) m(eter) c (trace); those not in `allowed` are unknown. */
int options_parse(struct options *out, int argc, char **argv, const char *allowed, struct error *err);
void options_print(const char *allowed); /* their help, one line each */
void options_free(struct options *options);

/* Loads the sweep and applies --seed and --replications. */
int options_load_sweep(const struct options *options, struct sweep **out, struct error *err);

/* A whole subcommand: parses the command line, prints `usage` and the options for --help, or does `work`; prints the
 * error line. Returns the exit status. */
int options_command(int argc, char **argv, const char *allowed, const char *usage,
                    int (*work)(const struct options *options, struct error *err));

#endif
