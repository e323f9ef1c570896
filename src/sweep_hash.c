/* sweep_hash.c - canonical text of a point, its hash, and the key of its random numbers.
 *
 * One line per key whose value differs from the built-in default, dialects and presets already applied:
 * `links.backbone.ber=9.9999999999999995e-08`. The same physics gives the same text, however the file says it.
 */
#include "sweep_internal.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    const struct sweep *sweep;
    const struct value *const *slots;
    bool random; /* leave out what the random key does not depend on */
    char *text;
    size_t used, size;
    bool failed; /* out of memory */
};

static void put(struct writer *w, const char *text)
{
    size_t length = strlen(text);
    if (w->used + length + 1 > w->size && !w->failed) {
        size_t size = 2 * w->size + length + 1024;
        char *larger = realloc(w->text, size);
        w->failed = !larger;
        if (larger) {
            w->text = larger;
            w->size = size;
        }
    }
    if (w->failed)
        return;
    memcpy(w->text + w->used, text, length + 1);
    w->used += length;
}

static bool same_value(const struct value *a, const struct value *b)
{
    const char *x = a ? a->canon : "", *y = b ? b->canon : "";
    return a == b || strcmp(x, y) == 0;
}

/* A line, unless the value is what it would be without it. */
static void put_value(struct writer *w, const char *section, const char *name, const char *sub, int row,
                      const struct value *value, const struct value *otherwise)
{
    if (same_value(value, otherwise))
        return;
    put(w, section);
    put(w, name);
    put(w, sub);
    put(w, param_table[row].key);
    put(w, "=");
    put(w, value ? value->canon : "");
    put(w, "\n");
}

static bool is_skipped(const struct writer *w, const struct group *group, int row)
{
    return w->random && w->sweep->common_random_numbers &&
           w->sweep->crn_skip[group->base + (uint32_t)(row - group->first)];
}

static void put_window(struct writer *w)
{
    const struct sweep *s = w->sweep;
    const struct group *top = &s->top;
    bool own_from = w->slots[top->base + ROW_measure_from], own_to = w->slots[top->base + ROW_measure_to];
    int from = own_from ? ROW_measure_from : ROW_warmup, to = own_to ? ROW_measure_to : ROW_duration;
    if (!is_skipped(w, top, from))
        put_value(w, "", "", "", ROW_measure_from, sweep_group_value(s, w->slots, top, from), s->fallback[ROW_warmup]);
    if (!is_skipped(w, top, to))
        put_value(w, "", "", "", ROW_measure_to, sweep_group_value(s, w->slots, top, to), NULL);
    if (!is_skipped(w, top, ROW_start_jitter))
        put_value(w, "", "", "", ROW_start_jitter, sweep_group_value(s, w->slots, top, ROW_start_jitter),
                  s->fallback[ROW_start_jitter]);
}

static void put_link(struct writer *w, const struct link_source *link)
{
    const struct sweep *s = w->sweep;
    bool shared = sweep_group_value(s, w->slots, &link->forward, ROW_duplex)->integer;
    for (int i = FIRST_CHANNEL; i < END_LINK; i++) {
        int row = s->order[i];
        bool of_channel = row < END_CHANNEL;
        if (row == ROW_errors || is_skipped(w, &link->forward, row))
            continue;
        const struct value *value = of_channel ? sweep_channel_value(s, w->slots, link, FORWARD, row)
                                               : sweep_group_value(s, w->slots, &link->forward, row);
        put_value(w, "links.", link->name, ".", row, value, s->fallback[row]);
        if (of_channel && !shared && !is_skipped(w, &link->reverse, row))
            put_value(w, "links.", link->name, ".reverse.", row, sweep_channel_value(s, w->slots, link, REVERSE, row),
                      value);
    }
}

static void put_way(struct writer *w, const struct flow_source *flow, enum direction way, const char *name)
{
    put(w, name);
    for (uint16_t i = 0; i < flow->nhops[way]; i++) {
        const struct hop_source *hop = &flow->hops[way][i];
        put(w, " ");
        put(w, w->sweep->links[hop->link].name);
        put(w, hop->private_copy ? "*" : "");
        put(w, hop->direction == REVERSE ? ".reverse" : "");
    }
    put(w, "\n");
}

