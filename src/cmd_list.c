/* cmd_list.c - `tcpsweep list`: everything that has a name, read from the tables that give it its meaning. */
#include "cmd.h"

#include <stdio.h>
#include <string.h>

#include "../analysis/models/models.h"
#include "../kernels/registry.h"
#include "../kernels/sim.h"
#include "dialects.h"
#include "error.h"
#include "params.h"

static void print_entry(const char *name, const char *help, const char *source, const char *aliases)
{
    printf("  %-22s %s [%s]", name, help, source);
    if (aliases)
        printf(" (elsewhere: %s)", aliases);
    putchar('\n');
}

static void print_registry(const void *const *list)
{
    for (; *list; list++) {
        const struct item *item = *list;
        print_entry(item->name, item->help, item->source, item->aliases);
    }
}

static void print_bundles(const struct bundle *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        print_entry(table[i].name, table[i].help, table[i].source, table[i].aliases);
        if (table[i].settings[0])
            printf("  %-22s   = %s\n", "", table[i].settings);
    }
}

static void print_algorithms(void)
{
    print_bundles(algorithm_table, algorithm_count);
}

static void print_dialects(void)
{
    print_bundles(dialect_table, dialect_count);
}

static void print_cc(void)
{
    print_registry((const void *const *)cc_list);
}

static void print_recovery(void)
{
    print_registry((const void *const *)recovery_list);
}

static void print_errors(void)
{
    print_registry((const void *const *)error_list);
}

static void print_queues(void)
{
    print_registry((const void *const *)queue_list);
}

static void print_apps(void)
{
    print_registry((const void *const *)app_list);
}

static void print_metrics(void)
{
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        printf("  %-30s %s [%s]\n", metric_table[metric].name, metric_table[metric].help, metric_table[metric].unit);
}

static void print_models(void)
{
    for (const struct model *const *model = model_table; *model; model++)
        print_entry((*model)->name, (*model)->help, (*model)->source, NULL);
}

static void print_parameter(const struct param *param)
{
    char expected[512], range[128];
    param_expected(param, expected, sizeof expected);
    param_range(param, range, sizeof range);
    printf("  %-26s %s; %s", param->key, param->help, expected);
    if (range[0])
        printf(", %s", range);
    if (param->fallback)
        printf(" [%s]", param->fallback);
    putchar('\n');
}

static void print_parameters(void)
{
    for (const struct param_section *section = param_sections; section->prefix; section++) {
        printf(" %s %s\n", section->prefix, section->help);
        for (int row = section->first; row < section->end; row++)
            print_parameter(&param_table[row]);
    }
}

static const struct {
    const char *name, *title;
    void (*print)(void);
} groups[] = {
    {"algorithms", "algorithms (tcp.algorithm): presets of congestion control, loss recovery and options [source]",
     print_algorithms},
    {"cc", "congestion control (tcp.cc) [source]", print_cc},
    {"recovery", "loss recovery (tcp.recovery) [source]", print_recovery},
    {"dialects", "dialects (tcp.dialect): the small choices in which implementations differ [source]", print_dialects},
    {"errors", "error models (keys of a link) [source]", print_errors},
    {"queues", "queues (queue of a link) [source]", print_queues},
    {"apps", "applications (app.kind) [source]", print_apps},
    {"metrics", "metrics of a replication [unit]", print_metrics},
    {"models", "analytic models (datasets model_NAME; tcpsweep models) [source]", print_models},
    {"parameters", "keys of a sweep file: what it is; what is expected [default]", print_parameters},
};

enum { GROUPS = sizeof groups / sizeof groups[0] };

static void print_names(FILE *file, const char *between)
{
    for (int i = 0; i < GROUPS; i++)
        fprintf(file, "%s%s", i ? between : "", groups[i].name);
}

static void print_help(void)
{
    printf("usage: tcpsweep list [GROUP...]\nEverything that has a name, with its source. Groups: ");
    print_names(stdout, ", ");
    putchar('\n');
}

static int find_group(const char *name)
{
    for (int i = 0; i < GROUPS; i++)
        if (strcmp(groups[i].name, name) == 0)
            return i;
    return -1;
}

static void print_group(int i)
{
    printf("%s\n", groups[i].title);
    groups[i].print();
    putchar('\n');
}

int cmd_list(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            print_help();
            return EXIT_DONE;
        }
        if (find_group(argv[i]) < 0) {
            fprintf(stderr, "tcpsweep list: unknown group `%s`, expected one of ", argv[i]);
            print_names(stderr, ", ");
            fputc('\n', stderr);
            return EXIT_BAD_INPUT;
        }
    }
    for (int i = 1; i < argc; i++)
        print_group(find_group(argv[i]));
    for (int i = 0; argc == 1 && i < GROUPS; i++)
        print_group(i);
    return EXIT_DONE;
}
