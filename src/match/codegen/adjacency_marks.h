/* adjacency_marks: selects the adjacency tests of a plan that a CPU worker answers by marks instead of searches in
 * rows.
 *
 * A worker has a byte for each host vertex, and a mark is one bit of these bytes. A row mark means "this vertex lies in
 * the row of the image of u", for a u that is bound at least two steps before the vertex that is tested. A reach mark
 * means "this vertex has a neighbour in the pivot's row that can be the vertex between it and the pivot": a partial
 * match whose vertex lacks it cannot be completed. The marks of a plan follow from its checks alone, so all ranks and
 * the working sets of pull (match/exchange/working_set.h) have the same ones; kernel_text.h writes the text that sets
 * and clears them. At most GEMP_MAX_MARKS marks are used; further tests remain searches.
 */

#ifndef GEMP_MATCH_CODEGEN_ADJACENCY_MARKS_H
#define GEMP_MATCH_CODEGEN_ADJACENCY_MARKS_H

#include "pattern/plan/plan.h"

enum { GEMP_MAX_MARKS = 8 };

typedef struct gemp_adjacency_mark {
	int step;              /* binds the vertex whose row is marked, or the pivot; the mark is cleared when it is left */
	int view;              /* of the marked row */
	uint64_t above, below; /* bound vertices: only slots greater, or less, than theirs are tested and marked */
	int via_step;          /* reach mark: the step of the vertex between; -1: a row mark */
	int via_view;          /* reach mark: the view of the rows of the vertex between that are marked */
	int first;             /* the first step that tests the mark */
} gemp_adjacency_mark;

typedef struct gemp_adjacency_marks {
	size_t count;
	gemp_adjacency_mark marks[GEMP_MAX_MARKS];
	/* The mark that answers a check; -1: none. The mark of a BIND_EDGE step is tested when its vertex is bound, since
	 * the vertex must have such an edge. */
	int8_t row[GEMP_MAX_STEPS][GEMP_MAX_CHECKS];
	int8_t reach[GEMP_MAX_STEPS]; /* the reach mark that the step's vertex must have; -1: none */
	/* For a last vertex that is counted by a table (kernel_text.h), -1: none. leaf_pivot marks the pivot's row. leaf[v]
	 * marks the row of the earlier one of v and the table's other end, for a test of the later one. */
	int8_t leaf_pivot, leaf[GEMP_MAX_PATTERN_VERTICES];
} gemp_adjacency_marks;

void gemp_adjacency_marks_plan(gemp_adjacency_marks *out, const gemp_plan *plan);
void gemp_adjacency_marks_none(gemp_adjacency_marks *out);

/* The marks that step s tests, as bits: those that its vertex must have, and those that it must not have. */
void gemp_adjacency_marks_of_step(const gemp_adjacency_marks *marks, const gemp_plan *plan, int s, unsigned *there,
                                  unsigned *absent);

/* The marks that are tested for the table, as bits. */
unsigned gemp_adjacency_marks_of_leaf(const gemp_adjacency_marks *marks);
/* True if a check of an enumerated vertex requires an edge of this view between a and b. */
bool gemp_leaf_joined(const gemp_plan *plan, int a, int b, int view);

/* The step that binds a pattern vertex. */
int gemp_binding_step(const gemp_plan *plan, int vertex);
/* For an EXTEND step, the source that was bound last. Its row is walked, since the rows of the others have marks by
 * then. */
size_t gemp_latest_source(const gemp_plan *plan, int s);
/* The view of the same edges from the other end, which is the view itself if it has both directions; -1: none. */
int gemp_opposite_view(const gemp_plan *plan, int view);

#endif
