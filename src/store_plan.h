/* store_plan.h - what of a journal set enters the file: how many replications of each point, and why no more. */
#ifndef SRC_STORE_PLAN_H
#define SRC_STORE_PLAN_H

#include "store.h"

struct point_plan {
    struct hash128 hash;
    uint32_t n;      /* replications 0 .. n-1 enter */
    uint32_t reason; /* enum stop_reason; STOP_NONE for a point that `where:` leaves out */
};

struct store_plan {
    const struct sweep *sweep;
    const struct journal_set *set;
    struct point_plan *points; /* of the whole grid */
    uint64_t npoints;
    struct store_outcome outcome;
    uint32_t flows_most; /* of any point */
    uint32_t nflows;     /* names below: all flow names of all points, in the order of their flows */
    char (*flow_names)[NAME_BYTES];
};

int store_plan_make(struct store_plan *plan, const struct sweep *sweep, const struct journal_set *set, bool partial,
                    struct error *err);
void store_plan_free(struct store_plan *plan);

/* The replications of one point, in order. */
struct gathered {
    const struct record *records; /* n */
    uint32_t n, capacity;
    struct record *memory;
};
/* Fetches those of a point; `gathered` is zeroed before its first use and freed with gathered_free. */
int store_plan_gather(const struct store_plan *plan, uint64_t point, struct gathered *gathered, struct error *err);
void gathered_free(struct gathered *gathered);

/* Column of a flow name, searched from `hint` on; nflows if it is not there. */
uint32_t store_plan_flow(const struct store_plan *plan, const char *name, uint32_t hint);

#endif
