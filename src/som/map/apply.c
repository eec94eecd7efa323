#include "som/map/apply.h"

#include "core/memory.h"

/* The units of keys. */
static gemp_code read_units(gemp_device *device, const gemp_buffer *from, size_t count, uint64_t *keys, uint32_t *unit)
{
	gemp_code code = count ? gemp_buffer_read(device, from, 0, count * sizeof *keys, keys) : GEMP_OK;
	for (size_t i = 0; code == GEMP_OK && i < count; i++)
		unit[i] = gemp_som_key_unit(keys[i]);
	return code;
}

/* Searches one block and reads its results. distances: a buffer of the block's samples. */
static gemp_code find_block(gemp_som_blocks *blocks, gemp_som_block *block, gemp_som_search *search,
                            gemp_som_codebook *book, const gemp_buffer *distances, uint64_t *keys,
                            const gemp_som_places *places)
{
	gemp_device *device = blocks->device;
	const size_t count = block->samples.count, first = block->first;
	GEMP_PROPAGATE(
		gemp_som_search_run(search, &block->samples, book, &block->best, places->second ? &block->second : NULL));
	if (places->distance)
		GEMP_PROPAGATE(gemp_som_search_distances(search, &block->samples, book, &block->best, distances));
	GEMP_PROPAGATE(gemp_som_blocks_release(blocks, block));
	GEMP_PROPAGATE(read_units(device, &block->best, count, keys, places->unit + first));
	if (places->second)
		GEMP_PROPAGATE(read_units(device, &block->second, count, keys, places->second + first));
	if (places->distance && count)
		return gemp_buffer_read(device, distances, 0, count * sizeof(float), places->distance + first);
	return GEMP_OK;
}

gemp_code gemp_som_places_find(const gemp_som_places *places, gemp_som_blocks *blocks, gemp_som_search *search,
                               gemp_som_codebook *book)
{
	gemp_code code = GEMP_OK;
	gemp_buffer distances = { 0 };
	uint64_t *keys = NULL;
	const size_t max_samples = blocks->each < blocks->samples ? blocks->each : blocks->samples,
				 capacity = max_samples ? max_samples : 1;
	if (places->distance)
		GEMP_TRY(gemp_buffer_new(&distances, blocks->device, capacity * sizeof(float), NULL));
	GEMP_TRY(GEMP_NEW(keys, capacity));
	for (size_t p = 0; p < blocks->count; p++) {
		gemp_som_block *block;
		GEMP_TRY(gemp_som_blocks_acquire(blocks, p, &block));
		GEMP_TRY(find_block(blocks, block, search, book, &distances, keys, places));
	}
done:
	if (code != GEMP_OK)
		clFinish(blocks->device->queue); /* before its buffers go */
	gemp_buffer_free(&distances, blocks->device);
	gemp_free(keys);
	return code;
}

/* What a search on a codebook of the host works with. */
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

/* Local. Blocks, codebook and search as the device has room for them. */
static gemp_code prepare(search_context *context, const gemp_som_grid *grid, gemp_som_metric metric, const float *w,
                         const float *x, size_t count, uint32_t dims, bool missing)
{
	gemp_som_capacity capacity;
	const gemp_som_need need = { .samples = count,
		                         .dims = dims,
		                         .units = gemp_som_units(grid),
		                         .missing = missing,
		                         .keys = 2 * sizeof(uint64_t) + sizeof(float) };
	GEMP_PROPAGATE(gemp_som_grid_check(grid));
	GEMP_PROPAGATE(gemp_som_search_new(&context->search, context->device, dims, metric, missing, NULL));
	GEMP_PROPAGATE(gemp_som_capacity_find(&capacity, context->device, &need));
	GEMP_PROPAGATE(gemp_som_codebook_new(&context->book, context->device, w, need.units, dims, capacity.units));
	return gemp_som_blocks_new(&context->blocks, context->device, x, &need, &capacity, true, false);
}

gemp_code gemp_som_apply(const gemp_comm *comm, gemp_device *device, const gemp_som_grid *grid, gemp_som_metric metric,
                         const float *w, const float *x, size_t count, uint32_t dims, uint32_t *unit, float *distance,
                         uint32_t *second)
{
	search_context context = { .device = device };
	const gemp_som_places places = { unit, second, distance };
	uint64_t missing = gemp_som_any_missing(x, count, dims);
	gemp_comm_max(comm, &missing, 1); /* all search alike then, so that ranks make no difference */
	gemp_code code = prepare(&context, grid, metric, w, x, count, dims, missing != 0);
	GEMP_THEN(gemp_som_places_find(&places, &context.blocks, context.search, &context.book));
	code = gemp_comm_agree(comm, code);
	search_context_free(&context);
	return code;
}
