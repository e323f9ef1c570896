/* one_meter.c - intervals read off a sorted trace. */
#include "one_meter.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct reading {  /* of one flow */
    double bytes; /* in this interval */
    double cwnd, ssthresh, rtt_s;
    uint64_t retransmissions;
};

static void read_row(struct reading *reading, const struct trace_row *row, bool *has_srtt)
{
    switch ((enum trace_event)row->event) {
    case TRACE_APP:
        reading->bytes += row->x;
        break;
    case TRACE_CWND:
        reading->cwnd = row->x;
        break;
    case TRACE_SSTHRESH:
        reading->ssthresh = row->x >= 1e9 ? NAN : row->x; /* unlimited */
        break;
    case TRACE_RTT:
        if (!*has_srtt)
            reading->rtt_s = row->x;
        break;
    case TRACE_SRTT:
        reading->rtt_s = row->x;
        *has_srtt = true;
        break;
    case TRACE_SEND:
        reading->retransmissions += row->b != 0;
        break;
    default:
        break;
    }
}

/* What becomes of a finished interval of a flow. */
typedef void line_function(FILE *file, const struct one_run *run, uint32_t flow, double from_s, double to_s,
                           const struct reading *reading);

/* Walks the trace; gives every interval of every flow to `line`. Returns the bytes of the whole run. */
static double walk(FILE *file, const struct one_run *run, line_function *line)
{
    uint32_t nflows = run->sc->nflows;
    struct reading *readings = calloc(nflows, sizeof *readings);
    bool *has_srtt = calloc(nflows, sizeof *has_srtt);
    double bytes = 0;
    uint64_t next = 0;
    for (uint32_t flow = 0; readings && flow < nflows; flow++)
        readings[flow] = (struct reading){.cwnd = NAN, .ssthresh = NAN, .rtt_s = NAN};
    for (int64_t from = 0; readings && has_srtt && from < run->sc->measure_to_ps;) {
        int64_t to = run->sc->measure_to_ps - from < run->meter_ps ? run->sc->measure_to_ps : from + run->meter_ps;
        for (; next < run->trace->count && run->trace->entries[next].row.t_ps <= to; next++) {
            const struct trace_row *row = &run->trace->entries[next].row;
            read_row(&readings[row->flow], row, &has_srtt[row->flow]);
        }
        for (uint32_t flow = 0; flow < nflows; flow++) {
            line(file, run, flow, (double)from / PS_PER_S, (double)to / PS_PER_S, &readings[flow]);
            bytes += readings[flow].bytes;
            readings[flow].bytes = 0;
        }
        from = to;
    }
    free(readings);
    free(has_srtt);
    return bytes;
}

/* Right-aligned number, `-` where it is unknown. */
static void print_number(FILE *file, double value, int width, int digits)
{
    if (isnan(value))
        fprintf(file, " %*s", width, "-");
    else
        fprintf(file, " %*.*f", width, digits, value);
}

static void print_line(FILE *file, const struct one_run *run, uint32_t flow, double from_s, double to_s,
                       const struct reading *reading)
{
    print_number(file, to_s, 9, 3);
    if (run->sc->nflows > 1)
        fprintf(file, " %-12s", run->sc->flows[flow].name);
    print_number(file, 8e-6 * reading->bytes / (to_s - from_s), 9, 3);
    print_number(file, reading->cwnd, 9, 2);
    print_number(file, reading->ssthresh, 9, 2);
    print_number(file, reading->rtt_s * 1e3, 9, 2);
    fprintf(file, " %8" PRIu64 "\n", reading->retransmissions);
}

void one_meter_print(FILE *file, const struct one_run *run)
{
    fprintf(file, " %9s", "time s");
    if (run->sc->nflows > 1)
        fprintf(file, " %-12s", "flow");
    fprintf(file, " %9s %9s %9s %9s %8s\n", "Mbit/s", "cwnd", "ssthresh", "rtt ms", "retrans");
    double bytes = walk(file, run, print_line);
    fprintf(file, "average %.3f Mbit/s over %g s\n", 8e-6 * bytes * PS_PER_S / (double)run->sc->measure_to_ps,
            (double)run->sc->measure_to_ps / PS_PER_S);
}

static void json_number(FILE *file, const char *name, double value)
{
    if (isfinite(value))
        fprintf(file, ", \"%s\": %.12g", name, value);
    else
        fprintf(file, ", \"%s\": null", name);
}

static void json_line(FILE *file, const struct one_run *run, uint32_t flow, double from_s, double to_s,
                      const struct reading *reading)
{
    fprintf(file, "%s\n  {\"flow\": %" PRIu32, from_s > 0 || flow > 0 ? "," : "", flow);
    json_number(file, "from", from_s);
    json_number(file, "to", to_s);
    json_number(file, "bit_s", 8 * reading->bytes / (to_s - from_s));
    json_number(file, "cwnd", reading->cwnd);
    json_number(file, "ssthresh", reading->ssthresh);
    json_number(file, "rtt", reading->rtt_s);
    fprintf(file, ", \"retransmissions\": %" PRIu64 "}", reading->retransmissions);
    (void)run;
}

void one_meter_json(FILE *file, const struct one_run *run)
{
    fputs(",\n \"meter\": [", file);
    double bytes = walk(file, run, json_line);
    fprintf(file, "],\n \"meter_average\": %.12g", 8 * bytes * PS_PER_S / (double)run->sc->measure_to_ps);
}
