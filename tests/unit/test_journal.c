/* test_journal.c - journals survive kills, torn writes and full disks, and damage is found and named. */
#include "../../src/journal_format.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>
#include <cmocka.h>

enum { SEED = 7, FLOWS = 2 };

static char folder[256], output[300];

static int setup(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/tcpsweep-journal-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    snprintf(output, sizeof output, "%s/out.h5", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    struct error err;
    umount(folder); /* of test_full_disk, also when it has failed */
    return journal_discard(output, &err) || rmdir(folder);
}

/* --- made-up records --------------------------------------------------------------------------------------------- */

/* The value that record i holds at a place; what is read back is compared with it. */
static double value(uint32_t i, uint32_t place)
{
    return place % 7 == 3 ? NAN : 1.0 / (1 + i) + place;
}

static struct record make_record(uint32_t i, uint32_t nflows, double *values)
{
    for (uint32_t p = 0; p < (1 + nflows) * METRIC_COUNT; p++)
        values[p] = value(i, p);
    return (struct record){.scenario = {1000 - i / 10, i / 10},
                           .replication = i % 10,
                           .status = i % 4 == 3 ? SIM_LIMIT : SIM_OK,
                           .nflows = nflows,
                           .cpu_us = 100,
                           .values = values};
}

static int append(struct journal *journal, uint32_t i, uint32_t nflows, struct error *err)
{
    double values[(1 + FLOWS) * METRIC_COUNT];
    const struct record record = make_record(i, nflows, values);
    return journal_append(journal, &record, err);
}

static void write_records(uint32_t rank, uint32_t from, uint32_t to)
{
    struct error err;
    struct journal *journal;
    assert_int_equal(journal_open(&journal, output, 0, 1, rank, SEED, &err), 0);
    for (uint32_t i = from; i < to; i++)
        assert_int_equal(append(journal, i, i % 2 ? FLOWS : 0, &err), 0);
    assert_int_equal(journal_close(journal, &err), 0);
}

static bool record_is_right(const struct record *record, uint32_t i)
{
    double values[(1 + FLOWS) * METRIC_COUNT];
    const struct record expected = make_record(i, i % 2 ? FLOWS : 0, values);
    return record->status == expected.status && record->nflows == expected.nflows && record->cpu_us == 100 &&
           memcmp(record->values, values, (1 + record->nflows) * METRIC_COUNT * sizeof(double)) == 0;
}

/* Opens the set and counts the records 0 .. that are there and right. */
static uint32_t count_right(void)
{
    struct error err;
    struct journal_set *set;
    if (journal_set_open(&set, output, SEED, &err))
        fail_msg("%s", err.text);
    struct record record;
    uint32_t i = 0;
    while (journal_set_find(set, (struct hash128){1000 - i / 10, i / 10}, i % 10, &record)) {
        assert_true(record_is_right(&record, i));
        i++;
    }
    assert_int_equal(journal_set_count(set), i);
    journal_set_close(set);
    return i;
}

static void file_path(char *path, size_t size, uint32_t rank)
{
    char name[64];
    snprintf(name, sizeof name, "shard-0-of-1.rank-%u.jrn", rank);
    journal_path(path, size, output, name);
}

static size_t file_size(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return (size_t)st.st_size;
}

static void flip_byte(const char *path, size_t at)
{
    const int fd = open(path, O_RDWR);
    unsigned char byte;
    assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
    close(fd);
}

static size_t record_bytes(uint32_t i)
{
    return sizeof(struct journal_frame) + journal_payload_bytes(i % 2 ? FLOWS : 0);
}

/* --- tests ------------------------------------------------------------------------------------------------------- */

static void test_round_trip(void **state)
{
    (void)state;
    assert_false(journal_exists(output));
    assert_int_equal(count_right(), 0);
    write_records(0, 0, 500); /* more than one batch */
    write_records(1, 500, 503);
    write_records(0, 503, 600); /* continued */
    assert_true(journal_exists(output));
    assert_int_equal(count_right(), 600);

    struct error err;
    struct journal_set *set;
    struct record record;
    assert_int_equal(journal_set_open(&set, output, SEED, &err), 0);
    assert_false(journal_set_find(set, (struct hash128){1000, 0}, 10, &record));
    assert_false(journal_set_find(set, (struct hash128){1000, 1}, 0, &record)); /* same high half */
    assert_true(journal_set_cpu_s(set) > 0.0599 && journal_set_cpu_s(set) < 0.0601);
    journal_set_close(set);
}

static void test_torn_tail_of_every_length(void **state)
{
    (void)state;
    write_records(0, 0, 4);
    char path[512];
    file_path(path, sizeof path, 0);
    const size_t whole = file_size(path), before = whole - record_bytes(3);
    for (size_t size = whole - 1; size >= before; size--) {
        assert_int_equal(truncate(path, (off_t)size), 0);
        assert_int_equal(count_right(), 3);
        if ((whole - size) % 50 == 1 || size == before) {
            write_records(0, 3, 4); /* cuts the tail and goes on */
            assert_int_equal(file_size(path), whole);
            assert_int_equal(count_right(), 4);
        }
    }
}

static void test_torn_header(void **state)
{
    (void)state;
    char path[512];
    file_path(path, sizeof path, 0);
    for (size_t size = 0; size < sizeof(struct journal_header); size += 25) {
        write_records(0, 0, 1);
        assert_int_equal(truncate(path, (off_t)size), 0);
        assert_int_equal(count_right(), 0);
        write_records(0, 0, 2);
        assert_int_equal(count_right(), 2);
        assert_int_equal(unlink(path), 0);
    }
}

static void test_zeros_after_host_crash(void **state)
{
    (void)state;
    write_records(0, 0, 3);
    char path[512];
    file_path(path, sizeof path, 0);
    assert_int_equal(truncate(path, (off_t)file_size(path) + 10000), 0);
    assert_int_equal(count_right(), 3);
    write_records(0, 3, 5);
    assert_int_equal(count_right(), 5);
}

static void assert_damage_named(const char *path, size_t record_at)
{
    struct error err;
    struct journal_set *set;
    struct journal *journal;
    char place[64];
    snprintf(place, sizeof place, "damaged at byte %zu", record_at);
    assert_int_equal(journal_set_open(&set, output, SEED, &err), -1);
    assert_int_equal(err.status, EXIT_BAD_INPUT);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, place));
    assert_int_equal(journal_open(&journal, output, 0, 1, 0, SEED, &err), -1);
    assert_non_null(strstr(err.text, place));
}

