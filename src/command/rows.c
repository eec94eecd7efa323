#include "command/rows.h"

#include "command/row_writer.h"
#include "core/memory.h"
#include "match/row_store.h"
#include "query/clause.h"
#include "query/cut.h"
#include "query/pipeline.h"
#include "query/projection.h"
#include "query/representative.h"

#include <string.h>

typedef struct rows {
	gemp_context *context;
	gemp_graph *graph;
	const gemp_pattern *pattern;
	gemp_rows_options options;
	gemp_pipeline *pipeline;
	gemp_row_writer *writer;     /* NULL: closed */
	gemp_projected *columns;     /* [shown] of what is written just now */
	gemp_row_store store;        /* matches taken since the last turn */
	size_t multiplicity_capacity;
	uint64_t *multiplicity;      /* [store.rows], if has_multiplicity */
	bool has_multiplicity;
	bool streams;                /* no more matches are taken than rows may still be written */
	uint64_t written, total;     /* by all ranks; and before the limit */
	uint64_t unseen;             /* by this rank: matches beyond what a preview shows */
	bool complete;               /* no row was left out */
	bool ended;                  /* no more matches are wanted */
} rows;

/* MATCHES */

static gemp_code take_multiplicity(rows *r, const gemp_batch *batch, size_t count)
{
	gemp_code code = GEMP_OK;
	size_t before = r->store.rows;
	if (!batch->multiplicity && !r->has_multiplicity)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(r->multiplicity, r->multiplicity_capacity, before + count));
	for (size_t row = 0; row < before && !r->has_multiplicity; row++)
		r->multiplicity[row] = 1;
	for (size_t row = 0; row < count; row++)
		r->multiplicity[before + row] = batch->multiplicity ? batch->multiplicity[row] : 1;
	r->has_multiplicity = true;
done:
	return code;
}

static gemp_code rows_take(void *self, const gemp_batch *batch)
{
	gemp_code code = GEMP_OK;
	rows *r = self;
	gemp_batch once = *batch;
	uint64_t wanted = r->ended ? 0 : r->streams ? r->options.limit - r->written - r->store.rows : UINT64_MAX;
	size_t count = wanted < batch->rows ? (size_t)wanted : batch->rows;
	if (count < batch->rows && r->options.path)
		r->complete = false;
	for (size_t row = count; row < batch->rows && !r->options.path; row++)
		r->unseen += batch->multiplicity ? batch->multiplicity[row] : 1;
	once.multiplicity = NULL;
	GEMP_TRY(take_multiplicity(r, batch, count));
	code = gemp_row_store_add(&r->store, &once, count);
done:
	return code;
}

/* Collective. */
static void count_unseen(rows *r)
{
	const gemp_clause *clause = &r->pattern->result;
	r->total += gemp_comm_sum1(r->context->comm, r->unseen);
	if (r->streams && clause->has_limit && r->total > clause->limit)
		r->total = clause->limit;
}

static gemp_code rows_turn(void *self, bool last, bool *enough, bool *again)
{
	gemp_code code = GEMP_OK;
	rows *r = self;
	bool satisfied = false;
	double t = gemp_now();
	(void)again;
	if (!r->ended) {
		if (r->options.chain)
			GEMP_TRY(gemp_choose_representatives(r->context, r->graph, r->options.chain, r->pattern,
			                                     &r->store));
		gemp_timers_add(&r->context->timers, GEMP_ATTRIBUTES, t);
		GEMP_TRY(gemp_pipeline_push(r->pipeline, &r->store, r->has_multiplicity ? r->multiplicity : NULL, last,
		                            &satisfied));
		r->ended = last || satisfied;
		if (r->ended)
			count_unseen(r);
	}
	*enough |= r->ended && !last;
done:
	gemp_row_store_clear(&r->store);
	r->has_multiplicity = false;
	return code;
}

/* OUTPUT */

static gemp_result_info info_of(const gemp_graph *graph, const gemp_pattern *pattern, const gemp_rows_options *options,
                                bool complete)
{
	return (gemp_result_info){
		.pattern = pattern->text ? pattern->text : "", .semantics = options->semantics, .distinct = options->distinct,
		.graph_hash = graph->hash, .complete = complete,
	};
}

