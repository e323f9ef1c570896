/* sweep_netem.c - `netem: "delay 25ms rate 20mbit loss 2%"`: what follows `netem` in a line for tc, as keys of a link.
 *
 * tc-netem(8). Linux's limit counts the packet in service too: limit L is a queue of L - 1 packets, 1000 without a word
 * about it. Units are tc's: rates in bit (kbit, mbit, gbit) or bytes (bps, kbps, mbps, gbps), bare times in
 * microseconds.
 */
#include "sweep_internal.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 32, KEYS_MAX = 16 };

struct line {
    struct sweep *sweep;
    const struct node *node; /* the text */
    const char *key;         /* for messages */
    struct error *err;
    char *word[WORDS_MAX];
    unsigned n, at;
    struct node *map; /* of keys, as if they had been in the file */
    bool has_limit;
};

static int bad(const struct line *l, const char *what, const char *expected)
{
    return sweep_bad(l->sweep, l->node->line, l->key, l->err, "`%.40s`: %s", what, expected);
}

static struct node *scalar(const struct line *l, const char *text)
{
    struct node *node = arena_alloc(&l->sweep->arena, sizeof *node);
    *node = (struct node){.kind = NODE_SCALAR, .line = l->node->line, .text = text};
    return node;
}

static void add_key(struct line *l, const char *key, const char *text)
{
    l->map->keys[l->map->n] = scalar(l, key);
    l->map->items[l->map->n++] = scalar(l, text);
}

/* --- units -------------------------------------------------------------------------------------------------------- */

struct suffix {
    const char *tc, *ours; /* the number is followed by `ours` */
    double factor;
};

static const struct suffix times[] = {{"us", "us", 1}, {"usecs", "us", 1}, {"ms", "ms", 1}, {"msecs", "ms", 1},
                                      {"s", "s", 1},   {"secs", "s", 1},   {"", "us", 1},   {NULL, NULL, 0}};
static const struct suffix rates[] = {
    {"bit", "bit/s", 1},   {"kbit", "kbit/s", 1}, {"mbit", "Mbit/s", 1}, {"gbit", "Gbit/s", 1}, {"bps", "bit/s", 8},
    {"kbps", "kbit/s", 8}, {"mbps", "Mbit/s", 8}, {"gbps", "Gbit/s", 8}, {"", "bit/s", 1},      {NULL, NULL, 0}};
static const struct suffix shares[] = {{"%", "%", 1}, {NULL, NULL, 0}};
static const struct suffix counts[] = {{"", "", 1}, {NULL, NULL, 0}};

/* The next word as a number with one of these suffixes, in our spelling; NULL if it is none. */
static const char *next_quantity(struct line *l, const struct suffix *suffix)
{
    if (l->at == l->n)
        return NULL;
    char *end, *word = l->word[l->at];
    double x = strtod(word, &end);
    if (end == word)
        return NULL;
    while (suffix->tc && strcmp(suffix->tc, end) != 0)
        suffix++;
    if (!suffix->tc)
        return NULL;
    l->at++;
    return arena_format(&l->sweep->arena, "%.15g %s", x * suffix->factor, suffix->ours);
}

/* --- words -------------------------------------------------------------------------------------------------------- */

static int read_delay(struct line *l)
{
    const char *delay = next_quantity(l, times);
    if (!delay)
        return bad(l, "delay", "expected a time behind it, such as `delay 25ms`");
    add_key(l, "delay", delay);
    const char *jitter = next_quantity(l, times), *correlation = jitter ? next_quantity(l, shares) : NULL;
    if (jitter)
        add_key(l, "jitter", jitter);
    if (correlation)
        add_key(l, "jitter_correlation", correlation);
    return 0;
}

static int read_distribution(struct line *l)
{
    const char *law = l->at < l->n ? l->word[l->at] : "";
    if (strcmp(law, "normal") != 0 && strcmp(law, "uniform") != 0)
        return bad(l, "distribution", "expected uniform or normal behind it");
    add_key(l, "jitter_law", l->word[l->at++]);
    return 0;
}

