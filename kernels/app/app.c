/* app.c - what applications have in common: their random draws, and the check of their settings.
 *
 * Pareto: density shape x scale^shape / x^(shape + 1) above scale, whose mean is scale x shape / (shape - 1).
 * Lognormal: exp of a normal with deviation sigma and mean ln(size) - sigma^2 / 2, so that its own mean is `size`.
 */
#include "../instance.h"

#include <math.h>
#include <stdio.h>

static const double LARGEST_BYTES = 1e15, LARGEST_PS = 1e18;

void app_random_init(const struct sim *s, const struct flow *f, struct random_stream *random)
{
    enum { APP_ELEMENTS = 0x60000000 };
    random_init(random, s->key, APP_ELEMENTS + f->id);
}

bool app_is_random(const struct app_cfg *app)
{
    return app->ops->is_random && app->ops->is_random(app);
}

uint64_t app_most_events(double mean)
{
    return (uint64_t)(mean + 12 * sqrt(mean)) + 64;
}

static double draw_pareto(struct random_stream *random, double mean, double shape)
{
    return mean * (shape - 1) / shape * det_pow(random_uniform(random), -1 / shape);
}

int64_t app_draw_time(struct random_stream *random, enum time_law law, int64_t mean_ps, double shape)
{
    if (law == TIME_FIXED)
        return mean_ps;
    if (law == TIME_EXPONENTIAL)
        return random_exponential(random, mean_ps);
    double t_ps = draw_pareto(random, (double)mean_ps, shape);
    return t_ps < 1 ? 1 : t_ps < LARGEST_PS ? (int64_t)t_ps : (int64_t)LARGEST_PS;
}

static double draw_lognormal(struct random_stream *random, double mean, double sigma)
{
    return det_exp(det_log(mean) - sigma * sigma / 2 + sigma * random_normal(random));
}

static uint64_t draw_listed(struct random_stream *random, const struct size_list *sizes)
{
    double share = random_uniform(random);
    uint32_t low = 0, high = sizes->n - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (share <= sizes->at[middle].share)
            high = middle;
        else
            low = middle + 1;
    }
    return sizes->at[low].bytes;
}

uint64_t app_draw_size(struct random_stream *random, const struct app_cfg *app)
{
    double bytes = (double)app->size_bytes, most = app->size_max_bytes ? (double)app->size_max_bytes : LARGEST_BYTES;
    switch (app->size_law) {
    case SIZE_FIXED:
        return app->size_bytes;
    case SIZE_EMPIRICAL:
        return draw_listed(random, &app->sizes);
    case SIZE_EXPONENTIAL:
        bytes *= -det_log(random_uniform(random));
        break;
    case SIZE_PARETO:
        bytes = draw_pareto(random, bytes, app->size_shape);
        break;
    case SIZE_LOGNORMAL:
        bytes = draw_lognormal(random, bytes, app->size_sigma);
    }
    bytes = bytes < most ? bytes : most;
    return bytes > 1 ? (uint64_t)(bytes + 0.5) : 1;
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

/* The setting that is missing, or NULL. */
static const char *missing(const struct app_cfg *app)
{
    bool is_drawn = app->size_law == SIZE_EMPIRICAL;
    const struct {
        enum app_need need;
        bool is_there;
        const char *what;
    } rows[] = {
        {NEEDS_SIZE, is_drawn || app->size_bytes > 0, "a size above 0"},
        {NEEDS_SIZE, !is_drawn || app->sizes.n > 0, "sizes to draw from (size_law empirical)"},
        {NEEDS_PACKET, app->packet_bytes > 0, "a packet above 0"},
        {NEEDS_INTERVAL, app->interval_ps > 0, "an interval above 0"},
        {NEEDS_PERIODS, app->on_ps > 0, "an on_time above 0"},
        {NEEDS_PERIODS, app->off_ps > 0, "an off_time above 0"},
        {NEEDS_VIDEO, app->fps > 0 && app->ppf > 0 && app->bpp_mean > 0, "fps, ppf and bpp_mean above 0"},
        {NEEDS_TRACE, app->trace.n > 0, "a trace"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (app->ops->needs & rows[i].need && !rows[i].is_there)
            return rows[i].what;
    return NULL;
}

static bool fits_buffer(const struct flow_cfg *flow)
{
    uint32_t write = flow->app.packet_bytes;
    uint64_t buffer = flow->tcp.send_buffer_bytes;
    return write > 0 && (buffer == 0 || write <= buffer);
}

const char *app_check(const struct flow_cfg *flow, char *text, size_t size)
{
    const struct app_cfg *app = &flow->app;
    const char *what = missing(app);
    if (what)
        snprintf(text, size, "flow %s: app kind %s needs %s", flow->name, app->ops->item.name, what);
    else if (app->ops->transport != TRANSPORT_TCP && app->packet_bytes + DATAGRAM_HEADER_BYTES > 65535)
        snprintf(text, size, "flow %s: packet of %u B exceeds an IP packet, expected at most %d B", flow->name,
                 app->packet_bytes, 65535 - DATAGRAM_HEADER_BYTES);
    else if (app->ops->has_files && app->interval_ps > 0 && app->think_ps > 0)
        snprintf(text, size, "flow %s: think and interval both say when the next file begins, expected one of them",
                 flow->name);
    else if (app->ops->fills_buffer && !fits_buffer(flow))
        snprintf(text, size,
                 "flow %s: app writes needs a packet above 0 that fits into send_buffer, found %u B and %llu B",
                 flow->name, app->packet_bytes, (unsigned long long)flow->tcp.send_buffer_bytes);
    else
        return NULL;
    return text;
}
