/* station.c - see station.h. */
#include "station.h"

#include "../net.h"
#include "../walk.h"

static bool is_data(const struct packet *p)
{
    return !(p->flags & PACKET_ACK) && p->payload > 0;
}

void station_set(struct sim *s, const struct station *station, int64_t t_ps)
{
    sim_set_other_timer(s, station->timer, t_ps);
}

void station_take(struct sim *s, struct flow *f, struct stage *stage, const struct packet *p)
{
    struct station *station = stage->hop->station;
    struct guest guest = {.packet = *p, .flow = f, .stage = stage};
    f->in_stations += is_data(p);
    station->ops->take(s, station, &guest);
}

void station_forward_at(struct sim *s, const struct guest *guest, int64_t t_ps)
{
    struct packet p = guest->packet;
    guest->flow->in_stations -= is_data(&p);
    p.t_ps = t_ps;
    net_leave_station(s, guest->flow, guest->stage, &p);
}

void station_drop_at(struct sim *s, const struct guest *guest, int64_t t_ps, enum drop_cause cause)
{
    guest->flow->in_stations -= is_data(&guest->packet);
    net_count_drop(s, guest->flow, guest->stage->hop, &guest->packet, t_ps, cause);
}

void station_forward(struct sim *s, const struct guest *guest)
{
    station_forward_at(s, guest, s->now_ps);
}

void station_drop(struct sim *s, const struct guest *guest, enum drop_cause cause)
{
    station_drop_at(s, guest, s->now_ps, cause);
}

void station_mark(struct sim *s, struct guest *guest)
{
    net_mark(s, guest->flow, guest->stage->hop, &guest->packet, s->now_ps);
}
