/* wedges_codegen: the macros in front of the fixed text of a wedge kernel, which specialise it for one sum.
 *
 * Put before count_wedges_*.cl:
 *
 *   OFFSET, ROW             uint or ulong; a pair of them
 *   SHUFFLE_OFFSET(o, lane) gemp_shuffle of an OFFSET
 *   GROUP_SYNC              a barrier, where groups have more than one work-item
 *   FETCH(place)            into the cache, where there is a way to ask for it
 *   COUNTER                 uint, or ushort where 16 bits hold the count of an end (dense)
 *   PATHS, ADD_PATHS(to, n) type for a number of paths of one root; atomic addition
 *   IS_MIDDLE(r, x)         do paths of root r lead over its neighbour x?
 *   MIDDLES_FROM(r)         first entry of row r that leads to such
 *
 * and, but for count_wedges_tasks.cl,
 *
 *   WEDGES_BY_END            each end w that has paths r-x-w is worth END_WEIGHT * VALUE of its counter (WEDGES whose
 *                           expression does not ask for the middle, PAIRS)
 *   WEDGES_BY_PATH           each path is worth VALUE (other WEDGES)
 *   WEDGES_JOINED, WEDGES_PATH_PAIRS
 *   HAS_ADJACENCY           VALUE asks for `a`
 *   VALUE, MAGNITUDE        the expression, and its magnitude as a double, over c, a and what is declared by
 *   AT_ROOT(r)  AT_MIDDLE(x, entry)  AT_END(w)  AT_END_ENTRY(entry)
 *   VALUE_PARAMETERS, VALUE_ARGUMENTS   buffers that they read, with a comma in front
 *   wedges_sum               what a worker has summed up
 *   ADD_MAGNITUDE(sum, m)   nothing, where it is known that no sum of a worker can leave 64 bits
 */

#ifndef GEMP_COUNT_WEDGES_CODEGEN_H
#define GEMP_COUNT_WEDGES_CODEGEN_H

#include "core/text.h"
#include "count/device_graph.h"
#include "device/launch.h"

/* Emit the first and the second list of macros. watched: magnitudes are summed up, too. */
gemp_code gemp_wedges_emit_types(gemp_text *text, const gemp_count_graph *graph, const gemp_sum *sum);
gemp_code gemp_wedges_emit_value(gemp_text *text, const gemp_sum *sum, bool watched);

/* Do 32 bits hold the number of paths of a root? */
bool gemp_wedges_few_paths(const gemp_count_graph *graph);

/* Are 16 bits enough for the number of paths to an end, which has no more of them than neighbours, and faster? Where counters
 * are read again and again, they are not. */
bool gemp_wedges_narrow_counters(const gemp_count_graph *graph, const gemp_sum *sum);

/* VALUE_PARAMETERS in order: the buffers as arguments; how many. `arguments` has room for GEMP_MAX_VERTEX_TABLES + 1. */
size_t gemp_wedges_value_arguments(const gemp_count_graph *graph, const gemp_sum *sum, gemp_argument *arguments);

#endif
