#include "som/codebook.h"

#include "core/memory.h"

#include <string.h>

static size_t size_of(const gemp_som_codebook *book)
{
	return (size_t)book->units * book->stride * sizeof(float);
}

/* Rows of the device from those of the host. */
static gemp_code lay_out(float **out, const gemp_som_codebook *book, const float *w)
{
	gemp_code code = GEMP_NEW(*out, (size_t)book->units * book->stride);
	for (uint32_t u = 0; code == GEMP_OK && u < book->units; u++) {
		const float *from = w + (size_t)u * book->dims;
		float *to = *out + (size_t)u * book->stride;
		double squares = 0;
		for (uint32_t d = 0; d < book->dims; d++) {
			squares += (double)from[d] * from[d];
			to[d] = from[d];
		}
		to[book->dims] = (float)squares;
	}
	return code;
}

gemp_code gemp_som_codebook_new(gemp_som_codebook *out, gemp_device *device, const float *w, uint32_t units, uint32_t dims)
{
	gemp_code code = GEMP_OK;
	float *rows = NULL;
	*out = (gemp_som_codebook){ .device = device, .units = units, .dims = dims, .stride = gemp_som_stride(dims) };
	GEMP_TRY(lay_out(&rows, out, w));
	GEMP_TRY(gemp_buffer_new(&out->w, device, size_of(out), rows));
done:
	gemp_free(rows);
	if (code != GEMP_OK)
		gemp_som_codebook_free(out);
	return code;
}

gemp_code gemp_som_codebook_write(const gemp_som_codebook *book, const float *w)
{
	gemp_code code = GEMP_OK;
	float *rows = NULL;
	GEMP_TRY(lay_out(&rows, book, w));
	GEMP_TRY(gemp_buffer_write(book->device, &book->w, 0, size_of(book), rows));
done:
	gemp_free(rows);
	return code;
}

gemp_code gemp_som_codebook_read(const gemp_som_codebook *book, float *w)
{
	gemp_code code = GEMP_OK;
	float *rows = NULL;
	GEMP_TRY(GEMP_NEW(rows, (size_t)book->units * book->stride));
	GEMP_TRY(gemp_buffer_read(book->device, &book->w, 0, size_of(book), rows));
	for (uint32_t u = 0; u < book->units; u++)
		memcpy(w + (size_t)u * book->dims, rows + (size_t)u * book->stride, book->dims * sizeof *w);
done:
	gemp_free(rows);
	return code;
}

void gemp_som_codebook_free(gemp_som_codebook *book)
{
	if (book->device)
		gemp_buffer_free(&book->w, book->device);
	*book = (gemp_som_codebook){ 0 };
}
