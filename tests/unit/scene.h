/* scene.h - for tests of the kernel: run a scenario given as the text of a sweep file, and look at its trace.
 *
 * Rows are listed as `TIME: ROW ROW; TIME: ...` with the time in ms and a row as a letter and its value:
 *   S3 segment 3 sent, R3 sent again, D3 lost, V3 delivered, A2 ACK of all up to 2 at the sender, L2 such an ACK lost,
 *   C10 cwnd, H5 ssthresh, F0 fast retransmit, T0 timeout, B2 backoff, m20 RTT sample (ms), P1460 bytes handed over,
 *   K3 segment 3 marked, X2 new state of the sender, Y2 of the receiver.
 */
#ifndef TESTS_UNIT_SCENE_H
#define TESTS_UNIT_SCENE_H

#include "../../kernels/sim.h"
#include "../../src/sweep.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct scene {
    struct sweep *sweep;
    struct scenario *scenario;
    struct trace_row *row; /* by time */
    size_t n, room;
    struct sim_result result;
};

/* 1 ms for a segment of 1000 B, 20 ms there and back: 1 + 9 out, 10 back (an ACK needs 0.1 us). */
#define SCENE_PATH(more)                                                                                               \
    "path: [{name: l, rate: 8 Mbit/s, delay: 9 ms, reverse: {rate: 80 Gbit/s, delay: 10 ms}" more "}]\n"
/* Nothing but data and ACKs; windows are cwnd's alone. */
#define SCENE_TCP(more)                                                                                                \
    "tcp: {mss: 1000 B, header: 0 B, ack_size: 1000 B, handshake: false, fin: false, delayed_ack: false, "             \
    "limited_transmit: false, receive_window: 1000000 B" more "}\n"

static inline void scene_keep(void *ctx, const struct trace_row *row)
{
    struct scene *scene = ctx;
    if (scene->n == scene->room) {
        scene->room = scene->room ? 2 * scene->room : 1024;
        scene->row = realloc(scene->row, scene->room * sizeof *scene->row);
        assert_non_null(scene->row);
    }
    scene->row[scene->n++] = *row;
}

/* Stable, by time: the kernel hands rows out as it walks. */
static inline void scene_sort(struct trace_row *row, struct trace_row *spare, size_t n)
{
    if (n < 2)
        return;
    size_t half = n / 2, i = 0, j = half;
    scene_sort(row, spare, half);
    scene_sort(row + half, spare, n - half);
    for (size_t k = 0; k < n; k++)
        spare[k] = i < half && (j == n || row[i].t_ps <= row[j].t_ps) ? row[i++] : row[j++];
    memcpy(row, spare, n * sizeof *row);
}

/* Without a trace when `traced` is false: the kernel then takes its short ways. */
static inline void scene_simulate(struct scene *scene, uint32_t key, bool traced)
{
    struct sim_trace hook = {.row = scene_keep, .ctx = scene};
    void *memory = aligned_alloc(64, sim_bytes(scene->scenario));
    assert_non_null(memory);
    memset(memory, 0xa5, sim_bytes(scene->scenario)); /* what it held before must not matter */
    scene->n = 0;
    sim_run(scene->scenario, (struct sim_key){{key, 11}}, memory, traced ? &hook : NULL, &scene->result);
    free(memory);
    if (scene->result.status != SIM_OK)
        fail_msg("%s", sim_status_text(scene->result.status));
    struct trace_row *spare = calloc(scene->n + 1, sizeof *spare);
    assert_non_null(spare);
    scene_sort(scene->row, spare, scene->n);
    free(spare);
}

static inline struct scene scene_load(const char *format, va_list args)
{
    char text[4000];
    struct scene scene = {0};
    struct error err;
    vsnprintf(text, sizeof text, format, args);
    if (sweep_load_text(&scene.sweep, "scene", text, &err))
        fail_msg("%s\n%s", err.text, text);
    scene.scenario = sweep_scenario(scene.sweep, 0, &err);
    if (!scene.scenario)
        fail_msg("%s\n%s", err.text, text);
    scene.result.flow = calloc(scene.scenario->nflows, sizeof *scene.result.flow);
    assert_non_null(scene.result.flow);
    return scene;
}

/* The scenario of a sweep file's text (printf), loaded. */
__attribute__((format(printf, 1, 2))) static inline struct scene scene_make(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct scene scene = scene_load(format, args);
    va_end(args);
    return scene;
}

/* The same, run. */
__attribute__((format(printf, 1, 2))) static inline struct scene scene_run(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct scene scene = scene_load(format, args);
    va_end(args);
    scene_simulate(&scene, 7, true);
    return scene;
}

