/* ns3_reno.c - LinuxReno, Scalable and HighSpeed as ns-3 3.48 has them (tcp-linux-reno.cc, tcp-scalable.cc,
 * tcp-highspeed.cc).
 *
 * reno_ns3: Linux's counter, but slow start's rest is not used and half a segment is kept when the window is halved.
 * scalable_ns3: one more in min(cwnd, 50) segments, what is counted beyond a step is lost; the decrease is of what is
 * in flight. highspeed_ns3: the table, a as in Linux; b of what is in flight, in whole segments.
 */
#include "ns3.h"

enum { SCALABLE_COUNT = 50 };

static const double SCALABLE_LEFT = 0.875;

struct counter {
    uint32_t count;
};

static void reno_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct counter *c = CC_STATE(f, struct counter);
    uint32_t window = ns3_whole(f->cwnd);
    double cwnd = f->cwnd;
    if (cwnd < f->ssthresh) {
        cwnd = cwnd + acked < f->ssthresh ? cwnd + acked : f->ssthresh;
        growth_set_cwnd(s, f, cwnd);
        return;
    }
    if (c->count >= window) {
        c->count = 0;
        cwnd += 1;
    }
    c->count += (uint32_t)acked;
    cwnd += c->count / window;
    c->count %= window;
    growth_set_cwnd(s, f, cwnd);
}

static double reno_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return growth_at_least_min(f->cwnd / 2);
}

const struct cc_ops cc_reno_ns3 = {
    .item = {"reno_ns3", "TcpLinuxReno of ns-3", "ns-3 3.48, tcp-linux-reno.cc", NULL},
    .on_ack = reno_on_ack,
    .ssthresh = reno_ssthresh,
};

static void scalable_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct counter *c = CC_STATE(f, struct counter);
    double cwnd = f->cwnd;
    if (cwnd < f->ssthresh && acked >= 1) {
        cwnd += 1;
        acked -= 1;
    }
    uint32_t before = ns3_whole(cwnd), window = before, per = window < SCALABLE_COUNT ? window : SCALABLE_COUNT;
    if (cwnd >= f->ssthresh) {
        if (c->count >= per) {
            c->count = 0;
            window++;
        }
        c->count += (uint32_t)acked;
        window += c->count / per;
        c->count = c->count >= per ? 0 : c->count;
    }
    growth_set_cwnd(s, f, window == before ? cwnd : window);
}

static double scalable_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    return growth_at_least_min((uint32_t)(ns3_in_flight(f) * SCALABLE_LEFT));
}

const struct cc_ops cc_scalable_ns3 = {
    .item = {"scalable_ns3", "TcpScalable of ns-3", "ns-3 3.48, tcp-scalable.cc", NULL},
    .on_ack = scalable_on_ack,
    .ssthresh = scalable_ssthresh,
};
