/* par.c - ranks over MPI, or one rank without it. */
#define _GNU_SOURCE /* environ */
#include "par.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if WITH_MPI
#include <mpi.h>
#endif

/* Ranks that the launcher started, according to its environment; 0 if it says nothing. A step's own count goes before
 * the allocation's, since `srun -n 1` in a larger allocation is one rank. */
static unsigned long launched_ranks(const char **variable)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *text = getenv(variables[i]);
        *variable = variables[i];
        if (text && *text)
            return strtoul(text, NULL, 10);
    }
    return 0;
}

static int refuse_singletons(uint32_t size, struct error *err)
{
    const char *variable;
    unsigned long tasks = launched_ranks(&variable);
    if (tasks > 1 && size == 1)
        return error_set(
            err, EXIT_ENVIRONMENT,
            "%s is %lu, but this is one rank alone%s: start tcpsweep by mpirun or srun --mpi=pmix, or with "
            "one task",
            variable, tasks, WITH_MPI ? "" : " (built with MPI=0)");
    return 0;
}

#if WITH_MPI

enum { SLEEP_NS = 500000, REDUCE_MAX = 1 << 20 };

struct sent { /* a message on its way, its data behind it */
    struct sent *next;
    MPI_Request request;
    _Alignas(8) unsigned char data[];
};

/* One MPI world a process: its state is as global as MPI's own. */
static struct {
    bool started;
    uint32_t rank, size, hosts, local_size;
    struct sent *sent;
    MPI_Request barrier;
} par = {.size = 1, .hosts = 1, .local_size = 1, .barrier = MPI_REQUEST_NULL};

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
}

static void wait_for(MPI_Request *request)
{
    int done = 0;
    for (;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
        nap();
    }
}

/* Whether a launcher started this process. Alone, MPI would only cost its start (0.2 s of CPU and a daemon); a launcher
 * that is not recognised leaves several ranks alone, of which the output's lock lets one through. */
static bool is_launched(void)
{
    static const char *const prefixes[] = {"OMPI_COMM_WORLD_", "PMIX_", "PMI_", "MPI_LOCALNRANKS"};
    for (char **variable = environ; *variable; variable++)
        for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
            if (strncmp(*variable, prefixes[i], strlen(prefixes[i])) == 0)
                return true;
    return false;
}

static void count_hosts(void)
{
    MPI_Comm host;
    int local_size, local_rank;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &local_size);
    MPI_Comm_rank(host, &local_rank);
    MPI_Comm_free(&host);
    double first = local_rank == 0;
    par_sum(&first, 1);
    par.hosts = (uint32_t)first;
    par.local_size = (uint32_t)local_size;
}

int par_start(int *argc, char ***argv, struct error *err)
{
    int provided, size, rank;
    if (!is_launched())
        return refuse_singletons(1, err);
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return error_set(err, EXIT_ENVIRONMENT, "MPI does not start");
    par.started = true;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    par.size = (uint32_t)size;
    par.rank = (uint32_t)rank;
    if (provided < MPI_THREAD_FUNNELED)
        return error_set(err, EXIT_ENVIRONMENT, "this MPI has no thread support, expected MPI_THREAD_FUNNELED");
    if (refuse_singletons(par.size, err))
        return -1;
    count_hosts();
    return 0;
}

static void free_sent(bool wait)
{
    struct sent **link = &par.sent;
    while (*link) {
        struct sent *sent = *link;
        int done = 0;
        if (wait)
            wait_for(&sent->request);
        else
            MPI_Test(&sent->request, &done, MPI_STATUS_IGNORE);
        if (wait || done) {
            *link = sent->next;
            free(sent);
        } else {
            link = &sent->next;
        }
    }
}

void par_finish(void)
{
    if (!par.started)
        return;
    par_barrier();
    free_sent(true);
    MPI_Finalize();
    par.started = false;
}

void par_abort(int status)
{
    if (par.started)
        MPI_Abort(MPI_COMM_WORLD, status);
    exit(status);
}

