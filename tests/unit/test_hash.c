/* test_hash.c - a point's hash and random key: the same for the same physics, whatever the file around it. */
#include "load_sweep.h"

static struct hash128 hash_of(const char *text, uint64_t point)
{
    struct sweep *sweep = load(text);
    struct hash128 hash = sweep_point_hash(sweep, point);
    sweep_free(sweep);
    return hash;
}

static void expect_same(const char *a, uint64_t i, const char *b, uint64_t j)
{
    struct hash128 x = hash_of(a, i), y = hash_of(b, j);
    if (x.hi != y.hi || x.lo != y.lo)
        fail_msg("differ:\n%s\n%s", a, b);
}

static void expect_different(const char *a, uint64_t i, const char *b, uint64_t j)
{
    struct hash128 x = hash_of(a, i), y = hash_of(b, j);
    if (x.hi == y.hi && x.lo == y.lo)
        fail_msg("equal:\n%s\n%s", a, b);
}

static void test_hash_invariants(void **state)
{
    (void)state;
    const char *base = PATH "tcp: {algorithm: sack}\naxes: {path.link.ber: [1e-6, 1e-5], tcp.mss: [500 B, 1460 B]}\n";
    /* a value added to an axis, other order of axes and keys */
    expect_same(
        base, 3,
        PATH "tcp: {algorithm: sack}\naxes: {path.link.ber: [1e-7, 1e-6, 2e-6, 1e-5], tcp.mss: [500 B, 1460 B]}\n", 7);
    expect_same(base, 1, PATH "axes: {tcp.mss: [500 B, 1460 B], path.link.ber: [1e-6, 1e-5]}\ntcp: {algorithm: sack}\n",
                2);
    expect_same(base, 0,
                "path: [{ber: 1e-6, delay: 0.01 s, name: link, rate: 10000 kbit/s}]\nduration: 10000 ms\n"
                "tcp: {mss: 500 B, algorithm: sack}\n",
                0);
    /* what is not physics */
    expect_same(base, 0,
                PATH "name: other\ntitle: Other\nseed: 5\nreplications: 9\nkeep: points\nkeep_journal: true\n"
                     "compress: true\nmodels: []\ncommon_random_numbers: true\n"
                     "tcp: {algorithm: sack, mss: 500 B}\naxes: {path.link.ber: [1e-6]}\n",
                0);
    /* keys at their default, also of a dialect or preset, or spelled out */
    expect_same(PATH, 0,
                PATH "warmup: 0 s\nstart_jitter: auto\ntcp: {mss: 1460 B, timestamps: true, recovery: newreno, "
                     "dialect: rfc, algorithm: newreno}\n"
                     "app: {kind: bulk}\n",
                0);
    expect_same(PATH "tcp: {dialect: ns2}\n", 0,
                PATH "tcp: {dialect: ns2, initial_window: 2 segments, handshake: false}\n", 0);
    expect_same(PATH "tcp: {algorithm: old_tahoe}\n", 0,
                PATH "tcp: {recovery: timeout_only, limited_transmit: false}\n", 0);
    expect_same(PATH, 0,
                "duration: 10 s\nwarmup: 0 s\npath: [{name: link, rate: 10 Mbit/s, delay: 10 ms, queue: unlimited,\n"
                "  ber: 0, errors: both, duplex: full, drops: [], schedule: [], reverse: {delay: 10 ms}}]\n",
                0);
    expect_same(PATH, 0, "measure: {from: 0 s, to: 10 s}\npath: [{name: link, rate: 10 Mbit/s, delay: 10 ms}]\n", 0);
    /* tcp of all flows or of one */
    const char *flow = "duration: 10 s\nlinks: {link: {rate: 10 Mbit/s, delay: 10 ms}}\n";
    char one[500], two[500];
    snprintf(one, sizeof one, "%sflows: [{name: flow, via: [link], tcp: {mss: 700 B}}]\n", flow);
    snprintf(two, sizeof two, "%sflows: [{name: flow, via: [link], back: mirror, count: 1}]\ntcp: {mss: 700 B}\n",
             flow);
    expect_same(one, 0, two, 0);
    expect_same(one, 0, PATH "tcp: {mss: 700 B}\n", 0);
}