/* Collective. */
static gemp_code close_rows(rows *r)
{
	uint64_t incomplete = !r->complete || gemp_pipeline_left_out(r->pipeline);
	gemp_row_writer *writer = r->writer;
	double t = gemp_now();
	gemp_comm_max(r->context->comm, &incomplete, 1);
	r->complete = !incomplete;
	gemp_result_info info = info_of(r->graph, r->pattern, &r->options, r->complete);
	r->writer = NULL;
	gemp_code code = gemp_row_writer_close(writer, &info);
	gemp_timers_add(&r->context->timers, GEMP_WRITE, t);
	return code;
}

/* Collective. Of the rows of all ranks in rank order, those within the limit. */
static gemp_code cut_to_limit(rows *r, gemp_frame *frame)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = r->context->comm;
	uint64_t left = r->options.limit - r->written;
	size_t first, end;
	GEMP_TRY(gemp_comm_agree(comm, gemp_frame_expand(frame, r->options.path ? left : UINT64_MAX)));
	uint64_t all = gemp_comm_sum1(comm, frame->rows);
	gemp_cut_rows(comm, frame->rows, 0, left, &first, &end);
	r->complete = r->complete && (end == frame->rows || !r->options.path); /* a preview shows fewer on purpose */
	frame->rows = end;
	r->written += all < left ? all : left;
	r->total += all;
done:
	return code;
}

/* Collective. */
static gemp_code write_rows(rows *r, gemp_frame *frame)
{
	gemp_code code = GEMP_OK;
	double t = gemp_now();
	GEMP_TRY(gemp_project(r->context, r->graph, r->pattern, frame, r->columns));
	t = gemp_timers_add(&r->context->timers, GEMP_ATTRIBUTES, t);
	code = gemp_row_writer_write(r->writer, r->columns, r->pattern->result.shown, frame->rows);
	gemp_timers_add(&r->context->timers, GEMP_WRITE, t);
	gemp_projected_free(r->columns, r->pattern->result.shown);
done:
	return code;
}

/* The stage behind the last clause. A preview has no end to the rows that it counts. */
static gemp_code output_push(void *self, gemp_frame *frame, bool last, bool *enough)
{
	gemp_code code = GEMP_OK;
	rows *r = self;
	uint64_t before = r->written;
	if (!r->writer)
		return GEMP_OK;
	GEMP_TRY(cut_to_limit(r, frame));
	if (r->written > before)
		GEMP_TRY(write_rows(r, frame));
	bool reached = r->written >= r->options.limit && r->options.path;
	r->complete = r->complete && !(reached && !last);
	if (last || reached)
		GEMP_TRY(close_rows(r));
	*enough |= reached;
done:
	return code;
}

/* THE SINK */

static void rows_free(void *self)
{
	rows *r = self;
	if (!r)
		return;
	gemp_row_writer_abandon(r->writer);
	gemp_pipeline_free(r->pipeline);
	gemp_row_store_free(&r->store);
	gemp_free(r->multiplicity);
	gemp_free(r->columns);
	gemp_free(r);
}

/* Collective. */
static gemp_code open_writer(rows *r)
{
	gemp_code code = GEMP_OK;
	size_t count = r->pattern->result.shown;
	GEMP_TRY(gemp_graph_need_keys(r->graph));
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
		r->streams = gemp_clause_streams(pattern);
		r->complete = true;
		code = GEMP_NEW(r->columns, pattern->result.shown);
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_pipeline_new(&r->pipeline, context, graph, pattern, options->count_loops,
	                           &(gemp_stage){ .self = r, .push = output_push }));
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

uint64_t gemp_rows_total(const gemp_sink *sink)
{
	const rows *r = sink->self;
	return r->total;
}

bool gemp_rows_complete(const gemp_sink *sink)
{
	const rows *r = sink->self;
	return r->complete;
}

gemp_code gemp_rows_count(gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern,
                          const gemp_rows_options *options, uint64_t count)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = context->comm;
	const size_t shown = pattern->result.shown;
	gemp_projected *columns = NULL;
	gemp_row_writer *writer = NULL;
	code = GEMP_NEW(columns, shown);
	if (code == GEMP_OK)
		code = gemp_project_count(graph, pattern, count, columns);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_row_writer_open(&writer, comm, columns, shown, options));
	GEMP_TRY(gemp_row_writer_write(writer, columns, shown, comm->rank == 0));
	gemp_result_info info = info_of(graph, pattern, options, true);
	code = gemp_row_writer_close(writer, &info);
	writer = NULL;
done:
	gemp_row_writer_abandon(writer);
	gemp_projected_free(columns, shown);
	gemp_free(columns);
	return code;
}
