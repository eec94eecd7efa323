#ifndef GEMP_COUNT_WEDGES_GROUPED_H
#define GEMP_COUNT_WEDGES_GROUPED_H

#include "core/text.h"
#include "count/wedges_state.h"

/* begin: [ends + 1] of the rows. pack: where bits can be numbered with 32 bits. */
void gemp_wedges_layout_new(gemp_wedges_layout *out, const uint64_t *begin, uint32_t ends, bool pack);

/* The slot of the first counter that begins in this word or behind it. */
uint32_t gemp_wedges_slot_at(const gemp_wedges_layout *layout, uint64_t word);

/* Before the program is built: chooses counters, and puts down what count_wedges_grouped.cl wants beside count/wedges_codegen.h. */
gemp_code gemp_wedges_grouped_emit(gemp_text *text, gemp_wedges *wedges);
gemp_code gemp_wedges_grouped_new(gemp_wedges *wedges);
gemp_code gemp_wedges_grouped_launch(gemp_wedges *wedges);
void gemp_wedges_grouped_free(gemp_wedges *wedges);

#endif
