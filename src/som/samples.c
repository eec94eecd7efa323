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

/* At least of `least` bytes. */
static gemp_code buffer_of(gemp_buffer *out, gemp_device *device, size_t size, size_t least, const void *from)
{
	return gemp_buffer_new(out, device, size ? size : least, size ? from : NULL);
}

gemp_code gemp_som_samples_new(gemp_som_samples *out, gemp_device *device, const float *x, size_t count, uint32_t dims)
{
	gemp_code code = GEMP_OK;
	turning t = { .from = x, .count = count, .dims = dims };
	size_t values = count * dims;
	*out = (gemp_som_samples){ .device = device, .count = count, .dims = dims };
	gemp_for_ranges(count, look, &t);
	out->missing = atomic_load(&t.missing);
	GEMP_TRY(GEMP_NEW(t.x, values));
	if (out->missing)
		GEMP_TRY(GEMP_NEW(t.present, values));
	gemp_for_ranges(count, turn, &t);
	GEMP_TRY(buffer_of(&out->x, device, values * sizeof *t.x, sizeof *t.x, t.x));
	GEMP_TRY(buffer_of(&out->present, device, out->missing ? values : 0, 1, t.present));
done:
	gemp_free(t.present);
	gemp_free(t.x);
	if (code != GEMP_OK)
		gemp_som_samples_free(out);
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
