/* cmd_show.c - `tcpsweep show`: a finished output as tables on the terminal, or as CSV. */
#include "cmd.h"
#include "store.h"
#include "text_table.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 6 }; /* of a pivot that nobody asked for */

/* What one table shows, and in which units. */
struct view {
    const struct store_table *table;
    const char *name; /* of the metric */
    struct table_metric metric;
    struct human_unit unit;
    int decimals;
    const struct table_coordinate *by; /* goes over the columns, or NULL */
    FILE *out;
};

/* --- values ------------------------------------------------------------------------------------------------------ */

static bool is_left_out(const struct view *v, uint64_t point)
{
    return v->table->reasons[point][0] == 0;
}

static double largest_of(const double *values, uint64_t n)
{
    double largest = 0;
    for (uint64_t i = 0; i < n; i++)
        if (isfinite(values[i]) && fabs(values[i]) > largest)
            largest = fabs(values[i]);
    return largest;
}

static double smallest_positive(const double *values, uint64_t n)
{
    double smallest = 0;
    for (uint64_t i = 0; values && i < n; i++)
        if (values[i] > 0 && (smallest == 0 || values[i] < smallest))
            smallest = values[i];
    return smallest;
}

static void fit_unit(struct view *v)
{
    const double largest = largest_of(v->metric.mean, v->table->npoints);
    v->unit = human_unit_for(v->metric.units, largest);
    v->decimals = decimals_for(largest * v->unit.factor,
                               smallest_positive(v->metric.half_width, v->table->npoints) * v->unit.factor);
}

/* Index of a point along a coordinate's dimension; row-major. */
static uint32_t index_along(const struct store_table *table, uint64_t point, uint32_t dimension)
{
    for (uint32_t d = table->ndimensions; --d > dimension;)
        point /= table->lengths[d];
    return (uint32_t)(point % table->lengths[dimension]);
}

static void format_mean(const struct view *v, uint64_t point, char *text, size_t size)
{
    const double mean = v->metric.mean[point] * v->unit.factor;
    if (!isfinite(mean))
        snprintf(text, size, "-");
    else if (v->metric.half_width && isfinite(v->metric.half_width[point]))
        snprintf(text, size, "%.*f ± %.*f", v->decimals, mean, v->decimals,
                 v->metric.half_width[point] * v->unit.factor);
    else
        snprintf(text, size, "%.*f", v->decimals, mean);
}

static struct human_unit coordinate_unit(const struct table_coordinate *c)
{
    return human_unit_for(c->units, c->number ? largest_of(c->number, c->length) : 0);
}

static void format_coordinate(const struct table_coordinate *c, uint32_t index, char *text, size_t size)
{
    if (c->text)
        snprintf(text, size, "%s", c->text[index]);
    else
        snprintf(text, size, "%.6g", c->number[index] * coordinate_unit(c).factor);
}

static void format_title(const char *name, const char *unit, char *text, size_t size)
{
    snprintf(text, size, *unit ? "%s [%s]" : "%s", name, unit);
}

/* --- tables ------------------------------------------------------------------------------------------------------ */

static void add_number(struct text_table *t, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.0f", value);
    text_table_add(t, text);
}

/* Coordinates of a point, those of `by`'s dimension left out. A value that repeats the one above is blank, as long as
 * all to its left do so too; the last is always there. */
static void add_coordinates(const struct view *v, struct text_table *t, uint64_t point, uint64_t *above)
{
    const struct store_table *table = v->table;
    bool repeats = *above != UINT64_MAX;
    for (uint32_t i = 0; i < table->ncoordinates; i++) {
        const struct table_coordinate *c = &table->coordinates[i];
        if (v->by && c->dimension == v->by->dimension)
            continue;
        const uint32_t index = index_along(table, point, c->dimension);
        repeats = repeats && index == index_along(table, *above, c->dimension) && c->dimension + 1 < table->ndimensions;
        char text[256];
        format_coordinate(c, index, text, sizeof text);
        text_table_add(t, repeats ? "" : text);
    }
    *above = point;
}

/* Headers of the coordinates; returns their number. */
static uint32_t count_coordinates(const struct view *v)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->table->ncoordinates; i++)
        n += !v->by || v->table->coordinates[i].dimension != v->by->dimension;
    return n;
}

static void add_coordinate_headers(const struct view *v, struct text_table *t)
{
    for (uint32_t i = 0, column = 0; i < v->table->ncoordinates; i++) {
        const struct table_coordinate *c = &v->table->coordinates[i];
        if (v->by && c->dimension == v->by->dimension)
            continue;
        char text[256];
        format_title(c->name, coordinate_unit(c).name, text, sizeof text);
        text_table_add(t, text);
        if (t->left)
            t->left[column] = c->text != NULL;
        column++;
    }
}

