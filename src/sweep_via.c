/* sweep_via.c - the links that a flow crosses: `via` and `back`. */
#include "sweep_internal.h"

#include <string.h>

/* `name`, `name*`, `name.reverse`, `name*.forward` ... */
struct hop_word {
    size_t name_length;
    bool private_copy;
    int direction; /* enum direction, -1 = not said */
};

static int split_word(const char *text, struct hop_word *out)
{
    *out = (struct hop_word){.name_length = strcspn(text, "*."), .direction = -1};
    text += out->name_length;
    if (*text == '*') {
        out->private_copy = true;
        text++;
    }
    if (strcmp(text, ".reverse") == 0)
        out->direction = REVERSE;
    else if (strcmp(text, ".forward") == 0)
        out->direction = FORWARD;
    else if (*text)
        return -1;
    return 0;
}

/* Direction of a link of `back` that does not say one: opposite to the way out, FORWARD where the way out avoids it. */
static uint8_t default_direction(const struct flow_source *flow, enum direction way, uint16_t link, bool private_copy)
{
    for (uint16_t i = 0; way == REVERSE && i < flow->nhops[FORWARD]; i++) {
        const struct hop_source *hop = &flow->hops[FORWARD][i];
        if (hop->link == link && hop->private_copy == private_copy)
            return !hop->direction;
    }
    return FORWARD;
}

static int read_hop(struct sweep *s, const struct flow_source *flow, enum direction way, const struct node *node,
                    const char *key, struct hop_source *out, struct error *err)
{
    struct hop_word word;
    if (node->kind != NODE_SCALAR)
        return sweep_bad(s, node->line, key, err, "%s, expected the name of a link", yaml_kind(node));
    if (split_word(node->text, &word) < 0)
        return sweep_bad(s, node->line, key, err, "`%.60s` is not a link, expected name, name*, name.reverse",
                         node->text);
    int link = sweep_link_index(s, node->text, word.name_length);
    if (link < 0) {
        const char *nearest = s->links[0].name;
        for (uint32_t i = 1; i < s->nlinks; i++)
            if (edit_distance(node->text, s->links[i].name) < edit_distance(node->text, nearest))
                nearest = s->links[i].name;
        return sweep_bad(s, node->line, key, err, "unknown link `%.60s`, expected one of `links`; the nearest is `%s`",
                         node->text, nearest);
    }
    s->links[link].used = true;
    out->link = (uint16_t)link;
    out->private_copy = word.private_copy;
    out->direction =
        word.direction >= 0 ? (uint8_t)word.direction : default_direction(flow, way, (uint16_t)link, word.private_copy);
    return 0;
}

static int read_hops(struct sweep *s, struct flow_source *flow, enum direction way, const struct node *list,
                     const char *key, struct error *err)
{
    if (list->kind != NODE_LIST || !list->n)
        return sweep_bad(s, list->line, key, err, "%s, expected a list of links such as [access*, backbone]",
                         list->kind == NODE_LIST ? "an empty list" : yaml_kind(list));
    if (list->n > PATH_MAX_LINKS)
        return sweep_bad(s, list->line, key, err, "%u links, expected at most %d", list->n, PATH_MAX_LINKS);
    flow->hops[way] = arena_alloc(&s->arena, list->n * sizeof *flow->hops[way]);
    flow->nhops[way] = (uint16_t)list->n;
    for (uint32_t i = 0; i < list->n; i++)
        if (read_hop(s, flow, way, list->items[i], key, &flow->hops[way][i], err) < 0)
            return -1;
    return 0;
}

static void mirror(struct sweep *s, struct flow_source *flow)
{
    uint16_t n = flow->nhops[REVERSE] = flow->nhops[FORWARD];
    flow->hops[REVERSE] = arena_alloc(&s->arena, n * sizeof *flow->hops[REVERSE]);
    for (uint16_t i = 0; i < n; i++) {
        flow->hops[REVERSE][i] = flow->hops[FORWARD][n - 1 - i];
        flow->hops[REVERSE][i].direction = !flow->hops[FORWARD][n - 1 - i].direction;
    }
}

/* The flow of `path:`: all links in order. */
static void follow_path(struct sweep *s, struct flow_source *flow)
{
    flow->hops[FORWARD] = arena_alloc(&s->arena, s->nlinks * sizeof *flow->hops[FORWARD]);
    flow->nhops[FORWARD] = (uint16_t)s->nlinks;
    for (uint32_t i = 0; i < s->nlinks; i++) {
        flow->hops[FORWARD][i] = (struct hop_source){(uint16_t)i, FORWARD, false};
        s->links[i].used = true;
    }
    mirror(s, flow);
}

int sweep_read_via(struct sweep *s, struct flow_source *flow, struct error *err)
{
    if (!flow->node) {
        follow_path(s, flow);
        return 0;
    }
    const struct node *via = yaml_get(flow->node, "via"), *back = yaml_get(flow->node, "back");
    const char *key = arena_format(&s->arena, "%s.via", flow->own.prefix);
    if (!via)
        return sweep_bad(s, flow->node->line, key, err,
                         "missing, expected a list of links such as [access*, backbone]");
    if (read_hops(s, flow, FORWARD, via, key, err) < 0)
        return -1;
    if (!back || (back->kind == NODE_SCALAR && strcmp(back->text, "mirror") == 0)) {
        mirror(s, flow);
        return 0;
    }
    key = arena_format(&s->arena, "%s.back", flow->own.prefix);
    if (back->kind != NODE_LIST)
        return sweep_bad(s, back->line, key, err, "%s, expected `mirror` or a list of links",
                         back->kind == NODE_SCALAR ? back->text : yaml_kind(back));
    return read_hops(s, flow, REVERSE, back, key, err);
}
