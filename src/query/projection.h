/* projection: rows of a frame as columns of values in the user's keys, as they are written. */
#ifndef GEMP_QUERY_PROJECTION_H
#define GEMP_QUERY_PROJECTION_H

#include "graph/graph.h"
#include "partition/context.h"
#include "pattern/pattern.h"
#include "query/frame.h"

/* One item: a vertex is its key, an edge its type and the keys of its ends. */
typedef struct gemp_projected {
	const char *name;           /* borrowed from the pattern */
	bool edge;
	gemp_column value;          /* a key, a value; of an edge: its type */
	gemp_column source, target; /* of an edge: keys, as stored */
} gemp_projected;

/* Collective. out[pattern->result.shown]: the first columns of the frame, of frame->rows rows; columns of values are taken
 * from it. The caller frees. Nothing to free after an error. */
gemp_code gemp_project(gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern, gemp_frame *frame,
                       gemp_projected *out);

/* The columns without rows, for their names and types. */
gemp_code gemp_project_none(const gemp_graph *graph, const gemp_pattern *pattern, gemp_projected *out);
void gemp_projected_free(gemp_projected *columns, size_t count);

#endif
