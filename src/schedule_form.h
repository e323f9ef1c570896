/* schedule_form.h - schedules of links that are not written out step by step: `schedule: {leo: ...}` and the like.
 *
 *   {leo: {from: [lat, lon], to: [lat, lon], ...}}   propagation over a constellation, see satellite.h
 *   {geo: {from: [lat, lon], to: [lat, lon], longitude: L}}   over one geostationary satellite, once and for all
 *   {file: NAME}   a text file of numbers; its first line names the columns: time_s, and rate_bps, delay_ms, up
 */
#ifndef SRC_SCHEDULE_FORM_H
#define SRC_SCHEDULE_FORM_H

#include "../kernels/scenario.h"
#include "yaml.h"

struct schedule_form {
    struct step_cfg *steps;
    uint32_t n;
    const char *canon; /* equal for equal steps of a kind */
};

/* -1 with the reason in `why`. */
int schedule_form_read(const struct node *map, struct arena *arena, struct schedule_form *out, char *why, size_t size);

#endif
