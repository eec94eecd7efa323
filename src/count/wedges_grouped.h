/* wedges_grouped: sums over wedges on a GPU, with counters in local memory (kernels/count/count_wedges_grouped.cl).
 *
 * Roots are sorted by their number of paths. Roots with few paths go to workers with a hashed table, roots with more
 * to groups with a larger table, and the rest to groups whose local memory is a window over the counters of all ends;
 * such a root is walked once for each window. Counters are packed to as few bits as the degree of their end allows
 * (wedges_state.h). Local, except where the callers agree on codes.
 */

#ifndef GEMP_COUNT_WEDGES_GROUPED_H
#define GEMP_COUNT_WEDGES_GROUPED_H

#include "core/text.h"
#include "count/wedges_state.h"

/* begin: [ends + 1] row offsets. pack: use narrow counters if their bits can be numbered in 32 bits. */
void gemp_wedges_layout_new(gemp_wedges_layout *out, const uint64_t *begin, uint32_t ends, bool pack);

/* The slot of the first counter that begins in this word or behind it. */
uint32_t gemp_wedges_slot_at(const gemp_wedges_layout *layout, uint64_t word);

/* Before the program is built: chooses the counters, and emits the macros that count_wedges_grouped.cl needs besides those of
 * wedges_codegen.h. */
gemp_code gemp_wedges_grouped_emit(gemp_text *text, gemp_wedges *wedges);
gemp_code gemp_wedges_grouped_new(gemp_wedges *wedges);
gemp_code gemp_wedges_grouped_launch(gemp_wedges *wedges);
void gemp_wedges_grouped_free(gemp_wedges *wedges);

#endif
