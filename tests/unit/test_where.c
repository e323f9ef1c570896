/* test_where.c - conditions on points. */
#include "load_sweep.h"

static const struct {
    const char *where;
    const char *selected; /* one digit per point: queue 10, 50, 500 packets x tahoe, sack */
} conditions[] = {
    {"links.link.queue >= 50 packets", "001111"},
    {"queue < 50 packets", "110000"},
    {"not queue < 50 packets and algorithm == sack", "000101"},
    {"algorithm != sack or queue > 50 packets", "101011"},
    {"tahoe == tcp.algorithm", "101010"},
    {"(queue == 10 packets or queue == 500 packets) and algorithm == tahoe", "100010"},
    {"queue * 2 > 60 packets", "001111"},
    {"queue - 10 packets <= 40 packets", "111100"},
    {"queue >= 1 bdp", "000011"}, /* 10 Mbit/s x 102 ms = 85 packets of 1500 B */
    {"queue > 16 KB", "001111"},
    {"links.link.delay == 50 ms", "111111"},
    {"links.link.reverse.rate < 10 Mbit/s", "000000"},
    {"links.link.rate * links.link.delay / 8 > 62499", "111111"},
    {"tcp.delayed_ack", "111111"},
    {"not tcp.delayed_ack", "000000"},
    {"tcp.delayed_ack == false", "000000"},
    {"tcp.initial_ssthresh == unlimited and tcp.initial_window <= 10 segments", "111111"},
    {"tcp.limited_transmit and tcp.recovery != tahoe", "010101"},
    {"duration > 9 s and 1 < 2", "111111"},
    {"flows.flow.tcp.algorithm == sack", "010101"},
};

static void test_where(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        char text[1000], selected[7] = "";
        snprintf(text, sizeof text,
                 "duration: 10 s\npath: [{name: link, rate: 10 Mbit/s, delay: 50 ms}]\nwhere: \"%s\"\n"
                 "axes: {path.link.queue: [10 packets, 50 packets, 500 packets], tcp.algorithm: [tahoe, sack]}\n",
                 conditions[i].where);
        struct sweep *sweep = load(text);
        for (uint64_t p = 0; p < 6; p++)
            selected[p] = sweep_point_selected(sweep, p) ? '1' : '0';
        if (strcmp(selected, conditions[i].selected) != 0)
            fail_msg("%s: %s, expected %s", conditions[i].where, selected, conditions[i].selected);
        sweep_free(sweep);
    }
}

static void test_bad_where(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"queue > 10", "different units"},
        {"queue > 10 ms", "different units"},
        {"queue", "a value where a condition should be"},
        {"queue >", "ends too early"},
        {"queue > 1 packet and", "ends too early"},
        {"(queue > 1 packet", "closed parentheses"},
        {"queue > 1 packet)", "cannot read on"},
        {"tcp.algorithm == nosuch", "is not known"},
        {"tcp.algorithm < sack", "has no order"},
        {"tcp.algoritm == sack", "nearest is `tcp.algorithm`"},
        {"algoritm == sack", "cannot be compared"},
        {"queue > 1 furlong", "not a number with a unit"},
        {"seed > 1", "not part of a scenario"},
        {"queue + 1 ms > 3 s", "different units"},
        {"tcp.algorithm + 1 > 2", "not a number"},
        {"and", "where a value should be"},
        {"queue > 1 packet & true", "cannot read on"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        struct error err;
        struct sweep *sweep;
        snprintf(text, sizeof text, PATH "where: \"%s\"\naxes: {path.link.queue: [10 packets, 50 packets]}\n",
                 rows[i][0]);
        if (try_load(&sweep, text, NULL, &err) == 0)
            fail_msg("%s: accepted", rows[i][0]);
        if (!strstr(err.text, rows[i][1]) || !strstr(err.text, ":3: where: "))
            fail_msg("%s: %s", rows[i][0], err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_where), cmocka_unit_test(test_bad_where)};
    return cmocka_run_group_tests(tests, create_file, remove_file);
}
