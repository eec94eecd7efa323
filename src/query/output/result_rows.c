/* The matches of a round are stored as rows. Plain rows (see below) are converted to columns at once. At the end of the
 * round all ranks push the stored rows through the clauses. The stage after the last clause cuts the rows to the limit
 * and writes them. */

#include "query/output/result_rows.h"

#include "core/memory.h"
#include "core/threads.h"
#include "query/clause/pipeline.h"
#include "query/clause/projection.h"
#include "query/output/output_columns.h"
#include "query/rows/elements.h"

enum { CHUNK_ROWS = 1 << 12 }; /* number of rows that one thread converts at a time */
/* maximum bytes of the tables on a rank if no memory budget is set */
static const size_t default_memory = (size_t)1 << 30;

/* PLAIN ROWS consist only of integer keys of a match's vertices. All threads convert them from ids to columns by tables
 * of the whole graph, with 8 to 20 bytes per vertex on each rank. No block of rows fetches keys. */

typedef struct plain_rows {
	const gemp_stab_chain *chain;
	/* [vertices] set if there is a chain: the rank of the key of the vertex with this id among all keys */
	uint32_t *rank;
	int64_t *key; /* [vertices] keys, indexed by rank if there is a chain, else by id */
	size_t column_count, rows;
	int *vertex;             /* [column_count] vertex of the pattern that column c shows */
	gemp_projected *columns; /* [column_count] */
} plain_rows;

/* True if every item is a vertex with an integer key, no clause must be evaluated, and the tables fit into a quarter of
 * the memory budget. */
static bool plain_rows_apply(const gemp_runtime *context, const gemp_shard *graph, const gemp_pattern *pattern)
{
	size_t budget = context->budgets.host_memory ? context->budgets.host_memory / 4 : default_memory;
	bool plain = gemp_clause_streams(pattern) && !pattern->result.has_limit && pattern->optional_count == 0 &&
	             graph->keys.type == GEMP_INTEGER &&
	             graph->vertex_count <= budget / (sizeof(int64_t) * 2 + sizeof(uint32_t));
	for (size_t i = 0; i < pattern->result.item_count; i++)
		plain = plain && pattern->result.items[i].expr->kind == GEMP_VERTEX;
	return plain;
}

/* Collective. Ranks own consecutive ids, so the concatenation in rank order is an array by id. */
static gemp_code gather_by_id(const gemp_comm *comm, const void *mine, size_t size, void **all)
{
	GEMP_OWNED size_t *begin = NULL;
	return gemp_comm_allgather(comm, GEMP_OK, mine, size, all, &begin);
}

/* Canonical tuples consist of key ranks, so the table of keys must be indexed by rank. */
static gemp_code keys_by_rank(plain_rows *plain, uint64_t vertices)
{
	GEMP_OWNED int64_t *by_id = plain->key;
	plain->key = NULL;
	GEMP_TRY(GEMP_NEW(plain->key, vertices));
	for (uint64_t id = 0; id < vertices; id++)
		plain->key[plain->rank[id]] = by_id[id];
	return GEMP_OK;
}

/* The columns have the names and types of the RETURN items. plain->vertex[c] becomes the index of the vertex that
 * column c shows. */
static gemp_code begin_columns(plain_rows *plain, const gemp_shard *graph, const gemp_pattern *pattern)
{
	GEMP_TRY(GEMP_NEW(plain->columns, pattern->result.shown));
	GEMP_TRY(GEMP_NEW(plain->vertex, pattern->result.shown));
	GEMP_TRY(gemp_output_columns_header(graph, pattern, plain->columns));
	plain->column_count = pattern->result.shown;
	for (size_t c = 0; c < plain->column_count; c++)
		plain->vertex[c] = pattern->result.items[c].expr->variable;
	return GEMP_OK;
}

/* The rows may be NULL or only partly made. */
static void plain_rows_free(plain_rows *plain)
{
	if (!plain)
		return;
	gemp_projected_free(plain->columns, plain->column_count);
	gemp_free_all(plain->columns, plain->vertex, plain->rank, plain->key, plain);
}

GEMP_RELEASE(plain_rows_free, plain_rows *)

