/* params.c - the table of keys and what messages and `list` say about them. */
#include "params.h"
#include "../kernels/registry.h"
#include "dialects.h"
#include "units.h"
#include "value.h"

#include <stdio.h>
#include <string.h>

static const char *const metric_names[] = {
#define METRIC(name, unit, scope, help) #name,
#include "../kernels/metrics.def"
#undef METRIC
    NULL,
};
static const char *const keep_names[] = {"replications", "points", NULL};
static const char *const errors_names[] = {"both", "forward", "reverse", NULL}; /* enum errors_on */
static const char *const atm_names[] = {"off", "plain", "ppd", "epd", NULL}; /* enum atm_policy */
static const char *const duplex_names[] = {"full", "shared", NULL};
static const char *const wlan_names[] = {"off", "chain", "star", NULL};           /* enum wlan_topology */
static const char *const wlan_hidden_names[] = {"none", "halves", "all", NULL}; /* enum wlan_hidden */
static const char *const wlan_rules_names[] = {"ieee", "ns2", NULL};            /* enum wlan_rules */
static const char *const arq_names[] = {"off", "shortcut", "frame", NULL}; /* enum arq_kind */
static const char *const jitter_law_names[] = {"uniform", "normal", NULL}; /* enum jitter_law */
static const char *const jitter_order_names[] = {"allow", "keep", NULL};   /* enum jitter_order */
static const char *const size_law_names[] = {"fixed", "exponential", "pareto", "lognormal", "empirical", NULL}; /* enum size_law */
static const char *const time_law_names[] = {"fixed", "exponential", "pareto", NULL}; /* enum time_law */
static const char *const up_names[] = {"false", "true", NULL};
static const char *const growth_names[] = {"bytes", "ack", "segments", NULL};       /* enum growth */
static const char *const base_names[] = {"flight", "cwnd", "window", "pipe", NULL}; /* enum ssthresh_base */
static const char *const newreno_names[] = {"impatient", "slow_but_steady", NULL};  /* enum newreno_variant */
static const char *const prr_names[] = {"rfc9937", "rfc6937_ssrb", "rfc6937_crb", "linux", "ns3", NULL}; /* enum prr_variant */
static const char *const rto_names[] = {"rfc6298", "ns2", "linux", "ns2_linux", NULL}; /* enum rto_estimator */
static const char *const vegas_a_diff_names[] = {"int", "real", NULL};              /* enum vegas_a_diff */
static const char *const ecn_names[] = {"off", "classic", "accurate", NULL};        /* enum ecn_kind */
static const char *const stamp_echo_names[] = {"rfc7323", "trigger", NULL};         /* enum stamp_echo */
static const char *const newjersey_names[] = {"seed", "paper", NULL};               /* enum newjersey_mode */
static const char *const sack_format_names[] = {"rfc2018", "compact", NULL};        /* enum sack_format */
static const char *const aqm_names[] = {"none", "mark", "red", "ared", "pie", "codel", "fq_codel", NULL}; /* enum aqm_kind */
static const char *const scheduler_names[] = {"fifo", "priority", NULL};            /* enum scheduler_kind */
static const char *const hystart_names[] = {"off", "linux", "rfc9406", NULL};       /* enum hystart_kind */

/* kernels/pacing.h, kernels/dgc.h */
static const char *const dgc_names[] = {"segments", "bytes", NULL}; /* enum dgc_cwnd */
static const char *const pacing_names[] = {"off", "window", NULL}; /* enum pacing */

#define NO_AXIS FLAG_NO_AXIS
#define ERRORS FLAG_ERRORS
#define META FLAG_META
#define STRUCTURE FLAG_STRUCTURE
#define NO_FIELD NO_OFFSET
#define FIELD(type, member) offsetof(struct type, member)
#define NOTHING .word = NULL
#define WORD(text, value) .word = text, .word_value = value
#define CHOICES(array) .names = array
#define LIST(array) .list = (const void *const *)array

const struct param param_table[PARAM_COUNT] = {
#define SECTION(name)
#define PARAM(id, key_, type_, place, default_, min_, max_, flags_, extra, help_)                                      \
    [ROW_##id] = {.key = key_,                                                                                         \
                  .type = TYPE_##type_,                                                                                \
                  .offset = place,                                                                                     \
                  .fallback = default_,                                                                                \
                  .min = min_,                                                                                         \
                  .max = max_,                                                                                         \
                  .flags = flags_,                                                                                     \
                  .help = help_,                                                                                       \
                  extra},
#include "params.def"
#undef PARAM
#undef SECTION
};

