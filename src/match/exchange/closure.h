/* closure: the rows that a plan can read, hop by hop from the roots of a task, and the rows that ranks have for it.
 * Host only. The closure is the same on all ranks.
 *
 * A place is a node of the closure and stands for a pattern vertex whose rows are read. Its images lie in rows of the
 * images of another place, its parent. The roots are the pivot or the given vertices. */

#ifndef GEMP_MATCH_EXCHANGE_CLOSURE_H
#define GEMP_MATCH_EXCHANGE_CLOSURE_H

#include "core/bitset.h"
#include "core/memory.h"
#include "match/codegen/adjacency_marks.h"
#include "partition/fetch/partial_view.h"
#include "partition/views/resident.h"

#include <math.h>

typedef struct gemp_closure_node {
	int vertex;        /* a pattern vertex; if vertices share the place, the first of them */
	int parent, view;  /* the images lie in rows of the parent's images in this view; parent -1: a root */
	int level;         /* distance from the root */
	uint32_t reads;    /* the views in which rows of the images are read, as bits */
	bool candidates;   /* the vertex has a bitmap of candidates */
	bool above, below; /* the slot must be greater (less) than that of the parent's image, or of the pivot's image */
	bool above_pivot, below_pivot;
} gemp_closure_node;

enum { GEMP_MAX_CLOSURE_NODES = GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_MARKS + 1 };

typedef struct gemp_closure {
	size_t root_count, count; /* the roots come first, and every parent comes before its children */
	gemp_closure_node nodes[GEMP_MAX_CLOSURE_NODES];
	int depth; /* the greatest level */
	/* bit u of before[v]: the slot of v is less than the slot of u in every match */
	uint64_t before[GEMP_MAX_PATTERN_VERTICES];
	uint64_t nodes_of[GEMP_MAX_PATTERN_VERTICES]; /* bit i of nodes_of[v]: rows of images of v are read at place i */
	/* Bit v of toward[u][view]: images of v are searched for in the rows of images of u. Bit v of certain[u][view]:
	 * each match has such an entry. */
	uint64_t toward[GEMP_MAX_PATTERN_VERTICES][GEMP_MAX_VIEWS], certain[GEMP_MAX_PATTERN_VERTICES][GEMP_MAX_VIEWS];
	gemp_row_part entries[GEMP_MAX_VIEWS]; /* by view: the part of each row whose entries are read */
	/* by view: the pattern vertices whose images the read entries are, as bits; 0: any vertex */
	uint64_t named[GEMP_MAX_VIEWS];
} gemp_closure;

/* True if `slot`, an entry in the row of `parent`, can be an image of this place. `first` and `last` are the first and
 * the last pivot of the tasks. `candidates` is the bitmap of the place's vertex, or NULL. */
static inline bool gemp_closure_node_accepts(const gemp_closure_node *place, gemp_vertex parent, gemp_vertex slot,
                                             gemp_vertex first, gemp_vertex last, const uint32_t *candidates)
{
	if ((place->above && slot <= parent) || (place->below && slot >= parent) || (place->above_pivot && slot <= first) ||
	    (place->below_pivot && slot >= last))
		return false;
	return !place->candidates || !candidates || gemp_bits32_test(candidates, slot);
}

/* `marks` is true if the kernels use the marks of gemp_adjacency_marks_plan. Setting these marks reads further rows. */
void gemp_closure_of(gemp_closure *out, const gemp_plan *plan, bool marks);

/* Collective. Loads the relations of the plan's views and makes their resident rows. `replicate` is bytes on each rank,
 * GEMP_REPLICATE_AUTO or GEMP_REPLICATE_ALL. The caller releases *out (partition/views/resident.h). */
gemp_code gemp_resident_rows(gemp_resident **out, gemp_runtime *context, gemp_shard *graph, const gemp_plan *plan,
                             int64_t replicate);

/* Collective. Copies resident rows without the entries that a plan never reads. The result is
 * (*views)[plan->view_count]. The caller owns a view if narrowed[view] is true; all other views belong to rows->views.
 * `candidates` has, for each pattern vertex, a bitmap by slot or NULL. After an error, *views has the views that were
 * made. */
gemp_code gemp_trim_resident_rows(gemp_view **views, bool narrowed[GEMP_MAX_VIEWS], const gemp_plan *plan,
                                  const gemp_closure *closure, const gemp_resident *rows, uint32_t *const *candidates);

#endif
