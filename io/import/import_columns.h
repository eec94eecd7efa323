/* import_columns: the roles of columns in a file, and the attribute columns of an import with their types. */

#ifndef GEMP_IO_IMPORT_IMPORT_COLUMNS_H
#define GEMP_IO_IMPORT_IMPORT_COLUMNS_H

#include "graph/json_text.h"
#include "io/text/cells.h"
#include "partition/build/builder.h"
#include "partition/build/dictionary.h"

typedef enum gemp_field_role {
	GEMP_ROLE_ATTRIBUTE,
	GEMP_ROLE_KEY,    /* id of a vertex */
	GEMP_ROLE_LABELS, /* types or labels of a vertex */
	GEMP_ROLE_SOURCE,
	GEMP_ROLE_TARGET,
	GEMP_ROLE_TYPE,   /* type of an edge */
	GEMP_ROLE_IGNORE, /* the header says that the column is ignored */
} gemp_field_role;

typedef struct gemp_field {
	char *name; /* owned; without the stated type, except in Neo4j's columns that are no attributes */
	gemp_field_role role;
	bool kept;   /* a column of ids that is an attribute, too */
	char *group; /* owned; ids become `group:id`, since ids of different groups may be equal; NULL: no group */
	bool stated; /* the header states the type */
	gemp_type type;
	gemp_json_tag tag; /* the cells are texts of such temporal values */
	size_t column;     /* for an attribute, the index in the schema */
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

/* Parses the header of a file of edges (edges) or vertices. GEMP_EDATA: a required column is missing, a column has no
 * name, a name occurs twice, or a type is unknown. The caller adds file and line to the message. */
gemp_code gemp_header_parse(gemp_header *out, bool edges, const gemp_cells *cells);
/* Parses a header of neo4j-admin: `:ID`, `name:ID(Group)`, `:LABEL`, `:START_ID(Group)`, `:END_ID`, `:TYPE`,
 * `name:long`, `:IGNORE`. An attribute without a type is a string. A named id is also an attribute, with an inferred
 * type. GEMP_EDATA also for arrays, times, points and options in braces, which the message names. */
gemp_code gemp_header_parse_neo4j(gemp_header *out, bool edges, const gemp_cells *cells);
/* A header of source and target, for a SNAP edge list. */
gemp_code gemp_header_pair(gemp_header *out);
void gemp_header_free(gemp_header *header);

/* ATTRIBUTES
 *
 * gemp_schema is for tables, whose cells are texts: each cell rules out types. gemp_inferred_columns is for formats
 * with typed values, whose columns appear while records are read. Both are joined over ranks by a bitwise or.
 * gemp_declared_columns is for formats whose files or metamodels declare types. */

/* Columns with the same name become one column, whose type holds the values of all of them. Names are borrowed. */
typedef struct gemp_declared_columns {
	size_t count, capacity;
	struct gemp_declared_column {
		const char *name;
		gemp_type type;
	} * columns; /* [count] */
} gemp_declared_columns;

gemp_code gemp_declared_columns_join(gemp_declared_columns *columns, const char *name, gemp_type type, size_t *at);

/* The type of gemp_builder_vertex_column and gemp_builder_edge_column. */
typedef gemp_code gemp_declare_column(gemp_builder *builder, const char *name, gemp_type type, size_t *column);
gemp_code gemp_declared_columns_declare(const gemp_declared_columns *columns, gemp_builder *builder,
                                        gemp_declare_column *declare);

typedef struct gemp_schema_column {
	const char *name;   /* borrowed from a header */
	const char *stated; /* path of the file that states the type; NULL: the type is inferred */
	gemp_type type;
} gemp_schema_column;

typedef struct gemp_schema {
	size_t count, capacity, evidence_capacity;
	gemp_schema_column *columns; /* [count] */
	/* [count] bits: GEMP_LOOKS_* for each type that a value rules out, and GEMP_HAS_VALUE */
	uint32_t *evidence;
} gemp_schema;

enum { GEMP_HAS_VALUE = 8 };

/* Adds the attributes of a header to the schema and sets the `column` of each field. The header and the path are
 * borrowed. GEMP_EDATA: two files state different types for a column. */
gemp_code gemp_schema_join(gemp_schema *schema, gemp_header *header, const char *path);
void gemp_schema_free(gemp_schema *schema);

/* adds one value to the evidence */
void gemp_schema_observe(gemp_schema *schema, size_t column, const gemp_text_cell *cell);
void gemp_schema_resolve(gemp_schema *schema); /* sets the types that are not stated */

/* The columns of a format that does not declare them. All ranks find them in a first pass. {0} is empty. */
typedef struct gemp_inferred_columns {
	gemp_dictionary local; /* names that this rank has read */
	uint32_t *seen;        /* [seen_capacity >= local.list.count] bits GEMP_SEEN_* for each name in `local` */
	size_t seen_capacity;
	gemp_bytes names; /* names of all ranks, sorted: the builder's columns */
	gemp_type *types; /* [names.count] */
} gemp_inferred_columns;

/* Bits for the types of a column's values. 0: all values are NULL. */
enum {
	GEMP_SEEN_STRING = 1 << GEMP_STRING,
	GEMP_SEEN_INTEGER = 1 << GEMP_INTEGER,
	GEMP_SEEN_FLOAT = 1 << GEMP_FLOAT,
	GEMP_SEEN_BOOLEAN = 1 << GEMP_BOOLEAN,
	GEMP_SEEN_JSON = 1 << GEMP_LIST /* a list or an object */
};

/* Local. Adds the type of a value (GEMP_SEEN_*) to the column `name`. */
gemp_code gemp_inferred_columns_observe(gemp_inferred_columns *columns, const char *name, uint32_t seen);
size_t gemp_inferred_columns_find(const gemp_inferred_columns *columns, const char *name); /* the name must exist */

/* Collective. Sets `names` and `types` for the columns of vertices, columns[0], and of edges, columns[1]. type_of gives
 * the type that holds values of all the types in `seen`. */
gemp_code gemp_inferred_columns_merge(gemp_inferred_columns columns[2], const gemp_comm *comm,
                                      gemp_type (*type_of)(uint32_t seen));
gemp_code gemp_inferred_columns_declare(const gemp_inferred_columns columns[2], gemp_builder *builder);
void gemp_inferred_columns_free(gemp_inferred_columns columns[2]);

#endif
