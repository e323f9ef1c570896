/* schedule.c - one lock around a rank's points and jobs. It is taken once a chunk, and a chunk is milliseconds of work;
 * what takes longer (building a scenario, deciding) happens outside. */
#include "schedule.h"
#include "schedule_job.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double CHUNK_S = 0.010;          /* a thread runs about so long before it asks again */
static const double TASK_S = 0.002;           /* work worth sending to another rank */
static const double HUNGRY_S = 0.004;         /* work left for each thread at which more is asked for */
static const double GUESS_S_PER_COST = 40e-9; /* until measured */

struct schedule {
    struct schedule_setup setup;
    pthread_mutex_t lock;
    pthread_cond_t work, news;
    uint64_t *points; /* not begun: head .. tail-1 */
    uint64_t head, tail, capacity;
    struct work **works; /* jobs in order of their beginning */
    uint32_t nworks, works_capacity;
    double pending; /* cost of all that is not handed out */
    double measured_s, measured_cost;
    double last_s; /* a replication of the last chunk */
    uint32_t idle; /* threads that wait */
    bool newsworthy;
    atomic_bool ended;
    bool failed;
    struct error err;
    struct schedule_state state;
};

static double s_per_cost(const struct schedule *s)
{
    return s->measured_s > 0 ? s->measured_s / s->measured_cost : GUESS_S_PER_COST;
}

static void tell(struct schedule *s)
{
    s->newsworthy = true;
    pthread_cond_signal(&s->news);
}

static double first_look_cost(const struct schedule *s, uint64_t point)
{
    return s->setup.cost[point] * next_look(sweep_replications(s->setup.sweep), 0);
}

int schedule_open(struct schedule **out, const struct schedule_setup *setup, struct error *err)
{
    struct schedule *s = calloc(1, sizeof *s);
    uint64_t *points = malloc((setup->npoints + 1) * sizeof *points);
    if (!s || !points) {
        free(s);
        free(points);
        return error_set(err, EXIT_ENVIRONMENT, "out of memory");
    }
    s->setup = *setup;
    s->points = points;
    s->tail = s->capacity = setup->npoints;
    for (uint64_t i = 0; i < setup->npoints; i++) {
        points[i] = setup->points[i];
        s->pending += first_look_cost(s, points[i]);
    }
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    pthread_cond_init(&s->news, &monotonic);
    pthread_condattr_destroy(&monotonic);
    *out = s;
    return 0;
}

void schedule_close(struct schedule *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->nworks; i++)
        work_free(s->works[i]);
    free(s->works);
    free(s->points);
    pthread_cond_destroy(&s->work);
    pthread_cond_destroy(&s->news);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* --- jobs; the lock is held -------------------------------------------------------------------------------------- */

static void end_locked(struct schedule *s)
{
    atomic_store(&s->ended, true);
    pthread_cond_broadcast(&s->work);
    tell(s);
}

static void fail_locked(struct schedule *s, const struct error *err)
{
    if (!s->failed)
        s->err = *err;
    s->failed = true;
    end_locked(s);
}

static void add_work(struct schedule *s, struct work *work)
{
    if (s->nworks == s->works_capacity) {
        uint32_t capacity = s->works_capacity * 2 + 64;
        struct work **works = realloc(s->works, capacity * sizeof *works);
        if (!works) {
            struct error err;
            error_set(&err, EXIT_ENVIRONMENT, "out of memory");
            fail_locked(s, &err);
            work_free(work);
            return;
        }
        s->works = works;
        s->works_capacity = capacity;
    }
    s->works[s->nworks++] = work;
    s->pending += work->todo * work->cost;
    pthread_cond_broadcast(&s->work);
}

static void remove_work(struct schedule *s, const struct work *work)
{
    uint32_t i = 0;
    while (s->works[i] != work)
        i++;
    memmove(s->works + i, s->works + i + 1, (s->nworks - i - 1) * sizeof *s->works);
    s->nworks--;
}

static struct work *find_work(struct schedule *s, uint64_t point, bool borrowed)
{
    for (uint32_t i = 0; i < s->nworks; i++)
        if (s->works[i]->job.point == point && s->works[i]->borrowed == borrowed)
            return s->works[i];
    return NULL;
}

/* Whether a thread's or rank's values were the last that a job waited for. */
static bool all_in(const struct work *work)
{
    return work->todo == 0 && work->done == work->target - work->first;
}

