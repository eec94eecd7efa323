/* projection: RETURN items of matches, as columns of values in the user's keys. */
#ifndef GEMP_QUERY_PROJECTION_H
#define GEMP_QUERY_PROJECTION_H

#include "graph/graph.h"
#include "match/row_store.h"
#include "partition/context.h"
#include "pattern/pattern.h"

/* One item: a vertex is its key, an edge its type and the keys of its ends. */
typedef struct gemp_projected {
	const char *name;           /* borrowed from the pattern */
	bool edge;
	gemp_column value;          /* a key, an attribute, a number; of an edge: its type */
	gemp_column source, target; /* of an edge: keys, as stored */
} gemp_projected;

typedef struct gemp_projection gemp_projection;

/* Collective. Loads the keys. context, graph and pattern are borrowed. */
gemp_code gemp_projection_new(gemp_projection **out, gemp_context *context, gemp_graph *graph,
                              const gemp_pattern *pattern);
void gemp_projection_free(gemp_projection *projection);

/* Collective. out[pattern->result.item_count]: the columns, of rows->rows rows each; the caller frees them. Nothing to free
 * after an error. */
gemp_code gemp_project(gemp_projection *projection, const gemp_row_store *rows, gemp_projected *out);

/* The columns without rows, for their names and types; and those of one row where every item is count(*). */
gemp_code gemp_project_none(const gemp_graph *graph, const gemp_pattern *pattern, gemp_projected *out);
gemp_code gemp_project_count(const gemp_graph *graph, const gemp_pattern *pattern, uint64_t count, gemp_projected *out);
void gemp_projected_free(gemp_projected *columns, size_t count);

#endif
