/* receiver_linux.c - see receiver_linux.h. Linux 6.1: tcp_input.c (tcp_event_data_recv, __tcp_ack_snd_check,
 * tcp_data_queue, tcp_grow_window, tcp_rcv_space_adjust), tcp_output.c (tcp_send_delayed_ack), tcp_timer.c
 * (tcp_delack_timer_handler).
 *
 * The application reads at once, so what waits for its reading in Linux happens on arrival: a short segment is
 * acknowledged at once. Not modelled: the push flag of a full segment at the end of a write.
 * Times between segments are in ticks of the clock (rto_granularity), as in Linux.
 */
#include "instance.h"
#include "rto.h"

enum { DUPLICATES_AT_ONCE = 3, COMPRESSED_MOST = 44 }; /* tcp_comp_sack_nr */

/* tcp_comp_sack_slack_ns: with nothing else to do, the kernel's high-resolution timer fires so much later. */
static const int64_t COMPRESSION_SLACK_PS = 100 * PS_PER_US;
static const int64_t DELAY_MOST_PS = 200 * PS_PER_MS, ATO_MOST_PS = 500 * PS_PER_MS;

bool receiver_linux_is_on(const struct tcp_cfg *cfg)
{
    return cfg->quick_acks > 0 || cfg->delayed_ack_adaptive || cfg->autotune_acks || cfg->autotune_window ||
           cfg->sack_compression_ps > 0;
}

void receiver_linux_start(struct flow *f)
{
    f->has_linux_acks = receiver_linux_is_on(f->cfg);
    f->linux_acks = (struct linux_acks){.ato_ps = f->cfg->delayed_ack_timeout_ps, .delayed_ps = TIME_NEVER};
}

/* --- the automatic window ----------------------------------------------------------------------------------------- */

/* tcp_rmem; 10 segments of a round are expected at first. A segment takes SEGMENT_BUFFER bytes of the buffer by the
 * kernel's reckoning, PACKET_BUFFER while it waits; half the buffer is offered. The window begins as 65535 rounded down
 * to whole segments. */
enum { BUFFER_FIRST = 131072, BUFFER_MOST = 6291456, OFFER_FIRST = 65535, SEGMENT_BUFFER = 2920, PACKET_BUFFER = 2304 };
enum { RESERVED_FIRST = 1460, EXPECTED_FIRST = 10 * 1460, CUSHION = 16, FRAGMENTS_MOST = 17, SCALE = 128 };

uint32_t receiver_linux_first_edge(const struct tcp_cfg *cfg)
{
    return OFFER_FIRST / cfg->mss_bytes;
}

void receiver_linux_open(struct flow *f, const struct packet *p)
{
    struct linux_acks *a = &f->linux_acks;
    int64_t mss = f->full_payload;
    a->rtt_ps = p->t_ps - a->syn_ack_ps;
    a->window = (struct linux_window){
        .buffer = BUFFER_FIRST,
        .limit = BUFFER_FIRST / 2 - RESERVED_FIRST,
        .offered = BUFFER_FIRST / 2 - RESERVED_FIRST,
        .edge = OFFER_FIRST / mss * mss,
        .space = EXPECTED_FIRST,
        .from_ps = p->t_ps,
        .stamp_ps = -1,
        .back_ps = a->rtt_ps - (p->t_ps - p->stamp_ps),
    };
}

/* What so many segments that wait take of the buffer: they are joined where they are neighbours. */
static int64_t waiting_bytes(const struct flow *f, int64_t segments)
{
    int64_t buffers = (segments + FRAGMENTS_MOST - 1) / FRAGMENTS_MOST;
    return segments * f->full_payload + buffers * (PACKET_BUFFER - (int64_t)f->full_payload);
}

static int64_t free_bytes(const struct flow *f, int64_t waiting)
{
    int64_t left = f->linux_acks.window.buffer - waiting_bytes(f, waiting);
    return left > 0 ? left / 2 : 0;
}

/* The window opens by two segments where there is room: then the segment's ACK is quick. */
static void open_window(struct flow *f, uint32_t waiting)
{
    struct linux_window *w = &f->linux_acks.window;
    int64_t free = free_bytes(f, waiting), room = (w->limit < free ? w->limit : free) - w->offered;
    if (room <= 0)
        return;
    int64_t step = 2 * (int64_t)f->full_payload;
    w->offered += room < step ? room : step;
    f->linux_acks.quick |= f->cfg->autotune_acks;
}

