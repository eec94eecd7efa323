#include "som/apply.h"

#include "core/memory.h"

/* What a search works with. */
typedef struct application {
	gemp_device *device;
	gemp_som_samples samples;
	gemp_som_codebook book;
	gemp_som_search *search;
	gemp_buffer best, second, distance;
	uint64_t *keys;
} application;

static void application_free(application *it)
{
	gemp_buffer_free(&it->best, it->device);
	gemp_buffer_free(&it->second, it->device);
	gemp_buffer_free(&it->distance, it->device);
	gemp_som_search_free(it->search);
	gemp_som_codebook_free(&it->book);
	gemp_som_samples_free(&it->samples);
	gemp_free(it->keys);
}

static gemp_code prepare(application *it, const gemp_som_grid *grid, gemp_som_metric metric, const float *w, const float *x,
                         size_t count, uint32_t dims)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_som_grid_check(grid));
	if (count >= UINT32_MAX)
		return gemp_fail(GEMP_EUSAGE, "%zu samples on one rank: more than 2^32 - 2; take more ranks", count);
	GEMP_TRY(gemp_som_samples_new(&it->samples, it->device, x, count, dims));
	GEMP_TRY(gemp_som_codebook_new(&it->book, it->device, w, gemp_som_units(grid), dims));
	GEMP_TRY(gemp_som_search_new(&it->search, it->device, dims, metric, it->samples.missing, NULL));
	GEMP_TRY(gemp_buffer_new(&it->best, it->device, (count ? count : 1) * sizeof(uint64_t), NULL));
	GEMP_TRY(gemp_buffer_new(&it->second, it->device, (count ? count : 1) * sizeof(uint64_t), NULL));
	GEMP_TRY(gemp_buffer_new(&it->distance, it->device, (count ? count : 1) * sizeof(float), NULL));
	code = GEMP_NEW(it->keys, count);
done:
	return code;
}

static gemp_code take_units(application *it, const gemp_buffer *from, uint32_t *unit)
{
	const size_t count = it->samples.count;
	gemp_code code = gemp_buffer_read(it->device, from, 0, count * sizeof *it->keys, it->keys);
	for (size_t i = 0; code == GEMP_OK && i < count; i++)
		unit[i] = gemp_som_key_unit(it->keys[i]);
	return code;
}

static gemp_code run(application *it, uint32_t *unit, float *distance, uint32_t *second)
{
	gemp_code code = GEMP_OK;
	const size_t count = it->samples.count;
	if (count == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_som_search_run(it->search, &it->samples, &it->book, &it->best, second ? &it->second : NULL));
	GEMP_TRY(take_units(it, &it->best, unit));
	if (second)
		GEMP_TRY(take_units(it, &it->second, second));
	if (distance) {
		GEMP_TRY(gemp_som_search_distances(it->search, &it->samples, &it->book, &it->best, &it->distance));
		code = gemp_buffer_read(it->device, &it->distance, 0, count * sizeof *distance, distance);
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
	code = gemp_comm_agree(comm, code);
	application_free(&it);
	return code;
}