/* Collective. Makes the tables. All arguments are borrowed, and the graph's keys must be loaded. */
static gemp_code plain_rows_new(plain_rows **out, gemp_runtime *context, const gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_stab_chain *chain)
{
	GEMP_OWNED_BY(plain_rows_free_at) plain_rows *plain = NULL;
	void *rank = NULL, *key = NULL;
	gemp_code code = GEMP_NEW(plain, 1);
	GEMP_THEN(begin_columns(plain, graph, pattern));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	plain->chain = chain;
	GEMP_TRY(gather_by_id(context->comm, graph->keys.integers, graph->rows * sizeof *graph->keys.integers, &key));
	plain->key = key;
	if (chain) {
		GEMP_TRY(gather_by_id(context->comm, graph->key_ranks, graph->rows * sizeof *graph->key_ranks, &rank));
		plain->rank = rank;
		code = keys_by_rank(plain, graph->vertex_count);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	*out = plain;
	plain = NULL;
	return GEMP_OK;
}

/* One batch, shared by the threads that convert it. */
typedef struct row_conversion {
	plain_rows *plain;
	const gemp_batch *batch;
	size_t first, rows; /* first row in the columns; number of rows of the batch */
} row_conversion;

/* Ids become ranks of keys, the tuple of ranks canonical, and ranks keys. Without a chain the ids index the keys. */
static void convert_rows(void *context, size_t range, size_t begin, size_t end)
{
	const row_conversion *t = context;
	const plain_rows *plain = t->plain;
	size_t width = (size_t)t->batch->vertex_count;
	uint64_t positions[GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES];
	(void)range;
	for (size_t row = begin; row < end; row++) {
		const gemp_vertex *ids = t->batch->vertices + row * width;
		for (size_t v = 0; v < width; v++)
			positions[v] = plain->rank ? plain->rank[ids[v]] : ids[v];
		if (plain->chain)
			gemp_stab_chain_canonical(plain->chain, positions);
		for (size_t c = 0; c < plain->column_count; c++)
			plain->columns[c].value.integers[t->first + row] = plain->key[positions[plain->vertex[c]]];
	}
}

/* The clauses need multiplicities. A chain may permute edges, so rows with edges then go to the row store. */
static bool plain_rows_accepts(const plain_rows *plain, const gemp_batch *batch)
{
	return !batch->multiplicity && !(plain->chain && batch->edge_count);
}

/* Local. Adds the first `rows` rows of a batch. Columns grow by at least half, so that few batches allocate memory. */
static gemp_code plain_rows_add(plain_rows *plain, const gemp_batch *batch, size_t rows)
{
	row_conversion t = { plain, batch, plain->rows, rows };
	plain->rows += rows;
	for (size_t c = 0; c < plain->column_count; c++) {
		gemp_column *value = &plain->columns[c].value;
		if (plain->rows > value->capacity)
			GEMP_TRY(gemp_column_reserve(value, gemp_grown_capacity(value->capacity, plain->rows), 0));
		value->rows = plain->rows;
	}
	gemp_for_chunks(rows, CHUNK_ROWS, convert_rows, &t);
	return GEMP_OK;
}

/* The last sink with its writer, and the matches that are kept until the end of the round. */
typedef struct row_output {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	gemp_rows_options options;
	gemp_pipeline *pipeline;
	gemp_row_writer *writer; /* NULL after the file is closed */
	gemp_output_columns *columns;
	gemp_row_store store;    /* matches of this round */
	plain_rows *plain;       /* matches of this round as columns; NULL while there are no tables */
	bool is_plain;           /* true if rows are plain and the tables fit into memory */
	uint64_t seen;           /* number of matches of all ranks so far, while there are no tables */
	bool streams;            /* each match gives a row, so a rank takes no more matches than rows are still wanted */
	uint64_t written, total; /* numbers of rows of all ranks, with and without the limit */
	uint64_t unseen;         /* number of matches of this rank that a preview does not show */
	bool complete;           /* true if no row was left out */
	bool ended;              /* true if no more matches are wanted */
} row_output;

/* Number of rows of this round that are not written yet. */
static size_t pending_rows(const row_output *r)
{
	return r->store.rows + (r->plain ? r->plain->rows : 0);
}

/* Local. If any rows satisfy the LIMIT, no more rows are kept than are still wanted. */
static gemp_code output_consume(void *self, const gemp_batch *batch)
{
	row_output *r = self;
	uint64_t wanted = r->ended ? 0 : r->streams ? r->options.limit - r->written - pending_rows(r) : UINT64_MAX;
	size_t count = wanted < batch->rows ? (size_t)wanted : batch->rows;
	if (count < batch->rows && gemp_rows_wants_all(&r->options))
		r->complete = false;
	for (size_t row = count; row < batch->rows && !gemp_rows_wants_all(&r->options); row++)
		r->unseen += batch->multiplicity ? batch->multiplicity[row] : 1;
	if (r->plain && plain_rows_accepts(r->plain, batch)) {
		double began = gemp_now();
		gemp_code code = plain_rows_add(r->plain, batch, count);
		gemp_timers_add(&r->context->timers, GEMP_PHASE_ATTRIBUTES, began);
		return code;
	}
	return gemp_row_store_add(&r->store, batch, count);
}

/* OUTPUT */

/* Collective. The file records whether it is complete, so the ranks agree on its completeness before they close it. */
static gemp_code close_rows(row_output *r)
{
	uint64_t incomplete = !r->complete || gemp_pipeline_truncated(r->pipeline);
	gemp_row_writer *writer = r->writer;
	double t = gemp_now();
	gemp_comm_max(r->context->comm, &incomplete, 1);
	r->complete = !incomplete;
	const gemp_result_info info = { .pattern = r->pattern->text ? r->pattern->text : "",
		                            .semantics = r->options.semantics,
		                            .distinct = r->options.distinct,
		                            .graph_hash = r->graph->hash,
		                            .complete = r->complete };
	r->writer = NULL;
	gemp_code code = gemp_row_writer_close(writer, &info);
	gemp_timers_add(&r->context->timers, GEMP_PHASE_WRITE, t);
	return code;
}

/* Collective. Returns the number of this rank's rows to write: the limit counts rows in rank order. */
static size_t cut_to_limit(row_output *r, size_t count)
{
	const gemp_comm *comm = r->context->comm;
	uint64_t left = r->options.limit - r->written;
	size_t first, end;
	uint64_t all = gemp_comm_sum1(comm, count);
	gemp_limit_rows(comm, count, 0, left, &first, &end);
	if (end < count && gemp_rows_wants_all(&r->options)) /* a preview leaves out rows on purpose */
		r->complete = false;
	r->written += all < left ? all : left;
	r->total += all;
	return end;
}

/* Collective. Writes the columns and measures the time. */
static gemp_code write_columns(row_output *r, const gemp_projected *columns, size_t count)
{
	double t = gemp_now();
	gemp_code code = gemp_row_writer_write(r->writer, columns, r->pattern->result.shown, count);
	gemp_timers_add(&r->context->timers, GEMP_PHASE_WRITE, t);
	return code;
}

/* Collective. Converts the elements of the frame to keys and writes the columns. */
static gemp_code write_frame(row_output *r, gemp_frame *frame)
{
	const double t = gemp_now(), before = gemp_timers_sum(&r->context->timers);
	const gemp_projected *columns;
	GEMP_TRY(gemp_output_columns_fill(r->columns, frame, &columns));
	gemp_timers_add_rest(&r->context->timers, GEMP_PHASE_ATTRIBUTES, t, before);
	return write_columns(r, columns, frame->rows);
}

/* Collective. A preview does not end at the limit, because it counts the rows that it does not show. */
static gemp_code end_if_reached(row_output *r, bool last, bool *enough)
{
	bool reached = r->written >= r->options.limit && gemp_rows_wants_all(&r->options);
	r->complete = r->complete && !(reached && !last);
	*enough |= reached;
	return last || reached ? close_rows(r) : GEMP_OK;
}

/* Collective. The stage after the last clause: repeats rows by their multiplicities, cuts and writes them. */
static gemp_code output_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	row_output *r = self;
	uint64_t before = r->written;
	if (!r->writer)
		return GEMP_OK;
	uint64_t max_rows = gemp_rows_wants_all(&r->options) ? r->options.limit - r->written : UINT64_MAX;
	GEMP_TRY(gemp_comm_agree(r->context->comm, gemp_frame_expand(frame, max_rows)));
	frame->rows = cut_to_limit(r, frame->rows);
	if (r->written > before)
		GEMP_TRY(write_frame(r, frame));
	return end_if_reached(r, last, enough);
}

