#include "som/train/rank_exchange.h"

#include "core/memory.h"

#include <string.h>

size_t gemp_som_replicas_chunk = 8 << 20;

static size_t key_bytes(const gemp_som_replicas_need *need)
{
	return need->samples * sizeof(uint64_t);
}

bool gemp_som_replicas_pay(const gemp_som_replicas_need *need)
{
	const double copies = (double)(need->samples * need->dims * sizeof(float)),
				 keys = (double)key_bytes(need) * need->weight;
	return copies + need->epochs * keys < need->epochs * (double)(need->planes * sizeof(float));
}

bool gemp_som_replicas_fit(const gemp_device *device, const gemp_som_replicas_need *need)
{
	const size_t taken = device->buffer_bytes + need->spare, left = device->memory > taken ? device->memory - taken : 0;
	const size_t values = need->samples * need->dims * sizeof(float);
	return need->samples < INT32_MAX && need->planes < INT32_MAX && values <= device->max_buffer &&
	       key_bytes(need) <= device->max_buffer &&
	       need->samples * gemp_som_sample_bytes(need->dims, need->missing) + key_bytes(need) <= left - left / 4;
}

/* Collective. In blocks of rows, so that the host keeps none of them. */
static gemp_code spread(gemp_som_replicas *it, const gemp_comm *comm, const float *x, float *block, size_t rows)
{
	gemp_code code = GEMP_OK;
	const uint32_t dims = it->samples.dims;
	for (int rank = 0; rank < comm->size; rank++)
		for (size_t at = 0, count = (size_t)it->count[rank]; at < count; at += rows) {
			const size_t here = count - at < rows ? count - at : rows;
			if (rank == comm->rank)
				memcpy(block, x + at * dims, here * dims * sizeof *block);
			GEMP_MPI(MPI_Bcast(block, (int)(here * dims), MPI_FLOAT, rank, comm->world));
			GEMP_THEN(gemp_som_samples_put(&it->samples, block, (size_t)it->begin[rank] + at, here, NULL));
		}
	return code;
}

static gemp_code make_room(gemp_som_replicas *it, const gemp_comm *comm, gemp_device *device,
                           const gemp_som_replicas_need *need, float **block, size_t rows)
{
	const size_t keys = need->samples ? need->samples : 1;
	GEMP_PROPAGATE(GEMP_NEW(it->count, (size_t)comm->size));
	GEMP_PROPAGATE(GEMP_NEW(it->begin, (size_t)comm->size));
	GEMP_PROPAGATE(GEMP_NEW(it->keys, keys));
	GEMP_PROPAGATE(GEMP_NEW(*block, rows * need->dims));
	GEMP_PROPAGATE(gemp_som_samples_reserve(&it->samples, device, need->samples, need->dims, need->missing));
	GEMP_PROPAGATE(gemp_buffer_new(&it->best, device, keys * sizeof *it->keys, NULL));
	it->samples.count = need->samples;
	return GEMP_OK;
}

gemp_code gemp_som_replicas_new(gemp_som_replicas *out, const gemp_comm *comm, gemp_device *device,
                                const gemp_som_replicas_need *need, const float *x, size_t count)
{
	gemp_code code = GEMP_OK;
	const size_t row = need->dims * sizeof(float),
				 most = row < gemp_som_replicas_chunk ? gemp_som_replicas_chunk / row : 1;
	const size_t rows = need->samples < most ? need->samples : most;
	const int mine = (int)count;
	float *block = NULL;
	*out = (gemp_som_replicas){ .device = device };
	GEMP_TRY(gemp_comm_agree(comm, make_room(out, comm, device, need, &block, rows)));
	GEMP_MPI(MPI_Allgather(&mine, 1, MPI_INT, out->count, 1, MPI_INT, comm->world));
	for (int rank = 1; rank < comm->size; rank++)
		out->begin[rank] = out->begin[rank - 1] + out->count[rank - 1];
	code = gemp_comm_agree(comm, spread(out, comm, x, block, rows));
done:
	gemp_free(block);
	return code;
}

void gemp_som_replicas_free(gemp_som_replicas *copies)
{
	if (!copies->device)
		return;
	gemp_buffer_free(&copies->best, copies->device);
	gemp_som_samples_free(&copies->samples);
	gemp_free_all(copies->keys, copies->count, copies->begin);
	*copies = (gemp_som_replicas){ 0 };
}

