/* test_sack_compact.c - the compact SACK option: its bytes and capacities against test-vectors-delay.csv, random blocks
 * there and back, and what it saves: blocks whose ACKs are lost, and segments that are sent again though they arrived.
 */
#include "scene.h"
#include "vectors.h"

#include "../../kernels/random.h"
#include "../../kernels/sack_compact.h"

static const char *folder = "tests/reference/vectors";

/* --- vectors ------------------------------------------------------------------------------------------------------ */

/* Blocks `left-right left-right ...`. */
static uint32_t read_blocks(const char *at, struct sack_block *blocks)
{
    uint32_t n = 0;
    char *end;
    for (; at[0] >= '0' && at[0] <= '9' && n < SACK_BLOCKS_MAX; at = end + (*end == ' '), n++) {
        blocks[n].left = (uint32_t)strtoul(at, &end, 10);
        assert_int_equal(*end, '-');
        blocks[n].right = (uint32_t)strtoul(end + 1, &end, 10);
    }
    return n;
}

static void row_bytes(const struct vector_row *row)
{
    struct sack_block blocks[SACK_BLOCKS_MAX], again[SACK_BLOCKS_MAX];
    struct sack_compact option;
    char hex[2 * SACK_OPTION_BYTES_MAX + 1] = "";
    uint32_t n = read_blocks(vector_text(row->inputs, "blocks"), blocks);
    assert_int_equal(sack_compact_encode(&option, blocks, n, SACK_OPTION_BYTES_MAX), n);
    uint32_t length = sack_compact_length(&option);
    assert_true(vector_value(row->expected, "length") == length);
    assert_true(vector_value(row->expected, "X") == option.byte[2]);
    for (uint32_t i = 0; i < length; i++)
        snprintf(&hex[2 * i], 3, "%02x", option.byte[i]);
    const char *wanted = vector_text(row->expected, "hex");
    assert_int_equal(strcspn(wanted, ";"), strlen(hex));
    assert_memory_equal(wanted, hex, strlen(hex));
    assert_int_equal(sack_compact_decode(&option, again), n);
    assert_memory_equal(again, blocks, n * sizeof *blocks);
}

/* Twelve one-byte blocks whose farthest edge needs `bits` bits. */
static void spread_blocks(struct sack_block *blocks, uint32_t bits)
{
    uint32_t first = 1u << 31, step = 10;
    for (uint32_t i = 0; i < SACK_BLOCKS_MAX; i++)
        blocks[i] = (struct sack_block){first - i * step - 1, first - i * step};
    blocks[0].left = first - (uint32_t)((UINT64_C(1) << bits) - 1);
}

static void row_capacity(const struct vector_row *row)
{
    uint32_t room = (uint32_t)vector_in(row, "option_bytes"), bits = (uint32_t)vector_in(row, "X");
    struct sack_block blocks[SACK_BLOCKS_MAX], again[SACK_BLOCKS_MAX];
    struct sack_compact option;
    spread_blocks(blocks, bits);
    uint32_t n = sack_compact_encode(&option, blocks, SACK_BLOCKS_MAX, room);
    assert_true(vector_value(row->expected, "n") == n);
    assert_true(vector_value(row->expected, "bytes") == sack_compact_length(&option));
    assert_int_equal(option.byte[2], bits);
    assert_int_equal(sack_compact_decode(&option, again), n);
    assert_memory_equal(again, blocks, n * sizeof *blocks);
}

static void row_plain(const struct vector_row *row)
{
    uint32_t room = (uint32_t)vector_in(row, "option_bytes");
    struct tcp_cfg tcp = {.sack_blocks = SACK_BLOCKS_MAX, .timestamps = room == 28};
    assert_int_equal(sack_option_room(&tcp), room);
    vector_check(row, "n", sack_most_blocks(&tcp));
}

/* Of a window of segments `losses` are lost, first, first + 2, first + 4 ..., and the ACKs of the first `silent`
 * between them; the ACK that gets through names the newest blocks only. How many segments reach the receiver again? */
