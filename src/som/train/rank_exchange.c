#include "som/train/rank_exchange.h"

#include "core/limits.h"
#include "core/memory.h"

#include <string.h>

static size_t key_bytes(const gemp_som_replicas_need *need)
{
	return need->samples * sizeof(uint64_t);
}

/* Numbers of bytes are doubles, as the bytes of all epochs may exceed 64 bits. */
bool gemp_som_replicas_pay(const gemp_som_replicas_need *need)
{
	const double replicas = (double)(need->samples * need->dims * sizeof(float)),
				 keys = (double)key_bytes(need) * need->weight;
	return replicas + need->epochs * keys < need->epochs * (double)(need->planes * sizeof(float));
}

/* A quarter of the free memory is left for buffers that other parts of the training allocate later. */
bool gemp_som_replicas_fit(const gemp_device *device, const gemp_som_replicas_need *need)
{
	const size_t taken = device->buffer_bytes + need->spare, left = device->memory > taken ? device->memory - taken : 0;
	const size_t values = need->samples * need->dims * sizeof(float);
	return need->samples < INT32_MAX && need->planes < INT32_MAX && values <= device->max_buffer &&
	       key_bytes(need) <= device->max_buffer &&
	       need->samples * gemp_som_sample_bytes(need->dims, need->missing) + key_bytes(need) <= left - left / 4;
}

/* Collective. Each rank broadcasts its samples in chunks of rows. The host does not keep the samples of other ranks. */
static gemp_code broadcast_samples(gemp_som_replicas *replicas, const gemp_comm *comm, const float *x, float *block,
                                   size_t rows)
{
	gemp_code code = GEMP_OK;
	const uint32_t dims = replicas->samples.dims;
	for (int rank = 0; rank < comm->size; rank++)
		for (size_t at = 0, count = (size_t)replicas->count[rank]; at < count; at += rows) {
			const size_t part = count - at < rows ? count - at : rows;
			if (rank == comm->rank)
				memcpy(block, x + at * dims, part * dims * sizeof *block);
			GEMP_MPI(MPI_Bcast(block, (int)(part * dims), MPI_FLOAT, rank, comm->world));
			GEMP_THEN(gemp_som_samples_put(&replicas->samples, block, (size_t)replicas->begin[rank] + at, part, NULL));
		}
	return code;
}

/* Local. Allocates memory for all ranks' samples on this rank's device. */
static gemp_code allocate(gemp_som_replicas *replicas, const gemp_comm *comm, gemp_device *device,
                          const gemp_som_replicas_need *need, float **block, size_t rows)
{
	const size_t ranks = (size_t)comm->size;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(replicas->count, ranks), GEMP_ARRAY(replicas->begin, ranks),
	                      GEMP_ARRAY(replicas->keys, need->samples), GEMP_ARRAY(*block, rows * need->dims)));
	GEMP_TRY(gemp_som_samples_reserve(&replicas->samples, device, need->samples, need->dims, need->missing));
	GEMP_TRY(gemp_buffer_new(&replicas->best, device, key_bytes(need), NULL));
	replicas->samples.count = need->samples;
	return GEMP_OK;
}

/* Collective. The counts are exchanged first, as they give the places of the samples. Then the ranks send their samples
 * one after the other. */
gemp_code gemp_som_replicas_new(gemp_som_replicas *out, const gemp_comm *comm, gemp_device *device,
                                const gemp_som_replicas_need *need, const float *x, size_t count)
{
	const size_t row = need->dims * sizeof(float), chunk = gemp_limits_now()->som_replicas_chunk;
	const size_t max_rows = row < chunk ? chunk / row : 1;
	const size_t rows = need->samples < max_rows ? need->samples : max_rows;
	const int mine = (int)count;
	GEMP_OWNED float *block = NULL;
	*out = (gemp_som_replicas){ .device = device };
	GEMP_TRY(gemp_comm_agree(comm, allocate(out, comm, device, need, &block, rows)));
	GEMP_MPI(MPI_Allgather(&mine, 1, MPI_INT, out->count, 1, MPI_INT, comm->world));
	for (int rank = 1; rank < comm->size; rank++)
		out->begin[rank] = out->begin[rank - 1] + out->count[rank - 1];
	return gemp_comm_agree(comm, broadcast_samples(out, comm, x, block, rows));
}

void gemp_som_replicas_free(gemp_som_replicas *replicas)
{
	if (!replicas->device)
		return;
	gemp_buffer_free(&replicas->best, replicas->device);
	gemp_som_samples_free(&replicas->samples);
	gemp_free_all(replicas->keys, replicas->count, replicas->begin);
	*replicas = (gemp_som_replicas){ 0 };
}