/* A job of our own whose look is complete: decides, with the lock open meanwhile since nobody else can use it. */
static void look(struct schedule *s, struct work *work, bool listed)
{
    bool decided;
    struct error err;
    pthread_mutex_unlock(&s->lock);
    int failed = work_look(work, &decided, &err);
    pthread_mutex_lock(&s->lock);
    if (failed) {
        fail_locked(s, &err);
    } else if (!decided) {
        if (listed) {
            s->pending += work->todo * work->cost;
            pthread_cond_broadcast(&s->work);
        } else {
            add_work(s, work);
        }
        return;
    } else {
        s->state.points++;
        s->state.decided_replications += work->target;
        s->state.cost_done += work->found * work->cost;
    }
    if (listed)
        remove_work(s, work);
    work_free(work);
}

/* Begins the next point, with the lock open meanwhile. */
static void begin_point(struct schedule *s)
{
    struct error err;
    uint64_t point = s->points[s->head++];
    s->pending -= first_look_cost(s, point);
    pthread_mutex_unlock(&s->lock);
    struct work *work = work_point(&s->setup, point, &err);
    pthread_mutex_lock(&s->lock);
    if (!work)
        fail_locked(s, &err);
    else
        look(s, work, false);
}

/* --- threads ----------------------------------------------------------------------------------------------------- */

static struct work *first_with_work(struct schedule *s)
{
    for (uint32_t i = 0; i < s->nworks; i++)
        if (s->works[i]->todo > 0)
            return s->works[i];
    return NULL;
}

/* Replications for one thread: some milliseconds, less near the end so that all threads end together. */
static uint32_t chunk_limit(const struct schedule *s, const struct work *work)
{
    double by_time = CHUNK_S / (work->cost * s_per_cost(s));
    double by_share = s->pending / (2.0 * s->setup.workers * work->cost);
    double limit = fmin(fmin(by_time, by_share), CHUNK_MAX);
    return limit > 1 ? (uint32_t)limit : 1;
}

bool schedule_take(struct schedule *s, struct chunk *chunk)
{
    struct work *work = NULL;
    pthread_mutex_lock(&s->lock);
    while (!atomic_load(&s->ended) && !(work = first_with_work(s))) {
        if (s->head < s->tail) {
            begin_point(s);
            continue;
        }
        s->idle++;
        tell(s);
        pthread_cond_wait(&s->work, &s->lock);
        s->idle--;
    }
    bool taken = !atomic_load(&s->ended);
    if (taken) {
        chunk->job = &work->job;
        chunk->count = work_cut(work, chunk_limit(s, work), &chunk->first);
        s->pending -= chunk->count * work->cost;
    }
    pthread_mutex_unlock(&s->lock);
    return taken;
}

/* Values are in: a borrowed job is news once complete, one of our own is decided on. */
static void put(struct schedule *s, struct work *work, uint32_t first, uint32_t count, const double *values)
{
    work_put(work, first, count, values);
    if (!all_in(work) || atomic_load(&s->ended))
        return;
    if (work->borrowed)
        tell(s);
    else
        look(s, work, true);
}

void schedule_done(struct schedule *s, const struct chunk *chunk, uint32_t done, const double *values, double cpu_s)
{
    struct work *work = (struct work *)chunk->job; /* its first member */
    pthread_mutex_lock(&s->lock);
    double cost = done * work->cost;
    s->measured_s += cpu_s;
    s->measured_cost += cost;
    s->last_s = done ? cpu_s / done : s->last_s;
    s->state.replications += done;
    s->state.cost_done += cost;
    s->state.kernel_cpu_s += cpu_s;
    put(s, work, chunk->first, done, values);
    pthread_mutex_unlock(&s->lock);
}

void schedule_fail(struct schedule *s, const struct error *err)
{
    pthread_mutex_lock(&s->lock);
    fail_locked(s, err);
    pthread_mutex_unlock(&s->lock);
}

bool schedule_ended(const struct schedule *s)
{
    return atomic_load_explicit(&s->ended, memory_order_relaxed);
}

/* --- the rank's main thread -------------------------------------------------------------------------------------- */

void schedule_end(struct schedule *s)
{
    pthread_mutex_lock(&s->lock);
    end_locked(s);
    pthread_mutex_unlock(&s->lock);
}

int schedule_error(const struct schedule *s, struct error *err)
{
    if (s->failed)
        *err = s->err;
    return s->failed ? -1 : 0;
}

