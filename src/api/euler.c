#include "gemp/euler.h"

#include "api/euler_search.h"
#include "api/graph_state.h"
#include "core/memory.h"
#include "euler/device_engine.h"
#include "euler/order_rows.h"
#include "euler/orient.h"
#include "euler/ranks/ranks_engine.h"

/* With fewer edges no device is opened to ask what it is; GPU_MIN: of a GPU that nobody has measured. */
enum { DEVICE_MIN = 1 << 14, GPU_MIN = 1 << 18 };

static gemp_code find_once(gemp_euler_search *s, const gemp_comm *comm)
{
	gemp_euler_options how = s->options;
	how.seed = 1;
	gemp_euler_result_free(&s->result);
	if (s->runtime && gemp_use_device(s->runtime->device, s->place, s->edges.edges, "euler.host_below", GPU_MIN))
		return gemp_euler_on_device(&s->result, s->runtime->device, &s->edges, &how);
	return gemp_euler_on_ranks(&s->result, comm, &s->edges, &how);
}

/* Collective. Undirected edges get directions; odd degrees are found out there. */
static gemp_code orient(gemp_euler_search *s, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	double since = gemp_now();
	if (!s->edges.undirected && !s->plain.undirected)
		return GEMP_OK;
	if (s->edges.undirected) {
		s->plain = s->edges;
		s->edges = (gemp_euler_edges){ 0 };
	}
	gemp_euler_edges_free(&s->edges);
	GEMP_TRY(gemp_euler_orient(&s->edges, comm, &s->plain, &s->result.unbalanced));
	if (s->timers)
		gemp_timers_add(s->timers, GEMP_PHASE_CONVERT, since);
done:
	return code;
}

static gemp_code find_any(gemp_euler_search *s, const gemp_comm *comm)
{
	gemp_code code = orient(s, comm);
	return code == GEMP_OK && !s->result.unbalanced ? find_once(s, comm) : code;
}

gemp_code gemp_euler_search_run(gemp_euler_search *s, gemp_context *context, gemp_shard *graph)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = &context->comm;
	const bool may = s->place == GEMP_PLACE_AUTO && s->edges.edges >= DEVICE_MIN &&
	                 s->edges.edges <= GEMP_EULER_DEVICE_EDGES;
	if (comm->size == 1 && (may || s->place == GEMP_PLACE_DEVICE))
		GEMP_TRY(gemp_context_runtime(&s->runtime, context, false, s->timers));
	GEMP_TRY(find_any(s, comm));
	if (!s->result.unbalanced)
		return GEMP_OK;
	GEMP_TRY(gemp_shard_load_keys(graph));
	gemp_euler_edges *edges = s->plain.undirected ? &s->plain : &s->edges;
	GEMP_TRY(gemp_euler_balance_find(&s->balance, comm, edges, graph->key_ranks));
	s->balanced = true;
	if (!s->balance.path || !s->path)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(comm, gemp_euler_edges_close(edges, s->balance.start, s->balance.end)));
	s->result.unbalanced = 0;
	code = find_any(s, comm);
done:
	return code;
}

bool gemp_euler_search_found(const gemp_euler_search *s)
{
	return !s->result.unbalanced && s->result.components <= 1;
}

void gemp_euler_search_free(gemp_euler_search *s)
{
	gemp_euler_result_free(&s->result);
	gemp_euler_edges_free(&s->edges);
	gemp_euler_edges_free(&s->plain);
}

static gemp_euler_outcome outcome_of(const gemp_euler_search *s)
{
	const bool found = gemp_euler_search_found(s);
	gemp_euler_outcome outcome = { .edges = found ? s->result.order.edges : 0,
		                           .components = s->balanced ? s->balance.components : s->result.components,
		                           .unbalanced = s->balance.unbalanced,
		                           .has_path = s->balance.path };
	if (found)
		outcome.kind = s->balanced ? GEMP_EULER_PATH : GEMP_EULER_CIRCUIT;
	return outcome;
}

gemp_code gemp_graph_euler(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges, bool may_be_path,
                           gemp_euler_outcome *outcome)
{
	gemp_code code = GEMP_OK;
	gemp_context *context = graph->context;
	gemp_shard *shard = graph->shard;
	gemp_euler_search search = { .path = may_be_path, .options.sources = true };
	gemp_edge_selection chosen;
	gemp_columns *columns = NULL;
	bool *relations = NULL;
	*out = NULL;
	gemp_edge_selection_init(&chosen);
	if (edges)
		gemp_options_copy(&chosen, sizeof chosen, edges);
	GEMP_TRY(gemp_graph_select(&relations, graph, &chosen));
	for (size_t r = 0; r < shard->relation_count; r++)
		if (relations[r])
			GEMP_TRY(gemp_shard_load_relation(shard, r, GEMP_LOAD_OUT));
	GEMP_TRY(gemp_comm_agree(&context->comm, gemp_euler_edges_new(&search.edges, shard, relations)));
	GEMP_TRY(gemp_euler_search_run(&search, context, shard));
	if (gemp_euler_search_found(&search)) {
		GEMP_TRY(gemp_shard_load_keys(shard));
		GEMP_TRY(gemp_columns_new(&columns, context));
		const gemp_euler_rows_options how = { .table = &columns->table };
		GEMP_TRY(gemp_euler_rows_write(&context->comm, shard, &search.edges, &search.result.order, &how));
	}
	*outcome = outcome_of(&search);
	*out = columns;
	columns = NULL;
done:
	gemp_columns_close(columns);
	gemp_euler_search_free(&search);
	gemp_free(relations);
	return code;
}
