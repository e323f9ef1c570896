/* worker.c - one thread's loop. Its memory is allocated once and grows only with a larger scenario; the journal's lock
 * is taken once for a batch of records, the clock read twice. */
#include "worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH_BYTES = 128 * 1024, BATCH_MAX = 256 };

struct slot { /* a replication's result until it is recorded */
    uint32_t replication, status;
};

struct worker {
    struct team *team;
    void *memory; /* of one instance */
    size_t memory_bytes;
    double *rows; /* results of the batch: for each, all flows together, then each flow */
    size_t rows_bytes;
    struct slot slots[BATCH_MAX];
    uint32_t used;
    double values[CHUNK_MAX]; /* the rule's metric, by replication of the chunk */
    double cpu_s;             /* thread's CPU time when the batch began */
};

static double thread_cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t flow_rows(const struct scenario *sc)
{
    return sc->nflows > 1 ? sc->nflows : 0; /* one flow's values are those of all flows together */
}

/* A buffer of at least `bytes`, whose old content is not needed. */
static int reserve(void **buffer, size_t *capacity, size_t bytes, struct error *err)
{
    if (bytes <= *capacity)
        return 0;
    free(*buffer);
    *capacity = 0;
    *buffer = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!*buffer)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory: one instance needs %zu bytes", bytes);
    *capacity = bytes;
    return 0;
}

/* Records the batch; returns the CPU seconds it took to run, or a negative number with *err. */
static double flush(struct worker *w, const struct job *job, struct error *err)
{
    uint32_t nflows = flow_rows(job->scenario);
    size_t row = (size_t)(1 + nflows) * METRIC_COUNT;
    double now_s = thread_cpu_s(), cpu_s = now_s - w->cpu_s;
    int failed = 0;
    pthread_mutex_lock(&w->team->journal_lock);
    for (uint32_t i = 0; i < w->used && !failed; i++) {
        const struct record record = {
            .scenario = job->hash,
            .replication = w->slots[i].replication,
            .status = w->slots[i].status,
            .nflows = nflows,
            .cpu_us = (uint32_t)fmin(cpu_s / w->used * 1e6 + 0.5, UINT32_MAX),
            .values = w->rows + i * row,
        };
        failed = journal_append(w->team->journal, &record, err);
    }
    w->team->unsynced = true;
    pthread_mutex_unlock(&w->team->journal_lock);
    w->used = 0;
    w->cpu_s = thread_cpu_s();
    return failed ? -1 : cpu_s;
}

/* Runs one replication into the next slot of the batch; returns its value of `metric`. */
static double run_one(struct worker *w, const struct job *job, uint32_t replication, enum metric metric)
{
    uint32_t nflows = flow_rows(job->scenario);
    size_t row = (size_t)(1 + nflows) * METRIC_COUNT;
    double *all = w->rows + w->used * row;
    struct sim_result result = {.flow = nflows ? (double(*)[METRIC_COUNT])(all + METRIC_COUNT) : NULL};
    struct sim_key key = sweep_key(w->team->sweep, job->random_hash, replication);
    sim_run(job->scenario, key, w->memory, NULL, &result);
    if (result.status == SIM_OK) {
        memcpy(all, result.all, sizeof result.all);
    } else {
        for (size_t i = 0; i < row; i++)
            all[i] = NAN;
        w->team->failed++;
    }
    w->slots[w->used++] = (struct slot){replication, result.status};
    return all[metric];
}

static int run_chunk(struct worker *w, const struct chunk *chunk, struct error *err)
{
    const struct job *job = chunk->job;
    enum metric metric = sweep_replications(w->team->sweep)->metric;
    size_t row_bytes = (size_t)(1 + flow_rows(job->scenario)) * METRIC_COUNT * sizeof(double);
    size_t batch = BATCH_BYTES / row_bytes;
    batch = batch < 1 ? 1 : batch > BATCH_MAX ? BATCH_MAX : batch;
    if (reserve(&w->memory, &w->memory_bytes, job->bytes, err) ||
        reserve((void **)&w->rows, &w->rows_bytes, batch * row_bytes, err))
        return -1;
    double cpu_s = 0, one_s;
    uint32_t done = 0;
    w->cpu_s = thread_cpu_s();
    while (done < chunk->count && !schedule_ended(w->team->schedule)) {
        w->values[done] = run_one(w, job, chunk->first + done, metric);
        done++;
        if (w->used < batch)
            continue;
        if ((one_s = flush(w, job, err)) < 0)
            return -1;
        cpu_s += one_s;
    }
    if ((one_s = flush(w, job, err)) < 0)
        return -1;
    schedule_done(w->team->schedule, chunk, done, w->values, cpu_s + one_s);
    return 0;
}

void worker_run(struct team *team)
{
    struct error err;
    struct chunk chunk;
    struct worker *w = calloc(1, sizeof *w);
    if (!w) {
        error_set(&err, EXIT_ENVIRONMENT, "out of memory");
        schedule_fail(team->schedule, &err);
        return;
    }
    w->team = team;
    while (schedule_take(team->schedule, &chunk))
        if (run_chunk(w, &chunk, &err))
            schedule_fail(team->schedule, &err);
    free(w->memory);
    free(w->rows);
    free(w);
}

int team_sync(struct team *team, struct error *err)
{
    int failed = 0;
    pthread_mutex_lock(&team->journal_lock);
    if (team->unsynced)
        failed = journal_sync(team->journal, err);
    team->unsynced = failed;
    pthread_mutex_unlock(&team->journal_lock);
    return failed;
}
