/* cmd_merge.c - `tcpsweep merge`: OUT.h5 from its journals, at any time. */
#include "cmd.h"
#include "store.h"

#include <dirent.h>
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FAILED_SHOWN = 20 };

struct merge {
    const char *output;
    bool partial, discard, force, help;
};

static void print_help(void)
{
    printf("usage: tcpsweep merge OUT.h5 [--partial] [--discard] [--force]\n"
           "Makes OUT.h5 from the journals in OUT.h5.journal, also while the sweep still runs.\n\n"
           "  --partial        also with points that are not complete yet\n"
           "  --discard        remove the journals afterwards (not with --partial)\n"
           "  --keep-journal   keep them (the default)\n"
           "  --force          replace an OUT.h5 that is there\n");
}

static int read_options(struct merge *m, int argc, char **argv, struct error *err)
{
    static const struct option options[] = {
        {"partial", no_argument, NULL, 'p'}, {"discard", no_argument, NULL, 'd'},
        {"force", no_argument, NULL, 'f'},   {"keep-journal", no_argument, NULL, 'k'},
        {"help", no_argument, NULL, 'h'},    {NULL, 0, NULL, 0}};
    bool keep = false;
    opterr = 0;
    for (int letter; (letter = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        if (letter == '?')
            return error_set(err, EXIT_BAD_INPUT, "%s: unknown option, see tcpsweep merge --help", argv[optind - 1]);
        m->partial = m->partial || letter == 'p';
        m->discard = m->discard || letter == 'd';
        m->force = m->force || letter == 'f';
        m->help = m->help || letter == 'h';
        keep = keep || letter == 'k';
    }
    if (m->help)
        return 0;
    if (m->discard && (m->partial || keep))
        return error_set(err, EXIT_BAD_INPUT, "--discard and %s: expected at most one of them",
                         keep ? "--keep-journal" : "--partial");
    if (optind != argc - 1)
        return error_set(err, EXIT_BAD_INPUT, "%d arguments, expected one output file, see tcpsweep merge --help",
                         argc - optind);
    m->output = argv[optind];
    return 0;
}

static int check_paths(const struct merge *m, struct error *err)
{
    if (!journal_exists(m->output))
        return error_set(err, EXIT_BAD_INPUT, "%s.journal: no journals there, expected those of a sweep run with -o %s",
                         m->output, m->output);
    if (!m->force && access(m->output, F_OK) == 0)
        return error_set(err, EXIT_BAD_INPUT, "%s: exists: give --force to replace it, or remove it", m->output);
    return 0;
}

static int write_output(const struct merge *m, struct run_info *info, const struct journal_set *set,
                        struct store_outcome *outcome, struct error *err)
{
    struct provenance prov = *store_run_info_provenance(info);
    const struct sweep *sweep = store_run_info_sweep(info);
    char now[32];
    const time_t t = time(NULL);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime(&t));
    prov.end_time = now;
    prov.cpu_s = journal_set_cpu_s(set);
    int failed = store_write(m->output, sweep, set, &prov, m->partial, outcome, err);
    if (!failed && outcome->failed > 0)
        failed = store_list_failed(sweep, set, FAILED_SHOWN, stderr, err);
    return failed;
}

static int merge_locked(const struct merge *m, struct store_outcome *outcome, struct error *err)
{
    struct run_info *info;
    struct journal_set *set = NULL;
    if (store_run_info_load(&info, m->output, err))
        return -1;
    const int failed = journal_set_open(&set, m->output, sweep_seed(store_run_info_sweep(info)), err) ||
                       write_output(m, info, set, outcome, err);
    journal_set_close(set);
    store_run_info_free(info);
    return failed ? -1 : 0;
}

/* Refuses while a run still holds the lock of a shard. */
static int check_no_runs(const char *output, struct error *err)
{
    char folder[4096];
    journal_path(folder, sizeof folder, output, NULL);
    DIR *entries = opendir(folder);
    int failed = 0;
    for (const struct dirent *entry; !failed && entries && (entry = readdir(entries));) {
        struct lock *lock;
        if (fnmatch("shard-*.lock", entry->d_name, 0) != 0)
            continue;
        failed = lock_acquire(&lock, output, entry->d_name, err);
        if (!failed)
            lock_release(lock);
    }
    if (entries)
        closedir(entries);
    return failed;
}

static int merge(const struct merge *m, struct store_outcome *outcome, struct error *err)
{
    struct lock *lock;
    if (check_paths(m, err) || lock_acquire(&lock, m->output, "merge.lock", err))
        return -1;
    int failed = (m->discard && check_no_runs(m->output, err)) || merge_locked(m, outcome, err);
    if (!failed && m->discard)
        failed = journal_discard(m->output, err);
    lock_release(lock);
    return failed ? -1 : 0;
}

static void report(const struct merge *m, const struct store_outcome *outcome)
{
    printf("%s: %" PRIu64 " points, %" PRIu64 " replications", m->output, outcome->points, outcome->replications);
    if (outcome->missing_points > 0)
        printf(", %" PRIu64 " points not complete", outcome->missing_points);
    if (outcome->failed > 0)
        printf(", %" PRIu64 " replications failed", outcome->failed);
    putchar('\n');
}

int cmd_merge(int argc, char **argv)
{
    struct merge m = {0};
    struct error err;
    struct store_outcome outcome = {0};
    if (read_options(&m, argc, argv, &err) || (!m.help && merge(&m, &outcome, &err))) {
        fprintf(stderr, "tcpsweep merge: %s\n", err.text);
        return (int)err.status;
    }
    if (m.help) {
        print_help();
        return EXIT_DONE;
    }
    report(&m, &outcome);
    return outcome.failed > 0 ? EXIT_SOME_FAILED : EXIT_DONE;
}
