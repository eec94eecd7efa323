/* The sink buffers the rows of a round. At the end of the round the distinct tuples of outer vertices become seeds
 * (correlate.h), and the finder extends the seeds. The extensions return to the ranks of the rows, and each row is
 * passed on with each of its extensions. */

#include "query/search/optional_match.h"

#include "core/memory.h"
#include "core/text.h"
#include "query/search/correlate.h"

#include <string.h>

enum {
	ROWS_AT_ONCE = 1 << 15, /* a search starts when some rank has buffered this many rows */
	OUT_AT_ONCE = 8192      /* number of extended rows that are passed on together */
};

/* One OPTIONAL MATCH with its finder. */
struct gemp_optional_match {
	gemp_runtime *context;
	const gemp_optional *optional;
	gemp_finder *finder;
	bool edges;
	size_t added, added_edges; /* number of vertices and of edges that an extension adds to a row */
};

/* The rows of one run that wait for a search, and the extended rows that wait to be passed on. */
typedef struct optional_sink {
	gemp_optional_match *part;
	gemp_row_store rows, out;
	gemp_sink *next;
} optional_sink;

/* The finder is made once, and all runs share it. */
gemp_code gemp_optional_match_new(gemp_optional_match **out, gemp_runtime *context, gemp_shard *graph,
                                  const gemp_pattern *pattern, size_t index, const gemp_finder_options *options)
{
	GEMP_OWNED_BY(gemp_optional_match_free_at) gemp_optional_match *o = NULL;
	gemp_finder_options inner = gemp_finder_inner(options);
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(o, 1)));
	o->context = context;
	o->optional = &pattern->optionals[index];
	o->edges = options->edges;
	o->added = o->optional->pattern->vertex_count - o->optional->pattern->arguments;
	o->added_edges = o->edges ? o->optional->pattern->edge_count : 0;
	GEMP_TRY(gemp_finder_new(&o->finder, context, graph, o->optional->pattern, &inner));
	*out = o;
	o = NULL;
	return GEMP_OK;
}

void gemp_optional_match_free(gemp_optional_match *o)
{
	if (!o)
		return;
	gemp_finder_free(o->finder);
	gemp_free(o);
}

/* The plan of the optional pattern follows this line, indented. */
void gemp_optional_match_explain(const gemp_optional_match *o, int depth, gemp_text *out)
{
	gemp_text_print(out, "%*sOPTIONAL MATCH, for each of %zu given vertices\n", 2 * depth, "",
	                o->optional->pattern->arguments);
	gemp_finder_explain(o->finder, depth + 1, out);
}

/* An extension is a row of the optional pattern, stored as a record of 32-bit words: its arguments, its new vertices,
 * and its new edges (two words each). */
typedef struct extension_list {
	size_t vertices, edges, words; /* of one record: arguments and new vertices; new edges; all words */
	size_t count, capacity;
	uint32_t *records;
} extension_list;

static void extension_list_free(extension_list *x)
{
	gemp_free(x->records);
}

/* Local. Copies rows into records. */
static gemp_code extensions_consume(void *self, const gemp_batch *batch)
{
	extension_list *x = self;
	GEMP_TRY(GEMP_RESERVE(x->records, x->capacity, (x->count + batch->rows) * x->words));
	for (size_t row = 0; row < batch->rows; row++) {
		uint32_t *to = x->records + x->count++ * x->words;
		memcpy(to, batch->vertices + row * (size_t)batch->vertex_count, x->vertices * sizeof *to);
		if (x->edges)
			memcpy(to + x->vertices, batch->edges + row * (size_t)batch->edge_count, x->edges * sizeof(gemp_edge));
	}
	return GEMP_OK;
}

/* Extensions grouped by the tuple that they extend. The records of tuple t are [begin[t], begin[t + 1]). */
typedef struct extension_index {
	size_t words;      /* number of words of a record */
	uint64_t *begin;   /* [tuples + 1] */
	uint32_t *records; /* [begin[tuples] * words] */
} extension_index;

