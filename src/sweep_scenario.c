/* sweep_scenario.c - from a point of the grid to the scenario that the kernel runs. */
#include "sweep_internal.h"
#include "../kernels/link_arq.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- values at a point ------------------------------------------------------------------------------------------- */

void sweep_point_slots(const struct sweep *s, uint64_t point, const struct value **slots)
{
    uint32_t index[DIMENSIONS_MAX];
    memcpy(slots, s->base, s->nslots * sizeof *slots);
    for (uint32_t d = s->ndimensions; d-- > 0;) {
        index[d] = (uint32_t)(point % s->dimension_sources[d].length);
        point /= s->dimension_sources[d].length;
    }
    for (uint32_t i = 0; i < s->naxes; i++)
        slots[s->axes[i].slot] = &s->axes[i].values[index[s->axes[i].dimension]];
}

static const struct value *slot_value(const struct value *const *slots, const struct group *group, int row)
{
    return slots[group->base + (uint32_t)(row - group->first)];
}

/* The first that is set. */
static const struct value *either(const struct value *a, const struct value *b)
{
    return a ? a : b;
}

const struct value *sweep_group_value(const struct sweep *s, const struct value *const *slots,
                                      const struct group *group, int row)
{
    return either(slot_value(slots, group, row), s->fallback[row]);
}

static const struct value *tcp_setting(const struct sweep *s, const struct value *const *slots,
                                       const struct flow_source *flow, int row)
{
    return either(slot_value(slots, &flow->tcp, row), slot_value(slots, &s->tcp, row));
}

/* Dialect and algorithm of a flow, as its row of defaults. */
static const struct tcp_values *tcp_defaults(const struct sweep *s, const struct value *const *slots,
                                             const struct flow_source *flow)
{
    const struct value *dialect = either(tcp_setting(s, slots, flow, ROW_dialect), s->fallback[ROW_dialect]);
    const struct value *algorithm = either(tcp_setting(s, slots, flow, ROW_algorithm), s->fallback[ROW_algorithm]);
    return &s->tcp_defaults[(size_t)dialect->integer * algorithm_count + (size_t)algorithm->integer];
}

const struct value *sweep_tcp_value(const struct sweep *s, const struct value *const *slots,
                                    const struct flow_source *flow, int row)
{
    return either(tcp_setting(s, slots, flow, row), tcp_defaults(s, slots, flow)->row[row - FIRST_TCP]);
}

const struct value *sweep_app_value(const struct sweep *s, const struct value *const *slots,
                                    const struct flow_source *flow, int row)
{
    return either(either(slot_value(slots, &flow->app, row), slot_value(slots, &s->app, row)), s->fallback[row]);
}

const struct value *sweep_channel_value(const struct sweep *s, const struct value *const *slots,
                                        const struct link_source *link, enum direction direction, int row)
{
    int64_t errors = sweep_group_value(s, slots, &link->forward, ROW_errors)->integer;
    const struct value *reverse = direction == REVERSE ? slot_value(slots, &link->reverse, row) : NULL;
    if (reverse)
        return reverse;
    if (param_table[row].flags & FLAG_ERRORS && errors == (direction == FORWARD ? ERRORS_REVERSE : ERRORS_FORWARD))
        return s->fallback[row];
    return sweep_group_value(s, slots, &link->forward, row);
}

/* A key of a flow's settings, or of those of all flows: the same look-up with no settings of the flow's own. */
static const struct value *settings_value(const struct sweep *s, const struct value *const *slots,
                                          const struct key_ref *ref)
{
    struct flow_source flow = {.tcp = s->tcp, .app = s->app};
    if (ref->group->first == FIRST_TCP)
        flow.tcp = *ref->group;
    else
        flow.app = *ref->group;
    int row = (int)(ref->param - param_table);
    return ref->group->first == FIRST_TCP ? sweep_tcp_value(s, slots, &flow, row)
                                          : sweep_app_value(s, slots, &flow, row);
}

const struct value *sweep_key_value(const struct sweep *s, const struct value *const *slots, const struct key_ref *ref)
{
    int row = (int)(ref->param - param_table);
    if (ref->group->first == FIRST_TCP || ref->group->first == FIRST_APP)
        return settings_value(s, slots, ref);
    for (uint32_t i = 0; i < s->nlinks && row < END_CHANNEL && row >= FIRST_CHANNEL; i++) {
        if (ref->group == &s->links[i].reverse)
            return sweep_channel_value(s, slots, &s->links[i], REVERSE, row);
        if (ref->group == &s->links[i].forward)
            return sweep_channel_value(s, slots, &s->links[i], FORWARD, row);
    }
    return sweep_group_value(s, slots, ref->group, row);
}

