/* points.h - the grid points of a run: checked, priced, put in order and dealt to shards and ranks before work starts.
 */
#ifndef SRC_POINTS_H
#define SRC_POINTS_H

#include "sweep.h"

/* Checks every selected point's scenario, each rank its part, threads share it; messages name `path`. `cost` gets the
 * data packets that one replication is likely to send, 0 for points that are left out. */
int points_check(const struct sweep *sweep, const char *path, int threads, double *cost, struct error *err);

/* Data packets that one replication is likely to send: for each flow what its bottleneck and its window allow. An
 * estimate, to put costly points first. */
double points_packets(const struct scenario *sc);

/* The selected points (cost > 0), most expensive first, equal ones by number; *n of them. Free with free(). */
uint64_t *points_in_order(const double *cost, uint64_t npoints, uint64_t *n);

/* Keeps of points in order those that fall to `bin` of `bins`: dealt to and fro, so that sums of cost are alike. */
uint64_t points_deal(uint64_t *points, uint64_t n, uint32_t bin, uint32_t bins);

#endif