static uint32_t needless(uint32_t window, uint32_t first, uint32_t losses, uint32_t silent, const char *tcp)
{
    char drops[4000] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < losses; i++)
        used += (size_t)snprintf(drops + used, sizeof drops - used, "%s{packet: %u}", i ? ", " : "", first + 1 + 2 * i);
    for (uint32_t i = 1; i <= silent; i++)
        used += (size_t)snprintf(drops + used, sizeof drops - used, ", {ack: %u}", first + i);
    struct scene scene = scene_run("duration: 1 s\n"
                                   "path: [{name: l, rate: 8 Mbit/s, delay: 9 ms, queue: 100 packets, reverse: "
                                   "{rate: 80 Gbit/s, delay: 10 ms}, drops: [%s]}]\n"
                                   "tcp: {%s, mss: 1460 B, handshake: false, delayed_ack: false, initial_ssthresh: %u "
                                   "segments, receive_window: 1000000 B, initial_window: %u segments}\n",
                                   drops, tcp, window, window);
    uint32_t twice = 0;
    for (size_t i = 0; i < scene.n; i++)
        twice += scene.row[i].event == TRACE_DELIVER && scene.row[i].b;
    assert_true(scene.result.all[METRIC_timeouts] == 0);
    scene_free(&scene);
    return twice;
}

static void row_needless(const struct vector_row *row)
{
    uint32_t lost = (uint32_t)vector_in(row, "consecutive_acks_lost"),
             blocks = (uint32_t)vector_in(row, "blocks_per_ack");
    char tcp[200];
    snprintf(tcp, sizeof tcp, "algorithm: %s, timestamps: false, sack_blocks: %u",
             blocks > SACK_BLOCKS_PLAIN ? "sack_compact" : "sack", blocks);
    vector_check(row, "unreported", needless(2 * (lost + 6), 0, lost + 6, lost, tcp));
}

static const struct {
    const char *item;
    void (*check)(const struct vector_row *row);
} items[] = {
    {"compact_sack", row_bytes},
    {"compact_sack_blocks", row_capacity},
    {"rfc2018_blocks", row_plain},
    {"sack_needless_retx", row_needless},
};

static void test_vectors(void **state)
{
    (void)state;
    static const struct vector_columns columns = {.id = 0, .group = 1, .inputs = 2, .expected = 3, .tolerance = -1};
    char path[512];
    snprintf(path, sizeof path, "%s/test-vectors-delay.csv", folder);
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        const char *const groups[] = {items[i].item, NULL};
        const struct vector_rule rules[] = {{"d", items[i].check, NULL}, {NULL, NULL, NULL}};
        vector_run(path, &columns, groups, rules);
    }
}

/* --- the option --------------------------------------------------------------------------------------------------- */

/* Random blocks, near and far, across the end of the sequence space: what fits comes back, one more would not fit. */
static void test_there_and_back(void **state)
{
    (void)state;
    struct random_stream r;
    random_init(&r, (struct sim_key){{5, 9}}, 0);
    for (int round = 0; round < 20000; round++) {
        struct sack_block blocks[SACK_BLOCKS_MAX], again[SACK_BLOCKS_MAX];
        struct sack_compact option;
        uint32_t n = 1 + (uint32_t)(random_uniform(&r) * SACK_BLOCKS_MAX), room = round % 2 ? 28 : 40, largest = 0;
        uint32_t first = (uint32_t)(random_uniform(&r) * 4294967296.0),
                 range = 1u << (uint32_t)(random_uniform(&r) * 32);
        uint32_t bytes[SACK_BLOCKS_MAX];
        for (uint32_t i = 0; i < n; i++) {
            uint32_t below = i ? (uint32_t)(random_uniform(&r) * range) : 0;
            uint32_t size = 1 + (uint32_t)(random_uniform(&r) * range);
            blocks[i] = (struct sack_block){first - below - size, first - below};
            largest = below + size > largest ? below + size : largest;
            bytes[i] = sack_compact_bytes(i + 1, sack_compact_bits(largest));
        }
        uint32_t fit = sack_compact_encode(&option, blocks, n, room);
        assert_true(fit >= 1 && fit <= n && bytes[fit - 1] <= room && (fit == n || bytes[fit] > room));
        assert_int_equal(sack_compact_length(&option), bytes[fit - 1]);
        assert_int_equal(sack_compact_decode(&option, again), fit);
        assert_memory_equal(again, blocks, fit * sizeof *blocks);
    }
}

/* --- in a connection ---------------------------------------------------------------------------------------------- */

