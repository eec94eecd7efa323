#include "som/map/apply.h"

#include "core/memory.h"
#include "core/timer.h"
#include "device/launch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Waits for the device, reads `count` keys into keys[count], which is scratch memory, and stores the unit of each key
 * in unit[count]. A sample without any value has the key GEMP_SOM_NO_KEY, whose unit is GEMP_SOM_NO_UNIT. */
static gemp_code read_units(gemp_device *device, const gemp_buffer *from, size_t count, uint64_t *keys, uint32_t *unit)
{
	GEMP_TRY(gemp_buffer_read(device, from, 0, count * sizeof *keys, keys));
	for (size_t i = 0; i < count; i++)
		unit[i] = gemp_som_key_unit(keys[i]);
	return GEMP_OK;
}

/* Searches one block and reads its results. distances: a device buffer with a float for each sample of a block. The
 * block is released before its results are read, so the next block is copied while the kernels of this block run. The
 * results stay valid, because the next block is copied to the other slot. */
static gemp_code find_block(gemp_som_blocks *blocks, gemp_som_block *block, gemp_som_search *search,
                            gemp_som_codebook *book, const gemp_buffer *distances, uint64_t *keys,
                            const gemp_som_places *places)
{
	gemp_device *device = blocks->device;
	const size_t count = block->samples.count, first = block->first;
	GEMP_TRY(gemp_som_search_run(search, &block->samples, book, &block->best, places->second ? &block->second : NULL));
	if (places->distance)
		GEMP_TRY(gemp_som_search_distances(search, &block->samples, book, &block->best, distances));
	GEMP_TRY(gemp_som_blocks_release(blocks, block));
	GEMP_TRY(read_units(device, &block->best, count, keys, places->unit + first));
	if (places->second)
		GEMP_TRY(read_units(device, &block->second, count, keys, places->second + first));
	if (places->distance)
		return gemp_buffer_read(device, distances, 0, count * sizeof(float), places->distance + first);
	return GEMP_OK;
}

/* Local. The samples are searched block by block, since all of them may not fit on the device. */
gemp_code gemp_som_places_find(const gemp_som_places *places, gemp_som_blocks *blocks, gemp_som_search *search,
                               gemp_som_codebook *book)
{
	gemp_code code = GEMP_OK;
	gemp_buffer distances = { 0 };
	GEMP_OWNED uint64_t *keys = NULL;
	const size_t capacity = gemp_min(blocks->each, blocks->samples);
	if (places->distance)
		GEMP_TRY_DONE(gemp_buffer_new(&distances, blocks->device, capacity * sizeof(float), NULL));
	GEMP_TRY_DONE(GEMP_NEW(keys, capacity));
	for (size_t p = 0; p < blocks->count; p++) {
		gemp_som_block *block;
		GEMP_TRY_DONE(gemp_som_blocks_acquire(blocks, p, &block));
		GEMP_TRY_DONE(find_block(blocks, block, search, book, &distances, keys, places));
	}
done:
	if (code != GEMP_OK)
		clFinish(blocks->device->queue); /* kernels must end before their buffers are freed */
	gemp_buffer_free(&distances, blocks->device);
	return code;
}

/* The device data of one gemp_som_apply. search_context_free accepts a context that is only partly prepared. */
typedef struct search_context {
	gemp_device *device;
	gemp_som_blocks blocks;
	gemp_som_codebook book;
	gemp_som_search *search;
} search_context;

static void search_context_free(search_context *context)
{
	gemp_som_search_free(context->search);
	gemp_som_codebook_free(&context->book);
	gemp_som_blocks_free(&context->blocks);
}

/* Local. Makes the search, the codebook on the device, and blocks for the samples, as many units and samples as fit.
 * The plan counts two keys and a distance for each sample beside its values, and no planes. Blocks always have second
 * keys, since most callers ask for second-best units. */
static gemp_code prepare(search_context *context, const gemp_som_grid *grid, gemp_som_metric metric, const float *w,
                         const float *x, size_t count, uint32_t dims, bool missing)
{
	gemp_som_capacity capacity;
	const gemp_som_need need = { .samples = count,
		                         .dims = dims,
		                         .units = gemp_som_units(grid),
		                         .missing = missing,
		                         .keys = 2 * sizeof(uint64_t) + sizeof(float) };
	GEMP_TRY(gemp_som_grid_check(grid));
	GEMP_TRY(gemp_som_search_new(&context->search, context->device, dims, metric, missing, NULL));
	GEMP_TRY(gemp_som_capacity_find(&capacity, context->device, &need));
	GEMP_TRY(gemp_som_codebook_new(&context->book, context->device, w, need.units, dims, capacity.units));
	return gemp_som_blocks_new(&context->blocks, context->device, x, &need, &capacity, true, false);
}

