/* journal.c - the writer of one rank's journal, and the folder it lies in.
 *
 * Records gather in a batch that goes out in one write(), so that a kill leaves at most one torn record at the end.
 */
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
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { BATCH_BYTES = 64 * 1024 };

static const double sync_interval_s = 1.0;

struct journal {
    int fd;
    double synced_s;       /* monotonic time of the last fdatasync */
    size_t used, capacity; /* bytes of whole records in the batch */
    uint64_t size;         /* bytes of whole records in the file, header included */
    unsigned char *batch;
    char path[JOURNAL_PATH_BYTES];
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- the folder -------------------------------------------------------------------------------------------------- */

void journal_path(char *path, size_t size, const char *output, const char *file)
{
    snprintf(path, size, "%s.journal%s%s", output, file ? "/" : "", file ? file : "");
}

static int sync_folder(const char *path, struct error *err)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* some file systems cannot fsync a folder (EINVAL); they order such changes themselves */
    const bool failed = fd < 0 || (fsync(fd) != 0 && errno != EINVAL);
    const int reason = errno;
    if (fd >= 0)
        close(fd);
    return failed ? error_set(err, EXIT_ENVIRONMENT, "%s: cannot sync: %s", path, strerror(reason)) : 0;
}

int journal_make_folder(const char *output, struct error *err)
{
    char path[JOURNAL_PATH_BYTES];
    if (strlen(output) > sizeof path - 128) /* leaves room for the names inside */
        return error_set(err, EXIT_BAD_INPUT, "output: path of %zu bytes is too long", strlen(output));
    journal_path(path, sizeof path, output, NULL);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return error_set(err, EXIT_ENVIRONMENT, "%s: cannot make this folder: %s", path, strerror(errno));
    return 0;
}

static bool is_records_file(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".jrn") == 0;
}

bool journal_exists(const char *output)
{
    char path[JOURNAL_PATH_BYTES];
    journal_path(path, sizeof path, output, NULL);
    DIR *folder = opendir(path);
    if (!folder)
        return false;
    bool found = false;
    for (const struct dirent *entry; !found && (entry = readdir(folder));)
        found = is_records_file(entry->d_name);
    closedir(folder);
    return found;
}

int journal_discard(const char *output, struct error *err)
{
    char path[JOURNAL_PATH_BYTES];
    journal_path(path, sizeof path, output, NULL);
    DIR *folder = opendir(path);
    if (!folder)
        return errno == ENOENT ? 0 : error_set(err, EXIT_ENVIRONMENT, "%s: cannot open: %s", path, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0); /* what cannot go makes rmdir fail below */
    closedir(folder);
    if (rmdir(path) != 0)
        return error_set(err, EXIT_ENVIRONMENT, "%s: cannot remove this folder: %s", path, strerror(errno));
    return 0;
}

/* --- opening ----------------------------------------------------------------------------------------------------- */

