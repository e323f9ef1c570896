/* cmd_run.c - `tcpsweep run`: a whole sweep over ranks and threads.
 *
 *   load and check everything --> lock the output --> read journals (--resume) --> work --> OUT.h5
 *
 * Each step is taken by all ranks, which agree on its success before the next.
 */
#include "cmd.h"
#include "cpus.h"
#include "exchange.h"
#include "options.h"
#include "output.h"
#include "par.h"
#include "points.h"
#include "progress.h"
#include "signals.h"
#include "worker.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double SYNC_S = 1;

enum { TEXT_BYTES = 64 };

static const char ALLOWED[] = "otsenrfilq";

struct run {
    struct options options;
    struct sweep *sweep;
    struct provenance prov;
    char *command_line, start_time[TEXT_BYTES], end_time[TEXT_BYTES];
    double start_s, limit_s; /* monotonic; limit_s 0: none */
    double *cost;            /* of one replication, by point */
    uint64_t *points;        /* of this rank */
    uint64_t npoints;        /* their number */
    uint64_t all_points;     /* of the shard */
    struct lock *lock;
    struct journal_set *found;
    struct team team;
    struct progress progress;
    const char *stopped_by;
    double synced_s;
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double process_cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void time_text(char *text)
{
    struct tm utc;
    time_t now = time(NULL);
    strftime(text, TEXT_BYTES, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

static char *join(int argc, char **argv)
{
    size_t size = sizeof "tcpsweep";
    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + 1;
    char *text = malloc(size), *end = text;
    if (text)
        end += sprintf(text, "tcpsweep");
    for (int i = 0; text && i < argc; i++)
        end += sprintf(end, " %s", argv[i]);
    return text;
}

/* Slurm's end time less some time to save and to write the file; 0 without one. */
static double slurm_limit_s(void)
{
    const char *end = getenv("SLURM_JOB_END_TIME");
    double left = end ? strtod(end, NULL) - (double)time(NULL) : 0;
    return left > 0 ? left - (left > 600 ? 60 : left / 10) : 0;
}

/* --- before the work --------------------------------------------------------------------------------------------- */

static void describe(struct run *run)
{
    const struct options *o = &run->options;
    double limit_s = o->time_limit_s > 0 ? o->time_limit_s : slurm_limit_s();
    run->limit_s = limit_s > 0 ? run->start_s + limit_s : 0;
    time_text(run->start_time);
    run->prov = (struct provenance){
        .command_line = run->command_line ? run->command_line : "",
        .sets = o->set_texts,
        .nsets = o->nsets,
        .nhosts = par_hosts(),
        .nranks = par_size(),
        .nthreads = o->threads ? o->threads : cpus_default_threads(par_local_size()),
        .start_time = run->start_time,
        .end_time = run->end_time,
    };
}

/* Checks all points and keeps those of this shard and rank. */
static int plan_points(struct run *run, struct error *err)
{
    uint64_t n, all = sweep_npoints(run->sweep);
    run->cost = calloc(all + 1, sizeof *run->cost);
    if (par_agree(run->cost ? 0 : error_set(err, EXIT_ENVIRONMENT, "out of memory for %" PRIu64 " points", all), err) ||
        points_check(run->sweep, run->options.path, (int)run->prov.nthreads, run->cost, err))
        return -1;
    run->points = points_in_order(run->cost, all, &n);
    if (!run->points)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory for %" PRIu64 " points", all);
    run->all_points = points_deal(run->points, n, run->options.shard - 1, run->options.nshards);
    run->progress.npoints = run->all_points;
    for (uint64_t i = 0; i < run->all_points; i++)
        run->progress.cost_of_one += run->cost[run->points[i]];
    run->progress.least = next_look(sweep_replications(run->sweep), 0);
    run->npoints = points_deal(run->points, run->all_points, par_rank(), par_size());
    return 0;
}

/* What earlier runs have left, then this rank's own journal. Opening a journal may cut its tail, so all read first. */
static int open_journals(struct run *run, struct error *err)
{
    const struct options *o = &run->options;
    uint64_t seed = sweep_seed(run->sweep);
    if (par_agree(o->resume ? journal_set_open(&run->found, o->output, seed, err) : 0, err) ||
        par_agree(journal_open(&run->team.journal, o->output, o->shard, o->nshards, par_rank(), seed, err), err))
        return -1;
    return 0;
}

static int prepare(struct run *run, struct error *err)
{
    struct options *o = &run->options;
    if (!o->output)
        return error_set(err, EXIT_BAD_INPUT, "no output, expected -o OUT.h5");
    if (par_agree(options_load_sweep(o, &run->sweep, err), err))
        return -1;
    describe(run);
    if (par_agree(plan_points(run, err), err))
        return -1;
    int failed = par_rank() == 0 ? output_prepare(o, sweep_seed(run->sweep), &run->lock, err) : 0;
    if (par_agree(failed, err) || open_journals(run, err))
        return -1;
    failed = par_rank() == 0 ? store_run_info_save(o->output, run->sweep, &run->prov, err) : 0;
    return par_agree(failed, err);
}

static void announce(const struct run *run)
{
    char cpus[TEXT_BYTES];
    uint32_t threads = run->prov.nthreads, allowed = cpus_allowed();
    cpus_text(cpus, sizeof cpus);
    if (threads > allowed)
        fprintf(stderr, "warning: %u threads on %u CPUs (%s): they will wait for each other\n", threads, allowed, cpus);
    if (run->options.quiet)
        return;
    fprintf(stderr, "%s: %" PRIu64 " points, %u rank%s x %u thread%s on %u host%s, CPUs %s\n", sweep_name(run->sweep),
            run->all_points, par_size(), par_size() > 1 ? "s" : "", threads, threads > 1 ? "s" : "", par_hosts(),
            par_hosts() > 1 ? "s" : "", cpus);
    if (run->found && journal_set_count(run->found) > 0)
        fprintf(stderr, "%" PRIu64 " replications found in the journals\n", journal_set_count(run->found));
}

/* --- the work ---------------------------------------------------------------------------------------------------- */

static bool watch(void *ctx, const struct schedule_state *state)
{
    struct run *run = ctx;
    struct error err;
    double now = now_s();
    if (now - run->synced_s >= SYNC_S) {
        run->synced_s = now;
        if (team_sync(&run->team, &err))
            schedule_fail(run->team.schedule, &err);
    }
    if (par_rank() == 0)
        progress_show(&run->progress, state);
    if (signals_received())
        run->stopped_by = strsignal(signals_received());
    else if (run->limit_s > 0 && now >= run->limit_s)
        run->stopped_by = "time limit";
    return !run->stopped_by;
}

static void run_team(struct run *run)
{
    struct exchange_setup exchange = {run->team.schedule, run->all_points, watch, run};
    int threads = (int)run->prov.nthreads + 1; /* the main thread sleeps most of the time */
    omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() != 0) {
            worker_run(&run->team);
        } else {
            if (omp_get_num_threads() < threads) {
                struct error err;
                error_set(&err, EXIT_ENVIRONMENT, "only %d threads of %d start: OMP_THREAD_LIMIT?",
                          omp_get_num_threads(), threads);
                schedule_fail(run->team.schedule, &err);
            }
            exchange_run(&exchange);
        }
    }
}

struct totals { /* sums over ranks */
    double points, replications, failed, kernel_cpu_s, cpu_s;
};

static int work(struct run *run, struct totals *totals, struct error *err)
{
    struct schedule_setup setup = {
        .sweep = run->sweep,
        .found = run->found,
        .cost = run->cost,
        .points = run->points,
        .npoints = run->npoints,
        .workers = run->prov.nthreads,
        .ranks = par_size(),
    };
    if (par_agree(schedule_open(&run->team.schedule, &setup, err), err))
        return -1;
    run->team.sweep = run->sweep;
    pthread_mutex_init(&run->team.journal_lock, NULL);
    progress_start(&run->progress, run->options.quiet || par_rank() != 0);
    double cpu_s = process_cpu_s();
    run_team(run);
    cpu_s = process_cpu_s() - cpu_s;
    progress_end(&run->progress);
    pthread_mutex_destroy(&run->team.journal_lock);
    int failed = schedule_error(run->team.schedule, err);
    struct schedule_state state = schedule_state(run->team.schedule);
    *totals = (struct totals){(double)state.points, (double)state.replications, (double)run->team.failed,
                              state.kernel_cpu_s, cpu_s};
    par_sum((double *)totals, sizeof *totals / sizeof(double));
    failed = journal_close(run->team.journal, failed ? &(struct error){0} : err) || failed;
    run->team.journal = NULL;
    return par_agree(failed, err);
}

/* --- after the work; rank 0 -------------------------------------------------------------------------------------- */

static void report_work(const struct run *run, const struct totals *totals)
{
    char time[TEXT_BYTES];
    progress_time(now_s() - run->start_s, time, sizeof time);
    fprintf(stderr, "%.0f replications run in %s, %.1f s of CPU, %.1f %% of it in the kernel\n", totals->replications,
            time, totals->cpu_s, totals->cpu_s > 0 ? 100 * totals->kernel_cpu_s / totals->cpu_s : 0);
}

static int stopped(const struct run *run, const struct totals *totals)
{
    fprintf(stderr,
            "stopped (%s) with %.0f of %" PRIu64 " points done; all that has been run is in %s.journal: go on with "
            "--resume\n",
            run->stopped_by ? run->stopped_by : "by another rank", totals->points, run->all_points,
            run->options.output);
    return EXIT_STOPPED;
}

static int finish(struct run *run, const struct totals *totals, struct error *err)
{
    const struct options *o = &run->options;
    struct store_outcome outcome;
    time_text(run->end_time);
    if (!o->quiet)
        report_work(run, totals);
    if ((uint64_t)totals->points < run->all_points)
        return stopped(run, totals);
    if (o->nshards > 1) {
        if (!o->quiet)
            fprintf(stderr, "shard %u of %u is done; when all are: tcpsweep merge %s\n", o->shard, o->nshards,
                    o->output);
        return totals->failed > 0 ? EXIT_SOME_FAILED : EXIT_DONE;
    }
    if (output_finish(o, run->sweep, &run->prov, &outcome, err))
        return -1;
    if (!o->quiet && show_table(o->output, NULL, NULL, false, stdout, err))
        return -1;
    if (!o->quiet)
        printf("%s: %" PRIu64 " points, %" PRIu64 " replications\n", o->output, outcome.points, outcome.replications);
    return outcome.failed > 0 ? EXIT_SOME_FAILED : EXIT_DONE;
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

/* Returns the exit status, or -1 with *err. */
static int run_sweep(struct run *run, struct error *err)
{
    struct totals totals;
    signals_install();
    if (prepare(run, err))
        return -1;
    if (par_rank() == 0)
        announce(run);
    if (work(run, &totals, err))
        return -1;
    int status = par_rank() == 0 ? finish(run, &totals, err) : 0;
    if (par_agree(status < 0 ? -1 : 0, err))
        return -1;
    par_broadcast(&status, sizeof status);
    return status;
}

static void clean_up(struct run *run)
{
    journal_close(run->team.journal, &(struct error){0});
    journal_set_close(run->found);
    schedule_close(run->team.schedule);
    output_release(&run->options, run->lock);
    sweep_free(run->sweep);
    options_free(&run->options);
    free(run->command_line);
    free(run->cost);
    free(run->points);
}

static int help(void)
{
    printf(
        "usage: tcpsweep run SWEEP.yaml -o OUT.h5 [options]\n"
        "Runs a sweep; under mpirun or srun on all ranks. Finished replications are in OUT.h5.journal until OUT.h5 is\n"
        "made from them at the end.\n\n");
    options_print(ALLOWED);
    printf("\nexit status: 0 done, 2 bad input, 3 done but some replications failed, 75 stopped early (--resume goes "
           "on),\n1 anything else\n");
    return EXIT_DONE;
}

int cmd_run(int argc, char **argv)
{
    struct run run = {.start_s = now_s(), .command_line = join(argc, argv)}; /* getopt will reorder it */
    struct error err;
    int failed = options_parse(&run.options, argc, argv, ALLOWED, &err);
    if (!failed && run.options.help)
        return help();
    int mpi_failed = par_start(&argc, &argv, failed ? &(struct error){0} : &err);
    int status = failed || mpi_failed ? -1 : run_sweep(&run, &err);
    if (status < 0 && par_rank() == 0)
        fprintf(stderr, "%s\n", err.text);
    clean_up(&run);
    par_finish();
    return status < 0 ? (int)err.status : status;
}