void schedule_wait(struct schedule *s, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + (int64_t)(seconds * 1e9);
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    pthread_mutex_lock(&s->lock);
    while (!s->newsworthy && pthread_cond_timedwait(&s->news, &s->lock, &until) == 0)
        continue;
    s->newsworthy = false;
    pthread_mutex_unlock(&s->lock);
}

struct schedule_state schedule_state(struct schedule *s)
{
    pthread_mutex_lock(&s->lock);
    struct schedule_state state = s->state;
    state.cost_left = s->pending;
    pthread_mutex_unlock(&s->lock);
    return state;
}

bool schedule_hungry(struct schedule *s)
{
    pthread_mutex_lock(&s->lock);
    double left_s = s->pending * s_per_cost(s);
    bool hungry = s->idle > 0 || (s->last_s < HUNGRY_S && left_s < HUNGRY_S * s->setup.workers);
    hungry = hungry && s->head == s->tail && !atomic_load(&s->ended);
    pthread_mutex_unlock(&s->lock);
    return hungry;
}

uint32_t schedule_cut_points(struct schedule *s, uint64_t *points, uint32_t max)
{
    uint32_t n = 0;
    pthread_mutex_lock(&s->lock);
    double share = s->pending / s->setup.ranks;
    while (n < max && s->head < s->tail && (n == 0 || share > 0)) {
        double cost = first_look_cost(s, s->points[s->head]);
        points[n++] = s->points[s->head++];
        s->pending -= cost;
        share -= cost;
    }
    pthread_mutex_unlock(&s->lock);
    return n;
}

void schedule_add_points(struct schedule *s, const uint64_t *points, uint32_t n)
{
    pthread_mutex_lock(&s->lock);
    memmove(s->points, s->points + s->head, (s->tail - s->head) * sizeof *points);
    s->tail -= s->head;
    s->head = 0;
    if (s->tail + n > s->capacity) {
        uint64_t *grown = realloc(s->points, (s->tail + n) * sizeof *grown);
        if (!grown) {
            struct error err;
            error_set(&err, EXIT_ENVIRONMENT, "out of memory");
            fail_locked(s, &err);
            pthread_mutex_unlock(&s->lock);
            return;
        }
        s->points = grown;
        s->capacity = s->tail + n;
    }
    for (uint32_t i = 0; i < n; i++) {
        s->points[s->tail++] = points[i];
        s->pending += first_look_cost(s, points[i]);
    }
    pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
}

bool schedule_cut_task(struct schedule *s, struct task *task)
{
    struct work *most = NULL;
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->nworks; i++)
        if (!s->works[i]->borrowed && s->works[i]->todo > 0 &&
            (!most || s->works[i]->todo * s->works[i]->cost > most->todo * most->cost))
            most = s->works[i];
    double one_s = most ? most->cost * s_per_cost(s) : 0;
    bool cut = most && most->todo * one_s >= TASK_S && !atomic_load(&s->ended);
    if (cut) {
        double share = fmax(ceil((double)most->todo / s->setup.ranks), ceil(TASK_S / one_s));
        task->point = most->job.point;
        task->count = work_cut(most, (uint32_t)fmin(share, TASK_MAX), &task->first);
        s->pending -= task->count * most->cost;
    }
    pthread_mutex_unlock(&s->lock);
    return cut;
}

void schedule_add_task(struct schedule *s, uint32_t owner, const struct task *task)
{
    struct error err;
    struct work *work = work_task(&s->setup, owner, task, &err);
    pthread_mutex_lock(&s->lock);
    if (work)
        add_work(s, work);
    else
        fail_locked(s, &err);
    pthread_mutex_unlock(&s->lock);
}

bool schedule_next_return(struct schedule *s, uint32_t *owner, struct task *task, double *values)
{
    struct work *complete = NULL;
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->nworks && !complete; i++)
        if (s->works[i]->borrowed && all_in(s->works[i]))
            complete = s->works[i];
    if (complete) {
        *owner = complete->owner;
        *task = (struct task){complete->job.point, complete->first, complete->target - complete->first};
        memcpy(values, complete->values, task->count * sizeof *values);
        remove_work(s, complete);
    }
    pthread_mutex_unlock(&s->lock);
    work_free(complete);
    return complete != NULL;
}

void schedule_returned(struct schedule *s, const struct task *task, const double *values)
{
    pthread_mutex_lock(&s->lock);
    struct work *work = find_work(s, task->point, false);
    if (work)
        put(s, work, task->first, task->count, values);
    pthread_mutex_unlock(&s->lock);
}
