#include "som/copies.h"

#include "core/memory.h"

#include <string.h>

size_t gemp_som_copies_block = 8 << 20;

static size_t key_bytes(const gemp_som_copies_need *need)
{
	return need->samples * sizeof(uint64_t);
}

bool gemp_som_copies_pay(const gemp_som_copies_need *need)
{
	const double copies = (double)(need->samples * need->dims * sizeof(float)), keys = (double)key_bytes(need) * need->weight;
	return copies + need->epochs * keys < need->epochs * (double)(need->planes * sizeof(float));
}

bool gemp_som_copies_fit(const gemp_device *device, const gemp_som_copies_need *need)
{
	const size_t taken = device->held + need->spare, left = device->memory > taken ? device->memory - taken : 0;
	const size_t values = need->samples * need->dims * sizeof(float);
	return need->samples < INT32_MAX && need->planes < INT32_MAX && values <= device->largest && key_bytes(need) <= device->largest &&
	       need->samples * gemp_som_sample_bytes(need->dims, need->missing) + key_bytes(need) <= left - left / 4;
}

/* Collective. In blocks of rows, so that the host keeps none of them. */
static gemp_code spread(gemp_som_copies *it, const gemp_comm *comm, const float *x, float *block, size_t rows)
{
	gemp_code code = GEMP_OK;
	const uint32_t dims = it->samples.dims;
	for (int rank = 0; rank < comm->size; rank++)
		for (size_t at = 0, count = (size_t)it->count[rank]; at < count; at += rows) {
			const size_t here = count - at < rows ? count - at : rows;
			if (rank == comm->rank)
				memcpy(block, x + at * dims, here * dims * sizeof *block);
			GEMP_MPI(MPI_Bcast(block, (int)(here * dims), MPI_FLOAT, rank, comm->world));
			if (code == GEMP_OK)
				code = gemp_som_samples_put(&it->samples, block, (size_t)it->begin[rank] + at, here, NULL);
		}
	return code;
}

static gemp_code make_room(gemp_som_copies *it, const gemp_comm *comm, gemp_device *device, const gemp_som_copies_need *need,
                           float **block, size_t rows)
{
	gemp_code code = GEMP_OK;
	const size_t keys = need->samples ? need->samples : 1;
	GEMP_TRY(GEMP_NEW(it->count, (size_t)comm->size));
	GEMP_TRY(GEMP_NEW(it->begin, (size_t)comm->size));
	GEMP_TRY(GEMP_NEW(it->keys, keys));
	GEMP_TRY(GEMP_NEW(*block, rows * need->dims));
	GEMP_TRY(gemp_som_samples_room(&it->samples, device, need->samples, need->dims, need->missing));
	GEMP_TRY(gemp_buffer_new(&it->best, device, keys * sizeof *it->keys, NULL));
	it->samples.count = need->samples;
done:
	return code;
}

gemp_code gemp_som_copies_new(gemp_som_copies *out, const gemp_comm *comm, gemp_device *device, const gemp_som_copies_need *need,
                              const float *x, size_t count)
{
	gemp_code code = GEMP_OK;
	const size_t row = need->dims * sizeof(float), most = row < gemp_som_copies_block ? gemp_som_copies_block / row : 1;
	const size_t rows = need->samples < most ? need->samples : most;
	const int mine = (int)count;
	float *block = NULL;
	*out = (gemp_som_copies){ .device = device };
	GEMP_TRY(gemp_comm_agree(comm, make_room(out, comm, device, need, &block, rows)));
	GEMP_MPI(MPI_Allgather(&mine, 1, MPI_INT, out->count, 1, MPI_INT, comm->world));
	for (int rank = 1; rank < comm->size; rank++)
		out->begin[rank] = out->begin[rank - 1] + out->count[rank - 1];
	code = gemp_comm_agree(comm, spread(out, comm, x, block, rows));
done:
	gemp_free(block);
	return code;
}

void gemp_som_copies_free(gemp_som_copies *copies)
{
	if (!copies->device)
		return;
	gemp_buffer_free(&copies->best, copies->device);
	gemp_som_samples_free(&copies->samples);
	gemp_free(copies->keys);
	gemp_free(copies->count);
	gemp_free(copies->begin);
	*copies = (gemp_som_copies){ 0 };
}

gemp_code gemp_som_copies_read(gemp_som_copies *copies, const gemp_comm *comm, const gemp_buffer *best)
{
	const size_t count = (size_t)copies->count[comm->rank];
	return gemp_buffer_read(copies->device, best, 0, count * sizeof *copies->keys, copies->keys + copies->begin[comm->rank]);
}

void gemp_som_copies_meet(gemp_som_copies *copies, const gemp_comm *comm)
{
	GEMP_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, copies->keys, copies->count, copies->begin, MPI_UINT64_T,
	                        comm->world));
}

gemp_code gemp_som_copies_write(const gemp_som_copies *copies)
{
	return gemp_buffer_write(copies->device, &copies->best, 0, copies->samples.count * sizeof *copies->keys, copies->keys);
}
