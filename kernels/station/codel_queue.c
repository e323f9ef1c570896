/* codel_queue.c - see codel_queue.h.
 *
 * A packet's delay in the queue is known when it leaves. Once it has been above the target for an interval, packets are
 * dropped at intervals that shrink with the square root of their number, until the delay is below the target. A mark
 * (RFC 3168) takes the place of a drop where the packet can carry it.
 *
 * Departure: the rule that a queue of no more than one packet is left alone counts the largest packet so far, as Linux
 * does, where the RFC has the link's MTU.
 */
#include "codel_queue.h"

#include <math.h>

#include "../ecn.h"

int64_t codel_next_ps(int64_t t_ps, int64_t interval_ps, uint32_t count)
{
    return t_ps + (int64_t)((double)interval_ps / sqrt(count) + 0.5);
}

static const struct queue_params *params_of(const struct guest *guest)
{
    return &guest->stage->hop->channel->aqm;
}

/* Whether the delay of the packet just taken from the queue has been too large for an interval. */
static bool is_over(const struct sim *s, const struct port *port, const struct fifo *q, struct codel *c,
                    const struct guest *guest)
{
    const struct codel_params *params = &params_of(guest)->codel;
    if (s->now_ps - guest->packet.t_ps < params->target_ps || q->bytes <= port->largest_bytes) {
        c->first_above_ps = 0;
        return false;
    }
    if (c->first_above_ps == 0) {
        c->first_above_ps = s->now_ps + params->interval_ps;
        return false;
    }
    return s->now_ps >= c->first_above_ps;
}

/* Takes the first packet. False: there is none, which ends dropping. */
static bool take(struct sim *s, const struct station *station, struct fifo *q, struct codel *c, struct guest *next,
                 bool *over)
{
    *over = false;
    if (q->n == 0) {
        c->first_above_ps = 0;
        c->is_dropping = false;
        return false;
    }
    *next = port_take(s, station->state, q);
    *over = is_over(s, station->state, q, c, next);
    return true;
}

/* Whether a packet that is due to be dropped is marked instead; otherwise it is dropped. */
static bool hit(struct sim *s, struct guest *guest)
{
    if (params_of(guest)->marks && ecn_is_capable(guest->flow, &guest->packet)) {
        station_mark(s, guest);
        return true;
    }
    station_drop(s, guest, CAUSE_QUEUE);
    return false;
}

/* Dropping goes on: all that is due. */
static bool drop_due(struct sim *s, const struct station *station, struct fifo *q, struct codel *c, struct guest *next)
{
    while (c->is_dropping && s->now_ps >= c->drop_next_ps) {
        int64_t interval_ps = params_of(next)->codel.interval_ps;
        c->count++;
        bool is_marked = hit(s, next), over = true;
        if (!is_marked && !take(s, station, q, c, next, &over))
            return false;
        c->is_dropping = over;
        if (over)
            c->drop_next_ps = codel_next_ps(c->drop_next_ps, interval_ps, c->count);
        if (is_marked)
            break;
    }
    return true;
}

/* Dropping begins, at the rate at which it ended if that was a short while ago. */
static bool begin_dropping(struct sim *s, const struct station *station, struct fifo *q, struct codel *c,
                           struct guest *next)
{
    int64_t interval_ps = params_of(next)->codel.interval_ps;
    bool over, is_there = hit(s, next) || take(s, station, q, c, next, &over);
    uint32_t delta = c->count - c->last_count;
    c->is_dropping = true;
    c->count = delta > 1 && s->now_ps - c->drop_next_ps < 16 * interval_ps ? delta : 1;
    c->last_count = c->count;
    c->drop_next_ps = codel_next_ps(s->now_ps, interval_ps, c->count);
    return is_there;
}

bool codel_pull(struct sim *s, const struct station *station, struct fifo *q, struct codel *c, struct guest *next)
{
    bool over;
    if (!take(s, station, q, c, next, &over))
        return false;
    if (!c->is_dropping)
        return over ? begin_dropping(s, station, q, c, next) : true;
    c->is_dropping = over;
    return drop_due(s, station, q, c, next);
}
