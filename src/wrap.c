/* wrap.c - see wrap.h. */
#include "wrap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int wrap_width(FILE *out)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    if (columns && atoi(columns) > 0)
        return atoi(columns);
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
        return size.ws_col;
    return 0;
}

/* Length up to the next space that is not `between these`. */
static int word_length(const char *text)
{
    bool is_quoted = false;
    int length = 0;
    for (; text[length] && (is_quoted || text[length] != ' '); length++)
        if (text[length] == '`')
            is_quoted = !is_quoted;
    return length;
}

void wrap_print(FILE *out, int width, int column, int indent, const char *text)
{
    for (;;) {
        int word = word_length(text);
        if (width > 0 && column + word > width && column > indent) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        }
        fprintf(out, "%.*s", word, text);
        column += word;
        text += word;
        if (!*text)
            break;
        text++;
        /* the space between two words is printed only if the next one stays on the line */
        if (width == 0 || column + 1 + word_length(text) <= width)
            putc(' ', out);
        column++;
    }
    putc('\n', out);
}
