#include "som/map/apply.h"

#include "core/memory.h"

/* PLACES */

static gemp_code take_units(gemp_device *device, const gemp_buffer *from, size_t count, uint64_t *keys, uint32_t *unit)
{
	gemp_code code = count ? gemp_buffer_read(device, from, 0, count * sizeof *keys, keys) : GEMP_OK;
	for (size_t i = 0; code == GEMP_OK && i < count; i++)
		unit[i] = gemp_som_key_unit(keys[i]);
	return code;
}

/* distances: a buffer of the part's samples. */
static gemp_code find_part(gemp_som_blocks *parts, gemp_som_block *part, gemp_som_search *search,
                           gemp_som_codebook *book, const gemp_buffer *distances, uint64_t *keys,
                           const gemp_som_places *places)
{
	gemp_device *device = parts->device;
	const size_t count = part->samples.count, first = part->first;
	GEMP_PROPAGATE(
		gemp_som_search_run(search, &part->samples, book, &part->best, places->second ? &part->second : NULL));
	if (places->distance)
		GEMP_PROPAGATE(gemp_som_search_distances(search, &part->samples, book, &part->best, distances));
	GEMP_PROPAGATE(gemp_som_blocks_release(parts, part));
	GEMP_PROPAGATE(take_units(device, &part->best, count, keys, places->unit + first));
	if (places->second)
		GEMP_PROPAGATE(take_units(device, &part->second, count, keys, places->second + first));
	if (places->distance && count)
		return gemp_buffer_read(device, distances, 0, count * sizeof(float), places->distance + first);
	return GEMP_OK;
}

gemp_code gemp_som_places_find(const gemp_som_places *places, gemp_som_blocks *parts, gemp_som_search *search,
                               gemp_som_codebook *book)
{
	gemp_code code = GEMP_OK;
	gemp_buffer distances = { 0 };
	uint64_t *keys = NULL;
	const size_t most = parts->each < parts->samples ? parts->each : parts->samples, room = most ? most : 1;
	if (places->distance)
		GEMP_TRY(gemp_buffer_new(&distances, parts->device, room * sizeof(float), NULL));
	GEMP_TRY(GEMP_NEW(keys, room));
	for (size_t p = 0; p < parts->count; p++) {
		gemp_som_block *part;
		GEMP_TRY(gemp_som_blocks_acquire(parts, p, &part));
		GEMP_TRY(find_part(parts, part, search, book, &distances, keys, places));
	}
done:
	if (code != GEMP_OK)
		clFinish(parts->device->queue); /* before its buffers go */
	gemp_buffer_free(&distances, parts->device);
	gemp_free(keys);
	return code;
}

/* A CODEBOOK OF THE HOST */

/* What a search works with. */
typedef struct application {
	gemp_device *device;
	gemp_som_blocks parts;
	gemp_som_codebook book;
	gemp_som_search *search;
} application;

static void application_free(application *it)
{
	gemp_som_search_free(it->search);
	gemp_som_codebook_free(&it->book);
	gemp_som_blocks_free(&it->parts);
}

static gemp_code prepare(application *it, const gemp_som_grid *grid, gemp_som_metric metric, const float *w,
                         const float *x, size_t count, uint32_t dims, bool missing)
{
	gemp_som_capacity room;
	const gemp_som_need need = { .samples = count,
		                         .dims = dims,
		                         .units = gemp_som_units(grid),
		                         .missing = missing,
		                         .keys = 2 * sizeof(uint64_t) + sizeof(float) };
	GEMP_PROPAGATE(gemp_som_grid_check(grid));
	GEMP_PROPAGATE(gemp_som_search_new(&it->search, it->device, dims, metric, missing, NULL));
	GEMP_PROPAGATE(gemp_som_capacity_find(&room, it->device, &need));
	GEMP_PROPAGATE(gemp_som_codebook_new_paged(&it->book, it->device, w, need.units, dims, room.units));
	return gemp_som_blocks_new(&it->parts, it->device, x, &need, &room, true, false);
}

gemp_code gemp_som_apply(const gemp_comm *comm, gemp_device *device, const gemp_som_grid *grid, gemp_som_metric metric,
                         const float *w, const float *x, size_t count, uint32_t dims, uint32_t *unit, float *distance,
                         uint32_t *second)
{
	application it = { .device = device };
	const gemp_som_places places = { unit, second, distance };
	uint64_t missing = gemp_som_any_missing(x, count, dims);
	gemp_comm_max(comm, &missing, 1); /* all search alike then, so that ranks make no difference */
	gemp_code code = prepare(&it, grid, metric, w, x, count, dims, missing != 0);
	GEMP_THEN(gemp_som_places_find(&places, &it.parts, it.search, &it.book));
	code = gemp_comm_agree(comm, code);
	application_free(&it);
	return code;
}
