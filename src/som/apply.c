#include "som/apply.h"

#include "core/memory.h"
#include "som/parts.h"

/* What a search works with. */
typedef struct application {
	gemp_device *device;
	gemp_som_parts parts;
	gemp_som_codebook book;
	gemp_som_search *search;
	gemp_buffer distance; /* of a part's samples */
	uint64_t *keys;       /* the same */
} application;

static void application_free(application *it)
{
	gemp_buffer_free(&it->distance, it->device);
	gemp_som_search_free(it->search);
	gemp_som_codebook_free(&it->book);
	gemp_som_parts_free(&it->parts);
	gemp_free(it->keys);
}

static gemp_code prepare(application *it, const gemp_som_grid *grid, gemp_som_metric metric, const float *w, const float *x,
                         size_t count, uint32_t dims)
{
	gemp_code code = GEMP_OK;
	gemp_som_room room;
	const gemp_som_need need = { .samples = count, .dims = dims, .units = gemp_som_units(grid),
		.missing = gemp_som_any_missing(x, count, dims), .keys = 2 * sizeof(uint64_t) + sizeof(float) };
	GEMP_TRY(gemp_som_grid_check(grid));
	GEMP_TRY(gemp_som_search_new(&it->search, it->device, dims, metric, need.missing, NULL));
	GEMP_TRY(gemp_som_room_find(&room, it->device, &need));
	GEMP_TRY(gemp_som_codebook_some(&it->book, it->device, w, need.units, dims, room.units));
	GEMP_TRY(gemp_som_parts_new(&it->parts, it->device, x, &need, &room, true, false));
	GEMP_TRY(gemp_buffer_new(&it->distance, it->device, room.samples * sizeof(float), NULL));
	code = GEMP_NEW(it->keys, room.samples);
done:
	return code;
}

static gemp_code take_units(application *it, const gemp_buffer *from, size_t count, uint32_t *unit)
{
	gemp_code code = gemp_buffer_read(it->device, from, 0, count * sizeof *it->keys, it->keys);
	for (size_t i = 0; code == GEMP_OK && i < count; i++)
		unit[i] = gemp_som_key_unit(it->keys[i]);
	return code;
}

static gemp_code run_part(application *it, gemp_som_part *part, uint32_t *unit, float *distance, uint32_t *second)
{
	gemp_code code = GEMP_OK;
	const gemp_som_samples *samples = &part->samples;
	GEMP_TRY(gemp_som_search_run(it->search, samples, &it->book, &part->best, second ? &part->second : NULL));
	if (distance)
		GEMP_TRY(gemp_som_search_distances(it->search, samples, &it->book, &part->best, &it->distance));
	GEMP_TRY(gemp_som_parts_leave(&it->parts, part));
	GEMP_TRY(take_units(it, &part->best, samples->count, unit + part->first));
	if (second)
		GEMP_TRY(take_units(it, &part->second, samples->count, second + part->first));
	if (distance)
		code = gemp_buffer_read(it->device, &it->distance, 0, samples->count * sizeof *distance, distance + part->first);
done:
	return code;
}

static gemp_code run(application *it, uint32_t *unit, float *distance, uint32_t *second)
{
	gemp_code code = GEMP_OK;
	for (size_t p = 0; p < it->parts.count; p++) {
		gemp_som_part *part;
		GEMP_TRY(gemp_som_parts_take(&it->parts, p, &part));
		GEMP_TRY(run_part(it, part, unit, distance, second));
	}
done:
	return code;
}

gemp_code gemp_som_apply(const gemp_comm *comm, gemp_device *device, const gemp_som_grid *grid, gemp_som_metric metric,
                         const float *w, const float *x, size_t count, uint32_t dims, uint32_t *unit, float *distance,
                         uint32_t *second)
{
	application it = { .device = device };
	gemp_code code = prepare(&it, grid, metric, w, x, count, dims);
	if (code == GEMP_OK)
		code = run(&it, unit, distance, second);
	if (code != GEMP_OK)
		clFinish(device->queue); /* before its buffers go */
	code = gemp_comm_agree(comm, code);
	application_free(&it);
	return code;
}
