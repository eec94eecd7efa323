/* demo_picture: shows the part of each rank in the search of the demo, as a table with bars for a terminal of 80
 * columns, and as an SVG picture of the stages of the search. */

#ifndef GEMP_CLI_DEMO_PICTURE_H
#define GEMP_CLI_DEMO_PICTURE_H

#include "core/text.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gemp_demo_rank {
	uint64_t pivots, launches;
	uint64_t sent, received; /* partial matches */
	uint64_t reads;          /* row entries and lookups: the work of the rank's device */
	uint64_t embeddings;     /* found on this rank */
	uint64_t forms_sent, forms_received;
	uint64_t duplicates, matches; /* removed and kept by this rank, which owns their hashes */
	bool exact;                   /* duplicates is known */
} gemp_demo_rank;

/* Local. Adds a line for each rank. The bars have blocks of UTF-8 if `blocks`, otherwise they are of ASCII. */
void gemp_demo_table(gemp_text *out, const gemp_demo_rank *ranks, int count, bool blocks);
/* Local. Adds the SVG picture. */
void gemp_demo_svg(gemp_text *out, const gemp_demo_rank *ranks, int count);
/* Local. The greatest number of reads of a rank, divided by the mean; 1 if no rank has read. */
double gemp_demo_imbalance(const gemp_demo_rank *ranks, int count);

#endif
