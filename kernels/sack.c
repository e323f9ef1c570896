/* sack.c - blocks, reports and scoreboard; see sack.h.
 *
 * The receiver holds out-of-order segments in a bitmap; a block is the run of ones round a segment. Blocks are reported
 * in the order of RFC 2018 section 4: the one just changed, then those changed before it. One that has dropped out of
 * the history is not reported again until it changes, as in ns-2 and Linux.
 *
 * A report travels as a list of segments, or (sack_format: compact) as the option's own bytes, which the sender reads.
 */
#include "sack.h"

#include <string.h>

#include "instance.h"
#include "sack_compact.h"

/* --- bitmaps ----------------------------------------------------------------------------------------------------- */

/* First segment in [from, to) whose bit is `bit`, or `to`. */
static uint32_t find_up(const uint64_t *map, uint32_t mask, uint32_t from, uint32_t to, bool bit)
{
    while (from < to) {
        uint32_t i = from & mask;
        uint64_t word = (bit ? map[i >> 6] : ~map[i >> 6]) >> (i & 63);
        if (word) {
            uint32_t at = from + (uint32_t)__builtin_ctzll(word);
            return at < to ? at : to;
        }
        from += 64 - (i & 63);
    }
    return to;
}

/* One above the last segment in [low, from) whose bit is `bit`, or `low`. */
static uint32_t find_down(const uint64_t *map, uint32_t mask, uint32_t from, uint32_t low, bool bit)
{
    while (from > low) {
        uint32_t i = (from - 1) & mask;
        uint64_t word = (bit ? map[i >> 6] : ~map[i >> 6]) << (63 - (i & 63));
        if (word) {
            uint32_t skip = (uint32_t)__builtin_clzll(word);
            return from - skip > low ? from - skip : low;
        }
        from = from - low > (i & 63) + 1 ? from - (i & 63) - 1 : low;
    }
    return low;
}