/* --- building ---------------------------------------------------------------------------------------------------- */

/* What the block holds, and where the next of each goes. */
struct build {
    const struct sweep *sweep;
    const struct value *const *slots;
    struct scenario *scenario;
    struct link_cfg *links;
    struct flow_cfg *flows;
    struct hop_ref *hops;
    uint32_t *shared; /* index of each source link's shared instance + 1 */
    uint32_t *copies; /* private instances of each source link so far */
};

static uint32_t flow_count(const struct sweep *s, const struct value *const *slots, const struct flow_source *flow)
{
    return (uint32_t)sweep_group_value(s, slots, &flow->own, ROW_count)->integer;
}

/* Most links that a scenario can need, and its flows and hops. */
static void measure_block(const struct sweep *s, const struct value *const *slots, size_t *links, size_t *flows,
                          size_t *hops)
{
    *links = s->nlinks;
    *flows = *hops = 0;
    for (uint32_t i = 0; i < s->nflows; i++) {
        const struct flow_source *flow = &s->flows[i];
        size_t count = flow_count(s, slots, flow);
        *flows += count;
        for (int way = 0; way < 2; way++) {
            *hops += count * flow->nhops[way];
            for (uint16_t h = 0; h < flow->nhops[way]; h++)
                *links += count * flow->hops[way][h].private_copy;
        }
    }
}

/* What a schedule sets at time 0 is what the link is: base RTT, queues and models go by it. */
static void start_schedule(struct channel_cfg *channel)
{
    const struct step_cfg *first = channel->steps;
    if (channel->nsteps == 0 || first->at_ps > 0 || first->up == 0)
        return;
    channel->rate_bps = first->rate_bps > 0 ? first->rate_bps : channel->rate_bps;
    channel->delay_ps = first->delay_ps >= 0 ? first->delay_ps : channel->delay_ps;
    channel->steps++;
    channel->nsteps--;
}

static void build_channel(const struct build *b, const struct link_source *link, enum direction direction,
                          struct channel_cfg *channel)
{
    for (int row = FIRST_CHANNEL; row < END_CHANNEL; row++) {
        const struct value *value = sweep_channel_value(b->sweep, b->slots, link, direction, row);
        if (!value)
            continue;
        value_write(&param_table[row], value, channel, 0);
        if (row == ROW_schedule)
            channel->nsteps = value->n;
    }
    start_schedule(channel);
    arq_shorten(channel);
}

static uint32_t build_link(struct build *b, const struct link_source *link)
{
    const struct value *drops = sweep_group_value(b->sweep, b->slots, &link->forward, ROW_drops);
    struct link_cfg *out = &b->links[b->scenario->nlinks];
    snprintf(out->name, sizeof out->name, "%s", link->name);
    build_channel(b, link, FORWARD, &out->channel[FORWARD]);
    build_channel(b, link, REVERSE, &out->channel[REVERSE]);
    out->shared_duplex = sweep_group_value(b->sweep, b->slots, &link->forward, ROW_duplex)->integer;
    if (drops)
        out->ndrops = drops->n;
    for (int row = FIRST_LINK; row < END_LINK; row++) {
        const struct value *value = sweep_group_value(b->sweep, b->slots, &link->forward, row);
        if (value && param_table[row].offset != NO_OFFSET)
            value_write(&param_table[row], value, out, 0);
    }
    return b->scenario->nlinks++;
}

/* The instance of a link for one flow: the shared one, or a copy that the flow's two ways have in common. */
static uint32_t link_instance(struct build *b, const struct hop_source *hop, const struct hop_source *earlier,
                              const struct hop_ref *built, uint16_t n)
{
    const struct link_source *link = &b->sweep->links[hop->link];
    if (!hop->private_copy) {
        if (!b->shared[hop->link])
            b->shared[hop->link] = build_link(b, link) + 1;
        return b->shared[hop->link] - 1;
    }
    for (uint16_t i = 0; i < n; i++)
        if (earlier[i].private_copy && earlier[i].link == hop->link)
            return built[i].link;
    uint32_t index = build_link(b, link);
    struct link_cfg *out = &b->links[index];
    snprintf(out->name, sizeof out->name, "%.20s.%u", link->name, b->copies[hop->link]++ % 1000000);
    return index;
}