/* Collective. Writes the plain rows without passing them through the clauses, and cuts them to the limit. */
static gemp_code write_plain(row_output *r, bool last, bool *enough)
{
	uint64_t before = r->written;
	size_t count = cut_to_limit(r, r->plain->rows);
	r->plain->rows = 0;
	if (r->written > before)
		GEMP_TRY(write_columns(r, r->plain->columns, count));
	return end_if_reached(r, last, enough);
}

/* ROUNDS */

/* Collective. The tables pay off once all ranks together have had a quarter as many rows as the graph has vertices. The
 * stored rows are converted, too. */
static gemp_code choose_plain_rows(row_output *r)
{
	gemp_code code = GEMP_OK;
	if (r->plain || !r->is_plain)
		return GEMP_OK;
	r->seen += gemp_comm_sum1(r->context->comm, r->store.rows);
	if (r->seen < r->graph->vertex_count / 4)
		return GEMP_OK;
	GEMP_TRY(plain_rows_new(&r->plain, r->context, r->graph, r->pattern, r->options.chain));
	gemp_batch stored = gemp_row_store_batch(&r->store);
	if (plain_rows_accepts(r->plain, &stored)) {
		code = plain_rows_add(r->plain, &stored, stored.rows);
		gemp_row_store_clear(&r->store);
	}
	return gemp_comm_agree(r->context->comm, code);
}