static bool print_list(const struct view *v)
{
    const bool counts = v->metric.n != NULL;
    const uint32_t first = count_coordinates(v);
    struct text_table t;
    char text[256];
    text_table_start(&t, first + (counts ? 3 : 1));
    add_coordinate_headers(v, &t);
    format_title(v->name, v->unit.name, text, sizeof text);
    text_table_add(&t, text);
    if (counts) {
        text_table_add(&t, "n");
        text_table_add(&t, "stopped by");
        if (t.left)
            t.left[first + 2] = true;
    }
    uint64_t above = UINT64_MAX;
    for (uint64_t point = 0; point < v->table->npoints; point++) {
        if (is_left_out(v, point))
            continue;
        add_coordinates(v, &t, point, &above);
        format_mean(v, point, text, sizeof text);
        text_table_add(&t, text);
        if (counts) {
            add_number(&t, v->metric.n[point]);
            text_table_add(&t, v->table->reasons[point]);
        }
    }
    return text_table_print(&t, v->out);
}

/* Points from one index of `by` to the next. */
static uint64_t stride_of(const struct store_table *table, uint32_t dimension)
{
    uint64_t stride = 1;
    for (uint32_t d = dimension + 1; d < table->ndimensions; d++)
        stride *= table->lengths[d];
    return stride;
}

/* One line of a pivot: the points that differ from `point` only along `by`. */
static void add_pivot_row(const struct view *v, struct text_table *t, uint64_t point, uint64_t *above)
{
    const uint64_t stride = stride_of(v->table, v->by->dimension);
    char text[256];
    add_coordinates(v, t, point, above);
    for (uint32_t i = 0; i < v->by->length; i++) {
        format_mean(v, point + i * stride, text, sizeof text);
        text_table_add(t, text);
    }
}

static bool pivot_row_is_empty(const struct view *v, uint64_t point)
{
    const uint64_t stride = stride_of(v->table, v->by->dimension);
    for (uint32_t i = 0; i < v->by->length; i++)
        if (!is_left_out(v, point + i * stride))
            return false;
    return true;
}

static bool print_pivot(const struct view *v)
{
    struct text_table t;
    char text[256], value[256];
    format_title(v->by->name, coordinate_unit(v->by).name, text, sizeof text);
    format_title(v->name, v->unit.name, value, sizeof value);
    fprintf(v->out, "%s, over the columns: %s\n", value, text);
    text_table_start(&t, count_coordinates(v) + v->by->length);
    add_coordinate_headers(v, &t);
    for (uint32_t i = 0; i < v->by->length; i++) {
        format_coordinate(v->by, i, text, sizeof text);
        text_table_add(&t, text);
    }
    uint64_t above = UINT64_MAX;
    for (uint64_t point = 0; point < v->table->npoints; point++)
        if (index_along(v->table, point, v->by->dimension) == 0 && !pivot_row_is_empty(v, point))
            add_pivot_row(v, &t, point, &above);
    return text_table_print(&t, v->out);
}

/* --- CSV --------------------------------------------------------------------------------------------------------- */

static void print_csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"%c" : "%c", *text);
    fputc('"', out);
}

/* Digits that give the same double again; nothing for NaN. */
static void print_csv_number(FILE *out, double value)
{
    char text[32];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    if (isfinite(value))
        fputs(text, out);
}

static void print_csv_row(const struct view *v, uint64_t point)
{
    for (uint32_t i = 0; i < v->table->ncoordinates; i++) {
        const struct table_coordinate *c = &v->table->coordinates[i];
        const uint32_t index = index_along(v->table, point, c->dimension);
        if (c->text)
            print_csv_text(v->out, c->text[index]);
        else
            print_csv_number(v->out, c->number[index]);
        fputc(',', v->out);
    }
    const double *columns[] = {v->metric.mean, v->metric.sd, v->metric.half_width, v->metric.n};
    for (int i = 0; i < 4; i++) {
        if (!columns[i])
            continue;
        print_csv_number(v->out, columns[i][point]);
        fputc(',', v->out);
    }
    fprintf(v->out, "%s\n", v->table->reasons[point]);
}

static bool print_csv(const struct view *v)
{
    for (uint32_t i = 0; i < v->table->ncoordinates; i++)
        fprintf(v->out, "%s,", v->table->coordinates[i].name);
    fprintf(v->out, v->metric.n ? "%s,%s_sd,%s_ci,%s_n,stop_reason\n" : "%s,stop_reason\n", v->name, v->name, v->name,
            v->name);
    for (uint64_t point = 0; point < v->table->npoints; point++)
        if (!is_left_out(v, point))
            print_csv_row(v, point);
    return !ferror(v->out);
}

/* --- the whole --------------------------------------------------------------------------------------------------- */

static const char *or_unknown(const char *text)
{
    return text ? text : "?";
}

static void print_overview(const struct store_table *t, FILE *out)
{
    if (t->title && *t->title)
        fprintf(out, "%s\n", t->title);
    fprintf(out,
            "%" PRIu64 " points, %" PRIu64 " replications, seed %" PRIu64 ", tcpsweep %s (%s), %s, %.1f s of CPU\n\n",
            t->points, t->replications, t->seed, or_unknown(t->version), or_unknown(t->commit),
            or_unknown(t->start_time), t->cpu_s);
}

