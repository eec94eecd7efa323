#include "som/samples.h"

#include "core/memory.h"
#include "core/ranges.h"

#include <math.h>
#include <stdatomic.h>

/* Rows turned into columns, in ranges of rows. */
typedef struct turning {
	const float *from;
	size_t count;
	uint32_t dims;
	float *x;
	uint8_t *present; /* NULL: none is missing */
	atomic_bool missing;
} turning;

static void look(void *context, size_t range, size_t begin, size_t end)
{
	turning *t = context;
	bool missing = false;
	(void)range;
	for (size_t k = begin * t->dims; k < end * t->dims; k++)
		missing |= isnan(t->from[k]);
	if (missing)
		atomic_store(&t->missing, true);
}

static bool empty(const float *row, uint32_t dims)
{
	for (uint32_t d = 0; d < dims; d++)
		if (!isnan(row[d]))
			return false;
	return true;
}

static void turn(void *context, size_t range, size_t begin, size_t end)
{
	turning *t = context;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		const float *row = t->from + i * t->dims;
		float absent = t->present && empty(row, t->dims) ? NAN : 0;
		for (uint32_t d = 0; d < t->dims; d++) {
			bool present = !isnan(row[d]);
			t->x[d * t->count + i] = present ? row[d] : absent;
			if (t->present)
				t->present[d * t->count + i] = present;
		}
	}
}

bool gemp_som_any_missing(const float *x, size_t count, uint32_t dims)
{
	turning t = { .from = x, .count = count, .dims = dims };
	gemp_for_ranges(count, look, &t);
	return atomic_load(&t.missing);
}

size_t gemp_som_sample_bytes(uint32_t dims, bool missing)
{
	return dims * (sizeof(float) + (missing ? sizeof(uint8_t) : 0));
}

gemp_code gemp_som_samples_room(gemp_som_samples *out, gemp_device *device, size_t most, uint32_t dims, bool missing)
{
	gemp_code code = GEMP_OK;
	const size_t values = most * dims;
	*out = (gemp_som_samples){ .device = device, .dims = dims, .missing = missing };
	GEMP_TRY(gemp_buffer_new(&out->x, device, (values ? values : 1) * sizeof(float), NULL));
	GEMP_TRY(gemp_buffer_new(&out->present, device, missing && values ? values : 1, NULL));
done:
	if (code != GEMP_OK)
		gemp_som_samples_free(out);
	return code;
}

static gemp_code copy(gemp_device *device, const gemp_buffer *to, size_t size, const void *from, cl_event after)
{
	return GEMP_CL(clEnqueueWriteBuffer(device->transfer, to->mem, CL_TRUE, 0, size, from, after != NULL, after ? &after : NULL,
	                                    NULL));
}

gemp_code gemp_som_samples_fill(gemp_som_samples *samples, const float *x, size_t count, cl_event after)
{
	gemp_code code = GEMP_OK;
	turning t = { .from = x, .count = count, .dims = samples->dims };
	const size_t values = count * samples->dims;
	GEMP_CHECK(values * sizeof(float) <= samples->x.size);
	samples->count = count;
	if (values == 0)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(t.x, values));
	if (samples->missing)
		GEMP_TRY(GEMP_NEW(t.present, values));
	gemp_for_ranges(count, turn, &t);
	GEMP_TRY(copy(samples->device, &samples->x, values * sizeof *t.x, t.x, after));
	if (samples->missing)
		code = copy(samples->device, &samples->present, values, t.present, NULL);
done:
	gemp_free(t.present);
	gemp_free(t.x);
	return code;
}

gemp_code gemp_som_samples_new(gemp_som_samples *out, gemp_device *device, const float *x, size_t count, uint32_t dims)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_som_samples_room(out, device, count, dims, gemp_som_any_missing(x, count, dims)));
	code = gemp_som_samples_fill(out, x, count, NULL);
	if (code != GEMP_OK)
		gemp_som_samples_free(out);
done:
	return code;
}

void gemp_som_samples_free(gemp_som_samples *samples)
{
	if (!samples->device)
		return;
	gemp_buffer_free(&samples->present, samples->device);
	gemp_buffer_free(&samples->x, samples->device);
	*samples = (gemp_som_samples){ 0 };
}
