/* journal_set.c - the reader of all journals of an output: files mapped, an index of 24 bytes a record in memory. */
#define _GNU_SOURCE /* qsort_r */
#include "journal.h"
#include "journal_format.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    unsigned char *map; /* NULL when the file holds nothing yet */
    size_t size;
    char *path;
};

/* Sorted by (hi, replication); the low half of the hash is only looked up in the file where those are equal. */
struct index_entry {
    uint64_t hi;
    uint32_t replication;
    uint32_t file;
    uint64_t offset; /* of the frame */
};

struct journal_set {
    struct file *files;
    uint32_t nfiles;
    struct index_entry *index;
    uint64_t count, capacity;
    double cpu_s;
};

static const struct journal_entry *entry_at(const struct journal_set *set, const struct index_entry *at)
{
    const unsigned char *frame = set->files[at->file].map + at->offset;
    return (const struct journal_entry *)(const void *)(frame + sizeof(struct journal_frame));
}

static int out_of_memory(struct error *err)
{
    return error_set(err, EXIT_ENVIRONMENT, "out of memory for the index of the journals");
}

/* --- reading the files ------------------------------------------------------------------------------------------- */

static int add_entry(struct journal_set *set, uint32_t file, size_t offset, struct error *err)
{
    if (set->count == set->capacity) {
        const uint64_t capacity = set->capacity ? set->capacity + set->capacity / 2 : 4096;
        struct index_entry *index = realloc(set->index, capacity * sizeof *index);
        if (!index)
            return out_of_memory(err);
        set->index = index;
        set->capacity = capacity;
    }
    struct index_entry *added = &set->index[set->count++];
    *added = (struct index_entry){.file = file, .offset = offset};
    const struct journal_entry *entry = entry_at(set, added);
    added->hi = entry->hi;
    added->replication = entry->replication;
    return 0;
}

static int map_file(struct file *file, struct error *err)
{
    const int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    int failed = fd < 0 || fstat(fd, &st) != 0;
    if (!failed && st.st_size >= (off_t)sizeof(struct journal_header)) {
        file->size = (size_t)st.st_size;
        file->map = mmap(NULL, file->size, PROT_READ, MAP_SHARED, fd, 0);
        failed = file->map == MAP_FAILED;
    }
    const int reason = errno;
    if (fd >= 0)
        close(fd);
    if (!failed)
        return 0;
    file->map = NULL;
    return error_set(err, EXIT_ENVIRONMENT, "%s: cannot read: %s", file->path, strerror(reason));
}

static int index_file(struct journal_set *set, uint32_t number, uint64_t seed, struct error *err)
{
    struct file *file = &set->files[number];
    if (map_file(file, err))
        return -1;
    if (!file->map) /* killed before its header was out */
        return 0;
    const struct journal_header *header = (const void *)file->map;
    if (journal_header_check(header, seed, file->path, err))
        return -1;
    size_t at = sizeof *header;
    for (size_t step; (step = journal_record_at(file->map + at, file->size - at)) != 0; at += step)
        if (add_entry(set, number, at, err))
            return -1;
    if (at < file->size && !journal_tail_is_torn(file->map + at, file->size - at))
        return journal_damaged(file->path, at, err);
    return 0;
}

static int add_file(struct journal_set *set, const char *folder, const char *name, struct error *err)
{
    struct file *files = realloc(set->files, (set->nfiles + 1) * sizeof *files);
    if (!files)
        return out_of_memory(err);
    set->files = files;
    files[set->nfiles] = (struct file){0};
    const size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = malloc(bytes);
    if (!path)
        return out_of_memory(err);
    snprintf(path, bytes, "%s/%s", folder, name);
    files[set->nfiles++].path = path;
    return 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

static int list_files(struct journal_set *set, const char *output, struct error *err)
{
    char path[JOURNAL_PATH_BYTES];
    journal_path(path, sizeof path, output, NULL);
    DIR *folder = opendir(path);
    if (!folder)
        return errno == ENOENT ? 0 : error_set(err, EXIT_ENVIRONMENT, "%s: cannot read: %s", path, strerror(errno));
    int failed = 0;
    for (const struct dirent *entry; !failed && (entry = readdir(folder));) {
        const size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".jrn") == 0)
            failed = add_file(set, path, entry->d_name, err);
    }
    closedir(folder);
    if (!failed && set->nfiles)
        qsort(set->files, set->nfiles, sizeof *set->files, by_path);
    return failed;
}

