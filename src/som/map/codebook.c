#include "som/map/codebook.h"

#include "core/memory.h"

#include <string.h>

static size_t bytes_of(const gemp_som_codebook *book, uint32_t units)
{
	return (size_t)units * book->stride * sizeof(float);
}

/* Makes rows out[units][stride] from w[units][dims]. The sum of squares spares the search, which computes |w|^2 - 2
 * x.w, a pass over w. It is added up in double, as its error would shift all scores of the unit. out[] must be
 * zeroed: the padding behind the sum stays 0. */
static void pad_rows(float *out, const gemp_som_codebook *book, const float *w)
{
	for (uint32_t u = 0; u < book->units; u++) {
		const float *from = w + (size_t)u * book->dims;
		float *to = out + (size_t)u * book->stride;
		double squares = 0;
		for (uint32_t d = 0; d < book->dims; d++) {
			squares += (double)from[d] * from[d];
			to[d] = from[d];
		}
		to[book->dims] = (float)squares;
	}
}

/* Local. Without capacity for all units the host keeps the rows, of which gemp_som_codebook_load copies some. */
gemp_code gemp_som_codebook_new(gemp_som_codebook *out, gemp_device *device, const float *w, uint32_t units,
                                uint32_t dims, uint32_t capacity)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED float *rows = NULL;
	const bool all = capacity >= units;
	*out = (gemp_som_codebook){ .device = device,
		                        .units = units,
		                        .dims = dims,
		                        .stride = gemp_som_stride(dims),
		                        .capacity = all ? units : capacity,
		                        .resident = all ? units : 0 };
	GEMP_TRY_DONE(GEMP_NEW(rows, (size_t)units * out->stride));
	pad_rows(rows, out, w);
	GEMP_TRY_DONE(gemp_buffer_new(&out->w, device, bytes_of(out, out->capacity), all ? rows : NULL));
	if (!all) {
		out->rows = rows;
		rows = NULL;
	}
done:
	if (code != GEMP_OK)
		gemp_som_codebook_free(out);
	return code;
}

/* Kernels see units first .. first + resident - 1 at w[0] on. If these units are there already nothing is copied, so
 * a loop over a codebook that fits costs nothing. */
gemp_code gemp_som_codebook_load(gemp_som_codebook *book, uint32_t first)
{
	if (!book->rows || (book->resident && book->first == first))
		return GEMP_OK;
	book->first = first;
	book->resident = book->units - first < book->capacity ? book->units - first : book->capacity;
	return gemp_buffer_write(book->device, &book->w, 0, bytes_of(book, book->resident),
	                         book->rows + (size_t)first * book->stride);
}

/* A loop that changes units must store them before it loads the next ones, which take their place on the device. */
gemp_code gemp_som_codebook_store(const gemp_som_codebook *book)
{
	if (!book->rows)
		return GEMP_OK;
	return gemp_buffer_read(book->device, &book->w, 0, bytes_of(book, book->resident),
	                        book->rows + (size_t)book->first * book->stride);
}

/* Local. Replaces all units by w[units][dims]. If the host keeps the rows, the units on the device become invalid,
 * and the next load copies new ones. */
gemp_code gemp_som_codebook_write(gemp_som_codebook *book, const float *w)
{
	GEMP_OWNED float *rows = NULL;
	if (book->rows) {
		pad_rows(book->rows, book, w);
		book->resident = 0;
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_NEW(rows, (size_t)book->units * book->stride));
	pad_rows(rows, book, w);
	return gemp_buffer_write(book->device, &book->w, 0, bytes_of(book, book->units), rows);
}

/* Copies the values without the padding. */
static void unpad_rows(const gemp_som_codebook *book, const float *rows, float *w)
{
	for (uint32_t u = 0; u < book->units; u++)
		memcpy(w + (size_t)u * book->dims, rows + (size_t)u * book->stride, book->dims * sizeof *w);
}

/* Local. Copies the units to the host, without the padding. */
gemp_code gemp_som_codebook_read(const gemp_som_codebook *book, float *w)
{
	GEMP_OWNED float *rows = NULL;
	if (book->rows) {
		unpad_rows(book, book->rows, w);
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_NEW(rows, (size_t)book->units * book->stride));
	GEMP_TRY(gemp_buffer_read(book->device, &book->w, 0, bytes_of(book, book->units), rows));
	unpad_rows(book, rows, w);
	return GEMP_OK;
}

void gemp_som_codebook_free(gemp_som_codebook *book)
{
	if (book->device)
		gemp_buffer_free(&book->w, book->device);
	gemp_free(book->rows);
	*book = (gemp_som_codebook){ 0 };
}