static void build_paths(struct build *b, const struct flow_source *flow, struct flow_cfg *out)
{
    struct hop_ref *first = b->hops;
    for (int way = 0; way < 2; way++) {
        out->path[way] = b->hops;
        out->path_len[way] = flow->nhops[way];
        for (uint16_t h = 0; h < flow->nhops[way]; h++) {
            const struct hop_source *hop = &flow->hops[way][h];
            uint32_t link = way == REVERSE ? link_instance(b, hop, flow->hops[FORWARD], first, flow->nhops[FORWARD])
                                           : link_instance(b, hop, flow->hops[FORWARD], first, h);
            *b->hops++ = (struct hop_ref){(uint16_t)link, hop->direction};
        }
    }
}

static void build_settings(const struct build *b, const struct flow_source *flow, struct flow_cfg *out)
{
    const struct sweep *s = b->sweep;
    const struct tcp_values *defaults = tcp_defaults(s, b->slots, flow);
    const struct value *start = sweep_group_value(s, b->slots, &flow->own, ROW_start);
    uint32_t mss = (uint32_t)sweep_tcp_value(s, b->slots, flow, ROW_mss)->integer;
    value_write(&param_table[ROW_start], start, out, mss);
    out->start_spread_ps = start->spread;
    value_write(&param_table[ROW_stop], sweep_group_value(s, b->slots, &flow->own, ROW_stop), out, mss);
    value_write(&param_table[ROW_priority], sweep_group_value(s, b->slots, &flow->own, ROW_priority), out, mss);
    for (int row = FIRST_TCP; row < END_TCP; row++)
        value_write(&param_table[row], either(tcp_setting(s, b->slots, flow, row), defaults->row[row - FIRST_TCP]),
                    &out->tcp, mss);
    for (int row = FIRST_APP; row < END_APP; row++) {
        const struct value *value = sweep_app_value(s, b->slots, flow, row);
        if (value)
            value_write(&param_table[row], value, &out->app, mss);
    }
}

static void build_flows(struct build *b, const struct flow_source *flow)
{
    uint32_t count = flow_count(b->sweep, b->slots, flow);
    struct flow_cfg *first = &b->flows[b->scenario->nflows];
    build_settings(b, flow, first);
    first->group_first = b->scenario->nflows;
    first->group_size = count;
    for (uint32_t i = 0; i < count; i++) {
        struct flow_cfg *out = &b->flows[b->scenario->nflows++];
        if (i)
            *out = *first;
        if (count == 1)
            snprintf(out->name, sizeof out->name, "%s", flow->name);
        else
            snprintf(out->name, sizeof out->name, "%.20s.%u", flow->name, i);
        build_paths(b, flow, out);
    }
}

static void build_window(const struct build *b)
{
    const struct sweep *s = b->sweep;
    const struct value *from = slot_value(b->slots, &s->top, ROW_measure_from);
    const struct value *to = slot_value(b->slots, &s->top, ROW_measure_to);
    b->scenario->measure_from_ps = either(from, sweep_group_value(s, b->slots, &s->top, ROW_warmup))->integer;
    b->scenario->measure_to_ps = either(to, slot_value(b->slots, &s->top, ROW_duration))->integer;
    value_write(&param_table[ROW_start_jitter], sweep_group_value(s, b->slots, &s->top, ROW_start_jitter), b->scenario,
                0);
}

/* The block: scenario, links, flows, hops. NULL when out of memory. */
static struct scenario *build(const struct sweep *s, const struct value *const *slots, uint32_t *scratch, size_t links,
                              size_t flows, size_t hops)
{
    struct scenario *scenario = calloc(1, sizeof *scenario + links * sizeof(struct link_cfg) +
                                              flows * sizeof(struct flow_cfg) + hops * sizeof(struct hop_ref));
    if (!scenario)
        return NULL;
    struct link_cfg *link_array = (struct link_cfg *)(scenario + 1);
    struct flow_cfg *flow_array = (struct flow_cfg *)(link_array + links);
    struct build b = {s,          slots,
                      scenario,   link_array,
                      flow_array, (struct hop_ref *)(flow_array + flows),
                      scratch,    scratch + s->nlinks};
    scenario->links = link_array;
    scenario->flows = flow_array;
    build_window(&b);
    for (uint32_t i = 0; i < s->nflows; i++)
        build_flows(&b, &s->flows[i]);
    return scenario;
}

