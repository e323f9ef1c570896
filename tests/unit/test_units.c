/* test_units.c - quantities with human units. */
#include "../../src/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define ALL (UNIT_BIT(UNIT_COUNT) - 1)

static const struct {
    const char *text;
    double value;
    enum unit unit;
} good[] = {
    {"10 Mbit/s", 1e7, UNIT_RATE},
    {"10Mbit/s", 1e7, UNIT_RATE},
    {"1.1 Mbit/s", 1100000, UNIT_RATE},
    {"9.6 kbps", 9600, UNIT_RATE},
    {"1 GB/s", 8e9, UNIT_RATE},
    {"56e3 bit/s", 56000, UNIT_RATE},
    {"1 Tbit/s", 1e12, UNIT_RATE},
    {"50 ms", 0.05, UNIT_TIME},
    {"1168 us", 1168e-6, UNIT_TIME},
    {"3 \u00b5s", 3e-6, UNIT_TIME},
    {"7 ns", 7e-9, UNIT_TIME},
    {"1 ps", 1e-12, UNIT_TIME},
    {"2 min", 120, UNIT_TIME},
    {"1.5 h", 5400, UNIT_TIME},
    {"0 s", 0, UNIT_TIME},
    {"-5 ms", -0.005, UNIT_TIME},
    {"1460 B", 1460, UNIT_BYTES},
    {"64 KiB", 65536, UNIT_BYTES},
    {"64 KB", 64000, UNIT_BYTES},
    {"64 kB", 64000, UNIT_BYTES},
    {"1 MiB", 1048576, UNIT_BYTES},
    {"1 byte", 1, UNIT_BYTES},
    {"2 GiB", 2147483648.0, UNIT_BYTES},
    {"100 packets", 100, UNIT_PACKETS},
    {"1 packet", 1, UNIT_PACKETS},
    {"10 segments", 10, UNIT_SEGMENTS},
    {"0.5 bdp", 0.5, UNIT_BDP},
    {"1 %", 0.01, UNIT_NONE},
    {"0.1%", 0.001, UNIT_NONE},
    {"1e-7", 1e-7, UNIT_NONE},
    {".5", 0.5, UNIT_NONE},
    {"5.", 5, UNIT_NONE},
    {"1E3", 1000, UNIT_NONE},
    {"+3", 3, UNIT_NONE},
    {"1e-3 Mbit/s", 1000, UNIT_RATE},
};

static void test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct quantity q = {0, UNIT_NONE};
        char why[300] = "";
        if (units_parse(good[i].text, ALL, &q, why, sizeof why) < 0)
            fail_msg("%s: %s", good[i].text, why);
        if (q.value != good[i].value || q.unit != good[i].unit)
            fail_msg("%s: %.17g, unit %d", good[i].text, q.value, q.unit);
    }
}

static const struct {
    const char *text;
    unsigned allowed;
    const char *why; /* part of the message */
} bad[] = {
    {"10", UNIT_BIT(UNIT_RATE), "`10` has no unit, expected a rate such as `10 Mbit/s`"},
    {"0", UNIT_BIT(UNIT_TIME), "has no unit"},
    {"10 ms", UNIT_BIT(UNIT_RATE), "`10 ms` has the wrong unit, expected a rate"},
    {"10 mbit/s", UNIT_BIT(UNIT_RATE), "unknown unit `mbit/s`"},
    {"10 Mb/s", UNIT_BIT(UNIT_RATE), "unknown unit `Mb/s`"},
    {"10 Ms", UNIT_BIT(UNIT_TIME), "unknown unit `Ms`"},
    {"10 kmin", UNIT_BIT(UNIT_TIME), "unknown unit `kmin`"},
    {"10 S", UNIT_BIT(UNIT_TIME), "unknown unit `S`"},
    {"fast", UNIT_BIT(UNIT_RATE), "`fast` is not a number"},
    {"", UNIT_BIT(UNIT_RATE), "not a number"},
    {".", UNIT_BIT(UNIT_NONE), "not a number"},
    {"-", UNIT_BIT(UNIT_NONE), "not a number"},
    {"inf", UNIT_BIT(UNIT_NONE), "not a number"},
    {"nan s", UNIT_BIT(UNIT_TIME), "not a number"},
    {"0x10 B", UNIT_BIT(UNIT_BYTES), "unknown unit `x10 B`"},
    {"1,5 s", UNIT_BIT(UNIT_TIME), "unknown unit `,5 s`"},
    {"1e400 s", UNIT_BIT(UNIT_TIME), "too large"},
    {"1e999999999999999999999 s", UNIT_BIT(UNIT_TIME), "too large"},
    {"100 packets", UNIT_BIT(UNIT_BYTES) | UNIT_BIT(UNIT_BDP), "expected bytes such as `1460 B` or a multiple of"},
};

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct quantity q;
        char why[300] = "";
        if (units_parse(bad[i].text, bad[i].allowed, &q, why, sizeof why) == 0)
            fail_msg("%s: accepted", bad[i].text);
        if (!strstr(why, bad[i].why) || !strstr(why, "expected"))
            fail_msg("%s: %s", bad[i].text, why);
    }
}

/* The same quantity in other words is the same double: hashes depend on it. */
static void test_prefixes_are_exact(void **state)
{
    (void)state;
    char text[64], why[300];
    for (int i = 1; i < 5000; i++) {
        struct quantity a, b, c;
        snprintf(text, sizeof text, "%d.%03d Mbit/s", i / 1000, i % 1000);
        assert_int_equal(units_parse(text, ALL, &a, why, sizeof why), 0);
        snprintf(text, sizeof text, "%d kbit/s", i);
        assert_int_equal(units_parse(text, ALL, &b, why, sizeof why), 0);
        snprintf(text, sizeof text, "0.%06d Gbit/s", i);
        assert_int_equal(units_parse(text, ALL, &c, why, sizeof why), 0);
        assert_true(a.value == b.value && a.value == c.value);
    }
}

static void test_format(void **state)
{
    (void)state;
    static const struct {
        struct quantity q;
        const char *text;
    } rows[] = {
        {{1e7, UNIT_RATE}, "10 Mbit/s"},
        {{0.05, UNIT_TIME}, "50 ms"},
        {{1168e-6, UNIT_TIME}, "1.168 ms"},
        {{0, UNIT_TIME}, "0 s"},
        {{1460, UNIT_BYTES}, "1460 B"},
        {{0.5, UNIT_BDP}, "0.5 bdp"},
        {{99, UNIT_PACKETS}, "99 packets"},
        {{1e-7, UNIT_NONE}, "1e-07"},
        {{90, UNIT_TIME}, "90 s"},
        {{0, UNIT_RATE}, "0 bit/s"},
        {{1234567, UNIT_PACKETS}, "1234567 packets"},
        {{1e6, UNIT_TIME}, "1000000 s"},
        {{0.123456789, UNIT_NONE}, "0.123457"},
        {{10, UNIT_SEGMENTS}, "10 segments"},
    };
    char text[48];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        units_format(rows[i].q, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_prefixes_are_exact),
        cmocka_unit_test(test_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
