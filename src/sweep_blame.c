/* sweep_blame.c - which line of the file a complaint about a whole scenario points at: that of the key that it names
 * first, else that of the flow or link, else the file's first. */
#include "sweep_internal.h"

#include <ctype.h>
#include <string.h>

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Where `word` stands in a message as a word of its own, or NULL; a key may have a section in front (`measure.to`). */
static const char *find_word(const char *message, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(message, word); at; at = strstr(at + 1, word))
        if ((at == message || !is_word_char(at[-1])) && !is_word_char(at[length]))
            return at;
    return NULL;
}

struct blame {
    const struct value *const *slots;
    const char *message;
    const char *first; /* where the key stands that is named first so far */
    uint32_t line;
};

/* Looks for keys of a group that the message names and that the file or --set gives. */
static void look(struct blame *b, const struct group *group)
{
    for (int row = group->first; row < group->end; row++) {
        const struct value *value = b->slots[group->base + (uint32_t)(row - group->first)];
        const char *at = value ? find_word(b->message, param_table[row].key) : NULL;
        if (at && (!b->first || at < b->first)) {
            b->first = at;
            b->line = value->line;
        }
    }
}

/* Messages begin with `flow NAME:`, `link NAME:` or a key. Flows and links that are not named are not looked at. */
uint32_t sweep_blame(const struct sweep *s, const struct value *const *slots, const char *message)
{
    struct blame b = {slots, message, NULL, 0};
    uint32_t place = s->root->line; /* of the flow or link, where no key can be found */
    const char *end = strchr(message, ':');
    size_t head = end ? (size_t)(end - message) : 0;
    for (uint32_t i = 0; i < s->nflows; i++) {
        const struct flow_source *flow = &s->flows[i];
        const char *at = find_word(message, flow->name);
        if (!at || (size_t)(at - message) > head)
            continue;
        place = flow->node ? flow->node->line : place;
        look(&b, &flow->tcp);
        look(&b, &flow->app);
        look(&b, &flow->own);
    }
    for (uint32_t i = 0; i < s->nlinks; i++)
        if (find_word(message, s->links[i].name)) {
            place = s->links[i].line;
            look(&b, &s->links[i].reverse);
            look(&b, &s->links[i].forward);
        }
    look(&b, &s->tcp);
    look(&b, &s->app);
    look(&b, &s->top);
    return b.first && b.line ? b.line : place;
}
