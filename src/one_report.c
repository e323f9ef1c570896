/* one_report.c - one replication as tables and as JSON. The links' figures are counted from the trace. */
#include "one_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/registry.h"
#include "one_meter.h"
#include "units.h"

static const char *name_of(const void *ops) /* every table of operations begins with its struct item */
{
    return ops ? ((const struct item *)ops)->name : "-";
}

/* --- values ------------------------------------------------------------------------------------------------------- */

enum { VALUE_BYTES = 32 };

/* A value in human units by its UDUNITS unit, `-` where it does not apply. */
static const char *format_value(char text[VALUE_BYTES], double value, const char *udunits)
{
    struct quantity quantity = {value, UNIT_NONE};
    if (strcmp(udunits, units_udunits(UNIT_RATE)) == 0)
        quantity.unit = UNIT_RATE;
    if (strcmp(udunits, units_udunits(UNIT_TIME)) == 0)
        quantity.unit = UNIT_TIME;
    if (isnan(value))
        snprintf(text, VALUE_BYTES, "-");
    else if (quantity.unit == UNIT_NONE)
        snprintf(text, VALUE_BYTES, "%.7g", value);
    else
        units_format(quantity, text, VALUE_BYTES);
    return text;
}

/* --- links -------------------------------------------------------------------------------------------------------- */

struct usage {
    int64_t packets; /* handed to the link up to the end of the run */
    int64_t drops[DROP_CAUSES];
};

/* One array element per link and direction, or NULL. A data packet enters every link of its path up to the one that
 * drops it; ACKs are counted when they arrive or are dropped. */
static struct usage *count_usage(const struct one_run *run)
{
    const struct scenario *sc = run->sc;
    struct usage *usage = calloc(2 * (size_t)sc->nlinks, sizeof *usage);
    for (uint64_t i = 0; usage && i < run->trace->count; i++) {
        const struct trace_row *row = &run->trace->entries[i].row;
        bool is_data = row->event == TRACE_SEND || row->event == TRACE_DROP;
        bool is_drop = row->event == TRACE_DROP || row->event == TRACE_ACK_DROP;
        if (!is_data && !is_drop && row->event != TRACE_ACK)
            continue;
        const struct flow_cfg *flow = &sc->flows[row->flow];
        enum direction way = is_data ? FORWARD : REVERSE;
        bool passed = false; /* the drop is behind us */
        for (uint32_t hop = 0; hop < flow->path_len[way]; hop++) {
            struct usage *at = &usage[2 * flow->path[way][hop].link + flow->path[way][hop].direction];
            bool is_here = is_drop && at == &usage[row->hop];
            if (is_here)
                at->drops[row->b]++;
            if (is_data && is_drop)
                at->packets -= passed;
            else
                at->packets += !passed;
            passed |= is_here;
        }
    }
    return usage;
}

static const struct channel_cfg *channel_of(const struct scenario *sc, uint32_t link, int direction)
{
    return &sc->links[link].channel[sc->links[link].shared_duplex ? FORWARD : direction];
}

static void print_links(FILE *file, const struct one_run *run)
{
    char rate[VALUE_BYTES], delay[VALUE_BYTES];
    struct usage *usage = count_usage(run);
    fprintf(file, "\nLinks\n  %-12s %-9s %14s %12s %12s %12s %12s %12s\n", "link", "direction", "rate", "delay",
            "packets", "drops queue", "drops error", "drops down");
    for (uint32_t i = 0; usage && i < 2 * run->sc->nlinks; i++) {
        const struct channel_cfg *channel = channel_of(run->sc, i / 2, i % 2);
        fprintf(file, "  %-12s %-9s %14s %12s %12" PRId64, run->sc->links[i / 2].name, direction_names[i % 2],
                format_value(rate, channel->rate_bps, "bit s-1"),
                format_value(delay, (double)channel->delay_ps / PS_PER_S, "s"), usage[i].packets);
        for (int cause = 0; cause < DROP_CAUSES; cause++)
            fprintf(file, " %12" PRId64, usage[i].drops[cause]);
        fputc('\n', file);
    }
    free(usage);
}

/* --- metrics ------------------------------------------------------------------------------------------------------ */

enum { COLUMNS = 5 }; /* flows beside each other */

/* Columns of a table: flows from .. to - 1; the one behind the last flow is all flows together. */
struct columns {
    uint32_t from, to;
};

enum group { GROUP_APPLICATION, GROUP_TCP, GROUP_NETWORK };

static enum group group_of(enum metric metric)
{
    static const enum metric application[] = {METRIC_goodput,       METRIC_completion_time, METRIC_completed,
                                              METRIC_censored,      METRIC_delay_mean,      METRIC_jitter_mad,
                                              METRIC_delay_variance};
    for (size_t i = 0; i < sizeof application / sizeof application[0]; i++)
        if (application[i] == metric)
            return GROUP_APPLICATION;
    return metric_table[metric].scope == SCOPE_NET ? GROUP_NETWORK : GROUP_TCP;
}

static double value_at(const struct one_run *run, uint32_t flow, enum metric metric)
{
    return flow < run->sc->nflows ? run->result->flow[flow][metric] : run->result->all[metric];
}

static const char *name_cell(const struct flow_cfg *flow)
{
    return flow->name;
}

