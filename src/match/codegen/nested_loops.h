/* nested_loops: the loops of a nested kernel, written from the outermost inwards. Braces indent the text.
 *
 * Level i of the loops binds the vertex of step i (nested_shape.h says how a plan becomes levels, lists and marks). On
 * levels 2 and 3 a worker with much work left gives parts of it to waiting workers. It divides the first of these that
 * is left: the entries of its task, the candidates of the third vertex, the candidates of the fourth vertex below its
 * present third vertex. Deeper levels give nothing away: their loops end soon, and a check for waiting workers is an
 * access to global memory. */

#ifndef GEMP_MATCH_CODEGEN_NESTED_LOOPS_H
#define GEMP_MATCH_CODEGEN_NESTED_LOOPS_H

#include "match/codegen/nested_shape.h"

typedef struct gemp_nested_options {
	int lanes, row_lanes; /* lanes of a worker; lanes of a worker that walk a row of the last level together */
	size_t shared;        /* words of a worker's bitmap in local memory; 0: bitmaps are in global memory */
	bool folded;          /* the bitmap has fewer bits than slots: a marked candidate must be tested again */
	size_t in_group;      /* number of workers in a work-group */
} gemp_nested_options;

typedef struct gemp_nested_emitter {
	gemp_kernel_writer *w;
	const gemp_plan *plan;
	const gemp_nested *nested;
	const gemp_nested_options *options;
} gemp_nested_emitter;

/* Writes the declarations of a part's ranges, after `part` was taken. */
void gemp_nested_put_part(const gemp_nested_emitter *e);
/* Writes tests after which `pass` is true only if candidate c passes the filters. `which` names the variable that holds
 * the index of the row from which c was read; this row is not tested. NULL: all rows are tested. */
void gemp_nested_put_tests(const gemp_nested_emitter *e, const gemp_nested_filters *filters, const char *c,
                           const char *which);

/* Writes the setting and wiping of marks that depend only on the task's first vertex. The marks are kept while tasks
 * have the same first vertex. `end`: writes only the last wiping, at the end of the kernel. */
void gemp_nested_put_first_marks(const gemp_nested_emitter *e, bool end);
/* Writes all loops below a level whose vertex has just been bound. */
void gemp_nested_put_level(const gemp_nested_emitter *e, int level);
/* Writes the last level, which adds the matches of a lane to n. */
void gemp_nested_put_leaf(const gemp_nested_emitter *e);
/* Adds the number of matches to `found`. Every lane adds its own n; with twins, one lane of each row adds the number of
 * choices among the sum of the row's n. */
void gemp_nested_put_sum(const gemp_nested_emitter *e);

#endif
