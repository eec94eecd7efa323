/* import_columns: what the columns of a file are for, and the attribute columns of an import with their types. */

#ifndef GEMP_IO_IMPORT_IMPORT_COLUMNS_H
#define GEMP_IO_IMPORT_IMPORT_COLUMNS_H

#include "io/text/cells.h"
#include "partition/build/builder.h"
#include "partition/build/dictionary.h"

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

/* ATTRIBUTES
 *
 * gemp_schema serves tables, whose cells are texts: every cell rules out types. gemp_inferred_columns serves formats
 * with typed values, whose columns appear while records are read. Both are joined over ranks by a bitwise or.
 * gemp_declared_columns serves formats whose files or metamodels declare types.
 */

/* Columns of one name are one column, of a type that holds what all of them hold. Names are borrowed. */
typedef struct gemp_declared_columns {
	size_t count, capacity;
	struct gemp_declared_column {
		const char *name;
		gemp_type type;
	} * columns; /* [count] */
} gemp_declared_columns;

gemp_code gemp_declared_columns_join(gemp_declared_columns *columns, const char *name, gemp_type type, size_t *at);

/* gemp_builder_vertex_column or gemp_builder_edge_column. */
typedef gemp_code gemp_declare_column(gemp_builder *builder, const char *name, gemp_type type, size_t *column);
gemp_code gemp_declared_columns_declare(const gemp_declared_columns *columns, gemp_builder *builder,
                                        gemp_declare_column *declare);

typedef struct gemp_schema_column {
	const char *name;   /* borrowed from a header */
	const char *stated; /* path of the file that states its type; NULL: inferred */
	gemp_type type;
} gemp_schema_column;

typedef struct gemp_schema {
	size_t count, capacity, evidence_capacity;
	gemp_schema_column *columns; /* [count] */
	uint32_t *evidence; /* [count] GEMP_LOOKS_* ruled out by values, and GEMP_HAS_VALUE: joined over ranks by or */
} gemp_schema;

enum { GEMP_HAS_VALUE = 8 };

/* Joins the attributes of a header to the schema and sets their `column`. Two files that state different types are
 * GEMP_EDATA. The header and the path are borrowed. */
gemp_code gemp_schema_join(gemp_schema *schema, gemp_header *header, const char *path);
void gemp_schema_free(gemp_schema *schema);

void gemp_schema_observe(gemp_schema *schema, size_t column, const gemp_text_cell *cell); /* one value, of any rank */
void gemp_schema_resolve(gemp_schema *schema); /* gives types to the columns that have none stated */

/* Columns of a format that does not declare them: found in a first reading, by all ranks together. */

/* {0} is empty. */
typedef struct gemp_inferred_columns {
	gemp_dictionary local; /* as this rank met them */
	uint32_t *seen;        /* [seen_capacity >= mine.list.count] GEMP_SEEN_* */
	size_t seen_capacity;
	gemp_bytes names; /* of all ranks, sorted: the builder's columns */
	gemp_type *types; /* [names.count] */
} gemp_inferred_columns;

/* Types of values that a column was seen to have, together; 0: only NULL. */
enum {
	GEMP_SEEN_STRING = 1 << GEMP_STRING,
	GEMP_SEEN_INTEGER = 1 << GEMP_INTEGER,
	GEMP_SEEN_FLOAT = 1 << GEMP_FLOAT,
	GEMP_SEEN_BOOLEAN = 1 << GEMP_BOOLEAN
};

/* Local. A value was met of that type, GEMP_SEEN_*. */
gemp_code gemp_inferred_columns_observe(gemp_inferred_columns *columns, const char *name, uint32_t seen);
size_t gemp_inferred_columns_find(const gemp_inferred_columns *columns, const char *name); /* it must be there */

/* The columns of vertices and of edges are a pair. Collective: then `names` and `types` are there; type_of says which
 * type holds all that was seen. */
gemp_code gemp_inferred_columns_merge(gemp_inferred_columns columns[2], const gemp_comm *comm,
                                      gemp_type (*type_of)(uint32_t seen));
gemp_code gemp_inferred_columns_declare(const gemp_inferred_columns columns[2], gemp_builder *builder);
void gemp_inferred_columns_free(gemp_inferred_columns columns[2]);

#endif