static void test_flipped_byte_in_the_middle(void **state)
{
    (void)state;
    write_records(0, 0, 5);
    char path[512];
    file_path(path, sizeof path, 0);
    const size_t record_at = sizeof(struct journal_header) + record_bytes(0), whole = file_size(path);
    for (size_t at = record_at; at < record_at + record_bytes(1); at++) {
        flip_byte(path, at);
        assert_damage_named(path, record_at);
        flip_byte(path, at);
    }
    flip_byte(path, whole - record_bytes(4) - 1); /* the last two records: more than one torn write leaves */
    flip_byte(path, whole - 1);
    assert_damage_named(path, whole - record_bytes(4) - record_bytes(3));
    flip_byte(path, whole - record_bytes(4) - 1);
    flip_byte(path, whole - 1);
    assert_int_equal(file_size(path), whole); /* nothing was cut */
    flip_byte(path, whole - 1);               /* the last record is taken for torn */
    assert_int_equal(count_right(), 4);
}

/* Rewrites the header with a change and a check that fits. */
static void forge_header(const char *path, const struct journal_header *header)
{
    struct journal_header forged = *header;
    forged.check = XXH3_64bits(&forged, offsetof(struct journal_header, check));
    const int fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, &forged, sizeof forged, 0), sizeof forged);
    close(fd);
}

static void assert_refused(const char *path, const char *words)
{
    struct error err;
    struct journal_set *set;
    struct journal *journal;
    assert_int_equal(journal_set_open(&set, output, SEED, &err), -1);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, words));
    assert_non_null(strstr(err.text, "--force"));
    assert_int_equal(journal_open(&journal, output, 0, 1, 0, SEED, &err), -1);
    assert_int_equal(err.status, EXIT_BAD_INPUT);
    assert_non_null(strstr(err.text, words));
}

static void test_refuses_strangers(void **state)
{
    (void)state;
    write_records(0, 0, 2);
    char path[512];
    file_path(path, sizeof path, 0);
    struct journal_header header, forged;
    journal_header_fill(&header, SEED, 0, 1, 0);

    forged = header;
    forged.seed = 8;
    forge_header(path, &forged);
    assert_refused(path, "--seed 8");
    forged = header;
    strcpy(forged.version, "0.0.7");
    forge_header(path, &forged);
    assert_refused(path, "tcpsweep 0.0.7");
    forged = header;
    forged.layout++;
    forge_header(path, &forged);
    assert_refused(path, "this is");
    forged = header;
    forged.metrics++;
    forge_header(path, &forged);
    assert_refused(path, "this is");
    forge_header(path, &header);
    flip_byte(path, 30);
    assert_refused(path, "header is damaged");
}

