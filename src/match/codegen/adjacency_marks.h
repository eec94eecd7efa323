/* adjacency_marks: which adjacency tests of a plan a CPU worker answers by marks instead of searches in rows.
 *
 * A worker has a byte for each host vertex; a mark is a bit in all of these bytes. It says "lies in the row of the
 * image of u", for a u that is bound some steps before the vertex that is tested. Or it says of a vertex that must
 * still be closed to the pivot "has a neighbour in the pivot's row that can be the vertex between": a partial match
 * whose vertex lacks it cannot be completed. Which marks a plan has follows from its checks, so that all ranks and the
 * working sets of pull (match/exchange/working_set.h) agree; emit_tests.h writes the text that sets and clears them. At
 * most GEMP_MAX_MARKS rows are marked; further tests remain searches.
 */

#ifndef GEMP_MATCH_CODEGEN_ADJACENCY_MARKS_H
#define GEMP_MATCH_CODEGEN_ADJACENCY_MARKS_H

#include "pattern/plan/plan.h"

enum { GEMP_MAX_MARKS = 8 };

typedef struct gemp_adjacency_mark {
	int step;              /* binds the vertex whose row is marked, or the pivot; the mark lasts as long as that does */
	int view;              /* that row's */
	uint64_t above, below; /* bound vertices: nobody looks at slots that are not above, or below, theirs */
	int via_step;          /* reach: the step of the vertex between; -1: a row is marked */
	int via_view;          /* reach: the view of rows of the vertex between that are marked */
	int first;             /* the first step that looks */
} gemp_adjacency_mark;

typedef struct gemp_adjacency_marks {
	size_t count;
	gemp_adjacency_mark marks[GEMP_MAX_MARKS];
	int8_t row[GEMP_MAX_STEPS][GEMP_MAX_CHECKS]; /* the mark that answers a check; -1: none. That of a BIND_EDGE is
	                                                looked at when its vertex is bound: it must have such an edge */
	int8_t reach[GEMP_MAX_STEPS];                /* the mark that a step's vertex must have beside; -1: none */
	/* Of a last vertex that is counted by a table (emit_tests.h): the mark that tells which vertices lie in the pivot's
	 * row; for a vertex v that one of v and the table's other end, the later, lies in the row of the earlier. -1: none */
	int8_t leaf_pivot, leaf[GEMP_MAX_PATTERN_VERTICES];
} gemp_adjacency_marks;

void gemp_adjacency_marks_plan(gemp_adjacency_marks *out, const gemp_plan *plan);
void gemp_adjacency_marks_none(gemp_adjacency_marks *out);

/* Bits of the marks that step s looks at: those that its vertex must have, and those that it must not have. */
void gemp_adjacency_marks_of_step(const gemp_adjacency_marks *marks, const gemp_plan *plan, int s, unsigned *there,
                                  unsigned *absent);

/* The marks that are looked at for the table, one bit each. */
unsigned gemp_adjacency_marks_of_leaf(const gemp_adjacency_marks *marks);
/* Does a check of an enumerated vertex say that there is an edge of this view between a and b? */
bool gemp_leaf_joined(const gemp_plan *plan, int a, int b, int view);

/* The step that binds a pattern vertex. */
int gemp_binding_step(const gemp_plan *plan, int vertex);
/* EXTEND: the source that was bound last; its row is the one to walk along, since the others have marks by then. */
size_t gemp_latest_source(const gemp_plan *plan, int s);
/* The view that gives the same adjacency from the other end, or -1: itself if it goes either way. */
int gemp_opposite_view(const gemp_plan *plan, int view);

#endif
