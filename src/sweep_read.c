/* sweep_read.c - links, flows and plain keys of a sweep file. */
#include "sweep_internal.h"
#include "../analysis/models/models.h"

#include <stdio.h>
#include <string.h>

/* Sections of the file that are not plain keys; those without a reader are read elsewhere. */
static int read_random(struct sweep *s, const struct node *node, struct error *err);
static int read_models(struct sweep *s, const struct node *node, struct error *err);
static int read_where(struct sweep *s, const struct node *node, struct error *err);

static const struct special {
    const char *key;
    int (*read)(struct sweep *s, const struct node *node, struct error *err);
} specials[] = {
    {"path", NULL},          {"links", NULL},  {"flows", NULL},       {"axes", NULL},
    {"zip", NULL},           {"sample", NULL}, {"where", read_where}, {"common_random_numbers", read_random},
    {"models", read_models},
};

static const struct special *find_special(const char *key)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (strcmp(specials[i].key, key) == 0)
            return &specials[i];
    return NULL;
}

bool sweep_is_special(const char *key)
{
    return find_special(key) != NULL;
}

/* --- names and slots --------------------------------------------------------------------------------------------- */

static struct group new_group(struct sweep *s, const char *prefix, int first, int end)
{
    struct group group = {prefix, first, end, s->nslots};
    s->nslots += (uint32_t)(end - first);
    return group;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static int check_name(const struct sweep *s, const struct node *node, const char *key, struct error *err)
{
    if (node->kind != NODE_SCALAR || !*node->text)
        return sweep_bad(s, node->line, key, err, "%s, expected a name", yaml_kind(node));
    size_t length = strlen(node->text);
    if (length > NAME_MAX_LENGTH)
        return sweep_bad(s, node->line, key, err, "`%.60s` is too long, expected at most %d characters", node->text,
                         NAME_MAX_LENGTH);
    if (!strspn(node->text, LETTERS) || strspn(node->text, LETTERS "0123456789_-") < length)
        return sweep_bad(s, node->line, key, err,
                         "`%.60s` is not a name, expected a letter, then letters, digits, `_` and `-`", node->text);
    return 0;
}

static int add_link(struct sweep *s, const struct node *name, const char *section, struct error *err)
{
    if (check_name(s, name, section, err) < 0)
        return -1;
    int before = sweep_link_index(s, name->text, strlen(name->text));
    if (before >= 0)
        return sweep_bad(s, name->line, section, err,
                         "two links are called `%s` (the other on line %u), expected names that differ", name->text,
                         s->links[before].line);
    struct link_source *link = &s->links[s->nlinks++];
    link->name = name->text;
    link->line = name->line;
    const char *prefix = arena_format(&s->arena, "%s.%s", section, name->text);
    link->forward = new_group(s, prefix, FIRST_CHANNEL, END_LINK);
    link->reverse = new_group(s, arena_format(&s->arena, "%s.reverse", prefix), FIRST_CHANNEL, END_CHANNEL);
    return 0;
}

static int check_size(const struct sweep *s, const struct node *node, enum node_kind kind, uint32_t max,
                      const char *key, const char *expected, struct error *err)
{
    if (node->kind != kind)
        return sweep_bad(s, node->line, key, err, "%s, expected %s", yaml_kind(node), expected);
    if (!node->n)
        return sweep_bad(s, node->line, key, err, "empty, expected %s", expected);
    if (node->n > max)
        return sweep_bad(s, node->line, key, err, "%u entries, expected at most %u", node->n, max);
    return 0;
}

static int declare_path_links(struct sweep *s, const struct node *path, struct error *err)
{
    static const char expected[] = "a list of links such as [{name: backbone, rate: 10 Mbit/s, delay: 50 ms}]";
    if (check_size(s, path, NODE_LIST, PATH_MAX_LINKS, "path", expected, err) < 0)
        return -1;
    s->links = arena_alloc(&s->arena, path->n * sizeof *s->links);
    for (uint32_t i = 0; i < path->n; i++) {
        const struct node *link = path->items[i];
        if (link->kind != NODE_MAP)
            return sweep_bad(s, link->line, "path", err,
                             "%s, expected a link such as {name: backbone, rate: 10 Mbit/s}", yaml_kind(link));
        const struct node *name = yaml_get(link, "name");
        if (!name)
            return sweep_bad(s, link->line, "path", err, "a link without `name`, expected {name: backbone, ...}");
        if (add_link(s, name, "path", err) < 0)
            return -1;
    }
    return 0;
}

static void init_flow(struct sweep *s, struct flow_source *flow, const char *name, const struct node *node)
{
    const char *prefix = arena_format(&s->arena, "flows.%s", name);
    flow->name = name;
    flow->node = node;
    flow->own = new_group(s, prefix, FIRST_FLOW, END_FLOW);
    flow->tcp = new_group(s, arena_format(&s->arena, "%s.tcp", prefix), FIRST_TCP, END_TCP);
    flow->app = new_group(s, arena_format(&s->arena, "%s.app", prefix), FIRST_APP, END_APP);
}

static int declare_path(struct sweep *s, const struct node *path, struct error *err)
{
    s->is_path = true;
    if (declare_path_links(s, path, err) < 0)
        return -1;
    s->flows = arena_alloc(&s->arena, sizeof *s->flows);
    s->nflows = 1;
    init_flow(s, s->flows, "flow", NULL);
    return 0;
}

static int declare_links(struct sweep *s, const struct node *links, struct error *err)
{
    static const char expected[] = "a map of links such as {backbone: {rate: 10 Mbit/s, delay: 50 ms}}";
    if (check_size(s, links, NODE_MAP, LINKS_MAX, "links", expected, err) < 0)
        return -1;
    s->links = arena_alloc(&s->arena, links->n * sizeof *s->links);
    for (uint32_t i = 0; i < links->n; i++)
        if (add_link(s, links->keys[i], "links", err) < 0)
            return -1;
    return 0;
}

static int declare_flow(struct sweep *s, const struct node *node, struct error *err)
{
    if (node->kind != NODE_MAP)
        return sweep_bad(s, node->line, "flows", err, "%s, expected a flow such as {name: a, via: [backbone]}",
                         yaml_kind(node));
    const struct node *name = yaml_get(node, "name");
    if (!name)
        return sweep_bad(s, node->line, "flows", err, "a flow without `name`, expected {name: a, via: [...]}");
    if (check_name(s, name, "flows", err) < 0)
        return -1;
    for (uint32_t i = 0; i < s->nflows; i++)
        if (strcmp(s->flows[i].name, name->text) == 0)
            return sweep_bad(s, name->line, "flows", err, "two flows are called `%s`, expected names that differ",
                             name->text);
    init_flow(s, &s->flows[s->nflows++], name->text, node);
    return 0;
}

static int declare_flows(struct sweep *s, const struct node *flows, struct error *err)
{
    static const char expected[] = "a list of flows such as [{name: a, via: [backbone]}]";
    if (check_size(s, flows, NODE_LIST, FLOWS_MAX, "flows", expected, err) < 0)
        return -1;
    s->flows = arena_alloc(&s->arena, flows->n * sizeof *s->flows);
    for (uint32_t i = 0; i < flows->n; i++)
        if (declare_flow(s, flows->items[i], err) < 0)
            return -1;
    return 0;
}

static int declare(struct sweep *s, struct error *err)
{
    const struct node *path = yaml_get(s->root, "path"), *links = yaml_get(s->root, "links"),
                      *flows = yaml_get(s->root, "flows");
    s->top = new_group(s, "", FIRST_TOP, END_TOP);
    s->tcp = new_group(s, "tcp", FIRST_TCP, END_TCP);
    s->app = new_group(s, "app", FIRST_APP, END_APP);
    if (path && (links || flows))
        return sweep_bad(s, path->line, "path", err, "both `path` and `%s` are given, expected one of the two forms",
                         links ? "links" : "flows");
    if (path)
        return declare_path(s, path, err);
    if (!links || !flows)
        return sweep_bad(s, s->root->line,
                         links   ? "flows"
                         : flows ? "links"
                                 : "path",
                         err, "missing, expected `path:`, or `links:` and `flows:`");
    return declare_links(s, links, err) < 0 || declare_flows(s, flows, err) < 0 ? -1 : 0;
}

/* --- values ------------------------------------------------------------------------------------------------------ */

int sweep_read_value(struct sweep *s, const char *key, const struct node *node, const struct value **out,
                     struct error *err)
{
    char why[900];
    struct key_ref ref;
    struct value *value = arena_alloc(&s->arena, sizeof *value);
    if (sweep_find_key(s, key, &ref, why, sizeof why) < 0)
        return sweep_bad(s, node->line, key, err, "%s", why);
    if (ref.param->flags & FLAG_STRUCTURE)
        return sweep_bad(s, node->line, key, err, "%s, expected a map of keys", yaml_kind(node));
    if (value_parse(ref.param, node, &s->arena, value, why, sizeof why) < 0)
        return sweep_bad(s, node->line, key, err, "%s", why);
    *out = value;
    return 0;
}

static int set_base(struct sweep *s, const char *key, const struct node *name, const struct node *node,
                    struct error *err)
{
    char why[900];
    struct key_ref ref;
    const struct value *value;
    if (sweep_find_key(s, key, &ref, why, sizeof why) < 0)
        return sweep_bad(s, name->line, key, err, "%s", why);
    if (sweep_read_value(s, key, node, &value, err) < 0)
        return -1;
    if (s->base[ref.slot])
        return sweep_bad(s, name->line, key, err, "set twice (also on line %u), expected each key once",
                         s->base[ref.slot]->line);
    s->base[ref.slot] = value;
    return 0;
}

/* Keys of a map that `skipped` names are read elsewhere. */
static int read_map(struct sweep *s, const struct node *map, const char *prefix, bool (*skipped)(const char *key),
                    struct error *err)
{
    for (uint32_t i = 0; i < map->n; i++) {
        const struct node *name = map->keys[i], *node = map->items[i];
        if (skipped && skipped(name->text))
            continue;
        const char *key = *prefix ? arena_format(&s->arena, "%s.%s", prefix, name->text) : name->text;
        if (node->kind == NODE_MAP && sweep_is_section(s, key)) {
            if (read_map(s, node, key, NULL, err) < 0)
                return -1;
        } else if (set_base(s, key, name, node, err) < 0) {
            return -1;
        }
    }
    return 0;
}

static bool is_link_special(const char *key)
{
    return strcmp(key, "netem") == 0;
}

static bool is_path_special(const char *key)
{
    return strcmp(key, "name") == 0 || is_link_special(key);
}

/* The keys that a link's `netem` stands for, before those that are written out. */
static int read_netem(struct sweep *s, const struct link_source *link, const struct node *node, struct error *err)
{
    const char *prefix = link->forward.prefix;
    const struct node *text = yaml_get(node, "netem");
    const struct node *keys =
        text ? sweep_read_netem(s, text, arena_format(&s->arena, "%s.netem", prefix), err) : NULL;
    return text ? (keys ? read_map(s, keys, prefix, NULL, err) : -1) : 0;
}

static bool is_flow_special(const char *key)
{
    return strcmp(key, "name") == 0 || strcmp(key, "via") == 0 || strcmp(key, "back") == 0;
}

static int read_links(struct sweep *s, struct error *err)
{
    const struct node *section = yaml_get(s->root, s->is_path ? "path" : "links");
    for (uint32_t i = 0; i < s->nlinks; i++) {
        const struct node *node = section->items[i];
        if (node->kind != NODE_MAP)
            return sweep_bad(s, node->line, s->links[i].forward.prefix, err,
                             "%s, expected a map such as {rate: 10 Mbit/s, delay: 50 ms}", yaml_kind(node));
        if (read_netem(s, &s->links[i], node, err) < 0 ||
            read_map(s, node, s->links[i].forward.prefix, s->is_path ? is_path_special : is_link_special, err) < 0)
            return -1;
    }
    return 0;
}

static int read_flows(struct sweep *s, struct error *err)
{
    for (uint32_t i = 0; i < s->nflows; i++) {
        struct flow_source *flow = &s->flows[i];
        if (flow->node && read_map(s, flow->node, flow->own.prefix, is_flow_special, err) < 0)
            return -1;
        if (sweep_read_via(s, flow, err) < 0)
            return -1;
    }
    for (uint32_t i = 0; i < s->nlinks; i++)
        if (!s->links[i].used)
            return sweep_bad(s, s->links[i].line, s->links[i].forward.prefix, err,
                             "no flow uses this link, expected it in the `via` of a flow");
    return 0;
}

/* --- sections with readers of their own -------------------------------------------------------------------------- */

static int read_random(struct sweep *s, const struct node *node, struct error *err)
{
    static const char key[] = "common_random_numbers";
    struct value on;
    char why[900];
    struct key_ref ref;
    if (node->kind == NODE_MAP)
        return sweep_bad(s, node->line, key, err, "a map, expected true, false or a list of keys");
    if (node->kind == NODE_SCALAR) {
        if (value_parse(&param_table[ROW_compress], node, &s->arena, &on, why, sizeof why) < 0)
            return sweep_bad(s, node->line, key, err, "%s", why);
        s->common_random_numbers = on.integer;
        return 0;
    }
    s->common_random_numbers = true;
    for (uint32_t i = 0; i < node->n; i++) {
        const struct node *item = node->items[i];
        if (item->kind != NODE_SCALAR)
            return sweep_bad(s, item->line, key, err, "%s, expected a key", yaml_kind(item));
        if (sweep_find_key(s, item->text, &ref, why, sizeof why) < 0)
            return sweep_bad(s, item->line, item->text, err, "%s", why);
        if (ref.param->flags & FLAG_NO_AXIS)
            return sweep_bad(s, item->line, item->text, err, "not a key of the scenario, expected one that is");
        s->crn_skip[ref.slot] = true;
    }
    return 0;
}

/* Name of a model as its table has it, or NULL with the known ones in `names`. */
static const char *find_model(const char *name, char *names, size_t size)
{
    size_t used = 0;
    *names = 0;
    for (const struct model *const *model = model_table; *model && used < size; model++) {
        if (strcmp((*model)->name, name) == 0)
            return (*model)->name;
        used += (size_t)snprintf(names + used, size - used, "%s%s", used ? ", " : "", (*model)->name);
    }
    return NULL;
}

static int read_models(struct sweep *s, const struct node *node, struct error *err)
{
    char names[512];
    if (node->kind != NODE_LIST)
        return sweep_bad(s, node->line, "models", err, "%s, expected a list of models", yaml_kind(node));
    s->models = arena_alloc(&s->arena, (node->n + 1) * sizeof *s->models);
    s->nmodels = node->n;
    for (uint32_t i = 0; i < node->n; i++) {
        const struct node *item = node->items[i];
        if (item->kind != NODE_SCALAR)
            return sweep_bad(s, item->line, "models", err, "%s, expected a name", yaml_kind(item));
        s->models[i] = find_model(item->text, names, sizeof names);
        if (!s->models[i])
            return sweep_bad(s, item->line, "models", err, "unknown model `%.60s`, expected one of %s", item->text,
                             names);
    }
    return 0;
}

static int read_where(struct sweep *s, const struct node *node, struct error *err)
{
    if (node->kind != NODE_SCALAR)
        return sweep_bad(s, node->line, "where", err, "%s, expected a condition such as `tcp.mss >= 500 B`",
                         yaml_kind(node));
    s->where_node = node; /* parsed when the axes are known */
    return 0;
}

int sweep_read_special(struct sweep *s, const char *key, const struct node *node, struct error *err)
{
    const struct special *special = find_special(key);
    return special->read ? special->read(s, node, err)
                         : sweep_bad(s, node->line, key, err, "a whole section, expected one of its keys");
}

int sweep_read(struct sweep *s, struct error *err)
{
    if (declare(s, err) < 0)
        return -1;
    s->base = arena_alloc(&s->arena, s->nslots * sizeof *s->base);
    s->crn_skip = arena_alloc(&s->arena, s->nslots * sizeof *s->crn_skip);
    if (read_map(s, s->root, "", sweep_is_special, err) < 0 || read_links(s, err) < 0 || read_flows(s, err) < 0)
        return -1;
    for (uint32_t i = 0; i < s->root->n; i++) {
        const struct special *special = find_special(s->root->keys[i]->text);
        if (special && special->read && special->read(s, s->root->items[i], err) < 0)
            return -1;
    }
    return 0;
}
