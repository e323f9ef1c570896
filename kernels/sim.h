/* sim.h - run one replication of a scenario: the kernel's whole interface.
 *
 * No I/O, no allocation, no global state: the caller owns the memory, and any number of threads may run instances side
 * by side. The same scenario, key and program give bit-identical results.
 */
#ifndef KERNELS_SIM_H
#define KERNELS_SIM_H

#include "scenario.h"

enum metric {
#define METRIC(name, unit, scope, help) METRIC_##name,
#include "metrics.def"
#undef METRIC
    METRIC_COUNT
};

enum metric_scope { SCOPE_FLOW, SCOPE_NET }; /* NET: a value of the whole instance, NaN per flow */

struct metric_info {
    const char *name; /* HDF5 dataset */
    const char *unit; /* UDUNITS spelling */
    enum metric_scope scope;
    const char *help;
};

extern const struct metric_info metric_table[METRIC_COUNT];

enum sim_status {
    SIM_OK,
    SIM_LIMIT,  /* an internal capacity was exceeded (packets in flight, segments of a run); the result is not valid */
    SIM_BROKEN, /* a conservation check failed: a defect of the program */
};

const char *sim_status_text(enum sim_status status);

/* What a replication's random numbers depend on. Derived in src/ from seed, replication and the scenario's hash. */
struct sim_key {
    uint32_t word[2];
};

struct sim_result {
    enum sim_status status;
    uint64_t packets;             /* data packets sent, retransmissions included: the unit of cost */
    double all[METRIC_COUNT];     /* all flows together; NaN where a metric does not apply */
    double (*flow)[METRIC_COUNT]; /* caller's array of scenario->nflows rows, or NULL if not wanted */
};

/* Rows for traces and packet-exact tests, handed out in the order in which the kernel computes them: it walks packets
 * into the future, so sort by (t_ps, order of arrival) before use. */
enum trace_event {
    TRACE_SEND,     /* data packet handed to the first link: a = segment, b = 1 if sent before */
    TRACE_DROP,     /* data packet lost: a = segment, b = enum drop_cause, link/direction in hop */
    TRACE_ACK_DROP, /* ACK lost: a = segment acknowledged so far (last in order, -1 none), b = enum drop_cause */
    TRACE_DELIVER,  /* data packet reaching the receiver: a = segment, b = 1 if received before */
    TRACE_ACK,      /* ACK reaching the sender: a = last segment in order (-1 before any), b = number of SACK blocks,
                       x = the timestamp it echoes, s */
    TRACE_CWND,     /* x = cwnd, segments */
    TRACE_SSTHRESH, /* x = ssthresh, segments */
    TRACE_FAST_RETRANSMIT, /* a = segment */
    TRACE_TIMEOUT,         /* a = segment */
    TRACE_BACKOFF,         /* a = new backoff factor */
    TRACE_RTT,             /* x = RTT sample, s; srtt and rttvar follow as TRACE_SRTT, TRACE_RTTVAR (x, s) */
    TRACE_SRTT,
    TRACE_RTTVAR,
    TRACE_RTO,   /* x = RTO with backoff, s */
    TRACE_STATE, /* a = new enum tcp_state of the sender, b = of the receiver; -1: that side's has not changed */
    TRACE_APP,   /* in-order bytes handed to the receiving application: x = bytes */
    TRACE_MARK,  /* data packet marked: a = segment, link/direction in hop */
};

enum drop_cause {
    CAUSE_QUEUE,
    CAUSE_ERROR,
    CAUSE_DOWN,
    CAUSE_RETRY, /* a radio node has given up */
};

struct trace_row {
    int64_t t_ps;
    uint32_t flow;
    uint16_t event; /* enum trace_event */
    uint16_t hop;   /* link * 2 + direction, where that makes sense */
    int64_t a, b;
    double x;
};

struct sim_trace {
    void (*row)(void *ctx, const struct trace_row *row);
    void *ctx;
};

/* Bytes of memory one instance of this scenario needs (a multiple of 64). */
size_t sim_bytes(const struct scenario *sc);

/* Runs one replication in `memory` (sim_bytes(sc) bytes, aligned to 64; what it held before does not matter).
 * `trace` may be NULL. */
void sim_run(const struct scenario *sc, struct sim_key key, void *memory, const struct sim_trace *trace,
             struct sim_result *result);

#endif
