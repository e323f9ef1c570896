/* trace.c - collects trace rows, sorts them, writes them as CSV with names instead of numbers. */
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/flow.h"

const char *const drop_cause_names[DROP_CAUSES] = {
    [CAUSE_QUEUE] = "queue",
    [CAUSE_ERROR] = "error",
    [CAUSE_DOWN] = "down",
    [CAUSE_RETRY] = "retry",
};
const char *const direction_names[2] = {[FORWARD] = "forward", [REVERSE] = "reverse"};

static const char *const state_names[] = {
    [TCP_CLOSED] = "closed",           [TCP_LISTEN] = "listen",
    [TCP_SYN_SENT] = "syn_sent",       [TCP_SYN_RECEIVED] = "syn_received",
    [TCP_ESTABLISHED] = "established", [TCP_FIN_WAIT_1] = "fin_wait_1",
    [TCP_FIN_WAIT_2] = "fin_wait_2",   [TCP_CLOSE_WAIT] = "close_wait",
    [TCP_CLOSING] = "closing",         [TCP_LAST_ACK] = "last_ack",
    [TCP_TIME_WAIT] = "time_wait",
};

/* Which columns an event fills, and how. */
enum { COLUMN_A = 1, COLUMN_B = 2, COLUMN_X = 4, COLUMN_HOP = 8, COLUMN_CAUSE = 16, COLUMN_STATES = 32 };

static const struct {
    const char *name;
    int columns;
} events[] = {
    [TRACE_SEND] = {"send", COLUMN_A | COLUMN_B},
    [TRACE_DROP] = {"drop", COLUMN_A | COLUMN_CAUSE | COLUMN_HOP},
    [TRACE_ACK_DROP] = {"ack_drop", COLUMN_A | COLUMN_CAUSE | COLUMN_HOP},
    [TRACE_DELIVER] = {"deliver", COLUMN_A | COLUMN_B},
    [TRACE_ACK] = {"ack", COLUMN_A | COLUMN_B | COLUMN_X},
    [TRACE_CWND] = {"cwnd", COLUMN_X},
    [TRACE_SSTHRESH] = {"ssthresh", COLUMN_X},
    [TRACE_FAST_RETRANSMIT] = {"fast_retransmit", COLUMN_A},
    [TRACE_TIMEOUT] = {"timeout", COLUMN_A},
    [TRACE_BACKOFF] = {"backoff", COLUMN_A},
    [TRACE_RTT] = {"rtt", COLUMN_X},
    [TRACE_SRTT] = {"srtt", COLUMN_X},
    [TRACE_RTTVAR] = {"rttvar", COLUMN_X},
    [TRACE_RTO] = {"rto", COLUMN_X},
    [TRACE_STATE] = {"state", COLUMN_STATES},
    [TRACE_APP] = {"app", COLUMN_X},
    [TRACE_MARK] = {"mark", COLUMN_A | COLUMN_HOP},
};

static void add_row(void *ctx, const struct trace_row *row)
{
    struct trace *trace = ctx;
    if (row->t_ps > trace->end_ps || trace->out_of_memory)
        return;
    if (trace->count == trace->capacity) {
        uint64_t capacity = trace->capacity ? 2 * trace->capacity : 4096;
        struct trace_entry *entries = realloc(trace->entries, capacity * sizeof *entries);
        if (!entries) {
            trace->out_of_memory = true;
            return;
        }
        trace->entries = entries;
        trace->capacity = capacity;
    }
    trace->entries[trace->count] = (struct trace_entry){.row = *row, .order = trace->count};
    trace->count++;
}

struct sim_trace trace_sink(struct trace *trace)
{
    return (struct sim_trace){.row = add_row, .ctx = trace};
}

static int compare(const void *left, const void *right)
{
    const struct trace_entry *a = left, *b = right;
    if (a->row.t_ps != b->row.t_ps)
        return a->row.t_ps < b->row.t_ps ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

void trace_sort(struct trace *trace)
{
    if (trace->count > 0)
        qsort(trace->entries, trace->count, sizeof *trace->entries, compare);
}

static void write_row(FILE *file, const struct scenario *sc, const struct trace_row *row)
{
    int columns = events[row->event].columns;
    fprintf(file, "%" PRId64 ".%012" PRId64 ",%s,%s,", row->t_ps / PS_PER_S, row->t_ps % PS_PER_S,
            sc->flows[row->flow].name, events[row->event].name);
    if (columns & COLUMN_HOP)
        fprintf(file, "%s,%s,", sc->links[row->hop / 2].name, direction_names[row->hop % 2]);
    else
        fputs(",,", file);
    if (columns & COLUMN_STATES)
        fputs(row->a < 0 ? "" : state_names[row->a], file);
    else if (columns & COLUMN_A)
        fprintf(file, "%" PRId64, row->a);
    fputc(',', file);
    if (columns & COLUMN_STATES)
        fputs(row->b < 0 ? "" : state_names[row->b], file);
    else if (columns & COLUMN_B)
        fprintf(file, "%" PRId64, row->b);
    else if (columns & COLUMN_CAUSE)
        fputs(drop_cause_names[row->b], file);
    fputc(',', file);
    if (columns & COLUMN_X)
        fprintf(file, "%.12g", row->x);
    fputc('\n', file);
}

int trace_write_csv(const struct trace *trace, const struct scenario *sc, const char *path, struct error *err)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return error_set(err, EXIT_BAD_INPUT, "%s: cannot write: %s, expected a file that can be written", path,
                         strerror(errno));
    fputs("t_s,flow,event,link,direction,a,b,x\n", file);
    for (uint64_t i = 0; i < trace->count; i++)
        write_row(file, sc, &trace->entries[i].row);
    int failed = ferror(file);
    if (fclose(file) != 0 || failed)
        return error_set(err, EXIT_ENVIRONMENT, "%s: cannot write: %s", path, strerror(errno));
    return 0;
}

void trace_free(struct trace *trace)
{
    free(trace->entries);
    *trace = (struct trace){.end_ps = trace->end_ps};
}
