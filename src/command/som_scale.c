#include "command/som.h"

#include "core/log.h"
#include "core/memory.h"
#include "io/share.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

gemp_som_grid gemp_som_grid_of(const gemp_som_map *map)
{
	return (gemp_som_grid){ .rows = map->rows, .columns = map->columns, .lattice = (gemp_som_lattice)map->grid,
	                        .toroid = map->topology == 1 };
}

double gemp_som_value(const gemp_som_map *map, uint32_t unit, uint32_t column)
{
	return (double)map->codebook[(size_t)unit * map->dims + column] / map->factor[column] + map->offset[column];
}

/* Collective. Of all ranks' vectors, [dims] each; sums and counts are 0 before. */
static void look(const gemp_comm *comm, const gemp_vectors *v, double *least, double *greatest, double *sum,
                 double *count)
{
	const int dims = (int)v->dims;
	for (int c = 0; c < dims; c++) {
		least[c] = DBL_MAX;
		greatest[c] = -DBL_MAX;
	}
	for (size_t i = 0; i < v->count; i++)
		for (int c = 0; c < dims; c++) {
			double value = (double)v->x[i * v->dims + (size_t)c];
			if (isnan(value))
				continue;
			least[c] = fmin(least[c], value);
			greatest[c] = fmax(greatest[c], value);
			sum[c] += value;
			count[c]++;
		}
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, least, dims, MPI_DOUBLE, MPI_MIN, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, greatest, dims, MPI_DOUBLE, MPI_MAX, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sum, dims, MPI_DOUBLE, MPI_SUM, comm->world));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, count, dims, MPI_DOUBLE, MPI_SUM, comm->world));
}

/* Collective. squares[dims]: of the differences from the means. */
static void look_again(const gemp_comm *comm, const gemp_vectors *v, const double *mean, double *squares)
{
	for (size_t i = 0; i < v->count; i++)
		for (uint32_t c = 0; c < v->dims; c++) {
			double apart = (double)v->x[i * v->dims + c] - mean[c];
			squares[c] += isnan(apart) ? 0 : apart * apart;
		}
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, squares, (int)v->dims, MPI_DOUBLE, MPI_SUM, comm->world));
}

/* Best units are found by |w|^2 - 2 x.w, whose rounding is larger there than vectors are apart. */
static void warn_of_far(const gemp_som_map *map, const double *least, const double *greatest, const double *mean)
{
	double far = 0, wide = 0;
	uint32_t most = 0;
	for (uint32_t c = 0; c < map->dims; c++) {
		const double width = greatest[c] > least[c] ? greatest[c] - least[c] : 0;
		far += mean[c] * mean[c];
		wide += width * width;
		most = fabs(mean[c]) > fabs(mean[most]) ? c : most;
	}
	if (map->metric == GEMP_SOM_EUCLIDEAN && wide > 0 && far > 1e4 * wide)
		gemp_warn("column '%s' lies around %g, far from 0 for how little vectors differ: floats hardly tell them "
		          "apart; take --scale standard", map->names[most], mean[most]);
}

gemp_code gemp_som_scale_find(gemp_som_map *map, const gemp_comm *comm, const gemp_vectors *vectors)
{
	enum { NONE, UNIT };
	gemp_code code = GEMP_OK;
	const uint32_t dims = vectors->dims;
	double *room = NULL;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(room, 5 * (size_t)dims)));
	double *least = room, *greatest = least + dims, *sum = greatest + dims;
	double *count = sum + dims, *squares = count + dims;
	look(comm, vectors, least, greatest, sum, count);
	for (uint32_t c = 0; c < dims; c++) {
		map->offset[c] = 0;
		map->factor[c] = 1;
		sum[c] = count[c] > 0 ? sum[c] / count[c] : 0;
	}
	if (map->scaling == NONE) {
		warn_of_far(map, least, greatest, sum);
		goto done;
	}
	look_again(comm, vectors, sum, squares);
	for (uint32_t c = 0; c < dims; c++) {
		double width = map->scaling == UNIT ? greatest[c] - least[c] : sqrt(squares[c] / count[c]);
		if (count[c] > 0)
			map->offset[c] = map->scaling == UNIT ? least[c] : sum[c];
		if (width > 0 && isfinite(width)) /* else all values are alike, and become 0 */
			map->factor[c] = 1 / width;
	}
done:
	gemp_free(room);
	return code;
}

/* Local. The greatest value, whatever its sign. */
static gemp_code scale(const gemp_som_map *map, const gemp_comm *comm, const char *place, gemp_vectors *vectors,
                       double *greatest)
{
	const double most = sqrt((double)FLT_MAX / (64. * vectors->dims)); /* of units beyond the data, too */
	for (size_t i = 0; i < vectors->count; i++)
		for (uint32_t c = 0; c < vectors->dims; c++) {
			float *value = &vectors->x[i * vectors->dims + c];
			const double scaled = ((double)*value - map->offset[c]) * map->factor[c];
			if (fabs(scaled) > most)
				return gemp_fail(GEMP_EDATA, "%s: row %" PRIu64 " (from 0), '%s': %g%s is more than distances in "
				                 "floats allow, %.3g; leave it out, or train with --scale unit or standard", place,
				                 gemp_share(comm, vectors->all).begin + i, map->names[c], scaled,
				                 map->scaling ? ", as scaled," : "", most);
			*greatest = fmax(*greatest, fabs(scaled)); /* not NaN */
			*value = (float)scaled;
		}
	return GEMP_OK;
}

gemp_code gemp_som_scale_apply(const gemp_som_map *map, const gemp_comm *comm, const char *place,
                               gemp_vectors *vectors)
{
	static const double few = 1e-15; /* squares of differences are to be more than the least float */
	gemp_code code = GEMP_OK;
	double greatest = 0;
	GEMP_TRY(gemp_comm_agree(comm, scale(map, comm, place, vectors, &greatest)));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_DOUBLE, MPI_MAX, comm->world));
	if (greatest > 0 && greatest < few && map->metric != GEMP_SOM_MANHATTAN)
		gemp_warn("%s: no value is more than %g, and floats lose their squares; train with --scale unit or standard",
		          place, greatest);
done:
	return code;
}
