#include "query/output/subgraph_sink.h"

#include "core/memory.h"
#include "graph/batch.h"
#include "io/export/export.h"
#include "io/file/output.h"
#include "partition/derived/subgraph.h"

/* Bit sets hold the elements of the matches so far. Under a limit, the rows of a round are stored, and their elements
 * are marked when the round ends. */
typedef struct subgraph_sink {
	gemp_runtime *context;
	gemp_shard *graph;
	gemp_subgraph_sink_options options;
	gemp_subgraph wanted;
	gemp_row_store store; /* used with a limit: rows of this round */
	uint64_t taken;       /* used with a limit: number of rows of all ranks in earlier rounds */
	bool written;
	uint64_t vertices, edges; /* size of the graph that was written */
} subgraph_sink;

/* Called before the search, so that a typing error does not cost a run. */
gemp_code gemp_subgraph_sink_check(const char *path)
{
	gemp_export_format format = GEMP_EXPORT_AUTO;
	if (gemp_file_ends_in(path, ".h5") || gemp_export_choose(&format, path) == GEMP_OK)
		return GEMP_OK;
	return gemp_fail(GEMP_EUSAGE,
	                 "subgraph %s: the ending says the form: .h5, .tsv, .csv, .jsonl, .graphml, .dot or "
	                 ".mtx",
	                 path);
}

/* The bit sets have pages that are allocated on demand, so that a small subgraph of a large graph needs little
 * memory. */
static gemp_code mark_elements(subgraph_sink *m, const gemp_batch *batch)
{
	size_t vertices = batch->rows * (size_t)batch->vertex_count, edges = batch->rows * (size_t)batch->edge_count;
	for (size_t i = 0; i < vertices; i++)
		if (batch->vertices[i] != GEMP_NO_VERTEX)
			GEMP_TRY(gemp_page_bits_add(&m->wanted.vertices, batch->vertices[i]));
	for (size_t i = 0; i < edges; i++)
		if (batch->edges[i] != GEMP_NO_EDGE)
			GEMP_TRY(gemp_page_bits_add(&m->wanted.edges, batch->edges[i]));
	return GEMP_OK;
}

/* Stores no more rows than the limit still allows. */
static gemp_code store_rows(subgraph_sink *m, const gemp_batch *batch)
{
	uint64_t left = m->options.limit - m->taken - m->store.rows;
	return gemp_row_store_add(&m->store, batch, left < batch->rows ? (size_t)left : batch->rows);
}

/* Local. Without a limit the elements are marked at once. With a limit the rows of the round are stored, because only
 * the first rows in rank order count. */
static gemp_code subgraph_consume(void *self, const gemp_batch *batch)
{
	subgraph_sink *m = self;
	if (!m->written)
		GEMP_TRY(m->options.limit == UINT64_MAX ? mark_elements(m, batch) : store_rows(m, batch));
	if (m->options.next)
		GEMP_TRY(m->options.next->consume(m->options.next->self, batch));
	return GEMP_OK;
}

/* Collective. Marks the elements of the first rows in rank order, so that exactly as many matches count as the limit
 * allows on all ranks together. */
static gemp_code mark_within_limit(subgraph_sink *m)
{
	const gemp_comm *comm = m->context->comm;
	uint64_t left = m->options.limit - m->taken, before = gemp_comm_exscan(comm, m->store.rows);
	uint64_t all = gemp_comm_sum1(comm, m->store.rows), own_rows = before < left ? left - before : 0;
	if (own_rows < m->store.rows)
		m->store.rows = (size_t)own_rows;
	m->taken += all < left ? all : left;
	gemp_batch batch = gemp_row_store_batch(&m->store);
	gemp_code code = mark_elements(m, &batch);
	gemp_row_store_clear(&m->store);
	return gemp_comm_agree(comm, code);
}

/* Collective. The subgraph becomes a graph of its own, which the writers of graph files accept like any other graph. */
static gemp_code write_graph(subgraph_sink *m)
{
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;
	const gemp_comm *comm = m->context->comm;
	gemp_export_options how = { .path = m->options.path };
	double t = gemp_now();
	m->written = true;
	GEMP_TRY(gemp_subgraph_make(&graph, comm, m->graph, &m->wanted));
	m->vertices = graph->vertex_count;
	m->edges = gemp_shard_edges(graph);
	if (gemp_file_ends_in(m->options.path, ".h5")) {
		GEMP_TRY(gemp_graph_file_write(comm, graph, m->options.path, m->options.provenance));
	} else {
		GEMP_TRY(gemp_export_choose(&how.format, m->options.path));
		GEMP_TRY(gemp_export(comm, graph, &how, NULL));
	}
	gemp_timers_add(&m->context->timers, GEMP_PHASE_WRITE, t);
	return GEMP_OK;
}

/* Collective. The graph is written once, when no more matches can come. */
static gemp_code subgraph_end_round(void *self, bool last, bool *enough, bool *again)
{
	subgraph_sink *m = self;
	bool limited = m->options.limit < UINT64_MAX;
	if (m->options.next)
		GEMP_TRY(m->options.next->end_round(m->options.next->self, last, enough, again));
	if (limited && !m->written)
		GEMP_TRY(mark_within_limit(m));
	*enough |= limited && m->taken >= m->options.limit;
	if (!m->written && ((last && !*again) || *enough))
		GEMP_TRY(write_graph(m));
	return GEMP_OK;
}

/* The sink may be only partly made. */
static void sink_free(void *self)
{
	subgraph_sink *m = self;
	if (!m)
		return;
	gemp_subgraph_free(&m->wanted);
	gemp_row_store_free(&m->store);
	gemp_free(m);
}

GEMP_RELEASE(sink_free, subgraph_sink *)

/* Before the search, rank 0 tests whether the file may be written, so that a typing error does not cost a run. */
gemp_code gemp_subgraph_sink_new(gemp_sink *out, gemp_runtime *context, gemp_shard *graph,
                                 const gemp_subgraph_sink_options *options)
{
	GEMP_OWNED_BY(sink_free_at) subgraph_sink *m = NULL;
	gemp_code code = GEMP_NEW(m, 1);
	if (code == GEMP_OK) {
		m->context = context;
		m->graph = graph;
		m->options = *options;
		code = gemp_subgraph_new(&m->wanted, graph);
	}
	GEMP_THEN(gemp_subgraph_sink_check(options->path));
	if (code == GEMP_OK && context->comm->rank == 0)
		code = gemp_file_may_write("subgraph", options->path);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	*out = (gemp_sink){ .self = m, .consume = subgraph_consume, .end_round = subgraph_end_round, .free = sink_free };
	m = NULL;
	return GEMP_OK;
}

/* Both numbers are 0 before the graph is written. */
void gemp_subgraph_sink_size(const gemp_sink *sink, uint64_t *vertices, uint64_t *edges)
{
	const subgraph_sink *m = sink->self;
	*vertices = m->vertices;
	*edges = m->edges;
}
