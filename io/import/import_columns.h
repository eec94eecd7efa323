/* import_columns: the roles of a file's columns, and the attribute columns of an import with their types. */

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
	GEMP_ROLE_IGNORE, /* left out, as the header says */
} gemp_field_role;

typedef struct gemp_field {
	char *name; /* owned, without the stated type */
	gemp_field_role role;
	bool kept;   /* holds the id, and is an attribute too */
	char *group; /* owned: ids become `group:id`, since groups may have equal ids; NULL: ids stay as they are */
	bool stated; /* the header says `type` */
	gemp_type type;
	size_t column; /* of an attribute, in the schema */
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

/* A missing, nameless or doubled column or an unknown type is GEMP_EDATA; the caller puts file and line in front of its
 * message. */
gemp_code gemp_header_parse(gemp_header *out, bool edges, const gemp_cells *cells);
/* The same for headers of neo4j-admin: `:ID`, `name:ID(Group)`, `:LABEL`, `:START_ID(Group)`, `:END_ID`, `:TYPE`,
 * `name:long`, `:IGNORE`. An attribute without a type is a string; a named id is also an attribute, of inferred type.
 * Arrays, times, points and options in braces are refused; the message names them. */
gemp_code gemp_header_parse_neo4j(gemp_header *out, bool edges, const gemp_cells *cells);
/* Source and target, as in a SNAP edge list. */
gemp_code gemp_header_pair(gemp_header *out);
void gemp_header_free(gemp_header *header);

/* ATTRIBUTES
 *
 * gemp_schema is for tables, whose cells are texts: every cell rules out types. gemp_inferred_columns is for formats
 * with typed values, whose columns appear while records are read. Both are joined over ranks by a bitwise or.
 * gemp_declared_columns is for formats whose files or metamodels declare types.
 */

/* Columns of one name are joined to one column, of a type that holds the values of all. Names are borrowed. */
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
	uint32_t *evidence;          /* [count] bits GEMP_LOOKS_* of types that values rule out, and GEMP_HAS_VALUE */
} gemp_schema;

enum { GEMP_HAS_VALUE = 8 };

/* Joins the attributes of a header to the schema and sets their `column`. Two files that state different types are
 * GEMP_EDATA. The header and the path are borrowed. */
gemp_code gemp_schema_join(gemp_schema *schema, gemp_header *header, const char *path);
void gemp_schema_free(gemp_schema *schema);

void gemp_schema_observe(gemp_schema *schema, size_t column, const gemp_text_cell *cell); /* one value, of any rank */
void gemp_schema_resolve(gemp_schema *schema); /* sets the types of columns without a stated type */

/* Columns of a format that does not declare them, which all ranks find in a first pass. {0} is empty. */
typedef struct gemp_inferred_columns {
	gemp_dictionary local; /* names that this rank has read */
	uint32_t *seen;        /* [seen_capacity >= local.list.count] bits GEMP_SEEN_* */
	size_t seen_capacity;
	gemp_bytes names; /* of all ranks, sorted; the builder's columns */
	gemp_type *types; /* [names.count] */
} gemp_inferred_columns;

/* Bits for the types of a column's values; 0: only NULL. */
enum {
	GEMP_SEEN_STRING = 1 << GEMP_STRING,
	GEMP_SEEN_INTEGER = 1 << GEMP_INTEGER,
	GEMP_SEEN_FLOAT = 1 << GEMP_FLOAT,
	GEMP_SEEN_BOOLEAN = 1 << GEMP_BOOLEAN
};

/* Local. Adds the type of a value (GEMP_SEEN_*) to a column. */
gemp_code gemp_inferred_columns_observe(gemp_inferred_columns *columns, const char *name, uint32_t seen);
size_t gemp_inferred_columns_find(const gemp_inferred_columns *columns, const char *name); /* it must be there */

/* Collective. Sets `names` and `types` of the columns of vertices and of edges; type_of returns the type that holds
 * values of all the seen types. */
gemp_code gemp_inferred_columns_merge(gemp_inferred_columns columns[2], const gemp_comm *comm,
                                      gemp_type (*type_of)(uint32_t seen));
gemp_code gemp_inferred_columns_declare(const gemp_inferred_columns columns[2], gemp_builder *builder);
void gemp_inferred_columns_free(gemp_inferred_columns columns[2]);

#endif