/* gemodel p [r [1-h [1-k]]]: without r 1 - p, lost in the bad state always, in the good one never. */
static int read_gemodel(struct line *l)
{
    static const char *const keys[] = {"gilbert.p", "gilbert.r", "gilbert.loss_bad", "gilbert.loss_good"};
    const char *share = NULL;
    double p = 0;
    unsigned i = 0;
    for (; i < 4 && (share = next_quantity(l, shares)); i++) {
        p = i ? p : strtod(share, NULL);
        add_key(l, keys[i], share);
    }
    if (i == 0)
        return bad(l, "gemodel", "expected a probability behind it, such as `loss gemodel 1% 25%`");
    if (i == 1)
        add_key(l, keys[1], arena_format(&l->sweep->arena, "%.15g %%", 100 - p));
    return 0;
}

static int read_loss(struct line *l)
{
    const char *kind = l->at < l->n ? l->word[l->at] : "";
    if (strcmp(kind, "gemodel") == 0) {
        l->at++;
        return read_gemodel(l);
    }
    l->at += strcmp(kind, "random") == 0;
    const char *share = next_quantity(l, shares);
    if (!share)
        return bad(l, "loss", "expected `loss 2%` or `loss gemodel 1% 25%`");
    add_key(l, "per", share);
    if ((share = next_quantity(l, shares)))
        add_key(l, "per_correlation", share);
    return 0;
}

static void add_limit(struct line *l, const char *limit)
{
    l->has_limit = true;
    add_key(l, "queue", arena_format(&l->sweep->arena, "%.15g packets", strtod(limit, NULL) - 1));
}

static int read_limit(struct line *l)
{
    const char *limit = next_quantity(l, counts);
    if (!limit || strtod(limit, NULL) < 1)
        return bad(l, "limit", "expected a number of packets behind it, such as `limit 1000`");
    add_limit(l, limit);
    return 0;
}

/* Words with one number behind them, and those with a reader of their own. */
static const struct netem_word {
    const char *word;
    int (*read)(struct line *l);
    const char *key;
    const struct suffix *suffix;
    const char *expected;
} words[] = {
    {.word = "delay", .read = read_delay},
    {.word = "latency", .read = read_delay},
    {.word = "distribution", .read = read_distribution},
    {.word = "loss", .read = read_loss},
    {.word = "drop", .read = read_loss},
    {.word = "limit", .read = read_limit},
    {"rate", NULL, "rate", rates, "expected a rate behind it, such as `rate 20mbit`"},
    {"reorder", NULL, "reorder", shares, "expected a share behind it, such as `reorder 25% gap 5`"},
    {"gap", NULL, "reorder_gap", counts, "expected a number of packets behind it, such as `gap 5`"},
};

static int read_number(struct line *l, const struct netem_word *word)
{
    const char *number = next_quantity(l, word->suffix);
    if (!number)
        return bad(l, word->word, word->expected);
    add_key(l, word->key, number);
    return 0;
}

static int read_word(struct line *l)
{
    const char *word = l->word[l->at];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0) {
            if (l->map->n + 4 > KEYS_MAX)
                return bad(l, word, "one word too many, expected each once");
            l->at++;
            return words[i].read ? words[i].read(l) : read_number(l, &words[i]);
        }
    return bad(l, word, "not known, expected delay, distribution, rate, loss, reorder, gap or limit");
}

const struct node *sweep_read_netem(struct sweep *s, const struct node *node, const char *key, struct error *err)
{
    struct line l = {.sweep = s, .node = node, .key = key, .err = err};
    if (node->kind != NODE_SCALAR || !*node->text) {
        sweep_bad(s, node->line, key, err, "%s, expected a text such as \"delay 25ms rate 20mbit loss 2%%\"",
                  yaml_kind(node));
        return NULL;
    }
    char *text = arena_copy(&s->arena, node->text, strlen(node->text)), *rest = text;
    for (char *word = strtok_r(text, " \t", &rest); word && l.n < WORDS_MAX; word = strtok_r(NULL, " \t", &rest))
        l.word[l.n++] = word;
    l.map = arena_alloc(&s->arena, sizeof *l.map);
    *l.map = (struct node){.kind = NODE_MAP, .line = node->line};
    l.map->keys = arena_alloc(&s->arena, (KEYS_MAX + 1) * sizeof *l.map->keys);
    l.map->items = arena_alloc(&s->arena, (KEYS_MAX + 1) * sizeof *l.map->items);
    while (l.at < l.n)
        if (read_word(&l) < 0)
            return NULL;
    if (!l.has_limit)
        add_limit(&l, "1000");
    return l.map;
}