static void put_flow(struct writer *w, const struct flow_source *flow)
{
    const struct sweep *s = w->sweep;
    put(w, "flows.");
    put(w, flow->name);
    put_way(w, flow, FORWARD, ".via");
    put_way(w, flow, REVERSE, "back");
    for (int i = FIRST_FLOW; i < END_FLOW; i++) {
        int row = s->order[i];
        if (!(param_table[row].flags & FLAG_STRUCTURE) && !is_skipped(w, &flow->own, row))
            put_value(w, "flows.", flow->name, ".", row, sweep_group_value(s, w->slots, &flow->own, row),
                      s->fallback[row]);
    }
    for (int i = FIRST_TCP; i < END_TCP; i++) {
        int row = s->order[i];
        if (!(param_table[row].flags & FLAG_META) && !is_skipped(w, &flow->tcp, row) && !is_skipped(w, &s->tcp, row))
            put_value(w, "flows.", flow->name, ".tcp.", row, sweep_tcp_value(s, w->slots, flow, row), s->fallback[row]);
    }
    for (int i = FIRST_APP; i < END_APP; i++) {
        int row = s->order[i];
        if (!is_skipped(w, &flow->app, row) && !is_skipped(w, &s->app, row))
            put_value(w, "flows.", flow->name, ".app.", row, sweep_app_value(s, w->slots, flow, row), s->fallback[row]);
    }
}

static int compare_links(const void *a, const void *b)
{
    const struct link_source *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

char *sweep_canonical_text(const struct sweep *s, uint64_t point, bool random, size_t *length)
{
    const struct value **slots = malloc(s->nslots * sizeof *slots + s->nlinks * sizeof(struct link_source *));
    if (!slots)
        return NULL;
    const struct link_source **links = (const struct link_source **)(slots + s->nslots);
    struct writer w = {.sweep = s, .slots = slots, .random = random};
    sweep_point_slots(s, point, slots);
    for (uint32_t i = 0; i < s->nlinks; i++)
        links[i] = &s->links[i];
    qsort(links, s->nlinks, sizeof *links, compare_links);
    put_window(&w);
    for (uint32_t i = 0; i < s->nlinks; i++)
        put_link(&w, links[i]);
    for (uint32_t i = 0; i < s->nflows; i++)
        put_flow(&w, &s->flows[i]);
    free(slots);
    if (w.failed) {
        free(w.text);
        return NULL;
    }
    *length = w.used;
    return w.text;
}

static int compare_rows(const void *a, const void *b)
{
    return strcmp(param_table[*(const int *)a].key, param_table[*(const int *)b].key);
}

void sweep_sort_rows(struct sweep *s)
{
    for (int row = 0; row < PARAM_COUNT; row++)
        s->order[row] = row;
    qsort(s->order + FIRST_CHANNEL, END_LINK - FIRST_CHANNEL, sizeof *s->order, compare_rows);
    qsort(s->order + FIRST_FLOW, END_FLOW - FIRST_FLOW, sizeof *s->order, compare_rows);
    qsort(s->order + FIRST_TCP, END_TCP - FIRST_TCP, sizeof *s->order, compare_rows);
    qsort(s->order + FIRST_APP, END_APP - FIRST_APP, sizeof *s->order, compare_rows);
}

static struct hash128 hash_point(const struct sweep *s, uint64_t point, bool random)
{
    size_t length = 0;
    char *text = sweep_canonical_text(s, point, random, &length);
    if (!text) {
        fputs("tcpsweep: out of memory\n", stderr);
        exit(EXIT_ENVIRONMENT);
    }
    XXH128_hash_t hash = XXH3_128bits(text, length);
    free(text);
    return (struct hash128){hash.high64, hash.low64};
}

struct hash128 sweep_point_hash(const struct sweep *s, uint64_t point)
{
    return hash_point(s, point, false);
}

struct hash128 sweep_random_hash(const struct sweep *s, uint64_t point)
{
    return hash_point(s, point, true);
}

struct sim_key sweep_key(const struct sweep *s, struct hash128 hash, uint32_t replication)
{
    uint64_t parts[4] = {s->seed, replication, hash.hi, hash.lo};
    uint64_t key = XXH3_64bits(parts, sizeof parts);
    return (struct sim_key){{(uint32_t)(key >> 32), (uint32_t)key}};
}

struct sim_key sweep_random_key(const struct sweep *s, uint64_t point, uint32_t replication)
{
    return sweep_key(s, sweep_random_hash(s, point), replication);
}
