/* text_schema: the attribute columns of all files of one kind, and what their types turn out to be. */
#ifndef GEMP_IO_TEXT_SCHEMA_H
#define GEMP_IO_TEXT_SCHEMA_H

#include "io/text_header.h"

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

void gemp_schema_see(gemp_schema *schema, size_t column, const gemp_cell *cell); /* one value, of any rank */
void gemp_schema_resolve(gemp_schema *schema); /* gives types to the columns that have none stated */

#endif