/* --- the index --------------------------------------------------------------------------------------------------- */

static int compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_key(const void *a, const void *b, void *context)
{
    const struct index_entry *x = a, *y = b;
    if (x->hi != y->hi)
        return compare_u64(x->hi, y->hi);
    if (x->replication != y->replication)
        return compare_u64(x->replication, y->replication);
    const int low = compare_u64(entry_at(context, x)->lo, entry_at(context, y)->lo);
    if (low != 0)
        return low;
    return x->file != y->file ? compare_u64(x->file, y->file) : compare_u64(x->offset, y->offset);
}

static bool same_key(const struct journal_set *set, const struct index_entry *x, const struct index_entry *y)
{
    return x->hi == y->hi && x->replication == y->replication && entry_at(set, x)->lo == entry_at(set, y)->lo;
}

/* Status and values bit by bit; what it cost may differ. */
static bool same_result(const struct journal_entry *x, const struct journal_entry *y)
{
    return x->status == y->status && x->nflows == y->nflows &&
           memcmp(x + 1, y + 1, journal_payload_bytes(x->nflows) - sizeof *x) == 0;
}

/* Sorts, and keeps the first of equal copies. */
static int finish_index(struct journal_set *set, struct error *err)
{
    if (set->count)
        qsort_r(set->index, set->count, sizeof *set->index, by_key, set);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < set->count; i++) {
        const struct index_entry *one = &set->index[i], *last = kept ? &set->index[kept - 1] : NULL;
        if (!last || !same_key(set, last, one)) {
            set->cpu_s += 1e-6 * entry_at(set, one)->cpu_us;
            set->index[kept++] = *one;
        } else if (!same_result(entry_at(set, last), entry_at(set, one))) {
            return error_set(err, EXIT_BAD_INPUT,
                             "replication %u of one scenario has two results: %s at byte %llu and %s at byte %llu: "
                             "delete the file that is wrong and let --resume run its replications again",
                             one->replication, set->files[last->file].path, (unsigned long long)last->offset,
                             set->files[one->file].path, (unsigned long long)one->offset);
        }
    }
    set->count = kept;
    return 0;
}

/* --- interface --------------------------------------------------------------------------------------------------- */

int journal_set_open(struct journal_set **out, const char *output, uint64_t seed, struct error *err)
{
    struct journal_set *set = calloc(1, sizeof *set);
    if (!set)
        return out_of_memory(err);
    int failed = list_files(set, output, err);
    for (uint32_t i = 0; !failed && i < set->nfiles; i++)
        failed = index_file(set, i, seed, err);
    if (!failed)
        failed = finish_index(set, err);
    if (failed)
        journal_set_close(set);
    else
        *out = set;
    return failed;
}

void journal_set_close(struct journal_set *set)
{
    if (!set)
        return;
    for (uint32_t i = 0; i < set->nfiles; i++) {
        if (set->files[i].map)
            munmap(set->files[i].map, set->files[i].size);
        free(set->files[i].path);
    }
    free(set->files);
    free(set->index);
    free(set);
}

uint64_t journal_set_count(const struct journal_set *set)
{
    return set->count;
}

double journal_set_cpu_s(const struct journal_set *set)
{
    return set->cpu_s;
}

/* Order of an entry and a key, as by_key without the last two. */
static int compare_key(const struct journal_set *set, const struct index_entry *entry, struct hash128 scenario,
                       uint32_t replication)
{
    if (entry->hi != scenario.hi)
        return compare_u64(entry->hi, scenario.hi);
    if (entry->replication != replication)
        return compare_u64(entry->replication, replication);
    return compare_u64(entry_at(set, entry)->lo, scenario.lo);
}

bool journal_set_find(const struct journal_set *set, struct hash128 scenario, uint32_t replication, struct record *out)
{
    uint64_t low = 0, high = set->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const int order = compare_key(set, &set->index[middle], scenario, replication);
        if (order == 0) {
            const struct journal_entry *entry = entry_at(set, &set->index[middle]);
            *out = (struct record){.scenario = scenario,
                                   .replication = replication,
                                   .status = entry->status,
                                   .nflows = entry->nflows,
                                   .cpu_us = entry->cpu_us,
                                   .values = (const double *)(const void *)(entry + 1)};
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}
