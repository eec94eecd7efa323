/* edit: changes of a graph in terms of keys, as the lines of a change log state them, and the state of the vertices and
 * edges that they touch.
 *
 * Edges are named by type, ends and attributes, so nothing depends on how a graph numbers them. Each rank holds the
 * touched vertices whose keys hash to it, and the touched edges whose sources do. Strings are borrowed from the edits.
 * All functions are local.
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
	GEMP_EDIT_CREATE_EDGE, /* type, key, target, attributes */
	/* The kinds below name an edge: the n-th, from 1, with this type, these ends and these attributes before the
	 * step. */
	GEMP_EDIT_DELETE_EDGE,
	GEMP_EDIT_SET_EDGE,    /* column, value, was */
	GEMP_EDIT_RETYPE_EDGE, /* into */
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
	uint64_t line, step;    /* in the log; 0: an element that the graph has before the first step */
	gemp_value key, target; /* a vertex, or the ends of an edge */
	gemp_name type, into;   /* of an edge, before and after */
	gemp_name labels;       /* joined by ; */
	uint64_t n;
	size_t attribute_count, attribute_capacity;
	gemp_edit_attribute *attributes; /* [attribute_count] by column */
	size_t column;
	gemp_value value, was;
} gemp_edit;

static inline bool gemp_edit_is_of_edge(const gemp_edit *edit)
{
	return edit->kind >= GEMP_EDIT_CREATE_EDGE;
}

/* Failures are recorded in the text (gemp_text_status). */
void gemp_edit_pack(gemp_text *out, const gemp_edit *edit);
/* Reads a packed edit. The edit's array of attributes grows as needed; the caller frees it. */
gemp_code gemp_edit_unpack(gemp_edit *edit, const char **at);

/* THE STATE of touched elements after the edits so far. */

typedef struct gemp_edit_state_vertex {
	bool exists;
	gemp_name labels;
	char *own_labels; /* NULL: labels are borrowed */
	uint64_t line;    /* of the edit that created it */
} gemp_edit_state_vertex;

typedef struct gemp_edit_state_edge {
	bool exists;
	size_t group;  /* of the edges with the same type and ends */
	size_t next;   /* in the group; SIZE_MAX: none */
	size_t became; /* the edge that replaced it when its type changed; SIZE_MAX: none */
	uint64_t line;
} gemp_edit_state_edge;

typedef struct gemp_edit_state {
	const gemp_table *vertex_schema, *edge_schema; /* borrowed; columns without rows */
	gemp_key_table keys;                           /* of vertices */
	size_t vertex_capacity, vertex_value_capacity;
	gemp_edit_state_vertex *vertices; /* [keys.count] */
	gemp_value *vertex_values;        /* [keys.count][vertex_schema->count] */
	gemp_key_table groups;            /* of source, target, type */
	size_t group_capacity;
	size_t *first; /* [groups.count] edge; SIZE_MAX: none */
	size_t edge_count, edge_capacity, edge_value_capacity;
	gemp_edit_state_edge *edges; /* [edge_count] */
	gemp_value *edge_values;     /* [edge_count][edge_schema->count] */
	gemp_text scratch;
	uint64_t failed_line; /* after a failure: the line of the edit that failed; 0: none, memory was short */
} gemp_edit_state;

void gemp_edit_state_free(gemp_edit_state *state);
/* Applies the edits of one step, all of which name edges and old values as they are before it. The texts of the edits
 * must outlive the state. */
gemp_code gemp_edit_state_apply(gemp_edit_state *state, const gemp_edit *edits, size_t count);

gemp_value gemp_edit_state_key(const gemp_edit_state *state, size_t vertex);
/* Type, source and target of an edge. */
void gemp_edit_state_ends(const gemp_edit_state *state, size_t edge, gemp_name *type, gemp_value ends[2]);

#endif
