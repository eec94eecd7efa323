/* split: tasks that read too many rows, cell by cell.
 *
 * A cell is a range of slots for each pattern vertex (match/grid.h); its tasks are those whose roots lie in theirs. Cells are
 * halved until the rows of one fit, of which only the pieces that lead from range to range are there; each match lies in one
 * cell. They are searched by a kernel of their own, in which all vertices beyond the roots have bitmaps of candidates.
 */
#ifndef GEMP_MATCH_SPLIT_H
#define GEMP_MATCH_SPLIT_H

#include "match/grid.h"
#include "match/search.h"

typedef struct gemp_split gemp_split;

/* What a split search has in common with the one in whose place it works; all is borrowed. */
typedef struct gemp_split_base {
	gemp_search *search;
	const gemp_search_options *options;
	const gemp_residency *residency;
	gemp_view *views;                /* rows at hand, to tell how long they are */
	const gemp_candidates *candidates;
	uint32_t *const *bits;           /* the same by slot */
	const gemp_fetch *fetch;
	const gemp_reach_tasks *tasks;
	const size_t *large;             /* [large_count] which of them, ascending */
	size_t large_count;
	uint64_t budget;                 /* bytes */
} gemp_split_base;

/* Collective. */
gemp_code gemp_split_new(gemp_split **out, const gemp_split_base *base);
void gemp_split_free(gemp_split *split);

gemp_search *gemp_split_search(gemp_split *split);

/* Cells left here. */
size_t gemp_split_left(const gemp_split *split);

/* Local. The next cell, if there is one that may have matches, and what it reads: none if no match is left. */
gemp_code gemp_split_next(gemp_split *split);
uint32_t *const *gemp_split_need(const gemp_split *split);     /* [views] rows, as bits by slot */
const gemp_tiles *gemp_split_tiles(const gemp_split *split);   /* and which of their entries */

/* Local. The search's tasks and bitmaps become those of the cell, before its rows are given to it. */
gemp_code gemp_split_part(gemp_split *split, gemp_part *part);

#endif
