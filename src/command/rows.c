#include "command/rows.h"

#include "query/projection.h"
#include "query/representative.h"
#include "command/row_writer.h"
#include "core/memory.h"
#include "match/row_store.h"

#include <string.h>

typedef struct rows {
	gemp_context *context;
	gemp_graph *graph;
	const gemp_pattern *pattern;
	gemp_rows_options options;
	gemp_projection *projection;
	gemp_row_writer *writer;     /* NULL: closed */
	gemp_projected *columns;     /* [return_count] this turn's */
	gemp_row_store store;        /* taken since the last turn; never more than may still be written */
	uint64_t written;            /* by all ranks */
	bool complete;               /* no row was left out */
} rows;

static gemp_code rows_take(void *self, const gemp_batch *batch)
{
	rows *r = self;
	uint64_t wanted = r->writer ? r->options.limit - r->written - r->store.rows : 0;
	if (wanted < batch->rows)
		r->complete = false;
	return gemp_row_store_add(&r->store, batch, wanted < batch->rows ? (size_t)wanted : batch->rows);
}

/* Collective. Of the rows of all ranks in rank order, those within the limit. */
static void cut_to_limit(rows *r)
{
	const gemp_comm *comm = r->context->comm;
	uint64_t left = r->options.limit - r->written, before = gemp_comm_before(comm, r->store.rows);
	uint64_t all = gemp_comm_sum1(comm, r->store.rows), mine = before < left ? left - before : 0;
	if (mine < r->store.rows) {
		r->store.rows = (size_t)mine;
		r->complete = false;
	}
	r->written += all < left ? all : left;
}

/* Collective. */
static gemp_code write_rows(rows *r)
{
	gemp_code code = GEMP_OK;
	size_t count = r->pattern->result.item_count;
	uint64_t before = r->written;
	cut_to_limit(r);
	if (r->written == before)
		return GEMP_OK;
	double t = gemp_now();
	if (r->options.chain)
		GEMP_TRY(gemp_choose_representatives(r->context, r->graph, r->options.chain,
		                                     r->pattern->vertex_count + r->pattern->edge_count, &r->store));
	GEMP_TRY(gemp_project(r->projection, &r->store, r->columns));
	t = gemp_timers_add(&r->context->timers, GEMP_ATTRIBUTES, t);
	code = gemp_row_writer_write(r->writer, r->columns, count, r->store.rows);
	gemp_timers_add(&r->context->timers, GEMP_WRITE, t);
	gemp_projected_free(r->columns, count);
done:
	gemp_row_store_clear(&r->store);
	return code;
}

static gemp_result_info info_of(const gemp_graph *graph, const gemp_pattern *pattern, const gemp_rows_options *options,
                                bool complete)
{
	return (gemp_result_info){
		.pattern = pattern->text ? pattern->text : "", .semantics = options->semantics, .distinct = options->distinct,
		.graph_hash = graph->hash, .complete = complete,
	};
}

/* Collective. */
static gemp_code close_rows(rows *r, bool reached)
{
	uint64_t incomplete = !r->complete || reached;
	gemp_row_writer *writer = r->writer;
	double t = gemp_now();
	gemp_comm_max(r->context->comm, &incomplete, 1);
	gemp_result_info info = info_of(r->graph, r->pattern, &r->options, !incomplete);
	r->writer = NULL;
	gemp_code code = gemp_row_writer_close(writer, &info);
	gemp_timers_add(&r->context->timers, GEMP_WRITE, t);
	return code;
}

static gemp_code rows_turn(void *self, bool last, bool *enough, bool *again)
{
	gemp_code code = GEMP_OK;
	rows *r = self;
	(void)again;
	if (r->writer)
		GEMP_TRY(write_rows(r));
	bool reached = r->written >= r->options.limit && r->options.path;
	if (r->writer && (last || reached))
		GEMP_TRY(close_rows(r, reached && !last));
	*enough |= reached;
done:
	return code;
}

static void rows_free(void *self)
{
	rows *r = self;
	if (!r)
		return;
	gemp_row_writer_abandon(r->writer);
	gemp_projection_free(r->projection);
	gemp_row_store_free(&r->store);
	gemp_free(r->columns);
	gemp_free(r);
}

/* Collective. */
static gemp_code open_writer(rows *r)
{
	gemp_code code = GEMP_OK;
	size_t count = r->pattern->result.item_count;
	GEMP_TRY(gemp_comm_agree(r->context->comm, gemp_project_none(r->graph, r->pattern, r->columns)));
	code = gemp_row_writer_open(&r->writer, r->context->comm, r->columns, count, &r->options);
done:
	gemp_projected_free(r->columns, count);
	memset(r->columns, 0, count * sizeof *r->columns);
	return code;
}

gemp_code gemp_rows_new(gemp_sink *out, gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern,
                        const gemp_rows_options *options)
{
	gemp_code code = GEMP_OK;
	rows *r;
	code = GEMP_NEW(r, 1);
	if (code == GEMP_OK) {
		r->context = context;
		r->graph = graph;
		r->pattern = pattern;
		r->options = *options;
		r->complete = true;
		code = GEMP_NEW(r->columns, pattern->result.item_count);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_projection_new(&r->projection, context, graph, pattern));
	GEMP_TRY(open_writer(r));
	*out = (gemp_sink){ .self = r, .take = rows_take, .turn = rows_turn, .free = rows_free };
	r = NULL;
done:
	rows_free(r);
	return code;
}

uint64_t gemp_rows_written(const gemp_sink *sink)
{
	const rows *r = sink->self;
	return r->written;
}

gemp_code gemp_rows_count(gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern,
                          const gemp_rows_options *options, uint64_t count)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = context->comm;
	gemp_projected *columns = NULL;
	gemp_row_writer *writer = NULL;
	code = GEMP_NEW(columns, pattern->result.item_count);
	if (code == GEMP_OK)
		code = gemp_project_count(graph, pattern, count, columns);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_row_writer_open(&writer, comm, columns, pattern->result.item_count, options));
	GEMP_TRY(gemp_row_writer_write(writer, columns, pattern->result.item_count, comm->rank == 0));
	gemp_result_info info = info_of(graph, pattern, options, true);
	code = gemp_row_writer_close(writer, &info);
	writer = NULL;
done:
	gemp_row_writer_abandon(writer);
	gemp_projected_free(columns, pattern->result.item_count);
	gemp_free(columns);
	return code;
}
