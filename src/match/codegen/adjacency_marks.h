/* adjacency_marks: selects the adjacency tests of a plan that a CPU worker answers by marks instead of searches in
 * rows.
 *
 * A worker has a byte for each vertex of the graph, and a mark is one bit of these bytes. There are two kinds of marks.
 * A row mark means "this vertex lies in the row of the image of u", where u is bound at least two steps before the
 * tested vertex. A reach mark means "this vertex is adjacent to a neighbour of the pivot that is a candidate for a
 * later pattern vertex". The later pattern vertex is called the vertex between: it is adjacent to both the pivot and
 * the tested vertex. A candidate without its reach mark cannot be part of a match.
 *
 * The marks follow from the plan alone, so all ranks and the working sets of pull (match/exchange/working_set.h) have
 * the same marks. kernel_text.h writes the text that sets and clears marks. A plan has at most GEMP_MAX_MARKS marks.
 * Tests without a mark remain searches. */

#ifndef GEMP_MATCH_CODEGEN_ADJACENCY_MARKS_H
#define GEMP_MATCH_CODEGEN_ADJACENCY_MARKS_H

#include "pattern/plan/plan.h"

enum { GEMP_MAX_MARKS = 8 };

typedef struct gemp_adjacency_mark {
	/* the step that binds the vertex whose row is marked (reach mark: the root); leaving the vertex clears the mark */
	int step;
	int view; /* row mark: the view of the marked row; reach mark: the view of the pivot's row */
	/* sets of bound vertices, as bits: only slots greater (less) than all of their slots are marked */
	uint64_t above, below;
	int via_step; /* reach mark: the step that binds the vertex between; -1: this is a row mark */
	int via_view; /* reach mark: the view in which the rows of the vertex between are marked */
	int first;    /* the first step that tests the mark */
} gemp_adjacency_mark;

typedef struct gemp_adjacency_marks {
	size_t count;
	gemp_adjacency_mark marks[GEMP_MAX_MARKS];
	/* row[s][j] is the mark that answers check j of step s; -1: no mark. The mark of a BIND_EDGE step is tested when
	 * the step's vertex is bound, since the vertex must have such an edge. */
	int8_t row[GEMP_MAX_STEPS][GEMP_MAX_CHECKS];
	int8_t reach[GEMP_MAX_STEPS]; /* the reach mark that the vertex of a step must have; -1: no mark */
	/* Marks for a last vertex that is counted by a table (kernel_text.h); -1: no mark. leaf_pivot marks the pivot's
	 * row. The table's other end is the bound vertex y at which the table is read. leaf[v] marks the row of v or of y,
	 * whichever is bound first. The kernel then looks up the vertex that is bound second. */
	int8_t leaf_pivot, leaf[GEMP_MAX_PATTERN_VERTICES];
} gemp_adjacency_marks;

void gemp_adjacency_marks_plan(gemp_adjacency_marks *out, const gemp_plan *plan);
void gemp_adjacency_marks_none(gemp_adjacency_marks *out);

/* Writes two sets of marks as bits: the marks that the vertex of step s must have, and the marks that it must not
 * have. */
void gemp_adjacency_marks_of_step(const gemp_adjacency_marks *marks, const gemp_plan *plan, int s, unsigned *there,
                                  unsigned *absent);

/* The marks that correct the number read from the table (leaf_pivot and leaf), as bits. */
unsigned gemp_adjacency_marks_of_leaf(const gemp_adjacency_marks *marks);
/* True if a check of an enumerated vertex requires an edge of this view between pattern vertices a and b. */
bool gemp_leaf_joined(const gemp_plan *plan, int a, int b, int view);

/* The step that binds a pattern vertex. */
int gemp_binding_step(const gemp_plan *plan, int vertex);
/* The index of the source of an EXTEND step that was bound last. The kernel walks the row of this source, because only
 * the rows of the other sources can have marks by then. */
size_t gemp_latest_source(const gemp_plan *plan, int s);
/* The view of the same relations in the other direction, or -1 if the plan has no such view. A view of both directions
 * is its own opposite. */
int gemp_opposite_view(const gemp_plan *plan, int view);

#endif