/* __tcp_select_window, tcp_select_window: never less than offered before. What waits to be read when the ACK is sent is
 * read at once; where that doubles the window, a further ACK would tell (tcp_cleanup_rbuf), so this one does. */
static void offer_window(struct flow *f)
{
    struct linux_acks *a = &f->linux_acks;
    struct linux_window *w = &a->window;
    int64_t next = (int64_t)f->expected * f->full_payload, now = w->edge - next;
    int64_t free = free_bytes(f, f->out_of_order + f->expected - f->acknowledged);
    if (free < w->limit / 2)
        a->quick = 0;
    int64_t offer = free < w->offered ? free : w->offered;
    if (offer > now)
        now = (offer + SCALE - 1) / SCALE * SCALE;
    free = free_bytes(f, f->out_of_order);
    offer = free < w->offered ? free : w->offered;
    if (2 * now <= w->limit && offer >= 2 * now)
        now = (offer + SCALE - 1) / SCALE * SCALE;
    w->edge = next + now;
}

uint32_t receiver_linux_edge(struct flow *f)
{
    if (f->linux_acks.window.buffer == 0)
        return receiver_linux_first_edge(f->cfg);
    offer_window(f);
    int64_t most = (int64_t)(f->expected + f->cfg->receive_window_bytes / f->full_payload),
            edge = f->linux_acks.window.edge / f->full_payload;
    return (uint32_t)(edge < most ? edge : most);
}

static void sample_window_rtt(struct linux_window *w, const struct packet *p)
{
    if (p->stamp_ps == w->stamp_ps)
        return;
    w->stamp_ps = p->stamp_ps;
    int64_t rtt_ps = p->t_ps - p->stamp_ps + w->back_ps;
    w->rtt_8_ps += w->rtt_8_ps ? rtt_ps - w->rtt_8_ps / 8 : 8 * rtt_ps;
}

/* Once a round trip: a buffer for twice what was read in it, more while that grows. It is looked at after each buffer
 * read: a filler is one with what it sets free if that is few segments, else the rest counts for the next round. */
static void adjust_buffer(struct flow *f, const struct packet *p)
{
    struct linux_window *w = &f->linux_acks.window;
    int64_t mss = f->full_payload;
    if (p->t_ps - w->from_ps < w->rtt_8_ps / 8 || w->rtt_8_ps == 0)
        return;
    uint32_t read = f->expected - p->seq <= FRAGMENTS_MOST ? f->expected : p->seq + 1;
    int64_t copied = (int64_t)(read - w->from) * f->full_payload;
    if (copied > w->space) {
        int64_t window = 2 * copied + CUSHION * mss;
        window += 2 * (window * (copied - w->space) / w->space);
        int64_t buffer = window / mss * SEGMENT_BUFFER;
        if (buffer > BUFFER_MOST)
            buffer = BUFFER_MOST;
        if (buffer > w->buffer) {
            w->buffer = buffer;
            w->limit = buffer / 2;
        }
        w->space = copied;
    }
    w->from = read;
    w->from_ps = p->t_ps;
}

/* --- acknowledging ------------------------------------------------------------------------------------------------ */

