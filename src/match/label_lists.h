/* label_lists: what labels(v) gives: a list of names, by label set. */
#ifndef GEMP_MATCH_LABEL_LISTS_H
#define GEMP_MATCH_LABEL_LISTS_H

#include "graph/graph.h"

/* out becomes a column of lists, one for each label set of the graph; initialised here, nothing to free after an error. */
gemp_code gemp_label_lists(gemp_column *out, const gemp_graph *graph);

#endif