static inline void scene_free(struct scene *scene)
{
    free(scene->scenario);
    sweep_free(scene->sweep);
    free(scene->row);
    free(scene->result.flow);
}

static inline char scene_letter(const struct trace_row *row)
{
    static const char letters[] = {
        [TRACE_SEND] = 'S',    [TRACE_DROP] = 'D',    [TRACE_ACK_DROP] = 'L', [TRACE_DELIVER] = 'V',
        [TRACE_ACK] = 'A',     [TRACE_CWND] = 'C',    [TRACE_SSTHRESH] = 'H', [TRACE_FAST_RETRANSMIT] = 'F',
        [TRACE_TIMEOUT] = 'T', [TRACE_BACKOFF] = 'B', [TRACE_RTT] = 'm',      [TRACE_SRTT] = 's',
        [TRACE_RTTVAR] = 'v',  [TRACE_RTO] = 'o',     [TRACE_STATE] = 'X',    [TRACE_APP] = 'P',
        [TRACE_MARK] = 'K',
    };
    char letter = letters[row->event];
    if (letter == 'S' && row->b)
        return 'R';
    return letter == 'X' && row->a < 0 ? 'Y' : letter;
}

static inline double scene_value(const struct trace_row *row, char letter)
{
    if (letter == 'Y')
        return (double)row->b;
    if (strchr("msvo", letter))
        return round(row->x * 1e5) / 100; /* ms, two decimals */
    return strchr("CHP", letter) ? row->x : (double)row->a;
}

/* Rows of the letters in `kinds` of one flow from `from_ms` to `to_ms`, both included. */
static inline void scene_list(const struct scene *scene, uint32_t flow, const char *kinds, double from_ms, double to_ms,
                              char *text, size_t size)
{
    size_t used = 0;
    double before_ms = -1;
    *text = 0;
    for (const struct trace_row *row = scene->row; row < scene->row + scene->n && used + 64 < size; row++) {
        char letter = scene_letter(row);
        double t_ms = round((double)row->t_ps / 1e7) / 100; /* ACKs' 0.1 us rounded away */
        if (row->flow != flow || !strchr(kinds, letter) || t_ms < from_ms || t_ms > to_ms)
            continue;
        if (t_ms != before_ms)
            used += (size_t)snprintf(text + used, size - used, "%s%.7g:", used ? "; " : "", t_ms);
        before_ms = t_ms;
        used += (size_t)snprintf(text + used, size - used, " %c%.6g", letter, scene_value(row, letter));
    }
}

/* Fails unless the list is the expected one. */
static inline void scene_expect(const struct scene *scene, uint32_t flow, const char *kinds, double from_ms,
                                double to_ms, const char *expected)
{
    char text[4000];
    scene_list(scene, flow, kinds, from_ms, to_ms, text, sizeof text);
    if (strcmp(text, expected) != 0)
        fail_msg("rows %s\n  expected `%s`\n  got      `%s`", kinds, expected, text);
}

/* Runs the text, compares all rows of `kinds` of flow 0, and frees. */
__attribute__((format(printf, 3, 4))) static inline void scene_check(const char *kinds, const char *expected,
                                                                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct scene scene = scene_load(format, args);
    va_end(args);
    scene_simulate(&scene, 7, true);
    scene_expect(&scene, 0, kinds, 0, 1e12, expected);
    scene_free(&scene);
}

/* The k-th row of a letter of a flow from a time on, or NULL. */
static inline const struct trace_row *scene_row(const struct scene *scene, uint32_t flow, char letter, size_t k,
                                                double from_ms)
{
    for (const struct trace_row *row = scene->row; row < scene->row + scene->n; row++)
        if (row->flow == flow && scene_letter(row) == letter && (double)row->t_ps >= from_ms * 1e9 && k-- == 0)
            return row;
    return NULL;
}

static inline size_t scene_count(const struct scene *scene, uint32_t flow, const char *kinds)
{
    size_t n = 0;
    for (const struct trace_row *row = scene->row; row < scene->row + scene->n; row++)
        n += row->flow == flow && strchr(kinds, scene_letter(row)) != NULL;
    return n;
}

/* The last value of a letter, NaN if there is none. */
static inline double scene_last(const struct scene *scene, uint32_t flow, char letter)
{
    for (const struct trace_row *row = scene->row + scene->n; row-- > scene->row;)
        if (row->flow == flow && scene_letter(row) == letter)
            return scene_value(row, letter);
    return NAN;
}

/* |got - wanted| <= tolerance x |wanted|. */
static inline void scene_near(const char *what, double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance * fabs(wanted)))
        fail_msg("%s: expected %.12g, got %.12g", what, wanted, got);
}

#endif
