/* registry.c - the lists of algorithms and models. One line each. */
#include "registry.h"

#include <stddef.h>
#include <string.h>

extern const struct cc_ops cc_reno;

extern const struct cc_ops cc_vegas, cc_vegas_ns2, cc_vegas_linux, cc_vegas_a, cc_vegas_plus, cc_veno, cc_veno_linux,
    cc_cerl, cc_jersey, cc_newjersey, cc_ledbat, cc_dctcp;

/* window: kernels/cc/params_window.h */
extern const struct cc_ops cc_aimd, cc_bic, cc_bic_linux, cc_cubic, cc_cubic_linux, cc_highspeed, cc_highspeed_linux,
    cc_scalable, cc_scalable_linux, cc_htcp, cc_hybla, cc_illinois, cc_yeah, cc_compound, cc_westwood, cc_westwood_plus,
    cc_westwood_linux, cc_fast, cc_reno_linux;

extern const struct recovery_ops recovery_timeout_only, recovery_tahoe, recovery_reno, recovery_newreno, recovery_sack,
    recovery_sack_pipe, recovery_vegas;

extern const struct app_ops app_bulk, app_file, app_cbr, app_udp_cbr, app_ping;

extern const struct error_ops error_ber, error_per, error_list_drops, error_gilbert, error_onoff, error_retransmission;

extern const struct queue_ops queue_unlimited, queue_packets, queue_bytes;

const struct cc_ops *const cc_list[] = {&cc_reno,
                                        &cc_vegas,
                                        &cc_vegas_ns2,
                                        &cc_vegas_linux,
                                        &cc_vegas_a,
                                        &cc_vegas_plus,
                                        &cc_veno,
                                        &cc_veno_linux,
                                        &cc_cerl,
                                        &cc_jersey,
                                        &cc_newjersey,
                                        &cc_ledbat,
                                        &cc_dctcp,
                                        &cc_aimd,
                                        &cc_bic,
                                        &cc_bic_linux,
                                        &cc_cubic,
                                        &cc_cubic_linux,
                                        &cc_highspeed,
                                        &cc_highspeed_linux,
                                        &cc_scalable,
                                        &cc_scalable_linux,
                                        &cc_htcp,
                                        &cc_hybla,
                                        &cc_illinois,
                                        &cc_yeah,
                                        &cc_compound,
                                        &cc_westwood,
                                        &cc_westwood_plus,
                                        &cc_westwood_linux,
                                        &cc_fast,
                                        &cc_reno_linux,
                                        NULL};

const struct recovery_ops *const recovery_list[] = {
    &recovery_timeout_only, &recovery_tahoe,     &recovery_reno,  &recovery_newreno,
    &recovery_sack,         &recovery_sack_pipe, &recovery_vegas, NULL,
};

const struct app_ops *const app_list[] = {&app_bulk, &app_file, &app_cbr, &app_udp_cbr, &app_ping, NULL};

const struct error_ops *const error_list[] = {
    &error_ber, &error_per, &error_list_drops, &error_gilbert, &error_onoff, &error_retransmission, NULL,
};

const struct queue_ops *const queue_list[] = {&queue_unlimited, &queue_packets, &queue_bytes, NULL};

/* Whether `name` is one of the comma-separated `names`. */
static int is_listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    while (names && *names) {
        size_t word = strcspn(names, ",");
        if (word == length && strncmp(names, name, length) == 0)
            return 1;
        names += word + (names[word] == ',');
        names += strspn(names, " ");
    }
    return 0;
}

const void *registry_find(const void *const *list, const char *name)
{
    for (; *list; list++) {
        const struct item *item = *list;
        if (strcmp(item->name, name) == 0 || is_listed(item->aliases, name))
            return *list;
    }
    return NULL;
}
