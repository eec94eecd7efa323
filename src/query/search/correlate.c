/* A tuple is numbered twice. The requesting rank's table numbers the distinct tuples of its own rows. The owner's table
 * numbers the distinct tuples that all ranks sent, the seeds. The owner keeps the seed and the rank of each request, so
 * that it can return the answers. */

#include "query/search/correlate.h"

#include "core/memory.h"
#include "core/random.h"
#include "pattern/model/pattern.h"
#include "primitive/record_table.h"

#include <string.h>

/* The hash tables and the choice of the owner use the same hash. */
static uint64_t hash_of(const gemp_vertex *tuple, size_t width)
{
	return gemp_hash(tuple, width * sizeof *tuple, 0);
}

/* The owner of a tuple follows from the tuple's hash, which spreads tuples evenly over the ranks. Who owns the vertices
 * of the tuple does not matter. */
int gemp_correlate_owner(const gemp_correlate *c, const gemp_vertex *tuple)
{
	return (int)(hash_of(tuple, c->width) % (uint64_t)c->comm->size);
}

/* Sets *index to the tuple's index among the distinct tuples, in order of first appearance. The last word of the record
 * is this index. */
static gemp_code number_tuple(gemp_record_table *table, const gemp_vertex *tuple, size_t width, size_t *index)
{
	uint32_t record[GEMP_MAX_PATTERN_VERTICES + 1], *found;
	bool added;
	memcpy(record, tuple, width * sizeof *record);
	record[width] = (uint32_t)table->count;
	GEMP_TRY(gemp_record_table_add(table, record, hash_of(tuple, width), &found, &added));
	if (!found)
		return gemp_fail(GEMP_ENOMEM, "more than 2^32 - 1 different tuples ask for a sub-pattern at once");
	*index = found[width];
	return GEMP_OK;
}

/* A record is the tuple, followed by one word with the tuple's index. */
static void open_table(gemp_record_table *table, size_t width)
{
	gemp_record_table_init(table, width + 1, width, SIZE_MAX / 2);
}

/* REQUESTS */

/* A row with a missing vertex requests nothing, because EXISTS is false for the row and OPTIONAL MATCH finds no
 * match. */
static gemp_code collect_tuples(gemp_correlate *c, const gemp_row_store *rows, const int *outer,
                                gemp_record_table *table)
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
			GEMP_TRY(number_tuple(table, tuple, c->width, &c->row_tuple[row]));
	}
	return GEMP_OK;
}

/* Copies the tuples and finds their owners. An owner answers requests in the order of their arrival. row_tuple[row]
 * becomes the position of the answer, so that answers need no permutation. */
static gemp_code address_tuples(gemp_correlate *c, const gemp_record_table *table, size_t rows, gemp_vertex *tuples,
                                int *owner)
{
	GEMP_OWNED size_t *place = NULL;
	GEMP_TRY(GEMP_NEW(place, c->tuple_count));
	for (size_t i = 0; i < c->tuple_count; i++) {
		const uint32_t *record = gemp_record_table_record(table, i);
		memcpy(tuples + i * c->width, record, c->width * sizeof *tuples);
		owner[i] = gemp_correlate_owner(c, record);
	}
	GEMP_TRY(gemp_owner_places(owner, c->tuple_count, c->comm->size, place, NULL));
	for (size_t row = 0; row < rows; row++)
		if (c->row_tuple[row] != SIZE_MAX)
			c->row_tuple[row] = place[c->row_tuple[row]];
	return GEMP_OK;
}

/* Several ranks may request one tuple; request_seed maps each request to the seed that answers it. */
static gemp_code number_seeds(gemp_correlate *c, const gemp_vertex *received, const size_t *begin)
{
	c->request_count = begin[c->comm->size];
	GEMP_TRY(GEMP_NEW(c->request_seed, c->request_count));
	GEMP_TRY(GEMP_NEW(c->request_rank, c->request_count));
	GEMP_TRY(GEMP_NEW(c->table, 1));
	open_table(c->table, c->width);
	for (int r = 0; r < c->comm->size; r++)
		for (size_t i = begin[r]; i < begin[r + 1]; i++) {
			c->request_rank[i] = r;
			GEMP_TRY(number_tuple(c->table, received + i * c->width, c->width, &c->request_seed[i]));
		}
	c->seed_count = c->table->count;
	GEMP_TRY(GEMP_NEW(c->seed, c->seed_count * c->width));
	for (size_t i = 0; i < c->seed_count; i++)
		memcpy(c->seed + i * c->width, gemp_record_table_record(c->table, i), c->width * sizeof *c->seed);
	return GEMP_OK;
}

/* A search gives extensions of seeds only. A tuple that is not a seed is therefore a fault of the program. */
size_t gemp_correlate_seed(const gemp_correlate *c, const gemp_vertex *tuple)
{
	size_t index, before = c->table->count;
	GEMP_CHECK(number_tuple(c->table, tuple, c->width, &index) == GEMP_OK && c->table->count == before);
	return index;
}

/* Collective. Sends the distinct tuples to their owners, which number the tuples of all ranks. */
gemp_code gemp_correlate_new(gemp_correlate *c, gemp_runtime *context, const gemp_row_store *rows, const int *outer,
                             size_t width)
{
	GEMP_OWNED_BY(gemp_record_table_free) gemp_record_table table = { 0 };
	GEMP_OWNED gemp_vertex *tuples = NULL;
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED size_t *begin = NULL;
	*c = (gemp_correlate){ .comm = context->comm, .width = width };
	open_table(&table, width);
	gemp_code code = collect_tuples(c, rows, outer, &table);
	c->tuple_count = table.count;
	GEMP_THEN(GEMP_NEW(tuples, c->tuple_count * width));
	GEMP_THEN(GEMP_NEW(owner, c->tuple_count));
	GEMP_THEN(address_tuples(c, &table, rows->rows, tuples, owner));
	GEMP_TRY(gemp_exchange_records(c->comm, code, tuples, c->tuple_count, width * sizeof *tuples, owner, &received,
	                               &begin, &context->traffic));
	return gemp_comm_agree(c->comm, number_seeds(c, received, begin));
}

/* The correlation may be only partly made. */
void gemp_correlate_free(gemp_correlate *c)
{
	if (c->table)
		gemp_record_table_free(c->table);
	gemp_free_all(c->table, c->row_tuple, c->request_seed, c->request_rank, c->seed);
	*c = (gemp_correlate){ 0 };
}

/* Answers arrive ordered by rank, and the answers of one rank in the order of the requests. row_tuple has the same
 * order. */
gemp_code gemp_correlate_reply(const gemp_correlate *c, const uint64_t *seed_values, uint64_t *out,
                               gemp_traffic *traffic)
{
	GEMP_OWNED uint64_t *answers = NULL;
	GEMP_OWNED void *received = NULL;
	gemp_code code = GEMP_NEW(answers, c->request_count);
	for (size_t i = 0; code == GEMP_OK && i < c->request_count; i++)
		answers[i] = seed_values[c->request_seed[i]];
	GEMP_TRY(gemp_exchange_records(c->comm, code, answers, c->request_count, sizeof *answers, c->request_rank,
	                               &received, NULL, traffic));
	if (c->tuple_count)
		memcpy(out, received, c->tuple_count * sizeof *out);
	return GEMP_OK;
}