/* Without --by: the first axis of a few names (algorithms, say) goes over the columns, if there is another axis. */
static const struct table_coordinate *usual_by(const struct store_table *table)
{
    for (uint32_t i = 0; table->ndimensions > 1 && i < table->ncoordinates; i++) {
        const struct table_coordinate *c = &table->coordinates[i];
        if (c->text && c->length > 1 && c->length <= COLUMNS_MOST)
            return c;
    }
    return NULL;
}

static int find_by(struct view *v, const char *by, struct error *err)
{
    if (!by)
        v->by = usual_by(v->table);
    if (!by || strcmp(by, "none") == 0)
        return 0;
    char names[512] = "";
    for (uint32_t i = 0; i < v->table->ncoordinates; i++) {
        const char *name = v->table->coordinates[i].name;
        if (strcmp(name, by) == 0)
            v->by = &v->table->coordinates[i];
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s, ", name);
    }
    if (v->by)
        return 0;
    return error_set(err, EXIT_BAD_INPUT, "by: no axis `%s` in the file, expected one of %snone", by, names);
}

/* Below a pivot, which has no columns for them: replications and why they ended. */
static void print_counts(const struct view *v)
{
    double least = INFINITY, most = 0;
    uint64_t points[STOP_TIME + 1] = {0};
    for (uint64_t point = 0; point < v->table->npoints; point++) {
        if (is_left_out(v, point))
            continue;
        least = fmin(least, v->metric.n[point]);
        most = fmax(most, v->metric.n[point]);
        for (int reason = STOP_TARGET; reason <= STOP_TIME; reason++)
            points[reason] += strcmp(v->table->reasons[point], stop_reason_text[reason]) == 0;
    }
    if (least <= most)
        fprintf(v->out, least < most ? "; n = %.0f to %.0f" : "; n = %.0f", least, most);
    for (int reason = STOP_TARGET; reason <= STOP_TIME; reason++)
        if (points[reason] > 0)
            fprintf(v->out, "; %" PRIu64 " points stopped by %s", points[reason], stop_reason_text[reason]);
}

static bool print_table(const struct view *v)
{
    if (!(v->by ? print_pivot(v) : print_list(v)))
        return false;
    if (!v->metric.half_width)
        return true;
    fprintf(v->out, "mean ± half-width of the %.6g %% confidence interval", 100 * v->table->confidence);
    if (v->by)
        print_counts(v);
    fputc('\n', v->out);
    return true;
}

static int print_view(struct view *v, const char *by, bool csv, bool overview, struct error *err)
{
    if (store_read_metric(v->table, v->name, &v->metric, err))
        return -1;
    int failed = find_by(v, by, err);
    if (!failed) {
        fit_unit(v);
        if (overview && !csv)
            print_overview(v->table, v->out);
        const bool good = csv ? print_csv(v) : print_table(v);
        if (!good || fflush(v->out) != 0)
            failed = error_set(err, EXIT_ENVIRONMENT, "cannot print the table");
    }
    store_metric_free(&v->metric);
    return failed;
}

int show_table(const char *path, const char *metric, const char *by, bool csv, FILE *out, struct error *err)
{
    struct store_table *table;
    if (store_open(&table, path, err))
        return -1;
    struct view view = {.table = table, .name = metric ? metric : "goodput", .out = out};
    const int failed = print_view(&view, by, csv, !metric, err);
    store_close(table);
    return failed;
}

static void print_help(void)
{
    printf(
        "usage: tcpsweep show OUT.h5 [--metric NAME] [--by AXIS] [--csv]\n"
        "Tables of the results. Without --metric: an overview, and goodput.\n\n"
        "  --metric NAME   another metric (tcpsweep list names them), or a model's prediction, model_NAME\n"
        "  --by AXIS       one column for each value of this axis (default: one of up to six names, if there are more\n"
        "                  axes; none: one line a point, with n and why it stopped)\n"
        "  --csv           one line a point, SI values, for other programs\n");
}

static int show_failed(const struct error *err)
{
    fprintf(stderr, "tcpsweep show: %s\n", err->text);
    return (int)err->status;
}

int cmd_show(int argc, char **argv)
{
    static const struct option options[] = {{"metric", required_argument, NULL, 'm'},
                                            {"by", required_argument, NULL, 'b'},
                                            {"csv", no_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *metric = NULL, *by = NULL;
    bool csv = false;
    struct error err;
    opterr = 0;
    for (int letter; (letter = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        switch (letter) {
        case 'm':
            metric = optarg;
            break;
        case 'b':
            by = optarg;
            break;
        case 'c':
            csv = true;
            break;
        case 'h':
            print_help();
            return EXIT_DONE;
        default:
            error_set(&err, EXIT_BAD_INPUT, "%s: %s, see tcpsweep show --help", argv[optind - 1],
                      letter == ':' ? "a value is missing" : "unknown option");
            return show_failed(&err);
        }
    }
    if (optind != argc - 1) {
        error_set(&err, EXIT_BAD_INPUT, "%d arguments, expected one output file, see tcpsweep show --help",
                  argc - optind);
        return show_failed(&err);
    }
    return show_table(argv[optind], metric, by, csv, stdout, &err) ? show_failed(&err) : EXIT_DONE;
}
