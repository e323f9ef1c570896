/* test_sack.c - the scoreboard against a list of flags, and RFC 6675 (IsLost, SetPipe, NextSeg, entry, rescue) by what
 * it sends. Windows and times as in test_recovery.c: segment k of the first ten is acknowledged at 20 + k ms. The
 * vectors count segments from 1, the traces from 0.
 */
#include "kernel_vectors.h"
#include "scene.h"

#include "../../kernels/flow.h"
#include "../../kernels/packet.h"
#include "../../kernels/random.h"
#include "../../kernels/sack.h"

#define TEN(more) SCENE_TCP(", initial_window: 10 segments, algorithm: sack" more)

/* --- the sender's scoreboard -------------------------------------------------------------------------------------- */

enum { SEGMENTS = 256, REPORTS = 4 };

struct board {
    struct flow f;
    struct tcp_cfg cfg;
    uint64_t bits[SEGMENTS / 64];
    struct sack_report report[REPORTS];
};

static void board_init(struct board *b, uint32_t una, uint32_t end)
{
    memset(b, 0, sizeof *b);
    b->cfg.dupack_threshold = 3;
    b->f.cfg = &b->cfg;
    b->f.una = una;
    b->f.next = b->f.end = end;
    b->f.board.sacked = b->bits;
    b->f.board.mask = SEGMENTS - 1;
    b->f.board.lost_edge = una;
    b->f.sacks.report = b->report;
}

/* An ACK of `ack` with one block. */
static uint32_t board_take(struct board *b, uint32_t ack, uint32_t left, uint32_t right)
{
    b->report[1].block[0] = (struct sack_block){left, right};
    struct packet p = {.seq = ack, .payload = 1, .sack_blocks = 1, .flags = PACKET_ACK};
    return sack_mark(&b->f, &p);
}

/* IsLost of the board: below lost_edge and not marked. */
static bool is_lost(const struct board *b, uint32_t segment)
{
    return b->f.board.count > 0 && segment < b->f.board.lost_edge && !sack_is_marked(&b->f.board, segment);
}

/* Random blocks and cumulative ACKs against flags. */
static void test_board(void **state)
{
    (void)state;
    struct random_stream r;
    random_init(&r, (struct sim_key){{1, 3}}, 0);
    for (int round = 0; round < 50; round++) {
        struct board b;
        bool flag[4 * SEGMENTS] = {false};
        uint32_t una = (uint32_t)(random_uniform(&r) * SEGMENTS), end = una + 150;
        board_init(&b, una, end);
        for (int step = 0; step < 100; step++) {
            if (random_uniform(&r) < 0.3) {
                uint32_t to = una + (uint32_t)(random_uniform(&r) * 5), was = 0;
                for (uint32_t i = una; i < to; i++)
                    was += flag[i];
                b.f.una = to;
                assert_int_equal(sack_advance(&b.f, una, to), was);
                una = to;
                end = una + 150;
                b.f.next = b.f.end = end;
            } else {
                uint32_t left = una + 1 + (uint32_t)(random_uniform(&r) * 140);
                uint32_t right = left + 1 + (uint32_t)(random_uniform(&r) * 8), fresh = 0;
                for (uint32_t i = left; i < right; i++)
                    fresh += !flag[i], flag[i] = true;
                assert_int_equal(board_take(&b, una, left, right), fresh);
            }
            uint32_t count = 0, first = end, last = una;
            for (uint32_t i = end; i-- > una;) {
                assert_int_equal(sack_is_marked(&b.f.board, i), flag[i]);
                if (!flag[i])
                    assert_int_equal(is_lost(&b, i), count >= 3);
                count += flag[i];
                first = flag[i] ? first : i;
                last = !flag[i] && last == una ? i + 1 : last;
            }
            assert_int_equal(b.f.board.count, count);
            assert_int_equal(sack_next_unmarked(&b.f, una, end), first);
            assert_int_equal(sack_last_unmarked(&b.f, end, una), last);
            assert_int_equal(sack_count(&b.f, una, end), count);
        }
        sack_clear(&b.f);
        assert_int_equal(b.f.board.count, 0);
        assert_int_equal(sack_count(&b.f, una, end), 0);
    }
}

/* What lies below the cumulative ACK is not marked, also when the report still has it. */
static void test_old_block(void **state)
{
    (void)state;
    struct board b;
    board_init(&b, 10, 30);
    assert_int_equal(board_take(&b, 10, 5, 8), 0);
    assert_int_equal(board_take(&b, 10, 8, 13), 3);
    assert_int_equal(board_take(&b, 10, 8, 13), 0);
    assert_int_equal(board_take(&b, 15, 12, 17), 2); /* of an ACK that is about to move una */
}

