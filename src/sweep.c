/* sweep.c - loads a sweep file and answers questions about it. */
#include "sweep_internal.h"
#include "where.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 16 << 20 }; /* bytes */

int sweep_bad(const struct sweep *s, uint32_t line, const char *key, struct error *err, const char *format, ...)
{
    char text[960];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!line)
        return error_set(err, EXIT_BAD_INPUT, "--set %.100s: %s", key, text);
    return error_set(err, EXIT_BAD_INPUT, "%s:%u: %.100s: %s", s->path, line, key, text);
}

/* --- loading ----------------------------------------------------------------------------------------------------- */

/* Reads to the end of the file, or one byte more than is allowed. NULL when out of memory. */
static char *read_all(FILE *file, size_t *size)
{
    char *buffer = NULL;
    size_t room = 0;
    for (*size = 0; !feof(file) && !ferror(file) && *size <= FILE_MAX;) {
        room = room ? 2 * room : 65536;
        char *larger = realloc(buffer, room);
        if (!larger) {
            free(buffer);
            return NULL;
        }
        buffer = larger;
        *size += fread(buffer + *size, 1, room - *size, file);
    }
    return buffer;
}

static int read_stream(struct sweep *s, FILE *file, struct error *err)
{
    size_t size;
    char *buffer = read_all(file, &size);
    int failed = ferror(file) ? errno : 0;
    if (!buffer)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory");
    if (!failed && size <= FILE_MAX) {
        s->text = arena_copy(&s->arena, buffer, size);
        s->text_size = size;
    }
    free(buffer);
    if (failed)
        return error_set(err, EXIT_BAD_INPUT, "%s: cannot be read (%s), expected a sweep file", s->path,
                         strerror(failed));
    if (size > FILE_MAX)
        return error_set(err, EXIT_BAD_INPUT, "%s: larger than 16 MiB, expected a sweep file", s->path);
    return 0;
}

static int read_file(struct sweep *s, struct error *err)
{
    struct stat info;
    FILE *file = fopen(s->path, "rb");
    if (!file)
        return error_set(err, EXIT_BAD_INPUT, "%s: cannot be opened (%s), expected a sweep file", s->path,
                         strerror(errno));
    int result = fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)
                     ? error_set(err, EXIT_BAD_INPUT, "%s: a directory, expected a sweep file", s->path)
                     : read_stream(s, file, err);
    fclose(file);
    return result;
}

static int parse_file(struct sweep *s, struct error *err)
{
    char why[512];
    uint32_t line = 1;
    s->root = yaml_parse(&s->arena, s->text, s->text_size, &line, why, sizeof why);
    if (!s->root)
        return error_set(err, EXIT_BAD_INPUT, "%s:%u: %s", s->path, line, why);
    if (s->root->kind != NODE_MAP)
        return error_set(err, EXIT_BAD_INPUT, "%s:%u: %s, expected a map of keys such as `duration:` and `path:`",
                         s->path, s->root->line, yaml_kind(s->root));
    return 0;
}

/* Defaults of all rows. What cannot be read here is a defect of the tables. */
static int read_defaults(struct sweep *s, struct error *err)
{
    char why[900];
    for (int row = 0; row < PARAM_COUNT; row++) {
        if (!param_table[row].fallback)
            continue;
        struct value *value = arena_alloc(&s->arena, sizeof *value);
        if (value_parse_text(&param_table[row], param_table[row].fallback, &s->arena, value, why, sizeof why) < 0)
            return error_set(err, EXIT_ENVIRONMENT, "built-in default of %s: %s", param_table[row].key, why);
        s->fallback[row] = value;
    }
    s->tcp_defaults = dialects_resolve(&s->arena, why, sizeof why);
    return s->tcp_defaults ? 0 : error_set(err, EXIT_ENVIRONMENT, "%s", why);
}

/* A value that a key has in the file or on an axis, or NULL. */
static const struct value *given(struct sweep *s, const struct group *group, int row)
{
    uint32_t slot = group->base + (uint32_t)(row - group->first);
    const struct axis *axis = sweep_find_axis(s, slot);
    return axis ? axis->values : s->base[slot];
}

