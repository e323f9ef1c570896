/* test_schedule.c - a rank's schedule: every replication is handed out once, the rule decides, parts move between
 * ranks. */
#include "../../src/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { POINTS = 4, MOST = 1000 };

static const char text[] = "duration: 10 s\n"
                           "replications: {min: 20, max: 100, until: {metric: goodput, half_width: 1 %}}\n"
                           "path: [{name: l, rate: 1 Mbit/s, delay: 1 ms}]\n"
                           "app: {kind: bulk}\n"
                           "axes: {path.l.per: [0, 0.1, 0.2, 0.3]}\n";

struct fixture {
    struct sweep *sweep;
    double cost[POINTS];
    uint64_t points[POINTS];
    uint32_t runs[POINTS][MOST]; /* how often a replication was run */
};

static int set_up(void **state)
{
    struct error err;
    struct fixture *f = calloc(1, sizeof *f);
    if (sweep_load_text(&f->sweep, "test.yaml", text, &err))
        fail_msg("%s", err.text);
    for (int i = 0; i < POINTS; i++) {
        f->points[i] = (uint64_t)i;
        f->cost[i] = 1e6;
    }
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    sweep_free(f->sweep);
    free(f);
    return 0;
}

static struct schedule *make(struct fixture *f, uint64_t npoints, uint32_t ranks)
{
    struct schedule *schedule;
    struct error err;
    struct schedule_setup setup = {f->sweep, NULL, f->cost, f->points, npoints, 2, ranks};
    assert_int_equal(schedule_open(&schedule, &setup, &err), 0);
    return schedule;
}

/* A value that converges at once for point 2 only. */
static double value_of(uint64_t point, uint32_t replication)
{
    return point == 2 ? 1000 + replication % 2 : 1000 + 900.0 * (replication % 2);
}

static void do_chunk(struct fixture *f, struct schedule *schedule, const struct chunk *chunk)
{
    double values[CHUNK_MAX];
    for (uint32_t i = 0; i < chunk->count; i++) {
        f->runs[chunk->job->point][chunk->first + i]++;
        values[i] = value_of(chunk->job->point, chunk->first + i);
    }
    schedule_done(schedule, chunk, chunk->count, values, 0.01 * chunk->count);
}

/* Runs until so many points are decided: with one thread, more work is then always there. */
static void run_points(struct fixture *f, struct schedule *schedule, uint64_t points)
{
    struct chunk chunk;
    while (schedule_state(schedule).points < points) {
        assert_true(schedule_take(schedule, &chunk));
        do_chunk(f, schedule, &chunk);
    }
}

static void assert_runs(const struct fixture *f, uint64_t point, uint32_t n)
{
    for (uint32_t r = 0; r < MOST; r++)
        assert_int_equal(f->runs[point][r], r < n);
}

static void test_each_replication_once(void **state)
{
    struct fixture *f = *state;
    struct schedule *schedule = make(f, POINTS, 1);
    run_points(f, schedule, POINTS);
    assert_runs(f, 0, 1);   /* no errors: deterministic */
    assert_runs(f, 1, 100); /* never within 1 % */
    assert_runs(f, 2, 20);
    assert_runs(f, 3, 100);
    assert_int_equal(schedule_state(schedule).replications, 221);
    assert_int_equal(schedule_state(schedule).decided_replications, 221);
    schedule_close(schedule);
}

static void test_end(void **state)
{
    struct fixture *f = *state;
    struct error err;
    struct chunk chunk;
    struct schedule *schedule = make(f, POINTS, 1);
    assert_true(schedule_take(schedule, &chunk));
    schedule_end(schedule);
    schedule_done(schedule, &chunk, 0, &(double){0}, 0);
    assert_false(schedule_take(schedule, &chunk));
    assert_int_equal(schedule_error(schedule, &err), 0);
    schedule_close(schedule);
}

static void test_first_error_is_kept(void **state)
{
    struct error err, first, second;
    struct schedule *schedule = make(*state, POINTS, 1);
    error_set(&first, EXIT_ENVIRONMENT, "first");
    error_set(&second, EXIT_BAD_INPUT, "second");
    schedule_fail(schedule, &first);
    schedule_fail(schedule, &second);
    assert_true(schedule_ended(schedule));
    assert_int_equal(schedule_error(schedule, &err), -1);
    assert_string_equal(err.text, "first");
    schedule_close(schedule);
}

static void test_points_move(void **state)
{
    struct fixture *f = *state;
    uint64_t points[POINTS];
    struct schedule *rich = make(f, POINTS, 2), *poor = make(f, 0, 2);
    assert_true(schedule_hungry(poor));
    assert_false(schedule_hungry(rich));
    uint32_t n = schedule_cut_points(rich, points, POINTS);
    assert_int_equal(n, 2); /* half of the cost for one of two ranks */
    schedule_add_points(poor, points, n);
    assert_false(schedule_hungry(poor));
    run_points(f, poor, n);
    run_points(f, rich, POINTS - n);
    assert_runs(f, 0, 1);
    assert_runs(f, 3, 100);
    schedule_close(rich);
    schedule_close(poor);
}

/* A part of a job is run elsewhere; the owner decides once its values are back. */
static void test_tasks_move(void **state)
{
    struct fixture *f = *state;
    struct chunk chunk;
    struct task task, back;
    uint32_t owner;
    double values[TASK_MAX];
    f->points[0] = 3;
    struct schedule *rich = make(f, 1, 2), *poor = make(f, 0, 2);
    assert_true(schedule_take(rich, &chunk)); /* begins the point */
    assert_int_equal(schedule_cut_points(rich, f->points, POINTS), 0);
    assert_true(schedule_cut_task(rich, &task));
    assert_int_equal(task.point, 3);
    assert_true(task.count > 0);
    do_chunk(f, rich, &chunk);
    schedule_add_task(poor, 7, &task);
    for (uint32_t left = task.count; left > 0; left -= chunk.count) {
        assert_false(schedule_next_return(poor, &owner, &back, values));
        assert_true(schedule_take(poor, &chunk));
        do_chunk(f, poor, &chunk);
    }
    assert_true(schedule_next_return(poor, &owner, &back, values));
    assert_int_equal(owner, 7);
    assert_memory_equal(&back, &task, sizeof task);
    schedule_returned(rich, &back, values);
    run_points(f, rich, 1);
    assert_runs(f, 3, 100);
    schedule_close(rich);
    schedule_close(poor);
}

/* Little work is not worth the way. */
static void test_small_tasks_stay(void **state)
{
    struct fixture *f = *state;
    struct chunk chunk;
    struct task task;
    f->points[0] = 3;
    f->cost[3] = 10; /* 20 x 10 packets */
    struct schedule *schedule = make(f, 1, 2);
    assert_true(schedule_take(schedule, &chunk));
    assert_false(schedule_cut_task(schedule, &task));
    schedule_close(schedule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_replication_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_error_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_points_move, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tasks_move, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_small_tasks_stay, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