/* --- the receiver's blocks ---------------------------------------------------------------------------------------- */

/* RFC 2018 4: the block just changed first, then the most recently changed ones; those that meet become one. */
static void test_blocks(void **state)
{
    (void)state;
    struct board b;
    uint64_t held[SEGMENTS / 64] = {0};
    board_init(&b, 0, 0);
    struct flow *f = &b.f;
    f->held = held;
    f->held_mask = SEGMENTS - 1;
    f->sacks.most = 3;
    f->sacks.report_mask = REPORTS - 1;
    static const struct {
        uint32_t segment, count;
        struct sack_block block[3];
    } rows[] = {
        {2, 1, {{2, 3}}},
        {5, 2, {{5, 6}, {2, 3}}},
        {3, 2, {{2, 4}, {5, 6}}},
        {8, 3, {{8, 9}, {2, 4}, {5, 6}}},
        {10, 3, {{10, 11}, {8, 9}, {2, 4}}}, /* the fourth drops out */
        {4, 3, {{2, 6}, {10, 11}, {8, 9}}},
        {9, 2, {{8, 11}, {2, 6}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        held[0] |= UINT64_C(1) << rows[i].segment;
        sack_note(f, rows[i].segment);
        struct packet ack = {.flags = PACKET_ACK};
        sack_make_report(f, &ack);
        assert_int_equal(ack.sack_blocks, rows[i].count);
        assert_int_equal(ack.bytes, 8 * rows[i].count);
        assert_memory_equal(f->sacks.report[ack.payload].block, rows[i].block, rows[i].count * sizeof(struct sack_block));
    }
    f->expected = 7; /* 0 to 6 in order */
    sack_forget(f);
    assert_int_equal(f->sacks.count, 1);
    assert_int_equal(f->sacks.block[0].left, 8);
}

/* Number of blocks in ACKs, and their size: 8 bytes each behind sack_option_bytes (1 B = 1 us here). */
static void test_block_limit(void **state)
{
    (void)state;
    static const struct {
        const char *tcp;
        int most;
        double us_of_most; /* how much longer that ACK takes */
    } rows[] = {
        {"sack_blocks: 4, timestamps: false, sack_option_bytes: 4 B", 4, 36},
        {"sack_blocks: 4, timestamp_bytes: 12 B, sack_option_bytes: 4 B", 3, 28},
        {"sack_blocks: 2, sack_option_bytes: 0 B", 2, 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        /* segments 0, 2, 4 ... are lost: a block for each of 1, 3, 5, 7, 9, 11 */
        struct scene scene =
            scene_run("duration: 25 ms\npath: [{name: l, rate: 8 Gbit/s, delay: 10 ms, reverse: {rate: 8 Mbit/s}, "
                      "drops: [{packet: 1}, "
                      "{packet: 3}, {packet: 5}, {packet: 7}, {packet: 9}, {packet: 11}]}]\n"
                      "tcp: {algorithm: sack, handshake: false, delayed_ack: false, initial_window: 12 segments, "
                      "limited_transmit: false, %s}\n",
                      rows[i].tcp);
        const struct trace_row *a = scene_row(&scene, 0, 'A', 4, 0), *b = scene_row(&scene, 0, 'A', 5, 0);
        assert_int_equal(b->b, rows[i].most);
        double bytes = i == 1 ? 52 : 40;
        assert_int_equal((b->t_ps - a->t_ps) / PS_PER_US, (int64_t)(bytes + rows[i].us_of_most));
        assert_int_equal(scene_row(&scene, 0, 'A', 0, 0)->b, 1);
        assert_int_equal(scene_row(&scene, 0, 'A', 1, 0)->b, 2);
        scene_free(&scene);
    }
}

/* --- vectors ------------------------------------------------------------------------------------------------------ */

/* IsLost: segments 1 to 10 out, `sacked` reported. */
static void check_lost(const struct vector_row *v)
{
    struct board b;
    bool wanted[11] = {false}, has[11] = {false};
    board_init(&b, 1, 11);
    const char *at = vector_text(v->inputs, "sacked");
    char *end;
    for (long i = strtol(at, &end, 10); end != at; i = strtol(at, &end, 10)) {
        at = end;
        has[i] = true;
        board_take(&b, 1, (uint32_t)i, (uint32_t)i + 1);
    }
    at = vector_text(v->expected, "lost");
    for (long i = strtol(at, &end, 10); end != at; i = strtol(at, &end, 10)) {
        at = end;
        wanted[i] = true;
    }
    for (uint32_t i = 1; i <= 10; i++)
        if (!has[i] && is_lost(&b, i) != wanted[i])
            fail_msg("%s: segment %u", v->id, i);
}

static void expect_pipe(const struct vector_row *v, double pipe)
{
    assert_true(vector_value(v->expected, "pipe") == 1000 * pipe);
    check_lost(v);
}

/* cwnd - pipe segments may go. Before recovery limited transmit asks: 10 - 8 = 2 when one ACK reports two segments. */
static void check_pipe_before(const struct vector_row *v)
{
    bool is_none = strcmp(v->id, "sack_pipe_none") == 0;
    expect_pipe(v, is_none ? 10 : 8);
    scene_check("SR", is_none ? "0: S0 S1 S2 S3 S4 S5 S6 S7 S8 S9" : "0: S0 S1 S2 S3 S4 S5 S6 S7 S8 S9; 22: S10 S11",
                "duration: 22.5 ms\n" SCENE_PATH(
                    ", drops: [{packet: 1}, {ack: 1}%s]") "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, "
                                                          "sack_option_bytes: 0 B, handshake: false, "
                                                          "delayed_ack: false, receive_window: 1 MB, initial_window: "
                                                          "10 segments, algorithm: sack}\n",
                is_none ? ", {packet: 2}, {packet: 3}" : "");
}

/* In recovery cwnd is 5. After the entry's retransmission the pipe is 7 (6 + 1): three more SACKs until there is room.
 */
static void check_entry(const struct vector_row *v)
{
    const char *pipe = vector_text(v->expected, "pipe");
    if (pipe)
        expect_pipe(v, vector_in(v, "highrxt_seg") > 0 ? 7 : 6);
    else
        assert_true(vector_value(v->expected, "ssthresh") == 5000 && vector_value(v->expected, "cwnd") == 5000 &&
                    vector_value(v->expected, "rtx") == 1 && vector_value(v->expected, "recovery_point_seg") == 10 &&
                    vector_value(v->expected, "pipe_after_rtx") == 7000 &&
                    vector_value(v->expected, "can_send_more") == 0);
    /* the ACK of all ten at 43 ms ends recovery: that point is segment 10 */
    struct scene scene = scene_run("duration: 43.5 ms\n" SCENE_PATH(", drops: [{packet: 1}]") TEN(""));
    scene_expect(&scene, 0, "SRFHC", 1, 100, "23: H5 F0 C5 R0; 26: S10; 27: S11; 28: S12; 29: S13; 43: S14");
    assert_true(fabs(scene.result.all[METRIC_time_recovery] - 20 / 43.5) < 1e-5);
    scene_free(&scene);
}

/* 1, 3, 5 lost. 25 ms: 2, 4, 6 SACKed, only 1 is lost: pipe 6, with its retransmission 7. 26: 3 is lost too, pipe 5.
 * 27: 5 as well: 9, 10 and the retransmission: two may go. */
static void check_discontiguous(const struct vector_row *v)
{
    expect_pipe(v, 6);
    struct scene scene =
        scene_run("duration: 30 ms\n" SCENE_PATH(", drops: [{packet: 1}, {packet: 3}, {packet: 5}]") TEN(""));
    scene_expect(&scene, 0, "SRF", 1, 100, "25: F0 R0; 27: R2 R4; 28: S10; 29: S11");
    scene_free(&scene);
}

/* 1 and 5 lost, the ACKs of 6 to 8 too: one ACK reports 6-9. The pipe is 2: three may go, the hole first. */
static void check_two_holes(const struct vector_row *v)
{
    expect_pipe(v, 2);
    struct scene scene = scene_run(
        "duration: 30 ms\n" SCENE_PATH(", drops: [{packet: 1}, {packet: 5}, {ack: 4}, {ack: 5}, {ack: 6}]") TEN(""));
    scene_expect(&scene, 0, "SRF", 1, 100, "23: F0 R0; 28: R4 S10 S11; 29: S12");
    scene_free(&scene);
}

/* The same with an ACK that reports 6-8: 5 by rule 1, then 11 by rule 2 (9 and 10 are above the highest SACK). */
static void check_order(const struct vector_row *v)
{
    assert_true(vector_value(v->expected, "rule1") == 5 && vector_value(v->expected, "then_rule2") == 11);
    struct scene scene =
        scene_run("duration: 30 ms\n" SCENE_PATH(", drops: [{packet: 1}, {packet: 5}, {ack: 4}, {ack: 5}]") TEN(""));
    scene_expect(&scene, 0, "SRF", 1, 100, "23: F0 R0; 27: R4 S10; 28: S11; 29: S12");
    scene_free(&scene);
}

/* 12 out, the receive window full, 1 and 11 lost: the SACK of 12 makes 11 a hole below the highest, not lost: rule 3
 * sends it. It then counts twice in the pipe: of cwnd 6 the partial ACK leaves 4 for new segments. */
static void check_rule3(const struct vector_row *v)
{
    if (vector_text(v->expected, "pipe"))
        expect_pipe(v, 9);
    else
        assert_true(vector_value(v->expected, "rule3") == 3);
    struct scene scene = scene_run("duration: 43.5 ms\n" SCENE_PATH(
        ", drops: [{packet: 1}, {packet: 11}]") "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, handshake: false, "
                                                "delayed_ack: false, limited_transmit: "
                                                "false, receive_window: 12 KB, initial_window: 12 segments, algorithm: "
                                                "sack}\n");
    scene_expect(&scene, 0, "SRFH", 1, 100, "23: H6 F0 R0; 31: R10; 43: S12 S13 S14 S15");
    scene_free(&scene);
}

/* 1, 5 and 6 of 6 lost: nothing is SACKed above the partial ACK of 4, so rule 4 sends the last one; its SACK shows the
 * hole. */
static void check_rescue(const struct vector_row *v)
{
    assert_true(vector_value(v->expected, "rule4") == 6);
    scene_check("SRF", "0: S0 S1 S2 S3 S4 S5; 23: F0 R0; 43: R5; 63: R4",
                "duration: 200 ms\n" SCENE_PATH(", drops: [{packet: 1}, {packet: 5}, {packet: 6}]")
                    SCENE_TCP(", initial_window: 6 segments, algorithm: sack") "app: {kind: file, size: 6 KB}\n");
}

static const struct vector_rule rules[] = {
    {"sack_pipe_none", check_pipe_before, NULL},
    {"sack_pipe_2sacked", check_pipe_before, NULL},
    {"sack_pipe_3sacked", check_entry, NULL},
    {"sack_entry", check_entry, NULL},
    {"sack_pipe_discontig", check_discontiguous, NULL},
    {"sack_pipe_two_holes", check_two_holes, NULL},
    {"sack_nextseg_order", check_order, NULL},
    {"sack_pipe_notlost_but_retx", check_rule3, NULL},
    {"sack_nextseg_rule3", check_rule3, NULL},
    {"sack_nextseg_rescue", check_rescue, NULL},
    {NULL, NULL, NULL},
};

static const char *const groups[] = {"sack", NULL};

static void test_vectors(void **state)
{
    (void)state;
    kernel_vectors(groups, rules);
}

/* --- more of recovery --------------------------------------------------------------------------------------------- */

/* After a timeout what is SACKed is not sent again (5.1): of 10 segments 0 and 4 are missing, also their repetitions.
 */
static void test_timeout_keeps_board(void **state)
{
    (void)state;
    scene_check("RFT", "23: F0 R0; 27: R4; 1000: T0 R0; 1020: R4",
                "duration: 2 s\n" SCENE_PATH(", drops: [{packet: 1}, {packet: 5}, {segment: 0, transmission: 2}, "
                                             "{segment: 4, transmission: 2}]")
                    TEN("") "app: {kind: file, size: 10 KB}\n");
}

/* Five losses in a window: SACK repairs them at once (and its rescue repeats the last), NewReno one a round trip. */
static void test_many_losses(void **state)
{
    (void)state;
    static const struct {
        const char *algorithm;
        double rounds; /* from the first retransmission to the last */
    } rows[] = {{"sack", 1}, {"newreno", 4}};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene =
            scene_run("duration: 1 s\npath: [{name: l, rate: 8 Gbit/s, delay: 10 ms, drops: [{packet: 1}, {packet: 3}, "
                      "{packet: 5}, {packet: 7}, {packet: 9}]}]\n"
                      "tcp: {algorithm: %s, mss: 1000 B, handshake: false, delayed_ack: false, receive_window: 1 MB, "
                      "initial_window: 20 segments}\napp: {kind: file, size: 20 KB}\n",
                      rows[i].algorithm);
        assert_int_equal(scene_count(&scene, 0, "R"), i ? 5 : 6);
        double span_ms = (double)(scene_row(&scene, 0, 'R', 4, 0)->t_ps - scene_row(&scene, 0, 'R', 0, 0)->t_ps) / 1e9;
        if (rows[i].rounds == 1)
            assert_true(span_ms < 1);
        else
            assert_int_equal((int)round(span_ms / 20), rows[i].rounds);
        assert_true(scene.result.all[METRIC_timeouts] == 0);
        scene_free(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_board),       cmocka_unit_test(test_old_block),
        cmocka_unit_test(test_blocks),      cmocka_unit_test(test_block_limit),
        cmocka_unit_test(test_vectors),     cmocka_unit_test(test_timeout_keeps_board),
        cmocka_unit_test(test_many_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
