/* nested_loops: the loops of a nested kernel, written from the outermost inwards.
 *
 * Level i of the loops binds the vertex of step i (nested_shape.h says how a plan becomes levels, lists and marks).
 * Blocks are indented by their braces. On levels 2 and 3 a worker with much to do gives a part of it to workers that
 * wait, of what is left to it the first of these that it has: entries of its task; candidates of the third vertex;
 * candidates of the fourth one, for the third at which it is. Deeper loops end soon, and looking for waiting workers
 * costs an access to global memory.
 */

#ifndef GEMP_MATCH_CODEGEN_NESTED_LOOPS_H
#define GEMP_MATCH_CODEGEN_NESTED_LOOPS_H

#include "match/codegen/nested_shape.h"

typedef struct gemp_nested_options {
	int lanes, row_lanes; /* of a worker; that go through the last row together */
	size_t shared;        /* words of a worker's bitmap in local memory; 0: bitmaps are in global memory */
	bool folded;          /* they are not enough for all slots: what seems marked is tested */
	size_t in_group;      /* workers of a group */
} gemp_nested_options;

typedef struct gemp_nested_emitter {
	gemp_kernel_writer *w;
	const gemp_plan *plan;
	const gemp_nested *nested;
	const gemp_nested_options *options;
} gemp_nested_emitter;

/* Reads what a worker was given, after `part` was taken. */
void gemp_nested_put_part(const gemp_nested_emitter *e);
/* `pass` stays true if candidate c passes the filters. which: variable that tells from which of the rows it comes, or
 * NULL. */
void gemp_nested_put_tests(const gemp_nested_emitter *e, const gemp_nested_filters *filters, const char *c,
                           const char *which);

/* Marks that only the task's first vertex decides about stay as they are while it is the same; at the end they are
 * wiped. */
void gemp_nested_put_first_marks(const gemp_nested_emitter *e, bool end);
/* Everything below a vertex just bound. */
void gemp_nested_put_level(const gemp_nested_emitter *e, int level);
/* The last level: adds to n what a lane finds. */
void gemp_nested_put_leaf(const gemp_nested_emitter *e);
/* n of all lanes of a row goes to `found`. */
void gemp_nested_put_sum(const gemp_nested_emitter *e);

#endif
