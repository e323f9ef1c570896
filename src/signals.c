/* signals.c - notes the signals that ask for an orderly stop. */
#include "signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t received;

static void note(int signal)
{
    received = signal;
}

void signals_install(void)
{
    static const int stops[] = {SIGUSR1, SIGTERM, SIGINT};
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        action.sa_flags = SA_RESTART | (stops[i] == SIGINT ? (int)SA_RESETHAND : 0);
        sigaction(stops[i], &action, NULL);
    }
}

int signals_received(void)
{
    return received;
}