/* --- checks ------------------------------------------------------------------------------------------------------ */

/* `FILE:LINE: what is wrong (at AXIS=VALUE ...)`: values that are each fine alone. */
static void refuse(const struct sweep *s, const struct value *const *slots, uint64_t point, struct error *err,
                   const char *what)
{
    char label[256] = "";
    sweep_point_label(s, point, label, sizeof label);
    error_set(err, EXIT_BAD_INPUT, "%s:%u: %s%s%s%s", s->path, sweep_blame(s, slots, what), what, *label ? " (at " : "",
              label, *label ? ")" : "");
}

static const char *check_end(const struct sweep *s, const struct value *const *slots)
{
    const struct value *duration = slot_value(slots, &s->top, ROW_duration);
    const struct value *to = slot_value(slots, &s->top, ROW_measure_to);
    if (duration && to && to->integer > duration->integer)
        return "measure.to: after the end of the run, expected at most `duration`";
    return NULL;
}

/* A chain that never leaves its bad state is a slip, not a model. */
static const char *check_gilbert(const struct scenario *sc, char *text, size_t size)
{
    for (uint32_t i = 0; i < sc->nlinks; i++)
        for (int d = 0; d < 2; d++) {
            const struct gilbert_cfg *gilbert = &sc->links[i].channel[d].gilbert;
            if (gilbert->good_to_bad == 0 || gilbert->bad_to_good > 0)
                continue;
            snprintf(text, size, "link %s: gilbert.p without gilbert.r never leaves the bad state, expected r above 0",
                     sc->links[i].name);
            return text;
        }
    return NULL;
}

/* A shared link has one server and loss process: settings of a direction of its own would do nothing. */
static const char *check_shared(const struct sweep *s, const struct value *const *slots, char *text, size_t size)
{
    for (uint32_t i = 0; i < s->nlinks; i++) {
        const struct link_source *link = &s->links[i];
        if (!sweep_group_value(s, slots, &link->forward, ROW_duplex)->integer)
            continue;
        bool own = sweep_group_value(s, slots, &link->forward, ROW_errors)->integer != ERRORS_BOTH;
        for (int row = FIRST_CHANNEL; row < END_CHANNEL; row++)
            own = own || slot_value(slots, &link->reverse, row);
        if (!own)
            continue;
        snprintf(text, size,
                 "link %s: duplex shared has no direction of its own, expected no `reverse` and `errors: both`",
                 link->name);
        return text;
    }
    return NULL;
}

static const char *check_sizes(size_t links, size_t flows)
{
    if (flows > FLOWS_MAX)
        return "flows: too many flows, expected at most 1000 in all";
    if (links > UINT16_MAX)
        return "links: too many links with the private copies, expected at most 65535";
    return NULL;
}

struct scenario *sweep_scenario(const struct sweep *s, uint64_t point, struct error *err)
{
    size_t links, flows, hops;
    char text[512];
    const char *wrong;
    /* Slots, then the two counters of each source link. */
    const struct value **slots = calloc(1, s->nslots * sizeof *slots + 2 * s->nlinks * sizeof(uint32_t));
    if (!slots) {
        error_set(err, EXIT_ENVIRONMENT, "out of memory");
        return NULL;
    }
    sweep_point_slots(s, point, slots);
    measure_block(s, slots, &links, &flows, &hops);
    struct scenario *scenario = NULL;
    if (!(wrong = check_sizes(links, flows)) && !(wrong = check_shared(s, slots, text, sizeof text))) {
        scenario = build(s, slots, (uint32_t *)(slots + s->nslots), links, flows, hops);
        if (!scenario)
            error_set(err, EXIT_ENVIRONMENT, "out of memory");
        else if (!(wrong = check_end(s, slots)) && !(wrong = check_gilbert(scenario, text, sizeof text)))
            wrong = scenario_check(scenario, text, sizeof text);
    }
    if (wrong) {
        refuse(s, slots, point, err, wrong);
        free(scenario);
        scenario = NULL;
    }
    free(slots);
    return scenario;
}
