/* schema: labels, edge types and attributes of a graph, for people and as JSON. */

#ifndef GEMP_API_GRAPH_REPORT_H
#define GEMP_API_GRAPH_REPORT_H

#include "api/report_state.h"
#include "topology/vertex_degrees.h"

/* Collective. Fields `graph` and `schema`. with_nulls: loads every attribute of the vertices and says which share is
 * NULL. */
gemp_code gemp_schema_report(gemp_report *report, gemp_shard *graph, bool with_nulls);

/* degree_report: degrees by direction, for people and as JSON. */

/* "4 to 7": the degrees of a class. */
void gemp_degrees_range(char *out, size_t size, int class);
/* Prints what there is to be told of edges with a direction, and gives it as JSON. */
json_t *gemp_degrees_report(gemp_report *report, const gemp_degree_histogram *degrees);

#endif