/* Local. Reads the keys of this rank's samples to their place among the keys of all ranks. */
gemp_code gemp_som_replicas_read(gemp_som_replicas *replicas, const gemp_comm *comm, const gemp_buffer *best)
{
	const size_t count = (size_t)replicas->count[comm->rank];
	return gemp_buffer_read(replicas->device, best, 0, count * sizeof *replicas->keys,
	                        replicas->keys + replicas->begin[comm->rank]);
}

/* Collective. Gathers in place, as every rank has written its own part. */
void gemp_som_replicas_gather(gemp_som_replicas *replicas, const gemp_comm *comm)
{
	GEMP_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, replicas->keys, replicas->count, replicas->begin,
	                        MPI_UINT64_T, comm->world));
}

/* Local. Writes the keys of all ranks' samples to this rank's device. */
gemp_code gemp_som_replicas_write(const gemp_som_replicas *replicas)
{
	return gemp_buffer_write(replicas->device, &replicas->best, 0, replicas->samples.count * sizeof *replicas->keys,
	                         replicas->keys);
}

/* Rows of the map are distributed evenly, in the order of ranks. On a small map a rank may have no rows. */
static gemp_som_rows rows_of(const gemp_som_slices *slices, int rank)
{
	const uint64_t rows = slices->grid.rows, ranks = (uint64_t)slices->comm->size, at = (uint64_t)rank;
	return (gemp_som_rows){ (uint32_t)(rows * at / ranks), (uint32_t)(rows * (at + 1) / ranks) };
}

gemp_som_rows gemp_som_slices_own(const gemp_som_slices *slices)
{
	return rows_of(slices, slices->comm->rank);
}

/* MPI takes offsets as ints, so planes * units must be less than 2^31. */
gemp_code gemp_som_slices_new(gemp_som_slices *out, const gemp_comm *comm, const gemp_som_grid *grid, uint32_t planes)
{
	*out = (gemp_som_slices){ .comm = comm, .grid = *grid, .planes = planes };
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->count, (size_t)comm->size), GEMP_ARRAY(out->begin, (size_t)comm->size)));
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

/* The rectangle of a rank's rows in the form that OpenCL takes: origins in the planes of the device and on the host,
 * size, and bytes of a plane. */
typedef struct row_region {
	size_t device_origin[3], host_origin[3], region[3], pitch;
} row_region;

/* On the device the rows of a rank are a part of each plane. On the host they are contiguous, plane by plane, as
 * MPI_Allgatherv needs a contiguous array from each rank. */
static row_region region_of(const gemp_som_slices *slices, int rank)
{
	const gemp_som_rows rows = rows_of(slices, rank);
	const size_t row = slices->grid.columns * sizeof(float);
	return (row_region){
		{ rows.first * row, 0, 0 }, { 0 }, { (rows.end - rows.first) * row, slices->planes, 1 }, slices->grid.rows * row
	};
}

/* Local. The call returns after the kernels that make the planes have ended, as the queue is in order and CL_TRUE makes
 * the call wait for the copy. */
gemp_code gemp_som_slices_read(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes,
                               float *host)
{
	const row_region rows = region_of(slices, slices->comm->rank);
	if (rows.region[0] == 0)
		return GEMP_OK;
	return GEMP_CL(clEnqueueReadBufferRect(device->queue, planes->mem, CL_TRUE, rows.device_origin, rows.host_origin,
	                                       rows.region, rows.pitch, 0, rows.region[0], 0,
	                                       host + slices->begin[slices->comm->rank], 0, NULL, NULL));
}

/* Collective. Gathers in place, as every rank has read its own rows. */
void gemp_som_slices_gather(const gemp_som_slices *slices, float *host)
{
	GEMP_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, host, slices->count, slices->begin, MPI_FLOAT,
	                        slices->comm->world));
}

/* Local. Writes the rows of other ranks to this rank's device, which has the rank's own rows already. */
gemp_code gemp_som_slices_write(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes,
                                const float *host)
{
	for (int rank = 0; rank < slices->comm->size; rank++) {
		const row_region rows = region_of(slices, rank);
		if (rank == slices->comm->rank || rows.region[0] == 0)
			continue;
		GEMP_TRY(GEMP_CL(clEnqueueWriteBufferRect(device->queue, planes->mem, CL_FALSE, rows.device_origin,
		                                          rows.host_origin, rows.region, rows.pitch, 0, rows.region[0], 0,
		                                          host + slices->begin[rank], 0, NULL, NULL)));
	}
	return GEMP_OK;
}

/* Returns the number of planes of a batch. An online epoch replaces a unit `w` by the affine map `a` * w + b. Each
 * value has a plane of the summands `b`. If samples may lack values, each value also has a plane of the factors `a`;
 * otherwise all values share one plane of factors. */
static uint32_t planes_of(const gemp_som_compose *compose, uint32_t dims)
{
	return dims + (compose->missing ? dims : 1);
}

