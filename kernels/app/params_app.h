/* params_app.h - settings of applications. The comment behind each field begins with its key of a sweep file. */
#ifndef KERNELS_APP_PARAMS_APP_H
#define KERNELS_APP_PARAMS_APP_H

#include <stdbool.h>
#include <stdint.h>

struct app_ops; /* app.h */

enum size_law { SIZE_FIXED, SIZE_EXPONENTIAL, SIZE_PARETO, SIZE_LOGNORMAL, SIZE_EMPIRICAL };
enum time_law { TIME_FIXED, TIME_EXPONENTIAL, TIME_PARETO };

/* One of the sizes that `empirical` draws from. */
struct size_cfg {
    uint64_t bytes;
    double share; /* of this and all before it */
};

struct size_list {
    const struct size_cfg *at;
    uint32_t n;
};

/* A write, or cross traffic, of a trace. */
struct write_cfg {
    int64_t at_ps; /* after the flow's start */
    uint64_t bytes;
};

struct write_list {
    const struct write_cfg *at;
    uint32_t n;
};

struct app_cfg {
    const struct app_ops *ops; /* kind: a name from app_list */
    uint64_t size_bytes;       /* size: of a file; the mean where it is drawn */
    enum size_law size_law;    /* size_law: fixed | exponential | pareto | lognormal | empirical */
    double size_shape;         /* size_shape: of a Pareto law */
    double size_sigma;         /* size_sigma: standard deviation of the logarithm, lognormal */
    uint64_t size_max_bytes;   /* size_max: larger draws become this; 0 = unlimited */
    struct size_list sizes;    /* sizes: what empirical draws from */
    uint64_t repeat;           /* repeat: number of files, 0 = until the flow stops (1) */
    int64_t think_ps;          /* think: mean pause between a file's end and the next; 0 = none */
    enum time_law think_law;   /* think_law: fixed | exponential | pareto */
    uint32_t packet_bytes;     /* packet: bytes of one write (writes, cbr), of a datagram, or of a ping's payload */
    int64_t interval_ps;       /* interval: between writes, datagrams, or starts of files; the mean where it is drawn */
    bool coalesce;             /* cbr_coalesce: writes may share a segment; otherwise their boundaries are kept */
    int64_t on_ps, off_ps;     /* on_time, off_time: means */
    enum time_law period_law;  /* period_law: fixed | exponential | pareto */
    double time_shape;         /* time_shape: of Pareto times */
    double fps, ppf;           /* fps, ppf: video frames per second, pixels per frame */
    double bpp_mean, bpp_sigma; /* bpp_mean, bpp_sigma: bits per pixel */
    struct write_list trace;    /* trace: a file of times and bytes */
};

#endif