static void test_duplicates(void **state)
{
    (void)state;
    write_records(0, 0, 20);
    write_records(1, 5, 20);
    assert_int_equal(count_right(), 20);

    struct error err;
    struct journal *journal;
    struct journal_set *set;
    double values[(1 + FLOWS) * METRIC_COUNT];
    struct record record = make_record(6, 0, values);
    record.cpu_us = 5; /* what it cost may differ */
    assert_int_equal(journal_open(&journal, output, 0, 1, 2, SEED, &err), 0);
    assert_int_equal(journal_append(journal, &record, &err), 0);
    assert_int_equal(journal_sync(journal, &err), 0);
    assert_int_equal(journal_set_open(&set, output, SEED, &err), 0);
    assert_int_equal(journal_set_count(set), 20);
    journal_set_close(set);

    values[METRIC_COUNT - 1] += 1e-9; /* a result may not */
    assert_int_equal(journal_append(journal, &record, &err), 0);
    assert_int_equal(journal_close(journal, &err), 0);
    assert_int_equal(journal_set_open(&set, output, SEED, &err), -1);
    assert_non_null(strstr(err.text, "rank-2.jrn at byte"));
    assert_non_null(strstr(err.text, "rank-0.jrn at byte"));
}

/* Writes until killed; says in shared memory how many records are synced. */
static void write_until_killed(volatile uint32_t *synced, uint32_t from)
{
    struct error err;
    struct journal *journal;
    if (journal_open(&journal, output, 0, 1, 0, SEED, &err))
        _exit(1);
    for (uint32_t i = from;; i++) {
        if (append(journal, i, i % 2 ? FLOWS : 0, &err))
            _exit(1);
        if (i % 150 == 149) {
            if (journal_sync(journal, &err))
                _exit(1);
            *synced = i + 1;
        }
    }
}

static void test_kill_nine(void **state)
{
    (void)state;
    volatile uint32_t *synced = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(synced, MAP_FAILED);
    srand(1);
    uint32_t have = 0;
    for (int kill_number = 0; kill_number < 20; kill_number++) {
        const pid_t child = fork();
        if (child == 0)
            write_until_killed(synced, have);
        usleep(500 + (useconds_t)(rand() % 5000));
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        have = count_right();
        assert_true(have >= *synced);
    }
    assert_true(have > 0);
    munmap((void *)synced, 4096);
}

/* Appends until an error, checks its words, frees space by `relieve`, and goes on without a loss. */
static void fill_and_go_on(const char *words, void (*relieve)(void))
{
    struct error err;
    struct journal *journal;
    assert_int_equal(journal_open(&journal, output, 0, 1, 0, SEED, &err), 0);
    uint32_t i = 0;
    while (i < 20000 && append(journal, i, i % 2 ? FLOWS : 0, &err) == 0)
        i++;
    assert_in_range(i, 1, 19999);
    assert_int_equal(err.status, EXIT_ENVIRONMENT);
    char path[512];
    file_path(path, sizeof path, 0);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, words));
    while (append(journal, i + 1, 0, &err) == 0) /* the batch must not overflow either */
        i++;
    const uint32_t saved = count_right();
    assert_in_range(saved, 1, i + 1);
    size_t size = sizeof(struct journal_header);
    for (uint32_t k = 0; k < saved; k++)
        size += record_bytes(k);
    assert_int_equal(file_size(path), size); /* ends with a whole record */
    relieve();
    assert_int_equal(journal_close(journal, &err), 0);
}

static void lift_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void test_file_size_limit(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 300001; /* in the middle of a record */
    setrlimit(RLIMIT_FSIZE, &limit);
    fill_and_go_on(strerror(EFBIG), lift_limit);
    signal(SIGXFSZ, SIG_DFL);
}

static void grow_tmpfs(void)
{
    assert_int_equal(mount("tcpsweep-test", folder, "tmpfs", MS_REMOUNT, "size=64m"), 0);
}

static void test_full_disk(void **state)
{
    (void)state;
    if (mount("tcpsweep-test", folder, "tmpfs", 0, "size=256k") != 0)
        skip(); /* needs root */
    fill_and_go_on(strerror(ENOSPC), grow_tmpfs);
}

