/* working_set: the rows that a plan can read, hop by hop from the roots of a task (its closure), and the rows that
 * several tasks read together (their working set). Host only, the same on all ranks.
 *
 * A place of the closure stands for a pattern vertex whose rows are read. Its images lie in rows of the images of
 * another place, its parent; the roots are the pivot or the given vertices. A walk down this tree from the images of a
 * task's roots visits every vertex of which the search for that task reads a row, and some more, because it tests only
 * the restrictions between a place, its parent and the pivot.
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
	int vertex;        /* pattern vertex; one of them, where equal places are shared */
	int parent, view;  /* images lie in rows of the parent's images in this view; -1: a root */
	int level;         /* distance from the root; 0 for a root */
	uint32_t reads;    /* views in which rows of its images are read, as bits */
	bool candidates;   /* the vertex has a bitmap of candidates */
	bool above, below; /* the slot must be greater, or less, than that of the parent's image */
	bool above_pivot, below_pivot;
} gemp_closure_node;

enum { GEMP_MAX_CLOSURE_NODES = GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_MARKS + 1 };

typedef struct gemp_closure {
	size_t root_count, count; /* the roots come first, parents before their children */
	gemp_closure_node nodes[GEMP_MAX_CLOSURE_NODES];
	int depth;                                    /* the greatest level */
	uint64_t before[GEMP_MAX_PATTERN_VERTICES];   /* [v] bit u: the slot of v is less than that of u */
	uint64_t nodes_of[GEMP_MAX_PATTERN_VERTICES]; /* [v] bit i: images of v whose rows are read are in place i */
	/* [u][view] bit v: images of v are searched for in the rows of images of u; in `certain`, each match has such an
	 * entry */
	uint64_t toward[GEMP_MAX_PATTERN_VERTICES][GEMP_MAX_VIEWS], certain[GEMP_MAX_PATTERN_VERTICES][GEMP_MAX_VIEWS];
	gemp_row_part entries[GEMP_MAX_VIEWS]; /* the part of each row whose entries are read */
	uint64_t named[GEMP_MAX_VIEWS];        /* pattern vertices of which read entries are images; 0: any vertex */
} gemp_closure;

/* True if `slot`, in a row of `parent`, can be an image of this place. The pivots of the tasks lie in first .. last.
 * candidates: the bitmap of the place's vertex, or NULL. */
static inline bool gemp_closure_node_accepts(const gemp_closure_node *place, gemp_vertex parent, gemp_vertex slot,
                                             gemp_vertex first, gemp_vertex last, const uint32_t *candidates)
{
	if ((place->above && slot <= parent) || (place->below && slot >= parent) || (place->above_pivot && slot <= first) ||
	    (place->below_pivot && slot >= last))
		return false;
	return !place->candidates || !candidates || gemp_bits32_test(candidates, slot);
}

/* marks: kernels set the marks of gemp_adjacency_marks_plan, which read further rows. */
void gemp_closure_of(gemp_closure *out, const gemp_plan *plan, bool marks);

/* Collective. Loads the relations of the plan's views and makes their resident rows. replicate: bytes a rank, or
 * GEMP_REPLICATE_AUTO or GEMP_REPLICATE_ALL. The caller releases *out (partition/views/resident.h). */
gemp_code gemp_resident_rows(gemp_resident **out, gemp_runtime *context, gemp_shard *graph, const gemp_plan *plan,
                             int64_t replicate);

/* Local. Copies resident rows without the entries that a plan never reads. (*views)[plan->view_count]: where
 * narrowed[view] is set, the caller owns the view; the others are those of rows->views. candidates: [pattern vertices]
 * bits by slot, or NULL. After an error, *views has the views that were made. */
gemp_code gemp_trim_resident_rows(gemp_view **views, bool narrowed[GEMP_MAX_VIEWS], const gemp_plan *plan,
                                  const gemp_closure *closure, const gemp_resident *rows, uint32_t *const *candidates);

/* The tasks of a search: for each of them the slots of its roots' images. Pivots ascend. */
typedef struct gemp_root_tasks {
	const gemp_vertex *slots; /* [count * root_count] */
	size_t count;
} gemp_root_tasks;

/* The rows that the next tasks can read. The caller extends the set to depth 0, fetches the rows in need[], extends it
 * to depth 1, and so on; at the closure's depth, need[] has all rows that the tasks can read. */
typedef struct gemp_working_set {
	const gemp_closure *closure;
	const gemp_fetch *fetch;
	uint32_t *const *candidates;            /* [pattern vertices] bits by slot, or NULL */
	bool pivots;                            /* tasks are pivots */
	size_t words;                           /* of bits for all slots */
	uint32_t *seen[GEMP_MAX_CLOSURE_NODES]; /* [words] images of each place, by slot */
	uint32_t *need[GEMP_MAX_VIEWS];         /* [words] rows of each view, by slot */
	uint64_t bytes;                         /* an upper bound of the rows' bytes on a device */
	int depth;
	uint64_t budget;
	gemp_vertex first, last; /* of the pivots of these tasks */
	size_t log_count, log_capacity;
	uint64_t *log; /* [log_count] additions of the present task: place, or ROW_LOG + view, and slot */
	bool full;     /* the task has exceeded the budget, or there was no memory for the log */
	bool failed;   /* there was no memory */
} gemp_working_set;

/* Local. All arguments are borrowed. */
gemp_code gemp_working_set_new(gemp_working_set **out, const gemp_closure *closure, const gemp_fetch *fetch,
                               uint32_t *const *candidates, bool pivots);
void gemp_working_set_free(gemp_working_set *set);
GEMP_RELEASE(gemp_working_set_free, gemp_working_set *)

/* Local. Shrinks [*begin, *end) to the tasks, in order, whose rows down to `depth` fit; rows of less depth are resident
 * or were fetched. The first task may take `first_budget` bytes, and all together `budget`. Tasks that alone exceed
 * `first_budget` are skipped by *begin and appended to alone[*alone_count], which has space for all tasks. */
gemp_code gemp_working_set_extend(gemp_working_set *set, const gemp_root_tasks *tasks, size_t *begin, size_t *end,
                                  int depth, uint64_t budget, uint64_t first_budget, size_t *alone,
                                  size_t *alone_count);

/* Local. Makes the working set of all tasks [begin, end), without a budget. */
void gemp_working_set_extend_all(gemp_working_set *set, const gemp_root_tasks *tasks, size_t begin, size_t end,
                                 int depth);

#endif