static int check_required(struct sweep *s, struct error *err)
{
    const struct value *from = given(s, &s->top, ROW_measure_from);
    if (!given(s, &s->top, ROW_duration) && !given(s, &s->top, ROW_measure_to))
        return sweep_bad(s, s->root->line, "duration", err, "missing, expected a time such as `100 s`");
    if (from && given(s, &s->top, ROW_warmup))
        return sweep_bad(s, from->line, "measure.from", err, "given beside `warmup`, expected one of them");
    for (uint32_t i = 0; i < s->nlinks; i++) {
        const struct link_source *link = &s->links[i];
        if (!given(s, &link->forward, ROW_rate))
            return sweep_bad(s, link->line, arena_format(&s->arena, "%s.rate", link->forward.prefix), err,
                             "missing, expected a rate such as `10 Mbit/s`");
    }
    return 0;
}

static const struct value *top_value(const struct sweep *s, int row)
{
    const struct value *value = s->base[s->top.base + (uint32_t)(row - FIRST_TOP)];
    return value ? value : s->fallback[row];
}

static int finish_rule(struct sweep *s, struct error *err)
{
    const struct value *fixed = top_value(s, ROW_replications), *min = top_value(s, ROW_replications_min),
                       *max = top_value(s, ROW_replications_max);
    s->rule = (struct replication_rule){.min = (uint32_t)(fixed ? fixed : min)->integer,
                                        .max = (uint32_t)(fixed ? fixed : max)->integer,
                                        .metric = (enum metric)top_value(s, ROW_until_metric)->integer,
                                        .half_width = top_value(s, ROW_until_half_width)->number,
                                        .confidence = top_value(s, ROW_until_confidence)->number,
                                        .min_events = (uint32_t)top_value(s, ROW_until_min_events)->integer};
    s->seed = (uint64_t)top_value(s, ROW_seed)->integer;
    if (s->rule.min <= s->rule.max)
        return 0;
    /* Where only one of the two is given, it moves the other one's default. */
    if (min == s->fallback[ROW_replications_min])
        s->rule.min = s->rule.max;
    else if (max == s->fallback[ROW_replications_max])
        s->rule.max = s->rule.min;
    else
        return sweep_bad(s, min->line, "replications.min", err, "%u is more than the maximum %u, expected at most that",
                         s->rule.min, s->rule.max);
    return 0;
}

/* tcp.* is not part of the random key under common_random_numbers. */
static void mark_tcp(struct sweep *s)
{
    memset(s->crn_skip + s->tcp.base, true, TCP_ROWS * sizeof *s->crn_skip);
    for (uint32_t i = 0; i < s->nflows; i++)
        memset(s->crn_skip + s->flows[i].tcp.base, true, TCP_ROWS * sizeof *s->crn_skip);
}

static int finish_where(struct sweep *s, struct error *err)
{
    char why[900];
    if (s->where_node && where_parse(s, s->where_node->text, &s->where, why, sizeof why) < 0)
        return sweep_bad(s, s->where_node->line, "where", err, "%s", why);
    return 0;
}