static void test_unwritable_folder(void **state)
{
    (void)state;
    struct error err;
    struct journal *journal;
    assert_int_equal(journal_open(&journal, "/nonexistent/out.h5", 0, 1, 0, SEED, &err), -1);
    assert_int_equal(err.status, EXIT_ENVIRONMENT);
    assert_non_null(strstr(err.text, "/nonexistent/out.h5.journal"));
}

/* --- locks ------------------------------------------------------------------------------------------------------- */

static void test_lock_is_exclusive(void **state)
{
    (void)state;
    struct error err;
    struct lock *lock, *second;
    char pid[32];
    assert_int_equal(lock_acquire(&lock, output, "merge.lock", &err), 0);
    assert_int_equal(lock_acquire(&second, output, "merge.lock", &err), -1);
    assert_int_equal(err.status, EXIT_BAD_INPUT);
    snprintf(pid, sizeof pid, "process %ld", (long)getpid());
    assert_non_null(strstr(err.text, pid));
    assert_non_null(strstr(err.text, "merge.lock"));
    assert_int_equal(lock_acquire(&second, output, "shard-0-of-2.lock", &err), 0);
    lock_release(second);
    lock_release(lock);
    assert_int_equal(lock_acquire(&lock, output, "merge.lock", &err), 0);
    lock_release(lock);
}

static void leave_lock(const char *text)
{
    char path[512];
    struct error err;
    assert_int_equal(journal_make_folder(output, &err), 0);
    journal_path(path, sizeof path, output, "merge.lock");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void leave_lock_of_dead_process(void)
{
    struct error err;
    struct lock *lock;
    const pid_t child = fork();
    if (child == 0)
        _exit(lock_acquire(&lock, output, "merge.lock", &err) != 0);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void test_stale_lock_is_taken_over(void **state)
{
    (void)state;
    struct error err;
    struct lock *lock;
    leave_lock_of_dead_process();
    assert_int_equal(lock_acquire(&lock, output, "merge.lock", &err), 0);
    lock_release(lock);
    char host[65] = "", text[128];
    gethostname(host, sizeof host - 1);
    snprintf(text, sizeof text, "%s %ld 12345 - 0\n", host, (long)getpid()); /* our number, another process */
    leave_lock(text);
    assert_int_equal(lock_acquire(&lock, output, "merge.lock", &err), 0);
    lock_release(lock);
}

static void test_lock_of_another_host(void **state)
{
    (void)state;
    struct error err;
    struct lock *lock;
    leave_lock("elsewhere 1 12345 77 0\n");
    assert_int_equal(lock_acquire(&lock, output, "merge.lock", &err), -1);
    assert_non_null(strstr(err.text, "elsewhere"));
    setenv("SLURM_JOB_ID", "77", 1);
    assert_int_equal(lock_acquire(&lock, output, "merge.lock", &err), -1);
    setenv("SLURM_RESTART_COUNT", "1", 1); /* requeued after its node failed */
    assert_int_equal(lock_acquire(&lock, output, "merge.lock", &err), 0);
    lock_release(lock);
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_RESTART_COUNT");
}

static void test_one_of_many_takes_over(void **state)
{
    (void)state;
    enum { RACERS = 8 };
    for (int round = 0; round < 10; round++) {
        leave_lock_of_dead_process();
        int answers[2], gate[2]; /* each racer says how it went, and stays alive until all have */
        assert_int_equal(pipe(answers) | pipe(gate), 0);
        for (int i = 0; i < RACERS; i++) {
            if (fork() == 0) {
                struct error err;
                struct lock *lock;
                char won = lock_acquire(&lock, output, "merge.lock", &err) == 0, end;
                close(gate[1]);
                _exit(write(answers[1], &won, 1) != 1 || read(gate[0], &end, 1) != 0);
            }
        }
        int winners = 0;
        for (int i = 0; i < RACERS; i++) {
            char won = 0;
            assert_int_equal(read(answers[0], &won, 1), 1);
            winners += won;
        }
        close(answers[0]);
        close(answers[1]);
        close(gate[0]);
        close(gate[1]);
        for (int i = 0; i < RACERS; i++)
            wait(NULL);
        assert_int_equal(winners, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_torn_tail_of_every_length, setup, teardown),
        cmocka_unit_test_setup_teardown(test_torn_header, setup, teardown),
        cmocka_unit_test_setup_teardown(test_zeros_after_host_crash, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flipped_byte_in_the_middle, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refuses_strangers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_duplicates, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kill_nine, setup, teardown),
        cmocka_unit_test_setup_teardown(test_file_size_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full_disk, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unwritable_folder, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock_is_exclusive, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stale_lock_is_taken_over, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock_of_another_host, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_of_many_takes_over, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