/* Collective. The representative of its orbit replaces each row, so the output is the same for any number of ranks. */
static gemp_code push_stored(row_output *r, bool last, bool *enough)
{
	const double t = gemp_now(), before = gemp_timers_sum(&r->context->timers);
	if (r->options.chain)
		GEMP_TRY(gemp_representative_choose(r->context, r->graph, r->options.chain, r->pattern, &r->store));
	gemp_timers_add_rest(&r->context->timers, GEMP_PHASE_ATTRIBUTES, t, before);
	return gemp_pipeline_push(r->pipeline, &r->store, r->store.counted ? r->store.multiplicity : NULL, last, enough);
}

/* Collective. A round may have both plain and stored rows, because rows with multiplicities are always stored. Only one
 * of the two pushes is the last one. */
static gemp_code push_rows(row_output *r, bool last, bool *enough)
{
	enum { STORED, PLAIN };
	double t = gemp_now();
	GEMP_TRY(choose_plain_rows(r));
	gemp_timers_add(&r->context->timers, GEMP_PHASE_ATTRIBUTES, t);
	if (!r->plain)
		return push_stored(r, last, enough);
	uint64_t all[] = { [STORED] = r->store.rows, [PLAIN] = r->plain->rows };
	gemp_comm_sum(r->context->comm, all, 2);
	if (all[PLAIN] || (last && !all[STORED]))
		GEMP_TRY(write_plain(r, last && !all[STORED], enough));
	if (all[STORED] && !*enough)
		GEMP_TRY(push_stored(r, last, enough));
	return GEMP_OK;
}

/* Collective. Rounds after the end do no work. A preview also counts the rows that it does not show. */
static gemp_code output_end_round(void *self, bool last, bool *enough, bool *again)
{
	row_output *r = self;
	bool satisfied = false;
	(void)again;
	if (!r->ended) {
		GEMP_TRY(push_rows(r, last, &satisfied));
		r->ended = last || satisfied;
		if (r->ended)
			r->total += gemp_comm_sum1(r->context->comm, r->unseen);
		if (r->ended && r->streams && r->pattern->result.has_limit)
			r->total = gemp_min(r->total, r->pattern->result.limit);
	}
	*enough |= r->ended && !last;
	gemp_row_store_clear(&r->store);
	return GEMP_OK;
}

/* THE SINK */

/* A writer that is still open here belongs to a failed run, so its file is removed. */
static void output_free(void *self)
{
	row_output *r = self;
	if (!r)
		return;
	gemp_row_writer_abandon(r->writer);
	gemp_pipeline_free(r->pipeline);
	gemp_row_store_free(&r->store);
	plain_rows_free(r->plain);
	gemp_output_columns_free(r->columns);
	gemp_free(r);
}

GEMP_RELEASE(output_free, row_output *)

/* Collective. The writer is opened before the search, so that an unwritable path fails at once. */
static gemp_code open_writer(row_output *r)
{
	size_t count = r->pattern->result.shown;
	GEMP_OWNED gemp_projected *header = NULL;
	GEMP_TRY(gemp_shard_load_keys(r->graph));
	r->is_plain = plain_rows_apply(r->context, r->graph, r->pattern);
	gemp_code code = GEMP_NEW(header, count);
	GEMP_THEN(gemp_output_columns_new(&r->columns, r->context, r->graph, r->pattern));
	GEMP_THEN(gemp_output_columns_header(r->graph, r->pattern, header));
	code = gemp_comm_agree(r->context->comm, code);
	GEMP_THEN(gemp_row_writer_open(&r->writer, r->context->comm, header, count, &r->options));
	gemp_projected_free(header, count);
	return code;
}

