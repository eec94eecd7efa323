/* table_header: what the columns of one file are for. */

#ifndef GEMP_IO_IMPORT_TABLE_HEADER_H
#define GEMP_IO_IMPORT_TABLE_HEADER_H

#include "graph/column.h"
#include "io/text/text_cells.h"

typedef enum gemp_field_role {
	GEMP_ROLE_ATTRIBUTE,
	GEMP_ROLE_KEY,    /* id of a vertex */
	GEMP_ROLE_LABELS, /* type or label of a vertex */
	GEMP_ROLE_SOURCE,
	GEMP_ROLE_TARGET,
	GEMP_ROLE_TYPE,   /* of an edge */
	GEMP_ROLE_IGNORE, /* said to be left out */
} gemp_field_role;

typedef struct gemp_field {
	char *name; /* owned, without the stated type */
	gemp_field_role role;
	bool kept;   /* holds the id, and is an attribute too */
	char *group; /* owned: ids are `group:id`, since those of several groups may be alike; NULL: as they stand */
	bool stated; /* `type` is the user's word */
	gemp_type type;
	size_t column; /* of the schema, if an attribute */
} gemp_field;

static inline bool gemp_field_is_attribute(const gemp_field *field)
{
	return field->role == GEMP_ROLE_ATTRIBUTE || field->kept;
}

static inline bool gemp_field_is_key(const gemp_field *field)
{
	return field->role == GEMP_ROLE_KEY || field->role == GEMP_ROLE_SOURCE || field->role == GEMP_ROLE_TARGET;
}

typedef struct gemp_header {
	size_t count;
	gemp_field *fields; /* [count] */
} gemp_header;

/* A missing, nameless or doubled column or an unknown type is GEMP_EDATA, with neither file nor line. */
gemp_code gemp_header_parse(gemp_header *out, bool edges, const gemp_cells *cells);
/* As neo4j-admin writes and reads it: `:ID`, `name:ID(Group)`, `:LABEL`, `:START_ID(Group)`, `:END_ID`, `:TYPE`,
 * `name:long`, `:IGNORE`. An attribute without a type is a string; a named id is an attribute too, of inferred type.
 * Arrays, times, points and options in braces are refused by name. */
gemp_code gemp_header_parse_neo4j(gemp_header *out, bool edges, const gemp_cells *cells);
/* Source and target, as in a SNAP edge list. */
gemp_code gemp_header_pair(gemp_header *out);
void gemp_header_free(gemp_header *header);

#endif
