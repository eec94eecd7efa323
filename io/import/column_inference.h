/* column_inference: the attribute columns of an import and their types, where files do not state them.
 *
 * gemp_schema serves tables, whose cells are texts: every cell rules out types. gemp_inferred_columns serves formats with
 * typed values, whose columns appear while records are read. Both are joined over ranks by a bitwise or.
 */

#ifndef GEMP_IO_IMPORT_COLUMN_INFERENCE_H
#define GEMP_IO_IMPORT_COLUMN_INFERENCE_H

#include "io/import/table_header.h"
#include "partition/base/dictionary.h"
#include "partition/build/builder_options.h"

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
	gemp_type *types; /* [all.count] */
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
/* Collective. Then `all` and `types` are there: type_of says what holds all that was seen. */
gemp_code gemp_inferred_columns_merge(gemp_inferred_columns *columns, const gemp_comm *comm,
                                      gemp_type (*type_of)(uint32_t seen));
gemp_code gemp_inferred_columns_declare(const gemp_inferred_columns *columns, gemp_builder *builder,
                                        gemp_code (*declare)(gemp_builder *, const char *, gemp_type, size_t *));
size_t gemp_inferred_columns_find(const gemp_inferred_columns *columns, const char *name); /* it must be there */
void gemp_inferred_columns_free(gemp_inferred_columns *columns);

#endif
