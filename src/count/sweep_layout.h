/* sweep_layout: where the counters of a grouped sweep lie, in 32-bit words.
 *
 * Packed, a counter is as wide as the greatest degree from its slot on needs, since no vertex ends more paths of a root than
 * it has neighbours: of 32, 16, 8, 4 or 2 bits. Slots are in about descending order of degree, so few are wide. */
#ifndef GEMP_COUNT_SWEEP_LAYOUT_H
#define GEMP_COUNT_SWEEP_LAYOUT_H

#include "device/device.h"

enum { GEMP_SWEEP_WIDTHS = 5 };

typedef struct gemp_sweep_layout {
	cl_uint from[GEMP_SWEEP_WIDTHS - 1]; /* first slots of the widths but 32 */
	cl_uint base[GEMP_SWEEP_WIDTHS - 1]; /* the counter of slot w begins at bit base + w * width, mod 2^32 */
	bool packed;                         /* else the counter of slot w is word w */
	uint64_t words;                      /* of all counters */
	uint32_t ends;                       /* slots */
} gemp_sweep_layout;

/* begin: [ends + 1] of the rows. pack: where bits can be numbered with 32 bits. */
void gemp_sweep_layout_new(gemp_sweep_layout *out, const uint64_t *begin, uint32_t ends, bool pack);

/* The slot of the first counter that begins in this word or behind it. */
uint32_t gemp_sweep_slot_at(const gemp_sweep_layout *layout, uint64_t word);

#endif
