/* params_error.h - what a direction of a link does to packets beside losing them independently.
 */
#ifndef KERNELS_PARAMS_ERROR_H
#define KERNELS_PARAMS_ERROR_H

#include <stdint.h>

enum arq_kind { ARQ_OFF, ARQ_SHORTCUT, ARQ_FRAME };

struct arq_cfg {         /* see ../link_arq.h */
    enum arq_kind kind;  /* arq: off | shortcut | frame */
    uint32_t tries;      /* arq_tries: of a frame, the first included (7) */
    double loss;         /* arq_loss: of each try */
    int64_t ack_time_ps; /* arq_ack_time: the link waits so long for an acknowledgement after each try; frame only */
};

enum jitter_law { JITTER_UNIFORM, JITTER_NORMAL };
enum jitter_order { JITTER_ALLOW, JITTER_KEEP };

struct jitter_cfg {          /* see ../link_jitter.h */
    int64_t jitter_ps;       /* jitter: what the delay varies by */
    enum jitter_law law;     /* jitter_law: uniform | normal */
    double correlation;      /* jitter_correlation: with the packet before */
    enum jitter_order order; /* jitter_order: allow | keep */
    double reorder;          /* reorder: part of the packets that go without delay */
    uint32_t reorder_gap;    /* reorder_gap: at most each so many-th does (1) */
};

struct error_params {
    struct jitter_cfg jitter;
    struct arq_cfg arq;
    double per_correlation; /* per_correlation: of the random numbers behind `per`, as in netem; 0 = independent */
    uint32_t loss_every;    /* loss_every: each n-th packet is lost; 0 = off */
};

#endif