gemp_code gemp_som_replicas_read(gemp_som_replicas *copies, const gemp_comm *comm, const gemp_buffer *best)
{
	const size_t count = (size_t)copies->count[comm->rank];
	return gemp_buffer_read(copies->device, best, 0, count * sizeof *copies->keys,
	                        copies->keys + copies->begin[comm->rank]);
}

void gemp_som_replicas_gather(gemp_som_replicas *copies, const gemp_comm *comm)
{
	GEMP_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, copies->keys, copies->count, copies->begin,
	                        MPI_UINT64_T, comm->world));
}

gemp_code gemp_som_replicas_write(const gemp_som_replicas *copies)
{
	return gemp_buffer_write(copies->device, &copies->best, 0, copies->samples.count * sizeof *copies->keys,
	                         copies->keys);
}

static gemp_som_rows rows_of(const gemp_som_slices *slices, int rank)
{
	const uint64_t rows = slices->grid.rows, ranks = (uint64_t)slices->comm->size, at = (uint64_t)rank;
	return (gemp_som_rows){ (uint32_t)(rows * at / ranks), (uint32_t)(rows * (at + 1) / ranks) };
}

gemp_som_rows gemp_som_slices_own(const gemp_som_slices *slices)
{
	return rows_of(slices, slices->comm->rank);
}

gemp_code gemp_som_slices_new(gemp_som_slices *out, const gemp_comm *comm, const gemp_som_grid *grid, uint32_t planes)
{
	*out = (gemp_som_slices){ .comm = comm, .grid = *grid, .planes = planes };
	GEMP_PROPAGATE(GEMP_NEW(out->count, (size_t)comm->size));
	GEMP_PROPAGATE(GEMP_NEW(out->begin, (size_t)comm->size));
	for (int rank = 0; rank < comm->size; rank++) {
		const gemp_som_rows rows = rows_of(out, rank);
		out->begin[rank] = (int)(rows.first * grid->columns * planes);
		out->count[rank] = (int)((rows.end - rows.first) * grid->columns * planes);
	}
	return GEMP_OK;
}

void gemp_som_slices_free(gemp_som_slices *slices)
{
	gemp_free_all(slices->count, slices->begin);
	*slices = (gemp_som_slices){ 0 };
}

/* Where a rank's rows are in planes, and in what leaves them. */
typedef struct corner {
	size_t there[3], here[3], region[3], pitch;
} corner;

static corner rect_of(const gemp_som_slices *slices, int rank)
{
	const gemp_som_rows rows = rows_of(slices, rank);
	const size_t row = slices->grid.columns * sizeof(float);
	return (corner){
		{ rows.first * row, 0, 0 }, { 0 }, { (rows.end - rows.first) * row, slices->planes, 1 }, slices->grid.rows * row
	};
}

gemp_code gemp_som_slices_read(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes,
                               float *host)
{
	const corner c = rect_of(slices, slices->comm->rank);
	if (c.region[0] == 0)
		return GEMP_OK;
	return GEMP_CL(clEnqueueReadBufferRect(device->queue, planes->mem, CL_TRUE, c.there, c.here, c.region, c.pitch, 0,
	                                       c.region[0], 0, host + slices->begin[slices->comm->rank], 0, NULL, NULL));
}

void gemp_som_slices_gather(const gemp_som_slices *slices, float *host)
{
	GEMP_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, host, slices->count, slices->begin, MPI_FLOAT,
	                        slices->comm->world));
}

gemp_code gemp_som_slices_write(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes,
                                const float *host)
{
	for (int rank = 0; rank < slices->comm->size; rank++) {
		const corner c = rect_of(slices, rank);
		if (rank == slices->comm->rank || c.region[0] == 0)
			continue;
		GEMP_PROPAGATE(
			GEMP_CL(clEnqueueWriteBufferRect(device->queue, planes->mem, CL_FALSE, c.there, c.here, c.region, c.pitch,
		                                     0, c.region[0], 0, host + slices->begin[rank], 0, NULL, NULL)));
	}
	return GEMP_OK;
}

size_t gemp_som_compose_floats = 1 << 26;