static void test_hash_differences(void **state)
{
    (void)state;
    static const char *const others[] = {
        "tcp: {mss: 1459 B}\n",
        "tcp: {algorithm: reno}\n",
        "tcp: {dialect: ns3}\n",
        "warmup: 1 s\n",
        "app: {kind: file, size: 1 MB}\n",
        "tcp: {receive_window: 65534 B}\n",
        "start_jitter: 1 ms\n",
        "tcp: {fin: false}\n",
        "tcp: {abc_limit: 2.0000001}\n",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char text[500];
        snprintf(text, sizeof text, PATH "%s", others[i]);
        expect_different(PATH, 0, text, 0);
        for (size_t j = 0; j < i; j++) {
            char other[500];
            snprintf(other, sizeof other, PATH "%s", others[j]);
            expect_different(other, 0, text, 0);
        }
    }
    static const char *const links[] = {"ber: 1e-7",
                                        "ber: 1e-7, errors: forward",
                                        "ber: 1e-7, errors: reverse",
                                        "drops: [{packet: 1}]",
                                        "drops: [{ack: 1}]",
                                        "queue: 1 packet",
                                        "queue: 1 B",
                                        "queue: 1 bdp",
                                        "overhead: 1 B",
                                        "duplex: shared",
                                        "reverse: {delay: 0 s}",
                                        "schedule: [{at: 1 s, delay: 10 ms}]",
                                        "per: 1e-7"};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        for (size_t j = 0; j < i; j++) {
            char a[500], b[500];
            const char *format = "duration: 10 s\npath: [{name: link, rate: 10 Mbit/s, delay: 10 ms, %s}]\n";
            snprintf(a, sizeof a, format, links[i]);
            snprintf(b, sizeof b, format, links[j]);
            expect_different(a, 0, b, 0);
            expect_different(a, 0, PATH, 0);
        }
}

static bool same_key(struct sim_key a, struct sim_key b)
{
    return a.word[0] == b.word[0] && a.word[1] == b.word[1];
}

static void test_random_keys(void **state)
{
    (void)state;
    const char *axes = PATH "axes: {path.link.ber: [1e-6, 1e-5], tcp.algorithm: [reno, sack]}\n";
    char text[600];
    struct sweep *sweep = load(axes);
    struct sim_key key = sweep_random_key(sweep, 0, 0);
    assert_true(same_key(key, sweep_key(sweep, sweep_random_hash(sweep, 0), 0)));
    assert_false(same_key(key, sweep_random_key(sweep, 0, 1)));
    assert_false(same_key(key, sweep_random_key(sweep, 1, 0)));
    sweep_set_seed(sweep, 2);
    assert_false(same_key(key, sweep_random_key(sweep, 0, 0)));
    sweep_free(sweep);
    snprintf(text, sizeof text, "%scommon_random_numbers: true\n", axes);
    sweep = load(text);
    assert_true(same_key(sweep_random_key(sweep, 0, 3), sweep_random_key(sweep, 1, 3)));
    assert_false(same_key(sweep_random_key(sweep, 0, 3), sweep_random_key(sweep, 2, 3)));
    struct hash128 a = sweep_point_hash(sweep, 0), b = sweep_point_hash(sweep, 1);
    assert_true(a.hi != b.hi);
    sweep_free(sweep);
    snprintf(text, sizeof text, "%scommon_random_numbers: [path.link.ber]\n", axes);
    sweep = load(text);
    assert_true(same_key(sweep_random_key(sweep, 0, 3), sweep_random_key(sweep, 3, 3)));
    sweep_free(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hash_invariants), cmocka_unit_test(test_hash_differences),
                                       cmocka_unit_test(test_random_keys)};
    return cmocka_run_group_tests(tests, create_file, remove_file);
}
