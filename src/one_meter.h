/* one_meter.h - what a speed meter beside the flow would show, line by line. Like the class lab of seed 002. */
#ifndef SRC_ONE_METER_H
#define SRC_ONE_METER_H

#include "one_report.h"

/* A line per interval (and flow): Mbit/s of in-order bytes delivered in it, and cwnd, ssthresh, smoothed rtt and
 * retransmissions so far at its end; then the average over the run. */
void one_meter_print(FILE *file, const struct one_run *run);

/* The same as the member "meter" of a JSON object, and "meter_average" (bit/s). */
void one_meter_json(FILE *file, const struct one_run *run);

#endif
