#include "som/file/map.h"

#include "core/log.h"
#include "core/memory.h"
#include "graph/column_bulk.h"
#include "som/init/init_codebook.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

gemp_code gemp_som_check_dims(const char *place, uint32_t dims)
{
	if (dims <= GEMP_SOM_MAX_DIMS)
		return GEMP_OK;
	return gemp_fail(GEMP_EDATA,
	                 "%s: has vectors of %" PRIu32 " numbers, and maps have at most %d; leave columns out, or "
	                 "reduce them to principal components",
	                 place, dims, GEMP_SOM_MAX_DIMS);
}

gemp_som_grid gemp_som_grid_of(const gemp_som_map *map)
{
	return (gemp_som_grid){
		.rows = map->rows, .columns = map->columns, .lattice = (gemp_som_lattice)map->grid, .toroid = map->topology == 1
	};
}

/* Inverts the scaling. A factor is never 0. */
double gemp_som_value(const gemp_som_map *map, uint32_t unit, uint32_t column)
{
	return (double)map->codebook[(size_t)unit * map->dims + column] / map->factor[column] + map->offset[column];
}

/* Best units are found by |w|^2 - 2 x.w. If the vectors lie far from 0, both terms are large, and their rounding errors
 * exceed the differences between units. */
static void warn_if_far(const gemp_som_map *map, const gemp_som_column_stats *columns)
{
	const double *min = columns->min, *max = columns->max, *mean = columns->mean;
	double mean_square = 0, width_square = 0;
	uint32_t max_value = 0;
	for (uint32_t c = 0; c < map->dims; c++) {
		const double width = max[c] > min[c] ? max[c] - min[c] : 0;
		mean_square += mean[c] * mean[c];
		width_square += width * width;
		max_value = fabs(mean[c]) > fabs(mean[max_value]) ? c : max_value;
	}
	if (map->metric == GEMP_SOM_EUCLIDEAN && width_square > 0 && mean_square > 1e4 * width_square)
		gemp_warn("column '%s' has values around %g, which is large compared with their spread: float precision is too "
		          "low; use scale standard",
		          map->names[max_value], mean[max_value]);
}

/* Collective. A constant column would get an infinite factor, and a column of infinite width the factor 0. Both keep
 * the factor 1. Scaling makes all values of a constant column 0, or nearly 0 if its mean is rounded. */
gemp_code gemp_som_scale_find(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *vectors)
{
	const uint32_t dims = vectors->dims;
	GEMP_OWNED_BY(gemp_som_column_stats_free) gemp_som_column_stats columns = { 0 };
	GEMP_OWNED double *deviation = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(deviation, dims)));
	GEMP_TRY(gemp_som_column_stats_new(&columns, comm, vectors->x, vectors->count, dims));
	for (uint32_t c = 0; c < dims; c++) {
		map->offset[c] = 0;
		map->factor[c] = 1;
	}
	if (map->scaling == GEMP_SOM_SCALE_NONE) {
		warn_if_far(map, &columns);
		return GEMP_OK;
	}
	GEMP_TRY(gemp_som_column_stats_deviation(&columns, comm, vectors->x, vectors->count, deviation));
	for (uint32_t c = 0; c < dims; c++) {
		double width = map->scaling == GEMP_SOM_SCALE_UNIT ? columns.max[c] - columns.min[c] : deviation[c];
		map->offset[c] = map->scaling == GEMP_SOM_SCALE_UNIT ? columns.min[c] : columns.mean[c];
		if (width > 0 && isfinite(width))
			map->factor[c] = 1 / width;
	}
	return GEMP_OK;
}

/* Local. Scales the rows in place. *max becomes the largest magnitude. first_row: the number of this rank's first row,
 * for messages. The limit of magnitudes keeps squares of distances within floats, even for units that lie beyond the
 * data. */
