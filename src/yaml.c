/* yaml.c - libyaml documents into trees. */
#include "yaml.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { DEPTH_MAX = 24, BRACKETS_MAX = 500, NODES_MAX = 300000, KEYS_MAX = 10000 };

struct reader {
    struct arena *arena;
    yaml_document_t *document;
    uint32_t nodes;
    uint32_t *line;
    char *why;
    size_t size;
};

static struct node *fail(struct reader *r, size_t line, const char *why, const char *detail)
{
    *r->line = (uint32_t)line + 1;
    snprintf(r->why, r->size, why, detail);
    return NULL;
}

static struct node *convert(struct reader *r, int index, int depth);

static struct node *convert_list(struct reader *r, const yaml_node_t *from, struct node *node, int depth)
{
    node->kind = NODE_LIST;
    node->n = (uint32_t)(from->data.sequence.items.top - from->data.sequence.items.start);
    node->items = arena_alloc(r->arena, node->n * sizeof *node->items);
    for (uint32_t i = 0; i < node->n; i++)
        if (!(node->items[i] = convert(r, from->data.sequence.items.start[i], depth + 1)))
            return NULL;
    return node;
}

static struct node *convert_map(struct reader *r, const yaml_node_t *from, struct node *node, int depth)
{
    uint32_t n = (uint32_t)(from->data.mapping.pairs.top - from->data.mapping.pairs.start);
    if (n > KEYS_MAX)
        return fail(r, node->line - 1, "a map with too many keys%s, expected at most 10000", "");
    node->kind = NODE_MAP;
    node->items = arena_alloc(r->arena, n * sizeof *node->items);
    node->keys = arena_alloc(r->arena, n * sizeof *node->keys);
    for (uint32_t i = 0; i < n; i++) {
        const yaml_node_pair_t *pair = &from->data.mapping.pairs.start[i];
        struct node *key = convert(r, pair->key, depth + 1);
        if (!key)
            return NULL;
        if (key->kind != NODE_SCALAR)
            return fail(r, key->line - 1, "a key is %s, expected a name", yaml_kind(key));
        if (yaml_get(node, key->text))
            return fail(r, key->line - 1, "%.100s: duplicate key, expected each key once", key->text);
        node->keys[i] = key;
        if (!(node->items[i] = convert(r, pair->value, depth + 1)))
            return NULL;
        node->n++;
    }
    return node;
}

static struct node *convert(struct reader *r, int index, int depth)
{
    const yaml_node_t *from = yaml_document_get_node(r->document, index);
    size_t line = from->start_mark.line;
    if (depth > DEPTH_MAX)
        return fail(r, line, "nested too deeply%s, expected at most 24 levels", "");
    if (++r->nodes > NODES_MAX)
        return fail(r, line, "too many values%s, expected at most 300000", "");
    struct node *node = arena_alloc(r->arena, sizeof *node);
    node->line = (uint32_t)line + 1;
    if (from->type == YAML_SEQUENCE_NODE)
        return convert_list(r, from, node, depth);
    if (from->type == YAML_MAPPING_NODE)
        return convert_map(r, from, node, depth);
    const char *text = (const char *)from->data.scalar.value;
    if (strlen(text) != from->data.scalar.length)
        return fail(r, line, "a value with a zero byte%s, expected text", "");
    node->kind = NODE_SCALAR;
    node->text = arena_copy(r->arena, text, from->data.scalar.length);
    return node;
}

/* libyaml's own complaint, with the line that it means. */
static struct node *parser_problem(struct reader *r, const yaml_parser_t *parser, const char *text, size_t size)
{
    size_t line = parser->problem_mark.line;
    if (parser->error == YAML_READER_ERROR) {
        line = 0;
        for (size_t i = 0; i < size && i < parser->problem_offset; i++)
            line += text[i] == '\n';
    }
    return fail(r, line, "not valid YAML: %s, expected a YAML map of keys",
                parser->problem ? parser->problem : "cannot be read");
}

/* Whether another document follows; a syntax error behind the first one counts as such. */
static int has_more(yaml_parser_t *parser)
{
    yaml_document_t next;
    if (!yaml_parser_load(parser, &next))
        return 1;
    int more = yaml_document_get_root_node(&next) != NULL;
    yaml_document_delete(&next);
    return more;
}

static struct node *read_document(struct reader *r, yaml_parser_t *parser, const char *text, size_t size)
{
    if (!yaml_parser_load(parser, r->document))
        return parser_problem(r, parser, text, size);
    struct node *root = NULL;
    if (!yaml_document_get_root_node(r->document))
        fail(r, 0, "the file is empty%s, expected keys such as `duration:` and `path:`", "");
    else if ((root = convert(r, 1, 0)) && has_more(parser)) {
        size_t line = parser->mark.line;
        root = fail(r, line, "more than one YAML document%s, expected one", "");
    }
    yaml_document_delete(r->document);
    return root;
}

/* libyaml's time grows with the square of the depth of brackets. Quotes and comments do not matter here: no text that
 * is meant has so many more opening than closing ones. Returns the line, or -1. */
static long find_brackets(const char *text, size_t size)
{
    long line = 0, open = 0;
    for (size_t i = 0; i < size; i++) {
        line += text[i] == '\n';
        open += (text[i] == '[' || text[i] == '{') - (text[i] == ']' || text[i] == '}');
        if (open > BRACKETS_MAX)
            return line;
    }
    return -1;
}

struct node *yaml_parse(struct arena *arena, const char *text, size_t size, uint32_t *line, char *why, size_t why_size)
{
    yaml_parser_t parser;
    yaml_document_t document;
    struct reader r = {.arena = arena, .document = &document, .line = line, .why = why, .size = why_size};
    long line_of_brackets = find_brackets(text, size);
    if (line_of_brackets >= 0)
        return fail(&r, (size_t)line_of_brackets, "nested too deeply%s, expected at most 24 levels", "");
    if (!yaml_parser_initialize(&parser))
        return fail(&r, 0, "out of memory%s", "");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    struct node *root = read_document(&r, &parser, text, size);
    yaml_parser_delete(&parser);
    return root;
}

const struct node *yaml_get(const struct node *map, const char *key)
{
    for (uint32_t i = 0; map->kind == NODE_MAP && i < map->n; i++)
        if (strcmp(map->keys[i]->text, key) == 0)
            return map->items[i];
    return NULL;
}

const char *yaml_kind(const struct node *node)
{
    static const char *const words[] = {"a single value", "a list", "a map"};
    return words[node->kind];
}
