/* model_input.c - what the models need to know, taken from a scenario. */
#include "models.h"

#include <math.h>
#include <string.h>

#include "../../kernels/registry.h"
#include "../../kernels/scenario.h"

/* Every table of operations begins with its struct item. */
static const char *item_name(const void *ops)
{
    return ops ? ((const struct item *)ops)->name : "";
}

static const struct channel_cfg *hop_channel(const struct scenario *sc, struct hop_ref hop)
{
    const struct link_cfg *link = &sc->links[hop.link];
    return &link->channel[link->shared_duplex ? FORWARD : hop.direction];
}

static bool is_stationary(const struct channel_cfg *channel)
{
    return channel->nsteps == 0 && channel->gilbert.good_to_bad == 0 && channel->onoff.up_mean_ps == 0 &&
           channel->per_retransmission == 0 && channel->error.jitter.jitter_ps == 0 &&
           channel->error.jitter.reorder == 0;
}

/* Whether the application always has data: bulk, or writes at least as fast as the bottleneck carries payload. */
static bool is_saturated(const struct app_cfg *app, const struct model_input *in)
{
    if (strcmp(item_name(app->ops), "bulk") == 0)
        return true;
    return strcmp(item_name(app->ops), "cbr") == 0 && app->interval_ps > 0 &&
           8.0 * app->packet_bytes * PS_PER_S / (double)app->interval_ps >= model_link_limit_bps(in);
}

/* Probability that a packet is lost on the way; -1 if a link's losses are not independent. Also finds the bottleneck
 * of a full segment when `in` is not NULL. */
static double path_loss(const struct scenario *sc, enum direction way, double packet_bytes, struct model_input *in)
{
    const struct flow_cfg *flow = &sc->flows[0];
    double passes = 1, longest_s = 0;
    for (uint32_t i = 0; i < flow->path_len[way]; i++) {
        struct hop_ref hop = flow->path[way][i];
        const struct channel_cfg *channel = hop_channel(sc, hop);
        double bytes = packet_bytes + channel->overhead_bytes;
        if (!is_stationary(channel) || sc->links[hop.link].ndrops > 0)
            return -1;
        passes *= (1 - channel->per) * (1 - model_packet_error_rate(channel->ber, bytes));
        if (in && 8 * bytes / channel->rate_bps > longest_s) {
            longest_s = 8 * bytes / channel->rate_bps;
            in->link_bps = channel->rate_bps;
            in->header_bytes = bytes - in->mss_bytes;
        }
    }
    return 1 - passes;
}

static double window_segments(const struct tcp_cfg *tcp)
{
    double bytes = (double)tcp->receive_window_bytes;
    if (!tcp->window_scaling)
        bytes = fmin(bytes, 65535);
    if (tcp->send_buffer_bytes > 0)
        bytes = fmin(bytes, (double)tcp->send_buffer_bytes);
    return floor(fmin(bytes / tcp->mss_bytes, tcp->cwnd_max_segs));
}

/* First timeout with a steady RTT: the variance term has decayed to its floor. */
static double first_timeout_s(const struct tcp_cfg *tcp, double rtt_s)
{
    double min_s = (double)tcp->min_rto_ps / PS_PER_S;
    if (tcp->rto_estimator == RTO_LINUX)
        return rtt_s + min_s;
    return fmax(min_s, rtt_s + (double)tcp->rto_granularity_ps / PS_PER_S);
}

int model_input_from_scenario(const struct scenario *sc, struct model_input *out)
{
    const struct flow_cfg *flow = &sc->flows[0];
    const struct tcp_cfg *tcp = &flow->tcp;
    if (sc->nflows != 1 || flow->stop_ps < sc->measure_to_ps || tcp->mss_bytes == 0)
        return -1;
    uint32_t option_bytes = tcp->timestamps ? tcp->timestamp_bytes : 0;
    uint32_t ack_bytes = (tcp->ack_bytes ? tcp->ack_bytes : tcp->header_bytes) + option_bytes;
    *out = (struct model_input){
        .mss_bytes = tcp->mss_bytes,
        .rtt_s = (double)scenario_base_rtt_ps(sc, 0) / PS_PER_S,
        .window_segs = window_segments(tcp),
        /* Byte or segment counting makes up for delayed ACKs in window growth. */
        .acks_per = tcp->delayed_ack && tcp->growth == GROWTH_ACK ? tcp->delayed_ack_segments : 1,
        .cc = item_name(tcp->cc),
        .recovery = item_name(tcp->recovery),
        .window = tcp->window,
    };
    out->loss = path_loss(sc, FORWARD, tcp->mss_bytes + tcp->header_bytes + option_bytes, out);
    out->rto_s = first_timeout_s(tcp, out->rtt_s);
    /* Cumulative ACKs hide the loss of one ACK in ten. */
    double ack_loss = path_loss(sc, REVERSE, ack_bytes, NULL);
    if (out->loss < 0 || ack_loss < 0 || ack_loss > 0.1 || !is_saturated(&flow->app, out))
        return -1;
    return 0;
}