static void extension_index_free(extension_index *x)
{
	gemp_free_all(x->begin, x->records);
	*x = (extension_index){ 0 };
}

/* Collective. Sends the extensions to the owners of their tuples, where a counting sort orders them by seed. */
static gemp_code send_extensions_to_owners(gemp_runtime *context, const extension_list *x,
                                           const gemp_correlate *correlation, extension_index *out)
{
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED uint32_t *received = NULL;
	void *block = NULL;
	GEMP_OWNED size_t *begin = NULL;
	GEMP_OWNED uint64_t *next = NULL;
	gemp_code code = GEMP_NEW(owner, x->count);
	for (size_t i = 0; code == GEMP_OK && i < x->count; i++)
		owner[i] = gemp_correlate_owner(correlation, x->records + i * x->words);
	GEMP_TRY(gemp_exchange_records(context->comm, code, x->records, x->count, x->words * sizeof *received, owner,
	                               &block, &begin, &context->traffic));
	received = block;
	size_t count = begin[context->comm->size];
	out->words = x->words;
	code = GEMP_NEW(out->begin, correlation->seed_count + 1);
	GEMP_THEN(GEMP_NEW(next, correlation->seed_count + 1));
	GEMP_THEN(GEMP_NEW(out->records, count * x->words));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t i = 0; i < count; i++)
		out->begin[gemp_correlate_seed(correlation, received + i * x->words) + 1]++;
	for (size_t s = 0; s < correlation->seed_count; s++)
		next[s + 1] = out->begin[s + 1] += out->begin[s];
	for (size_t i = 0; i < count; i++) {
		size_t seed = gemp_correlate_seed(correlation, received + i * x->words);
		memcpy(out->records + next[seed]++ * x->words, received + i * x->words, x->words * sizeof *received);
	}
	return GEMP_OK;
}

/* Collective. Every rank that requested a seed gets a copy of the seed's extensions. The numbers of extensions are sent
 * first, so that the records need no header. */
static gemp_code reply_extensions(gemp_runtime *context, const gemp_correlate *correlation,
                                  const extension_index *by_seed, extension_index *out)
{
	GEMP_OWNED uint64_t *of_seed = NULL, *counts = NULL;
	uint64_t total = 0;
	GEMP_OWNED uint32_t *records = NULL;
	GEMP_OWNED int *owner = NULL;
	void *received = NULL;
	size_t at = 0, words = by_seed->words;
	for (size_t i = 0; i < correlation->request_count; i++)
		total += by_seed->begin[correlation->request_seed[i] + 1] - by_seed->begin[correlation->request_seed[i]];
	gemp_code code = GEMP_NEW(of_seed, correlation->seed_count);
	GEMP_THEN(GEMP_NEW(counts, correlation->tuple_count));
	GEMP_THEN(GEMP_NEW(out->begin, correlation->tuple_count + 1));
	GEMP_THEN(GEMP_NEW(records, total * words));
	GEMP_THEN(GEMP_NEW(owner, total));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t s = 0; s < correlation->seed_count; s++)
		of_seed[s] = by_seed->begin[s + 1] - by_seed->begin[s];
	GEMP_TRY(gemp_correlate_reply(correlation, of_seed, counts, &context->traffic));
	for (size_t i = 0; i < correlation->request_count; i++)
		for (uint64_t j = by_seed->begin[correlation->request_seed[i]];
		     j < by_seed->begin[correlation->request_seed[i] + 1]; j++) {
			memcpy(records + at * words, by_seed->records + j * words, words * sizeof *records);
			owner[at++] = correlation->request_rank[i];
		}
	GEMP_TRY(gemp_exchange_records(context->comm, GEMP_OK, records, total, words * sizeof *records, owner, &received,
	                               NULL, &context->traffic));
	out->words = words;
	out->records = received;
	for (size_t t = 0; t < correlation->tuple_count; t++)
		out->begin[t + 1] = out->begin[t] + counts[t];
	return GEMP_OK;
}

