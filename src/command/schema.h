/* schema: labels, edge types and attributes of a graph, for people and as JSON. */
#ifndef GEMP_COMMAND_SCHEMA_H
#define GEMP_COMMAND_SCHEMA_H

#include "command/report.h"

/* Vertices that carry each label, all ranks; [label_count], the caller frees (gemp_free). NULL when out of memory. */
uint64_t *gemp_schema_labels(const gemp_graph *graph);

/* Collective. Fields `graph` and `schema`. with_nulls: loads every attribute of the vertices and says which share is
 * NULL. */
gemp_code gemp_schema_report(gemp_report *report, gemp_graph *graph, bool with_nulls);

#endif
