/* cmd_models.c - `tcpsweep models`: the analytic models for given parameters, without a simulation. */
#include "cmd.h"

#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/models/models.h"
#include "error.h"
#include "units.h"

enum { VALUES_MAX = 100, LINES_MAX = 10000 };

enum key { KEY_MSS, KEY_HEADER, KEY_RTT, KEY_LOSS, KEY_BER, KEY_WINDOW, KEY_RTO, KEY_RATE, KEYS };

static const struct key_info {
    const char *name, *help;
    unsigned units;
    double standard, min, max;
} key_info[KEYS] = {
    [KEY_MSS] = {"mss", "payload of a segment (1460 B)", UNIT_BIT(UNIT_BYTES), 1460, 1, 1e9},
    [KEY_HEADER] = {"header", "IP, TCP and link header of a packet (40 B)", UNIT_BIT(UNIT_BYTES), 40, 0, 1e6},
    [KEY_RTT] = {"rtt", "round-trip time without queueing (100 ms)", UNIT_BIT(UNIT_TIME), 0.1, 1e-9, 1e6},
    [KEY_LOSS] = {"loss", "packet loss probability (0)", UNIT_BIT(UNIT_NONE), 0, 0, 1},
    [KEY_BER] = {"ber", "bit error rate instead of loss, over segment and header", UNIT_BIT(UNIT_NONE), 0, 0, 0.5},
    [KEY_WINDOW] = {"window", "receive window: `44 segments` or bytes (none)",
                    UNIT_BIT(UNIT_SEGMENTS) | UNIT_BIT(UNIT_BYTES) | UNIT_BIT(UNIT_NONE), INFINITY, 1, 1e15},
    [KEY_RTO] = {"rto", "first timeout T0 (1 s)", UNIT_BIT(UNIT_TIME), 1, 1e-9, 1e6},
    [KEY_RATE] = {"rate", "bottleneck rate (none)", UNIT_BIT(UNIT_RATE), INFINITY, 1, 1e15},
};

struct values {
    struct quantity value[VALUES_MAX];
    char text[VALUES_MAX][32];
    int n;
};

struct request {
    struct values values[KEYS];
    bool delayed_ack;
};

static void print_help(void)
{
    printf(
        "usage: tcpsweep models [--KEY VALUE[,VALUE...]] [--delayed-ack]\n"
        "Goodput by each analytic model, `-` outside a model's range. Several values: one line per combination.\n\n");
    for (int key = 0; key < KEYS; key++)
        printf("  --%-12s %s\n", key_info[key].name, key_info[key].help);
    printf("  --%-12s %s\n", "delayed-ack", "one ACK for two segments, and window growth per ACK");
    printf("\nexample: tcpsweep models --ber 1e-7,1e-6 --window \"44 segments\" --rate \"10 Mbit/s\"\n");
}

/* Reads `VALUE[,VALUE...]` of one key. */
static int read_values(enum key key, const char *list, struct values *out, struct error *err)
{
    const struct key_info *info = &key_info[key];
    char why[512];
    out->n = 0;
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (out->n == VALUES_MAX)
            return error_set(err, EXIT_BAD_INPUT, "--%s: more than %d values", info->name, VALUES_MAX);
        at += strspn(at, " ");
        snprintf(out->text[out->n], sizeof out->text[0], "%.*s", (int)strcspn(at, ","), at);
        struct quantity *value = &out->value[out->n];
        if (units_parse(out->text[out->n], info->units, value, why, sizeof why) < 0)
            return error_set(err, EXIT_BAD_INPUT, "--%s: %s", info->name, why);
        if (!(value->value >= info->min && value->value <= info->max))
            return error_set(err, EXIT_BAD_INPUT, "--%s: `%s` is out of range, expected %g to %g", info->name,
                             out->text[out->n], info->min, info->max);
        out->n++;
    }
    return 0;
}

static int read_options(int argc, char **argv, struct request *request, struct error *err)
{
    enum { OPTION_DELAYED_ACK = KEYS, OPTION_HELP };
    struct option options[KEYS + 3] = {[OPTION_DELAYED_ACK] = {"delayed-ack", no_argument, NULL, OPTION_DELAYED_ACK},
                                       [OPTION_HELP] = {"help", no_argument, NULL, OPTION_HELP}};
    for (int key = 0; key < KEYS; key++)
        options[key] = (struct option){key_info[key].name, required_argument, NULL, key};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == OPTION_HELP)
            return 1;
        if (option == OPTION_DELAYED_ACK)
            request->delayed_ack = true;
        else if (option == '?')
            return error_set(err, EXIT_BAD_INPUT, "`%s` is unknown or lacks its value, see tcpsweep models --help",
                             argv[optind - 1]);
        else if (read_values(option, optarg, &request->values[option], err) < 0)
            return -1;
    }
    if (optind < argc)
        return error_set(err, EXIT_BAD_INPUT, "unexpected `%s`, see tcpsweep models --help", argv[optind]);
    if (request->values[KEY_LOSS].n && request->values[KEY_BER].n)
        return error_set(err, EXIT_BAD_INPUT, "--loss and --ber: expected one of them");
    return 0;
}