static gemp_code scale_rows(const gemp_som_map *map, uint64_t first_row, const char *place, gemp_vectors *vectors,
                            double *max)
{
	const double max_value = sqrt((double)FLT_MAX / (64. * vectors->dims));
	for (size_t i = 0; i < vectors->count; i++)
		for (uint32_t c = 0; c < vectors->dims; c++) {
			float *value = &vectors->x[i * vectors->dims + c];
			const double scaled = ((double)*value - map->offset[c]) * map->factor[c];
			if (fabs(scaled) > max_value)
				return gemp_fail(GEMP_EDATA,
				                 "%s: row %" PRIu64 " (from 0), '%s': %g%s exceeds the limit of "
				                 "distances in floats, %.3g; leave it out, or train with scale unit or standard",
				                 place, first_row + i, map->names[c], scaled, map->scaling ? ", as scaled," : "",
				                 max_value);
			*max = fmax(*max, fabs(scaled)); /* fmax ignores a NaN */
			*value = (float)scaled;
		}
	return GEMP_OK;
}

/* Collective. Squares of differences must neither overflow nor become 0 in floats. Too large values are an error. If
 * all values are too small, the user is warned. */
gemp_code gemp_som_scale_apply(const gemp_som_map *map, const gemp_comm *comm, const char *place, gemp_vectors *vectors)
{
	static const double min_square_root = 1e-15; /* the square of a smaller difference is not a normal float */
	double max = 0;
	const uint64_t first_row = gemp_comm_exscan(comm, vectors->count);
	GEMP_TRY(gemp_comm_agree(comm, scale_rows(map, first_row, place, vectors, &max)));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &max, 1, MPI_DOUBLE, MPI_MAX, comm->world));
	if (max > 0 && max < min_square_root && map->metric != GEMP_SOM_MANHATTAN)
		gemp_warn("%s: no value exceeds %g, whose square is too small for floats; train with scale unit or standard",
		          place, max);
	return GEMP_OK;
}

void gemp_som_unit_list_free(gemp_som_unit_list *units)
{
	gemp_free_all(units->unit, units->second, units->distance);
	*units = (gemp_som_unit_list){ 0 };
}

gemp_code gemp_som_unit_list_new(gemp_som_unit_list *out, const gemp_comm *comm, size_t count)
{
	*out = (gemp_som_unit_list){ 0 };
	gemp_code code = gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(out->unit, count), GEMP_ARRAY(out->second, count),
	                                                    GEMP_ARRAY(out->distance, count)));
	if (code != GEMP_OK)
		gemp_som_unit_list_free(out);
	return code;
}

/* Collective. After a failure the list is {0} on all ranks, since gemp_som_apply agrees on the failure. */
gemp_code gemp_som_unit_list_find(gemp_som_unit_list *out, const gemp_runtime *context, const gemp_som_map *map,
                                  const gemp_vectors *vectors)
{
	const gemp_som_grid grid = gemp_som_grid_of(map);
	GEMP_TRY(gemp_som_unit_list_new(out, context->comm, vectors->count));
	gemp_code code = gemp_som_apply(context->comm, context->device, &grid, (gemp_som_metric)map->metric, map->codebook,
	                                vectors->x, vectors->count, vectors->dims, out->unit, out->distance, out->second,
	                                &out->seconds);
	if (code != GEMP_OK)
		gemp_som_unit_list_free(out);
	return code;
}

enum { X = 1, Y, DISTANCE, SECOND };
const char *const gemp_som_unit_columns[GEMP_SOM_UNIT_COLUMNS] = { "unit", "x", "y", "distance", "second" };

/* Local. A vector without a unit gets NULL in all columns. The padding first marks all rows as NULL. A column in which
 * all values are set loses its marks. */
