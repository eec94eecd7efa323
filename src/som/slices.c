#include "som/slices.h"

#include "core/memory.h"

static gemp_som_rows rows_of(const gemp_som_slices *slices, int rank)
{
	const uint64_t rows = slices->grid.rows, ranks = (uint64_t)slices->comm->size, at = (uint64_t)rank;
	return (gemp_som_rows){ (uint32_t)(rows * at / ranks), (uint32_t)(rows * (at + 1) / ranks) };
}

gemp_som_rows gemp_som_slices_mine(const gemp_som_slices *slices)
{
	return rows_of(slices, slices->comm->rank);
}

gemp_code gemp_som_slices_new(gemp_som_slices *out, const gemp_comm *comm, const gemp_som_grid *grid, uint32_t planes)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_som_slices){ .comm = comm, .grid = *grid, .planes = planes };
	GEMP_TRY(GEMP_NEW(out->count, (size_t)comm->size));
	GEMP_TRY(GEMP_NEW(out->begin, (size_t)comm->size));
	for (int rank = 0; rank < comm->size; rank++) {
		const gemp_som_rows rows = rows_of(out, rank);
		out->begin[rank] = (int)(rows.first * grid->columns * planes);
		out->count[rank] = (int)((rows.end - rows.first) * grid->columns * planes);
	}
done:
	return code;
}

void gemp_som_slices_free(gemp_som_slices *slices)
{
	gemp_free(slices->count);
	gemp_free(slices->begin);
	*slices = (gemp_som_slices){ 0 };
}

/* Where a rank's rows are in planes, and in what leaves them. */
typedef struct corner {
	size_t there[3], here[3], region[3], pitch;
} corner;

static corner corner_of(const gemp_som_slices *slices, int rank)
{
	const gemp_som_rows rows = rows_of(slices, rank);
	const size_t row = slices->grid.columns * sizeof(float);
	return (corner){ { rows.first * row, 0, 0 }, { 0 }, { (rows.end - rows.first) * row, slices->planes, 1 },
		slices->grid.rows * row };
}

gemp_code gemp_som_slices_read(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes, float *host)
{
	const corner c = corner_of(slices, slices->comm->rank);
	if (c.region[0] == 0)
		return GEMP_OK;
	return GEMP_CL(clEnqueueReadBufferRect(device->queue, planes->mem, CL_TRUE, c.there, c.here, c.region, c.pitch, 0,
	                                       c.region[0], 0, host + slices->begin[slices->comm->rank], 0, NULL, NULL));
}

void gemp_som_slices_meet(const gemp_som_slices *slices, float *host)
{
	GEMP_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, host, slices->count, slices->begin, MPI_FLOAT,
	                        slices->comm->world));
}

gemp_code gemp_som_slices_write(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes, const float *host)
{
	gemp_code code = GEMP_OK;
	for (int rank = 0; rank < slices->comm->size; rank++) {
		const corner c = corner_of(slices, rank);
		if (rank == slices->comm->rank || c.region[0] == 0)
			continue;
		GEMP_TRY(GEMP_CL(clEnqueueWriteBufferRect(device->queue, planes->mem, CL_FALSE, c.there, c.here, c.region, c.pitch, 0,
		                                          c.region[0], 0, host + slices->begin[rank], 0, NULL, NULL)));
	}
done:
	return code;
}
