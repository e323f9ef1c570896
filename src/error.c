/* error.c - fills struct error. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *err, enum exit_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->status = status;
    /* Names and values come from the user's file: whatever they hold, the message stays one line. */
    for (char *c = err->text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = ' ';
    return -1;
}
