/* output.c - checks before, HDF5 after. */
#include "output.h"
#include "store_restore.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FAILED_SHOWN = 20, PATH_BYTES = 4096 };

/* --- before ------------------------------------------------------------------------------------------------------ */

static int check_folder(const char *output, struct error *err)
{
    char folder[PATH_BYTES];
    struct stat st;
    const char *slash = strrchr(output, '/');
    size_t length = slash ? (size_t)(slash - output) : 1;
    if (length >= sizeof folder)
        return error_set(err, EXIT_BAD_INPUT, "output: path of %zu bytes is too long", strlen(output));
    snprintf(folder, sizeof folder, "%.*s", (int)length, slash ? output : ".");
    if (length == 0)
        strcpy(folder, "/");
    if (stat(folder, &st) != 0)
        return error_set(err, EXIT_BAD_INPUT, "%s: %s, expected a folder to write %s to", folder, strerror(errno),
                         output);
    if (!S_ISDIR(st.st_mode))
        return error_set(err, EXIT_BAD_INPUT, "%s: is not a folder, expected one to write %s to", folder, output);
    if (access(folder, W_OK | X_OK) != 0)
        return error_set(err, EXIT_ENVIRONMENT, "%s: cannot write to this folder: %s", folder, strerror(errno));
    if ((slash && slash[1] == 0) || (stat(output, &st) == 0 && !S_ISREG(st.st_mode)))
        return error_set(err, EXIT_BAD_INPUT, "%s: is not a file, expected the name of an HDF5 file such as out.h5",
                         output);
    return 0;
}

/* Whether there are journals in the way of this shard: its own, or of another division into shards. */
static bool journals_in_the_way(const struct options *options)
{
    char path[PATH_BYTES];
    bool found = false;
    journal_path(path, sizeof path, options->output, NULL);
    DIR *folder = opendir(path);
    if (!folder)
        return false;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        unsigned shard, nshards;
        if (sscanf(entry->d_name, "shard-%u-of-%u.rank", &shard, &nshards) == 2 && strstr(entry->d_name, ".jrn"))
            found = found || nshards != options->nshards || shard == options->shard;
    }
    closedir(folder);
    return found;
}

static int check_free(const struct options *options, struct error *err)
{
    struct stat st;
    const char *in_the_way = "";
    bool exists = stat(options->output, &st) == 0;
    if (options->resume || options->force)
        return 0;
    if (!exists && journals_in_the_way(options))
        in_the_way = ".journal";
    if (!exists && !*in_the_way)
        return 0;
    return error_set(err, EXIT_BAD_INPUT,
                     "%s%s: exists, expected a new output; --resume keeps what has been run and runs what is missing, "
                     "--force starts afresh",
                     options->output, in_the_way);
}

/* With --resume, what a finished output holds need not run again although its journals have gone. */
static int restore(const struct options *options, uint64_t seed, struct error *err)
{
    struct journal *journal;
    struct stat st;
    uint64_t restored;
    if (!options->resume || journal_exists(options->output) || stat(options->output, &st) != 0)
        return 0;
    if (journal_open(&journal, options->output, options->shard, options->nshards, 0, seed, err))
        return -1;
    int failed = store_restore(options->output, seed, journal, &restored, err);
    failed = journal_close(journal, failed ? &(struct error){0} : err) || failed;
    if (failed)
        journal_discard(options->output, &(struct error){0}); /* the output itself is as it was */
    else if (restored == 0)
        fprintf(stderr, "%s: its replications are not kept in it, and the journals are gone: all of them run again\n",
                options->output);
    return failed ? -1 : 0;
}

int output_prepare(const struct options *options, uint64_t seed, struct lock **lock, struct error *err)
{
    char name[64];
    *lock = NULL;
    if (check_folder(options->output, err) || check_free(options, err))
        return -1;
    snprintf(name, sizeof name, "shard-%u-of-%u.lock", options->shard, options->nshards);
    if (lock_acquire(lock, options->output, name, err))
        return -1;
    if (!options->force || !journal_exists(options->output))
        return restore(options, seed, err);
    lock_release(*lock); /* lies in the folder that goes */
    *lock = NULL;
    return journal_discard(options->output, err) || lock_acquire(lock, options->output, name, err) ? -1 : 0;
}

void output_release(const struct options *options, struct lock *lock)
{
    char folder[PATH_BYTES];
    if (!lock)
        return;
    lock_release(lock);
    journal_path(folder, sizeof folder, options->output, NULL);
    rmdir(folder); /* goes only if nothing has been written */
}

/* --- after ------------------------------------------------------------------------------------------------------- */

static int write_file(const struct options *options, const struct sweep *sweep, struct provenance *prov,
                      struct store_outcome *outcome, struct error *err)
{
    struct journal_set *set;
    if (journal_set_open(&set, options->output, sweep_seed(sweep), err))
        return -1;
    prov->cpu_s = journal_set_cpu_s(set);
    int failed = store_write(options->output, sweep, set, prov, false, outcome, err);
    if (!failed && outcome->failed > 0) {
        fprintf(stderr, "%llu replications failed:\n", (unsigned long long)outcome->failed);
        failed = store_list_failed(sweep, set, FAILED_SHOWN, stderr, err);
    }
    journal_set_close(set);
    return failed;
}

int output_finish(const struct options *options, const struct sweep *sweep, struct provenance *prov,
                  struct store_outcome *outcome, struct error *err)
{
    struct lock *merging;
    if (lock_acquire(&merging, options->output, "merge.lock", err))
        return -1;
    int failed = write_file(options, sweep, prov, outcome, err);
    if (!failed && !sweep_keep_journal(sweep))
        failed = journal_discard(options->output, err);
    lock_release(merging);
    return failed;
}
