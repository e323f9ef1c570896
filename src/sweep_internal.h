/* sweep_internal.h - a sweep in memory; for sweep*.c, sample.c, where.c and their tests only.
 *
 * Every key that can be set has a slot. `base` holds the value of each slot that the file or --set gives (NULL =
 * default); a point is the base with the axes' values laid over it. All the rest (inheritance from tcp: to a flow's
 * tcp:, from a link to its reverse direction, presets, dialects) is looked up when a scenario is built.
 */
#ifndef SRC_SWEEP_INTERNAL_H
#define SRC_SWEEP_INTERNAL_H

#include "dialects.h"
#include "sweep.h"

enum {
    LINKS_MAX = 1000,
    NAME_MAX_LENGTH = 20, /* of links and flows in the file; copies add `.N` and must fit NAME_BYTES */
    DIMENSIONS_MAX = 30,  /* HDF5 has 32, one is taken by the flows */
    AXIS_MAX = 1000000,
};
#define POINTS_MAX (UINT64_C(1) << 40)

/* Rows first .. end-1 of the table in slots base ... */
struct group {
    const char *prefix; /* `links.backbone`, empty at the top level */
    int first, end;
    uint32_t base;
};

struct link_source {
    const char *name;
    uint32_t line;
    bool used;
    struct group forward; /* CHANNEL and LINK */
    struct group reverse; /* CHANNEL: what differs from forward */
};

struct hop_source {
    uint16_t link;
    uint8_t direction;
    bool private_copy; /* name* */
};

struct flow_source {
    const char *name;
    const struct node *node; /* NULL for the flow of `path:` */
    struct hop_source *hops[2];
    uint16_t nhops[2];
    struct group own, tcp, app;
};

/* One coordinate with its values. */
struct axis {
    const char *key;
    const struct param *param;
    uint32_t slot;
    uint32_t line;
    uint32_t dimension;
    uint32_t n;
    struct value *values;
};

enum dimension_kind { DIMENSION_AXIS, DIMENSION_ZIP, DIMENSION_SAMPLE };

struct dimension_source {
    enum dimension_kind kind;
    const char *as; /* zip's name, or NULL */
    uint32_t line;
    uint32_t length;
};

struct where;

struct sweep {
    struct arena arena;
    const char *path; /* as messages name it */
    const char *name;
    const char *text;
    size_t text_size;
    const struct node *root;
    struct group top, tcp, app;
    struct link_source *links;
    struct flow_source *flows;
    uint32_t nlinks, nflows;
    bool is_path; /* links and flow come from `path:` */
    uint32_t nslots;
    const struct value **base;
    bool *crn_skip; /* slots that the random key leaves out */
    const struct value *fallback[PARAM_COUNT];
    const struct tcp_values *tcp_defaults;
    int order[PARAM_COUNT]; /* rows of each section sorted by key, for the canonical text */
    struct axis axes[4 * DIMENSIONS_MAX];
    struct dimension_source dimension_sources[DIMENSIONS_MAX];
    uint32_t naxes, ndimensions;
    struct dimension dimensions[DIMENSIONS_MAX];
    struct coordinate *coordinates;
    uint64_t npoints;
    const struct node *where_node;
    const struct where *where;
    bool common_random_numbers;
    const char **models;
    uint32_t nmodels;
    uint64_t seed;
    struct replication_rule rule;
};

enum { AXES_MAX = 4 * DIMENSIONS_MAX };

struct key_ref {
    const struct param *param;
    const struct group *group;
    uint32_t slot;
};

/* `FILE:LINE: key: ...`, or `--set key: ...` where line is 0. Returns -1. */
int sweep_bad(const struct sweep *s, uint32_t line, const char *key, struct error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* sweep_keys.c */
int sweep_find_key(const struct sweep *s, const char *key, struct key_ref *out, char *why, size_t size);
bool sweep_is_section(const struct sweep *s, const char *key); /* keys with `key.` in front exist */
int sweep_link_index(const struct sweep *s, const char *name, size_t length);

/* sweep_read.c: links, flows and plain keys of the file into slots. */
int sweep_read(struct sweep *s, struct error *err);
int sweep_read_value(struct sweep *s, const char *key, const struct node *node, const struct value **out,
                     struct error *err);
int sweep_read_special(struct sweep *s, const char *key, const struct node *node, struct error *err);
bool sweep_is_special(const char *key);

/* sweep_netem.c: the keys that a text for tc stands for, as a map; NULL with *err. */
const struct node *sweep_read_netem(struct sweep *s, const struct node *node, const char *key, struct error *err);

/* sweep_via.c */
int sweep_read_via(struct sweep *s, struct flow_source *flow, struct error *err);

/* sweep_axes.c, sweep_set.c, sweep_names.c */
int sweep_read_axes(struct sweep *s, struct error *err);
int sweep_read_list(struct sweep *s, const struct node *node, struct axis *axis, struct error *err);
/* `points:` of a range or sample. */
int sweep_read_points(struct sweep *s, const struct node *map, const char *key, const char *expected, uint32_t *out,
                      struct error *err);
/* [first, last] of a range: numbers of one unit. */
int sweep_read_ends(struct sweep *s, const struct node *list, const struct axis *axis, struct value ends[2],
                    struct error *err);
/* Value at a share 0..1 of the way from low to high; the ends are exact. */
double sweep_between(double low, double high, double share, bool logarithmic);
struct axis *sweep_add_axis(struct sweep *s, const char *key, uint32_t line, struct error *err);
struct dimension_source *sweep_add_dimension(struct sweep *s, enum dimension_kind kind, uint32_t line,
                                             struct error *err);
struct axis *sweep_find_axis(struct sweep *s, uint32_t slot);
int sweep_apply_sets(struct sweep *s, const struct override *sets, uint32_t nsets, struct error *err);
int sweep_finish_axes(struct sweep *s, struct error *err);

/* sample.c */
int sweep_read_sample(struct sweep *s, const struct node *node, uint32_t line, struct error *err);

/* sweep_scenario.c: values at a point. */
void sweep_point_slots(const struct sweep *s, uint64_t point, const struct value **slots);
const struct value *sweep_tcp_value(const struct sweep *s, const struct value *const *slots,
                                    const struct flow_source *flow, int row);
const struct value *sweep_app_value(const struct sweep *s, const struct value *const *slots,
                                    const struct flow_source *flow, int row);
const struct value *sweep_channel_value(const struct sweep *s, const struct value *const *slots,
                                        const struct link_source *link, enum direction direction, int row);
const struct value *sweep_group_value(const struct sweep *s, const struct value *const *slots,
                                      const struct group *group, int row);

/* What a key is at a point, wherever its value comes from. May be NULL (a rate that is not given, no schedule). */
const struct value *sweep_key_value(const struct sweep *s, const struct value *const *slots, const struct key_ref *ref);

/* Line of the value that a message about a whole scenario is about. */
uint32_t sweep_blame(const struct sweep *s, const struct value *const *slots, const char *message);

/* sweep_hash.c: canonical text of a point, freed by the caller; without what the random key leaves out if `random`. */
char *sweep_canonical_text(const struct sweep *s, uint64_t point, bool random, size_t *length);
void sweep_sort_rows(struct sweep *s);

#endif
