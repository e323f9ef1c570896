/* app.h - applications: how much there is to send, and when. One file each. */
#ifndef KERNELS_APP_H
#define KERNELS_APP_H

#include "../registry.h"
#include "../scenario.h"

struct sim;
struct flow;
struct packet;

enum transport { TRANSPORT_TCP, TRANSPORT_UDP, TRANSPORT_PING };

struct app_state {
    int64_t start_ps;                  /* when the flow really started: handshake included in its delays */
    uint64_t writes;                   /* writes, files or packets made so far */
    uint64_t bytes_written, bytes_cut; /* coalesced streams: given by the application, cut into segments */
    uint32_t file_end;                 /* file: one above the last segment of the file in progress */
    int64_t file_start_ps;
    uint64_t record_bytes;   /* receiver: in-order bytes at which the next application packet is complete */
    uint64_t records;        /* application packets delivered */
    uint64_t bytes_received; /* receiver: in order, all phases */
};

struct app_ops {
    struct item item;
    enum transport transport;
    bool has_size; /* needs `size` */
    /* Whether all segments are full ones, given the settings. */
    bool (*is_uniform)(const struct app_cfg *app, const struct tcp_cfg *tcp);
    bool fills_buffer; /* writes of `packet` bytes that wait for room in the send buffer */
    /* The connection is open (or the flow starts, without TCP). */
    void (*on_open)(struct sim *s, struct flow *f);
    /* TCP: the sender could send but has nothing: raise f->available if the application has written more by now, else
     * set TIMER_APP for when it will. */
    void (*on_starved)(struct sim *s, struct flow *f);
    /* TIMER_APP has expired. */
    void (*on_timer)(struct sim *s, struct flow *f);
    /* TCP: una has advanced. May be NULL. */
    void (*on_acknowledged)(struct sim *s, struct flow *f);
    /* TCP: number of application packets of a fixed size whose delay is measured: bytes, 0 = none. May be NULL. */
    uint32_t (*record_bytes)(const struct app_cfg *app);
    /* When packet `k` was written, for its delay. May be NULL. */
    int64_t (*record_time_ps)(const struct flow *f, uint64_t k);
};

#endif
