/* units.c - quantities with human units. */
#include "units.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum prefixes { PREFIX_NONE, PREFIX_LARGE, PREFIX_SMALL }; /* which prefixes a unit takes */

static const struct unit_name {
    const char *name;
    enum unit unit;
    double factor;
    int power; /* of ten */
    enum prefixes prefixes;
} names[] = {
    {"s", UNIT_TIME, 1, 0, PREFIX_SMALL},           {"min", UNIT_TIME, 60, 0, PREFIX_NONE},
    {"h", UNIT_TIME, 3600, 0, PREFIX_NONE},         {"bit/s", UNIT_RATE, 1, 0, PREFIX_LARGE},
    {"bps", UNIT_RATE, 1, 0, PREFIX_LARGE},         {"B/s", UNIT_RATE, 8, 0, PREFIX_LARGE},
    {"B", UNIT_BYTES, 1, 0, PREFIX_LARGE},          {"byte", UNIT_BYTES, 1, 0, PREFIX_NONE},
    {"bytes", UNIT_BYTES, 1, 0, PREFIX_NONE},       {"packet", UNIT_PACKETS, 1, 0, PREFIX_NONE},
    {"packets", UNIT_PACKETS, 1, 0, PREFIX_NONE},   {"segment", UNIT_SEGMENTS, 1, 0, PREFIX_NONE},
    {"segments", UNIT_SEGMENTS, 1, 0, PREFIX_NONE}, {"bdp", UNIT_BDP, 1, 0, PREFIX_NONE},
    {"%", UNIT_NONE, 1, -2, PREFIX_NONE},           {"", UNIT_NONE, 1, 0, PREFIX_NONE},
};

static const struct prefix {
    const char *name;
    enum prefixes kind;
    double factor;
    int power; /* of ten */
} prefixes[] = {
    {"Ki", PREFIX_LARGE, 1024, 0}, {"Mi", PREFIX_LARGE, 1048576, 0}, {"Gi", PREFIX_LARGE, 1073741824, 0},
    {"k", PREFIX_LARGE, 1, 3},     {"K", PREFIX_LARGE, 1, 3},        {"M", PREFIX_LARGE, 1, 6},
    {"G", PREFIX_LARGE, 1, 9},     {"T", PREFIX_LARGE, 1, 12},       {"m", PREFIX_SMALL, 1, -3},
    {"u", PREFIX_SMALL, 1, -6},    {"\u00b5", PREFIX_SMALL, 1, -6},  {"\u03bc", PREFIX_SMALL, 1, -6},
    {"n", PREFIX_SMALL, 1, -9},    {"p", PREFIX_SMALL, 1, -12},
};

static const struct {
    const char *what, *example, *udunits;
} words[UNIT_COUNT] = {
    [UNIT_NONE] = {"a number", "0.01", "1"},
    [UNIT_TIME] = {"a time", "50 ms", "s"},
    [UNIT_RATE] = {"a rate", "10 Mbit/s", "bit s-1"},
    [UNIT_BYTES] = {"bytes", "1460 B", "byte"},
    [UNIT_PACKETS] = {"packets", "100 packets", "1"},
    [UNIT_SEGMENTS] = {"segments", "10 segments", "1"},
    [UNIT_BDP] = {"a multiple of the bandwidth-delay product", "0.5 bdp", "1"},
};

enum { NAMES = sizeof names / sizeof *names, PREFIXES = sizeof prefixes / sizeof *prefixes };

struct scale {
    enum unit unit;
    double factor;
    int power;
};

static const struct unit_name *find_name(const char *text, enum prefixes prefixes)
{
    for (size_t i = 0; i < NAMES; i++)
        if (strcmp(names[i].name, text) == 0 && (!prefixes || names[i].prefixes == prefixes))
            return &names[i];
    return NULL;
}

static int find_scale(const char *text, struct scale *out)
{
    const struct unit_name *name = find_name(text, PREFIX_NONE);
    if (name) {
        *out = (struct scale){name->unit, name->factor, name->power};
        return 0;
    }
    for (size_t i = 0; i < PREFIXES; i++) {
        size_t length = strlen(prefixes[i].name);
        if (strncmp(text, prefixes[i].name, length) != 0)
            continue;
        name = find_name(text + length, prefixes[i].kind);
        if (name) {
            *out = (struct scale){name->unit, name->factor * prefixes[i].factor, prefixes[i].power};
            return 0;
        }
    }
    return -1;
}

static size_t digits(const char *text)
{
    size_t n = 0;
    while (isdigit((unsigned char)text[n]))
        n++;
    return n;
}