/* `name:`, or the file's name without folder and ending. */
static const char *choose_name(struct sweep *s)
{
    const struct value *name = top_value(s, ROW_name);
    if (name)
        return name->text;
    const char *slash = strrchr(s->path, '/');
    const char *base = slash ? slash + 1 : s->path;
    const char *dot = strrchr(base, '.');
    return arena_copy(&s->arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

/* An output keeps the sweep's text without the files that it names; this line at its end says where they are. */
static const char FILES_LINE[] = "\n# files are relative to ";

static void find_folder(struct sweep *s)
{
    const char *line = strstr(s->text, FILES_LINE), *slash = strrchr(s->path, '/');
    if (line) {
        line += sizeof FILES_LINE - 1;
        s->arena.folder = arena_copy(&s->arena, line, strcspn(line, "\n"));
    } else if (slash) {
        s->arena.folder = arena_copy(&s->arena, s->path, (size_t)(slash - s->path));
    }
}

static void note_folder(struct sweep *s)
{
    if (!s->arena.has_files || strstr(s->text, FILES_LINE))
        return;
    char *folder = realpath(s->arena.folder ? s->arena.folder : ".", NULL);
    if (folder)
        s->text = arena_format(&s->arena, "%s%s%s\n", s->text, FILES_LINE, folder);
    free(folder);
    s->text_size = strlen(s->text);
}

static int load(struct sweep *s, const struct override *sets, uint32_t nsets, struct error *err)
{
    if (!s->text && read_file(s, err) < 0)
        return -1;
    find_folder(s);
    if (parse_file(s, err) < 0 || read_defaults(s, err) < 0 || sweep_read(s, err) < 0 || sweep_read_axes(s, err) < 0 ||
        sweep_apply_sets(s, sets, nsets, err) < 0 || check_required(s, err) < 0 || sweep_finish_axes(s, err) < 0 ||
        finish_rule(s, err) < 0 || finish_where(s, err) < 0)
        return -1;
    mark_tcp(s);
    note_folder(s);
    s->name = choose_name(s);
    return 0;
}

/* text: of the sweep file; NULL: read the file at path. */
static int create(struct sweep **out, const char *path, const char *text, const struct override *sets, uint32_t nsets,
                  struct error *err)
{
    struct sweep *s = calloc(1, sizeof *s);
    if (!s)
        return error_set(err, EXIT_ENVIRONMENT, "out of memory");
    s->path = arena_copy(&s->arena, path, strlen(path));
    if (text) {
        s->text_size = strlen(text);
        s->text = arena_copy(&s->arena, text, s->text_size);
    }
    sweep_sort_rows(s);
    if (load(s, sets, nsets, err) < 0) {
        sweep_free(s);
        return -1;
    }
    *out = s;
    return 0;
}

int sweep_load(struct sweep **out, const char *path, const struct override *sets, uint32_t nsets, struct error *err)
{
    return create(out, path, NULL, sets, nsets, err);
}

int sweep_load_text(struct sweep **out, const char *name, const char *text, struct error *err)
{
    return create(out, name, text, NULL, 0, err);
}

void sweep_free(struct sweep *s)
{
    if (!s)
        return;
    arena_free(&s->arena);
    free(s);
}

/* --- questions --------------------------------------------------------------------------------------------------- */

const char *sweep_text(const struct sweep *s)
{
    return s->text;
}

const char *sweep_name(const struct sweep *s)
{
    return s->name;
}

const char *sweep_title(const struct sweep *s)
{
    const struct value *title = top_value(s, ROW_title);
    return title ? title->text : s->name;
}

uint64_t sweep_seed(const struct sweep *s)
{
    return s->seed;
}

void sweep_set_seed(struct sweep *s, uint64_t seed)
{
    s->seed = seed;
}

const struct replication_rule *sweep_replications(const struct sweep *s)
{
    return &s->rule;
}

void sweep_set_replications(struct sweep *s, uint32_t n)
{
    s->rule.min = s->rule.max = n;
}

bool sweep_keep_replications(const struct sweep *s)
{
    return top_value(s, ROW_keep)->integer == 0;
}

bool sweep_keep_journal(const struct sweep *s)
{
    return top_value(s, ROW_keep_journal)->integer;
}

bool sweep_compress(const struct sweep *s)
{
    return top_value(s, ROW_compress)->integer;
}

const char *const *sweep_models(const struct sweep *s, uint32_t *n)
{
    *n = s->nmodels;
    return s->models;
}

uint32_t sweep_ndimensions(const struct sweep *s)
{
    return s->ndimensions;
}

const struct dimension *sweep_dimensions(const struct sweep *s)
{
    return s->dimensions;
}

uint32_t sweep_ncoordinates(const struct sweep *s)
{
    return s->naxes;
}

const struct coordinate *sweep_coordinates(const struct sweep *s)
{
    return s->coordinates;
}

uint64_t sweep_npoints(const struct sweep *s)
{
    return s->npoints;
}

bool sweep_point_selected(const struct sweep *s, uint64_t point)
{
    return !s->where || where_holds(s, point);
}

void sweep_point_label(const struct sweep *s, uint64_t point, char *text, size_t size)
{
    size_t used = 0;
    uint32_t index[DIMENSIONS_MAX];
    for (uint32_t d = s->ndimensions; d-- > 0; point /= s->dimensions[d].length)
        index[d] = (uint32_t)(point % s->dimensions[d].length);
    if (size)
        *text = 0;
    for (uint32_t i = 0; i < s->naxes && used < size; i++) {
        const struct coordinate *c = &s->coordinates[i];
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s=%s", i ? " " : "", c->name, c->text[index[c->dimension]]);
    }
}