/* Sets the bits of [from, to); returns how many were clear. */
static uint32_t set_range(uint64_t *map, uint32_t mask, uint32_t from, uint32_t to)
{
    uint32_t changed = 0;
    while (from < to) {
        uint32_t i = from & mask, room = 64 - (i & 63), n = to - from < room ? to - from : room;
        uint64_t bits = (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << (i & 63);
        changed += (uint32_t)__builtin_popcountll(bits & ~map[i >> 6]);
        map[i >> 6] |= bits;
        from += n;
    }
    return changed;
}

/* Clears the bits of [from, to); returns how many were set. */
static uint32_t clear_range(uint64_t *map, uint32_t mask, uint32_t from, uint32_t to)
{
    uint32_t changed = 0;
    while (from < to) {
        uint32_t i = from & mask, room = 64 - (i & 63), n = to - from < room ? to - from : room;
        uint64_t bits = (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << (i & 63);
        changed += (uint32_t)__builtin_popcountll(bits & map[i >> 6]);
        map[i >> 6] &= ~bits;
        from += n;
    }
    return changed;
}

static uint32_t count_range(const uint64_t *map, uint32_t mask, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    while (from < to) {
        uint32_t i = from & mask, room = 64 - (i & 63), n = to - from < room ? to - from : room;
        uint64_t bits = (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << (i & 63);
        count += (uint32_t)__builtin_popcountll(bits & map[i >> 6]);
        from += n;
    }
    return count;
}

/* --- receiver ---------------------------------------------------------------------------------------------------- */

static struct sack_block run_around(const struct flow *f, uint32_t segment)
{
    uint32_t top = f->expected + f->held_mask + 1; /* nothing is held beyond */
    return (struct sack_block){
        .left = find_down(f->held, f->held_mask, segment, f->expected, false),
        .right = find_up(f->held, f->held_mask, segment, top, false),
    };
}

/* Takes out the history's entries that lie inside `block` or, without one, below the cumulative ACK. */
static void prune(struct flow *f, const struct sack_block *block)
{
    struct sack_history *h = &f->sacks;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        bool is_inside = block ? h->block[i].left >= block->left && h->block[i].right <= block->right
                               : h->block[i].right <= f->expected;
        if (!is_inside)
            h->block[kept++] = h->block[i];
    }
    h->count = kept;
}

void sack_note(struct flow *f, uint32_t segment)
{
    struct sack_history *h = &f->sacks;
    struct sack_block block = run_around(f, segment);
    prune(f, &block);
    if (h->count == h->most)
        h->count--;
    memmove(&h->block[1], &h->block[0], h->count * sizeof h->block[0]);
    h->block[0] = block;
    h->count++;
}

void sack_forget(struct flow *f)
{
    prune(f, NULL);
}

uint32_t sack_option_room(const struct tcp_cfg *tcp)
{
    return tcp->timestamps ? 28 : 40; /* timestamps take 10 and 2 to align */
}

uint32_t sack_most_blocks(const struct tcp_cfg *tcp)
{
    bool is_compact = tcp->sack_format == SACK_FORMAT_COMPACT;
    uint32_t fit = is_compact ? SACK_BLOCKS_MAX : (sack_option_room(tcp) - 4) / 8; /* kind, length, 2 to align */
    return tcp->sack_blocks < fit ? tcp->sack_blocks : fit;
}

/* Blocks of the next report, a DSACK first. */
static uint32_t list_blocks(struct sack_history *h, struct sack_block *block)
{
    uint32_t first = h->has_duplicate, n = h->count + first < h->most ? h->count + first : h->most;
    if (first)
        block[0] = (struct sack_block){h->duplicate, h->duplicate + 1};
    memcpy(block + first, h->block, (n - first) * sizeof *block);
    h->has_duplicate = false;
    return n;
}

/* First byte of a segment, modulo 2^32; a FIN takes one. */
static uint32_t byte_of(const struct flow *f, uint32_t segment)
{
    uint32_t fins = segment > f->fin_segment;
    return fins + (f->is_uniform ? (segment - fins) * f->cfg->mss_bytes : f->offset[segment & f->offset_mask]);
}

static void make_compact(struct flow *f, struct packet *ack)
{
    struct sack_compact *option = &f->sacks.compact[ack->payload];
    struct sack_block block[SACK_BLOCKS_MAX];
    uint32_t n = list_blocks(&f->sacks, block);
    for (uint32_t i = 0; i < n; i++)
        block[i] = (struct sack_block){byte_of(f, block[i].left), byte_of(f, block[i].right)};
    ack->sack_blocks = (uint8_t)sack_compact_encode(option, block, n, f->sacks.room);
    ack->bytes += (sack_compact_length(option) + 3) / 4 * 4; /* a header has whole words */
}

void sack_make_report(struct flow *f, struct packet *ack)
{
    struct sack_history *h = &f->sacks;
    ack->payload = h->next_report++ & h->report_mask;
    if (__builtin_expect(h->compact != NULL, 0)) {
        make_compact(f, ack);
        return;
    }
    ack->sack_blocks = (uint8_t)list_blocks(h, h->report[ack->payload].block);
    ack->bytes += f->cfg->sack_option_bytes + 8 * ack->sack_blocks;
}

/* --- sender ------------------------------------------------------------------------------------------------------ */

/* RFC 6675 IsLost with equal segments: a segment is lost when at least `dupack_threshold` above it are marked, that is
 * when it lies below the threshold-th highest marked one. */
static void find_lost_edge(struct flow *f)
{
    struct sack_board *b = &f->board;
    uint32_t wanted = f->cfg->dupack_threshold, at = b->highest;
    if (b->count < wanted) {
        b->lost_edge = f->una;
        b->marked_above_edge = b->count;
        return;
    }
    for (uint32_t i = 0; i < wanted; i++)
        at = find_down(b->sacked, b->mask, at, f->una, true) - 1;
    b->lost_edge = at;
    b->marked_above_edge = wanted;
}

/* The segment that begins at a byte, at most one window before una. */
static uint32_t segment_from(const struct flow *f, uint32_t byte)
{
    int64_t ahead = (int32_t)(byte - byte_of(f, f->una));
    if (f->is_uniform) { /* behind a FIN rounded up */
        uint32_t mss = f->cfg->mss_bytes;
        return ahead < 0 ? f->una - (uint32_t)(-ahead / mss) : f->una + ((uint32_t)ahead + mss - 1) / mss;
    }
    uint32_t low = ahead >= 0 ? f->una : f->una > f->board.mask ? f->una - f->board.mask : 0, high = f->end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((int32_t)(byte_of(f, middle) - byte) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct sack_block *sack_read_report(const struct flow *f, const struct packet *ack, struct sack_block *decoded)
{
    if (__builtin_expect(f->sacks.compact == NULL, 1))
        return f->sacks.report[ack->payload].block;
    uint32_t n = sack_compact_decode(&f->sacks.compact[ack->payload], decoded);
    for (uint32_t i = 0; i < n; i++)
        decoded[i] = (struct sack_block){segment_from(f, decoded[i].left), segment_from(f, decoded[i].right)};
    return decoded;
}

uint32_t sack_mark(struct flow *f, const struct packet *ack)
{
    struct sack_board *b = &f->board;
    struct sack_block decoded[SACK_BLOCKS_MAX];
    const struct sack_block *block = sack_read_report(f, ack, decoded);
    uint32_t marked = 0, low = ack->seq > f->una ? ack->seq : f->una;
    for (uint32_t i = 0; i < ack->sack_blocks; i++) {
        uint32_t left = block[i].left > low ? block[i].left : low;
        uint32_t right = block[i].right;
        if (right <= left)
            continue;
        uint32_t below = b->high_rxt < right ? b->high_rxt : right; /* marks below high_rxt are counted apart */
        if (left < below)
            b->sacked_below_rxt -= count_range(b->sacked, b->mask, left, below);
        marked += set_range(b->sacked, b->mask, left, right);
        if (left < below)
            b->sacked_below_rxt += below - left;
        if (b->count + marked > 0 && right > b->highest)
            b->highest = right;
    }
    b->count += marked;
    if (marked)
        find_lost_edge(f);
    return marked;
}

uint32_t sack_advance(struct flow *f, uint32_t from, uint32_t to)
{
    struct sack_board *b = &f->board;
    uint32_t below = b->high_rxt < to ? b->high_rxt : to;
    uint32_t gone = 0;
    if (from < below) {
        gone = clear_range(b->sacked, b->mask, from, below);
        b->sacked_below_rxt -= gone;
    }
    gone += clear_range(b->sacked, b->mask, from > below ? from : below, to);
    b->count -= gone;
    if (b->count == 0)
        b->highest = to;
    find_lost_edge(f);
    return gone;
}

void sack_clear(struct flow *f)
{
    struct sack_board *b = &f->board;
    if (b->count)
        clear_range(b->sacked, b->mask, f->una, b->highest);
    b->count = b->sacked_below_rxt = b->marked_above_edge = 0;
    b->highest = b->lost_edge = f->una;
}

uint32_t sack_next_unmarked(const struct flow *f, uint32_t from, uint32_t to)
{
    return find_up(f->board.sacked, f->board.mask, from, to, false);
}

uint32_t sack_last_unmarked(const struct flow *f, uint32_t from, uint32_t low)
{
    return find_down(f->board.sacked, f->board.mask, from, low, false);
}

uint32_t sack_count(const struct flow *f, uint32_t from, uint32_t to)
{
    return count_range(f->board.sacked, f->board.mask, from, to);
}