/* A rank that has failed still takes part in every collective call, since other ranks would wait for it. */
gemp_code gemp_som_apply(const gemp_comm *comm, gemp_device *device, const gemp_som_grid *grid, gemp_som_metric metric,
                         const float *w, const float *x, size_t count, uint32_t dims, uint32_t *unit, float *distance,
                         uint32_t *second, double *seconds)
{
	search_context context = { .device = device };
	const gemp_som_places places = { unit, second, distance };
	uint64_t missing = gemp_som_any_missing(x, count, dims);
	/* all ranks use the same kernels, so the result does not depend on the number of ranks */
	gemp_comm_max(comm, &missing, 1);
	gemp_code code = prepare(&context, grid, metric, w, x, count, dims, missing != 0);
	if (count)
		GEMP_THEN(gemp_som_search_build(context.search, second != NULL));
	const double since = gemp_now();
	GEMP_THEN(gemp_som_places_find(&places, &context.blocks, context.search, &context.book));
	if (seconds)
		*seconds = gemp_now() - since;
	code = gemp_comm_agree(comm, code);
	search_context_free(&context);
	return code;
}

enum { GROUP = 256, MAX_GROUPS = 128, TASKS_OF_CORE = 4 };

/* The sums of a work-group, with the layout of the uint4 in kernels/som/som_errors.cl. The sum of distances is
 * distances + rest: the kernel splits a double into two floats, since a single float would lose the small distances of
 * many samples. torn: number of samples whose two best units are not adjacent. */
typedef struct group_sums {
	float distances, rest;
	uint32_t torn, samples;
} group_sums;

/* The kernel adds up a group's sums in local memory. On a CPU device a group has one work-item and needs no such
 * addition. */
static size_t group_of(const gemp_device *device)
{
	return device->gpu ? GROUP : 1;
}

/* Returns enough groups to keep the device busy, and no group without samples. For every group of every slot the host
 * reads a group_sums, so the number is limited. */
static size_t groups_for(const gemp_device *device, size_t count)
{
	const size_t max_groups = device->gpu ? MAX_GROUPS : device->units * (size_t)TASKS_OF_CORE;
	return gemp_min((count + group_of(device) - 1) / group_of(device), max_groups);
}

size_t gemp_som_quality_bytes(const gemp_device *device, size_t count)
{
	return GEMP_SOM_SLOTS * groups_for(device, count) * sizeof(group_sums);
}

/* Local. The device has slots for the sums of GEMP_SOM_SLOTS epochs, so the host may read the sums later. A rank
 * without samples has no groups and no kernel: gemp_som_quality_run then does nothing, and gemp_som_quality_read
 * returns zeros. */
gemp_code gemp_som_quality_new(gemp_som_quality *out, gemp_device *device, const gemp_som_grid *grid, size_t count)
{
	gemp_code code = GEMP_OK;
	char options[32];
	const size_t group = group_of(device);
	*out = (gemp_som_quality){ .device = device, .grid = *grid, .group = group, .groups = groups_for(device, count) };
	if (count == 0)
		return GEMP_OK;
	snprintf(options, sizeof options, "-DSOM_GROUP=%zu", group);
	GEMP_TRY_DONE(gemp_program_build(&out->program, device, "som_errors.cl", options, { "som_errors", &out->kernel }));
	GEMP_TRY_DONE(gemp_buffer_new(&out->distance, device, count * sizeof(float), NULL));
	GEMP_TRY_DONE(gemp_buffer_new(&out->sums, device, gemp_som_quality_bytes(device, count), NULL));
done:
	if (code != GEMP_OK)
		gemp_som_quality_free(out);
	return code;
}

void gemp_som_quality_free(gemp_som_quality *quality)
{
	gemp_kernels_free(&quality->kernel);
	gemp_program_free(&quality->program);
	if (quality->device)
		gemp_buffers_free(quality->device, &quality->distance, &quality->sums);
	*quality = (gemp_som_quality){ 0 };
}

/* The distances are computed first, as the search gives scores only. */
gemp_code gemp_som_quality_run(gemp_som_quality *quality, gemp_som_search *search, const gemp_som_samples *samples,
                               gemp_som_codebook *book, const gemp_buffer *best, const gemp_buffer *second,
                               uint32_t slot, bool more)
{
	const cl_ulong count = samples->count;
	const cl_uint hexagonal = quality->grid.lattice == GEMP_SOM_HEXAGONAL, toroid = quality->grid.toroid, add = more;
	if (count == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_som_search_distances(search, samples, book, best, &quality->distance));
	return gemp_launch(quality->device, quality->kernel, quality->groups * quality->group, quality->group,
	                   GEMP_ARG(&best->mem), GEMP_ARG(&second->mem), GEMP_ARG(&quality->distance.mem), GEMP_ARG(&count),
	                   GEMP_ARG(&quality->grid.rows), GEMP_ARG(&quality->grid.columns), GEMP_ARG(&hexagonal),
	                   GEMP_ARG(&toroid), GEMP_ARG(&quality->sums.mem), GEMP_ARG(&slot), GEMP_ARG(&add));
}

