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

struct error_params {
    struct arq_cfg arq;
    double per_correlation; /* per_correlation: of the random numbers behind `per`, as in netem; 0 = independent */
    uint32_t loss_every;    /* loss_every: each n-th packet is lost; 0 = off */
};

#endif