const struct param_section param_sections[] = {
    {"", "top level", FIRST_TOP, END_TOP},
    {"links.NAME.", "link (in `path:` also path.NAME.; both directions, or links.NAME.reverse.)", FIRST_CHANNEL,
     END_LINK},
    {"flows.NAME.", "flow", FIRST_FLOW, END_FLOW},
    {"tcp.", "TCP (all flows, or flows.NAME.tcp.)", FIRST_TCP, END_TCP},
    {"app.", "application (all flows, or flows.NAME.app.)", FIRST_APP, END_APP},
    {"schedule: - ", "entry of a link's schedule", FIRST_STEP, END_STEP},
    {"drops: - ", "entry of a link's drops", FIRST_DROP, END_DROP},
    {NULL, NULL, 0, 0},
};

int param_find(int first, int end, const char *key)
{
    for (int row = first; row < end; row++)
        if (strcmp(param_table[row].key, key) == 0)
            return row;
    return -1;
}

enum { WORD_MAX = 64 }; /* longer words are compared by their first part */

unsigned edit_distance(const char *a, const char *b)
{
    size_t n = strnlen(a, WORD_MAX), m = strnlen(b, WORD_MAX);
    unsigned row[WORD_MAX + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned change = diagonal + (a[i - 1] != b[j - 1]);
            unsigned other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < other ? change : other;
        }
    }
    return row[m];
}

const char *param_nearest(int first, int end, const char *key)
{
    const char *best = param_table[first].key;
    for (int row = first; row < end; row++)
        if (edit_distance(key, param_table[row].key) < edit_distance(key, best))
            best = param_table[row].key;
    return best;
}

/* The i-th of the names that a row takes, or NULL. */
static const char *name_at(const struct param *p, size_t i)
{
    if (p->type == TYPE_DIALECT)
        return i < dialect_count ? dialect_table[i].name : NULL;
    if (p->type == TYPE_ALGORITHM)
        return i < algorithm_count ? algorithm_table[i].name : NULL;
    if (p->list)
        return p->list[i] ? ((const struct item *)p->list[i])->name : NULL;
    return p->names ? p->names[i] : NULL;
}

enum { NAMES_MAX = 16 }; /* more names than that are not written out */

/* Group of `tcpsweep list` that shows the names of a row with too many of them, or NULL. */
static const char *group_of_many(const struct param *p)
{
    const struct {
        const void *names;
        const char *group;
    } groups[] = {{cc_list, "cc"}, {recovery_list, "recovery"}, {metric_names, "metrics"}};
    for (size_t i = 0; i <= NAMES_MAX; i++)
        if (!name_at(p, i))
            return NULL;
    if (p->type == TYPE_ALGORITHM)
        return "algorithms";
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (groups[i].names == (const void *)p->list || groups[i].names == (const void *)p->names)
            return groups[i].group;
    return NULL;
}

const char *param_nearest_name(const struct param *p, const char *text)
{
    const char *best = name_at(p, 0), *name;
    if (!group_of_many(p))
        return NULL;
    for (size_t i = 1; (name = name_at(p, i)) != NULL; i++)
        if (edit_distance(text, name) < edit_distance(text, best))
            best = name;
    return best;
}

/* Appends `word` to text. */
static void append(char *text, size_t size, const char *between, const char *word)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", between, word);
}

static void expect_names(const struct param *p, char *text, size_t size)
{
    const char *name;
    const char *group = group_of_many(p);
    if (group) {
        snprintf(text, size, "one of `tcpsweep list %s`", group);
        return;
    }
    snprintf(text, size, "one of ");
    for (size_t i = 0; (name = name_at(p, i)) != NULL; i++)
        append(text, size, i ? ", " : "", name);
}

void param_expected(const struct param *p, char *text, size_t size)
{
    if (name_at(p, 0)) {
        expect_names(p, text, size);
        return;
    }
    if (p->type == TYPE_COUNT32 || p->type == TYPE_COUNT64)
        snprintf(text, size, "a whole number");
    else if (value_units(p->type))
        units_examples(value_units(p->type), text, size);
    else
        snprintf(text, size, "%s", value_expected(p->type));
    if (p->word) {
        char word[64];
        snprintf(word, sizeof word, "`%s`", p->word);
        append(text, size, " or ", word);
    }
}

void param_range(const struct param *p, char *text, size_t size)
{
    char low[32], high[32];
    *text = 0;
    if (p->max <= p->min)
        return;
    enum unit unit = p->type == TYPE_START ? UNIT_TIME : UNIT_NONE;
    for (int u = 0; u < UNIT_COUNT; u++)
        if (value_units(p->type) == UNIT_BIT(u))
            unit = (enum unit)u;
    units_format((struct quantity){p->min, unit}, low, sizeof low);
    units_format((struct quantity){p->max, unit}, high, sizeof high);
    snprintf(text, size, "%s to %s", low, high);
}
