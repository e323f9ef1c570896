/* registry.h - the lists of everything that has a name. Adding one = its file and one line in registry.def. */
#ifndef KERNELS_REGISTRY_H
#define KERNELS_REGISTRY_H

struct item { /* the first member of every table of operations */
    const char *name;
    const char *help;    /* one line */
    const char *source;  /* RFC section, paper */
    const char *aliases; /* names other tools use for it, comma separated, or NULL */
};

struct cc_ops;
struct recovery_ops;
struct app_ops;
struct error_ops;
struct queue_ops;
struct managed_ops;
struct station_ops;

/* NULL at the end of each; every element begins with a struct item. */
extern const struct cc_ops *const cc_list[];
extern const struct recovery_ops *const recovery_list[];
extern const struct app_ops *const app_list[];
extern const struct error_ops *const error_list[];
extern const struct queue_ops *const queue_list[];
extern const struct managed_ops *const managed_list[];
extern const struct station_ops *const station_list[];

/* Element of a list by name or alias, or NULL. */
const void *registry_find(const void *const *list, const char *name);

#endif
