/* where.c - reads a condition: a recursive descent parser that checks units and names as it goes. */
#include "where.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 100, WORD_BYTES = 128 };

/* Units that can be turned into each other. */
static const unsigned sizes =
    UNIT_BIT(UNIT_BYTES) | UNIT_BIT(UNIT_PACKETS) | UNIT_BIT(UNIT_SEGMENTS) | UNIT_BIT(UNIT_BDP);

struct parser {
    struct sweep *sweep;
    const char *at;
    int depth;
    char *why;
    size_t size;
};

static struct where *parse_or(struct parser *p);

static struct where *fail(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static struct where *fail(struct parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(p->why, p->size, format, args);
    va_end(args);
    return NULL;
}

static struct where *new_node(struct parser *p, enum where_kind kind, const struct where *a, const struct where *b)
{
    struct where *node = arena_alloc(&p->sweep->arena, sizeof *node);
    *node = (struct where){.kind = kind, .a = a, .b = b};
    return node;
}

/* --- words ------------------------------------------------------------------------------------------------------- */

static void skip_spaces(struct parser *p)
{
    p->at += strspn(p->at, " \t\n");
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Length of a key or name: `links.back-bone.queue`; a `-` must have letters or digits on both sides. */
static size_t word_length(const char *text)
{
    size_t n = 0;
    if (!isalpha((unsigned char)*text))
        return 0;
    while (is_word_char(text[n]) || ((text[n] == '.' || text[n] == '-') && is_word_char(text[n + 1])))
        n++;
    return n;
}

/* Steps over a keyword or operator if it is next. */
static bool accept(struct parser *p, const char *token)
{
    size_t length = strlen(token);
    skip_spaces(p);
    if (strncmp(p->at, token, length) != 0 || (isalpha((unsigned char)*token) && word_length(p->at) != length))
        return false;
    p->at += length;
    return true;
}

static bool is_keyword(const char *word)
{
    return strcmp(word, "and") == 0 || strcmp(word, "or") == 0 || strcmp(word, "not") == 0;
}

/* --- values ------------------------------------------------------------------------------------------------------ */

/* Length of the unit behind a number: `%`, or letters with at most one `/s`. */
static size_t unit_length(const char *text)
{
    char word[8];
    if (*text == '%')
        return 1;
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (n < sizeof word) {
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        if (is_keyword(word))
            return 0;
    }
    if (n && strncmp(text + n, "/s", 2) == 0 && !is_word_char(text[n + 2]))
        n += 2;
    return n;
}

static struct where *parse_number(struct parser *p)
{
    char text[WORD_BYTES], why[384];
    size_t digits = units_number_length(p->at);
    size_t spaces = strspn(p->at + digits, " ");
    size_t unit = unit_length(p->at + digits + spaces);
    size_t length = unit ? digits + spaces + unit : digits;
    struct where *node = new_node(p, WHERE_NUMBER, NULL, NULL);
    snprintf(text, sizeof text, "%.*s", (int)length, p->at);
    if (length >= sizeof text || units_parse(text, UNIT_BIT(UNIT_COUNT) - 1, &node->number, why, sizeof why) < 0)
        return fail(p, "`%.60s` is not a number with a unit, expected one such as 10 ms", text);
    p->at += length;
    node->units = UNIT_BIT(node->number.unit);
    return node;
}

/* Mask of the units of a key, 0 for names and booleans. */
static unsigned key_units(const struct param *param)
{
    return param->type == TYPE_START ? UNIT_BIT(UNIT_TIME) : value_units(param->type);
}

static struct where *key_node(struct parser *p, const struct key_ref *ref, const char *word)
{
    struct where *node = new_node(p, WHERE_KEY, NULL, NULL);
    if (ref->param->flags & FLAG_NO_AXIS)
        return fail(p, "`%.60s` is not part of a scenario, expected a key that is", word);
    node->key = *ref;
    node->units = key_units(ref->param);
    node->text = arena_copy(&p->sweep->arena, word, strlen(word));
    return node;
}

/* A key, an axis' short name, or else a name to compare with. */
static struct where *parse_word(struct parser *p, size_t length)
{
    char word[WORD_BYTES], why[900];
    struct key_ref ref;
    const struct sweep *s = p->sweep;
    if (length >= sizeof word)
        return fail(p, "`%.60s` is too long, expected a key", p->at);
    snprintf(word, sizeof word, "%.*s", (int)length, p->at);
    if (is_keyword(word))
        return fail(p, "`%s` where a value should be, expected a key, a number or a name", word);
    p->at += length;
    for (uint32_t i = 0; i < s->naxes; i++)
        if (strcmp(s->coordinates[i].name, word) == 0 && sweep_find_key(s, s->axes[i].key, &ref, why, sizeof why) == 0)
            return key_node(p, &ref, word);
    if (sweep_find_key(s, word, &ref, why, sizeof why) == 0)
        return key_node(p, &ref, word);
    if (strchr(word, '.'))
        return fail(p, "%s: %.600s", word, why);
    struct where *node = new_node(p, WHERE_NAME, NULL, NULL);
    node->text = arena_copy(&p->sweep->arena, word, length);
    return node;
}

static struct where *parse_value(struct parser *p)
{
    skip_spaces(p);
    size_t length = word_length(p->at);
    if (length)
        return parse_word(p, length);
    if (isdigit((unsigned char)*p->at) || *p->at == '.')
        return parse_number(p);
    if (!accept(p, "("))
        return *p->at ? fail(p, "cannot read `%.40s`, expected a key, a number or a name", p->at)
                      : fail(p, "ends too early, expected a key, a number or a name");
    if (++p->depth > DEPTH_MAX)
        return fail(p, "nested too deeply, expected at most %d levels", DEPTH_MAX);
    struct where *node = parse_or(p);
    if (node && !accept(p, ")"))
        return fail(p, "`%.40s` where `)` should be, expected closed parentheses", p->at);
    p->depth--;
    return node;
}

/* --- arithmetic -------------------------------------------------------------------------------------------------- */

/* Whether two numbers can be added or compared. */
static bool fit(unsigned a, unsigned b)
{
    return a & b || (a & sizes && b & sizes) || ((a | b) & UNIT_BIT(UNIT_DERIVED) && (a | b) & UNIT_BIT(UNIT_NONE));
}

static struct where *combine(struct parser *p, enum where_kind kind, const struct where *a, const struct where *b)
{
    struct where *node = new_node(p, kind, a, b);
    if (!a->units || !b->units)
        return fail(p, "arithmetic with what is not a number, expected numbers");
    if (kind == WHERE_PLUS || kind == WHERE_MINUS) {
        if (!fit(a->units, b->units))
            return fail(p, "a sum of different units, expected the same unit on both sides");
        node->units = a->units | b->units;
    } else if (b->units == UNIT_BIT(UNIT_NONE)) {
        node->units = a->units;
    } else if (a->units == UNIT_BIT(UNIT_NONE) && kind == WHERE_TIMES) {
        node->units = b->units;
    } else {
        node->units = UNIT_BIT(UNIT_DERIVED);
    }
    return node;
}

static struct where *parse_product(struct parser *p)
{
    struct where *a = parse_value(p);
    while (a) {
        enum where_kind kind = accept(p, "*") ? WHERE_TIMES : accept(p, "/") ? WHERE_DIVIDE : WHERE_OR;
        if (kind == WHERE_OR)
            break;
        const struct where *b = parse_value(p);
        a = b ? combine(p, kind, a, b) : NULL;
    }
    return a;
}

static struct where *parse_sum(struct parser *p)
{
    struct where *a = parse_product(p);
    while (a) {
        enum where_kind kind = accept(p, "+") ? WHERE_PLUS : accept(p, "-") ? WHERE_MINUS : WHERE_OR;
        if (kind == WHERE_OR)
            break;
        const struct where *b = parse_product(p);
        a = b ? combine(p, kind, a, b) : NULL;
    }
    return a;
}

/* --- conditions -------------------------------------------------------------------------------------------------- */

/* `key == name`: the name must be one that the key can have. */
static struct where *compare_name(struct parser *p, enum where_kind kind, const struct where *key,
                                  const struct where *name)
{
    char why[900];
    struct value value;
    struct where *node = new_node(p, kind == WHERE_EQUAL ? WHERE_NAME_EQUAL : WHERE_NAME_NOT_EQUAL, key, NULL);
    if (kind != WHERE_EQUAL && kind != WHERE_NOT_EQUAL)
        return fail(p, "`%.60s` has no order, expected == or !=", name->text);
    if (value_parse_text(key->key.param, name->text, &p->sweep->arena, &value, why, sizeof why) < 0)
        return fail(p, "%.60s: %.600s", key->text, why);
    node->text = value.canon;
    return node;
}

/* `unlimited` and the like beside a key that has such a word: infinity. */
static void read_word(const struct where *key, struct where *name)
{
    const char *word = key->kind == WHERE_KEY && name->kind == WHERE_NAME ? key->key.param->word : NULL;
    if (!word || strcmp(word, name->text) != 0)
        return;
    name->kind = WHERE_NUMBER;
    name->units = key->units;
    name->number = (struct quantity){INFINITY, UNIT_NONE};
}

static struct where *compare(struct parser *p, enum where_kind kind, struct where *a, struct where *b)
{
    read_word(a, b);
    read_word(b, a);
    if (a->kind == WHERE_KEY && b->kind == WHERE_NAME)
        return compare_name(p, kind, a, b);
    if (a->kind == WHERE_NAME && b->kind == WHERE_KEY)
        return compare_name(p, kind, b, a);
    if (!a->units || !b->units)
        return fail(p, "`%.60s` cannot be compared so, expected a key and a name, or two numbers",
                    a->text   ? a->text
                    : b->text ? b->text
                              : "condition");
    if (!fit(a->units, b->units)) {
        char expected[256];
        units_examples((a->kind == WHERE_KEY ? a : b)->units & (UNIT_BIT(UNIT_COUNT) - 1), expected, sizeof expected);
        return fail(p, "a comparison of different units, expected %s", expected);
    }
    return new_node(p, kind, a, b);
}

/* A lone boolean key is a condition. */
static struct where *as_condition(struct parser *p, struct where *node)
{
    if (node && node->kind == WHERE_KEY && node->key.param->type == TYPE_BOOL) {
        struct where *condition = new_node(p, WHERE_NAME_EQUAL, node, NULL);
        condition->text = "true";
        return condition;
    }
    if (node && node->kind > WHERE_NAME_NOT_EQUAL)
        return fail(p, "a value where a condition should be, expected a comparison such as tcp.mss >= 500 B");
    return node;
}

static struct where *parse_comparison(struct parser *p)
{
    static const struct {
        const char *token;
        enum where_kind kind;
    } operators[] = {{"<=", WHERE_LESS_EQUAL}, {">=", WHERE_MORE_EQUAL}, {"==", WHERE_EQUAL},
                     {"!=", WHERE_NOT_EQUAL},  {"<", WHERE_LESS},        {">", WHERE_MORE}};
    struct where *a = parse_sum(p);
    for (size_t i = 0; a && i < sizeof operators / sizeof *operators; i++)
        if (accept(p, operators[i].token)) {
            struct where *b = parse_sum(p);
            return b ? compare(p, operators[i].kind, a, b) : NULL;
        }
    return a;
}

static struct where *parse_not(struct parser *p)
{
    if (!accept(p, "not"))
        return parse_comparison(p);
    if (++p->depth > DEPTH_MAX)
        return fail(p, "nested too deeply, expected at most %d levels", DEPTH_MAX);
    struct where *a = as_condition(p, parse_not(p));
    p->depth--;
    return a ? new_node(p, WHERE_NOT, a, NULL) : NULL;
}

static struct where *parse_and(struct parser *p)
{
    struct where *a = parse_not(p);
    while (a && accept(p, "and")) {
        a = as_condition(p, a);
        const struct where *b = a ? as_condition(p, parse_not(p)) : NULL;
        a = b ? new_node(p, WHERE_AND, a, b) : NULL;
    }
    return a;
}

static struct where *parse_or(struct parser *p)
{
    struct where *a = parse_and(p);
    while (a && accept(p, "or")) {
        a = as_condition(p, a);
        const struct where *b = a ? as_condition(p, parse_and(p)) : NULL;
        a = b ? new_node(p, WHERE_OR, a, b) : NULL;
    }
    return a;
}

int where_parse(struct sweep *s, const char *text, const struct where **out, char *why, size_t size)
{
    struct parser p = {.sweep = s, .at = text, .why = why, .size = size};
    struct where *node = as_condition(&p, parse_or(&p));
    if (!node)
        return -1;
    skip_spaces(&p);
    if (*p.at) {
        fail(&p, "cannot read on from `%.40s`, expected and, or, or the end", p.at);
        return -1;
    }
    *out = node;
    return 0;
}
