/* load_sweep.h - sweep files from text, for tests. */
#ifndef TESTS_UNIT_LOAD_SWEEP_H
#define TESTS_UNIT_LOAD_SWEEP_H

#include "../../src/sweep_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char path[64];

static inline int write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return -1;
    fputs(text, file);
    return fclose(file);
}

static inline int create_file(void **state)
{
    (void)state;
    strcpy(path, "/tmp/tcpsweep-test-XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static inline int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

/* sets: `KEY=V;KEY=V`, or NULL. */
static inline int try_load(struct sweep **out, const char *text, const char *sets, struct error *err)
{
    static char copy[1000];
    struct override list[20];
    uint32_t n = 0;
    snprintf(copy, sizeof copy, "%s", sets ? sets : "");
    for (char *at = strtok(copy, ";"); at; at = strtok(NULL, ";"))
        list[n++].text = at;
    assert_int_equal(write_file(text), 0);
    return sweep_load(out, path, list, n, err);
}

static inline struct sweep *load_set(const char *text, const char *sets)
{
    struct error err;
    struct sweep *sweep = NULL;
    if (try_load(&sweep, text, sets, &err) < 0)
        fail_msg("%s", err.text);
    return sweep;
}

static inline struct sweep *load(const char *text)
{
    return load_set(text, NULL);
}

static inline struct scenario *scenario_at(const struct sweep *sweep, uint64_t point)
{
    struct error err;
    struct scenario *scenario = sweep_scenario(sweep, point, &err);
    if (!scenario)
        fail_msg("%s", err.text);
    return scenario;
}

#define PATH "duration: 10 s\npath: [{name: link, rate: 10 Mbit/s, delay: 10 ms}]\n"

#endif
