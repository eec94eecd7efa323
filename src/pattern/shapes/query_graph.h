#ifndef GEMP_PATTERN_SHAPES_QUERY_GRAPH_H
#define GEMP_PATTERN_SHAPES_QUERY_GRAPH_H

#include "pattern/model/pattern.h"

/* Lines `t n m`, `v id label degree`, `e u v`; label_format ("L%d") makes a label's name of its number. */
gemp_code gemp_pattern_query_graph(gemp_pattern **out, const char *path, const char *label_format);

#endif
