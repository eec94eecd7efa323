/* The sink buffers the rows of a round. At the end of the round the distinct tuples of outer vertices become seeds
 * (correlate.h), and the finder extends the seeds. The extensions return to the ranks of the rows, and each row is
 * passed on with each of its extensions. */

#include "query/search/optional_match.h"

#include "core/memory.h"
#include "core/text.h"
#include "core/threads.h"
#include "query/search/correlate.h"

#include <string.h>

enum {
	ROWS_AT_ONCE = 1 << 15, /* a search starts when some rank has buffered this many rows */
	OUT_AT_ONCE = 1 << 16,  /* about so many extended rows are passed on together */
	CHUNK = 1 << 11         /* rows that a thread extends at a time */
};

/* One OPTIONAL MATCH with its finder. */
struct gemp_optional_match {
	gemp_runtime *context;
	uint64_t vertices; /* of the graph */
	const gemp_optional *optional;
	gemp_finder *finder;
	bool edges;
	size_t added, added_edges; /* number of vertices and of edges that an extension adds to a row */
};

/* The rows of one run that wait for a search. */
typedef struct optional_sink {
	gemp_optional_match *part;
	gemp_row_store rows;
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
	o->vertices = graph->vertex_count;
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
	if (x->words == (size_t)batch->vertex_count) {
		memcpy(x->records + x->count * x->words, batch->vertices, batch->rows * x->words * sizeof *x->records);
		x->count += batch->rows;
		return GEMP_OK;
	}
	for (size_t row = 0; row < batch->rows; row++) {
		uint32_t *to = x->records + x->count++ * x->words;
		memcpy(to, batch->vertices + row * (size_t)batch->vertex_count, x->vertices * sizeof *to);
		if (x->edges)
			memcpy(to + x->vertices, batch->edges + row * (size_t)batch->edge_count, x->edges * sizeof(gemp_edge));
	}
	return GEMP_OK;
}

/* Extensions grouped by the tuple that they extend: those of tuple t are places [begin[t], begin[t + 1]). */
typedef struct extension_index {
	size_t words;      /* number of words of a record */
	uint64_t *begin;   /* [tuples + 1] */
	uint32_t *order;   /* [begin[tuples]] the record at each place; NULL: the records are in this order */
	uint32_t *records; /* [begin[tuples] * words] */
} extension_index;

static void extension_index_free(extension_index *x)
{
	gemp_free_all(x->begin, x->order, x->records);
	*x = (extension_index){ 0 };
}

static const uint32_t *extension_at(const extension_index *x, uint64_t place)
{
	return x->records + (x->order ? x->order[place] : place) * x->words;
}

/* Local. Groups out->records[count] by seed: a counting sort, which moves numbers of records and not the records. */
static gemp_code group_by_seed(const gemp_correlate *correlation, size_t count, extension_index *out)
{
	const size_t seeds = correlation->seeds.count;
	GEMP_OWNED uint32_t *seed_of = NULL;
	GEMP_OWNED uint64_t *next = NULL;
	if (count > UINT32_MAX)
		return gemp_fail(GEMP_ENOMEM, "more than 2^32 - 1 matches of OPTIONAL MATCH at once");
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(out->begin, seeds + 1), GEMP_ARRAY(out->order, count), GEMP_ARRAY(seed_of, count),
	                      GEMP_ARRAY(next, seeds + 1)));
	for (size_t i = 0; i < count; i++) {
		seed_of[i] = (uint32_t)gemp_correlate_seed(correlation, out->records + i * out->words);
		out->begin[seed_of[i] + 1]++;
	}
	for (size_t s = 0; s < seeds; s++)
		next[s + 1] = out->begin[s + 1] += out->begin[s];
	for (size_t i = 0; i < count; i++)
		out->order[next[seed_of[i]]++] = (uint32_t)i;
	return GEMP_OK;
}

/* Collective. Sends the extensions to the owners of their tuples, which group them by seed. A single rank owns all
 * tuples, and *out takes the records of the list. */
