/* edit: changes of a graph in terms of keys, as the lines of a change log state them, and the state of the
 * vertices and edges that they touch.
 *
 * Edges are named by type, ends and attributes, so nothing depends on how a graph numbers them. Each rank holds
 * the vertices whose keys hash to it and the edges that begin there. Strings are borrowed from the edits.
 */

#ifndef GEMP_TRANSFORM_CHANGELOG_EDIT_H
#define GEMP_TRANSFORM_CHANGELOG_EDIT_H

#include "core/text.h"
#include "graph/column.h"
#include "query/rows/accumulator.h"

typedef enum gemp_edit_kind {
	GEMP_EDIT_CREATE_VERTEX, /* key, labels, attributes */
	GEMP_EDIT_DELETE_VERTEX, /* key */
	GEMP_EDIT_SET_VERTEX,    /* key; column, value, was */
	GEMP_EDIT_ADD_LABELS,    /* key, labels */
	GEMP_EDIT_REMOVE_LABELS,
	GEMP_EDIT_CREATE_EDGE, /* type, key, target, attributes; an edge: */
	GEMP_EDIT_DELETE_EDGE, /* the n-th, from 1, of those with this type, these ends and attributes before the step */
	GEMP_EDIT_SET_EDGE,    /* an edge; column, value, was */
	GEMP_EDIT_RETYPE_EDGE, /* an edge; into */
} gemp_edit_kind;

typedef struct gemp_edit_attribute {
	size_t column;
	gemp_value value; /* not NULL */
} gemp_edit_attribute;

/* A piece of text, not ended by 0. */
typedef struct gemp_name {
	const char *bytes;
	size_t size;
} gemp_name;

/* Everything is borrowed. */
typedef struct gemp_edit {
	gemp_edit_kind kind;
	uint64_t line, step;    /* in the log; 0: what the graph has before the first step */
	gemp_value key, target; /* a vertex, or the ends of an edge */
	gemp_name type, into;
	gemp_name labels; /* joined by ; */
	uint64_t n;
	size_t attribute_count;
	gemp_edit_attribute *attributes; /* [attribute_count] by column */
	size_t column;
	gemp_value value, was;
} gemp_edit;

bool gemp_edit_is_of_edge(const gemp_edit *edit);

/* gemp_text_status tells of failures. */
void gemp_edit_pack(gemp_text *out, const gemp_edit *edit);
/* `edit`'s own array of attributes is filled, *capacity long, which the caller frees at last. */
gemp_code gemp_edit_unpack(gemp_edit *edit, size_t *capacity, const char **at);

/* touched: vertices and edges that edits speak of, as they are after the edits so far. Host only; each rank has those
 * whose key, of an edge that of its source, falls to it.
 *
 * Edges are named by type, ends and attributes, so nothing depends on how a graph numbers them. */

typedef struct gemp_edit_state_vertex {
	bool exists;
	gemp_name labels;
	char *own_labels; /* NULL: labels are borrowed */
	uint64_t line;    /* of the edit that created it */
} gemp_edit_state_vertex;

typedef struct gemp_edit_state_edge {
	bool exists;
	size_t group;  /* edges of one type with the same ends */
	size_t next;   /* in the group; SIZE_MAX: none */
	size_t became; /* the edge that it is since it has another type; SIZE_MAX: itself */
	uint64_t line;
} gemp_edit_state_edge;

typedef struct gemp_edit_state {
	const gemp_table *vertex_schema, *edge_schema; /* borrowed; columns without rows */
	gemp_key_table keys;                           /* of vertices */
	size_t vertex_capacity, vertex_value_capacity;
	gemp_edit_state_vertex *vertices; /* [keys.count] */
	gemp_value *vertex_values;        /* [keys.count][vertex_schema->count]; strings are borrowed from the edits */
	gemp_key_table groups;            /* type, source, target */
	size_t group_capacity;
	size_t *first; /* [groups.count] edge; SIZE_MAX: none */
	size_t edge_count, edge_capacity, edge_value_capacity;
	gemp_edit_state_edge *edges; /* [edge_count] */
	gemp_value *edge_values;     /* [edge_count][edge_schema->count] */
	gemp_text scratch;
	uint64_t failed_line; /* of the edit that failed */
} gemp_edit_state;

void gemp_edit_state_free(gemp_edit_state *state);
/* Edits of one step, all of which mean edges and old values as they are before it. What they point to must live. */
gemp_code gemp_edit_state_apply(gemp_edit_state *state, const gemp_edit *edits, size_t count);

gemp_value gemp_edit_state_key(const gemp_edit_state *state, size_t vertex);
/* Type, source and target of an edge. */
void gemp_edit_state_ends(const gemp_edit_state *state, size_t edge, gemp_name *type, gemp_value ends[2]);

#endif
