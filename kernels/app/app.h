/* app.h - applications: how much there is to send, and when. One file each. */
#ifndef KERNELS_APP_H
#define KERNELS_APP_H

#include "../random.h"
#include "../registry.h"
#include "../scenario.h"

struct sim;
struct flow;
struct packet;

enum transport { TRANSPORT_TCP, TRANSPORT_UDP, TRANSPORT_PING };

/* Settings that an application cannot do without. */
enum app_need {
    NEEDS_SIZE = 1,
    NEEDS_PACKET = 2,
    NEEDS_INTERVAL = 4,
    NEEDS_PERIODS = 8,
    NEEDS_VIDEO = 16,
    NEEDS_TRACE = 32,
};

/* A place in a series of writes or arrivals. Two of them with the same random stream see the same series. */
struct app_cursor {
    struct random_stream random;
    uint64_t k;
    int64_t t_ps;   /* when it is made; TIME_NEVER: there is none */
    uint64_t bytes; /* what is left of it */
};

/* Short flows: of the first flow of a group, whose flows take the arrivals in turn. */
struct app_pool {
    uint64_t waiting;    /* arrivals that no flow is free for */
    uint32_t idle, turn; /* flows without a connection; the one to be looked at next */
};

struct app_state {
    int64_t start_ps;                  /* when the flow really started: handshake included in its delays */
    uint64_t writes;                   /* writes, files or packets made so far */
    uint64_t bytes_written, bytes_cut; /* coalesced streams: given by the application, cut into segments */
    uint64_t file_bytes;               /* file: of the one in progress */
    uint32_t file_end;                 /* file: one above the last segment of the file in progress */
    int64_t file_start_ps;
    int64_t next_ps;         /* file: the next is due then; on/off: the period ends then */
    uint64_t record_end;     /* receiver: in-order bytes at which the next application packet is complete */
    uint64_t bytes_received; /* receiver: in order, all phases */
};

struct app_ops {
    struct item item;
    enum transport transport;
    unsigned needs;   /* enum app_need */
    bool has_files;   /* completion times are measured */
    bool shares_pool; /* the flows of a group take turns: the others than the first have no timer of their own */
    /* Whether all segments are full ones, given the settings. */
    bool (*is_uniform)(const struct app_cfg *app, const struct tcp_cfg *tcp);
    bool fills_buffer; /* writes of `packet` bytes that wait for room in the send buffer */
    /* Whether it draws random numbers. NULL: it does not. */
    bool (*is_random)(const struct app_cfg *app);
    /* TCP: segments that are not full, of those in a window of so many bytes. NULL: one each `packet`. */
    uint64_t (*short_segments)(const struct app_cfg *app, uint64_t window_bytes);
    /* Datagrams in such a time, at most. NULL: one each `interval`. */
    uint64_t (*most_packets)(const struct app_cfg *app, int64_t time_ps);
    /* The flow starts, and this sees to its connection. NULL: it is opened. */
    void (*on_start)(struct sim *s, struct flow *f);
    /* The connection is open (or the flow starts, without TCP). */
    void (*on_open)(struct sim *s, struct flow *f);
    /* TCP: the sender could send but has nothing: raise f->available if the application has written more by now, else
     * set TIMER_APP for when it will. */
    void (*on_starved)(struct sim *s, struct flow *f);
    /* TIMER_APP has expired. */
    void (*on_timer)(struct sim *s, struct flow *f);
    /* TCP: una has advanced. May be NULL. */
    void (*on_acknowledged)(struct sim *s, struct flow *f);
    /* series.h: brings a cursor to the write after it. */
    void (*next_write)(const struct flow *f, struct app_cursor *cursor);
    /* TCP: brings f->awaited to the next application packet, whose delay is measured. May be NULL. */
    void (*next_record)(struct flow *f);
};

/* What is wrong with a flow's settings, in `text`; NULL: nothing. */
const char *app_check(const struct flow_cfg *flow, char *text, size_t size);

bool app_is_random(const struct app_cfg *app);

/* The flow's random stream, from its start. */
void app_random_init(const struct sim *s, const struct flow *f, struct random_stream *random);

/* A time by a law with this mean, at least 1 ps. */
int64_t app_draw_time(struct random_stream *random, enum time_law law, int64_t mean_ps, double shape);

/* A file's size. */
uint64_t app_draw_size(struct random_stream *random, const struct app_cfg *app);

/* More events than a Poisson process with this mean has, by 12 standard deviations. */
uint64_t app_most_events(double mean);

#endif