/* The second queue reads the groups of a slot, as it does not wait for kernels of later epochs. The sums of the groups
 * are added in double. */
gemp_code gemp_som_quality_read(gemp_som_quality *quality, uint32_t slot, gemp_som_fit *fit)
{
	group_sums sums[GROUP * TASKS_OF_CORE];
	const size_t max_groups = sizeof sums / sizeof *sums;
	*fit = (gemp_som_fit){ 0 };
	for (size_t done = 0; done < quality->groups; done += max_groups) {
		const size_t count = quality->groups - done < max_groups ? quality->groups - done : max_groups;
		GEMP_TRY(GEMP_CL(clEnqueueReadBuffer(quality->device->copy_queue, quality->sums.mem, CL_TRUE,
		                                     (slot * quality->groups + done) * sizeof *sums, count * sizeof *sums, sums,
		                                     0, NULL, NULL)));
		for (size_t g = 0; g < count; g++) {
			fit->distances += (double)sums[g].distances + (double)sums[g].rest;
			fit->topographic += sums[g].torn;
			fit->samples += sums[g].samples;
		}
	}
	return GEMP_OK;
}

/* Returns the distance over the values of x[dims] that are not missing, or NAN if all values are missing. The cosine
 * distance is 1 minus the cosine. */
static double vector_distance(gemp_som_metric metric, const float *x, const float *w, uint32_t dims)
{
	double sum = 0, xx = 0, ww = 0, xw = 0;
	uint32_t present = 0;
	for (uint32_t k = 0; k < dims; k++) {
		if (isnan(x[k]))
			continue;
		const double a = x[k], b = w[k];
		present++;
		sum += metric == GEMP_SOM_MANHATTAN ? fabs(a - b) : (a - b) * (a - b);
		xx += a * a;
		ww += b * b;
		xw += a * b;
	}
	if (present == 0)
		return NAN;
	if (metric == GEMP_SOM_COSINE)
		return xx > 0 && ww > 0 ? 1 - xw / sqrt(xx * ww) : 1;
	return metric == GEMP_SOM_MANHATTAN ? sum : sqrt(sum);
}

/* Collective. The host computes the errors in double from the units that a search has found. The last bits depend on
 * the number of ranks. */
void gemp_som_errors(const gemp_comm *comm, const gemp_som_grid *grid, gemp_som_metric metric, const float *w,
                     const float *x, size_t count, uint32_t dims, const uint32_t *unit, const uint32_t *second,
                     double *quantisation, double *topographic)
{
	double sums[3] = { 0 }; /* distances, samples whose two best units are not adjacent, samples */
	for (size_t i = 0; i < count; i++) {
		if (unit[i] == GEMP_SOM_NO_UNIT)
			continue;
		sums[0] += vector_distance(metric, x + i * dims, w + (size_t)unit[i] * dims, dims);
		sums[1] += second[i] != GEMP_SOM_NO_UNIT && !gemp_som_adjacent(grid, unit[i], second[i]);
		sums[2]++;
	}
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, comm->world));
	*quantisation = sums[2] > 0 ? sums[0] / sums[2] : NAN;
	*topographic = sums[2] > 0 ? sums[1] / sums[2] : NAN;
}

/* Local. The unified distance matrix (Ultsch and Siemon 1990) uses the Euclidean distance, whatever the metric of the
 * map. */
void gemp_som_umatrix(const gemp_som_grid *grid, const float *w, uint32_t dims, double *out)
{
	for (uint32_t unit = 0; unit < gemp_som_units(grid); unit++) {
		uint32_t beside[8];
		const int count = gemp_som_neighbours(grid, unit, beside);
		double sum = 0;
		for (int k = 0; k < count; k++) {
			double square = 0;
			for (uint32_t d = 0; d < dims; d++) {
				const double apart = (double)w[(size_t)unit * dims + d] - (double)w[(size_t)beside[k] * dims + d];
				square += apart * apart;
			}
			sum += sqrt(square);
		}
		out[unit] = count ? sum / count : 0;
	}
}

/* Every rank gets the hits of all ranks' samples. The test `unit < units` also skips GEMP_SOM_NO_UNIT. */
void gemp_som_hits(const gemp_comm *comm, const gemp_som_grid *grid, const uint32_t *unit, size_t count, uint64_t *hits)
{
	const uint32_t units = gemp_som_units(grid);
	memset(hits, 0, units * sizeof *hits);
	for (size_t i = 0; i < count; i++)
		if (unit[i] < units)
			hits[unit[i]]++;
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, hits, (int)units, MPI_UINT64_T, MPI_SUM, comm->world));
}
