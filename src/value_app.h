/* value_app.h - values of applications that are lists or files: sizes to draw from, traces. */
#ifndef SRC_VALUE_APP_H
#define SRC_VALUE_APP_H

#include "value.h"

/* Set the value's pointer, n, text and canonical text. -1 with the reason in `why`. */
int value_read_sizes(const struct node *node, struct arena *arena, struct value *out, char *why, size_t size);
int value_read_trace(const struct node *node, struct arena *arena, struct value *out, char *why, size_t size);

#endif
