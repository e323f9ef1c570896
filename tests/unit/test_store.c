/* test_store.c - the file that store_write makes of made-up journals, read back with HDF5 and by store_open. */
#include "../../src/store.h"
#include "../../src/store_hdf5.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* For builds with AddressSanitizer: HDF5 keeps the memory of a file that it could not close on a full disk. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

static char folder[256], output[300], yaml_path[300];

static const struct provenance prov = {.command_line = "tcpsweep run test.yaml -o out.h5",
                                       .nhosts = 1,
                                       .nranks = 2,
                                       .nthreads = 4,
                                       .cpu_s = 1.5,
                                       .start_time = "2026-11-30T20:00:00Z",
                                       .end_time = "2026-11-30T20:01:00Z"};

/* One link with losses, or without; `tail` holds replications and axes. */
#define PATH_LOSS "path: [{name: link, rate: 10 Mbit/s, delay: 10 ms, ber: 1e-7}]\n"
#define PATH_CLEAN "path: [{name: link, rate: 10 Mbit/s, delay: 10 ms}]\n"
#define HEAD "name: test\ntitle: A test\nseed: 3\nduration: 10 s\n"

static int setup(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/tcpsweep-store-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    snprintf(output, sizeof output, "%s/out.h5", folder);
    snprintf(yaml_path, sizeof yaml_path, "%s/test.yaml", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    struct error err;
    unlink(output);
    unlink(yaml_path);
    return journal_discard(output, &err) || rmdir(folder);
}

/* --- made-up sweeps and results ---------------------------------------------------------------------------------- */

static struct sweep *load(const char *yaml)
{
    FILE *file = fopen(yaml_path, "w");
    assert_non_null(file);
    fputs(yaml, file);
    fclose(file);
    struct error err;
    struct sweep *sweep;
    if (sweep_load(&sweep, yaml_path, NULL, 0, &err))
        fail_msg("%s", err.text);
    return sweep;
}

/* What a replication gives; `row` 0 is all flows together. */
static double value(uint64_t point, uint32_t replication, uint32_t row, int metric)
{
    if (metric == METRIC_completion_time)
        return NAN; /* does not apply */
    return 1000 * (double)point + 100 * row + metric + 0.01 * ((replication * 37) % 11);
}

static bool fails(uint64_t point, uint32_t replication)
{
    return point == 1 && replication == 2;
}

static void append(struct journal *journal, const struct sweep *sweep, uint64_t point, uint32_t replication)
{
    struct error err;
    struct scenario *sc = sweep_scenario(sweep, point, &err);
    assert_non_null(sc);
    const uint32_t nflows = sc->nflows > 1 ? sc->nflows : 0;
    free(sc);
    double *values = malloc((1 + nflows) * METRIC_COUNT * sizeof *values);
    for (uint32_t row = 0; row <= nflows; row++)
        for (int m = 0; m < METRIC_COUNT; m++)
            values[row * METRIC_COUNT + (uint32_t)m] = value(point, replication, row, m);
    const struct record record = {.scenario = sweep_point_hash(sweep, point),
                                  .replication = replication,
                                  .status = fails(point, replication) ? SIM_LIMIT : SIM_OK,
                                  .nflows = nflows,
                                  .cpu_us = 10,
                                  .values = values};
    assert_int_equal(journal_append(journal, &record, &err), 0);
    free(values);
}

/* Journals of `ranks` ranks that ran replications 0 .. n-1 of all points, the last rank first. */
static void run(const struct sweep *sweep, uint32_t n, uint32_t ranks)
{
    struct error err;
    for (uint32_t rank = ranks; rank-- > 0;) {
        struct journal *journal;
        assert_int_equal(journal_open(&journal, output, 1, 1, rank, sweep_seed(sweep), &err), 0);
        for (uint64_t p = 0; p < sweep_npoints(sweep); p++)
            for (uint32_t r = 0; r < n; r++)
                if ((p + r) % ranks == rank && sweep_point_selected(sweep, p))
                    append(journal, sweep, p, r);
        assert_int_equal(journal_close(journal, &err), 0);
    }
}

static int write_output(const struct sweep *sweep, bool partial, struct store_outcome *outcome, struct error *err)
{
    struct journal_set *set;
    assert_int_equal(journal_set_open(&set, output, sweep_seed(sweep), err), 0);
    const int failed = store_write(output, sweep, set, &prov, partial, outcome, err);
    journal_set_close(set);
    return failed;
}

static struct store_outcome write_or_fail(const struct sweep *sweep)
{
    struct error err;
    struct store_outcome outcome;
    if (write_output(sweep, false, &outcome, &err))
        fail_msg("%s", err.text);
    char temporary[320];
    snprintf(temporary, sizeof temporary, "%s.tmp", output);
    assert_int_equal(access(temporary, F_OK), -1);
    return outcome;
}

static struct store_table *open_or_fail(void)
{
    struct error err;
    struct store_table *table;
    if (store_open(&table, output, &err))
        fail_msg("%s", err.text);
    return table;
}

static double *read_numbers(const struct store_table *table, const char *name, uint64_t *n)
{
    const hid_t dataset = H5Dopen2(table->h5->file, name, H5P_DEFAULT);
    assert_true(dataset >= 0);
    *n = h5_npoints(dataset);
    double *values = h5_read_numbers(table->h5, dataset, *n);
    H5Dclose(dataset);
    assert_non_null(values);
    return values;
}

static void assert_same(double got, double expected)
{
    if (!(got == expected || (isnan(got) && isnan(expected))))
        fail_msg("%.17g, expected %.17g", got, expected);
}

/* The statistics of a point as the file must have them. */
static struct summary expected_summary(uint64_t point, uint32_t n, uint32_t row, int metric)
{
    double values[1000];
    for (uint32_t r = 0; r < n; r++)
        values[r] = fails(point, r) ? NAN : value(point, r, row, metric);
    return summarise(values, n, 0.95);
}

static void assert_metric(const struct store_table *table, const struct sweep *sweep, int metric, uint32_t n)
{
    struct error err;
    struct table_metric got;
    assert_int_equal(store_read_metric(table, metric_table[metric].name, &got, &err), 0);
    assert_string_equal(got.units, metric_table[metric].unit);
    for (uint64_t p = 0; p < table->npoints; p++) {
        const bool selected = sweep_point_selected(sweep, p);
        const struct summary s = selected ? expected_summary(p, n, 0, metric) : (struct summary){0, NAN, NAN, NAN};
        assert_same(got.mean[p], s.mean);
        assert_same(got.sd[p], s.sd);
        assert_same(got.half_width[p], s.half_width);
        assert_same(got.n[p], (double)s.n);
    }
    store_metric_free(&got);
}

/* --- tests ------------------------------------------------------------------------------------------------------- */

static const char grid_yaml[] = HEAD PATH_LOSS "replications: 5\n"
                                               "axes:\n"
                                               "  tcp.algorithm: [tahoe, newreno]\n"
                                               "  path.link.ber: [1e-7, 1e-6, 1e-5]\n"
                                               "  tcp.mss: [536 B, 1460 B]\n"
                                               "where: \"tcp.mss > 1000 B or path.link.ber < 2e-6\"\n";

static void test_grid(void **state)
{
    (void)state;
    struct sweep *sweep = load(grid_yaml);
    run(sweep, 7, 2); /* two more than the rule uses */
    const struct store_outcome outcome = write_or_fail(sweep);
    assert_int_equal(outcome.points, 10);
    assert_int_equal(outcome.replications, 50);
    assert_int_equal(outcome.failed, 1);
    struct store_table *table = open_or_fail();
    assert_int_equal(table->ndimensions, 3);
    assert_int_equal(table->ncoordinates, 3);
    assert_string_equal(table->coordinates[0].name, "algorithm");
    assert_string_equal(table->coordinates[0].text[1], "newreno");
    assert_string_equal(table->coordinates[1].name, "ber");
    assert_same(table->coordinates[1].number[2], 1e-5);
    assert_string_equal(table->coordinates[2].units, "byte");
    assert_same(table->coordinates[2].number[1], 1460);
    assert_string_equal(table->title, "A test");
    assert_int_equal(table->seed, 3);
    for (int m = 0; m < METRIC_COUNT; m++)
        assert_metric(table, sweep, m, 5);
    for (uint64_t p = 0; p < table->npoints; p++)
        assert_string_equal(table->reasons[p], sweep_point_selected(sweep, p) ? "fixed" : "");
    store_close(table);
    sweep_free(sweep);
}

static void test_rows(void **state)
{
    (void)state;
    struct sweep *sweep = load(grid_yaml);
    run(sweep, 7, 3);
    write_or_fail(sweep);
    struct store_table *table = open_or_fail();
    uint64_t n;
    double *point = read_numbers(table, "replications/point", &n);
    double *replication = read_numbers(table, "replications/replication", &n);
    double *status = read_numbers(table, "replications/status", &n);
    double *sent = read_numbers(table, "replications/sent", &n);
    assert_int_equal(n, 50);
    uint64_t row = 0;
    for (uint64_t p = 0; p < table->npoints; p++)
        for (uint32_t r = 0; r < 5 && sweep_point_selected(sweep, p); r++, row++) {
            assert_same(point[row], (double)p);
            assert_same(replication[row], r);
            assert_same(status[row], fails(p, r) ? SIM_LIMIT : SIM_OK);
            assert_same(sent[row], fails(p, r) ? NAN : value(p, r, 0, METRIC_sent));
        }
    assert_int_equal(row, 50);
    free(point);
    free(replication);
    free(status);
    free(sent);
    store_close(table);
    sweep_free(sweep);
}

static void test_no_axes(void **state)
{
    (void)state;
    struct sweep *sweep = load(HEAD PATH_LOSS "replications: 4\n");
    run(sweep, 4, 1);
    write_or_fail(sweep);
    struct store_table *table = open_or_fail();
    assert_int_equal(table->ndimensions, 0);
    assert_int_equal(table->npoints, 1);
    assert_metric(table, sweep, METRIC_goodput, 4);
    assert_string_equal(table->reasons[0], "fixed");
    store_close(table);
    sweep_free(sweep);
}

static void test_deterministic(void **state)
{
    (void)state;
    struct sweep *sweep = load(HEAD PATH_CLEAN "replications: 5\naxes: {tcp.mss: [536 B, 1460 B]}\n");
    run(sweep, 1, 1);
    assert_int_equal(write_or_fail(sweep).replications, 2);
    struct error err;
    struct store_table *table = open_or_fail();
    struct table_metric goodput;
    assert_string_equal(table->reasons[1], "deterministic");
    assert_int_equal(store_read_metric(table, "goodput", &goodput, &err), 0);
    assert_same(goodput.mean[1], value(1, 0, 0, METRIC_goodput));
    assert_same(goodput.half_width[1], 0);
    assert_same(goodput.n[1], 1);
    store_metric_free(&goodput);
    store_close(table);
    sweep_free(sweep);
}

static void test_zip_and_sample(void **state)
{
    (void)state;
    struct sweep *sweep =
        load(HEAD PATH_LOSS
             "replications: 2\n"
             "axes: {tcp.algorithm: [tahoe, newreno]}\n"
             "zip: [{tcp.mss: [536 B, 1460 B, 8960 B], path.link.rate: [1 Mbit/s, 2 Mbit/s, 3 Mbit/s], as: size}]\n"
             "sample: {kind: sobol, points: 4, over: {path.link.delay: [10 ms, 300 ms]}}\n");
    run(sweep, 2, 1);
    write_or_fail(sweep);
    struct store_table *table = open_or_fail();
    assert_int_equal(table->ndimensions, 3);
    assert_int_equal(table->ncoordinates, 4); /* the index scales `size` and `sample` say nothing */
    assert_string_equal(table->coordinates[1].name, "mss");
    assert_string_equal(table->coordinates[2].name, "rate");
    assert_same(table->coordinates[2].number[2], 3e6);
    assert_int_equal(table->coordinates[3].dimension, 2);
    uint64_t n;
    double *sample = read_numbers(table, "sample", &n);
    assert_int_equal(n, 4);
    assert_same(sample[3], 3);
    free(sample);
    const hid_t goodput = H5Dopen2(table->h5->file, "goodput", H5P_DEFAULT);
    char *coordinates = h5_read_attr_text(goodput, "coordinates");
    assert_string_equal(coordinates, "mss rate delay");
    free(coordinates);
    H5Dclose(goodput);
    assert_metric(table, sweep, METRIC_goodput, 2);
    store_close(table);
    sweep_free(sweep);
}

static const char flows_yaml[] =
    HEAD "links: {access: {rate: 100 Mbit/s, delay: 1 ms}, backbone: {rate: 10 Mbit/s, delay: 10 ms, per: 0.001}}\n"
         "flows:\n"
         "  - {name: a, count: 2, via: [access*, backbone]}\n"
         "  - {name: b, via: [access*, backbone]}\n"
         "replications: 3\n"
         "axes: {flows.a.count: [1, 3, 2]}\n";

static void test_flows(void **state)
{
    (void)state;
    struct sweep *sweep = load(flows_yaml);
    run(sweep, 3, 2);
    write_or_fail(sweep);
    struct store_table *table = open_or_fail();
    uint64_t n;
    double *mean = read_numbers(table, "flow/sent", &n);
    const uint64_t width = n / 3;
    const hid_t scale = H5Dopen2(table->h5->file, "flow/flow", H5P_DEFAULT);
    assert_int_equal(h5_npoints(scale), width);
    char **names = h5_read_texts(table->h5, scale, width);
    struct error err;
    for (uint64_t p = 0; p < 3; p++) {
        struct scenario *sc = sweep_scenario(sweep, p, &err);
        for (uint64_t c = 0; c < width; c++) { /* each flow's values are found under its name, the rest is NaN */
            double expected = NAN;
            for (uint32_t f = 0; f < sc->nflows; f++)
                if (strcmp(sc->flows[f].name, names[c]) == 0)
                    expected = expected_summary(p, 3, 1 + f, METRIC_sent).mean;
            assert_same(mean[p * width + c], expected);
        }
        free(sc);
    }
    assert_string_equal(names[width - 1], "b"); /* in the order of the flows */
    assert_true(H5Lexists(table->h5->file, "flow/jain", H5P_DEFAULT) == 0);
    assert_metric(table, sweep, METRIC_jain, 3);
    H5Dclose(scale);
    free(names);
    free(mean);
    store_close(table);
    sweep_free(sweep);
}

static void test_incomplete(void **state)
{
    (void)state;
    struct sweep *sweep =
        load(HEAD PATH_LOSS "replications: {min: 30, max: 40, until: {metric: sent, half_width: 1e-9}}\n"
                            "axes: {tcp.mss: [536 B, 1460 B]}\n");
    run(sweep, 33, 1);
    struct error err;
    struct store_outcome outcome;
    assert_int_equal(write_output(sweep, false, &outcome, &err), -1);
    assert_int_equal(err.status, EXIT_BAD_INPUT);
    assert_non_null(strstr(err.text, "2 of 2 points are not complete"));
    assert_non_null(strstr(err.text, "replication 33"));
    assert_non_null(strstr(err.text, "mss=536"));
    assert_int_equal(access(output, F_OK), -1);

    assert_int_equal(write_output(sweep, true, &outcome, &err), 0);
    assert_int_equal(outcome.missing_points, 2);
    struct store_table *table = open_or_fail();
    assert_metric(table, sweep, METRIC_goodput, 33);
    assert_string_equal(table->reasons[0], "time");
    store_close(table);

    run(sweep, 40, 2); /* the rest comes, some of it twice */
    assert_int_equal(write_output(sweep, false, &outcome, &err), 0);
    table = open_or_fail();
    assert_metric(table, sweep, METRIC_goodput, 40);
    assert_string_equal(table->reasons[0], "max");
    store_close(table);
    sweep_free(sweep);
}

/* More points than a block holds, along more than one dimension. */
static void test_many_blocks(void **state)
{
    (void)state;
    struct sweep *sweep = load(HEAD PATH_CLEAN "replications: 1\n"
                                               "axes:\n"
                                               "  tcp.algorithm: [tahoe, newreno]\n"
                                               "  path.link.rate: {linspace: [1 Mbit/s, 100 Mbit/s], points: 70}\n"
                                               "  path.link.delay: {linspace: [1 ms, 300 ms], points: 301}\n");
    run(sweep, 1, 1);
    write_or_fail(sweep);
    struct error err;
    struct store_table *table = open_or_fail();
    struct table_metric sent;
    assert_int_equal(table->npoints, 2 * 70 * 301);
    assert_int_equal(store_read_metric(table, "sent", &sent, &err), 0);
    for (uint64_t p = 0; p < table->npoints; p++)
        assert_same(sent.mean[p], value(p, 0, 0, METRIC_sent));
    store_metric_free(&sent);
    store_close(table);
    sweep_free(sweep);
}

static void test_unwritable(void **state)
{
    (void)state;
    struct sweep *sweep = load(grid_yaml);
    run(sweep, 5, 1);
    FILE *old = fopen(output, "w");
    fputs("old", old);
    fclose(old);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlim_t before = limit.rlim_cur;
    struct error err;
    struct store_outcome outcome;
    for (limit.rlim_cur = 1; limit.rlim_cur < 100000; limit.rlim_cur *= 5) {
        setrlimit(RLIMIT_FSIZE, &limit);
        assert_int_equal(write_output(sweep, false, &outcome, &err), -1);
        assert_int_equal(err.status, EXIT_ENVIRONMENT);
        assert_non_null(strstr(err.text, "out.h5.tmp"));
        assert_non_null(strstr(err.text, strerror(EFBIG)));
    }
    limit.rlim_cur = before;
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_DFL);
    struct stat st;
    assert_int_equal(stat(output, &st), 0);
    assert_int_equal(st.st_size, 3); /* what was there is untouched */
    write_or_fail(sweep);
    sweep_free(sweep);
}