/* Section 10's example, 20 segments, odd ones lost, the ACKs of 2, 4, 6 and 8 lost (here and in the sheet from 1):
 * segment 2 goes again, with timestamps also 4; with the compact option none. */
static void test_example(void **state)
{
    (void)state;
    assert_int_equal(needless(20, 0, 10, 4, "algorithm: sack, timestamps: false, sack_blocks: 4"), 1);
    assert_int_equal(needless(20, 0, 10, 4, "algorithm: sack, timestamps: true"), 2);
    assert_int_equal(needless(20, 0, 10, 4, "algorithm: sack_compact, timestamps: false"), 0);
    assert_int_equal(needless(20, 0, 10, 4, "algorithm: sack_compact, timestamps: true"), 0);
}

/* The worst case of tests/reference/ns2 (sackworst: window 40, seven lost, six ACKs lost): ns-2's algorithm sends four
 * of the six unreported segments again with three blocks, six with one. */
static void test_worst_case(void **state)
{
    (void)state;
    assert_int_equal(needless(40, 50, 7, 6, "dialect: ns2, algorithm: sack, sack_blocks: 1"), 6);
    assert_int_equal(needless(40, 50, 7, 6, "dialect: ns2, algorithm: sack"), 4);
    assert_int_equal(needless(40, 50, 7, 6, "dialect: ns2, algorithm: sack_compact"), 0);
}

/* While no more blocks are reported than the plain option holds, sender and receiver do the same with either format,
 * with reports of what came twice too: only the ACKs differ in size, which a very fast way back hides. */
static void test_same_as_plain(void **state)
{
    (void)state;
    static const char *const apps[] = {
        "app: {kind: bulk}\n", "app: {kind: file, size: 5000321 B}\n", /* ends in a short segment and a FIN */
        "app: {kind: cbr, packet: 1000 B, interval: 700 us}\n",        /* segments of several sizes */
    };
    static const char *const algorithms[] = {"sack", "rack_tlp"};
    for (size_t i = 0; i < 6; i++) {
        double goodput[2], sent[2];
        for (int compact = 0; compact < 2; compact++) {
            struct scene scene =
                scene_run("duration: 20 s\npath: [{name: l, rate: 8 Mbit/s, delay: 9 ms, queue: 50 packets, per: 0.02, "
                          "errors: both, reverse: {rate: 10 Tbit/s}}]\n"
                          "tcp: {algorithm: %s, sack_blocks: 3, receive_window: 100000 B, timestamps: false, min_rto: "
                          "20 ms, sack_format: %s}\n%s",
                          algorithms[i / 3], compact ? "compact" : "rfc2018", apps[i % 3]);
            goodput[compact] = scene.result.all[METRIC_goodput];
            sent[compact] = (double)scene.result.packets;
            assert_true(scene_count(&scene, 0, "R") > 50);
            scene_free(&scene);
        }
        assert_true(goodput[0] == goodput[1] && sent[0] == sent[1]);
    }
}

/* Size of ACKs: the option, up to whole words. 1 B = 1 us on the way back. 1, 3, 5 ... offsets of
 * 11, 13, 13 and then 14 bits. */
static void test_ack_size(void **state)
{
    (void)state;
    struct scene scene =
        scene_run("duration: 25 ms\npath: [{name: l, rate: 8 Gbit/s, delay: 10 ms, reverse: {rate: 8 Mbit/s}, "
                  "drops: [{packet: 1}, {packet: 3}, {packet: 5}, {packet: 7}, {packet: 9}, {packet: 11}]}]\n"
                  "tcp: {algorithm: sack_compact, handshake: false, delayed_ack: false, initial_window: 12 segments, "
                  "limited_transmit: false}\n");
    static const int option[] = {12, 12, 16, 20, 24, 28}; /* 9, 12, 16, 20, 23, 27 */
    for (size_t i = 1; i < 6; i++) {
        const struct trace_row *a = scene_row(&scene, 0, 'A', i - 1, 0), *b = scene_row(&scene, 0, 'A', i, 0);
        assert_int_equal((b->t_ps - a->t_ps) / PS_PER_US, 40 + option[i]);
        assert_int_equal(b->b, i + 1);
    }
    scene_free(&scene);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        folder = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),    cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_example),
        cmocka_unit_test(test_worst_case), cmocka_unit_test(test_same_as_plain),  cmocka_unit_test(test_ack_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