/* Value of a key in combination number `line` (the last key fastest), and its place in the key's list. */
static struct quantity value_in(const struct request *request, enum key key, long line, int *place)
{
    for (int later = KEYS - 1; later > (int)key; later--)
        line /= request->values[later].n ? request->values[later].n : 1;
    const struct values *values = &request->values[key];
    *place = values->n ? (int)(line % values->n) : 0;
    return values->n ? values->value[*place] : (struct quantity){key_info[key].standard, UNIT_NONE};
}

static struct model_input input_of(const struct request *request, long line)
{
    struct quantity q[KEYS];
    for (int key = 0, place; key < KEYS; key++)
        q[key] = value_in(request, key, line, &place);
    double mss = q[KEY_MSS].value, header = q[KEY_HEADER].value, window = q[KEY_WINDOW].value;
    return (struct model_input){
        .mss_bytes = mss,
        .header_bytes = header,
        .rtt_s = q[KEY_RTT].value,
        .loss =
            request->values[KEY_BER].n ? model_packet_error_rate(q[KEY_BER].value, mss + header) : q[KEY_LOSS].value,
        .window_segs = floor(q[KEY_WINDOW].unit == UNIT_BYTES ? window / mss : window),
        .acks_per = request->delayed_ack ? 2 : 1,
        .rto_s = q[KEY_RTO].value,
        .link_bps = q[KEY_RATE].value,
    };
}

static void format_goodput(const struct model *model, const struct model_input *in, char *text, size_t size)
{
    double bps = model->goodput_bps(in);
    if (isfinite(bps))
        units_format((struct quantity){bps, UNIT_RATE}, text, size);
    else
        snprintf(text, size, "-");
}

/* One combination: a line a model, with its source. */
static void print_one(const struct request *request)
{
    struct model_input in = input_of(request, 0);
    char text[32];
    printf("packet loss p = %.6g\n\n%-16s %16s  %s\n", in.loss, "model", "goodput", "source");
    for (const struct model *const *model = model_table; *model; model++) {
        format_goodput(*model, &in, text, sizeof text);
        printf("%-16s %16s  %s\n", (*model)->name, text, (*model)->source);
    }
    printf("\n- is outside a model's range: see tcpsweep list models\n");
}

/* Several combinations: a line each, a column per key that varies and per model. */
static void print_lines(const struct request *request, long lines)
{
    char text[32];
    for (int key = 0; key < KEYS; key++)
        if (request->values[key].n > 1)
            printf("%-14s ", key_info[key].name);
    printf("%-12s", "p");
    for (const struct model *const *model = model_table; *model; model++)
        printf(" %15s", (*model)->name);
    printf("\n");
    for (long line = 0; line < lines; line++) {
        struct model_input in = input_of(request, line);
        for (int key = 0, place; key < KEYS; key++) {
            value_in(request, key, line, &place);
            if (request->values[key].n > 1)
                printf("%-14s ", request->values[key].text[place]);
        }
        printf("%-12.6g", in.loss);
        for (const struct model *const *model = model_table; *model; model++) {
            format_goodput(*model, &in, text, sizeof text);
            printf(" %15s", text);
        }
        printf("\n");
    }
}

static int evaluate(const struct request *request, struct error *err)
{
    long lines = 1;
    for (int key = 0; key < KEYS; key++) {
        lines *= request->values[key].n ? request->values[key].n : 1;
        if (lines > LINES_MAX)
            return error_set(err, EXIT_BAD_INPUT, "more than %d combinations", LINES_MAX);
    }
    if (lines == 1)
        print_one(request);
    else
        print_lines(request, lines);
    return 0;
}

int cmd_models(int argc, char **argv)
{
    struct error err;
    struct request *request = calloc(1, sizeof *request);
    if (!request)
        return EXIT_ENVIRONMENT;
    int status = read_options(argc, argv, request, &err);
    if (status > 0)
        print_help();
    if (status == 0)
        status = evaluate(request, &err);
    free(request);
    if (status < 0) {
        fprintf(stderr, "%s\n", err.text);
        return err.status;
    }
    return EXIT_DONE;
}
