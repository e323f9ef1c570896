/* where_eval.c - whether a point meets a condition. */
#include "where.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct point {
    const struct sweep *sweep;
    const struct value **slots;
    uint64_t index;
    struct scenario *scenario; /* built when a comparison needs sizes of packets or the base RTT */
};

/* The link whose key an expression names first, or NULL. */
static const struct key_ref *find_link_key(const struct where *w)
{
    if (!w)
        return NULL;
    if (w->kind == WHERE_KEY)
        return w->key.group->first == FIRST_CHANNEL ? &w->key : NULL;
    const struct key_ref *left = find_link_key(w->a);
    return left ? left : find_link_key(w->b);
}

/* Rate that a bdp is about. */
static double link_rate(struct point *p, const struct where *comparison)
{
    const struct key_ref *ref = find_link_key(comparison);
    if (ref) {
        struct key_ref rate = {&param_table[ROW_rate], ref->group, 0};
        const struct value *value = sweep_key_value(p->sweep, p->slots, &rate);
        if (value)
            return value->number;
    }
    struct hop_ref hop = scenario_bottleneck(p->scenario);
    return p->scenario->links[hop.link].channel[hop.direction].rate_bps;
}

/* A size in bytes. */
static double bytes_of(struct point *p, struct quantity q, const struct where *comparison)
{
    const struct tcp_cfg *tcp = &p->scenario->flows[0].tcp;
    switch (q.unit) {
    case UNIT_SEGMENTS:
        return q.value * tcp->mss_bytes;
    case UNIT_PACKETS:
        return q.value * (tcp->mss_bytes + tcp->header_bytes + (tcp->timestamps ? tcp->timestamp_bytes : 0));
    case UNIT_BDP:
        return q.value * link_rate(p, comparison) / 8 * ((double)scenario_base_rtt_ps(p->scenario, 0) / 1e12);
    default:
        return q.value;
    }
}

static bool is_size(enum unit unit)
{
    return unit == UNIT_BYTES || unit == UNIT_PACKETS || unit == UNIT_SEGMENTS || unit == UNIT_BDP;
}

/* Brings two quantities to one unit. Without a scenario (its settings do not fit together, which is reported when it is
 * built to run) they stay as they are. */
static void unify(struct point *p, struct quantity *a, struct quantity *b, const struct where *comparison)
{
    struct error err;
    if (a->unit == b->unit || !is_size(a->unit) || !is_size(b->unit))
        return;
    if (!p->scenario)
        p->scenario = sweep_scenario(p->sweep, p->index, &err);
    if (!p->scenario)
        return;
    *a = (struct quantity){bytes_of(p, *a, comparison), UNIT_BYTES};
    *b = (struct quantity){bytes_of(p, *b, comparison), UNIT_BYTES};
}

static struct quantity key_number(struct point *p, const struct where *w)
{
    const struct value *value = sweep_key_value(p->sweep, p->slots, &w->key);
    if (!value)
        return (struct quantity){NAN, UNIT_NONE};
    if (value->is_word)
        return (struct quantity){INFINITY, UNIT_NONE};
    return (struct quantity){value_si(w->key.param, value), value->unit};
}

static struct quantity number(struct point *p, const struct where *w, const struct where *comparison)
{
    if (w->kind == WHERE_NUMBER)
        return w->number;
    if (w->kind == WHERE_KEY)
        return key_number(p, w);
    struct quantity a = number(p, w->a, comparison), b = number(p, w->b, comparison);
    if (w->kind == WHERE_PLUS || w->kind == WHERE_MINUS) {
        unify(p, &a, &b, comparison);
        return (struct quantity){w->kind == WHERE_PLUS ? a.value + b.value : a.value - b.value, a.unit};
    }
    enum unit unit = b.unit == UNIT_NONE ? a.unit : a.unit == UNIT_NONE ? b.unit : (enum unit)UNIT_DERIVED;
    return (struct quantity){w->kind == WHERE_TIMES ? a.value * b.value : a.value / b.value, unit};
}

static bool compare(struct point *p, const struct where *w)
{
    struct quantity a = number(p, w->a, w), b = number(p, w->b, w);
    unify(p, &a, &b, w);
    switch (w->kind) {
    case WHERE_LESS:
        return a.value < b.value;
    case WHERE_LESS_EQUAL:
        return a.value <= b.value;
    case WHERE_MORE:
        return a.value > b.value;
    case WHERE_MORE_EQUAL:
        return a.value >= b.value;
    case WHERE_EQUAL:
        return a.value == b.value;
    default:
        return a.value != b.value;
    }
}

static bool holds(struct point *p, const struct where *w)
{
    const struct value *value;
    switch (w->kind) {
    case WHERE_OR:
        return holds(p, w->a) || holds(p, w->b);
    case WHERE_AND:
        return holds(p, w->a) && holds(p, w->b);
    case WHERE_NOT:
        return !holds(p, w->a);
    case WHERE_NAME_EQUAL:
    case WHERE_NAME_NOT_EQUAL:
        value = sweep_key_value(p->sweep, p->slots, &w->a->key);
        return (value && strcmp(value->canon, w->text) == 0) == (w->kind == WHERE_NAME_EQUAL);
    default:
        return compare(p, w);
    }
}

bool where_holds(const struct sweep *s, uint64_t index)
{
    struct point p = {.sweep = s, .index = index, .slots = malloc(s->nslots * sizeof *p.slots)};
    if (!p.slots)
        return true;
    sweep_point_slots(s, index, p.slots);
    bool result = holds(&p, s->where);
    free(p.scenario);
    free(p.slots);
    return result;
}
