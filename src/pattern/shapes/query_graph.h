/* query_graph: patterns from the query-graph files of the subgraph-matching literature (`t n m`, `v id label degree`,
 * `e u v`).
 *
 * Labels are numbers in these files. A format with one %d turns a number into the label's name in the graph. Messages
 * have the line of the error. */

#ifndef GEMP_PATTERN_SHAPES_QUERY_GRAPH_H
#define GEMP_PATTERN_SHAPES_QUERY_GRAPH_H

#include "pattern/model/pattern.h"

/* Reads the file `path`. label_format ("L%d") turns a label's number into its name; NULL: the number is the name. */
gemp_code gemp_pattern_query_graph(gemp_pattern **out, const char *path, const char *label_format);

#endif
