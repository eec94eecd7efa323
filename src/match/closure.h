/* closure: which rows a plan can read from where its tasks begin, hop by hop. Host only, the same on all ranks.
 *
 * The images of a pattern vertex whose rows are read are a place: they lie in the rows of another place, its parent, up to
 * the pivot or the given vertices, the roots. A walk down from the images of a task's roots along this tree meets every
 * vertex of which the search for that task reads a row, and some more: only the restrictions between a place, its parent
 * and the pivot are asked for on the way.
 */
#ifndef GEMP_MATCH_CLOSURE_H
#define GEMP_MATCH_CLOSURE_H

#include "match/marks.h"
#include "partition/partial_view.h"

typedef struct gemp_closure_place {
	int vertex;               /* whose bitmap of candidates holds; of several with like places, one */
	int parent, view;         /* the parent's rows in this view name it; -1: a root */
	int level;                /* of a root: 0 */
	uint32_t reads;           /* views in which rows of its images are read, as bits */
	bool candidates;          /* the vertex has a bitmap */
	bool above, below;        /* slots beyond the parent's, or before */
	bool above_pivot, below_pivot;
} gemp_closure_place;

enum { GEMP_MOST_PLACES = GEMP_MAX_PATTERN_VERTICES + GEMP_MOST_MARKS + 1 };

typedef struct gemp_closure {
	size_t root_count, count; /* the roots come first, parents before their children */
	gemp_closure_place places[GEMP_MOST_PLACES];
	int depth;                /* the greatest level */
	uint64_t before[GEMP_MAX_PATTERN_VERTICES]; /* [v] bit u: the slot of v is less than that of u */
	uint64_t places_of[GEMP_MAX_PATTERN_VERTICES]; /* [v] bit i: images of v whose rows are read are in place i */
	/* [u][view] bit v: images of v are looked for in the rows of images of u; of `certain` all matches have such an entry */
	uint64_t toward[GEMP_MAX_PATTERN_VERTICES][GEMP_MAX_VIEWS], certain[GEMP_MAX_PATTERN_VERTICES][GEMP_MAX_VIEWS];
	gemp_entries entries[GEMP_MAX_VIEWS]; /* which of a row's entries are read, */
	uint64_t named[GEMP_MAX_VIEWS];       /* and as images of which pattern vertices; 0: any */
} gemp_closure;

/* Can `slot`, in a row of `parent`, be an image of this place? Pivots lie in first .. last; candidates: of its vertex, or NULL. */
static inline bool gemp_place_takes(const gemp_closure_place *place, gemp_vertex parent, gemp_vertex slot, gemp_vertex first,
                                    gemp_vertex last, const uint32_t *candidates)
{
	if ((place->above && slot <= parent) || (place->below && slot >= parent) ||
	    (place->above_pivot && slot <= first) || (place->below_pivot && slot >= last))
		return false;
	return !place->candidates || !candidates || candidates[slot / 32] >> slot % 32 & 1;
}

/* marks: kernels set those of gemp_marks_plan. */
void gemp_closure_of(gemp_closure *out, const gemp_plan *plan, bool marks);

#endif
