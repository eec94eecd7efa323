#include "cypher/clause/table.h"

#include "core/memory.h"

#include <string.h>

gemp_code gemp_cypher_table_reserve(gemp_cypher_table *table, size_t rows)
{
	size_t cells = table->capacity * table->width, origins = table->capacity;
	if (rows <= table->capacity)
		return GEMP_OK;
	const size_t capacity = gemp_grown_capacity(table->capacity, rows);
	if (table->width && capacity > SIZE_MAX / table->width)
		return gemp_fail(GEMP_ENOMEM, "a table of %zu rows does not fit into memory", capacity);
	GEMP_TRY(GEMP_RESERVE(table->cells, cells, capacity * table->width + 1));
	if (table->with_origin)
		GEMP_TRY(GEMP_RESERVE(table->origin, origins, capacity));
	table->capacity = capacity;
	return GEMP_OK;
}

gemp_code gemp_cypher_table_add(gemp_cypher_table *table, gemp_datum **row)
{
	if (table->rows == table->capacity)
		GEMP_TRY(gemp_cypher_table_reserve(table, table->rows + 1));
	*row = table->cells + table->rows * table->width;
	memset(*row, 0, table->width * sizeof **row);
	if (table->with_origin)
		table->origin[table->rows] = 0;
	table->rows++;
	return GEMP_OK;
}

void gemp_cypher_table_cut(gemp_cypher_table *table, size_t begin, size_t end)
{
	end = gemp_min(end, table->rows);
	begin = gemp_min(begin, end);
	if (begin && begin < end) {
		memmove(table->cells, gemp_cypher_table_row(table, begin), (end - begin) * table->width * sizeof *table->cells);
		if (table->origin)
			memmove(table->origin, table->origin + begin, (end - begin) * sizeof *table->origin);
	}
	table->rows = end - begin;
}

void gemp_cypher_table_free(gemp_cypher_table *table)
{
	gemp_free_all(table->cells, table->origin);
	gemp_arena_free(&table->arena);
	*table = (gemp_cypher_table){ 0 };
}
