/* main.c - the command line: finds the subcommand and runs it. */
#include "build.h"
#include "cmd.h"
#include "error.h"

#include <stdio.h>
#include <string.h>

struct command {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *help;
};

static const struct command commands[] = {
    {"run", cmd_run, "run a sweep: SWEEP.yaml -o OUT.h5"},
    {"plan", cmd_plan, "what a sweep would run and cost: SWEEP.yaml"},
    {"one", cmd_one, "one replication of one point, in detail: SWEEP.yaml"},
    {"show", cmd_show, "tables of the results: OUT.h5"},
    {"list", cmd_list, "algorithms, dialects, error models, queues, applications, metrics, models"},
    {"merge", cmd_merge, "make OUT.h5 from its journals: OUT.h5"},
    {"models", cmd_models, "evaluate the analytic models, no simulation"},
    {"bench", cmd_bench, "the standard benchmark"},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    printf("usage: tcpsweep SUBCOMMAND [arguments]\n"
           "TCP over lossy and congested paths, one packet at a time, very many times over.\n\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].help);
    printf("\ntcpsweep SUBCOMMAND --help says more; tcpsweep --version names the build.\n");
}

static void print_version(void)
{
    printf("tcpsweep %s (%s)\n%s\n%s\n", build_info.version, build_info.commit, build_info.compiler, build_info.flags);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "tcpsweep: no subcommand, expected one of run, plan, one, show, list, merge, models, bench\n");
        return EXIT_BAD_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help();
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        print_version();
        return EXIT_DONE;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].function(argc - 1, argv + 1);
    fprintf(stderr, "tcpsweep: unknown subcommand `%s`, see tcpsweep --help\n", argv[1]);
    return EXIT_BAD_INPUT;
}