gemp_code gemp_som_unit_list_add(gemp_table *table, const gemp_som_unit_list *units, const gemp_som_map *map,
                                 size_t rows, bool with_second)
{
	gemp_column *column;
	table->rows = rows;
	for (int c = 0; c < (with_second ? GEMP_SOM_UNIT_COLUMNS : GEMP_SOM_MAP_COLUMNS); c++) {
		GEMP_TRY(gemp_table_add(table, gemp_som_unit_columns[c], c == DISTANCE ? GEMP_FLOAT : GEMP_INTEGER, &column));
		GEMP_TRY(gemp_column_pad(column, rows));
		for (size_t row = 0; row < rows; row++) {
			const uint32_t unit = c == SECOND ? units->second[row] : units->unit[row];
			if (unit == GEMP_SOM_NO_UNIT)
				continue;
			if (c == DISTANCE)
				column->floats[row] = (double)units->distance[row];
			else
				column->integers[row] = c == X ? unit % map->columns : c == Y ? unit / map->columns : unit;
			column->null[row] = 0;
		}
		gemp_column_trim_nulls(column);
	}
	return GEMP_OK;
}

/* The side is rounded up to a whole number, and an odd number to the next even number. */
uint32_t gemp_som_default_side(uint64_t vectors)
{
	const double side = ceil(sqrt(5 * sqrt((double)vectors)));
	return (uint32_t)(side < 2 ? 2 : side) + ((uint32_t)side & 1);
}

double gemp_som_default_radius(const gemp_som_map *map)
{
	return fmax(map->radius_end, (map->rows > map->columns ? map->rows : map->columns) / 2.);
}

/* Local. map->epoch is the number of finished epochs, so the training of a stored map continues with the next epoch. */
gemp_som_training gemp_som_training_of(const gemp_som_map *map)
{
	return (gemp_som_training){
		.grid = gemp_som_grid_of(map),
		.metric = (gemp_som_metric)map->metric,
		.neighbourhood = (gemp_som_neighbourhood)map->neighbourhood,
		.online = map->training == 1,
		.exponential = map->cooling == 1,
		.epochs = (uint32_t)map->epochs,
		.from = (uint32_t)map->epoch,
		.radius = map->radius,
		.radius_end = map->radius_end,
		.rate = map->rate,
		.rate_end = map->rate_end,
	};
}

/* The first codebook does not depend on the number of ranks, as som/init/init_codebook.h explains. */
gemp_code gemp_som_map_start(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *v)
{
	const gemp_som_grid grid = gemp_som_grid_of(map);
	if (map->start == GEMP_SOM_START_RANDOM)
		return gemp_som_init_random(comm, &grid, v->x, v->count, v->dims, map->seed, map->codebook);
	if (map->start == GEMP_SOM_START_SAMPLES)
		return gemp_som_init_samples(comm, &grid, v->x, v->count, v->dims, map->seed, map->codebook);
	return gemp_som_init_pca(comm, &grid, v->x, v->count, v->dims, map->codebook);
}

/* `hits` is allocated here. A file that has hits is the file of a finished map. */
gemp_code gemp_som_map_measure(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *v,
                               const gemp_som_unit_list *units)
{
	const gemp_som_grid grid = gemp_som_grid_of(map);
	gemp_free(map->hits);
	map->hits = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(map->hits, gemp_som_units(&grid))));
	gemp_som_errors(comm, &grid, (gemp_som_metric)map->metric, map->codebook, v->x, v->count, v->dims, units->unit,
	                units->second, &map->quantisation, &map->topographic);
	gemp_som_hits(comm, &grid, units->unit, v->count, map->hits);
	return GEMP_OK;
}

/* All ranks have equal codebooks, and each computes the U-matrix. Rank 0 writes the file. */
gemp_code gemp_som_map_save(gemp_som_map *map, const gemp_comm *comm, const char *path)
{
	const gemp_som_grid grid = gemp_som_grid_of(map);
	const size_t units = gemp_som_units(&grid);
	GEMP_OWNED double *distances = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(distances, units)));
	gemp_som_umatrix(&grid, map->codebook, map->dims, distances);
	for (size_t u = 0; u < units; u++)
		map->umatrix[u] = (float)distances[u];
	return gemp_som_file_write(map, comm, path);
}
