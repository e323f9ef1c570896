/* cell_model.h - a port of an ATM switch, slot by slot and cell by cell, for tests: a queue of cells and receivers that
 * put frames together from what they get. Slow, and written without regard to kernels/station.
 */
#ifndef TESTS_UNIT_CELL_MODEL_H
#define TESTS_UNIT_CELL_MODEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum model_policy { MODEL_PLAIN, MODEL_PPD, MODEL_EPD };

struct model_frame {
    int vc;
    int64_t sent_ps;
    uint32_t cells;
    /* what becomes of it */
    int64_t arrived_ps;  /* its last cell is in the switch */
    int64_t received_ps; /* its last cell has been sent and the receiver has all others; -1: never */
};

struct model {
    enum model_policy policy;
    int64_t slot_ps, cbr_ps, gap_ps; /* cbr_ps 0: no CBR */
    size_t room, threshold;
    struct model_frame *frame; /* by time, those of a vc in their order */
    size_t nframes;
    size_t ncells, nlost, nsent, nleft; /* in all; lost at the buffer; sent; not yet sent at the end */
};

struct model_cell {
    int64_t t_ps;
    size_t frame;
    uint32_t number; /* from 0 */
};

static inline int model_compare(const struct model *m, const struct model_cell *a, const struct model_cell *b)
{
    if (a->t_ps != b->t_ps)
        return a->t_ps < b->t_ps ? -1 : 1;
    int va = m->frame[a->frame].vc, vb = m->frame[b->frame].vc;
    if (va != vb)
        return va < vb ? -1 : 1;
    return (int)a->number - (int)b->number;
}

static inline void model_sort(const struct model *m, struct model_cell *cell, struct model_cell *spare, size_t n)
{
    if (n < 2)
        return;
    size_t half = n / 2, i = 0, j = half;
    model_sort(m, cell, spare, half);
    model_sort(m, cell + half, spare, n - half);
    for (size_t k = 0; k < n; k++)
        spare[k] = i < half && (j == n || model_compare(m, &cell[i], &cell[j]) <= 0) ? cell[i++] : cell[j++];
    memcpy(cell, spare, n * sizeof *cell);
}

/* Cells of all frames by the time at which they come: each vc has a line of its own. */
static inline struct model_cell *model_cells(struct model *m)
{
    enum { VCS = 64 };
    int64_t free_ps[VCS] = {0};
    m->ncells = 0;
    for (size_t i = 0; i < m->nframes; i++)
        m->ncells += m->frame[i].cells;
    struct model_cell *cell = calloc(m->ncells + 1, sizeof *cell), *spare = calloc(m->ncells + 1, sizeof *cell);
    size_t n = 0;
    for (size_t i = 0; i < m->nframes; i++) {
        struct model_frame *f = &m->frame[i];
        int64_t t_ps = f->sent_ps > free_ps[f->vc] ? f->sent_ps : free_ps[f->vc];
        for (uint32_t k = 0; k < f->cells; k++)
            cell[n++] = (struct model_cell){t_ps += m->gap_ps, i, k};
        free_ps[f->vc] = f->arrived_ps = t_ps;
        f->received_ps = -1;
    }
    model_sort(m, cell, spare, n);
    free(spare);
    return cell;
}

/* Whether the switch lets a cell in; state: of the frame, 1 = rest is thrown away, 2 = all of it. */
static inline bool model_admits(const struct model *m, const struct model_cell *c, size_t waiting, char *state)
{
    bool is_last = c->number + 1 == m->frame[c->frame].cells;
    if (m->policy == MODEL_EPD && c->number == 0 && waiting >= m->threshold)
        *state = 2;
    if (*state == 2 || (*state == 1 && !is_last))
        return false;
    if (waiting < m->room)
        return true;
    if (m->policy != MODEL_PLAIN)
        *state = 1;
    return false;
}

/* A cell comes out: the receiver has cells since the last end of a frame; they are one frame, or they are thrown away.
 * held: per vc number of cells, and whether they are all of one frame in order. */
struct model_receiver {
    size_t cells, frame;
    bool is_spoilt;
};

static inline void model_receive(struct model *m, struct model_receiver *r, const struct model_cell *c, int64_t t_ps)
{
    if (r->cells == 0)
        r->frame = c->frame;
    r->is_spoilt |= r->frame != c->frame || c->number != r->cells;
    r->cells++;
    if (c->number + 1 < m->frame[c->frame].cells)
        return;
    if (!r->is_spoilt)
        m->frame[c->frame].received_ps = t_ps;
    *r = (struct model_receiver){0};
}

/* Until the end, or until nothing more can leave. */
static inline void model_run(struct model *m, int64_t end_ps)
{
    struct model_cell *cell = model_cells(m);
    char *state = calloc(m->nframes + 1, 1);
    struct model_cell *queue = calloc(m->ncells + 1, sizeof *queue);
    struct model_receiver receiver[64] = {0};
    size_t next = 0, head = 0, tail = 0, cbr_sent = 0;
    m->nlost = m->nsent = 0;
    for (int64_t slot = 0; slot * m->slot_ps <= end_ps; slot++) {
        int64_t begin_ps = slot * m->slot_ps;
        for (; next < m->ncells && cell[next].t_ps < begin_ps; next++)
            if (model_admits(m, &cell[next], tail - head, &state[cell[next].frame]))
                queue[tail++] = cell[next];
            else
                m->nlost++;
        if (m->cbr_ps > 0 && (int64_t)cbr_sent * m->cbr_ps <= begin_ps) {
            cbr_sent++;
            continue;
        }
        if (head == tail)
            continue;
        model_receive(m, &receiver[m->frame[queue[head].frame].vc], &queue[head], begin_ps + m->slot_ps);
        head++;
        m->nsent++;
    }
    m->nleft = tail - head + m->ncells - next;
    free(cell);
    free(queue);
    free(state);
}

#endif
