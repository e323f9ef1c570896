/* journal_format.h - the bytes of a journal file, shared by its writer and its reader.
 *
 *   header | frame payload | frame payload | ...        payload = entry, then (1 + nflows) x METRIC_COUNT doubles
 *
 * Native byte order (the magic tells another one apart); everything is a multiple of 8 bytes, so that values can be
 * used where they are mapped.
 */
#ifndef SRC_JOURNAL_FORMAT_H
#define SRC_JOURNAL_FORMAT_H

#include "journal.h"

#define JOURNAL_MAGIC UINT64_C(0x314c4e4a50574354) /* "TCWPJNL1" read as a little-endian number */
#define FRAME_MAGIC UINT32_C(0x6472636a)

enum { JOURNAL_FORMAT = 1, JOURNAL_PATH_BYTES = 4096 };

struct journal_header {
    uint64_t magic;
    uint32_t format;
    uint32_t metrics; /* METRIC_COUNT */
    uint64_t layout;  /* XXH3 of the metric names in order */
    uint64_t seed;
    uint32_t shard, nshards, rank, unused;
    char version[64]; /* build_info.version */
    char commit[64];  /* build_info.commit */
    uint64_t check;   /* XXH3-64 of all before it */
};

struct journal_frame {
    uint32_t magic;
    uint32_t length; /* bytes of payload */
    uint64_t check;  /* XXH3-64 of the payload, seeded with the length */
};

struct journal_entry {
    uint64_t hi, lo; /* the scenario's hash */
    uint32_t replication, status, nflows, cpu_us;
};

_Static_assert(sizeof(struct journal_header) % 8 == 0 && sizeof(struct journal_frame) == 16 &&
                   sizeof(struct journal_entry) == 32,
               "the layout of the file has no holes");

void journal_header_fill(struct journal_header *header, uint64_t seed, uint32_t shard, uint32_t nshards, uint32_t rank);
/* Refuses a header of another format, layout, seed or version with the ways on. */
int journal_header_check(const struct journal_header *header, uint64_t seed, const char *path, struct error *err);

/* Bytes of the whole record (frame and payload) at `at`, of which `left` bytes are there; 0 if it does not check. */
size_t journal_record_at(const unsigned char *at, size_t left);
/* Whether what begins at the bad record `at` is only a write cut short (true), not damage in the middle (false). */
bool journal_tail_is_torn(const unsigned char *at, size_t left);
/* The usual words for damage in the middle. */
int journal_damaged(const char *path, size_t offset, struct error *err);

static inline size_t journal_payload_bytes(uint32_t nflows)
{
    return sizeof(struct journal_entry) + (1 + (size_t)nflows) * METRIC_COUNT * sizeof(double);
}

#endif
