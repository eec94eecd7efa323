/* Selection of columns by name: a map that was trained on some columns is applied to a table that has more
 * of them, or has them in another order. */

#include "io/arrays/vectors.h"

#include "core/memory.h"
#include "core/random.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MAX_DIMS = 1 << 20 };

bool gemp_vectors_is_valid(const gemp_vectors *vectors)
{
	return vectors->x && vectors->dims > 0 && vectors->count <= vectors->total &&
	       (!gemp_column_loaded(&vectors->keys) || vectors->keys.rows == vectors->count);
}

/* All members are owned; names may be missing where reading failed early. */
void gemp_vectors_free(gemp_vectors *vectors)
{
	for (uint32_t c = 0; vectors->names && c < vectors->dims; c++)
		gemp_free(vectors->names[c]);
	gemp_free_all(vectors->names, vectors->x);
	gemp_column_free(&vectors->keys);
	*vectors = (gemp_vectors){ 0 };
}

/* A dataset may claim any shape without having bytes, so that sizes are checked before memory is asked
 * for. */
gemp_code gemp_vectors_alloc(gemp_vectors *out, const gemp_comm *comm, const char *place, uint64_t rows,
                             uint64_t columns)
{
	if (columns == 0 || columns > MAX_DIMS)
		return gemp_fail(GEMP_EDATA, "%s: has vectors of %" PRIu64 " numbers; 1 to %d are read", place, columns,
		                 MAX_DIMS);
	gemp_block_range span = gemp_comm_block(comm, rows);
	if (span.end - span.begin > SIZE_MAX / sizeof *out->x / columns) /* datasets say so without any bytes */
		return gemp_fail(GEMP_ENOMEM, "%s: has %" PRIu64 " vectors of %" PRIu64 " numbers: more than any memory holds",
		                 place, rows, columns);
	out->count = span.end - span.begin;
	out->dims = (uint32_t)columns;
	out->total = rows;
	return GEMP_NEW(out->x, out->count * columns);
}

uint64_t gemp_vectors_hash(const gemp_vectors *vectors, const gemp_comm *comm)
{
	assert(gemp_vectors_is_valid(vectors));
	const uint64_t first = gemp_comm_block(comm, vectors->total).begin;
	return gemp_comm_sum1(comm, gemp_hash_sum(vectors->x, vectors->dims * sizeof *vectors->x, vectors->count, first));
}

/* SELECTION */

/* The column that names[c] is; dims: none. Columns may have one name: the second in `names` is the second in the table,
 * and so on. */
static uint32_t column_of(const gemp_vectors *v, char *const *names, uint32_t c)
{
	uint32_t alike = 0, at = 0;
	for (uint32_t before = 0; before < c; before++)
		alike += strcmp(names[before], names[c]) == 0;
	while (at < v->dims && (strcmp(v->names[at], names[c]) != 0 || alike-- > 0))
		at++;
	return at;
}

/* Columns of one name are matched in order, so that each needs a partner of its own. */
bool gemp_vectors_have(const gemp_vectors *vectors, char *const *names, uint32_t dims)
{
	uint32_t c = 0;
	while (c < dims && column_of(vectors, names, c) < vectors->dims)
		c++;
	return c == dims;
}

/* The old arrays go only when the new ones are complete: after a failure the vectors are as before. */
static gemp_code take_columns(gemp_vectors *v, const uint32_t *from, uint32_t dims)
{
	gemp_code code = GEMP_OK;
	float *x = NULL;
	char **names = NULL;
	GEMP_TRY(GEMP_NEW(x, v->count * dims));
	GEMP_TRY(GEMP_NEW(names, dims));
	for (uint32_t c = 0; c < dims; c++) {
		names[c] = gemp_strdup(v->names[from[c]]);
		if (!names[c])
			GEMP_TRY(GEMP_ENOMEM);
	}
	for (size_t i = 0; i < v->count; i++)
		for (uint32_t c = 0; c < dims; c++)
			x[i * dims + c] = v->x[i * v->dims + from[c]];
	for (uint32_t c = 0; c < v->dims; c++)
		gemp_free(v->names[c]);
	gemp_free_all(v->names, v->x);
	v->x = x;
	v->names = names;
	v->dims = dims;
	return GEMP_OK;
done:
	for (uint32_t c = 0; names && c < dims; c++)
		gemp_free(names[c]);
	gemp_free_all(names, x);
	return code;
}

/* Nothing is copied where the columns have the wanted order already, as they mostly do. */
static gemp_code select_columns(gemp_vectors *vectors, const char *place, char *const *names, uint32_t dims)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED uint32_t *from = NULL;
	bool same = dims == vectors->dims;
	GEMP_PROPAGATE(GEMP_NEW(from, dims));
	for (uint32_t c = 0; c < dims; c++) {
		from[c] = column_of(vectors, names, c);
		if (from[c] == vectors->dims)
			GEMP_PROPAGATE(gemp_fail(
				GEMP_EDATA, "%s: has no column '%s'; give the columns that the map was trained on, in any order", place,
				names[c]));
		same &= from[c] == c;
	}
	if (!same)
		code = take_columns(vectors, from, dims);
	return code;
}

/* Missing values are counted again, since columns without any may be all that is left. */
gemp_code gemp_vectors_select(gemp_vectors *vectors, const gemp_comm *comm, const char *place, char *const *names,
                              uint32_t dims)
{
	uint64_t missing = 0;
	assert(gemp_vectors_is_valid(vectors));
	GEMP_PROPAGATE(gemp_comm_agree(comm, select_columns(vectors, place, names, dims)));
	for (size_t i = 0; i < vectors->count * dims; i++)
		missing += isnan(vectors->x[i]) != 0;
	vectors->missing = gemp_comm_sum1(comm, missing);
	return GEMP_OK;
}
