/* graph_names: labels, types and attributes of a query that the graph does not have.
 *
 * openCypher finds nothing for such a name, which is mostly a mistake, so it is an error unless the query is lenient.
 * Attributes are looked up where the query shows that the subject is a node or a relationship: in a pattern, and behind
 * a variable that only patterns bind. */

#ifndef GEMP_CYPHER_CHECK_GRAPH_NAMES_H
#define GEMP_CYPHER_CHECK_GRAPH_NAMES_H

#include "cypher/syntax/tree.h"
#include "graph/graph.h"

/* Local. GEMP_EUSAGE with the place of the first unknown name; if `lenient`, warnings instead. */
gemp_code gemp_cypher_check_names(const gemp_cypher_tree *tree, const gemp_shard *graph, bool lenient);
/* Local. Warns of relationships such as -[KNOWS]-> whose name is a type of the graph, where -[:KNOWS]-> is meant. */
gemp_code gemp_cypher_warn_of_types(const gemp_cypher_tree *tree, const gemp_shard *graph);

/* Local. Visits each attribute that is read of a node, with the labels that the pattern demands of the node. */
typedef gemp_code gemp_cypher_labelled_visitor(void *self, const gemp_cypher_label *labels,
                                               const gemp_cypher_word *attribute);
gemp_code gemp_cypher_visit_labelled(const gemp_cypher_tree *tree, gemp_cypher_labelled_visitor *visit, void *self);

#endif
