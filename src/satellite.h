/* satellite.h - how long light takes from one place on Earth to another over satellites.
 *
 * LEO: an Iridium-like constellation as in ns-2's sat-iridium.tcl: planes of equally spaced satellites on circular
 * near-polar orbits, every second plane turned by half a spacing, links to both neighbours in the plane and to the
 * satellite of the same number in the planes beside it, those off above 60 degrees of latitude and none across the seam
 * between the last plane and the first. A terminal keeps its satellite until that is below the elevation mask (looked
 * at each 10 s), then takes the highest. Routes are the shortest. GEO: one satellite above the equator.
 *
 * Sines are computed here (IEEE + - * / only) and delays rounded to 1 us, so schedules are the same on every machine.
 */
#ifndef SRC_SATELLITE_H
#define SRC_SATELLITE_H

#include <stdint.h>

struct place {
    double latitude, longitude; /* degrees, north and east */
};

enum { LEO_PLANES_MAX = 24, LEO_PER_PLANE_MAX = 40, LEO_CHECK_S = 10 };

struct leo {
    struct place ends[2];
    double altitude_km;
    double planes, per_plane; /* whole numbers */
    double inclination;       /* degrees */
    double separation;        /* degrees between neighbouring planes */
    double mask;              /* degrees above the horizon */
    /* where it stands: satellites that serve the ends, -1: none yet */
    int serving[2];
};

/* One-way propagation at a time, ps, and the satellites on the way; -1 if there is no way. Times in ascending order. */
int64_t leo_delay_ps(struct leo *leo, double time_s, int *passed);

/* The same over a geostationary satellite at a longitude; -1 if one end does not see it. */
int64_t geo_delay_ps(const struct place ends[2], double longitude);

/* Between a terminal and a satellite at an elevation above the horizon, and between two satellites of an orbit an angle
 * apart, ps: for tests. */
int64_t satellite_slant_ps(double altitude_km, double elevation);
int64_t satellite_neighbours_ps(double altitude_km, double separation);

#endif
