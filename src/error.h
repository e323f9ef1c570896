/* error.h - how a function that can fail says why: one line and the exit status that fits it. */
#ifndef SRC_ERROR_H
#define SRC_ERROR_H

enum exit_status {
    EXIT_DONE = 0,
    EXIT_ENVIRONMENT = 1, /* disk full, no permission, MPI trouble: anything that is not the input's fault */
    EXIT_BAD_INPUT = 2,
    EXIT_SOME_FAILED = 3, /* done, but some instances failed */
    EXIT_STOPPED = 75,    /* stopped early on a signal or time limit, everything finished is saved */
};

struct error {
    enum exit_status status;
    char text[1024]; /* one line, without newline: `FILE:LINE: key: what is wrong, expected what` */
};

/* Fills *err and returns -1, so that `return error_set(...)` reads well. */
int error_set(struct error *err, enum exit_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
