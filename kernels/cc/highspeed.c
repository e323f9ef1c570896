/* highspeed.c - HighSpeed TCP, RFC 3649: above 38 segments increase and decrease depend on the window.
 *
 * highspeed: section 5. hstcp_table false: the formulas in real arithmetic, with p(w) = 0.078/w^1.2, the RFC's fit for
 *   its own parameters, which therefore are constants here; a is at least 1 (the fit has 0.955 at 38). true: the table
 *   of appendix B, the row of the largest w that cwnd has reached: a is rounded down, b has two digits.
 * highspeed_linux: Linux 6.1 tcp_highspeed.c in whole segments: the row of the smallest w that is not below cwnd: a is
 *   rounded up (2 from 39 on, where the RFC has 1 up to 117).
 * highspeed_linux26: the same of Linux 2.6.22 as in ns-2.35 (linux/src/tcp_highspeed.c): the row is that of the last
 *   congestion avoidance, also at a loss in slow start.
 * highspeed_ns3: ns-3 3.48 tcp-highspeed.cc: as highspeed_linux, but the decrease is of what is in flight, cut to whole
 *   segments, and a step counts all segments acknowledged.
 */
#include "hystart.h"
#include "linux26.h"
#include "ns3.h"

#include "../detmath.h"

static const double HS_LOW_WINDOW = 38, HS_HIGH_WINDOW = 83000;
static const double HS_LOW_DECREASE = 0.5, HS_HIGH_DECREASE = 0.1;
static const double HS_LOSS_FACTOR = 0.078; /* p(w) = 0.078 / w^1.2 */

enum { HS_ROWS = 72, HS_DECREASE_SCALE = 256 };

/* Appendix B: row i has a = i + 1. */
static const struct hs_row {
    uint32_t window;
    uint8_t decrease; /* b x 256, cut, as Linux has it */
} hs_table[HS_ROWS] = {
    {38, 128},   {118, 112},  {221, 104},  {347, 98},   {495, 93},   {663, 89},   {851, 86},   {1058, 83},
    {1284, 81},  {1529, 78},  {1793, 76},  {2076, 74},  {2378, 72},  {2699, 71},  {3039, 69},  {3399, 68},
    {3778, 66},  {4177, 65},  {4596, 64},  {5036, 62},  {5497, 61},  {5979, 60},  {6483, 59},  {7009, 58},
    {7558, 57},  {8130, 56},  {8726, 55},  {9346, 54},  {9991, 53},  {10661, 52}, {11358, 52}, {12082, 51},
    {12834, 50}, {13614, 49}, {14424, 48}, {15265, 48}, {16137, 47}, {17042, 46}, {17981, 45}, {18955, 45},
    {19965, 44}, {21013, 43}, {22101, 43}, {23230, 42}, {24402, 41}, {25618, 41}, {26881, 40}, {28193, 39},
    {29557, 39}, {30975, 38}, {32450, 38}, {33986, 37}, {35586, 36}, {37253, 36}, {38992, 35}, {40808, 35},
    {42707, 34}, {44694, 33}, {46776, 33}, {48961, 32}, {51258, 32}, {53677, 31}, {56230, 30}, {58932, 30},
    {61799, 29}, {64851, 28}, {68113, 28}, {71617, 27}, {75401, 26}, {79517, 26}, {84035, 25}, {89053, 24}};

/* First row whose window is not below w; HS_ROWS: none. */
static uint32_t hs_row_at_least(double w)
{
    uint32_t low = 0, high = HS_ROWS;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (hs_table[middle].window < w)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Last row whose window is not above w; the first one below that. */
static uint32_t hs_row_at_most(double w)
{
    uint32_t row = hs_row_at_least(w);
    return row < HS_ROWS && hs_table[row].window == w ? row : row > 0 ? row - 1 : 0;
}

/* Part of the window that a loss takes away: the formula, */
static double hs_decrease_at(double w)
{
    if (w <= HS_LOW_WINDOW)
        return HS_LOW_DECREASE;
    double at = (det_log(w) - det_log(HS_LOW_WINDOW)) / (det_log(HS_HIGH_WINDOW) - det_log(HS_LOW_WINDOW));
    double b = HS_LOW_DECREASE + (HS_HIGH_DECREASE - HS_LOW_DECREASE) * at;
    return b > HS_HIGH_DECREASE ? b : HS_HIGH_DECREASE;
}

/* and the column of the table: the formula at the row's window, to two digits. */
static double hs_decrease(bool table, double w)
{
    if (!table)
        return hs_decrease_at(w);
    return (int)(100 * hs_decrease_at(hs_table[hs_row_at_most(w)].window) + 0.5) / 100.0;
}

/* w^-0.2 for a normal w > 0, to the last bits: Newton's steps without a division, since every ACK takes them (det_pow
 * costs as much as all else that an ACK does). Beginning with the exponent over -5 the error is below 0.08; a step
 * makes it three times its square. */
static double hs_inverse_fifth_root(double w)
{
    const uint64_t one = UINT64_C(0x3ff0000000000000); /* 1.0 */
    uint64_t bits;
    double y;
    memcpy(&bits, &w, sizeof bits);
    bits = one + one / 5 - bits / 5;
    memcpy(&y, &bits, sizeof y);
    for (int step = 0; step < 5; step++) {
        double square = y * y;
        y *= 1.2 - 0.2 * w * (square * square * y);
    }
    return y;
}

/* Segments per round trip: w^2 p(w) 2 b / (2 - b). */
static double hs_increase(bool table, double w)
{
    if (w <= HS_LOW_WINDOW)
        return 1;
    if (table)
        return hs_row_at_most(w) + 1;
    double b = hs_decrease_at(w);
    double a = HS_LOSS_FACTOR * w * hs_inverse_fifth_root(w) * 2 * b / (2 - b);
    return a > 1 ? a : 1;
}

static void highspeed_on_ack(struct sim *s, struct flow *f, double acked)
{
    double cwnd = f->cwnd;
    acked = hystart_slow_start(f, CC_STATE(f, struct hystart), acked, &cwnd);
    if (acked > 0)
        cwnd += hs_increase(f->cfg->window.hstcp_table, cwnd) * acked / cwnd;
    growth_set_cwnd(s, f, cwnd);
}

static double highspeed_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    double window = growth_window_at_loss(f);
    return growth_at_least_min((1 - hs_decrease(f->cfg->window.hstcp_table, window)) * window);
}

