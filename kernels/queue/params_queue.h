/* params_queue.h - settings of a link's queue beyond its limit: active queue management and scheduling. */
#ifndef KERNELS_QUEUE_PARAMS_QUEUE_H
#define KERNELS_QUEUE_PARAMS_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/* aqm: those before CoDel decide when a packet arrives (queue/managed.h), the others when it leaves (station/). */
enum aqm_kind { AQM_NONE, AQM_MARK, AQM_RED, AQM_ARED, AQM_PIE, AQM_CODEL, AQM_FQ_CODEL };

enum scheduler_kind { SCHEDULER_FIFO, SCHEDULER_PRIORITY };

enum { PRIORITY_LEVELS = 8, PRIORITY_AUTO = 255 }; /* flows.NAME.priority */

struct red_params {
    double min, max;            /* red_min, red_max: packets; 0 = auto */
    double max_p;               /* red_max_p */
    double weight;              /* red_weight: w_q; 0 = auto */
    uint32_t mean_packet_bytes; /* red_mean_packet */
    bool is_gentle;             /* red_gentle */
    bool counts_bytes;          /* red_byte_mode */
    int64_t interval_ps;        /* ared_interval */
    int64_t target_ps;          /* ared_target: delay that `auto` aims at */
    double alpha, beta;         /* ared_alpha, ared_beta */
};

struct pie_params {
    int64_t target_ps;    /* pie_target */
    int64_t update_ps;    /* pie_update */
    int64_t burst_ps;     /* pie_burst */
    double alpha, beta;   /* pie_alpha, pie_beta: per second */
    double mark_limit;    /* pie_mark_limit */
    bool is_derandomized; /* pie_derandomize */
};

struct codel_params {
    int64_t target_ps;   /* codel_target */
    int64_t interval_ps; /* codel_interval */
};

struct fq_codel_params {
    uint32_t quantum_bytes; /* fq_codel_quantum */
    uint32_t queues;        /* fq_codel_queues; 0 = one for each flow and direction */
    uint32_t batch;         /* fq_codel_batch */
};

struct queue_params {
    int kind;      /* aqm: enum aqm_kind */
    bool marks;    /* aqm_ecn */
    int scheduler; /* scheduler: enum scheduler_kind */
    struct red_params red;
    struct pie_params pie;
    struct codel_params codel;
    struct fq_codel_params fq_codel;
};

#endif
