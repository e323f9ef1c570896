/* sweep_keys.c - from the full name of a key to its slot. */
#include "sweep_internal.h"

#include <stdio.h>
#include <string.h>

/* Appends the names of all links or flows to a message. */
static void list_links(const struct sweep *s, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < s->nlinks && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", s->links[i].name);
}

static void list_flows(const struct sweep *s, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < s->nflows && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", s->flows[i].name);
}

static bool same(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

int sweep_link_index(const struct sweep *s, const char *name, size_t length)
{
    for (uint32_t i = 0; i < s->nlinks; i++)
        if (same(s->links[i].name, name, length))
            return (int)i;
    return -1;
}

/* If *text begins with prefix, steps over it. */
static bool skip(const char **text, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(*text, prefix, length) != 0)
        return false;
    *text += length;
    return true;
}

static const struct group *find_link(const struct sweep *s, const char **rest, char *why, size_t size)
{
    char names[256] = "no link";
    size_t length = strcspn(*rest, ".");
    int i = sweep_link_index(s, *rest, length);
    if (i < 0) {
        list_links(s, names, sizeof names);
        snprintf(why, size, "unknown link `%.*s`, expected one of %s", (int)(length < 60 ? length : 60), *rest, names);
        return NULL;
    }
    *rest += length + ((*rest)[length] == '.');
    return skip(rest, "reverse.") ? &s->links[i].reverse : &s->links[i].forward;
}

static const struct group *find_flow(const struct sweep *s, const char **rest, char *why, size_t size)
{
    char names[256] = "no flow";
    size_t length = strcspn(*rest, ".");
    for (uint32_t i = 0; i < s->nflows; i++)
        if (same(s->flows[i].name, *rest, length)) {
            *rest += length + ((*rest)[length] == '.');
            return skip(rest, "tcp.") ? &s->flows[i].tcp : skip(rest, "app.") ? &s->flows[i].app : &s->flows[i].own;
        }
    list_flows(s, names, sizeof names);
    snprintf(why, size, "unknown flow `%.*s`, expected one of %s", (int)(length < 60 ? length : 60), *rest, names);
    return NULL;
}

/* The group that a key belongs to; *rest is left at the key's name within it. */
static const struct group *find_group(const struct sweep *s, const char **rest, char *why, size_t size)
{
    if (skip(rest, "tcp."))
        return &s->tcp;
    if (skip(rest, "app."))
        return &s->app;
    if (skip(rest, "links.") || skip(rest, "path."))
        return find_link(s, rest, why, size);
    if (skip(rest, "flows."))
        return find_flow(s, rest, why, size);
    return &s->top;
}

int sweep_find_key(const struct sweep *s, const char *key, struct key_ref *out, char *why, size_t size)
{
    const char *rest = key;
    const struct group *group = find_group(s, &rest, why, size);
    if (!group)
        return -1;
    int row = param_find(group->first, group->end, rest);
    if (row < 0) {
        snprintf(why, size, "unknown key, expected a known one; the nearest is `%s%s%s`", group->prefix,
                 *group->prefix ? "." : "", param_nearest(group->first, group->end, rest));
        return -1;
    }
    *out = (struct key_ref){&param_table[row], group, group->base + (uint32_t)(row - group->first)};
    return 0;
}

bool sweep_is_section(const struct sweep *s, const char *key)
{
    char why[512];
    const char *rest = key;
    const struct group *group = find_group(s, &rest, why, sizeof why);
    if (!group)
        return false;
    size_t length = strlen(rest);
    if (!length || (group->first == FIRST_CHANNEL && group->end == END_LINK && strcmp(rest, "reverse") == 0))
        return true;
    for (int row = group->first; row < group->end; row++) {
        const char *name = param_table[row].key;
        if (strncmp(name, rest, length) == 0 && name[length] == '.')
            return true;
        if ((row == ROW_tcp || row == ROW_app || row == ROW_flow_tcp || row == ROW_flow_app) && strcmp(name, rest) == 0)
            return true;
    }
    return false;
}