/* Collective. A pattern without outer vertices extends all rows alike, so every rank gathers all its matches. */
static gemp_code find_uncorrelated(optional_sink *s, extension_list *x, extension_index *out)
{
	const gemp_comm *comm = s->part->context->comm;
	gemp_sink sink = { .self = x, .consume = extensions_consume, .end_round = gemp_sink_keep_collecting };
	GEMP_OWNED size_t *begin = NULL;
	void *all = NULL;
	GEMP_TRY(gemp_finder_run(s->part->finder, NULL, 0, &sink, NULL));
	GEMP_TRY(gemp_comm_allgather(comm, GEMP_OK, x->records, x->count * x->words * sizeof *x->records, &all, &begin));
	out->words = x->words;
	out->records = all;
	gemp_code code = GEMP_NEW(out->begin, 2);
	if (code == GEMP_OK)
		out->begin[1] = begin[comm->size] / (x->words * sizeof *x->records);
	return gemp_comm_agree(comm, code);
}

/* Collective. A seed's owner starts the search for the seed, but the search may end on another rank. The extensions
 * therefore return to the owner first, and then to the requesting ranks. */
static gemp_code search_extensions(optional_sink *s, gemp_correlate *correlation, extension_list *x,
                                   extension_index *out)
{
	gemp_optional_match *o = s->part;
	GEMP_OWNED_BY(extension_index_free) extension_index by_seed = { 0 };
	gemp_sink sink = { .self = x, .consume = extensions_consume, .end_round = gemp_sink_keep_collecting };
	if (o->optional->pattern->arguments == 0)
		return find_uncorrelated(s, x, out);
	GEMP_TRY(
		gemp_correlate_new(correlation, o->context, &s->rows, o->optional->outer, o->optional->pattern->arguments));
	GEMP_TRY(gemp_finder_run(o->finder, correlation->seed, correlation->seed_count, &sink, NULL));
	GEMP_TRY(send_extensions_to_owners(o->context, x, correlation, &by_seed));
	return reply_extensions(o->context, correlation, &by_seed, out);
}

/* EXTENDING */

/* Returns a column of one value, which is borrowed. The values of sub-patterns are integers and booleans only. */
static gemp_column value_at(const gemp_column *column, size_t row)
{
	gemp_column one = { .name = column->name, .type = column->type, .rows = 1 };
	if (column->type == GEMP_INTEGER)
		one.integers = column->integers + row;
	else
		one.booleans = column->booleans + row;
	return one;
}

/* Passes on one row with one extension. A NULL `extension` stands for missing elements. The row keeps its values of
 * sub-patterns. */
static gemp_code emit(optional_sink *s, size_t row, const uint32_t *extension)
{
	const gemp_optional_match *o = s->part;
	const gemp_row_store *rows = &s->rows;
	size_t given = o->optional->pattern->arguments, v = (size_t)rows->vertex_count, e = (size_t)rows->edge_count;
	gemp_vertex vertices[GEMP_MAX_PATTERN_VERTICES];
	gemp_edge edges[GEMP_MAX_PATTERN_EDGES];
	gemp_column values[GEMP_MAX_PATTERN_VERTICES];
	memcpy(vertices, rows->vertices + row * v, v * sizeof *vertices);
	if (e)
		memcpy(edges, rows->edges + row * e, e * sizeof *edges);
	for (size_t i = 0; i < o->added; i++)
		vertices[v + i] = extension ? extension[given + i] : GEMP_NO_VERTEX;
	for (size_t i = 0; i < o->added_edges; i++)
		edges[e + i] = GEMP_NO_EDGE;
	if (extension && o->added_edges)
		memcpy(edges + e, extension + given + o->added, o->added_edges * sizeof *edges);
	for (size_t c = 0; c < rows->value_count; c++)
		values[c] = value_at(&rows->values[c], row);
	const gemp_batch one = { .rows = 1,
		                     .vertex_count = (int)(v + o->added),
		                     .edge_count = (int)(e + o->added_edges),
		                     .vertices = vertices,
		                     .edges = edges,
		                     .value_count = rows->value_count,
		                     .values = values };
	GEMP_TRY(gemp_row_store_add(&s->out, &one, 1));
	if (s->out.rows >= OUT_AT_ONCE)
		GEMP_TRY(gemp_row_store_pass(&s->out, s->next));
	return GEMP_OK;
}

