/* query_graph: patterns from the query-graph files of the subgraph-matching literature (`t n m`, `v id label degree`,
 * `e u v`).
 *
 * Labels are numbers there; a format with one %d turns a number into the label's name in the graph. Errors have the
 * file's line.
 */

#ifndef GEMP_PATTERN_SHAPES_QUERY_GRAPH_H
#define GEMP_PATTERN_SHAPES_QUERY_GRAPH_H

#include "pattern/model/pattern.h"

/* Lines `t n m`, `v id label degree`, `e u v`; label_format ("L%d") makes a label's name of its number. */
gemp_code gemp_pattern_query_graph(gemp_pattern **out, const char *path, const char *label_format);

#endif
