/* found_columns: columns of a format that does not declare them: found in a first reading, by all ranks together. */
#ifndef GEMP_IO_FOUND_COLUMNS_H
#define GEMP_IO_FOUND_COLUMNS_H

#include "comm/comm.h"
#include "partition/builder.h"
#include "partition/builder_bytes.h"

/* {0} is empty. */
typedef struct gemp_found_columns {
	gemp_dictionary mine; /* as this rank met them */
	uint32_t *seen;       /* [seen_capacity >= mine.list.count] GEMP_SEEN_* */
	size_t seen_capacity;
	gemp_bytes all;       /* of all ranks, sorted: the builder's columns */
	gemp_type *types;     /* [all.count] */
} gemp_found_columns;

/* Types of values that a column was seen to have, together; 0: only NULL. */
enum { GEMP_SEEN_STRING = 1 << GEMP_STRING, GEMP_SEEN_INTEGER = 1 << GEMP_INTEGER, GEMP_SEEN_FLOAT = 1 << GEMP_FLOAT,
       GEMP_SEEN_BOOLEAN = 1 << GEMP_BOOLEAN };

/* Local. A value was met of that type, GEMP_SEEN_*. */
gemp_code gemp_found_columns_see(gemp_found_columns *columns, const char *name, uint32_t seen);
/* Collective. Then `all` and `types` are there: type_of says what holds all that was seen. */
gemp_code gemp_found_columns_join(gemp_found_columns *columns, const gemp_comm *comm,
                                  gemp_type (*type_of)(uint32_t seen));
gemp_code gemp_found_columns_declare(const gemp_found_columns *columns, gemp_builder *builder,
                                     gemp_code (*declare)(gemp_builder *, const char *, gemp_type, size_t *));
size_t gemp_found_columns_at(const gemp_found_columns *columns, const char *name); /* it must be there */
void gemp_found_columns_free(gemp_found_columns *columns);

#endif