static gemp_code send_extensions_to_owners(gemp_runtime *context, extension_list *x, const gemp_correlate *correlation,
                                           extension_index *out)
{
	GEMP_OWNED int *owner = NULL;
	GEMP_OWNED size_t *begin = NULL;
	void *received = NULL;
	out->words = x->words;
	if (context->comm->size == 1) {
		out->records = x->records;
		x->records = NULL;
		return group_by_seed(correlation, x->count, out);
	}
	gemp_code code = GEMP_NEW(owner, x->count);
	for (size_t i = 0; code == GEMP_OK && i < x->count; i++)
		owner[i] = gemp_correlate_owner(correlation, x->records + i * x->words);
	GEMP_TRY(gemp_exchange_records(context->comm, code, x->records, x->count, x->words * sizeof *x->records, owner,
	                               &received, &begin, &context->traffic));
	out->records = received;
	return gemp_comm_agree(context->comm, group_by_seed(correlation, begin[context->comm->size], out));
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
	gemp_code code = GEMP_NEW(of_seed, correlation->seeds.count);
	GEMP_THEN(GEMP_NEW(counts, correlation->tuple_count));
	GEMP_THEN(GEMP_NEW(out->begin, correlation->tuple_count + 1));
	GEMP_THEN(GEMP_NEW(records, total * words));
	GEMP_THEN(GEMP_NEW(owner, total));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t s = 0; s < correlation->seeds.count; s++)
		of_seed[s] = by_seed->begin[s + 1] - by_seed->begin[s];
	GEMP_TRY(gemp_correlate_reply(correlation, of_seed, counts, &context->traffic));
	for (size_t i = 0; i < correlation->request_count; i++)
		for (uint64_t j = by_seed->begin[correlation->request_seed[i]];
		     j < by_seed->begin[correlation->request_seed[i] + 1]; j++) {
			memcpy(records + at * words, extension_at(by_seed, j), words * sizeof *records);
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
	const gemp_tuple_index *seeds = &correlation->seeds;
	GEMP_OWNED_BY(extension_index_free) extension_index by_seed = { 0 };
	gemp_sink sink = { .self = x, .consume = extensions_consume, .end_round = gemp_sink_keep_collecting };
	if (o->optional->pattern->arguments == 0)
		return find_uncorrelated(s, x, out);
	GEMP_TRY(gemp_correlate_new(correlation, o->context, o->vertices, &s->rows, o->optional->outer,
	                            o->optional->pattern->arguments));
	GEMP_TRY(gemp_finder_run(o->finder, seeds->tuples, seeds->count, &sink, NULL));
	if (o->context->comm->size == 1)
		return send_extensions_to_owners(o->context, x, correlation, out);
	GEMP_TRY(send_extensions_to_owners(o->context, x, correlation, &by_seed));
	return reply_extensions(o->context, correlation, &by_seed, out);
}

/* EXTENDING */

/* A block of rows [first, last) whose extended rows are made together. */
typedef struct extension_block {
	const optional_sink *sink;
	const gemp_correlate *correlation;
	const extension_index *extensions;
	size_t first, last;
	size_t *begin; /* [last - first + 1] the first extended row of each row */
	gemp_row_store *out;
} extension_block;

/* The places of the extensions of a row. A row with a missing vertex has none. */
static void find_extensions(const gemp_correlate *correlation, const extension_index *x, size_t row, uint64_t *from,
                            uint64_t *to)
{
	const size_t tuple = correlation->row_tuple ? correlation->row_tuple[row] : 0;
	*from = tuple == SIZE_MAX ? 0 : x->begin[tuple];
	*to = tuple == SIZE_MAX ? 0 : x->begin[tuple + 1];
}

/* Writes extended row `at`: the row, then the extension's new elements. A NULL `extension` stands for missing
 * elements. The row keeps its values of sub-patterns, which are integers and booleans only. */
