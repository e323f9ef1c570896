/* random_sweep.h - random scenarios as sweep files, for properties.c. Scenario `number` of a seed is always the same.
 */
#ifndef TESTS_CHECK_RANDOM_SWEEP_H
#define TESTS_CHECK_RANDOM_SWEEP_H

#include "../../src/dialects.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { RANDOM_SWEEP_BYTES = 8192 };

struct sweep_writer {
    char *text;
    size_t n;
    uint64_t state;
    bool is_plain; /* no packets but data and ACKs: what goes in must come out, segment by segment */
};

static void put(struct sweep_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct sweep_writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    w->n += (size_t)vsnprintf(w->text + w->n, RANDOM_SWEEP_BYTES - w->n, format, args);
    va_end(args);
}

/* splitmix64 */
static uint64_t draw(struct sweep_writer *w)
{
    uint64_t z = w->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned below(struct sweep_writer *w, unsigned n)
{
    return (unsigned)(draw(w) % n);
}

static bool chance(struct sweep_writer *w, double p)
{
    return (double)(draw(w) >> 11) * 0x1p-53 < p;
}

static double between(struct sweep_writer *w, double low, double high)
{
    return low + (high - low) * (double)(draw(w) >> 11) * 0x1p-53;
}

static double log_between(struct sweep_writer *w, double low, double high)
{
    return exp(between(w, log(low), log(high)));
}

#define PICK(w, ...) ((const char *[]){__VA_ARGS__}[below(w, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))])

static void put_arq(struct sweep_writer *w)
{
    bool is_frame = chance(w, 0.6);
    put(w, ", arq: %s, arq_loss: %.3g, arq_tries: %u", is_frame ? "frame" : "shortcut", log_between(w, 0.01, 0.5),
        1 + below(w, 7));
    if (is_frame && chance(w, 0.5))
        put(w, ", arq_ack_time: %.3f ms", between(w, 0, 2));
}

/* A shared link has no directions of its own. */
static void put_errors(struct sweep_writer *w, bool is_shared)
{
    switch (below(w, 8)) {
    case 0:
        put(w, ", ber: %.3g", log_between(w, 1e-8, 1e-5));
        break;
    case 1:
        put(w, ", per: %.3g", log_between(w, 1e-4, 0.1));
        if (chance(w, 0.3))
            put(w, ", per_correlation: %.2g, loss_every: %u", between(w, 0, 0.5), 10 + below(w, 500));
        break;
    case 2:
        put(w, ", gilbert: {p: %.3g, r: %.3g}", log_between(w, 1e-4, 0.1), between(w, 0.1, 0.9));
        break;
    case 3:
        put(w, ", onoff_loss: {up: %.3g ms, down: %.3g ms}", between(w, 50, 2000), between(w, 1, 100));
        break;
    case 4:
        put(w, ", per: %.3g, per_retransmission: %.3g", log_between(w, 1e-3, 0.1), between(w, 0, 0.5));
        break;
    case 5:
        put(w, ", drops: [{packet: %u}, {packet: %u}, {segment: %u, transmission: 2}, {ack: %u}]", 1 + below(w, 200),
            1 + below(w, 200), below(w, 200), 1 + below(w, 200));
        break;
    default:
        return;
    }
    put(w, ", errors: %s", is_shared ? "both" : PICK(w, "both", "forward", "reverse"));
}

static void put_queue(struct sweep_writer *w)
{
    static const char *const units[] = {"packets", "B", "bdp"};
    double sizes[] = {1 + below(w, 60), 2000 + below(w, 60000), log_between(w, 0.2, 2)};
    unsigned unit = below(w, 4);
    if (unit < 3)
        put(w, ", queue: %.4g %s", unit == 2 ? sizes[2] : floor(sizes[unit]), units[unit]);
}

static void put_schedule(struct sweep_writer *w)
{
    double at = between(w, 1, 6);
    switch (below(w, 3)) {
    case 0:
        put(w, ", schedule: [{at: %.3f s, rate: %.0f bit/s}]", at, log_between(w, 2e5, 2e7));
        break;
    case 1:
        put(w, ", schedule: [{at: %.3f s, delay: %.3f ms}]", at, between(w, 0, 100));
        break;
    default:
        put(w, ", schedule: [{at: %.3f s, up: false}, {at: %.3f s, up: true}]", at, at + between(w, 0.1, 4));
    }
}

static void put_jitter(struct sweep_writer *w, double delay_ms)
{
    put(w, ", jitter: %.3f ms, jitter_law: %s, jitter_order: %s, jitter_correlation: %.2f",
        0.9 * between(w, 0, delay_ms), PICK(w, "uniform", "normal"), PICK(w, "allow", "keep"), between(w, 0, 1));
    if (chance(w, 0.3))
        put(w, ", reorder: %.2f, reorder_gap: %u", between(w, 0, 0.3), 1 + below(w, 9));
}

/* A port of an ATM switch has a buffer of its own kind, and nothing that changes. */
static void put_atm(struct sweep_writer *w, bool is_eventful)
{
    double rate_bps = log_between(w, 2e5, 2e7);
    put(w, "rate: %.0f bit/s, delay: %.3f ms", rate_bps, between(w, 0.01, 80));
    put(w, ", atm: %s, atm_cells: %u, atm_epd_threshold: %.2f, atm_llc: %s", PICK(w, "plain", "ppd", "epd"),
        1 + below(w, 1000), between(w, 0, 1), PICK(w, "true", "false"));
    if (chance(w, 0.5))
        put(w, ", atm_cbr: %.0f bit/s", rate_bps * between(w, 0, 1.1));
    if (chance(w, 0.5))
        put(w, ", atm_access: %.0f bit/s", rate_bps * log_between(w, 0.5, 10));
    if (is_eventful)
        put_errors(w, false);
}

/* An 802.11 medium: neither shared nor scheduled, with a queue in packets. */
static void put_wlan(struct sweep_writer *w)
{
    put(w, "rate: %s Mbit/s, delay: %.3f ms, wlan: %s, wlan_hops: %u, wlan_rts: %s, wlan_capture: %s",
        PICK(w, "2", "5.5", "11"), between(w, 0, 20), PICK(w, "chain", "star"), 1 + below(w, 8),
        PICK(w, "true", "false"), PICK(w, "true", "false"));
    put(w, ", wlan_hidden: %s, wlan_rules: %s", PICK(w, "none", "halves", "all"), PICK(w, "ieee", "ns2"));
    if (chance(w, 0.8))
        put(w, ", queue: %u packets", 1 + below(w, 60));
    if (chance(w, 0.3))
        put(w, ", wlan_frame_loss: %.3g", between(w, 0, 0.3));
    if (chance(w, 0.2))
        put(w, ", mark_threshold: %u packets", below(w, 30));
    put_errors(w, false);
}

/* is_fifo: nothing that serves by an order of its own. */
static void put_management(struct sweep_writer *w, bool is_fifo)
{
    switch (below(w, is_fifo ? 12 : 15)) {
    case 0:
    case 1:
        put(w, ", mark_threshold: %u packets, mark_weight: %.3g", below(w, 30), log_between(w, 0.01, 1));
        break;
    case 2:
        put(w, ", aqm: red, red_min: %u packets, red_gentle: %s, red_byte_mode: %s, red_weight: %.3g", 1 + below(w, 10),
            PICK(w, "true", "false"), PICK(w, "true", "false"), log_between(w, 0.002, 1));
        break;
    case 3:
        put(w, ", aqm: ared, ared_interval: %.3g ms", log_between(w, 10, 1000));
        break;
    case 4:
        put(w, ", aqm: pie, pie_burst: %u ms, pie_derandomize: %s", below(w, 200), PICK(w, "true", "false"));
        break;
    case 12:
        put(w, ", aqm: codel, codel_target: %.3g ms, codel_interval: %.3g ms", log_between(w, 1, 50),
            log_between(w, 10, 200));
        break;
    case 13:
        put(w, ", aqm: fq_codel, fq_codel_queues: %s, fq_codel_batch: %u", PICK(w, "unlimited", "1", "3"),
            1 + below(w, 64));
        break;
    case 14:
        put(w, ", scheduler: priority");
        break;
    default:
        return;
    }
    if (chance(w, 0.3))
        put(w, ", aqm_ecn: false");
}

static void put_link(struct sweep_writer *w, bool is_eventful)
{
    if (chance(w, 0.1)) {
        put_atm(w, is_eventful);
        return;
    }
    if (is_eventful && chance(w, 0.1)) {
        put_wlan(w);
        return;
    }
    bool is_shared = chance(w, 0.08);
    double delay_ms = between(w, 0.01, 80);
    put(w, "rate: %.0f bit/s, delay: %.3f ms", log_between(w, 2e5, 2e7), delay_ms);
    put_queue(w);
    if (is_eventful)
        put_errors(w, is_shared);
    if (is_eventful && chance(w, 0.1))
        put_jitter(w, delay_ms);
    bool has_schedule = is_eventful && chance(w, 0.15), has_arq = !has_schedule && chance(w, 0.1);
    if (has_schedule)
        put_schedule(w);
    else if (has_arq)
        put_arq(w);
    if (is_shared)
        put(w, ", duplex: shared");
    if (chance(w, 0.2))
        put(w, ", overhead: %u B", below(w, 40));
    put_management(w, has_arq);
}

/* Half of them the classical ones, the rest any preset. */
static const char *random_algorithm(struct sweep_writer *w)
{
    if (chance(w, 0.5))
        return PICK(w, "old_tahoe", "tahoe", "reno", "newreno", "sack");
    return algorithm_table[below(w, (uint32_t)algorithm_count)].name;
}

static void put_tcp(struct sweep_writer *w)
{
    put(w, "{dialect: %s, algorithm: %s, mss: %u B, receive_window: %u B, window_scaling: true",
        PICK(w, "rfc", "rfc", "linux", "ns2", "ns3", "netsim", "qualnet"), random_algorithm(w), 200 + below(w, 1261),
        (2 + below(w, 150)) * 1460);
    if (chance(w, 0.3))
        put(w, ", dsack: true, undo_dsack: true, undo_eifel: %s, frto: %s", PICK(w, "true", "false"),
            PICK(w, "true", "false"));
    if (chance(w, 0.3))
        put(w, ", ecn: %s, timestamp_echo: %s", PICK(w, "classic", "accurate"), PICK(w, "rfc7323", "trigger"));
    put(w, ", delayed_ack: %s, limited_transmit: %s, timestamps: %s", PICK(w, "true", "false"),
        PICK(w, "true", "false"), PICK(w, "true", "false"));
    put(w, ", initial_window: %u segments, min_rto: %s", 1 + below(w, 10), PICK(w, "0.2 s", "1 s"));
    if (chance(w, 0.2))
        put(w, ", send_buffer: %u B", 3000 + below(w, 100000));
    if (chance(w, 0.1))
        put(w, ", nagle: true");
    put(w, w->is_plain ? ", handshake: false, fin: false}" : "}");
}

static void put_app(struct sweep_writer *w)
{
    if (chance(w, 0.06)) {
        put(w, "{kind: writes, packet: %u B}", 1 + below(w, 3000));
        return;
    }
    switch (below(w, w->is_plain ? 9 : 10) + (chance(w, 0.35) ? 100 : 0)) {
    case 0:
        put(w, "{kind: file, size: %u B}", 1 + below(w, 300000));
        break;
    case 1:
        put(w, "{kind: file, size: %u B, repeat: unlimited, interval: %u ms}", 1 + below(w, 60000),
            200 + below(w, 2000));
        break;
    case 2:
        put(w, "{kind: cbr, packet: %u B, interval: %u us, cbr_coalesce: %s}", 100 + below(w, 1800),
            1000 + below(w, 30000), PICK(w, "true", "false"));
        break;
    case 3:
        put(w, "{kind: udp_cbr, packet: %u B, interval: %u us}", 50 + below(w, 1400), 2000 + below(w, 30000));
        break;
    case 100:
        put(w, "{kind: short_flows, size: %u B, size_law: %s, interval: %u ms}", 1 + below(w, 60000),
            PICK(w, "fixed", "exponential", "pareto", "lognormal"), 20 + below(w, 3000));
        break;
    case 101:
        put(w, "{kind: short_flows, size_law: empirical, sizes: [1 B, %u B, %u B], interval: %u ms}",
            1 + below(w, 3000), 1 + below(w, 100000), 20 + below(w, 3000));
        break;
    case 102:
        put(w, "{kind: file, size: %u B, size_law: %s, size_max: 1 MB, repeat: unlimited, think: %u ms, think_law: %s}",
            1 + below(w, 60000), PICK(w, "fixed", "exponential", "pareto"), 1 + below(w, 2000),
            PICK(w, "fixed", "exponential", "pareto"));
        break;
    case 103:
    case 104:
        put(w, "{kind: video, fps: %u, ppf: %u, bpp_sigma: %.3g}", 1 + below(w, 40), 1 + below(w, 300000),
            between(w, 0, 1));
        break;
    case 105:
    case 106:
        put(w, "{kind: udp_poisson, packet: %u B, interval: %u us}", 50 + below(w, 1400), 2000 + below(w, 30000));
        break;
    case 107:
    case 108:
        put(w, "{kind: udp_onoff, packet: %u B, interval: %u us, on_time: %u ms, off_time: %u ms, period_law: %s}",
            50 + below(w, 1400), 1000 + below(w, 30000), 1 + below(w, 900), 1 + below(w, 900),
            PICK(w, "fixed", "exponential", "pareto"));
        break;
    case 9:
    case 109:
        put(w, "{kind: ping, packet: 56 B, interval: %u ms}", 10 + below(w, 500));
        break;
    default:
        put(w, "{kind: bulk}");
    }
}

static void put_chain(struct sweep_writer *w)
{
    unsigned links = 1 + below(w, 4);
    put(w, "path:\n");
    for (unsigned i = 0; i < links; i++) {
        put(w, "  - {name: l%u, ", i);
        put_link(w, chance(w, 0.6));
        put(w, "}\n");
    }
    put(w, "tcp: ");
    put_tcp(w);
    put(w, "\napp: ");
    put_app(w);
}

static void put_dumbbell(struct sweep_writer *w)
{
    unsigned groups = 1 + below(w, 3);
    put(w, "links:\n");
    for (unsigned i = 0; i < 3; i++) {
        put(w, "  %s: {", (const char *[]){"access", "middle", "exit"}[i]);
        put_link(w, i == 1);
        put(w, "}\n");
    }
    put(w, "flows:\n");
    for (unsigned i = 0; i < groups; i++) {
        put(w, "  - {name: f%u, count: %u, via: %s", i, 1 + below(w, 2) + (i == 0),
            i > 0 && chance(w, 0.3) ? "[access*, middle.reverse, exit*]" : "[access*, middle, exit*]");
        if (chance(w, 0.4))
            put(w, ", start: {uniform: [0 s, %.2f s]}", between(w, 0.1, 3));
        if (chance(w, 0.2))
            put(w, ", stop: %.2f s", between(w, 4, 15));
        if (chance(w, 0.2))
            put(w, ", priority: %u", below(w, 8));
        put(w, ", tcp: ");
        put_tcp(w);
        put(w, ", app: ");
        put_app(w);
        put(w, "}\n");
    }
}

/* Three bottlenecks in a row: flows over a stretch of them, either way, some with a way back of their own. */
static void put_parking_lot(struct sweep_writer *w)
{
    unsigned flows = 2 + below(w, 4);
    put(w, "links:\n");
    for (unsigned i = 0; i < 5; i++) {
        put(w, "  %s: {", (const char *[]){"access", "m0", "m1", "m2", "slow"}[i]);
        put_link(w, i == 2);
        put(w, "}\n");
    }
    put(w, "flows:\n  - {name: all, via: [access*, m0, m1, m2], back: [slow*], tcp: ");
    put_tcp(w);
    put(w, "}\n");
    for (unsigned i = 0; i < flows; i++) {
        unsigned first = below(w, 3), last = first + below(w, 3 - first);
        bool is_up = chance(w, 0.3);
        put(w, "  - {name: f%u, via: [access*", i);
        for (unsigned k = first; k <= last; k++)
            put(w, ", m%u%s", is_up ? first + last - k : k, is_up ? ".reverse" : "");
        put(w, "]%s, tcp: ", chance(w, 0.3) ? ", back: [slow]" : "");
        put_tcp(w);
        put(w, ", app: ");
        put_app(w);
        put(w, "}\n");
    }
}

/* Writes a sweep file of one point; returns whether each flow sends nothing but data and ACKs. */
static bool random_sweep(char *text, uint64_t seed, unsigned number)
{
    struct sweep_writer w = {.text = text, .state = seed * UINT64_C(1000003) + number};
    w.is_plain = chance(&w, 0.7);
    put(&w, "name: random-%u\nduration: 10 s\nreplications: 1\n", number);
    if (chance(&w, 0.5))
        put_chain(&w);
    else if (chance(&w, 0.6))
        put_dumbbell(&w);
    else
        put_parking_lot(&w);
    put(&w, "\n");
    return w.is_plain;
}

#endif
