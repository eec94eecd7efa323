/* touched: vertices and edges that edits speak of, as they are after the edits so far. Host only; each rank has those
 * whose key, of an edge that of its source, falls to it.
 *
 * Edges are named by type, ends and attributes, so nothing depends on how a graph numbers them. */
#ifndef GEMP_CHANGELOG_TOUCHED_H
#define GEMP_CHANGELOG_TOUCHED_H

#include "changelog/edit.h"
#include "query/key_table.h"

typedef struct gemp_touched_vertex {
	bool there;
	gemp_name labels;
	char *own_labels; /* NULL: labels are borrowed */
	uint64_t line;    /* of the edit that created it */
} gemp_touched_vertex;

typedef struct gemp_touched_edge {
	bool there;
	size_t group;     /* edges of one type with the same ends */
	size_t next;      /* in the group; SIZE_MAX: none */
	size_t became;    /* the edge that it is since it has another type; SIZE_MAX: itself */
	uint64_t line;
} gemp_touched_edge;

typedef struct gemp_touched {
	const gemp_table *vertex_schema, *edge_schema; /* borrowed; columns without rows */
	gemp_key_table keys;       /* of vertices */
	size_t vertex_capacity, vertex_value_capacity;
	gemp_touched_vertex *vertices; /* [keys.count] */
	gemp_value *vertex_values; /* [keys.count][vertex_schema->count]; strings are borrowed from the edits */
	gemp_key_table groups;     /* type, source, target */
	size_t group_capacity;
	size_t *first;             /* [groups.count] edge; SIZE_MAX: none */
	size_t edge_count, edge_capacity, edge_value_capacity;
	gemp_touched_edge *edges;  /* [edge_count] */
	gemp_value *edge_values;   /* [edge_count][edge_schema->count] */
	gemp_text scratch;
	uint64_t failed_line;      /* of the edit that failed */
} gemp_touched;

void gemp_touched_free(gemp_touched *touched);
/* Edits of one step, all of which mean edges and old values as they are before it. What they point to must live. */
gemp_code gemp_touched_apply(gemp_touched *touched, const gemp_edit *edits, size_t count);

gemp_value gemp_touched_key(const gemp_touched *touched, size_t vertex);
/* Type, source and target of an edge. */
void gemp_touched_ends(const gemp_touched *touched, size_t edge, gemp_name *type, gemp_value ends[2]);

#endif
