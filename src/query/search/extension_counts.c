#include "query/search/extension_counts.h"

#include "core/memory.h"
#include "query/search/correlate.h"

#include <string.h>

/* The number of extensions of each tuple that a search has found. A single rank finds extensions of its seeds alone,
 * so their numbers serve. Of several ranks, the rank on which the search for a seed ends finds the match, so a rank
 * numbers the tuples that it meets. */
typedef struct tuple_counter {
	const gemp_tuple_index *index;
	gemp_tuple_index *met; /* index; NULL if index has all tuples already */
	size_t capacity;
	uint64_t *counts; /* [capacity] by the tuple's number */
} tuple_counter;

/* Local. Adds the rows of a batch to the counts of their tuples. */
static gemp_code counter_consume(void *self, const gemp_batch *batch)
{
	tuple_counter *c = self;
	for (size_t row = 0; row < batch->rows; row++) {
		const gemp_vertex *tuple = batch->vertices + row * (size_t)batch->vertex_count;
		size_t number;
		if (c->met) {
			GEMP_TRY(GEMP_RESERVE(c->counts, c->capacity, c->met->count + 1));
			c->counts[c->met->count] = 0;
			GEMP_TRY(gemp_tuple_index_add(c->met, tuple, &number));
		} else {
			number = gemp_tuple_index_find(c->index, tuple);
			GEMP_CHECK(number < c->capacity);
		}
		c->counts[number] += batch->multiplicity ? batch->multiplicity[row] : 1;
	}
	return GEMP_OK;
}

/* A record is a tuple with its count, as it is sent to the tuple's owner: the vertices, then the two words of the
 * count. */
static void make_records(const tuple_counter *c, const gemp_correlate *correlation, uint32_t *records, int *owner)
{
	const size_t width = c->index->width;
	for (size_t i = 0; i < c->index->count; i++) {
		uint32_t *record = records + i * (width + 2);
		memcpy(record, c->index->tuples + i * width, width * sizeof *record);
		memcpy(record + width, &c->counts[i], sizeof c->counts[i]);
		owner[i] = gemp_correlate_owner(correlation, record);
	}
}

/* Collective. Adds the counts of all ranks to the counts of the seeds on their owners. */
static gemp_code send_counts_to_owners(gemp_runtime *context, const tuple_counter *c, const gemp_correlate *correlation,
                                       uint64_t *seed_counts)
{
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED uint32_t *records = NULL;
	GEMP_OWNED void *received = NULL;
	GEMP_OWNED size_t *begin = NULL;
	const size_t width = c->index->width, words = width + 2;
	gemp_code code = GEMP_NEW(owner, c->index->count);
	GEMP_THEN(GEMP_NEW(records, c->index->count * words));
	if (code == GEMP_OK)
		make_records(c, correlation, records, owner);
	GEMP_TRY(gemp_exchange_records(context->comm, code, records, c->index->count, words * sizeof *records, owner,
	                               &received, &begin, &context->traffic));
	for (size_t i = 0; i < begin[context->comm->size]; i++) {
		const uint32_t *record = (const uint32_t *)received + i * words;
		uint64_t count;
		memcpy(&count, record + width, sizeof count);
		seed_counts[gemp_correlate_seed(correlation, record)] += count;
	}
	return GEMP_OK;
}

/* Collective. Sets seed_counts[] of the own seeds to the numbers of their extensions. */
static gemp_code count_extensions(gemp_finder *finder, gemp_runtime *context, uint64_t vertices,
                                  const gemp_correlate *correlation, uint64_t *seed_counts)
{
	const gemp_tuple_index *seeds = &correlation->seeds;
	GEMP_OWNED_BY(gemp_tuple_index_free) gemp_tuple_index met = { 0 };
	const bool single = context->comm->size == 1;
	tuple_counter c = { .index = seeds, .counts = seed_counts, .capacity = seeds->count };
	gemp_sink sink = { .self = &c, .consume = counter_consume, .end_round = gemp_sink_keep_collecting };
	if (single)
		return gemp_finder_run(finder, seeds->tuples, seeds->count, &sink, NULL);
	c = (tuple_counter){ .index = &met, .met = &met };
	GEMP_TRY(gemp_comm_agree(context->comm, gemp_tuple_index_init(&met, seeds->width, vertices, seeds->count)));
	gemp_code code = gemp_finder_run(finder, seeds->tuples, seeds->count, &sink, NULL);
	GEMP_THEN(send_counts_to_owners(context, &c, correlation, seed_counts));
	gemp_free(c.counts);
	return code;
}

gemp_code gemp_extension_counts(uint64_t *counts, gemp_finder *finder, gemp_runtime *context, uint64_t vertices,
                                const gemp_row_store *rows, const int *outer, size_t width)
{
	GEMP_OWNED_BY(gemp_correlate_free) gemp_correlate correlation = { 0 };
	GEMP_OWNED uint64_t *seed_counts = NULL, *answers = NULL;
	gemp_code code = gemp_correlate_new(&correlation, context, vertices, rows, outer, width);
	GEMP_THEN(GEMP_NEW(seed_counts, correlation.seeds.count));
	GEMP_THEN(GEMP_NEW(answers, correlation.tuple_count));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(count_extensions(finder, context, vertices, &correlation, seed_counts));
	GEMP_TRY(gemp_correlate_reply(&correlation, seed_counts, answers, &context->traffic));
	for (size_t row = 0; row < rows->rows; row++)
		counts[row] = correlation.row_tuple[row] == SIZE_MAX ? 0 : answers[correlation.row_tuple[row]];
	return GEMP_OK;
}
