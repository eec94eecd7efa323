/* edit: one change of a graph, spoken of by keys, as a line of a change log says it. */
#ifndef GEMP_CHANGELOG_EDIT_H
#define GEMP_CHANGELOG_EDIT_H

#include "core/text.h"
#include "graph/column.h"

typedef enum gemp_edit_kind {
	GEMP_EDIT_CREATE_VERTEX, /* key, labels, attributes */
	GEMP_EDIT_DELETE_VERTEX, /* key */
	GEMP_EDIT_SET_VERTEX,    /* key; column, value, was */
	GEMP_EDIT_ADD_LABELS,    /* key, labels */
	GEMP_EDIT_REMOVE_LABELS,
	GEMP_EDIT_CREATE_EDGE,   /* type, key, target, attributes; an edge: */
	GEMP_EDIT_DELETE_EDGE,   /* the n-th, from 1, of those with this type, these ends and attributes before the step */
	GEMP_EDIT_SET_EDGE,      /* an edge; column, value, was */
	GEMP_EDIT_RETYPE_EDGE,   /* an edge; into */
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
	gemp_name labels;       /* joined by ; */
	uint64_t n;
	size_t attribute_count;
	gemp_edit_attribute *attributes; /* [attribute_count] by column */
	size_t column;
	gemp_value value, was;
} gemp_edit;

bool gemp_edit_is_of_edge(const gemp_edit *edit);
bool gemp_edit_names_edge(const gemp_edit *edit); /* one that is there */

/* gemp_text_status tells of failures. */
void gemp_edit_pack(gemp_text *out, const gemp_edit *edit);
/* `edit`'s own array of attributes is filled, *capacity long, which the caller frees at last. */
gemp_code gemp_edit_unpack(gemp_edit *edit, size_t *capacity, const char **at);

#endif
