/* sweep_set.c - --set KEY=V[,V...] on top of what the file says. */
#include "sweep_internal.h"

#include <stdio.h>
#include <string.h>

/* Values that come from the command line have no line. */
static void clear_lines(struct node *node)
{
    node->line = 0;
    for (uint32_t i = 0; i < node->n; i++) {
        clear_lines(node->items[i]);
        if (node->kind == NODE_MAP)
            clear_lines(node->keys[i]);
    }
}

/* The values as a list: `V,V,{a: b}` is read as the YAML list [V,V,{a: b}]. */
static struct node *parse_values(struct sweep *s, const char *key, const char *text, struct error *err)
{
    char why[512];
    uint32_t line;
    const char *list = arena_format(&s->arena, "[%s]", text);
    struct node *node = yaml_parse(&s->arena, list, strlen(list), &line, why, sizeof why);
    if (!node || node->kind != NODE_LIST) {
        sweep_bad(s, 0, key, err, "`%.60s` cannot be read, expected a value or values with commas between", text);
        return NULL;
    }
    clear_lines(node);
    return node;
}

static int replace_axis(struct sweep *s, struct axis *axis, const struct node *values, struct error *err)
{
    struct dimension_source *dimension = &s->dimension_sources[axis->dimension];
    if (dimension->kind != DIMENSION_AXIS)
        return sweep_bad(s, 0, axis->key, err, "part of a %s (line %u), expected a key that changes alone",
                         dimension->kind == DIMENSION_ZIP ? "zip" : "sample", axis->line);
    axis->line = 0;
    if (sweep_read_list(s, values, axis, err) < 0)
        return -1;
    dimension->length = axis->n;
    return 0;
}

static int add_axis(struct sweep *s, const char *key, const struct node *values, struct error *err)
{
    struct dimension_source *dimension = sweep_add_dimension(s, DIMENSION_AXIS, 0, err);
    struct axis *axis = dimension ? sweep_add_axis(s, key, 0, err) : NULL;
    if (!axis || sweep_read_list(s, values, axis, err) < 0)
        return -1;
    dimension->length = axis->n;
    return 0;
}

static int set_value(struct sweep *s, const char *key, const struct key_ref *ref, const struct node *node,
                     struct error *err)
{
    const struct value *value;
    if (sweep_read_value(s, key, node, &value, err) < 0)
        return -1;
    s->base[ref->slot] = value;
    /* `replications: N` in the file does not outlive a --set of its parts, nor they it. */
    if (ref->param >= &param_table[ROW_replications_min] && ref->param <= &param_table[ROW_until_min_events])
        s->base[s->top.base + (ROW_replications - FIRST_TOP)] = NULL;
    return 0;
}

/* Text keys take all that is behind the `=`. */
static int set_text(struct sweep *s, const char *key, const struct key_ref *ref, const char *text, struct error *err)
{
    struct node node = {.kind = NODE_SCALAR, .text = arena_copy(&s->arena, text, strlen(text))};
    return set_value(s, key, ref, &node, err);
}

static int set_special(struct sweep *s, const char *key, const char *text, struct error *err)
{
    const struct node *values;
    if (strcmp(key, "where") == 0) {
        struct node *node = arena_alloc(&s->arena, sizeof *node);
        node->text = arena_copy(&s->arena, text, strlen(text));
        return sweep_read_special(s, key, node, err);
    }
    values = parse_values(s, key, text, err);
    if (!values)
        return -1;
    if (strcmp(key, "models") != 0 && values->n == 1)
        values = values->items[0];
    return sweep_read_special(s, key, values, err);
}

static int apply_set(struct sweep *s, const char *text, struct error *err)
{
    char why[900];
    struct key_ref ref;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return sweep_bad(s, 0, text, err, "not a setting, expected KEY=VALUE");
    const char *key = arena_copy(&s->arena, text, (size_t)(equals - text));
    if (sweep_is_special(key))
        return set_special(s, key, equals + 1, err);
    if (sweep_find_key(s, key, &ref, why, sizeof why) < 0)
        return sweep_bad(s, 0, key, err, "%s", why);
    if (ref.param->type == TYPE_TEXT)
        return set_text(s, key, &ref, equals + 1, err);
    const struct node *values = parse_values(s, key, equals + 1, err);
    if (!values)
        return -1;
    struct axis *axis = sweep_find_axis(s, ref.slot);
    /* A lone {logspace: ...} or {linspace: ...} gives an axis' values. */
    bool is_range =
        values->n == 1 && (yaml_get(values->items[0], "logspace") || yaml_get(values->items[0], "linspace"));
    if (is_range)
        values = values->items[0];
    if (axis)
        return replace_axis(s, axis, values, err);
    if (values->n == 1 && !is_range)
        return set_value(s, key, &ref, values->items[0], err);
    return add_axis(s, key, values, err);
}

int sweep_apply_sets(struct sweep *s, const struct override *sets, uint32_t nsets, struct error *err)
{
    for (uint32_t i = 0; i < nsets; i++)
        if (apply_set(s, sets[i].text, err) < 0)
            return -1;
    return 0;
}
