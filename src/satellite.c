/* satellite.c - see satellite.h. Constants are those of ns-2. */
#include "satellite.h"

#include <math.h>
#include <stdbool.h>

#define EARTH_RADIUS_KM 6378.0
#define LIGHT_KM_S 299793.0
#define MU_KM3_S2 398601.2
#define GEO_ALTITUDE_KM 35786.0
#define EARTH_DAY_S 86164.0
#define PI 3.14159265358979323846
#define POLAR_LATITUDE 60.0 /* links between planes are off above it */

enum { SATELLITES_MAX = LEO_PLANES_MAX * LEO_PER_PLANE_MAX };

struct point {
    double x, y, z; /* km */
};

/* --- geometry ----------------------------------------------------------------------------------------------------- */

/* The series to x^19 on a quarter turn. */
static double sine(double degrees)
{
    double turns = degrees / 360;
    double x = turns - (double)(int64_t)turns;
    x = x > 0.5 ? x - 1 : x < -0.5 ? x + 1 : x;
    x = x > 0.25 ? 0.5 - x : x < -0.25 ? -0.5 - x : x;
    x *= 2 * PI;
    double sum = 1;
    for (int k = 18; k >= 2; k -= 2)
        sum = 1 - sum * x * x / (k * (k + 1));
    return x * sum;
}

static double cosine(double degrees)
{
    return sine(degrees + 90);
}

static struct point on_earth(struct place place)
{
    double r = EARTH_RADIUS_KM * cosine(place.latitude);
    return (struct point){r * cosine(place.longitude), r * sine(place.longitude),
                          EARTH_RADIUS_KM * sine(place.latitude)};
}

static double distance(struct point a, struct point b)
{
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

/* Sine of the angle at which `earth` sees `satellite` above its horizon. */
static double sine_of_elevation(struct point earth, struct point satellite)
{
    double up =
        earth.x * (satellite.x - earth.x) + earth.y * (satellite.y - earth.y) + earth.z * (satellite.z - earth.z);
    return up / (EARTH_RADIUS_KM * distance(earth, satellite));
}

static int64_t light_ps(double km)
{
    return (int64_t)(km / LIGHT_KM_S * 1e6 + 0.5) * 1000000;
}

/* --- the constellation -------------------------------------------------------------------------------------------- */

static int count(const struct leo *leo)
{
    return (int)leo->planes * (int)leo->per_plane;
}

static void place_satellites(const struct leo *leo, double time_s, struct point *at)
{
    double r = EARTH_RADIUS_KM + leo->altitude_km, period_s = 2 * PI * sqrt(r * r * r / MU_KM3_S2);
    double spacing = 360 / leo->per_plane, ci = cosine(leo->inclination), si = sine(leo->inclination);
    for (int p = 0; p < (int)leo->planes; p++) {
        double cn = cosine(p * leo->separation), sn = sine(p * leo->separation);
        for (int k = 0; k < (int)leo->per_plane; k++) {
            double along = spacing * (k + 0.5 * (p % 2)) + 360 * time_s / period_s;
            double c = cosine(along), s = sine(along);
            *at++ = (struct point){r * (cn * c - sn * s * ci), r * (sn * c + cn * s * ci), r * s * si};
        }
    }
}

static int highest(const struct leo *leo, struct point earth, const struct point *at)
{
    int best = 0;
    for (int i = 1; i < count(leo); i++)
        if (sine_of_elevation(earth, at[i]) > sine_of_elevation(earth, at[best]))
            best = i;
    return sine_of_elevation(earth, at[best]) >= sine(leo->mask) ? best : -1;
}

/* Whether there is a link between satellites i < k. */
static bool is_linked(const struct leo *leo, const struct point *at, int i, int k)
{
    int per_plane = (int)leo->per_plane, distance_in_plane = k % per_plane - i % per_plane;
    int planes_apart = k / per_plane - i / per_plane;
    if (planes_apart == 0)
        return distance_in_plane == 1 || distance_in_plane == per_plane - 1;
    double polar_km = (EARTH_RADIUS_KM + leo->altitude_km) * sine(POLAR_LATITUDE);
    return planes_apart == 1 && distance_in_plane == 0 && fabs(at[i].z) <= polar_km && fabs(at[k].z) <= polar_km;
}

/* Dijkstra from one satellite to another; km, or -1. */
static double shortest_km(const struct leo *leo, const struct point *at, int from, int to, int *passed)
{
    double km[SATELLITES_MAX];
    int hops[SATELLITES_MAX], n = count(leo);
    bool done[SATELLITES_MAX];
    for (int i = 0; i < n; i++)
        km[i] = INFINITY, hops[i] = 0, done[i] = false;
    km[from] = 0;
    for (;;) {
        int next = -1;
        for (int i = 0; i < n; i++)
            if (!done[i] && km[i] < INFINITY && (next < 0 || km[i] < km[next]))
                next = i;
        if (next < 0)
            return -1;
        done[next] = true;
        if (next == to)
            break;
        for (int i = 0; i < n; i++) {
            if (done[i] || !is_linked(leo, at, i < next ? i : next, i < next ? next : i))
                continue;
            double way = km[next] + distance(at[next], at[i]);
            if (way < km[i])
                km[i] = way, hops[i] = hops[next] + 1;
        }
    }
    *passed = hops[to] + 1;
    return km[to];
}

int64_t leo_delay_ps(struct leo *leo, double time_s, int *passed)
{
    struct point at[SATELLITES_MAX], ends[2];
    place_satellites(leo, time_s, at);
    for (int e = 0; e < 2; e++) {
        struct place place = leo->ends[e];
        place.longitude += 360 * time_s / EARTH_DAY_S;
        ends[e] = on_earth(place);
        int *serving = &leo->serving[e];
        if (*serving < 0 || sine_of_elevation(ends[e], at[*serving]) < sine(leo->mask))
            *serving = highest(leo, ends[e], at);
        if (*serving < 0)
            return -1;
    }
    double km = shortest_km(leo, at, leo->serving[0], leo->serving[1], passed);
    if (km < 0)
        return -1;
    return light_ps(km + distance(ends[0], at[leo->serving[0]]) + distance(ends[1], at[leo->serving[1]]));
}

/* --- single links ------------------------------------------------------------------------------------------------- */

int64_t geo_delay_ps(const struct place ends[2], double longitude)
{
    double r = EARTH_RADIUS_KM + GEO_ALTITUDE_KM, km = 0;
    struct point satellite = {r * cosine(longitude), r * sine(longitude), 0};
    for (int e = 0; e < 2; e++) {
        struct point end = on_earth(ends[e]);
        if (sine_of_elevation(end, satellite) <= 0)
            return -1;
        km += distance(end, satellite);
    }
    return light_ps(km);
}

int64_t satellite_slant_ps(double altitude_km, double elevation)
{
    double r = EARTH_RADIUS_KM + altitude_km, up = EARTH_RADIUS_KM * sine(elevation);
    return light_ps(sqrt(up * up + r * r - EARTH_RADIUS_KM * EARTH_RADIUS_KM) - up);
}

int64_t satellite_neighbours_ps(double altitude_km, double separation)
{
    return light_ps(2 * (EARTH_RADIUS_KM + altitude_km) * sine(separation / 2));
}
