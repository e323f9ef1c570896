/* medium.c - frames on the air: who hears them, and what is left of them; see wlan.h.
 *
 * A node locks to the first frame that it hears. A later one that is 10 dB weaker does no harm (capture), any other
 * destroys both; a stronger one never takes over, as in ns-2, unless both begin at the same instant.
 */
#include "../walk.h"
#include "wlan.h"

uint32_t wlan_strength(const struct wlan *w, uint32_t a, uint32_t b)
{
    uint32_t distance = a > b ? a - b : b - a, half = w->nnodes / 2;
    if (w->cfg->topology == WLAN_CHAIN)
        return distance == 1 ? WLAN_DECODABLE : distance == 2 ? WLAN_SENSED : 0;
    if (a == 0 || b == 0 || w->cfg->hidden == WLAN_HIDDEN_NONE)
        return WLAN_DECODABLE;
    return w->cfg->hidden == WLAN_HIDDEN_HALVES && (a <= half) == (b <= half) ? WLAN_DECODABLE : 0;
}

void wlan_set_event(struct wlan *w, uint32_t source, int64_t t_ps)
{
    w->due_ps[source] = t_ps;
    events_set(&w->events, source, t_ps);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A frame that the node could not decode has ended, or will end, at t_ps. */
static void note_bad_frame(const struct wlan *w, struct node *node, int64_t end_ps)
{
    if (w->cfg->rules == WLAN_NS2)
        node->nav_ps = later(node->nav_ps, end_ps + w->eifs_ps);
    else
        node->gate_ps = later(node->gate_ps, end_ps + w->eifs_ps - w->difs_ps);
}

/* Whether of two frames at a node the first one survives the other. */
static bool captures(const struct wlan *w, uint32_t strength, uint32_t other)
{
    return w->cfg->capture && strength >= WLAN_CAPTURE_RATIO * other;
}

static void hear(const struct sim *s, struct wlan *w, uint32_t n, uint32_t from, uint32_t strength)
{
    struct node *node = &w->node[n];
    struct reception *rx = &node->rx;
    struct reception heard = {.from = from,
                              .strength = strength,
                              .is_good = strength >= WLAN_DECODABLE && node->state != NODE_SENDING,
                              .begin_ps = s->now_ps,
                              .end_ps = w->node[from].frame.end_ps};
    wlan_pause(s, w, n);
    if (rx->from == WLAN_NOBODY) {
        *rx = heard;
    } else if (captures(w, rx->strength, strength)) {
        note_bad_frame(w, node, heard.end_ps);
    } else if (rx->begin_ps == s->now_ps && captures(w, strength, rx->strength)) {
        note_bad_frame(w, node, rx->end_ps);
        *rx = heard;
    } else {
        if (heard.end_ps > rx->end_ps)
            *rx = heard;
        rx->is_good = false;
    }
}

/* The nodes that may hear node n: from *first to the one returned. */
static uint32_t hearing_range(const struct wlan *w, uint32_t n, uint32_t *first)
{
    enum { REACH = 2 };
    bool is_chain = w->cfg->topology == WLAN_CHAIN;
    *first = is_chain && n > REACH ? n - REACH : 0;
    return is_chain && n + REACH < w->nnodes ? n + REACH : w->nnodes - 1;
}

void wlan_send(struct sim *s, struct wlan *w, uint32_t from, struct frame frame, int64_t length_ps)
{
    struct node *node = &w->node[from];
    frame.end_ps = s->now_ps + length_ps;
    node->state = NODE_SENDING;
    node->frame = frame;
    node->rx.is_good = false; /* what it was receiving, without sensing the medium first */
    wlan_set_event(w, w->nnodes + from, TIME_NEVER);
    wlan_set_event(w, from, frame.end_ps);
    if (w->on_air++ == 0)
        w->air_since_ps = s->now_ps;
    uint32_t n, last = hearing_range(w, from, &n);
    for (; n <= last; n++) {
        uint32_t strength = n == from ? 0 : wlan_strength(w, from, n);
        if (strength > 0)
            hear(s, w, n, from, strength);
    }
}

static bool is_hit(struct wlan *w, const struct frame *frame)
{
    return w->cfg->frame_loss > 0 && frame->type == FRAME_DATA &&
           random_uniform(&w->station->random) < w->cfg->frame_loss;
}

static void end_reception(struct sim *s, struct wlan *w, uint32_t n, uint32_t from)
{
    struct node *node = &w->node[n];
    const struct frame *frame = &w->node[from].frame;
    bool is_good = node->rx.is_good;
    node->rx.from = WLAN_NOBODY;
    if (node->state == NODE_SENDING)
        return; /* it never noticed */
    node->idle_ps = s->now_ps;
    if (!is_good || (frame->to == n && is_hit(w, frame)))
        note_bad_frame(w, node, s->now_ps);
    else if (frame->to != n)
        node->nav_ps = later(node->nav_ps, frame->nav_ps);
    else
        wlan_take_frame(s, w, n, from);
    wlan_resume(s, w, n);
}

/* For the bottleneck's metrics: how long anything was on the air. */
static void meter_air(struct sim *s, const struct wlan *w)
{
    for (int d = FORWARD; d <= REVERSE; d++) {
        struct hop *hop = w->station->hop[d];
        if (!(hop->extras & HOP_METERED))
            continue;
        hop->free_ps = s->now_ps;
        net_meter_edge(s, hop, w->air_since_ps, w->air_since_ps);
    }
}

void wlan_frame_ends(struct sim *s, struct wlan *w, uint32_t from)
{
    wlan_set_event(w, from, TIME_NEVER);
    if (--w->on_air == 0)
        meter_air(s, w);
    uint32_t n, last = hearing_range(w, from, &n);
    for (; n <= last; n++)
        if (w->node[n].rx.from == from)
            end_reception(s, w, n, from);
    wlan_frame_sent(s, w, from);
}