static void write_row(const extension_block *b, size_t row, size_t at, const uint32_t *extension)
{
	const gemp_optional_match *o = b->sink->part;
	const gemp_row_store *rows = &b->sink->rows;
	gemp_row_store *out = b->out;
	const size_t given = o->optional->pattern->arguments, v = (size_t)rows->vertex_count, e = (size_t)rows->edge_count;
	gemp_vertex *vertices = out->vertices + at * (v + o->added);
	for (size_t i = 0; i < v; i++)
		vertices[i] = rows->vertices[row * v + i];
	for (size_t i = 0; i < o->added; i++)
		vertices[v + i] = extension ? extension[given + i] : GEMP_NO_VERTEX;
	gemp_edge *edges = out->edges ? out->edges + at * (e + o->added_edges) : NULL;
	for (size_t i = 0; i < e; i++)
		edges[i] = rows->edges[row * e + i];
	for (size_t i = 0; i < o->added_edges; i++)
		edges[e + i] = GEMP_NO_EDGE;
	if (extension && o->added_edges)
		memcpy(edges + e, extension + given + o->added, o->added_edges * sizeof *edges);
	for (size_t c = 0; c < rows->value_count; c++)
		if (rows->values[c].type == GEMP_INTEGER)
			out->values[c].integers[at] = rows->values[c].integers[row];
		else
			out->values[c].booleans[at] = rows->values[c].booleans[row];
	if (rows->counted)
		out->multiplicity[at] = rows->multiplicity[row];
}

/* A row whose tuple has no extension is passed on once with missing elements. */
static void extend_rows(void *context, size_t chunk, size_t begin, size_t end)
{
	const extension_block *b = context;
	(void)chunk;
	for (size_t i = begin; i < end; i++) {
		const size_t row = b->first + i;
		size_t at = b->begin[i];
		uint64_t from, to;
		find_extensions(b->correlation, b->extensions, row, &from, &to);
		if (from == to)
			write_row(b, row, at, NULL);
		for (uint64_t place = from; place < to; place++)
			write_row(b, row, at++, extension_at(b->extensions, place));
	}
}

/* Sets begin[] and the end of the block, after at least one row and about OUT_AT_ONCE extended rows. */
static void size_block(extension_block *b)
{
	size_t rows = 0;
	for (b->last = b->first; b->last < b->sink->rows.rows && (rows < OUT_AT_ONCE || b->last == b->first); b->last++) {
		uint64_t from, to;
		find_extensions(b->correlation, b->extensions, b->last, &from, &to);
		b->begin[b->last - b->first] = rows;
		rows += gemp_max(to - from, 1);
	}
	b->out->rows = rows;
}

/* Makes the arrays for out->rows rows of a block. */
static gemp_code reserve_block(const extension_block *b)
{
	const gemp_optional_match *o = b->sink->part;
	const gemp_row_store *rows = &b->sink->rows;
	gemp_row_store *out = b->out;
	out->vertex_count = rows->vertex_count + (int)o->added;
	out->edge_count = rows->edge_count + (int)o->added_edges;
	out->counted = rows->counted;
	GEMP_TRY(GEMP_RESERVE(out->vertices, out->vertex_capacity, out->rows * (size_t)out->vertex_count));
	GEMP_TRY(GEMP_RESERVE(out->edges, out->edge_capacity, out->rows * (size_t)out->edge_count));
	if (rows->counted)
		GEMP_TRY(GEMP_RESERVE(out->multiplicity, out->multiplicity_capacity, out->rows));
	if (!out->values)
		GEMP_TRY(GEMP_NEW(out->values, rows->value_count));
	for (size_t c = 0; c < rows->value_count; c++) {
		if (c == out->value_count) {
			GEMP_TRY(gemp_column_init(&out->values[c], rows->values[c].name, rows->values[c].type));
			out->value_count++;
		}
		GEMP_TRY(gemp_column_reserve(&out->values[c], out->rows, 0));
		out->values[c].rows = out->rows;
	}
	return GEMP_OK;
}

/* Local. Passes on all extended rows, block by block. */
static gemp_code extend(optional_sink *s, const gemp_correlate *correlation, const extension_index *x)
{
	GEMP_OWNED size_t *begin = NULL;
	GEMP_OWNED_BY(gemp_row_store_free) gemp_row_store out = { 0 };
	extension_block b = { .sink = s, .correlation = correlation, .extensions = x, .out = &out };
	GEMP_TRY(GEMP_NEW(begin, s->rows.rows));
	for (b.begin = begin; b.first < s->rows.rows; b.first = b.last) {
		size_block(&b);
		GEMP_TRY(reserve_block(&b));
		gemp_for_chunks(b.last - b.first, CHUNK, extend_rows, &b);
		GEMP_TRY(gemp_row_store_pass(&out, s->next));
	}
	return GEMP_OK;
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
