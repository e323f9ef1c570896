/* video.c - video with independent Gaussian frames over TCP: a frame every 1 / fps seconds, one write each.
 *
 * A frame has ppf pixels of B bits each, B normal with mean bpp_mean and deviation bpp_sigma, drawn again where it is
 * not above 0; frames are independent (NetSim's independent Gaussian model; without the redrawing the rate is fps x ppf
 * x bpp_mean with variance fps^2 ppf^2 bpp_sigma^2). Bytes: whole ones of the frame's bits, at least 1. The default
 * deviation, 0.23, is that of the source that Maglaris et al. measured (IEEE Trans. Commun. 36(7), 1988).
 */
#include "series.h"

static bool video_is_random(const struct app_cfg *app)
{
    return app->bpp_sigma > 0;
}

/* Frames of a sixteenth of the mean size would have to come in series to make more. */
static uint64_t video_short_segments(const struct app_cfg *app, uint64_t window_bytes)
{
    double bytes = app->bpp_mean * app->ppf / 8 / 16;
    return (uint64_t)((double)window_bytes / (bytes > 1 ? bytes : 1)) + 1;
}

static double draw_bits_per_pixel(const struct app_cfg *app, struct random_stream *random)
{
    double bpp = app->bpp_mean;
    if (app->bpp_sigma <= 0)
        return bpp;
    do
        bpp = app->bpp_mean + app->bpp_sigma * random_normal(random);
    while (bpp <= 0);
    return bpp;
}

static void next_frame(const struct flow *f, struct app_cursor *frame)
{
    const struct app_cfg *app = &f->flow_cfg->app;
    double bytes = draw_bits_per_pixel(app, &frame->random) * app->ppf / 8;
    frame->bytes = bytes > 1 ? (uint64_t)bytes : 1;
    frame->t_ps = f->app.start_ps + (int64_t)((double)frame->k++ / app->fps * (double)PS_PER_S + 0.5);
}

const struct app_ops app_video = {
    .item = {"video", "video frames of independent Gaussian sizes over TCP", "-", "Video, Gaussian (NetSim)"},
    .transport = TRANSPORT_TCP,
    .needs = NEEDS_VIDEO,
    .is_uniform = series_is_uniform,
    .is_random = video_is_random,
    .short_segments = video_short_segments,
    .on_open = series_on_open,
    .on_starved = series_on_starved,
    .on_timer = series_on_timer,
    .next_write = next_frame,
    .next_record = series_next_record,
};
