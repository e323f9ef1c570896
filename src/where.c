#include "where.h"
#include <stdio.h>
int where_parse(struct sweep *s, const char *text, const struct where **out, char *why, size_t size)
{
    (void)s;
    (void)text;
    (void)out;
    snprintf(why, size, "not built in yet");
    return -1;
}
bool where_holds(const struct sweep *s, uint64_t point)
{
    (void)s;
    (void)point;
    return true;
}
