#include "transform/incremental/rule_matches.h"

#include "core/pages.h"
#include "core/threads.h"
#include "match/filter/computed_columns.h"
#include "query/clause/group_request.h"
#include "query/clause/pipeline.h"
#include "query/clause/projection.h"
#include "query/query.h"
#include "query/rows/elements.h"

#include <string.h>

/* The rows of a search. They come in batches, and each round of the search appends its rows to the frame. */
typedef struct collection {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	const gemp_stab_chain *chain; /* stabiliser chain of the automorphisms; NULL: every embedding is a match */
	gemp_pipeline *pipeline;      /* NULL: rows consist of elements of matches and need no clauses */
	gemp_row_store store;         /* rows of the current round */
	gemp_frame *frame;            /* the result */
	bool direct;                  /* rows go from the search to the frame: no clause and no automorphism changes them */
	bool ended;                   /* a LIMIT has been reached, or the last round has ended */
} collection;

/* ROWS OF ELEMENTS */

/* Rows of plain elements need no clauses, so they are copied from the search. */
static bool has_only_elements(const gemp_pattern *p)
{
	const gemp_clause *r = &p->result;
	if (p->with || r->distinct || r->grouped || r->where || r->order_count || r->has_skip || r->has_limit)
		return false;
	for (size_t i = 0; i < r->item_count; i++)
		if (gemp_projection_cell(r->items[i].expr) == GEMP_CELL_VALUE)
			return false;
	return true;
}

/* Makes the columns of RETURN without rows. */
static gemp_code set_columns(collection *c)
{
	const gemp_clause *r = &c->pattern->result;
	GEMP_TRY(gemp_frame_init(c->frame, r->item_count));
	for (size_t i = 0; i < r->item_count; i++)
		GEMP_TRY(gemp_frame_set(c->frame, i, gemp_projection_cell(r->items[i].expr), r->items[i].name,
		                        gemp_projection_type(c->graph, r->items[i].expr)));
	return GEMP_OK;
}

/* Rows that a thread appends at a time. The batches of a search on the host are those of its threads, so each is short.
 * */
enum { APPENDED = 1 << 11 };

/* A batch while its elements are copied to the columns of the frame. */
typedef struct append_task {
	const collection *c;
	const gemp_batch *batch;
} append_task;

static void fill_vertices(const gemp_batch *batch, size_t vertex, uint64_t *out, size_t begin, size_t end)
{
	for (size_t row = begin; row < end; row++) {
		gemp_vertex v = batch->vertices[row * (size_t)batch->vertex_count + vertex];
		out[row] = v == GEMP_NO_VERTEX ? GEMP_NO_ELEMENT : v;
	}
}

static void append_range(void *self, size_t range, size_t begin, size_t end)
{
	const append_task *task = self;
	(void)range;
	const collection *c = task->c;
	const gemp_batch *batch = task->batch;
	for (size_t i = 0; i < c->frame->count; i++) {
		uint64_t *out = c->frame->columns[i].elements + c->frame->rows;
		size_t variable = (size_t)c->pattern->result.items[i].expr->variable;
		if (c->frame->columns[i].kind == GEMP_CELL_VERTEX)
			fill_vertices(batch, variable, out, begin, end);
		for (size_t row = begin; row < end && c->frame->columns[i].kind == GEMP_CELL_EDGE; row++)
			out[row] = batch->edges[row * (size_t)batch->edge_count + variable];
	}
}

/* Makes room for the rows of the batch. The first batch of a round makes room for all batches of the round. */
static gemp_code reserve_elements(gemp_frame_column *column, size_t rows, const gemp_batch *batch)
{
	const size_t wanted = rows + batch->rows;
	if (wanted <= column->capacity)
		return GEMP_OK;
	if (rows == 0) {
		gemp_free(column->elements);
		column->capacity = 0;
		GEMP_TRY(GEMP_NEW_UNSET(column->elements, wanted + batch->ahead));
		column->capacity = wanted + batch->ahead;
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_RESERVE(column->elements, column->capacity, wanted + batch->ahead));
	gemp_touch_pages(column->elements + rows, (column->capacity - rows) * sizeof *column->elements);
	return GEMP_OK;
}

/* Copies the rows of elements column by column. */
static gemp_code append_rows(collection *c, const gemp_batch *batch)
{
	gemp_frame *f = c->frame;
	for (size_t i = 0; i < f->count; i++)
		GEMP_TRY(reserve_elements(&f->columns[i], f->rows, batch));
	gemp_for_chunks(batch->rows, APPENDED, append_range, &(append_task){ c, batch });
	f->rows += batch->rows;
	return GEMP_OK;
}

/* CALLBACKS OF THE SEARCH */

/* Rows that no later stage changes go to the frame at once. Rows have multiplicities only if clauses group them. */
static gemp_code consume_batch(void *self, const gemp_batch *batch)
{
	collection *c = self;
	if (c->ended)
		return GEMP_OK;
	return c->direct ? append_rows(c, batch) : gemp_row_store_add(&c->store, batch, batch->rows);
}

