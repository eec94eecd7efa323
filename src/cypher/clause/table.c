#include "cypher/clause/table.h"

#include "core/memory.h"

#include <string.h>

gemp_code gemp_cypher_table_add(gemp_cypher_table *table, gemp_datum **row)
{
	const size_t begin = table->rows * table->width, end = begin + table->width;
	size_t capacity = table->capacity * table->width;
	GEMP_TRY(GEMP_RESERVE(table->cells, capacity, end + 1));
	table->capacity = table->width ? capacity / table->width : 0;
	*row = table->cells + begin;
	memset(*row, 0, table->width * sizeof **row);
	table->rows++;
	return GEMP_OK;
}

void gemp_cypher_table_free(gemp_cypher_table *table)
{
	gemp_free(table->cells);
	gemp_arena_free(&table->arena);
	*table = (gemp_cypher_table){ 0 };
}
