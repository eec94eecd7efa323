#include "som/file/map_units.h"

#include "core/memory.h"
#include "graph/column_bulk.h"
#include "som/file/map_scaling.h"
#include "som/map/apply.h"

void gemp_som_unit_list_free(gemp_som_unit_list *units)
{
	gemp_free_all(units->unit, units->second, units->distance);
	*units = (gemp_som_unit_list){ 0 };
}

gemp_code gemp_som_unit_list_new(gemp_som_unit_list *out, const gemp_comm *comm, size_t count)
{
	*out = (gemp_som_unit_list){ 0 };
	gemp_code code = GEMP_NEW(out->unit, count);
	GEMP_THEN(GEMP_NEW(out->second, count));
	GEMP_THEN(GEMP_NEW(out->distance, count));
	code = gemp_comm_agree(comm, code);
	if (code != GEMP_OK)
		gemp_som_unit_list_free(out);
	return code;
}

gemp_code gemp_som_unit_list_find(gemp_som_unit_list *out, const gemp_runtime *context, const gemp_som_map *map,
                                  const gemp_vectors *vectors)
{
	gemp_code code = GEMP_OK;
	const gemp_som_grid grid = gemp_som_grid_of(map);
	GEMP_TRY(gemp_som_unit_list_new(out, context->comm, vectors->count));
	code = gemp_som_apply(context->comm, context->device, &grid, (gemp_som_metric)map->metric, map->codebook,
	                      vectors->x, vectors->count, vectors->dims, out->unit, out->distance, out->second);
done:
	if (code != GEMP_OK)
		gemp_som_unit_list_free(out);
	return code;
}

/* COLUMNS */

enum { UNIT, X, Y, DISTANCE };
const char *const gemp_som_unit_columns[GEMP_SOM_MAP_COLUMNS] = { "unit", "x", "y", "distance" };

gemp_code gemp_som_unit_list_add(gemp_table *found, const gemp_som_unit_list *units, const gemp_som_map *map,
                                 size_t rows)
{
	gemp_column *column;
	found->rows = rows;
	for (int c = 0; c < GEMP_SOM_MAP_COLUMNS; c++) {
		GEMP_PROPAGATE(
			gemp_table_add(found, gemp_som_unit_columns[c], c == DISTANCE ? GEMP_FLOAT : GEMP_INTEGER, &column));
		GEMP_PROPAGATE(gemp_column_pad(column, rows));
		for (size_t row = 0; row < rows; row++) {
			const uint32_t unit = units->unit[row];
			if (unit == GEMP_SOM_NO_UNIT)
				continue;
			if (c == DISTANCE)
				column->floats[row] = (double)units->distance[row];
			else
				column->integers[row] = c == UNIT ? unit : c == X ? unit % map->columns : unit / map->columns;
			column->null[row] = 0;
		}
		gemp_column_trim_nulls(column);
	}
	return GEMP_OK;
}
