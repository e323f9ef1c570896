/* cmd_list.c - `tcpsweep list`: everything that has a name, read from the tables that give it its meaning.
 *
 * One line each, for grep; on a terminal in lines that fit it.
 */
#include "cmd.h"

#include <stdio.h>
#include <string.h>

#include "../analysis/models/models.h"
#include "../kernels/registry.h"
#include "../kernels/sim.h"
#include "dialects.h"
#include "error.h"
#include "params.h"
#include "wrap.h"

enum { NAME_WIDTH = 18, METRIC_WIDTH = 28, KEY_WIDTH = 29 };

/* `  name   text`. */
static void print_line(int name_width, const char *name, const char *text)
{
    printf("  %-*s ", name_width, name);
    int used = (int)strlen(name) > name_width ? (int)strlen(name) : name_width;
    wrap_print(stdout, wrap_width(stdout), used + 3, name_width + 3, text);
}

static void print_entry(const char *name, const char *help, const char *source, const char *aliases)
{
    char text[1024];
    snprintf(text, sizeof text, "%s [%s]%s%s%s", help, source, aliases ? " (elsewhere: " : "", aliases ? aliases : "",
             aliases ? ")" : "");
    print_line(NAME_WIDTH, name, text);
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
        if (table[i].settings[0]) {
            char text[1024];
            snprintf(text, sizeof text, "= %s", table[i].settings);
            print_line(NAME_WIDTH, "", text);
        }
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

static void print_managed(void)
{
    print_registry((const void *const *)managed_list);
}

static void print_stations(void)
{
    print_registry((const void *const *)station_list);
}

static void print_apps(void)
{
    print_registry((const void *const *)app_list);
}

static void print_metrics(void)
{
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        char text[512];
        snprintf(text, sizeof text, "%s [%s]", metric_table[metric].help, metric_table[metric].unit);
        print_line(METRIC_WIDTH, metric_table[metric].name, text);
    }
}

static void print_models(void)
{
    for (const struct model *const *model = model_table; *model; model++)
        print_entry((*model)->name, (*model)->help, (*model)->source, NULL);
}

static void print_parameter(const struct param *param)
{
    char expected[512], range[128], text[1024];
    const char *fallback = param->fallback;
    param_expected(param, expected, sizeof expected);
    param_range(param, range, sizeof range);
    snprintf(text, sizeof text, "%s; %s%s%s%s%s%s", param->help, expected, range[0] ? ", " : "", range,
             fallback ? " [" : "", fallback ? fallback : "", fallback ? "]" : "");
    print_line(KEY_WIDTH, param->key, text);
}

static void print_parameters(void)
{
    for (const struct param_section *section = param_sections; section->prefix; section++) {
        char title[256];
        snprintf(title, sizeof title, "%s %s", section->prefix, section->help);
        putchar(' ');
        wrap_print(stdout, wrap_width(stdout), 1, 2, title);
        for (int row = section->first; row < section->end; row++)
            print_parameter(&param_table[row]);
    }
}

static const struct {
    const char *name, *where, *help, *bracket;
    void (*print)(void);
} groups[] = {
    {"algorithms", "tcp.algorithm", "presets of congestion control, loss recovery and options", "source",
     print_algorithms},
    {"cc", "tcp.cc", "congestion controls", "source", print_cc},
    {"recovery", "tcp.recovery", "ways of loss recovery", "source", print_recovery},
    {"dialects", "tcp.dialect", "the small choices in which implementations differ", "source", print_dialects},
    {"errors", "keys of a link", "error models", "source", print_errors},
    {"queues", "queue of a link", "queues", "source", print_queues},
    {"managed", "aqm of a link", "queue management that decides when a packet arrives", "source", print_managed},
    {"stations", "link with events of its own", "stations", "source", print_stations},
    {"apps", "app.kind", "applications", "source", print_apps},
    {"metrics", "datasets", "results of a replication", "unit", print_metrics},
    {"models", "datasets model_NAME", "analytic models; tcpsweep models evaluates them alone", "source", print_models},
    {"parameters", "sweep file, --set", "what a key is; what is expected", "default", print_parameters},
};

enum { GROUPS = sizeof groups / sizeof groups[0] };

static void print_names(FILE *file, const char *between)
{
    for (int i = 0; i < GROUPS; i++)
        fprintf(file, "%s%s", i ? between : "", groups[i].name);
}

static void print_help(void)
{
    printf("usage: tcpsweep list [GROUP...]\n"
           "Everything that has a name, with its source: one line each, broken to the width of a terminal.\n\n");
    for (int i = 0; i < GROUPS; i++)
        print_line(METRIC_WIDTH / 2, groups[i].name, groups[i].help);
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
    char title[256];
    snprintf(title, sizeof title, "%s (%s): %s [%s]", groups[i].name, groups[i].where, groups[i].help,
             groups[i].bracket);
    wrap_print(stdout, wrap_width(stdout), 0, 1, title);
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