static void test_run_info(void **state)
{
    (void)state;
    const char *sets[] = {"tcp.mss=536 B,1460 B", "duration=20 s"};
    struct override overrides[] = {{sets[0]}, {sets[1]}};
    struct error err;
    struct sweep *sweep =
        load(HEAD PATH_LOSS "replications: {min: 30, max: 100, until: {metric: sent, half_width: 1 %}}\n");
    sweep_free(sweep);
    assert_int_equal(sweep_load(&sweep, yaml_path, overrides, 2, &err), 0);
    sweep_set_seed(sweep, 99);
    sweep_set_replications(sweep, 12);
    struct provenance with_sets = prov;
    with_sets.sets = sets;
    with_sets.nsets = 2;
    assert_int_equal(store_run_info_save(output, sweep, &with_sets, &err), 0);

    struct run_info *info;
    if (store_run_info_load(&info, output, &err))
        fail_msg("%s", err.text);
    const struct sweep *loaded = store_run_info_sweep(info);
    assert_int_equal(sweep_seed(loaded), 99);
    assert_int_equal(sweep_replications(loaded)->min, 12);
    assert_int_equal(sweep_replications(loaded)->max, 12);
    assert_int_equal(sweep_npoints(loaded), 2);
    for (uint64_t p = 0; p < 2; p++) {
        const struct hash128 a = sweep_point_hash(sweep, p), b = sweep_point_hash(loaded, p);
        assert_true(a.hi == b.hi && a.lo == b.lo);
    }
    const struct provenance *got = store_run_info_provenance(info);
    assert_int_equal(got->nsets, 2);
    assert_string_equal(got->sets[1], sets[1]);
    assert_string_equal(got->command_line, prov.command_line);
    assert_string_equal(got->start_time, prov.start_time);
    assert_int_equal(got->nthreads, 4);
    store_run_info_free(info);
    sweep_free(sweep);
}

static void test_not_an_output(void **state)
{
    (void)state;
    struct error err;
    struct store_table *table;
    assert_int_equal(store_open(&table, output, &err), -1);
    assert_int_equal(err.status, EXIT_BAD_INPUT);
    FILE *file = fopen(output, "w");
    fputs("not HDF5", file);
    fclose(file);
    assert_int_equal(store_open(&table, output, &err), -1);
    assert_non_null(strstr(err.text, "not an output of tcpsweep"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_grid, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_axes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_deterministic, setup, teardown),
        cmocka_unit_test_setup_teardown(test_zip_and_sample, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_incomplete, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unwritable, setup, teardown),
        cmocka_unit_test_setup_teardown(test_run_info, setup, teardown),
        cmocka_unit_test_setup_teardown(test_not_an_output, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
