/* cell_port.h - an output port of an ATM switch, cell by cell: AAL5 frames, a buffer, what it does when that is full.
 *
 * Source: ITU-T I.363.5 and RFC 2684 (frames); Romanow and Floyd, IEEE JSAC 13(4), 1995 (PPD, EPD).
 * The output line is a row of slots, a cell each. Cells of constant bit rate come one each cbr_ps from time 0 and take
 * the first slot that begins then or later, before all others; they have no part in the buffer. The other cells leave
 * in the order in which they came, so a cell's slot is known when it is let in, and of the buffer only the number of
 * cells is kept. A cell that is being sent has left it. One that comes as a slot begins has missed it.
 * The caller gives cells in the order of time, each frame's as evenly spaced as they come. Runs of cells that surely
 * fit take one step; the result is that of cell by cell (tests/unit/test_atm.c has that).
 */
#ifndef KERNELS_STATION_CELL_PORT_H
#define KERNELS_STATION_CELL_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "params_atm.h"

enum { CELL_BYTES = 53, CELL_PAYLOAD_BYTES = 48, AAL5_TRAILER_BYTES = 8, LLC_SNAP_BYTES = 8 };

struct cell_port {
    int64_t slot_ps;
    int64_t cbr_ps;          /* between cells of constant bit rate; 0: there are none */
    int64_t room, threshold; /* cells; of EPD */
    enum atm_policy policy;
    int64_t last; /* place of the last cell let in among the slots that are not CBR's, from 1 */
    /* counts, and those slots that lie before the measuring window and before its end */
    uint64_t arrived, kept, kept_within;
    int64_t from, to;
};

/* One virtual connection: its frame that is coming in, and what its receiver's reassembly holds. */
struct cell_vc {
    bool has_rest; /* cells of a frame whose last cell was lost: they will be taken for the next one's */
    /* the frame */
    uint32_t cells, arrived, kept;
    bool is_refused;         /* EPD: all of it */
    bool is_cut;             /* PPD: all but the last cell */
    int64_t last;            /* place of its last cell, 0: lost or not yet there */
    int64_t next_ps, gap_ps; /* when its next cell comes, and the time between cells */
};

/* Cells of a frame around so many bytes. */
uint32_t cells_of(uint32_t bytes, bool llc);

/* Before the first cell. from_ps, to_ps: the measuring window. */
void cell_port_init(struct cell_port *port, const struct atm_cfg *cfg, double rate_bps, int64_t from_ps, int64_t to_ps);

/* A frame begins whose first cell comes at first_ps. */
void cell_frame_begin(struct cell_vc *vc, uint32_t cells, int64_t first_ps, int64_t gap_ps);

/* The next n cells of the frame come. */
void cell_frame_take(struct cell_port *port, struct cell_vc *vc, uint32_t n);

/* All cells of the frame have come. Returns when its last cell begins to be sent if the receiver gets the frame, -1 if
 * it does not; TIME_NEVER if CBR takes all slots. */
int64_t cell_frame_end(const struct cell_port *port, struct cell_vc *vc);

#endif
