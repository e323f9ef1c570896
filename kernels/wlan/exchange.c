/* exchange.c - RTS, CTS, data and ACK between two nodes, and what happens when one of them is not answered; see wlan.h.
 *
 * A packet moves to the next node when its data frame arrives. If the ACK is lost it is sent again, recognised there,
 * and only acknowledged.
 */
#include "../net.h"
#include "wlan.h"

static void set_timer(struct wlan *w, uint32_t n, int64_t t_ps)
{
    wlan_set_event(w, w->nnodes + n, t_ps);
}

/* What it was doing is over: the medium counts again. */
static void become_free(const struct sim *s, struct wlan *w, uint32_t n)
{
    struct node *node = &w->node[n];
    node->state = NODE_FREE;
    node->idle_ps = s->now_ps;
    set_timer(w, n, TIME_NEVER);
    wlan_resume(s, w, n);
}

static bool is_measured(const struct sim *s)
{
    return sim_phase(s, s->now_ps) == WITHIN;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static int64_t length_ps(const struct wlan *w, const struct node *node, enum frame_type type)
{
    switch (type) {
    case FRAME_RTS:
        return w->rts_ps;
    case FRAME_DATA:
        return node->data_ps;
    default:
        return type == FRAME_CTS ? w->cts_ps : w->ack_ps;
    }
}

/* A frame in SIFS from now. */
static void send_soon(const struct sim *s, struct wlan *w, uint32_t n, enum frame_type type, uint32_t to,
                      int64_t nav_ps)
{
    struct node *node = &w->node[n];
    node->state = NODE_PAUSING;
    node->frame = (struct frame){.type = type, .to = to, .nav_ps = nav_ps};
    set_timer(w, n, s->now_ps + w->cfg->sifs_ps);
}

static bool is_awaiting(const struct node *node, enum frame_type after, uint32_t from)
{
    return node->state == NODE_AWAITING && node->frame.type == after && node->frame.to == from;
}

static void take_rts(const struct sim *s, struct wlan *w, uint32_t n, uint32_t from, int64_t nav_ps)
{
    const struct node *node = &w->node[n];
    if (node->state == NODE_FREE && (w->cfg->rules == WLAN_NS2 || node->nav_ps <= s->now_ps))
        send_soon(s, w, n, FRAME_CTS, from, nav_ps);
}

static void take_cts(const struct sim *s, struct wlan *w, uint32_t n, uint32_t from, int64_t nav_ps)
{
    struct node *node = &w->node[n];
    if (!is_awaiting(node, FRAME_RTS, from))
        return;
    node->short_tries = 0;
    send_soon(s, w, n, FRAME_DATA, from, nav_ps);
}

/* The packet that `from` has in service arrives at node n. */
static void move_packet(struct sim *s, struct wlan *w, uint32_t from, uint32_t n)
{
    struct node *sender = &w->node[from];
    uint32_t packet = sender->job;
    if (sender->is_across)
        return;
    sender->is_across = true;
    sender->job = WLAN_NOBODY;
    if (!wlan_is_at_end(w, n, &w->packet[packet].guest)) {
        wlan_enqueue(s, w, n, packet);
        return;
    }
    station_forward(s, &w->packet[packet].guest);
    wlan_release(w, packet);
}

static void take_data(struct sim *s, struct wlan *w, uint32_t n, uint32_t from)
{
    const struct node *node = &w->node[n];
    if (w->cfg->rts ? !is_awaiting(node, FRAME_CTS, from) : node->state != NODE_FREE)
        return;
    send_soon(s, w, n, FRAME_ACK, from, s->now_ps);
    move_packet(s, w, from, n);
}

/* Success. */
static void take_ack(struct sim *s, struct wlan *w, uint32_t n, uint32_t from)
{
    struct node *node = &w->node[n];
    if (!is_awaiting(node, FRAME_DATA, from))
        return;
    node->window = w->cfg->cw_min;
    wlan_draw_backoff(w, node);
    wlan_end_job(s, w, n);
    become_free(s, w, n);
}

void wlan_take_frame(struct sim *s, struct wlan *w, uint32_t n, uint32_t from)
{
    const struct frame *frame = &w->node[from].frame;
    switch (frame->type) {
    case FRAME_RTS:
        take_rts(s, w, n, from, frame->nav_ps);
        break;
    case FRAME_CTS:
        take_cts(s, w, n, from, frame->nav_ps);
        break;
    case FRAME_DATA:
        take_data(s, w, n, from);
        break;
    case FRAME_ACK:
        take_ack(s, w, n, from);
    }
}

void wlan_frame_sent(struct sim *s, struct wlan *w, uint32_t n)
{
    struct node *node = &w->node[n];
    int64_t sifs_ps = w->cfg->sifs_ps;
    node->state = NODE_AWAITING;
    switch (node->frame.type) {
    case FRAME_RTS:
        set_timer(w, n, s->now_ps + sifs_ps + w->cts_ps);
        break;
    case FRAME_CTS:
        set_timer(w, n, node->frame.nav_ps - w->ack_ps - sifs_ps);
        break;
    case FRAME_DATA:
        set_timer(w, n, s->now_ps + sifs_ps + w->ack_ps);
        break;
    case FRAME_ACK:
        become_free(s, w, n);
    }
}

/* --- attempts ----------------------------------------------------------------------------------------------------- */

/* The backoff is over. */
static void begin_exchange(struct sim *s, struct wlan *w, uint32_t n)
{
    struct node *node = &w->node[n];
    node->is_counting = node->has_backoff = node->is_immediate = false;
    set_timer(w, n, TIME_NEVER);
    if (!node->has_job)
        return;
    s->exchanges += is_measured(s);
    int64_t nav_ps = s->now_ps + node->data_ps + w->cfg->sifs_ps + w->ack_ps;
    struct frame frame = {.type = FRAME_DATA, .to = node->to, .nav_ps = nav_ps};
    if (w->cfg->rts) {
        frame.type = FRAME_RTS;
        frame.nav_ps += w->rts_ps + w->cts_ps + 2 * w->cfg->sifs_ps;
    }
    wlan_send(s, w, n, frame, length_ps(w, node, frame.type));
}

static void grow_window(const struct wlan *w, struct node *node)
{
    uint32_t window = 2 * node->window + 1;
    node->window = window < w->cfg->cw_max ? window : w->cfg->cw_max;
}

static void give_up(struct sim *s, struct wlan *w, uint32_t n)
{
    struct node *node = &w->node[n];
    if (!node->is_across) {
        station_drop(s, &w->packet[node->job].guest, CAUSE_RETRY);
        wlan_release(w, node->job);
    }
    node->window = w->cfg->cw_min;
    wlan_draw_backoff(w, node);
    wlan_end_job(s, w, n);
}

/* No answer. */
static void fail(struct sim *s, struct wlan *w, uint32_t n)
{
    struct node *node = &w->node[n];
    if (node->frame.type != FRAME_CTS) {
        bool is_long = w->cfg->rts && node->frame.type == FRAME_DATA;
        uint32_t tries = is_long ? ++node->long_tries : ++node->short_tries;
        s->exchanges_failed += is_measured(s);
        if (tries >= (is_long ? w->cfg->long_retries : w->cfg->short_retries)) {
            give_up(s, w, n);
        } else {
            grow_window(w, node);
            wlan_draw_backoff(w, node);
        }
    }
    become_free(s, w, n);
}

/* SIFS is over. */
static void send_answer(struct sim *s, struct wlan *w, uint32_t n)
{
    struct node *node = &w->node[n];
    bool is_busy = node->rx.from != WLAN_NOBODY || node->nav_ps > s->now_ps;
    if (w->cfg->rules == WLAN_NS2 && is_busy && node->frame.type != FRAME_ACK) {
        if (node->frame.type == FRAME_DATA) {
            grow_window(w, node);
            wlan_draw_backoff(w, node);
        }
        become_free(s, w, n);
        return;
    }
    wlan_send(s, w, n, node->frame, length_ps(w, node, node->frame.type));
}

void wlan_on_timer(struct sim *s, struct wlan *w, uint32_t n)
{
    switch (w->node[n].state) {
    case NODE_FREE:
        begin_exchange(s, w, n);
        break;
    case NODE_PAUSING:
        send_answer(s, w, n);
        break;
    default:
        fail(s, w, n);
    }
}
