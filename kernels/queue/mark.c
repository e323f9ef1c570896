/* mark.c - see mark.h. */
#include "mark.h"

/* x^n. */
static double power(double x, uint64_t n)
{
    double result = 1;
    for (; n > 0; n >>= 1, x *= x)
        if (n & 1)
            result *= x;
    return result;
}

/* Packets that wait at t_ps. */
static uint32_t waiting(struct mark_state *m, int64_t t_ps)
{
    while (m->n > 0 && m->start_ps[m->head] <= t_ps) {
        m->head = m->head + 1 == m->slots ? 0 : m->head + 1;
        m->n--;
    }
    return m->n;
}

bool mark_arrives(struct mark_state *m, int64_t t_ps, int64_t free_ps, int64_t service_ps)
{
    uint32_t queued = waiting(m, t_ps);
    if (free_ps < t_ps && service_ps > 0)
        m->average *= power(1 - m->weight, (uint64_t)((t_ps - free_ps) / service_ps));
    m->average = (1 - m->weight) * m->average + m->weight * queued;
    return m->average >= m->threshold;
}

bool mark_waits(struct mark_state *m, int64_t t_ps, int64_t start_ps)
{
    if (start_ps <= t_ps)
        return true;
    if (m->n == m->slots)
        return false;
    uint32_t at = m->head + m->n++;
    m->start_ps[at < m->slots ? at : at - m->slots] = start_ps;
    return true;
}
