/* lock.c - one writer per shard of an output, and one merge: a lock file of our own, since flock does not work on every
 * cluster file system. */
#include "journal.h"
#include "journal_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { EMPTY_LOCK_S = 10 }; /* an empty lock file this old was left by a process killed while it made it */

struct lock {
    char path[JOURNAL_PATH_BYTES];
};

struct holder {
    char host[65], job[65]; /* job: Slurm's number, `-` outside Slurm */
    long pid;
    unsigned long long started; /* clock ticks from boot to the process's start, 0 where /proc does not tell */
    unsigned restarts;          /* how often Slurm has requeued the job */
};

/* Field 22 of /proc/PID/stat; 0 if there is no such process (or no /proc). */
static unsigned long long process_start(long pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    const size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    const char *at = strrchr(text, ')'); /* the name before it may hold spaces; field 3 follows */
    for (int field = 3; at && field <= 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

static struct holder self(void)
{
    struct holder me = {.pid = (long)getpid()};
    const char *job = getenv("SLURM_JOB_ID"), *restarts = getenv("SLURM_RESTART_COUNT");
    if (gethostname(me.host, sizeof me.host - 1) != 0 || me.host[0] == 0)
        strcpy(me.host, "?");
    snprintf(me.job, sizeof me.job, "%s", job && *job ? job : "-");
    me.started = process_start(me.pid);
    me.restarts = restarts ? (unsigned)strtoul(restarts, NULL, 10) : 0;
    return me;
}

/* False if the file is empty or not ours; *age_s is how long ago it was written. */
static bool read_holder(const char *path, struct holder *holder, double *age_s)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    struct stat st;
    *age_s = fstat(fileno(file), &st) == 0 ? difftime(time(NULL), st.st_mtime) : 0;
    const int fields = fscanf(file, "%64s %ld %llu %64s %u", holder->host, &holder->pid, &holder->started, holder->job,
                              &holder->restarts);
    fclose(file);
    return fields == 5;
}

static bool is_stale(const struct holder *holder, const struct holder *me)
{
    if (strcmp(holder->host, me->host) == 0)
        return me->started != 0 && process_start(holder->pid) != holder->started;
    return strcmp(me->job, "-") != 0 && strcmp(holder->job, me->job) == 0 && holder->restarts < me->restarts;
}

/* 0: made; 1: another one has it, or had it a moment ago. */
static int make_file(const char *path, const struct holder *me, struct error *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno == EEXIST ? 1 : error_set(err, EXIT_ENVIRONMENT, "%s: cannot make: %s", path, strerror(errno));
    char text[256];
    const int length =
        snprintf(text, sizeof text, "%s %ld %llu %s %u\n", me->host, me->pid, me->started, me->job, me->restarts);
    const bool failed = write(fd, text, (size_t)length) != length;
    const int reason = errno;
    close(fd);
    if (!failed)
        return 0;
    unlink(path);
    return error_set(err, EXIT_ENVIRONMENT, "%s: cannot write: %s", path, strerror(reason));
}

static int in_use(const char *path, const struct holder *holder, struct error *err)
{
    return error_set(err, EXIT_BAD_INPUT,
                     "%s: in use by process %ld on %s: wait until it is done, or delete this file if that process is "
                     "gone for sure",
                     path, holder->pid, holder->host);
}

/* Makes the lock file, in place of a stale one if there is one. */
static int take(const char *path, struct error *err)
{
    const struct holder me = self();
    for (int attempt = 0; attempt < 3; attempt++) {
        const int made = make_file(path, &me, err);
        if (made <= 0)
            return made;
        struct holder holder = {.host = "an unknown host", .job = "-"};
        double age_s = 0;
        const bool known = read_holder(path, &holder, &age_s);
        if (known ? !is_stale(&holder, &me) : age_s < EMPTY_LOCK_S)
            return in_use(path, &holder, err);
        unlink(path);
    }
    return error_set(err, EXIT_BAD_INPUT, "%s: another process has just taken it: wait until it is done", path);
}

int lock_acquire(struct lock **out, const char *output, const char *name, struct error *err)
{
    if (journal_make_folder(output, err))
        return -1;
    struct lock *lock = malloc(sizeof *lock);
    if (!lock)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory");
    /* Two processes of one host must not both find the same stale file and the slower one delete the quicker one's new
     * lock: they take turns by flock on the folder. Where flock does not work, that small window stays open. */
    char folder[JOURNAL_PATH_BYTES];
    journal_path(folder, sizeof folder, output, NULL);
    journal_path(lock->path, sizeof lock->path, output, name);
    const int turn = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (turn >= 0)
        flock(turn, LOCK_EX);
    const int failed = take(lock->path, err);
    if (turn >= 0)
        close(turn);
    if (failed)
        free(lock);
    else
        *out = lock;
    return failed;
}

void lock_release(struct lock *lock)
{
    if (!lock)
        return;
    /* after journal_discard the file is gone, and one of that name may be another process's */
    const struct holder me = self();
    struct holder holder;
    double age_s;
    if (read_holder(lock->path, &holder, &age_s) && holder.pid == me.pid && strcmp(holder.host, me.host) == 0)
        unlink(lock->path);
    free(lock);
}
