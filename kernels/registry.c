/* registry.c - the lists of algorithms and models, made of registry.def. */
#include "registry.h"

#include <stddef.h>
#include <string.h>

#define CC(name) extern const struct cc_ops cc_##name;
#define RECOVERY(name) extern const struct recovery_ops recovery_##name;
#define APP(name) extern const struct app_ops app_##name;
#define ERROR(name) extern const struct error_ops error_##name;
#define QUEUE(name) extern const struct queue_ops queue_##name;
#define MANAGED(name) extern const struct managed_ops managed_##name;
#define STATION(name) extern const struct station_ops station_##name;
#include "registry.def"

#define CC(name) &cc_##name,
const struct cc_ops *const cc_list[] = {
#include "registry.def"
    NULL,
};

#define RECOVERY(name) &recovery_##name,
const struct recovery_ops *const recovery_list[] = {
#include "registry.def"
    NULL,
};

#define APP(name) &app_##name,
const struct app_ops *const app_list[] = {
#include "registry.def"
    NULL,
};

#define ERROR(name) &error_##name,
const struct error_ops *const error_list[] = {
#include "registry.def"
    NULL,
};

#define QUEUE(name) &queue_##name,
const struct queue_ops *const queue_list[] = {
#include "registry.def"
    NULL,
};

#define MANAGED(name) &managed_##name,
const struct managed_ops *const managed_list[] = {
#include "registry.def"
    NULL,
};

#define STATION(name) &station_##name,
const struct station_ops *const station_list[] = {
#include "registry.def"
    NULL,
};

/* Whether `name` is one of the comma-separated `names`. */
static int is_listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    while (names && *names) {
        size_t word = strcspn(names, ",");
        if (word == length && strncmp(names, name, length) == 0)
            return 1;
        names += word + (names[word] == ',');
        names += strspn(names, " ");
    }
    return 0;
}

const void *registry_find(const void *const *list, const char *name)
{
    for (; *list; list++) {
        const struct item *item = *list;
        if (strcmp(item->name, name) == 0 || is_listed(item->aliases, name))
            return *list;
    }
    return NULL;
}
