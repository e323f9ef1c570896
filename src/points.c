/* points.c - checks, prices and deals grid points. */
#include "points.h"
#include "par.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- price ------------------------------------------------------------------------------------------------------- */

/* How many flows send data over each link direction; NULL without memory. */
static uint32_t *count_users(const struct scenario *sc)
{
    uint32_t *users = calloc((size_t)sc->nlinks * 2 + 1, sizeof *users);
    for (uint32_t f = 0; users && f < sc->nflows; f++)
        for (uint16_t i = 0; i < sc->flows[f].path_len[FORWARD]; i++) {
            struct hop_ref hop = sc->flows[f].path[FORWARD][i];
            users[hop.link * 2 + hop.direction]++;
        }
    return users;
}

/* Packets a second that the slowest link of a flow's path lets through, shared by the flows that use it. */
static double rate_limit(const struct scenario *sc, const struct flow_cfg *flow, const uint32_t *users)
{
    double packet_bits = 8.0 * (flow->tcp.mss_bytes + flow->tcp.header_bytes);
    double limit = INFINITY;
    for (uint16_t i = 0; i < flow->path_len[FORWARD]; i++) {
        struct hop_ref hop = flow->path[FORWARD][i];
        double rate_bps = sc->links[hop.link].channel[hop.direction].rate_bps;
        limit = fmin(limit, rate_bps / packet_bits / (users ? users[hop.link * 2 + hop.direction] : 1));
    }
    return limit;
}

static double flow_packets(const struct scenario *sc, uint32_t index, const uint32_t *users)
{
    const struct flow_cfg *flow = &sc->flows[index];
    double mss = flow->tcp.mss_bytes > 0 ? flow->tcp.mss_bytes : 1;
    double rtt_s = (double)scenario_base_rtt_ps(sc, index) / PS_PER_S;
    int64_t stop_ps = flow->stop_ps < sc->measure_to_ps ? flow->stop_ps : sc->measure_to_ps;
    double active_s = stop_ps > flow->start_ps ? (double)(stop_ps - flow->start_ps) / PS_PER_S : 0;
    double rate = rate_limit(sc, flow, users);
    if (rtt_s > 0)
        rate = fmin(rate, (double)flow->tcp.receive_window_bytes / mss / rtt_s);
    double write_bytes = flow->app.size_bytes > 0 ? (double)flow->app.size_bytes : flow->app.packet_bytes;
    if (flow->app.interval_ps > 0)
        rate = fmin(rate, ceil(write_bytes / mss) * PS_PER_S / (double)flow->app.interval_ps);
    double packets = active_s * rate;
    if (flow->app.size_bytes > 0 && flow->app.repeat > 0)
        packets = fmin(packets, ceil(write_bytes / mss) * (double)flow->app.repeat);
    return packets;
}

double points_packets(const struct scenario *sc)
{
    double packets = 0;
    uint32_t *users = count_users(sc);
    for (uint32_t f = 0; f < sc->nflows; f++)
        packets += flow_packets(sc, f, users);
    free(users);
    return isfinite(packets) && packets > 1 ? packets : 1;
}

/* --- check ------------------------------------------------------------------------------------------------------- */

static int check_point(const struct sweep *sweep, const char *path, uint64_t point, double *cost, struct error *err)
{
    char text[512], label[256];
    struct scenario *sc = sweep_scenario(sweep, point, err);
    if (!sc)
        return -1;
    const char *wrong = scenario_check(sc, text, sizeof text);
    if (!wrong)
        *cost = points_packets(sc);
    free(sc);
    if (!wrong)
        return 0;
    sweep_point_label(sweep, point, label, sizeof label);
    return error_set(err, EXIT_BAD_INPUT, "%s: %s%s%s%s", path, wrong, *label ? " (at " : "", label, *label ? ")" : "");
}

int points_check(const struct sweep *sweep, const char *path, int threads, double *cost, struct error *err)
{
    uint64_t npoints = sweep_npoints(sweep), first_bad = npoints;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
    for (uint64_t point = 0; point < npoints; point++) {
        struct error mine;
        uint64_t bad;
        cost[point] = 0;
#pragma omp atomic read
        bad = first_bad;
        if (point > bad || point % par_size() != par_rank() || !sweep_point_selected(sweep, point) ||
            check_point(sweep, path, point, &cost[point], &mine) == 0)
            continue;
#pragma omp critical
        if (point < first_bad) {
            *err = mine;
#pragma omp atomic write
            first_bad = point;
        }
    }
    if (par_agree(first_bad < npoints ? -1 : 0, err))
        return -1;
    par_sum(cost, npoints);
    return 0;
}

/* --- order and deal ---------------------------------------------------------------------------------------------- */

struct priced {
    double cost;
    uint64_t point;
};

static int compare(const void *a, const void *b)
{
    const struct priced *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? 1 : -1;
    return x->point < y->point ? -1 : x->point > y->point;
}

uint64_t *points_in_order(const double *cost, uint64_t npoints, uint64_t *n)
{
    struct priced *priced = malloc((npoints + 1) * sizeof *priced);
    uint64_t *points = malloc((npoints + 1) * sizeof *points);
    *n = 0;
    if (!priced || !points) {
        free(priced);
        free(points);
        return NULL;
    }
    for (uint64_t point = 0; point < npoints; point++)
        if (cost[point] > 0)
            priced[(*n)++] = (struct priced){cost[point], point};
    qsort(priced, *n, sizeof *priced, compare);
    for (uint64_t i = 0; i < *n; i++)
        points[i] = priced[i].point;
    free(priced);
    return points;
}

uint64_t points_deal(uint64_t *points, uint64_t n, uint32_t bin, uint32_t bins)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t place = (uint32_t)(i % bins);
        if (bin == (i / bins % 2 ? bins - 1 - place : place))
            points[kept++] = points[i];
    }
    return kept;
}