/* Returns the first unit of a batch of `units` units that a rank composes. */
static uint32_t first_of(const gemp_som_compose *compose, uint32_t units, int rank)
{
	return (uint32_t)((uint64_t)units * (uint64_t)rank / (uint64_t)compose->comm->size);
}

/* Units are composed in batches, which limits the size of the send and receive arrays. Each rank composes an equal
 * share of a batch, rounded down or up. The receive array gets one share from every rank, so it has space for one more
 * unit for each rank. */
gemp_code gemp_som_compose_new(gemp_som_compose *out, const gemp_comm *comm, uint32_t units, uint32_t dims,
                               bool missing)
{
	const size_t ranks = (size_t)comm->size;
	*out = (gemp_som_compose){ .comm = comm, .units = units, .missing = missing };
	const size_t planes = planes_of(out, dims), max_rows = gemp_limits_now()->som_compose_floats / planes;
	out->max_units = max_rows < 1 ? 1 : max_rows < units ? (uint32_t)max_rows : units;
	return gemp_new_all(GEMP_ARRAY(out->send, out->max_units * planes),
	                    GEMP_ARRAY(out->receive, (out->max_units + ranks) * planes), GEMP_ARRAY(out->count, ranks),
	                    GEMP_ARRAY(out->begin, ranks), GEMP_ARRAY(out->own, ranks), GEMP_ARRAY(out->place, ranks));
}

void gemp_som_compose_free(gemp_som_compose *compose)
{
	gemp_free_all(compose->send, compose->receive, compose->count, compose->begin, compose->own, compose->place);
	*compose = (gemp_som_compose){ 0 };
}

/* Copies units [first, first + batch) from planes to send[], where the units of each rank are contiguous. With `back`
 * it copies them from send[] to planes. count: the number of planes. */
static void pack(const gemp_som_compose *compose, float *planes, uint32_t count, uint32_t first, uint32_t batch,
                 bool back)
{
	for (int rank = 0; rank < compose->comm->size; rank++) {
		const uint32_t from = first_of(compose, batch, rank), own_units = first_of(compose, batch, rank + 1) - from;
		float *block = compose->send + (size_t)from * count;
		for (size_t k = 0; k < count; k++) {
			float *plane = planes + k * compose->units + first + from;
			memcpy(back ? plane : block + k * own_units, back ? block + k * own_units : plane,
			       own_units * sizeof *plane);
		}
	}
}

/* The epochs of two ranks, one after the other, replace a unit w by a2 * (a1 * w + b1) + b2. `earlier` becomes this
 * map. Both arrays have the summands and then the factors, for own_units units in each plane. */
static void compose_onto(const gemp_som_compose *compose, float *restrict earlier, const float *restrict later,
                         size_t dims, size_t own_units)
{
	const float *factors = later + dims * own_units;
	for (size_t k = 0; k < dims; k++)
		for (size_t i = 0; i < own_units; i++)
			earlier[k * own_units + i] = factors[(compose->missing ? k * own_units : 0) + i] *
			                                 earlier[k * own_units + i] +
			                             later[k * own_units + i];
	for (size_t i = 0; i < (compose->missing ? dims : 1) * own_units; i++)
		earlier[dims * own_units + i] *= factors[i];
}

/* Each rank receives the maps of its units from all ranks and composes them in the order of ranks. Then all ranks
 * gather the results. This is an allreduce of an operation that does not commute. */
void gemp_som_compose_run(const gemp_som_compose *compose, float *planes, uint32_t dims)
{
	const uint32_t count = planes_of(compose, dims);
	const int ranks = compose->comm->size, own = compose->comm->rank;
	for (uint32_t first = 0, batch; first < compose->units; first += batch) {
		batch = compose->units - first < compose->max_units ? compose->units - first : compose->max_units;
		const uint32_t own_units = first_of(compose, batch, own + 1) - first_of(compose, batch, own);
		for (int rank = 0; rank < ranks; rank++) {
			compose->begin[rank] = (int)(first_of(compose, batch, rank) * count);
			compose->count[rank] = (int)(first_of(compose, batch, rank + 1) * count) - compose->begin[rank];
			compose->own[rank] = (int)(own_units * count);
			compose->place[rank] = (int)((uint32_t)rank * own_units * count);
		}
		pack(compose, planes, count, first, batch, false);
		GEMP_MPI(MPI_Alltoallv(compose->send, compose->count, compose->begin, MPI_FLOAT, compose->receive, compose->own,
		                       compose->place, MPI_FLOAT, compose->comm->world));
		for (int rank = 1; rank < ranks; rank++)
			compose_onto(compose, compose->receive, compose->receive + compose->place[rank], dims, own_units);
		GEMP_MPI(MPI_Allgatherv(compose->receive, (int)(own_units * count), MPI_FLOAT, compose->send, compose->count,
		                        compose->begin, MPI_FLOAT, compose->comm->world));
		pack(compose, planes, count, first, batch, true);
	}
}
