/* store_info.c - what a sweep was run with, kept beside its journals. */
#define _GNU_SOURCE /* asprintf */
#include "store_info.h"
#include "journal_format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct run_info {
    struct sweep *sweep;
    struct provenance provenance;
    char *sets, *run;      /* text of the files, cut into lines */
    const char **set_list; /* into `sets` */
};

static int out_of_memory(struct error *err)
{
    return error_set(err, EXIT_ENVIRONMENT, "out of memory");
}

/* --- files ------------------------------------------------------------------------------------------------------- */

/* Whole file as text; NULL with errno. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    char part[4096];
    for (size_t n; memory && (n = fread(part, 1, sizeof part, file)) > 0;)
        fwrite(part, 1, n, memory);
    if (memory)
        fclose(memory);
    fclose(file);
    return text;
}

/* By another name first, one of this process: two shards may write the same file at the same time. */
static int replace_file(const char *output, const char *name, const char *text, struct error *err)
{
    char path[JOURNAL_PATH_BYTES], temporary[JOURNAL_PATH_BYTES], own_name[128], host[65] = "";
    gethostname(host, sizeof host - 1);
    snprintf(own_name, sizeof own_name, "%s.%s.%ld", name, host, (long)getpid());
    journal_path(path, sizeof path, output, name);
    journal_path(temporary, sizeof temporary, output, own_name);
    FILE *file = fopen(temporary, "w");
    bool failed = !file || fputs(text, file) < 0 || fflush(file) != 0 || fsync(fileno(file)) != 0;
    if (file)
        failed = fclose(file) != 0 || failed;
    if (!failed && rename(temporary, path) == 0)
        return 0;
    const int reason = errno;
    unlink(temporary);
    return error_set(err, EXIT_ENVIRONMENT, "%s: cannot write: %s", path, strerror(reason));
}

static int append_line(const char *output, const char *name, const char *line, struct error *err)
{
    char path[JOURNAL_PATH_BYTES];
    journal_path(path, sizeof path, output, name);
    FILE *file = fopen(path, "a");
    const bool failed = !file || fprintf(file, "%s\n", line) < 0;
    if (file && fclose(file) == 0 && !failed)
        return 0;
    return error_set(err, EXIT_ENVIRONMENT, "%s: cannot write: %s", path, strerror(errno));
}

/* --- texts ------------------------------------------------------------------------------------------------------- */

char *store_info_sets(const struct provenance *prov)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return NULL;
    for (uint32_t i = 0; i < prov->nsets; i++)
        fprintf(memory, "%s\n", prov->sets[i]);
    return fclose(memory) == 0 ? text : NULL;
}

static char *history_line(const struct provenance *prov)
{
    char *line = NULL;
    return asprintf(&line, "%s %s", prov->start_time, prov->command_line) < 0 ? NULL : line;
}

char *store_info_history(const char *output, const struct provenance *prov)
{
    char path[JOURNAL_PATH_BYTES];
    journal_path(path, sizeof path, output, "history");
    char *text = read_file(path);
    return text ? text : history_line(prov);
}

/* --- saving ------------------------------------------------------------------------------------------------------ */

static int save_run(const char *output, const struct sweep *sweep, const struct provenance *prov, struct error *err)
{
    const struct replication_rule *rule = sweep_replications(sweep);
    char *text = NULL;
    const int length = asprintf(&text,
                                "seed %" PRIu64 "\nreplications %u\nhosts %u\nranks %u\nthreads %u\nstart %s\n"
                                "command %s\n",
                                sweep_seed(sweep), rule->min == rule->max ? rule->min : 0, prov->nhosts, prov->nranks,
                                prov->nthreads, prov->start_time, prov->command_line);
    if (length < 0)
        return out_of_memory(err);
    const int failed = replace_file(output, "run", text, err);
    free(text);
    return failed;
}

