/* test_mutants.c - thousands of damaged sweep files: each is refused with one line or gives scenarios, none crashes. */
#include "load_sweep.h"

enum { MUTANTS = 3000, ROOM = 8192 };

static const char *const seeds[] = {
    "name: a\nseed: 1\nduration: 5 s\nwarmup: 1 s\nreplications: {min: 3, max: 9, until: {metric: goodput}}\n"
    "path:\n  - {name: in, rate: 10 Mbit/s, delay: 100 us}\n"
    "  - {name: mid, rate: 10 Mbit/s, delay: 50 ms, ber: 1e-7, errors: both, queue: 100 packets,\n"
    "     drops: [{packet: 3}, {segment: 8, transmission: 2}], schedule: [{at: 1 s, up: false}, {at: 2 s, up: true}]}\n"
    "tcp: {dialect: rfc, algorithm: newreno, mss: 1460 B, receive_window: 65535 B}\n"
    "app: {kind: cbr, packet: 1460 B, interval: 1168 us}\n"
    "axes:\n  tcp.algorithm: [old_tahoe, tahoe]\n  path.mid.ber: {logspace: [1e-8, 1e-4], points: 5}\n"
    "where: \"ber < 1e-5 or not (algorithm == tahoe and path.mid.queue >= 2 bdp)\"\n",
    "duration: 20 s\nmeasure: {from: 1 s, to: 10 s}\ncommon_random_numbers: [links.x.ber, tcp.mss]\nlinks:\n"
    "  x: {rate: 1 Mbit/s, delay: 1 ms, errors: reverse, ber: 1e-6, onoff_loss: {up: 1 s, down: 10 ms}}\n"
    "  y: {rate: 2 Mbit/s, queue: 64 KiB, reverse: {rate: 1 Mbit/s, queue: 3 packets}}\nflows:\n"
    "  - {name: p, via: [x, y*], back: [y*, x], app: {kind: ping, packet: 56 B, interval: 1 s}, stop: 9 s}\n"
    "  - {name: q, count: 3, via: [y*, x.reverse], start: {uniform: [0 s, 1 s]}, tcp: {dialect: ns2, algorithm: "
    "sack}}\n"
    "sample: {kind: sobol, points: 16, over: {links.x.delay: [1 ms, 9 ms], links.x.per: {log: [1e-4, 0.1]}}}\n"
    "zip: [{tcp.mss: [500 B, 1000 B], links.y.rate: [1 Mbit/s, 4 Mbit/s], as: size}]\n"
    "axes: {links.y.queue: [unlimited, 10 packets, 2 KiB, 1 bdp], flows.q.count: [1, 2]}\n",
};

static const char *const tokens[] = {
    "[",       "]",      "{",      "}",        ": ",   ", ",        "*",     "&a ",        "*a",    "- ",
    "\n",      "  ",     "\t",     "\"",       "'",    "#",         "%",     "!",          "|",     "null",
    "1e-7",    "1e400",  "-1",     "0",        "ms",   "10 Mbit/s", "50 ms", "0.5 bdp",    "true",  "unlimited",
    "tcp.mss", "links.", "flows.", "reverse.", "and ", "not (",     "==",    "\xff",       "---\n", "99999999999",
    "[1, 2]",  "x",      "count",  "name",     "as",   "{p: 1}",    "zip: ", "where: 1\n", "sack",  "{log: [1, 2]}",
};

/* Replaces `cut` bytes at `at` by `text`. */
static size_t splice(char *buffer, size_t length, size_t at, size_t cut, const char *text, size_t added)
{
    cut = at + cut > length ? length - at : cut;
    if (length + added >= ROOM)
        return length;
    memmove(buffer + at + added, buffer + at + cut, length - at - cut);
    memcpy(buffer + at, text, added);
    return length + added - cut;
}

static size_t mutate(char *buffer, size_t length)
{
    char piece[40];
    size_t at = (size_t)rand() % length, from = (size_t)rand() % length, n = 1 + (size_t)rand() % 30;
    const char *token = tokens[(size_t)rand() % (sizeof tokens / sizeof *tokens)];
    switch (rand() % 6) {
    case 0: /* cut */
        return splice(buffer, length, at, n, "", 0);
    case 1: /* insert a token */
        return splice(buffer, length, at, 0, token, strlen(token));
    case 2: /* a token instead of a word */
        return splice(buffer, length, at, strcspn(buffer + at, " ,:[]{}\n"), token, strlen(token));
    case 3: /* another digit */
    case 4:
        at += strcspn(buffer + at, "0123456789");
        return at < length ? splice(buffer, length, at, 1, "0123456789" + rand() % 10, 1) : length;
    default: /* copy a piece */
        n = from + n > length ? length - from : n;
        memcpy(piece, buffer + from, n);
        return splice(buffer, length, at, 0, piece, n);
    }
}

static void use(struct sweep *sweep)
{
    struct error err;
    char label[100];
    for (int i = 0; i < 3; i++) {
        uint64_t point = (uint64_t)rand() * 7919 % sweep_npoints(sweep);
        struct scenario *scenario = sweep_scenario(sweep, point, &err);
        if (!scenario)
            assert_int_equal(err.status, EXIT_BAD_INPUT);
        free(scenario);
        sweep_point_label(sweep, point, label, sizeof label);
        sweep_random_key(sweep, point, 1);
        sweep_point_selected(sweep, point);
    }
    sweep_free(sweep);
}

static void test_mutants(void **state)
{
    (void)state;
    char buffer[ROOM];
    int accepted = 0;
    srand(1);
    for (int i = 0; i < 2; i++)
        use(load(seeds[i]));
    for (int i = 0; i < MUTANTS; i++) {
        struct error err;
        struct sweep *sweep;
        size_t length = strlen(strcpy(buffer, seeds[i % 2]));
        for (int k = rand() % 2; k >= 0 && length > 1; k--)
            length = mutate(buffer, length);
        buffer[length] = 0;
        if (sweep_load_text(&sweep, "mutant", buffer, &err) == 0) {
            accepted++;
            use(sweep);
        } else if (err.status != EXIT_BAD_INPUT || strchr(err.text, '\n') || !strstr(err.text, "expected")) {
            fail_msg("status %d: %s\n%s", err.status, err.text, buffer);
        }
    }
    assert_in_range(accepted, MUTANTS / 20, MUTANTS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutants)};
    return cmocka_run_group_tests(tests, create_file, remove_file);
}