/* A row whose tuple has no extension is passed on once with missing elements. */
static gemp_code extend(optional_sink *s, const gemp_correlate *correlation, const extension_index *x)
{
	for (size_t row = 0; row < s->rows.rows; row++) {
		size_t tuple = correlation->row_tuple ? correlation->row_tuple[row] : 0;
		uint64_t from = tuple == SIZE_MAX ? 0 : x->begin[tuple], to = tuple == SIZE_MAX ? 0 : x->begin[tuple + 1];
		if (from == to)
			GEMP_TRY(emit(s, row, NULL));
		for (uint64_t i = from; i < to; i++)
			GEMP_TRY(emit(s, row, x->records + i * x->words));
	}
	return gemp_row_store_pass(&s->out, s->next);
}

/* Collective. Searches for the extensions of the buffered rows and passes on the extended rows. */
static gemp_code search_and_extend(optional_sink *s)
{
	const gemp_optional_match *o = s->part;
	GEMP_OWNED_BY(gemp_correlate_free) gemp_correlate correlation = { 0 };
	GEMP_OWNED_BY(extension_index_free) extension_index found = { 0 };
	GEMP_OWNED_BY(extension_list_free)
	extension_list x = { .vertices = o->optional->pattern->vertex_count, .edges = o->added_edges };
	x.words = x.vertices + 2 * x.edges;
	GEMP_TRY(search_extensions(s, &correlation, &x, &found));
	gemp_code code = gemp_comm_agree(o->context->comm, extend(s, &correlation, &found));
	gemp_row_store_clear(&s->rows);
	return code;
}

/* Buffers the rows until the end of the round, where all ranks search together. */
static gemp_code optional_consume(void *self, const gemp_batch *batch)
{
	optional_sink *s = self;
	return gemp_row_store_add(&s->rows, batch, batch->rows);
}

/* Collective. A search starts when some rank has many buffered rows, so that few searches serve many rows. */
static gemp_code optional_end_round(void *self, bool last, bool *enough, bool *again)
{
	optional_sink *s = self;
	uint64_t max_rows = s->rows.rows;
	gemp_comm_max(s->part->context->comm, &max_rows, 1);
	if (max_rows >= ROWS_AT_ONCE || (last && max_rows))
		GEMP_TRY(search_and_extend(s));
	return s->next->end_round(s->next->self, last, enough, again);
}

/* The caller owns the next sink, so the next sink is not freed here. */
static void optional_sink_free(void *self)
{
	optional_sink *s = self;
	if (!s)
		return;
	gemp_row_store_free(&s->rows);
	gemp_row_store_free(&s->out);
	gemp_free(s);
}

GEMP_RELEASE(optional_sink_free, optional_sink *)

/* Each run has a sink of its own, because the sink buffers rows. */
gemp_code gemp_optional_match_sink(gemp_sink *out, gemp_optional_match *part, gemp_sink *next)
{
	GEMP_OWNED_BY(optional_sink_free_at) optional_sink *s = NULL;
	GEMP_TRY(gemp_comm_agree(part->context->comm, GEMP_NEW(s, 1)));
	s->part = part;
	s->next = next;
	*out = (gemp_sink){
		.self = s, .consume = optional_consume, .end_round = optional_end_round, .free = optional_sink_free
	};
	s = NULL;
	return GEMP_OK;
}