int store_run_info_save(const char *output, const struct sweep *sweep, const struct provenance *prov, struct error *err)
{
    if (journal_make_folder(output, err))
        return -1;
    char *sets = store_info_sets(prov), *line = history_line(prov);
    int failed = sets && line ? 0 : out_of_memory(err);
    failed = failed || replace_file(output, "sweep.yaml", sweep_text(sweep), err) ||
             replace_file(output, "sets", sets, err) || save_run(output, sweep, prov, err) ||
             append_line(output, "history", line, err);
    free(sets);
    free(line);
    return failed ? -1 : 0;
}

/* --- loading ----------------------------------------------------------------------------------------------------- */

static int read_info_file(char **text, const char *output, const char *name, struct error *err)
{
    char path[JOURNAL_PATH_BYTES];
    journal_path(path, sizeof path, output, name);
    *text = read_file(path);
    return *text ? 0 : error_set(err, EXIT_BAD_INPUT, "%s: cannot read: %s", path, strerror(errno));
}

static int split_sets(struct run_info *info, struct error *err)
{
    uint32_t lines = 0;
    for (const char *at = info->sets; (at = strchr(at, '\n')); at++)
        lines++;
    info->set_list = calloc(lines + 1, sizeof *info->set_list);
    if (!info->set_list)
        return out_of_memory(err);
    char *rest = info->sets;
    for (uint32_t i = 0; i < lines; i++)
        info->set_list[i] = strsep(&rest, "\n");
    info->provenance.sets = info->set_list;
    info->provenance.nsets = lines;
    return 0;
}

/* Value of a `key value` line in the run file, cut at the line's end; "" if it is not there. Called last to first. */
static char *run_value(char *run, const char *key)
{
    const size_t length = strlen(key);
    for (char *line = run; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, key, length) == 0 && line[length] == ' ')
            return line + length + 1;
    return run + strlen(run);
}

static void cut_line(char *text)
{
    text[strcspn(text, "\n")] = 0;
}

static int load_sweep(struct run_info *info, const char *output, struct error *err)
{
    char path[JOURNAL_PATH_BYTES];
    journal_path(path, sizeof path, output, "sweep.yaml");
    const uint32_t n = info->provenance.nsets;
    struct override *sets = calloc(n + 1, sizeof *sets);
    if (!sets)
        return out_of_memory(err);
    for (uint32_t i = 0; i < n; i++)
        sets[i].text = info->set_list[i];
    const int failed = sweep_load(&info->sweep, path, sets, n, err);
    free(sets);
    return failed;
}

static void read_run(struct run_info *info)
{
    struct provenance *prov = &info->provenance;
    prov->nhosts = (uint32_t)strtoul(run_value(info->run, "hosts"), NULL, 10);
    prov->nranks = (uint32_t)strtoul(run_value(info->run, "ranks"), NULL, 10);
    prov->nthreads = (uint32_t)strtoul(run_value(info->run, "threads"), NULL, 10);
    sweep_set_seed(info->sweep, strtoull(run_value(info->run, "seed"), NULL, 10));
    const uint32_t replications = (uint32_t)strtoul(run_value(info->run, "replications"), NULL, 10);
    if (replications > 0)
        sweep_set_replications(info->sweep, replications);
    char *start = run_value(info->run, "start"), *command = run_value(info->run, "command");
    cut_line(command);
    cut_line(start);
    prov->start_time = start;
    prov->command_line = command;
}

int store_run_info_load(struct run_info **out, const char *output, struct error *err)
{
    struct run_info *info = calloc(1, sizeof *info);
    if (!info)
        return out_of_memory(err);
    const int failed = read_info_file(&info->sets, output, "sets", err) ||
                       read_info_file(&info->run, output, "run", err) || split_sets(info, err) ||
                       load_sweep(info, output, err);
    if (failed) {
        store_run_info_free(info);
        return -1;
    }
    read_run(info);
    *out = info;
    return 0;
}

struct sweep *store_run_info_sweep(struct run_info *info)
{
    return info->sweep;
}

const struct provenance *store_run_info_provenance(const struct run_info *info)
{
    return &info->provenance;
}

void store_run_info_free(struct run_info *info)
{
    if (!info)
        return;
    if (info->sweep)
        sweep_free(info->sweep);
    free(info->set_list);
    free(info->sets);
    free(info->run);
    free(info);
}