/* Writes all of it, or says in *done how much went out. */
static int write_all(int fd, const void *data, size_t size, size_t *done)
{
    for (*done = 0; *done < size;) {
        const ssize_t n = write(fd, (const unsigned char *)data + *done, size - *done);
        if (n < 0 && errno != EINTR)
            return -1;
        *done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static int write_failed(const struct journal *journal, int reason, struct error *err)
{
    return error_set(err, EXIT_ENVIRONMENT, "%s: cannot write: %s", journal->path, strerror(reason));
}

static int start_file(struct journal *journal, const struct journal_header *header, const char *folder,
                      struct error *err)
{
    size_t done;
    if (ftruncate(journal->fd, 0) != 0 || write_all(journal->fd, header, sizeof *header, &done) != 0 ||
        fsync(journal->fd) != 0) {
        const int reason = errno;
        if (ftruncate(journal->fd, 0) != 0)
            return write_failed(journal, errno, err);
        return write_failed(journal, reason, err);
    }
    journal->size = sizeof *header;
    return sync_folder(folder, err);
}

/* Checks all records of a file that is there and cuts a torn tail. */
static int continue_file(struct journal *journal, size_t size, uint64_t seed, struct error *err)
{
    unsigned char *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, journal->fd, 0);
    if (map == MAP_FAILED)
        return error_set(err, EXIT_ENVIRONMENT, "%s: cannot read: %s", journal->path, strerror(errno));
    struct journal_header header;
    memcpy(&header, map, sizeof header);
    int failed = journal_header_check(&header, seed, journal->path, err);
    size_t at = sizeof header;
    for (size_t step; !failed && (step = journal_record_at(map + at, size - at)) != 0;)
        at += step;
    if (!failed && at < size && !journal_tail_is_torn(map + at, size - at))
        failed = journal_damaged(journal->path, at, err);
    munmap(map, size);
    if (!failed && at < size && ftruncate(journal->fd, (off_t)at) != 0)
        failed = write_failed(journal, errno, err);
    journal->size = at;
    return failed;
}

static int open_file(struct journal *journal, const struct journal_header *header, const char *folder,
                     struct error *err)
{
    struct stat st;
    journal->fd = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (journal->fd < 0 || fstat(journal->fd, &st) != 0)
        return error_set(err, EXIT_ENVIRONMENT, "%s: cannot open: %s", journal->path, strerror(errno));
    if (st.st_size < (off_t)sizeof *header) /* new, or its writer died before the header was out */
        return start_file(journal, header, folder, err);
    return continue_file(journal, (size_t)st.st_size, header->seed, err);
}

static void free_journal(struct journal *journal)
{
    if (journal->fd >= 0)
        close(journal->fd);
    free(journal->batch);
    free(journal);
}

int journal_open(struct journal **out, const char *output, uint32_t shard, uint32_t nshards, uint32_t rank,
                 uint64_t seed, struct error *err)
{
    if (journal_make_folder(output, err))
        return -1;
    struct journal *journal = calloc(1, sizeof *journal);
    if (!journal)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory");
    journal->fd = -1;
    journal->capacity = BATCH_BYTES + sizeof(struct journal_frame) + journal_payload_bytes(FLOWS_MAX);
    journal->batch = malloc(journal->capacity);
    journal->synced_s = now_s();
    char folder[JOURNAL_PATH_BYTES], name[64];
    journal_path(folder, sizeof folder, output, NULL);
    snprintf(name, sizeof name, "shard-%u-of-%u.rank-%u.jrn", shard, nshards, rank);
    journal_path(journal->path, sizeof journal->path, output, name);
    struct journal_header header;
    journal_header_fill(&header, seed, shard, nshards, rank);
    const int failed =
        journal->batch ? open_file(journal, &header, folder, err) : error_set(err, EXIT_ENVIRONMENT, "out of memory");
    if (failed)
        free_journal(journal);
    else
        *out = journal;
    return failed;
}

/* --- appending --------------------------------------------------------------------------------------------------- */

/* Drops the whole records among the first `done` bytes from the batch and returns their size. */
static size_t drop_written(struct journal *journal, size_t done)
{
    size_t whole = 0;
    while (whole < done) {
        struct journal_frame frame;
        memcpy(&frame, journal->batch + whole, sizeof frame);
        if (whole + sizeof frame + frame.length > done)
            break;
        whole += sizeof frame + frame.length;
    }
    memmove(journal->batch, journal->batch + whole, journal->used - whole);
    journal->used -= whole;
    return whole;
}

static int write_batch(struct journal *journal, struct error *err)
{
    if (journal->used == 0)
        return 0;
    size_t done;
    const int failed = write_all(journal->fd, journal->batch, journal->used, &done);
    const int reason = errno;
    journal->size += drop_written(journal, done);
    if (!failed)
        return 0;
    if (ftruncate(journal->fd, (off_t)journal->size) != 0) /* a torn tail then, which readers know */
        return write_failed(journal, errno, err);
    return write_failed(journal, reason, err);
}

int journal_sync(struct journal *journal, struct error *err)
{
    if (write_batch(journal, err))
        return -1;
    if (fdatasync(journal->fd) != 0)
        return write_failed(journal, errno, err);
    journal->synced_s = now_s();
    return 0;
}

int journal_append(struct journal *journal, const struct record *record, struct error *err)
{
    const struct journal_entry entry = {record->scenario.hi, record->scenario.lo, record->replication,
                                        record->status,      record->nflows,      record->cpu_us};
    struct journal_frame frame = {.magic = FRAME_MAGIC, .length = (uint32_t)journal_payload_bytes(record->nflows)};
    const size_t bytes = sizeof frame + frame.length;
    if (bytes > journal->capacity - journal->used && write_batch(journal, err))
        return -1;
    unsigned char *at = journal->batch + journal->used;
    memcpy(at + sizeof frame, &entry, sizeof entry);
    memcpy(at + sizeof frame + sizeof entry, record->values, frame.length - sizeof entry);
    frame.check = XXH3_64bits_withSeed(at + sizeof frame, frame.length, frame.length);
    memcpy(at, &frame, sizeof frame);
    journal->used += bytes;
    if (now_s() - journal->synced_s >= sync_interval_s)
        return journal_sync(journal, err);
    return journal->used >= BATCH_BYTES ? write_batch(journal, err) : 0;
}

int journal_close(struct journal *journal, struct error *err)
{
    if (!journal)
        return 0;
    const int failed = journal_sync(journal, err);
    free_journal(journal);
    return failed;
}
