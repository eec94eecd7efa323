/* A tuple is numbered twice. The requesting rank's table numbers the distinct tuples of its own rows. The owner's table
 * numbers the distinct tuples that all ranks sent, the seeds. The owner keeps the seed and the rank of each request, so
 * that it can return the answers. */

#include "query/search/correlate.h"

#include "core/memory.h"
#include "pattern/model/pattern.h"

#include <string.h>

/* The owner of a tuple follows from the tuple's hash, which spreads tuples evenly over the ranks. Who owns the vertices
 * of the tuple does not matter. */
int gemp_correlate_owner(const gemp_correlate *c, const gemp_vertex *tuple)
{
	return (int)(gemp_tuple_hash(tuple, c->width) % (uint64_t)c->comm->size);
}

/* REQUESTS */

/* A row with a missing vertex requests nothing, because EXISTS is false for the row and OPTIONAL MATCH finds no
 * match. */
static gemp_code collect_tuples(gemp_correlate *c, const gemp_row_store *rows, const int *outer,
                                gemp_tuple_index *index)
{
	gemp_vertex tuple[GEMP_MAX_PATTERN_VERTICES];
	GEMP_TRY(GEMP_NEW(c->row_tuple, rows->rows));
	for (size_t row = 0; row < rows->rows; row++) {
		const gemp_vertex *vertices = rows->vertices + row * (size_t)rows->vertex_count;
		bool missing = false;
		for (size_t i = 0; i < c->width; i++) {
			tuple[i] = vertices[outer[i]];
			missing = missing || tuple[i] == GEMP_NO_VERTEX;
		}
		c->row_tuple[row] = SIZE_MAX;
		if (!missing)
			GEMP_TRY(gemp_tuple_index_add(index, tuple, &c->row_tuple[row]));
	}
	return GEMP_OK;
}

/* Finds the owners of the tuples. An owner answers requests in the order of their arrival. row_tuple[row] becomes the
 * position of the answer, so that answers need no permutation. */
static gemp_code address_tuples(gemp_correlate *c, const gemp_vertex *tuples, size_t rows, int *owner)
{
	GEMP_OWNED size_t *place = NULL;
	GEMP_TRY(GEMP_NEW(place, c->tuple_count));
	for (size_t i = 0; i < c->tuple_count; i++)
		owner[i] = gemp_correlate_owner(c, tuples + i * c->width);
	GEMP_TRY(gemp_owner_places(owner, c->tuple_count, c->comm->size, place, NULL));
	for (size_t row = 0; row < rows; row++)
		if (c->row_tuple[row] != SIZE_MAX)
			c->row_tuple[row] = place[c->row_tuple[row]];
	return GEMP_OK;
}

/* Several ranks may request one tuple; request_seed maps each request to the seed that answers it. */
static gemp_code number_seeds(gemp_correlate *c, uint64_t vertices, const gemp_vertex *received, const size_t *begin)
{
	c->request_count = begin[c->comm->size];
	GEMP_TRY(GEMP_NEW(c->request_seed, c->request_count));
	GEMP_TRY(GEMP_NEW(c->request_rank, c->request_count));
	GEMP_TRY(gemp_tuple_index_init(&c->seeds, c->width, vertices, c->request_count));
	for (int r = 0; r < c->comm->size; r++)
		for (size_t i = begin[r]; i < begin[r + 1]; i++) {
			c->request_rank[i] = r;
			GEMP_TRY(gemp_tuple_index_add(&c->seeds, received + i * c->width, &c->request_seed[i]));
		}
	return GEMP_OK;
}

/* A search gives extensions of seeds only. A tuple that is not a seed is therefore a fault of the program. */
size_t gemp_correlate_seed(const gemp_correlate *c, const gemp_vertex *tuple)
{
	const size_t seed = gemp_tuple_index_find(&c->seeds, tuple);
	GEMP_CHECK(seed != SIZE_MAX);
	return seed;
}

/* Collective. Sends the distinct tuples to their owners, which number the tuples of all ranks. */
static gemp_code exchange_tuples(gemp_correlate *c, gemp_runtime *context, gemp_code code, uint64_t vertices,
                                 const gemp_tuple_index *own, size_t rows)
{
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_THEN(GEMP_NEW(owner, c->tuple_count));
	GEMP_THEN(address_tuples(c, own->tuples, rows, owner));
	GEMP_TRY(gemp_exchange_records(c->comm, code, own->tuples, c->tuple_count, c->width * sizeof *own->tuples, owner,
	                               &received, &begin, &context->traffic));
	return gemp_comm_agree(c->comm, number_seeds(c, vertices, received, begin));
}

gemp_code gemp_correlate_new(gemp_correlate *c, gemp_runtime *context, uint64_t vertices, const gemp_row_store *rows,
                             const int *outer, size_t width)
{
	GEMP_OWNED_BY(gemp_tuple_index_free) gemp_tuple_index own = { 0 };
	*c = (gemp_correlate){ .comm = context->comm, .width = width };
	gemp_code code = gemp_tuple_index_init(&own, width, vertices, rows->rows);
	GEMP_THEN(collect_tuples(c, rows, outer, &own));
	c->tuple_count = own.count;
	if (c->comm->size > 1)
		return exchange_tuples(c, context, code, vertices, &own, rows->rows);
	c->seeds = own;
	own = (gemp_tuple_index){ 0 };
	return code;
}

/* The correlation may be only partly made. */
void gemp_correlate_free(gemp_correlate *c)
{
	gemp_tuple_index_free(&c->seeds);
	gemp_free_all(c->row_tuple, c->request_seed, c->request_rank);
	*c = (gemp_correlate){ 0 };
}

/* Answers arrive ordered by rank, and the answers of one rank in the order of the requests. row_tuple has the same
 * order. */
gemp_code gemp_correlate_reply(const gemp_correlate *c, const uint64_t *seed_values, uint64_t *out,
                               gemp_traffic *traffic)
{
	GEMP_OWNED uint64_t *answers = NULL;
	GEMP_OWNED void *received = NULL;
	if (c->comm->size == 1) {
		if (c->tuple_count)
			memcpy(out, seed_values, c->tuple_count * sizeof *out);
		return GEMP_OK;
	}
	gemp_code code = GEMP_NEW(answers, c->request_count);
	for (size_t i = 0; code == GEMP_OK && i < c->request_count; i++)
		answers[i] = seed_values[c->request_seed[i]];
	GEMP_TRY(gemp_exchange_records(c->comm, code, answers, c->request_count, sizeof *answers, c->request_rank,
	                               &received, NULL, traffic));
	if (c->tuple_count)
		memcpy(out, received, c->tuple_count * sizeof *out);
	return GEMP_OK;
}
