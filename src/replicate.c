/* replicate.c - statistics of replications and the sequential stopping rule (at least `min` of them; zero variance or a
 * zero mean never counts as converged, since a rare event that has not come yet looks just like that). */
#include "replicate.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

const char *const stop_reason_text[] = {
    [STOP_NONE] = "",
    [STOP_TARGET] = "target",
    [STOP_MAX] = "max",
    [STOP_FIXED] = "fixed",
    [STOP_DETERMINISTIC] = "deterministic",
    [STOP_TIME] = "time",
};

/* Two passes over differences from the first value: equal values then have a variance of exactly zero. */
struct summary summarise(const double *values, uint64_t n, double confidence)
{
    struct summary s = {0, NAN, NAN, NAN};
    double first = 0, sum = 0, squares = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (!isfinite(values[i]))
            continue;
        if (s.n++ == 0)
            first = values[i];
        sum += values[i] - first;
    }
    if (s.n == 0)
        return s;
    const double offset = sum / (double)s.n;
    s.mean = first + offset;
    if (s.n < 2)
        return s;
    for (uint64_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            squares += (values[i] - first - offset) * (values[i] - first - offset);
    s.sd = sqrt(squares / (double)(s.n - 1));
    s.half_width = gsl_cdf_tdist_Pinv(0.5 + 0.5 * confidence, (double)(s.n - 1)) * s.sd / sqrt((double)s.n);
    return s;
}

uint32_t next_look(const struct replication_rule *rule, uint32_t n)
{
    uint64_t look = rule->min > 0 ? rule->min : 1;
    while (look <= n && look < rule->max)
        look += (look + 1) / 2;
    return look < rule->max ? (uint32_t)look : rule->max;
}

static double total(const double *values, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += isfinite(values[i]) ? values[i] : 0;
    return sum;
}

static bool converged(const struct replication_rule *rule, const double *values, uint32_t n)
{
    const struct summary s = summarise(values, n, rule->confidence);
    if (s.n < 2 || s.n < rule->min || !(s.sd > 0) || s.mean == 0)
        return false;
    if (rule->min_events > 0 && total(values, n) < rule->min_events)
        return false;
    return s.half_width <= rule->half_width * fabs(s.mean);
}

enum stop_reason decide(const struct replication_rule *rule, bool random, const double *values, uint32_t n)
{
    if (n == 0)
        return STOP_NONE;
    if (!random)
        return STOP_DETERMINISTIC;
    if (rule->min == rule->max)
        return n >= rule->max ? STOP_FIXED : STOP_NONE;
    if (converged(rule, values, n))
        return STOP_TARGET;
    return n >= rule->max ? STOP_MAX : STOP_NONE;
}
