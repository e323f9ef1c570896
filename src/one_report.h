/* one_report.h - one replication on the terminal: tables of application, TCP and links, a meter, or JSON. */
#ifndef SRC_ONE_REPORT_H
#define SRC_ONE_REPORT_H

#include <stdio.h>

#include "trace.h"

struct one_run {
    const char *label; /* of the point, `axis=value axis=value` */
    uint32_t replication;
    const struct scenario *sc;
    const struct sim_result *result; /* with flow rows */
    const struct trace *trace;       /* sorted */
    int64_t meter_ps;                /* interval of the meter, 0 = none */
};

void one_print_tables(FILE *file, const struct one_run *run);

/* All of it as one JSON object; what does not apply is null. */
void one_print_json(FILE *file, const struct one_run *run);

#endif
