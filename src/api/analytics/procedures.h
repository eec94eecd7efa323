/* procedures: the graph algorithms of gemp_cypher_analyses (cypher/search/analysis.h), over the steps of the commands
 * that have the same names. */

#ifndef GEMP_API_ANALYTICS_PROCEDURES_H
#define GEMP_API_ANALYTICS_PROCEDURES_H

#include "api/graph.h"
#include "cypher/search/analysis.h"

typedef struct gemp_procedures gemp_procedures;

/* Local. `functions` refers to *out. The graph is borrowed; its name stands in messages. */
gemp_code gemp_procedures_new(gemp_procedures **out, gemp_cypher_analyses *functions, gemp_graph *graph);
void gemp_procedures_free(gemp_procedures *procedures); /* procedures may be NULL */
GEMP_RELEASE(gemp_procedures_free, gemp_procedures *)

#endif
