/* journal_format.c - what makes a journal file's header and records valid, and torn tails apart from damage. */
#include "journal_format.h"
#include "build.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static uint64_t layout_hash(void)
{
    char names[METRIC_COUNT * 64];
    size_t used = 0;
    for (int m = 0; m < METRIC_COUNT && used < sizeof names; m++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s\n", metric_table[m].name);
    return XXH3_64bits(names, used < sizeof names ? used : sizeof names);
}

static uint64_t header_hash(const struct journal_header *header)
{
    return XXH3_64bits(header, offsetof(struct journal_header, check));
}

void journal_header_fill(struct journal_header *header, uint64_t seed, uint32_t shard, uint32_t nshards, uint32_t rank)
{
    memset(header, 0, sizeof *header);
    header->magic = JOURNAL_MAGIC;
    header->format = JOURNAL_FORMAT;
    header->metrics = METRIC_COUNT;
    header->layout = layout_hash();
    header->seed = seed;
    header->shard = shard;
    header->nshards = nshards;
    header->rank = rank;
    snprintf(header->version, sizeof header->version, "%s", build_info.version);
    snprintf(header->commit, sizeof header->commit, "%s", build_info.commit);
    header->check = header_hash(header);
}

static int refuse_version(const struct journal_header *header, const char *path, struct error *err)
{
    return error_set(err, EXIT_BAD_INPUT,
                     "%s: written by tcpsweep %s (%s), this is %s (%s): finish it with that program, or start afresh "
                     "with --force",
                     path, header->version, header->commit, build_info.version, build_info.commit);
}

int journal_header_check(const struct journal_header *header, uint64_t seed, const char *path, struct error *err)
{
    if (header->magic != JOURNAL_MAGIC || header->check != header_hash(header))
        return error_set(err, EXIT_BAD_INPUT,
                         "%s: not a journal of tcpsweep, or its header is damaged: delete the file (its replications "
                         "run again), or start afresh with --force",
                         path);
    if (header->format != JOURNAL_FORMAT || header->metrics != METRIC_COUNT || header->layout != layout_hash() ||
        strncmp(header->version, build_info.version, sizeof header->version - 1) != 0 ||
        strncmp(header->commit, build_info.commit, sizeof header->commit - 1) != 0)
        return refuse_version(header, path, err);
    if (header->seed != seed)
        return error_set(err, EXIT_BAD_INPUT,
                         "%s: written with seed %" PRIu64 ", now the seed is %" PRIu64 ": give --seed %" PRIu64
                         " to go on, or start afresh with --force",
                         path, header->seed, seed, header->seed);
    return 0;
}

/* The frame at `at` if its length makes sense, without looking at the payload. */
static bool frame_plausible(const unsigned char *at, size_t left, struct journal_frame *frame)
{
    if (left < sizeof *frame)
        return false;
    memcpy(frame, at, sizeof *frame);
    const size_t values = frame->length - sizeof(struct journal_entry);
    return frame->magic == FRAME_MAGIC && frame->length >= journal_payload_bytes(0) &&
           frame->length <= journal_payload_bytes(FLOWS_MAX) && values % (METRIC_COUNT * sizeof(double)) == 0;
}

size_t journal_record_at(const unsigned char *at, size_t left)
{
    struct journal_frame frame;
    if (!frame_plausible(at, left, &frame) || frame.length > left - sizeof frame)
        return 0;
    if (XXH3_64bits_withSeed(at + sizeof frame, frame.length, frame.length) != frame.check)
        return 0;
    struct journal_entry entry;
    memcpy(&entry, at + sizeof frame, sizeof entry);
    return journal_payload_bytes(entry.nflows) == frame.length ? sizeof frame + frame.length : 0;
}

/* A file that grew before its data reached the disk ends in zeros after the host died. */
static bool all_zero(const unsigned char *at, size_t left)
{
    for (size_t i = 0; i < left; i++)
        if (at[i] != 0)
            return false;
    return true;
}

bool journal_tail_is_torn(const unsigned char *at, size_t left)
{
    struct journal_frame frame;
    const size_t whole = sizeof frame + (frame_plausible(at, left, &frame) ? frame.length : journal_payload_bytes(0));
    if (left > whole && !all_zero(at, left))
        return false;
    for (size_t i = 8; i < left; i += 8)
        if (journal_record_at(at + i, left - i) != 0)
            return false;
    return true;
}

int journal_damaged(const char *path, size_t offset, struct error *err)
{
    return error_set(err, EXIT_BAD_INPUT,
                     "%s: damaged at byte %zu: copy the file back from elsewhere, or delete it (or cut it there with "
                     "`truncate -s %zu`) and let --resume run its replications again",
                     path, offset, offset);
}
