/* managed.c - what managed queues have in common; see managed.h. */
#include "managed.h"

#include <stddef.h>

const struct managed_ops *managed_of(const struct channel_cfg *channel)
{
    enum aqm_kind kind = (enum aqm_kind)channel->aqm.kind;
    if (kind == AQM_NONE && channel->mark.unit != MARK_OFF)
        kind = AQM_MARK;
    for (const struct managed_ops *const *ops = managed_list; *ops; ops++)
        if ((*ops)->kind == kind)
            return *ops;
    return NULL;
}

/* Takes out what has begun service by t_ps. */
static void drain(struct managed *m, int64_t t_ps)
{
    while (m->n > 0 && m->slot[m->head].start_ps <= t_ps) {
        m->bytes -= m->slot[m->head].bytes;
        m->head = m->head + 1 == m->slots ? 0 : m->head + 1;
        m->n--;
    }
}

enum verdict managed_arrives(struct managed *m, const struct arrival *a)
{
    drain(m, a->t_ps);
    return m->ops->arrives(m, a);
}

bool managed_waits(struct managed *m, int64_t t_ps, int64_t start_ps, uint32_t bytes)
{
    if (start_ps <= t_ps)
        return true;
    if (m->n == m->slots)
        return false;
    uint32_t at = m->head + m->n++;
    m->slot[at < m->slots ? at : at - m->slots] = (struct queue_slot){start_ps, bytes};
    m->bytes += bytes;
    return true;
}

/* x^n. */
static double power(double x, uint64_t n)
{
    double result = 1;
    for (; n > 0; n >>= 1, x *= x)
        if (n & 1)
            result *= x;
    return result;
}

double managed_average(const struct managed *m, double average, double weight, const struct arrival *a,
                       int64_t service_ps)
{
    if (a->free_ps < a->t_ps && service_ps > 0)
        average *= power(1 - weight, (uint64_t)((a->t_ps - a->free_ps) / service_ps));
    return (1 - weight) * average + weight * m->n;
}

enum verdict managed_verdict(const struct managed *m, const struct arrival *a)
{
    return a->is_ecn_capable && m->channel->aqm.marks ? VERDICT_MARK : VERDICT_DROP;
}
