/* node.c - a node's queue and backoff; see wlan.h. Backoff counts only while the medium is idle, DIFS after it has
 * become so; it counts also without a packet (the backoff behind a transmission). */
#include "../net.h"
#include "../walk.h"
#include "wlan.h"

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

bool wlan_is_idle(const struct sim *s, const struct node *node)
{
    return node->state == NODE_FREE && node->rx.from == WLAN_NOBODY && node->nav_ps <= s->now_ps;
}

void wlan_draw_backoff(struct wlan *w, struct node *node)
{
    uint32_t choices = w->cfg->rules == WLAN_NS2 ? node->window : node->window + 1;
    node->slots = (uint32_t)(random_uniform(&w->station->random) * choices);
    node->has_backoff = true;
    node->is_immediate = false;
}

void wlan_pause(const struct sim *s, struct wlan *w, uint32_t n)
{
    struct node *node = &w->node[n];
    uint32_t timer = w->nnodes + n;
    if (!node->is_counting || w->due_ps[timer] == s->now_ps)
        return; /* too late to notice: it sends now, too */
    node->is_counting = false;
    wlan_set_event(w, timer, TIME_NEVER);
    if (node->is_immediate)
        wlan_draw_backoff(w, node);
    else if (s->now_ps > node->count_from_ps)
        node->slots -= (uint32_t)((s->now_ps - node->count_from_ps) / w->cfg->slot_ps);
}

void wlan_resume(const struct sim *s, struct wlan *w, uint32_t n)
{
    struct node *node = &w->node[n];
    if (!node->has_backoff || node->is_counting || node->state != NODE_FREE || node->rx.from != WLAN_NOBODY)
        return;
    int64_t idle_ps = node->is_immediate ? node->idle_ps : s->now_ps;
    node->is_counting = true;
    node->count_from_ps = later(later(idle_ps, node->nav_ps), node->gate_ps) + w->difs_ps;
    wlan_set_event(w, w->nnodes + n, later(s->now_ps, node->count_from_ps + node->slots * w->cfg->slot_ps));
}

/* For the bottleneck's metrics: how long the packet has waited in this queue. */
static void meter_wait(struct sim *s, const struct guest *guest)
{
    struct hop *hop = guest->stage->hop;
    hop->free_ps = s->now_ps;
    if (hop->extras & HOP_METERED)
        net_meter_edge(s, hop, guest->packet.t_ps, s->now_ps);
}

static void start_job(struct sim *s, struct wlan *w, uint32_t n)
{
    struct node *node = &w->node[n];
    uint32_t job = node->first;
    const struct guest *guest = &w->packet[job].guest;
    const struct hop *hop = guest->stage->hop;
    uint32_t bytes = guest->packet.bytes + hop->overhead_bytes + w->cfg->header_bytes;
    node->first = w->packet[job].next;
    node->waiting--;
    node->has_job = true;
    node->is_across = false;
    node->job = job;
    node->to = wlan_next_node(w, n, guest);
    node->data_ps = w->cfg->preamble_ps + net_transmission_ps(hop->rate_bps, bytes);
    node->short_tries = node->long_tries = 0;
    meter_wait(s, guest);
    if (node->has_backoff)
        return;
    if (w->cfg->rules == WLAN_IEEE && wlan_is_idle(s, node)) {
        node->slots = 0;
        node->has_backoff = node->is_immediate = true;
    } else {
        wlan_draw_backoff(w, node);
    }
    wlan_resume(s, w, n);
}

void wlan_end_job(struct sim *s, struct wlan *w, uint32_t n)
{
    w->node[n].has_job = false;
    if (w->node[n].waiting > 0)
        start_job(s, w, n);
}

void wlan_release(struct wlan *w, uint32_t packet)
{
    w->packet[packet].next = w->free;
    w->free = packet;
}

/* The congestion-warning mark: see queue/mark.c. */
static void mark_packet(struct sim *s, const struct wlan *w, struct node *node, struct guest *guest)
{
    const struct channel_cfg *channel = &w->station->link->channel[FORWARD];
    if (w->mark_threshold < 0)
        return;
    node->average += channel->mark_weight * ((double)node->waiting - node->average);
    if (node->average >= w->mark_threshold)
        station_mark(s, guest);
}

void wlan_enqueue(struct sim *s, struct wlan *w, uint32_t n, uint32_t packet)
{
    struct node *node = &w->node[n];
    struct wlan_packet *p = &w->packet[packet];
    if (node->has_job && node->waiting >= w->queue_limit) {
        station_drop(s, &p->guest, CAUSE_QUEUE);
        wlan_release(w, packet);
        return;
    }
    p->guest.packet.t_ps = s->now_ps;
    mark_packet(s, w, node, &p->guest);
    if (node->waiting++ == 0)
        node->first = packet;
    else
        w->packet[node->last].next = packet;
    node->last = packet;
    if (!node->has_job)
        start_job(s, w, n);
}
