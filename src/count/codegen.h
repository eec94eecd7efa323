/* codegen: writes OpenCL C for the kernels of a count plan, for the kernels that all plans share, and for sums over
 * wedges.
 *
 * A kernel is a fixed text (kernels/count/count_*.cl) behind macros that this module prints. COUNT_KERNEL is the
 * kernel's name, COUNT_SYMBOLS declares the symbols of the expression, and COUNT_VALUE is the expression. Symbols that
 * the expression does not mention are not declared, so the kernel does not load them. Bounds on the values decide here
 * whether a kernel must check for overflow of 64 bits. */

#ifndef GEMP_COUNT_CODEGEN_H
#define GEMP_COUNT_CODEGEN_H

#include "count/device_graph.h"
#include "device/launch.h"

/* The maximum length of a low row in sums over cliques: the pairs of its vertices are numbered in 32 bits. */
enum { GEMP_MAX_LOW_ROW = 65535 };

/* The number of 32-bit words in a bitmap row of the kernels count_narrow_I. */
enum { GEMP_NARROW_WORDS = 3 };

/* What the text of the kernels depends on. All members but `checked` are set before the rows are on the device. */
typedef struct gemp_count_codegen {
	const gemp_count_graph *graph; /* its low_bound and table_bound must be set */
	unsigned lanes;                /* work-items that read a row together */
	bool large_low;                /* the bitmap of some low row may not fit into local memory */
	bool checked;                  /* result: some kernel checks magnitudes */
} gemp_count_codegen;

/* Writes the kernels of count_rows.cl and count_support.cl. They do not depend on a plan and are built once for all
 * patterns. */
gemp_code gemp_count_emit_rows(gemp_text *text, const gemp_count_codegen *source);

/* Writes the kernels of a plan; the text stays empty if there are none:
 *
 *   count_table_K   vertex table K, for K >= 1
 *   count_rows_K    GPU: the same with a work-group for each row
 *   count_sum_I     sum I, if it has a kernel
 *   count_narrow_I  GPU, cliques: for low rows of at most GEMP_NARROW_WORDS * 32 vertices
 *   count_large_I   GPU, cliques, if large_low: for bitmaps in global memory */
gemp_code gemp_count_emit(gemp_text *text, const gemp_count_plan *plan, gemp_count_codegen *source);

/* WEDGES. A path r-x-w leads from a root r over a middle x to an end w. These macros specialise count_wedges_*.cl for
 * one sum. gemp_wedges_emit_types writes the first list:
 *
 *   OFFSET, ROW             uint or ulong; a pair of OFFSET
 *   SHUFFLE_OFFSET(o, lane) gemp_shuffle of an OFFSET
 *   GROUP_SYNC              a barrier, where groups have more than one work-item
 *   FETCH(place)            prefetches, on CPU devices
 *   COUNTER                 uint, or ushort if 16 bits hold the count of an end (dense)
 *   PATHS, ADD_PATHS(to, n) the type for a number of paths of one root; atomic addition
 *   IS_MIDDLE(r, x)         may neighbour x of root r be a middle?
 *   MIDDLES_FROM(r)         the first entry of row r that leads to a middle
 *
 * gemp_wedges_emit_value writes the second list, which count_wedges_tasks.cl does not need:
 *
 *   WEDGES_BY_END           each end w with c > 0 paths adds END_WEIGHT * VALUE (PAIRS, and WEDGES whose expression
 *                           does not depend on the middle)
 *   WEDGES_BY_PATH          each path adds VALUE (other WEDGES)
 *   WEDGES_JOINED, WEDGES_PATH_PAIRS   the kind of sum
 *   HAS_ADJACENCY           VALUE depends on `a`
 *   VALUE, MAGNITUDE        the expression; its magnitude as a double. Both read c, a and the symbols of these macros:
 *   AT_ROOT(r)  AT_MIDDLE(x, entry)  AT_END(w)  AT_END_ENTRY(entry)
 *   VALUE_PARAMETERS, VALUE_ARGUMENTS   the buffers that these read, each behind a comma
 *   wedges_sum              the type of a worker's sum
 *   ADD_MAGNITUDE(sum, m)   empty if no worker's sum can exceed 64 bits */

/* Write the first and the second list of macros. watched: kernels sum magnitudes as well as values. */
gemp_code gemp_wedges_emit_types(gemp_text *text, const gemp_count_graph *graph, const gemp_sum *sum);
gemp_code gemp_wedges_emit_value(gemp_text *text, const gemp_sum *sum, bool watched);

/* Is the number of paths of every root certainly less than 2^32? */
bool gemp_wedges_few_paths(const gemp_count_graph *graph);

/* Should counters have 16 bits? An end has no more paths than neighbours, so 16 bits often suffice. A counter that is
 * read once for each path is faster with 32 bits. */
bool gemp_wedges_narrow_counters(const gemp_count_graph *graph, const gemp_sum *sum);

/* Writes the buffers of VALUE_PARAMETERS, in the same order, to arguments[GEMP_MAX_VERTEX_TABLES + 1]. Returns their
 * number. */
size_t gemp_wedges_value_arguments(const gemp_count_graph *graph, const gemp_sum *sum, gemp_argument *arguments);

#endif