static uint32_t planes_of(const gemp_som_compose *c, uint32_t dims)
{
	return dims + (c->missing ? dims : 1);
}

/* Units of a rank, of so many: from the first of this one to the first of the next. */
static uint32_t first_of(const gemp_som_compose *c, uint32_t units, int rank)
{
	return (uint32_t)((uint64_t)units * (uint64_t)rank / (uint64_t)c->comm->size);
}

gemp_code gemp_som_compose_new(gemp_som_compose *out, const gemp_comm *comm, uint32_t units, uint32_t dims,
                               bool missing)
{
	const size_t ranks = (size_t)comm->size;
	*out = (gemp_som_compose){ .comm = comm, .units = units, .missing = missing };
	const size_t planes = planes_of(out, dims), most = gemp_som_compose_floats / planes;
	out->max_units = most < 1 ? 1 : most < units ? (uint32_t)most : units;
	GEMP_PROPAGATE(GEMP_NEW(out->send, out->max_units * planes));
	GEMP_PROPAGATE(GEMP_NEW(out->receive, (out->max_units + ranks) * planes)); /* a rank's units are rounded up */
	GEMP_PROPAGATE(GEMP_NEW(out->count, ranks));
	GEMP_PROPAGATE(GEMP_NEW(out->begin, ranks));
	GEMP_PROPAGATE(GEMP_NEW(out->own, ranks));
	return GEMP_NEW(out->place, ranks);
}

void gemp_som_compose_free(gemp_som_compose *compose)
{
	gemp_free_all(compose->send, compose->receive, compose->count, compose->begin, compose->own, compose->place);
	*compose = (gemp_som_compose){ 0 };
}

/* Between planes, of `here` units from `first` on, and blocks of ranks. */
static void pack(const gemp_som_compose *c, float *planes, uint32_t count, uint32_t first, uint32_t here, bool back)
{
	for (int rank = 0; rank < c->comm->size; rank++) {
		const uint32_t from = first_of(c, here, rank), some = first_of(c, here, rank + 1) - from;
		float *block = c->send + (size_t)from * count;
		for (size_t k = 0; k < count; k++) {
			float *plane = planes + k * c->units + first + from;
			memcpy(back ? plane : block + k * some, back ? block + k * some : plane, some * sizeof *plane);
		}
	}
}

/* b, then a, of `some` units each: what comes later on top of what was. */
static void put_on_top(const gemp_som_compose *c, float *restrict was, const float *restrict later, size_t dims,
                       size_t some)
{
	const float *factors = later + dims * some;
	for (size_t k = 0; k < dims; k++)
		for (size_t i = 0; i < some; i++)
			was[k * some + i] = factors[(c->missing ? k * some : 0) + i] * was[k * some + i] + later[k * some + i];
	for (size_t i = 0; i < (c->missing ? dims : 1) * some; i++)
		was[dims * some + i] *= factors[i];
}

void gemp_som_compose_run(const gemp_som_compose *c, float *planes, uint32_t dims)
{
	const uint32_t count = planes_of(c, dims);
	const int ranks = c->comm->size, own = c->comm->rank;
	for (uint32_t first = 0, here; first < c->units; first += here) {
		here = c->units - first < c->max_units ? c->units - first : c->max_units;
		const uint32_t some = first_of(c, here, own + 1) - first_of(c, here, own);
		for (int rank = 0; rank < ranks; rank++) {
			c->begin[rank] = (int)(first_of(c, here, rank) * count);
			c->count[rank] = (int)(first_of(c, here, rank + 1) * count) - c->begin[rank];
			c->own[rank] = (int)(some * count);
			c->place[rank] = (int)((uint32_t)rank * some * count);
		}
		pack(c, planes, count, first, here, false);
		GEMP_MPI(MPI_Alltoallv(c->send, c->count, c->begin, MPI_FLOAT, c->receive, c->own, c->place, MPI_FLOAT,
		                       c->comm->world));
		for (int rank = 1; rank < ranks; rank++)
			put_on_top(c, c->receive, c->receive + c->place[rank], dims, some);
		GEMP_MPI(MPI_Allgatherv(c->receive, (int)(some * count), MPI_FLOAT, c->send, c->count, c->begin, MPI_FLOAT,
		                        c->comm->world));
		pack(c, planes, count, first, here, true);
	}
}
