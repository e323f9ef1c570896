/* yaml.h - a YAML document as a tree that keeps line numbers and each scalar's own text.
 *
 * libyaml reads; what this adds is refusal of what a sweep file never needs: duplicate keys, loops of anchors, deep
 * nesting, several documents.
 */
#ifndef SRC_YAML_H
#define SRC_YAML_H

#include "arena.h"

#include <stdint.h>

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    uint32_t line;       /* 1-based; 0 = not from a file */
    const char *text;    /* scalar */
    uint32_t n;          /* items of a list, pairs of a map */
    struct node **items; /* list items, map values */
    struct node **keys;  /* map: scalars */
};

/* Parses one document. NULL on failure, with the reason and its line. */
struct node *yaml_parse(struct arena *arena, const char *text, size_t size, uint32_t *line, char *why, size_t why_size);

/* Value of a key in a map, or NULL. */
const struct node *yaml_get(const struct node *map, const char *key);

const char *yaml_kind(const struct node *node); /* `a value`, `a list`, `a map` */

#endif
