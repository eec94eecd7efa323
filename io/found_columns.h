/* found_columns: columns of a format that does not declare them: found in a first reading, by all ranks together. */
#ifndef GEMP_IO_FOUND_COLUMNS_H
#define GEMP_IO_FOUND_COLUMNS_H

#include "comm/comm.h"
#include "partition/builder.h"
#include "partition/builder_bytes.h"

/* {0} is empty. */
typedef struct gemp_found_columns {
	gemp_dictionary mine; /* as this rank met them */
	uint32_t *seen;       /* [seen_capacity >= mine.list.count] bits of gemp_type */
	size_t seen_capacity;
	gemp_bytes all;       /* of all ranks, sorted: the builder's columns */
	gemp_type *types;     /* [all.count] that hold all values: of integers and floats floats, of others strings */
} gemp_found_columns;

/* Local. A value of that type was met. */
gemp_code gemp_found_columns_see(gemp_found_columns *columns, const char *name, gemp_type type);
/* Collective. Then `all` and `types` are there. */
gemp_code gemp_found_columns_join(gemp_found_columns *columns, const gemp_comm *comm);
gemp_code gemp_found_columns_declare(const gemp_found_columns *columns, gemp_builder *builder,
                                     gemp_code (*declare)(gemp_builder *, const char *, gemp_type, size_t *));
size_t gemp_found_columns_at(const gemp_found_columns *columns, const char *name); /* it must be there */
void gemp_found_columns_free(gemp_found_columns *columns);

#endif
