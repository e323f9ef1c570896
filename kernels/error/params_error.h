/* params_error.h - what a direction of a link does to packets beside losing them independently: local retransmission.
 */
#ifndef KERNELS_PARAMS_ERROR_H
#define KERNELS_PARAMS_ERROR_H

#include <stdint.h>

enum arq { ARQ_OFF, ARQ_SHORTCUT, ARQ_FRAME };

struct arq_cfg {         /* see ../link_arq.h */
    enum arq kind;       /* arq: off | shortcut | frame */
    uint32_t tries;      /* arq_tries: of a frame, the first included (7) */
    double loss;         /* arq_loss: of each try */
    int64_t ack_time_ps; /* arq_ack_time: the link waits so long for an acknowledgement after each try; frame only */
};

struct error_params {
    struct arq_cfg arq;
};

#endif