static int64_t clock_ps(const struct flow *f, int64_t t_ps)
{
    int64_t tick_ps = f->cfg->rto_granularity_ps;
    return tick_ps > 0 ? t_ps / tick_ps * tick_ps : t_ps;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The receiver's own retransmission timeout: it has sent nothing but the SYN-ACK. */
static int64_t own_rto_ps(const struct flow *f)
{
    return f->linux_acks.rtt_ps > 0 ? f->linux_acks.rtt_ps + f->cfg->min_rto_ps : f->cfg->initial_rto_ps;
}

static void quicken(struct flow *f)
{
    if (f->cfg->quick_acks > f->linux_acks.quick)
        f->linux_acks.quick = f->cfg->quick_acks;
}

/* Data in order: the wait follows the time between segments; after a long silence ACKs are quick again. */
static void note_arrival(struct flow *f, const struct packet *p)
{
    int64_t t_ps = p->t_ps;
    struct linux_acks *a = &f->linux_acks;
    int64_t gap_ps = clock_ps(f, t_ps) - clock_ps(f, a->last_ps), least_ps = f->cfg->delayed_ack_timeout_ps;
    a->last_ps = t_ps;
    if (!a->has_data) {
        a->has_data = true;
        a->ato_ps = least_ps;
        quicken(f);
    } else if (gap_ps <= least_ps / 2) {
        a->ato_ps = a->ato_ps / 2 + least_ps / 2;
    } else if (gap_ps < a->ato_ps) {
        a->ato_ps = smaller(a->ato_ps / 2 + gap_ps, own_rto_ps(f));
    } else if (gap_ps > own_rto_ps(f)) {
        quicken(f);
    }
    if (!f->cfg->autotune_acks && !f->has_window)
        return;
    if (a->window.buffer == 0) { /* no handshake: the first segment opens the window, its way is all that is known */
        a->syn_ack_ps = p->stamp_ps;
        receiver_linux_open(f, p);
    }
    sample_window_rtt(&a->window, p);
    open_window(f, f->out_of_order + f->expected - p->seq);
    adjust_buffer(f, p);
}

static int64_t wait_ps(const struct flow *f)
{
    const struct linux_acks *a = &f->linux_acks;
    int64_t least_ps = f->cfg->delayed_ack_timeout_ps, wait_ps = a->ato_ps;
    if (!f->cfg->delayed_ack_adaptive)
        return least_ps;
    if (wait_ps > least_ps) {
        int64_t rtt_ps = a->rtt_ps > least_ps ? a->rtt_ps : least_ps;
        wait_ps = smaller(wait_ps, a->rtt_ps > 0 ? smaller(rtt_ps, ATO_MOST_PS) : ATO_MOST_PS);
    }
    return smaller(wait_ps, DELAY_MOST_PS);
}

static void set_timer(struct sim *s, struct flow *f, int64_t t_ps)
{
    if (t_ps < f->deadline_ps[TIMER_DELAYED_ACK])
        flow_set_timer(s, f, TIMER_DELAYED_ACK, t_ps);
}

/* True: an ACK waits already, and its timer is about to expire. */
static bool delay(struct sim *s, struct flow *f, int64_t t_ps)
{
    struct linux_acks *a = &f->linux_acks;
    int64_t wait = wait_ps(f);
    if (a->delayed_ps < TIME_NEVER && a->delayed_ps <= t_ps + wait / 4)
        return true;
    a->delayed_ps = smaller(a->delayed_ps, rto_fires_ps(&f->rto, t_ps, wait));
    set_timer(s, f, a->delayed_ps);
    return false;
}

bool receiver_linux_in_order(struct sim *s, struct flow *f, const struct packet *p)
{
    note_arrival(f, p);
    if (f->unacknowledged >= f->ack_every || f->linux_acks.quick > 0 || p->payload < f->full_payload)
        return true;
    return delay(s, f, p->t_ps);
}

/* The fourth and later ACKs for a hole wait: one for all that come within 5 % of an RTT. */
static bool compresses(struct sim *s, struct flow *f, int64_t t_ps)
{
    struct linux_acks *a = &f->linux_acks;
    if (!f->cfg->sack_compression_ps || !f->sacks.most || a->compressed >= COMPRESSED_MOST)
        return false;
    if (a->at != f->expected) {
        a->at = f->expected;
        a->duplicates = 0;
    }
    if (a->duplicates < DUPLICATES_AT_ONCE) {
        a->duplicates++;
        return false;
    }
    if (a->compressed++ == 0)
        set_timer(s, f, t_ps + smaller(f->cfg->sack_compression_ps, a->rtt_ps / 20) + COMPRESSION_SLACK_PS);
    return true;
}

bool receiver_linux_other(struct sim *s, struct flow *f, const struct packet *p, bool is_filler)
{
    struct linux_acks *a = &f->linux_acks;
    if (is_filler) {
        note_arrival(f, p);
    } else if (p->seq < f->expected) { /* seen before */
        quicken(f);
        a->ato_ps = f->cfg->delayed_ack_timeout_ps;
    } else if (f->sacks.most && a->window.buffer > 0) {
        open_window(f, f->out_of_order);
    }
    if (a->quick > 0 || f->out_of_order == 0 || f->expected - f->acknowledged > 1)
        return true;
    return !compresses(s, f, p->t_ps);
}

void receiver_linux_sent(struct flow *f)
{
    struct linux_acks *a = &f->linux_acks;
    a->delayed_ps = TIME_NEVER;
    a->compressed = 0;
    if (a->quick > 0 && --a->quick == 0)
        a->ato_ps = f->cfg->delayed_ack_timeout_ps;
}

void receiver_linux_expired(struct flow *f, int64_t t_ps)
{
    struct linux_acks *a = &f->linux_acks;
    if (a->delayed_ps <= t_ps)
        a->ato_ps = smaller(2 * a->ato_ps, own_rto_ps(f));
}