const struct cc_ops cc_highspeed = {
    .item = {"highspeed", "increase and decrease that depend on the window", "RFC 3649", "hstcp"},
    .on_ack = highspeed_on_ack,
    .ssthresh = highspeed_ssthresh,
    .on_rtt = hystart_on_rtt,
    .on_timeout = hystart_on_timeout,
};

struct highspeed_linux {
    struct hystart hystart;
    struct linux_growth growth;
};

static uint32_t hs_linux_row(uint32_t cwnd)
{
    uint32_t row = hs_row_at_least(cwnd);
    return row < HS_ROWS ? row : HS_ROWS - 1;
}

/* Linux counts a + 1 of its row (from 0) per ACK, and an ACK's segments as one. */
static void highspeed_linux_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct highspeed_linux *c = CC_STATE(f, struct highspeed_linux);
    uint32_t cwnd = linux_cwnd(f), left = hystart_linux_slow_start(f, &c->hystart, &c->growth, acked, &cwnd);
    if (left > 0) {
        c->growth.count += hs_linux_row(cwnd) + 1;
        if (c->growth.count >= cwnd) {
            c->growth.count -= cwnd;
            cwnd++;
        }
    }
    growth_set_cwnd(s, f, cwnd);
}

static double highspeed_linux_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    uint32_t cwnd = linux_cwnd(f);
    uint64_t taken = (uint64_t)cwnd * hs_table[hs_linux_row(cwnd)].decrease / HS_DECREASE_SCALE;
    CC_STATE(f, struct highspeed_linux)->growth.count = 0;
    return growth_at_least_min(cwnd - (double)taken);
}

const struct cc_ops cc_highspeed_linux = {
    .item = {"highspeed_linux", "highspeed in whole segments", "Linux 6.1 tcp_highspeed.c", NULL},
    .on_ack = highspeed_linux_on_ack,
    .ssthresh = highspeed_linux_ssthresh,
    .on_rtt = hystart_on_rtt,
    .on_timeout = hystart_on_timeout,
};

struct highspeed_linux26 {
    struct linux26_growth growth;
    uint32_t row;
};

static void highspeed_linux26_on_ack(struct sim *s, struct flow *f, double acked)
{
    (void)acked;
    struct highspeed_linux26 *c = CC_STATE(f, struct highspeed_linux26);
    uint32_t cwnd = linux_cwnd(f);
    if (linux26_in_slow_start(f)) {
        cwnd = linux26_slow_start(f, &c->growth, cwnd);
    } else {
        c->row = hs_linux_row(cwnd);
        c->growth.count += c->row + 1;
        if (c->growth.count >= cwnd) {
            c->growth.count -= cwnd;
            cwnd = linux26_one_more(f, cwnd);
        }
    }
    growth_set_cwnd(s, f, cwnd);
}

static double highspeed_linux26_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    struct highspeed_linux26 *c = CC_STATE(f, struct highspeed_linux26);
    uint32_t cwnd = linux_cwnd(f), taken = (uint32_t)((uint64_t)cwnd * hs_table[c->row].decrease / HS_DECREASE_SCALE);
    return linux26_reduce(&c->growth, cwnd - taken);
}

const struct cc_ops cc_highspeed_linux26 = {
    .item = {"highspeed_linux26", "highspeed of Linux 2.6.22", "ns-2 2.35, linux/src/tcp_highspeed.c", NULL},
    .on_ack = highspeed_linux26_on_ack,
    .ssthresh = highspeed_linux26_ssthresh,
    .on_rtt = linux26_on_rtt,
    .recovery_window = linux26_half_ssthresh,
};

static void highspeed_ns3_on_ack(struct sim *s, struct flow *f, double acked)
{
    struct highspeed_linux26 *c = CC_STATE(f, struct highspeed_linux26);
    double cwnd = f->cwnd;
    if (cwnd < f->ssthresh && acked >= 1) {
        cwnd += 1;
        acked -= 1;
    }
    uint32_t before = ns3_whole(cwnd), window = before;
    if (cwnd >= f->ssthresh) {
        for (c->growth.count += (uint32_t)acked * (hs_linux_row(window) + 1); c->growth.count >= window; window++)
            c->growth.count -= window;
    }
    growth_set_cwnd(s, f, window == before ? cwnd : window);
}

static double highspeed_ns3_ssthresh(struct sim *s, struct flow *f)
{
    (void)s;
    uint32_t window = ns3_in_flight(f);
    double taken = (double)hs_table[hs_linux_row(window)].decrease / HS_DECREASE_SCALE;
    return growth_at_least_min((uint32_t)(window * (1 - taken)));
}

const struct cc_ops cc_highspeed_ns3 = {
    .item = {"highspeed_ns3", "TcpHighSpeed of ns-3", "ns-3 3.48, tcp-highspeed.cc", NULL},
    .on_ack = highspeed_ns3_on_ack,
    .ssthresh = highspeed_ns3_ssthresh,
};