/* Length of the number without its exponent, 0 if it has no digit. */
static size_t mantissa_length(const char *text)
{
    size_t sign = *text == '+' || *text == '-';
    size_t whole = digits(text + sign), length = sign + whole, part = 0;
    if (text[length] == '.') {
        part = digits(text + length + 1);
        length += 1 + part;
    }
    return whole + part ? length : 0;
}

static size_t exponent_length(const char *text)
{
    if (*text != 'e' && *text != 'E')
        return 0;
    size_t sign = text[1] == '+' || text[1] == '-';
    size_t n = digits(text + 1 + sign);
    return n ? 1 + sign + n : 0;
}

size_t units_number_length(const char *text)
{
    size_t length = mantissa_length(text);
    return length ? length + exponent_length(text + length) : 0;
}

void units_examples(unsigned allowed, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (int u = 0; u < UNIT_COUNT; u++)
        if (allowed & UNIT_BIT(u) && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s such as `%s`", used ? " or " : "", words[u].what,
                                     words[u].example);
}

/* The number times 10^power, correctly rounded: the power goes into the decimal exponent. */
static double scaled(const char *text, int power)
{
    char decimal[128];
    size_t length = mantissa_length(text);
    long exponent = exponent_length(text + length) ? strtol(text + length + 1, NULL, 10) : 0;
    if (exponent > 1000 || exponent < -1000 || length > 100)
        return exponent < 0 ? 0 : HUGE_VAL;
    snprintf(decimal, sizeof decimal, "%.*se%ld", (int)length, text, exponent + power);
    return strtod(decimal, NULL);
}

int units_parse(const char *text, unsigned allowed, struct quantity *out, char *why, size_t size)
{
    char expected[256];
    units_examples(allowed, expected, sizeof expected);
    size_t length = units_number_length(text);
    if (!length) {
        snprintf(why, size, "`%.60s` is not a number, expected %s", text, expected);
        return -1;
    }
    const char *unit = text + length + strspn(text + length, " ");
    struct scale scale;
    if (find_scale(unit, &scale) < 0) {
        snprintf(why, size, "unknown unit `%.40s`, expected %s", unit, expected);
        return -1;
    }
    if (!(allowed & UNIT_BIT(scale.unit))) {
        if (!*unit)
            snprintf(why, size, "`%.40s` has no unit, expected %s", text, expected);
        else
            snprintf(why, size, "`%.40s` has the wrong unit, expected %s", text, expected);
        return -1;
    }
    *out = (struct quantity){scaled(text, scale.power) * scale.factor, scale.unit};
    if (!isfinite(out->value)) {
        snprintf(why, size, "`%.40s` is too large, expected %s", text, expected);
        return -1;
    }
    return 0;
}

/* Factors to print with, largest first. */
static const struct {
    enum unit unit;
    double factor;
    const char *name;
} print_units[] = {
    {UNIT_TIME, 1, " s"},          {UNIT_TIME, 1e-3, " ms"},
    {UNIT_TIME, 1e-6, " us"},      {UNIT_TIME, 1e-9, " ns"},
    {UNIT_TIME, 1e-12, " ps"},     {UNIT_RATE, 1e9, " Gbit/s"},
    {UNIT_RATE, 1e6, " Mbit/s"},   {UNIT_RATE, 1e3, " kbit/s"},
    {UNIT_RATE, 1, " bit/s"},      {UNIT_BYTES, 1e9, " GB"},
    {UNIT_BYTES, 1e6, " MB"},      {UNIT_BYTES, 1, " B"},
    {UNIT_PACKETS, 1, " packets"}, {UNIT_SEGMENTS, 1, " segments"},
    {UNIT_BDP, 1, " bdp"},         {UNIT_NONE, 1, ""},
};

void units_format(struct quantity q, char *text, size_t size)
{
    double factor = 1;
    const char *name = "";
    for (size_t i = 0; i < sizeof print_units / sizeof *print_units; i++) {
        if (print_units[i].unit != q.unit)
            continue;
        factor = print_units[i].factor;
        name = print_units[i].name;
        if (q.value == 0 ? factor == 1 : fabs(q.value) >= factor * (1 - 1e-9))
            break;
    }
    double value = q.value / factor;
    if (value == floor(value) && fabs(value) < 1e15)
        snprintf(text, size, "%.0f%s", value, name);
    else
        snprintf(text, size, "%.6g%s", value, name);
}

const char *units_name(enum unit unit)
{
    return words[unit].what;
}

const char *units_udunits(enum unit unit)
{
    return words[unit].udunits;
}