/* The writer is opened last, so that a query with refused clauses leaves no file. */
gemp_code gemp_rows_new_folded(gemp_sink *out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                               const gemp_folded_groups *folded, const gemp_rows_options *options)
{
	GEMP_OWNED_BY(output_free_at) row_output *r = NULL;
	gemp_code code = GEMP_NEW(r, 1);
	if (code == GEMP_OK) {
		r->context = context;
		r->graph = graph;
		r->pattern = pattern;
		r->options = *options;
		r->streams = gemp_clause_streams(pattern);
		r->complete = true;
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_pipeline_new_folded(&r->pipeline, context, graph, pattern, folded, options->count_loops,
	                                  &(gemp_row_stage){ .self = r, .push = output_push }));
	GEMP_TRY(open_writer(r));
	*out = (gemp_sink){ .self = r, .consume = output_consume, .end_round = output_end_round, .free = output_free };
	r = NULL;
	return GEMP_OK;
}

gemp_code gemp_rows_new(gemp_sink *out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                        const gemp_rows_options *options)
{
	return gemp_rows_new_folded(out, context, graph, pattern, NULL, options);
}

gemp_code gemp_rows_fold(gemp_sink *sink)
{
	row_output *r = sink->self;
	bool enough = false;
	r->ended = true;
	return gemp_pipeline_push_folded(r->pipeline, &enough);
}

/* The results of this function and of the next two are equal on all ranks. */
uint64_t gemp_rows_written(const gemp_sink *sink)
{
	const row_output *r = sink->self;
	return r->written;
}

uint64_t gemp_rows_total(const gemp_sink *sink)
{
	const row_output *r = sink->self;
	return r->total;
}

bool gemp_rows_complete(const gemp_sink *sink)
{
	const row_output *r = sink->self;
	return r->complete;
}

/* Rank 0 passes one row with the multiplicity `count` through the clauses. No clause reads the elements of the row. */
gemp_code gemp_rows_count(gemp_sink *sink, uint64_t count)
{
	row_output *r = sink->self;
	const gemp_comm *comm = r->context->comm;
	size_t vertex_count = gemp_pattern_row_vertices(r->pattern), edge_count = gemp_pattern_row_edges(r->pattern);
	GEMP_OWNED gemp_vertex *vertices = NULL;
	GEMP_OWNED gemp_edge *edges = NULL;
	bool enough = false, again = false;
	gemp_code code = GEMP_NEW(vertices, vertex_count);
	GEMP_THEN(GEMP_NEW(edges, edge_count));
	const gemp_batch one = { .rows = comm->rank == 0 && count,
		                     .vertex_count = (int)vertex_count,
		                     .edge_count = (int)edge_count,
		                     .vertices = vertices,
		                     .edges = edges,
		                     .multiplicity = &count };
	GEMP_THEN(output_consume(r, &one));
	GEMP_TRY(gemp_comm_agree(comm, code));
	return output_end_round(r, true, &enough, &again);
}

/* Counts the rows and passes on the whole batch, so the next sink may get more rows than the limit. */
static gemp_code limit_consume(void *self, const gemp_batch *batch)
{
	gemp_limit *limit = self;
	limit->taken += batch->rows;
	return limit->next ? limit->next->consume(limit->next->self, batch) : GEMP_OK;
}

/* Collective. The limit is tested at the end of a round, because only there the ranks can add up their numbers. */
static gemp_code limit_end_round(void *self, bool last, bool *enough, bool *again)
{
	gemp_limit *limit = self;
	bool reached = gemp_comm_sum1(limit->comm, limit->taken) >= limit->limit;
	*enough |= reached;
	return limit->next ? limit->next->end_round(limit->next->self, last || reached, enough, again) : GEMP_OK;
}

/* The caller owns the struct and reads `taken` afterwards. */
gemp_sink gemp_limit_sink(gemp_limit *limit)
{
	return (gemp_sink){ .self = limit, .consume = limit_consume, .end_round = limit_end_round };
}