static const char *app_cell(const struct flow_cfg *flow)
{
    return name_of(flow->app.ops);
}

static const char *cc_cell(const struct flow_cfg *flow)
{
    return name_of(flow->tcp.cc);
}

static const char *recovery_cell(const struct flow_cfg *flow)
{
    return name_of(flow->tcp.recovery);
}

static void print_names(FILE *file, const struct one_run *run, struct columns columns, const char *title,
                        const char *(*cell)(const struct flow_cfg *flow))
{
    fprintf(file, "%-30s", title);
    for (uint32_t flow = columns.from; flow < columns.to; flow++)
        fprintf(file, " %14s", flow < run->sc->nflows ? cell(&run->sc->flows[flow]) : cell == name_cell ? "all" : "");
    fputc('\n', file);
}

/* One row a metric, one column a flow. A metric that applies to none of the flows shown is left out. */
static void print_metrics(FILE *file, const struct one_run *run, struct columns columns, enum group group)
{
    char text[VALUE_BYTES];
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        bool applies = false;
        for (uint32_t flow = columns.from; flow < columns.to; flow++)
            applies |= !isnan(value_at(run, flow, metric));
        if (!applies || group_of(metric) != group)
            continue;
        fprintf(file, "  %-28s", metric_table[metric].name);
        for (uint32_t flow = columns.from; flow < columns.to; flow++)
            fprintf(file, " %14s", format_value(text, value_at(run, flow, metric), metric_table[metric].unit));
        fputc('\n', file);
    }
}

void one_print_tables(FILE *file, const struct one_run *run)
{
    uint32_t nflows = run->sc->nflows, ncolumns = nflows > 1 ? nflows + 1 : 1;
    fprintf(file, "%s%sreplication %" PRIu32 ", %" PRIu64 " data packets\n", run->label, run->label[0] ? ", " : "",
            run->replication, run->result->packets);
    for (uint32_t from = 0; from < ncolumns; from += COLUMNS) {
        struct columns columns = {from, from + COLUMNS < ncolumns ? from + COLUMNS : ncolumns};
        fputc('\n', file);
        print_names(file, run, columns, "Application", name_cell);
        print_names(file, run, columns, "  kind", app_cell);
        print_metrics(file, run, columns, GROUP_APPLICATION);
        fputc('\n', file);
        print_names(file, run, columns, "TCP", name_cell);
        print_names(file, run, columns, "  cc", cc_cell);
        print_names(file, run, columns, "  recovery", recovery_cell);
        print_metrics(file, run, columns, GROUP_TCP);
    }
    print_links(file, run);
    print_metrics(file, run, (struct columns){nflows, nflows + 1}, GROUP_NETWORK);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void json_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < 0x20)
            fprintf(file, "\\u%04x", *c);
        else
            fprintf(file, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fputc('"', file);
}

static void json_metrics(FILE *file, const double *values)
{
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        fprintf(file, ", \"%s\": ", metric_table[metric].name);
        if (isfinite(values[metric]))
            fprintf(file, "%.17g", values[metric]);
        else
            fputs("null", file);
    }
}

static void json_flows(FILE *file, const struct one_run *run)
{
    fputs(",\n \"flows\": [", file);
    for (uint32_t flow = 0; flow < run->sc->nflows; flow++) {
        fputs(flow ? ",\n  {\"name\": " : "\n  {\"name\": ", file);
        json_text(file, run->sc->flows[flow].name);
        fprintf(file, ", \"app\": \"%s\", \"cc\": \"%s\", \"recovery\": \"%s\"", app_cell(&run->sc->flows[flow]),
                cc_cell(&run->sc->flows[flow]), recovery_cell(&run->sc->flows[flow]));
        json_metrics(file, run->result->flow[flow]);
        fputc('}', file);
    }
    fputc(']', file);
}

static void json_links(FILE *file, const struct one_run *run)
{
    struct usage *usage = count_usage(run);
    fputs(",\n \"links\": [", file);
    for (uint32_t i = 0; usage && i < 2 * run->sc->nlinks; i++) {
        const struct channel_cfg *channel = channel_of(run->sc, i / 2, i % 2);
        fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", file);
        json_text(file, run->sc->links[i / 2].name);
        fprintf(file, ", \"direction\": \"%s\", \"rate\": %.17g, \"delay\": %.12g, \"packets\": %" PRId64,
                direction_names[i % 2], channel->rate_bps, (double)channel->delay_ps / PS_PER_S, usage[i].packets);
        for (int cause = 0; cause < DROP_CAUSES; cause++)
            fprintf(file, ", \"drops_%s\": %" PRId64, drop_cause_names[cause], usage[i].drops[cause]);
        fputc('}', file);
    }
    fputc(']', file);
    free(usage);
}

void one_print_json(FILE *file, const struct one_run *run)
{
    fputs("{\"point\": ", file);
    json_text(file, run->label);
    fprintf(file, ", \"replication\": %" PRIu32 ", \"packets\": %" PRIu64, run->replication, run->result->packets);
    json_metrics(file, run->result->all);
    json_flows(file, run);
    json_links(file, run);
    if (run->meter_ps > 0)
        one_meter_json(file, run);
    fputs("}\n", file);
}
