#include "sweep_internal.h"
int sweep_read_sample(struct sweep *s, const struct node *node, uint32_t line, struct error *err)
{
    (void)node;
    return sweep_bad(s, line, "sample", err, "not built in yet");
}
