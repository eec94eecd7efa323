/* working_set: which rows a plan can read from where its tasks begin, hop by hop (its closure), and which rows some
 * tasks read together (their working set). Host only, the same on all ranks.
 *
 * The images of a pattern vertex whose rows are read are a place: they lie in the rows of another place, its parent, up
 * to the pivot or the given vertices, the roots. A walk down this tree from the images of a task's roots meets every
 * vertex of which the search for that task reads a row, and some more: only the restrictions between a place, its
 * parent and the pivot are tested on the way.
 */

#ifndef GEMP_MATCH_EXCHANGE_WORKING_SET_H
#define GEMP_MATCH_EXCHANGE_WORKING_SET_H

#include "core/bitset.h"
#include "core/memory.h"
#include "match/codegen/adjacency_marks.h"
#include "partition/fetch/partial_view.h"
#include "partition/views/resident.h"

#include <math.h>

typedef struct gemp_closure_node {
	int vertex;        /* whose bitmap of candidates holds; of several with like places, one */
	int parent, view;  /* the parent's rows in this view name it; -1: a root */
	int level;         /* of a root: 0 */
	uint32_t reads;    /* views in which rows of its images are read, as bits */
	bool candidates;   /* the vertex has a bitmap */
	bool above, below; /* slots beyond the parent's, or before */
	bool above_pivot, below_pivot;
} gemp_closure_node;

enum { GEMP_MAX_CLOSURE_NODES = GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_MARKS + 1 };

typedef struct gemp_closure {
	size_t root_count, count; /* the roots come first, parents before their children */
	gemp_closure_node nodes[GEMP_MAX_CLOSURE_NODES];
	int depth;                                    /* the greatest level */
	uint64_t before[GEMP_MAX_PATTERN_VERTICES];   /* [v] bit u: the slot of v is less than that of u */
	uint64_t nodes_of[GEMP_MAX_PATTERN_VERTICES]; /* [v] bit i: images of v whose rows are read are in place i */
	/* [u][view] bit v: images of v are looked for in the rows of images of u; of `certain` all matches have such an entry */
	uint64_t toward[GEMP_MAX_PATTERN_VERTICES][GEMP_MAX_VIEWS], certain[GEMP_MAX_PATTERN_VERTICES][GEMP_MAX_VIEWS];
	gemp_row_part entries[GEMP_MAX_VIEWS]; /* which of a row's entries are read, */
	uint64_t named[GEMP_MAX_VIEWS];        /* and as images of which pattern vertices; 0: any */
} gemp_closure;

/* Can `slot`, in a row of `parent`, be an image of this place? Pivots lie in first .. last; candidates: of its vertex, or NULL. */
static inline bool gemp_closure_node_accepts(const gemp_closure_node *place, gemp_vertex parent, gemp_vertex slot,
                                             gemp_vertex first, gemp_vertex last, const uint32_t *candidates)
{
	if ((place->above && slot <= parent) || (place->below && slot >= parent) || (place->above_pivot && slot <= first) ||
	    (place->below_pivot && slot >= last))
		return false;
	return !place->candidates || !candidates || gemp_bits32_test(candidates, slot);
}

/* marks: kernels set those of gemp_adjacency_marks_plan. */
void gemp_closure_of(gemp_closure *out, const gemp_plan *plan, bool marks);

/* The resident rows that a plan's views ask for. */

/* Collective. replicate: bytes a rank, or GEMP_REPLICATE_AUTO or GEMP_REPLICATE_ALL. To be released (partition/views/resident.h). */
gemp_code gemp_resident_rows(gemp_resident **out, gemp_runtime *context, gemp_shard *graph, const gemp_plan *plan,
                             int64_t replicate);

/* Rows at hand without entries that a plan never looks at. */

/* Local. views: [plan->view_count] of rows, which are those of rows->views unless narrowed[view], and then to be freed one by
 * one. candidates: [pattern vertices] bits by slot, or NULL. After an error *views are as far as they came. */
gemp_code gemp_trim_resident_rows(gemp_view **views, bool narrowed[GEMP_MAX_VIEWS], const gemp_plan *plan,
                                  const gemp_closure *closure, const gemp_resident *rows, uint32_t *const *candidates);

/* The working set: which rows the next tasks can read, and how many tasks fit together into a budget. Host only.
 *
 *     gemp_working_set_new -> (gemp_working_set_extend to depth 0 -> rows are fetched -> to depth 1 -> ...) -> need[] are all rows that the
 *     tasks can read
 */

/* Tasks in order: slots of the roots' images, root_count each. Of pivots: ascending. */
typedef struct gemp_root_tasks {
	const gemp_vertex *slots;
	size_t count;
} gemp_root_tasks;

typedef struct gemp_working_set {
	const gemp_closure *closure;
	const gemp_fetch *fetch;
	uint32_t *const *candidates;            /* [pattern vertices] bits by slot, or NULL */
	bool pivots;                            /* tasks are pivots */
	size_t words;                           /* of bits for all slots */
	uint32_t *seen[GEMP_MAX_CLOSURE_NODES]; /* [words] images of a place */
	uint32_t *need[GEMP_MAX_VIEWS];         /* [words] rows */
	uint64_t bytes;                         /* of them on a device, at most */
	int depth;
	uint64_t budget;
	gemp_vertex first, last; /* pivots of these tasks are not beyond */
	size_t log_count, log_capacity;
	uint64_t *log;     /* what the present task has added: place or view, and slot */
	bool full, failed; /* it passed the budget; it found no memory */
} gemp_working_set;

/* Local. All is borrowed. */
gemp_code gemp_working_set_new(gemp_working_set **out, const gemp_closure *closure, const gemp_fetch *fetch,
                               uint32_t *const *candidates, bool pivots);
void gemp_working_set_free(gemp_working_set *reach);
GEMP_RELEASE(gemp_working_set_free, gemp_working_set *)

/* Local. Of the tasks [*begin, *end) those which fit, in order, as far as rows down to `depth` tell; those of less depth
 * are at hand or held. The first may take `most` bytes, the others have to fit into `budget` with it. *begin passes over
 * tasks that alone pass `most`: they are put to alone[*alone_count], in which there is room for all. */
gemp_code gemp_working_set_extend(gemp_working_set *reach, const gemp_root_tasks *tasks, size_t *begin, size_t *end,
                                  int depth, uint64_t budget, uint64_t most, size_t *alone, size_t *alone_count);

/* Local. The same for all of the tasks [begin, end), whatever it takes. */
void gemp_working_set_extend_all(gemp_working_set *reach, const gemp_root_tasks *tasks, size_t begin, size_t end,
                                 int depth);

#endif
