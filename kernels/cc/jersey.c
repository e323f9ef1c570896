/* jersey.c - TCP Jersey (Xu, Tian, Ansari, JSAC 22(4), 2004) and NewJersey (Computer Networks 47(6), 2005): the window
 * after congestion is the estimated bandwidth times the RTT, and routers mark congestion.
 *
 * abe.h has the estimate, R. ownd = RTT R in whole segments, at least 2. Jersey: a marked ACK sets ssthresh = ownd and
 * cwnd at most that; a third duplicate without a mark changes neither. NewJersey, newjersey_mode paper: the same; seed
 * (seed 004's text): with a mark as Reno, without one cwnd and ssthresh from ownd.
 *
 * NewJersey takes the receiver's times of arrival (TABE), which each ACK carries: whole us, modulo 2^32.
 *
 * Departures: RTT is smoothed with 1/8. TABE needs no start: both ends have one clock here. Recovery runs with one
 * window; ssthresh follows when it is over.
 */
#include "abe.h"
#include "delay.h"

struct jersey {
    struct delay_rtt rtt;
    struct delay_timeout timeout;
    struct delay_keep keep;
    struct abe abe;
    int64_t mark_ps; /* time of the last marked ACK */
};

static double jersey_ownd(const struct jersey *c)
{
    return abe_window(&c->abe, c->rtt.smoothed_ps);
}

static void jersey_start(struct sim *s, struct flow *f)
{
    abe_start(s, &CC_STATE(f, struct jersey)->abe);
}

static void jersey_on_rtt(struct sim *s, struct flow *f, uint32_t acked, int64_t rtt_ps)
{
    struct jersey *c = CC_STATE(f, struct jersey);
    delay_rtt_sample(&c->rtt, rtt_ps);
    abe_on_new_ack(s, f, &c->abe, c->rtt.smoothed_ps, acked);
}

static void jersey_on_duplicate(struct sim *s, struct flow *f)
{
    struct jersey *c = CC_STATE(f, struct jersey);
    abe_on_duplicate(s, f, &c->abe, c->rtt.smoothed_ps);
}

static void jersey_on_mark(struct sim *s, struct flow *f, uint32_t acked)
{
    (void)acked;
    CC_STATE(f, struct jersey)->mark_ps = s->now_ps;
}

static void jersey_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct jersey *c = CC_STATE(f, struct jersey);
    if (delay_is_marked(s, c->mark_ps)) {
        double ownd = jersey_ownd(c);
        bool is_slow_start = f->cwnd < f->ssthresh;
        tcp_set_ssthresh(s, f, ownd);
        f->count.ecn_reductions += f->cwnd > ownd;
        if (f->cwnd > ownd || !is_slow_start)
            tcp_set_cwnd(s, f, ownd);
    }
    cc_reno.on_ack(s, f, acked);
}

static bool jersey_is_random(const struct sim *s, const struct flow *f)
{
    return !delay_is_marked(s, CC_STATE(f, struct jersey)->mark_ps);
}

static double rate_control(const struct flow *f, struct jersey *c)
{
    double ownd = jersey_ownd(c);
    return delay_keep_both(&c->keep, f->cwnd < ownd ? f->cwnd : ownd, ownd);
}

static double keep_window(const struct flow *f, struct jersey *c)
{
    return delay_keep_both(&c->keep, f->cwnd, f->ssthresh);
}

static double jersey_ssthresh(struct sim *s, struct flow *f)
{
    struct jersey *c = CC_STATE(f, struct jersey);
    delay_timeout_ask(s, &c->timeout, jersey_ownd(c));
    return delay_is_marked(s, c->mark_ps) ? rate_control(f, c) : keep_window(f, c);
}

static double newjersey_ssthresh(struct sim *s, struct flow *f)
{
    if (f->cfg->delay.newjersey_mode == NEWJERSEY_PAPER)
        return jersey_ssthresh(s, f);
    struct jersey *c = CC_STATE(f, struct jersey);
    delay_timeout_ask(s, &c->timeout, jersey_ownd(c));
    if (!delay_is_marked(s, c->mark_ps))
        return rate_control(f, c);
    c->keep.cwnd = 0;
    return cc_reno.ssthresh(s, f);
}

static void jersey_on_timeout(struct sim *s, struct flow *f)
{
    struct jersey *c = CC_STATE(f, struct jersey);
    c->keep.cwnd = 0;
    delay_timeout_answer(s, f, &c->timeout);
}

static void jersey_on_recovery_exit(struct sim *s, struct flow *f)
{
    delay_keep_restore(s, f, &CC_STATE(f, struct jersey)->keep);
}

const struct cc_ops cc_jersey = {
    .item = {"jersey", "bandwidth estimate and congestion marks", "Xu, Tian, Ansari, JSAC 22(4), 2004", NULL},
    .on_ack = jersey_on_ack,
    .ssthresh = jersey_ssthresh,
    .start = jersey_start,
    .on_rtt = jersey_on_rtt,
    .on_duplicate = jersey_on_duplicate,
    .on_timeout = jersey_on_timeout,
    .on_recovery_exit = jersey_on_recovery_exit,
    .on_mark = jersey_on_mark,
    .is_random = jersey_is_random,
};

const struct cc_ops cc_newjersey = {
    .item = {"newjersey", "Jersey with the receiver's times of arrival",
             "Xu, Tian, Ansari, Computer Networks 47(6), 2005", NULL},
    .on_ack = jersey_on_ack,
    .ssthresh = newjersey_ssthresh,
    .start = jersey_start,
    .on_rtt = jersey_on_rtt,
    .on_duplicate = jersey_on_duplicate,
    .on_timeout = jersey_on_timeout,
    .on_recovery_exit = jersey_on_recovery_exit,
    .on_mark = jersey_on_mark,
    .is_random = jersey_is_random,
    .uses_arrivals = true,
};
