/* codegen: writes the OpenCL C of the kernels of a count plan, of the kernels that all plans share, and of sums over
 * wedges.
 *
 * A kernel is a fixed text (kernels/count/count_*.cl) behind macros that this module prints: COUNT_KERNEL its name,
 * COUNT_SYMBOLS declarations of the symbols that the expression uses, COUNT_VALUE the expression. Symbols that an
 * expression does not mention are not declared, so that the compiler loads nothing for them. Bounds on the values
 * decide at this point whether a kernel must watch for overflow of 64 bits.
 */

#ifndef GEMP_COUNT_CODEGEN_H
#define GEMP_COUNT_CODEGEN_H

#include "count/device_graph.h"
#include "device/launch.h"

/* The longest low row of which cliques are counted: its pairs are numbered in 32 bits. */
enum { GEMP_MAX_LOW_ROW = 65535 };

/* Words of 32 bits of a row in the kernels count_narrow_I. */
enum { GEMP_NARROW_WORDS = 3 };

/* The kernels depend on the graph's types and bounds, which are known before its rows are on the device. */
typedef struct gemp_count_codegen {
	const gemp_count_graph *graph; /* with the bounds of low rows and tables */
	unsigned lanes;                /* of a row */
	bool large_low;                /* bits of some low row may not fit into local memory */
	bool checked;                  /* result: some kernel looks at magnitudes */
} gemp_count_codegen;

/* Kernels of count_rows.cl and count_support.cl, of which no plan is part: they are built once for all patterns. */
gemp_code gemp_count_emit_rows(gemp_text *text, const gemp_count_codegen *source);

/* Kernels count_table_K for each table from 1 on (and on a GPU count_rows_K, where a group has a row), count_sum_I for
 * each sum that has a kernel, and beside it for cliques on a GPU count_narrow_I, where no low row is longer than the
 * bits of GEMP_NARROW_WORDS, and count_large_I if large_low. The text stays empty if there are none. */
gemp_code gemp_count_emit(gemp_text *text, const gemp_count_plan *plan, gemp_count_codegen *source);

/* WEDGES. The macros in front of count_wedges_*.cl, which specialise a kernel for one sum:
 *
 *   OFFSET, ROW             uint or ulong; a pair of them
 *   SHUFFLE_OFFSET(o, lane) gemp_shuffle of an OFFSET
 *   GROUP_SYNC              a barrier, where groups have more than one work-item
 *   FETCH(place)            prefetches, on CPU devices
 *   COUNTER                 uint, or ushort where 16 bits hold the count of an end (dense)
 *   PATHS, ADD_PATHS(to, n) type for a number of paths of one root; atomic addition
 *   IS_MIDDLE(r, x)         do paths of root r lead over its neighbour x?
 *   MIDDLES_FROM(r)         first entry of row r that leads to such
 *
 * and, but for count_wedges_tasks.cl,
 *
 *   WEDGES_BY_END            each end w that has paths r-x-w adds END_WEIGHT * VALUE of its counter (PAIRS, and WEDGES
 *                            whose expression does not depend on the middle)
 *   WEDGES_BY_PATH           each path adds VALUE (other WEDGES)
 *   WEDGES_JOINED, WEDGES_PATH_PAIRS
 *   HAS_ADJACENCY           VALUE depends on `a`
 *   VALUE, MAGNITUDE        the expression, and its magnitude as a double, over c, a and what is declared by
 *   AT_ROOT(r)  AT_MIDDLE(x, entry)  AT_END(w)  AT_END_ENTRY(entry)
 *   VALUE_PARAMETERS, VALUE_ARGUMENTS   buffers that they read, with a comma in front
 *   wedges_sum               the sum of a worker
 *   ADD_MAGNITUDE(sum, m)   nothing, where it is known that no sum of a worker can leave 64 bits
 */

/* Emit the first and the second list of macros. watched: magnitudes are summed up, too. */
gemp_code gemp_wedges_emit_types(gemp_text *text, const gemp_count_graph *graph, const gemp_sum *sum);
gemp_code gemp_wedges_emit_value(gemp_text *text, const gemp_sum *sum, bool watched);

/* Do 32 bits hold the number of paths of a root? */
bool gemp_wedges_few_paths(const gemp_count_graph *graph);

/* Do counters of 16 bits suffice, and are they faster? An end has no more paths than neighbours; counters that are read
 * repeatedly are faster with 32 bits. */
bool gemp_wedges_narrow_counters(const gemp_count_graph *graph, const gemp_sum *sum);

/* Writes the buffers of VALUE_PARAMETERS, in order, into arguments[GEMP_MAX_VERTEX_TABLES + 1]; returns their
 * number. */
size_t gemp_wedges_value_arguments(const gemp_count_graph *graph, const gemp_sum *sum, gemp_argument *arguments);

#endif
