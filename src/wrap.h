/* wrap.h - text in lines that fit a terminal. */
#ifndef SRC_WRAP_H
#define SRC_WRAP_H

#include <stdio.h>

/* Columns of what `out` writes to: the variable COLUMNS if it is a number, else the terminal's; 0 = neither, no limit.
 */
int wrap_width(FILE *out);

/* Prints text and a newline; breaks it at spaces so that lines keep to `width` columns (0: no limit), later ones
 * indented by `indent`. `column`: where the cursor is. */
void wrap_print(FILE *out, int width, int column, int indent, const char *text);

#endif
