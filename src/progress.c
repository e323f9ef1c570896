/* progress.c - progress on stderr. */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double TERMINAL_S = 0.5, LOG_S = 60;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_start(struct progress *p, bool quiet)
{
    p->quiet = quiet;
    p->terminal = isatty(STDERR_FILENO);
    p->start_s = now_s();
    p->due_s = p->start_s + (p->terminal ? TERMINAL_S : LOG_S);
}

void progress_time(double seconds, char *text, size_t size)
{
    long s = lround(fmin(seconds, 1e9));
    if (s < 60)
        snprintf(text, size, "%ld s", s);
    else if (s < 3600)
        snprintf(text, size, "%ld:%02ld min", s / 60, s % 60);
    else
        snprintf(text, size, "%ld:%02ld h", s / 3600, s / 60 % 60);
}

/* Cost of the whole run: points still open are taken to need as many replications as those decided so far. */
static double expected_cost(const struct progress *p, const struct schedule_state *state)
{
    double replications = p->least;
    if (state->points > 0)
        replications = (double)state->decided_replications / (double)state->points;
    return fmax(p->cost_of_one * replications, state->cost_done + state->cost_left);
}

void progress_show(struct progress *p, const struct schedule_state *state)
{
    double now = now_s();
    if (p->quiet || now < p->due_s)
        return;
    p->due_s = now + (p->terminal ? TERMINAL_S : LOG_S);
    double share = state->cost_done / fmax(expected_cost(p, state), 1);
    char eta[32] = "?";
    if (share > 0)
        progress_time((now - p->start_s) * (1 - share) / share, eta, sizeof eta);
    fprintf(stderr, "%s%llu of %llu points, %llu replications run, %.0f %%, about %s left%s", p->terminal ? "\r" : "",
            (unsigned long long)state->points, (unsigned long long)p->npoints, (unsigned long long)state->replications,
            100 * share, eta, p->terminal ? "\033[K" : "\n");
    fflush(stderr);
}

void progress_end(struct progress *p)
{
    if (!p->quiet && p->terminal)
        fprintf(stderr, "\r\033[K");
}
