/* edit: the changes of a graph that the lines of a change log describe, and the state of the vertices and edges that
 * they touch.
 *
 * Keys name vertices. An edge is named by its type, its source and target and its attributes, so no name depends on the
 * numbering of a graph. Each rank holds the touched vertices whose keys hash to the rank, and the touched edges whose
 * sources hash to it. Strings are borrowed from the edits. All functions are local. */

#ifndef GEMP_TRANSFORM_CHANGELOG_EDIT_H
#define GEMP_TRANSFORM_CHANGELOG_EDIT_H

#include "core/text.h"
#include "graph/column.h"
#include "query/rows/accumulator.h"

typedef enum gemp_edit_kind {
	GEMP_EDIT_CREATE_VERTEX, /* members: key, labels, attributes */
	GEMP_EDIT_DELETE_VERTEX, /* members: key */
	GEMP_EDIT_SET_VERTEX,    /* members: key; column, value, was */
	GEMP_EDIT_ADD_LABELS,    /* members: key, labels */
	GEMP_EDIT_REMOVE_LABELS,
	GEMP_EDIT_CREATE_EDGE, /* members: type, key, target, attributes */
	/* The following kinds also name an edge. It is edge number n, from 1, among the edges with this type, source,
	 * target and these attributes before the step. */
	GEMP_EDIT_DELETE_EDGE,
	GEMP_EDIT_SET_EDGE,    /* members: column, value, was */
	GEMP_EDIT_RETYPE_EDGE, /* members: into */
} gemp_edit_kind;

typedef struct gemp_edit_attribute {
	size_t column;
	gemp_value value; /* not NULL */
} gemp_edit_attribute;

/* A part of a text, not ended by 0. */
typedef struct gemp_name {
	const char *bytes;
	size_t size;
} gemp_name;

/* All texts are borrowed. */
typedef struct gemp_edit {
	gemp_edit_kind kind;
	uint64_t line, step;    /* line in the log, and step; 0: the graph has the element before the first step */
	gemp_value key, target; /* key of a vertex, or keys of an edge's source and target */
	gemp_name type, into;   /* type of an edge before and after the edit */
	gemp_name labels;       /* labels joined by semicolons */
	uint64_t n;
	size_t attribute_count, attribute_capacity;
	gemp_edit_attribute *attributes; /* [attribute_count] in the order of columns */
	size_t column;
	gemp_value value, was;
} gemp_edit;

static inline bool gemp_edit_is_of_edge(const gemp_edit *edit)
{
	return edit->kind >= GEMP_EDIT_CREATE_EDGE;
}

/* Appends the packed edit. The text records failures (gemp_text_status). */
void gemp_edit_pack(gemp_text *out, const gemp_edit *edit);
/* Reads a packed edit. The edit's array of attributes grows if necessary, and the caller frees it. */
gemp_code gemp_edit_unpack(gemp_edit *edit, const char **at);

/* THE STATE of the touched elements after the edits that have been applied */

typedef struct gemp_edit_state_vertex {
	bool exists;
	gemp_name labels;
	char *own_labels; /* NULL: labels are borrowed */
	uint64_t line;    /* line of the edit that created the vertex */
} gemp_edit_state_vertex;

typedef struct gemp_edit_state_edge {
	bool exists;
	size_t group;  /* the group of edges with the same type, source and target */
	size_t next;   /* next edge of the group; SIZE_MAX: none */
	size_t became; /* the edge that replaced this edge when its type changed; SIZE_MAX: none */
	uint64_t line;
} gemp_edit_state_edge;

typedef struct gemp_edit_state {
	const gemp_table *vertex_schema, *edge_schema; /* borrowed; columns without rows */
	gemp_key_table keys;                           /* keys of the vertices */
	size_t vertex_capacity, vertex_value_capacity;
	gemp_edit_state_vertex *vertices; /* [keys.count] */
	gemp_value *vertex_values;        /* [keys.count][vertex_schema->count] */
	gemp_key_table groups;            /* packed source, target and type of each group */
	size_t group_capacity;
	size_t *first; /* [groups.count] first edge of the group; SIZE_MAX: none */
	size_t edge_count, edge_capacity, edge_value_capacity;
	gemp_edit_state_edge *edges; /* [edge_count] */
	gemp_value *edge_values;     /* [edge_count][edge_schema->count] */
	gemp_text scratch;
	uint64_t failed_line; /* after a failure the line of the failed edit; 0: there was no memory */
} gemp_edit_state;

void gemp_edit_state_free(gemp_edit_state *state);
/* Applies the edits of one step. All edits name edges and old values in their state before the step. The texts of the
 * edits must outlive the state. */
gemp_code gemp_edit_state_apply(gemp_edit_state *state, const gemp_edit *edits, size_t count);

gemp_value gemp_edit_state_key(const gemp_edit_state *state, size_t vertex);
/* Returns type, source and target of an edge. */
void gemp_edit_state_ends(const gemp_edit_state *state, size_t edge, gemp_name *type, gemp_value ends[2]);

#endif