/* Collective. Keeps one embedding of each orbit, then runs the clauses or appends the rows. */
static gemp_code finish_round(collection *c, bool last)
{
	if (c->direct)
		return GEMP_OK;
	if (c->chain)
		GEMP_TRY(gemp_representative_choose(c->context, c->graph, c->chain, c->pattern, &c->store));
	if (c->pipeline)
		return gemp_pipeline_push(c->pipeline, &c->store, c->store.counted ? c->store.multiplicity : NULL, last,
		                          &c->ended);
	const gemp_batch batch = gemp_row_store_batch(&c->store);
	return gemp_comm_agree(c->context->comm, append_rows(c, &batch));
}

/* Collective. */
static gemp_code end_round(void *self, bool last, bool *enough, bool *again)
{
	collection *c = self;
	(void)again;
	if (!c->ended) {
		GEMP_TRY(finish_round(c, last));
		*enough |= c->ended && !last;
		c->ended |= last;
	}
	gemp_row_store_clear(&c->store);
	return GEMP_OK;
}

/* Collective. The stage after the last clause. The columns are known when the first frame arrives. */
static gemp_code append_frame(void *self, gemp_frame *frame, bool last, bool *enough)
{
	gemp_code code = GEMP_OK;
	collection *c = self;
	(void)last;
	(void)enough;
	if (!c->frame->columns)
		code = gemp_frame_like(c->frame, frame);
	GEMP_THEN(gemp_frame_append(c->frame, frame));
	return gemp_comm_agree(c->context->comm, code);
}

/* SEARCH */

/* Clauses that count or compare rows need all embeddings. Otherwise one embedding of each orbit is a match. */
static gemp_match_options options_for(const gemp_pattern *pattern, const gemp_match_options *options)
{
	gemp_match_options how = *options;
	bool embeddings = pattern->optional_count || gemp_clause_wants_embeddings(pattern);
	how.distinct = embeddings ? GEMP_BY_NOTHING : GEMP_BY_ORBIT;
	how.listed = true;
	how.edges = gemp_prepared_is_composed(pattern) && gemp_clause_edges(pattern);
	how.limit = UINT64_MAX;
	how.groups = gemp_clause_group_request(pattern);
	return how;
}

/* Collective. Opens a pipeline if there are clauses. */
static gemp_code begin_rows(collection *c, const gemp_prepared_options *options)
{
	if (has_only_elements(c->pattern))
		return gemp_comm_agree(c->context->comm, set_columns(c));
	return gemp_pipeline_new(&c->pipeline, c->context, c->graph, c->pattern,
	                         gemp_degree_loops(options->match.semantics),
	                         &(gemp_row_stage){ .self = c, .push = append_frame });
}

/* The pipeline must be freed before the prepared query, since it refers to the query. */
static void free_collection(collection *c)
{
	gemp_pipeline_free(c->pipeline);
	gemp_row_store_free(&c->store);
}

/* Collective. Prepares and runs the search. */
static gemp_code find_rows(gemp_frame *out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                           const gemp_prepared_options *options, gemp_match_result *result)
{
	GEMP_OWNED_BY(gemp_prepared_free_at) gemp_prepared *query = NULL;
	GEMP_OWNED_BY(free_collection)
	collection c = { .context = context, .graph = graph, .pattern = pattern, .frame = out };
	gemp_sink sink = { .self = &c, .consume = consume_batch, .end_round = end_round };
	GEMP_TRY(gemp_prepared_prepare(&query, context, graph, pattern, options));
	c.chain = gemp_prepared_chain(query);
	GEMP_TRY(begin_rows(&c, options));
	c.direct = !c.pipeline && (!c.chain || gemp_stab_chain_is_trivial(c.chain));
	return gemp_prepared_run(query, &sink, result);
}

/* The order is searched again before the 1st, 2nd, 5th, 17th search and so on, since the graph changes between
 * searches. The number of these repetitions grows only with the logarithm of the number of steps. */
static bool is_search_due(const gemp_cached_order *order)
{
	uint64_t n = order->searches;
	return order->count == 0 || ((n & (n - 1)) == 0 && __builtin_ctzll(n) % 2 == 0);
}

/* Collective. The order is cached, since a rule that runs a thousand times would otherwise spend its time on sampling
 * orders. */
gemp_code gemp_rule_matches_rows(gemp_frame *out, gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                                 const gemp_match_options *options, uint64_t combinations, gemp_cached_order *order)
{
	*out = (gemp_frame){ 0 };
	gemp_prepared_options how = { .match = options_for(rule->pattern, options), .combinations = combinations };
	gemp_match_result result = { 0 };
	/* a composed pattern needs several searches, which have different orders */
	bool cached = order && !gemp_prepared_is_composed(rule->pattern);
	if (cached && !is_search_due(order)) {
		how.match.order_count = order->count;
		memcpy(how.match.order, order->order, sizeof order->order);
	}
	gemp_code code = find_rows(out, context, graph, rule->pattern, &how, &result);
	if (cached) {
		order->searches++;
		order->count = result.order_count;
		memcpy(order->order, result.order, sizeof order->order);
	}
	if (code != GEMP_OK)
		gemp_frame_free(out);
	return code;
}
