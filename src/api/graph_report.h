/* graph_report: labels, edge types, attributes and degrees of a graph, for people and as JSON. */

#ifndef GEMP_API_GRAPH_REPORT_H
#define GEMP_API_GRAPH_REPORT_H

#include "api/report_state.h"
#include "topology/vertex_degrees.h"

/* Collective. Sets the fields `graph` and `schema`. with_nulls: loads every attribute of the vertices and reports the share of
 * NULL. */
gemp_code gemp_schema_report(gemp_report *report, gemp_shard *graph, bool with_nulls);

/* "4 to 7": the degrees of a class. */
void gemp_degrees_range(char *out, size_t size, int class);
/* Prints the classes of in- and out-degrees of directed edges, and returns them as JSON. */
json_t *gemp_degrees_report(gemp_report *report, const gemp_degree_histogram *degrees);

#endif