int par_agree(int rc, struct error *err)
{
    if (par.size == 1)
        return rc ? -1 : 0;
    MPI_Request request;
    int mine = rc ? (int)par.rank : (int)par.size, lowest;
    MPI_Iallreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    wait_for(&request);
    if (lowest == (int)par.size)
        return 0;
    MPI_Ibcast(err, (int)sizeof *err, MPI_BYTE, lowest, MPI_COMM_WORLD, &request);
    wait_for(&request);
    return -1;
}

void par_sum(double *values, size_t n)
{
    for (size_t i = 0; i < n && par.size > 1; i += REDUCE_MAX) {
        MPI_Request request;
        int count = (int)(n - i < REDUCE_MAX ? n - i : REDUCE_MAX);
        MPI_Iallreduce(MPI_IN_PLACE, values + i, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        wait_for(&request);
    }
}

void par_broadcast(void *data, size_t bytes)
{
    if (par.size == 1)
        return;
    MPI_Request request;
    MPI_Ibcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

void par_barrier_begin(void)
{
    if (par.size > 1)
        MPI_Ibarrier(MPI_COMM_WORLD, &par.barrier);
}

bool par_barrier_done(void)
{
    int done = 1;
    if (par.size > 1)
        MPI_Test(&par.barrier, &done, MPI_STATUS_IGNORE);
    return done;
}

void par_barrier(void)
{
    par_barrier_begin();
    while (!par_barrier_done())
        nap();
}

void par_send(uint32_t to, int kind, const void *data, size_t bytes)
{
    struct sent *sent = malloc(sizeof *sent + bytes);
    if (!sent)
        par_abort(EXIT_ENVIRONMENT);
    if (bytes)
        memcpy(sent->data, data, bytes);
    MPI_Issend(sent->data, (int)bytes, MPI_BYTE, (int)to, kind, MPI_COMM_WORLD, &sent->request);
    sent->next = par.sent;
    par.sent = sent;
}

bool par_all_sent(void)
{
    free_sent(false);
    return par.sent == NULL;
}

bool par_receive(struct par_message *message)
{
    int there = 0, bytes;
    MPI_Status status;
    if (par.size == 1)
        return false;
    free_sent(false);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (!there)
        return false;
    MPI_Recv(message->data, PAR_MESSAGE_BYTES, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    message->source = (uint32_t)status.MPI_SOURCE;
    message->kind = status.MPI_TAG;
    message->bytes = (size_t)bytes;
    return true;
}

uint32_t par_rank(void)
{
    return par.rank;
}

uint32_t par_size(void)
{
    return par.size;
}

uint32_t par_hosts(void)
{
    return par.hosts;
}

uint32_t par_local_size(void)
{
    return par.local_size;
}

#else /* one rank, nothing to do */

int par_start(int *argc, char ***argv, struct error *err)
{
    (void)argc;
    (void)argv;
    return refuse_singletons(1, err);
}

void par_finish(void)
{
}

void par_abort(int status)
{
    exit(status);
}

int par_agree(int rc, struct error *err)
{
    (void)err;
    return rc ? -1 : 0;
}

void par_sum(double *values, size_t n)
{
    (void)values;
    (void)n;
}

void par_broadcast(void *data, size_t bytes)
{
    (void)data;
    (void)bytes;
}

void par_barrier(void)
{
}

void par_barrier_begin(void)
{
}

bool par_barrier_done(void)
{
    return true;
}

void par_send(uint32_t to, int kind, const void *data, size_t bytes)
{
    (void)to;
    (void)kind;
    (void)data;
    (void)bytes;
}

bool par_all_sent(void)
{
    return true;
}

bool par_receive(struct par_message *message)
{
    (void)message;
    return false;
}

uint32_t par_rank(void)
{
    return 0;
}

uint32_t par_size(void)
{
    return 1;
}

uint32_t par_hosts(void)
{
    return 1;
}

uint32_t par_local_size(void)
{
    return 1;
}

#endif
