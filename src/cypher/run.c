#include "cypher/run.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/node_memory.h"
#include "cypher/change/apply.h"
#include "cypher/clause/conditions.h"
#include "cypher/clause/execute.h"
#include "partition/patch/new_keys.h"

#include <time.h>

/* Rows of the whole query may take this part of the memory that the node has left, unless --host-memory is given. */
static const double budget_share = 0.8;

/* UPDATES */

static const char *update_word(gemp_cypher_clause_kind kind)
{
	switch (kind) {
	case GEMP_CY_CREATE: return "CREATE";
	case GEMP_CY_MERGE: return "MERGE";
	case GEMP_CY_SET: return "SET";
	case GEMP_CY_REMOVE: return "REMOVE";
	case GEMP_CY_DELETE: return "DELETE";
	case GEMP_CY_FOREACH: return "FOREACH";
	default: return NULL;
	}
}

static gemp_code refuse_updates(const gemp_cypher_tree *tree, const gemp_cypher_query *query)
{
	for (const gemp_cypher_part *part = query->first; part; part = part->next)
		for (const gemp_cypher_clause *clause = part->first; clause; clause = clause->next) {
			const char *word = update_word(clause->kind);
			if (word)
				return gemp_source_fail(&tree->source, clause->place.begin,
				                        "%s changes the graph, and this run only reads; run "
				                        "`gemp-mpi transform G.h5 --query ... -o H.h5` (docs/opencypher.md)",
				                        word);
			if (clause->query)
				GEMP_TRY(refuse_updates(tree, clause->query));
		}
	return GEMP_OK;
}

gemp_code gemp_cypher_refuse_updates(const gemp_cypher_tree *tree)
{
	return tree->writes ? refuse_updates(tree, tree->query) : GEMP_OK;
}

/* RUN */

/* Bounds the bytes that this rank holds while it executes or serves the clauses, and returns the bound. */
static size_t limit_memory(const gemp_runtime *context)
{
	const size_t given = context->budgets.host_memory;
	const double left = (double)gemp_memory_available() / (double)context->comm->node_size;
	const size_t budget = given ? given : gemp_memory_live() + (size_t)(budget_share * left);
	gemp_memory_set_limit(budget);
	return budget;
}

static size_t count_clauses(const gemp_cypher_query *query)
{
	size_t count = 0;
	for (const gemp_cypher_part *part = query->first; part; part = part->next)
		for (const gemp_cypher_clause *clause = part->first; clause; clause = clause->next)
			count++;
	return count;
}

static void init_engine(gemp_cypher_engine *engine, size_t budget, const gemp_shard *graph,
                        const gemp_cypher_tree *tree, gemp_cypher_search *search, const gemp_datum *parameters)
{
	struct timespec now = { 0 };
	clock_gettime(CLOCK_REALTIME, &now);
	*engine = (gemp_cypher_engine){ .search = search,
		                            .match = gemp_cypher_search_match,
		                            .load = gemp_cypher_search_load,
		                            .graph = graph,
		                            .outer_rows = 1,
		                            .budget = budget,
		                            .clause_count = count_clauses(tree->query) };
	engine->environment = (gemp_cypher_environment){ .source = &tree->source,
		                                             .graph = gemp_cypher_search_graph(search),
		                                             .parameters = parameters,
		                                             .now_seconds = now.tv_sec,
		                                             .now_nanos = now.tv_nsec,
		                                             .budget = engine->budget };
	gemp_cypher_execute_install(engine);
}

/* The nodes whose keys the writer of a result reads: its nodes, and the ends of its relationships. */
typedef struct written_nodes {
	const gemp_cypher_graph *graph;
	gemp_cypher_table nodes; /* of one column */
} written_nodes;

static gemp_code add_node(written_nodes *w, uint64_t id)
{
	gemp_datum *cell;
	GEMP_TRY(gemp_cypher_table_add(&w->nodes, &cell));
	*cell = (gemp_datum){ .kind = GEMP_DATUM_NODE, .id = id };
	return GEMP_OK;
}

static gemp_code add_written(void *self, const gemp_datum *element)
{
	written_nodes *w = self;
	uint64_t from, to;
	if (element->kind == GEMP_DATUM_NODE)
		return add_node(w, element->id);
	GEMP_TRY(w->graph->ends(w->graph->self, element->id, &from, &to));
	GEMP_TRY(add_node(w, from));
	return add_node(w, to);
}

static void written_nodes_free(written_nodes *w)
{
	gemp_cypher_table_free(&w->nodes);
}

/* Fetches the keys that the writer of the result reads, while the other ranks still serve. The first element that is
 * read fetches the keys of all elements that were loaded. */
static gemp_code fetch_keys(const gemp_cypher_engine *engine, const gemp_cypher_table *rows)
{
	const gemp_cypher_graph *graph = engine->environment.graph;
	GEMP_OWNED_BY(written_nodes_free) written_nodes written = { .graph = graph, .nodes = { .width = 1 } };
	gemp_cypher_table *nodes = &written.nodes;
	gemp_datum key;
	GEMP_TRY(gemp_cypher_search_load(engine->search, rows));
	for (size_t i = 0; i < rows->rows * rows->width; i++)
		GEMP_TRY(gemp_datum_visit_elements(&rows->cells[i], add_written, &written));
	GEMP_TRY(gemp_cypher_search_load(engine->search, nodes));
	for (size_t i = 0; i < nodes->rows; i++)
		GEMP_TRY(graph->key(graph->self, nodes->cells[i].id, &nodes->arena, &key));
	return GEMP_OK;
}

/* Rank 0. The query begins with one row without values. */
static gemp_code execute_query(gemp_cypher_engine *engine, const gemp_cypher_query *query, gemp_cypher_table *rows)
{
	GEMP_OWNED_BY(gemp_cypher_table_free) gemp_cypher_table start = { 0 };
	uint64_t random = (uint64_t)engine->environment.now_seconds ^ (uint64_t)engine->environment.now_nanos << 32;
	gemp_datum *cells;
	engine->environment.random = &random;
	GEMP_TRY(gemp_cypher_table_add(&start, &cells));
	return gemp_cypher_execute(engine, query, &start, rows);
}

static gemp_code name_columns(gemp_cypher_result *out, gemp_cypher_tree *tree)
{
	const gemp_cypher_clause *last = tree->query->first->last;
	size_t at = 0;
	for (const gemp_cypher_item *item = last->items; item && last->kind == GEMP_CY_RETURN; item = item->next)
		out->count++;
	GEMP_TRY(GEMP_ARENA_NEW(&tree->arena, out->names, out->count + 1));
	for (const gemp_cypher_item *item = last->items; at < out->count; item = item->next)
		out->names[at++] = item->alias.bytes;
	return GEMP_OK;
}

static gemp_code run(gemp_cypher_result *out, gemp_runtime *context, gemp_shard *graph, gemp_cypher_tree *tree,
                     const gemp_datum *parameters, const gemp_prepared_options *options,
                     const gemp_cypher_analyses *analyses)
{
	gemp_cypher_engine engine;
	gemp_code code = gemp_cypher_refuse_updates(tree);
	GEMP_THEN(gemp_cypher_divide_conditions(tree->query, &tree->arena));
	GEMP_THEN(name_columns(out, tree));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_cypher_search_new(&out->search, context, graph, tree, parameters, options, analyses));
	const size_t budget = limit_memory(context);
	if (context->comm->rank == 0) {
		init_engine(&engine, budget, graph, tree, out->search, parameters);
		code = execute_query(&engine, tree->query, &out->rows);
		out->unmatched = engine.unmatched;
		GEMP_THEN(fetch_keys(&engine, &out->rows));
		code = gemp_cypher_engine_place(&engine, tree->query->last->last, code);
		gemp_progress_end();
		gemp_cypher_search_end(out->search, code);
	} else {
		code = gemp_cypher_search_serve(out->search);
	}
	gemp_memory_set_limit(0);
	return code;
}

gemp_code gemp_cypher_run(gemp_cypher_result *out, gemp_runtime *context, gemp_shard *graph, gemp_cypher_tree *tree,
                          const gemp_datum *parameters, const gemp_prepared_options *options,
                          const gemp_cypher_analyses *analyses)
{
	*out = (gemp_cypher_result){ 0 };
	const gemp_code code = run(out, context, graph, tree, parameters, options, analyses);
	if (code != GEMP_OK)
		gemp_cypher_result_free(out);
	return code;
}

bool gemp_cypher_writes(const gemp_cypher_tree *tree)
{
	return tree->writes;
}

/* WRITING */

/* A query that changes the graph. The ranks other than 0 serve searches until rank 0 has changes for the graph; then
 * all ranks patch the graph, and make a search of the new one. */
typedef struct writing {
	gemp_cypher_engine engine; /* rank 0; the first member, so that engine->apply finds this */
	gemp_runtime *context;
	gemp_shard **graph;
	gemp_cypher_tree *tree;
	const gemp_datum *parameters;
	const gemp_prepared_options *options;
	const gemp_cypher_analyses *analyses;
	gemp_cypher_search *search; /* NULL after a failure of all ranks */
	gemp_cypher_change *change; /* rank 0 */
	bool string_keys;           /* of the graph of the search */
} writing;

/* Collective. The keys of created nodes follow the largest key of the graph. */
static gemp_code find_first_key(writing *w)
{
	GEMP_TRY(gemp_shard_load_keys(*w->graph));
	const int64_t max_key = gemp_patch_max_key(w->context->comm, *w->graph);
	if (w->change)
		w->change->first_key = (int64_t)((uint64_t)max_key + 1);
	return GEMP_OK;
}

/* Collective. When all nodes with other keys are deleted, strings such as "7" become integers; new keys follow them. */
static gemp_code renew_search(writing *w)
{
	const bool string_keys = (*w->graph)->keys.type == GEMP_STRING;
	if (w->string_keys && !string_keys)
		GEMP_TRY(find_first_key(w));
	w->string_keys = string_keys;
	GEMP_TRY(
		gemp_cypher_search_new(&w->search, w->context, *w->graph, w->tree, w->parameters, w->options, w->analyses));
	if (!w->change)
		return GEMP_OK;
	w->change->search = w->engine.search = w->search;
	w->engine.graph = *w->graph;
	w->change->string_keys = string_keys;
	gemp_cypher_search_read_through(w->search, &w->change->graph);
	return GEMP_OK;
}

/* Collective. Rank 0 tells whether the graph gets changes, or the query has ended. */
static bool broadcast_changes(const writing *w, bool some)
{
	uint64_t word = some;
	if (w->context->comm->size > 1)
		GEMP_MPI(MPI_Bcast(&word, 1, MPI_UINT64_T, 0, w->context->comm->world));
	return word != 0;
}

/* Rank 0. Values that rows share outlive the search that has read them. A search is freed after the broadcast, as on
 * the other ranks: to free it is collective, since the ranks of a node may share its memory. */
static gemp_code apply_changes(gemp_cypher_engine *engine)
{
	writing *w = (writing *)engine;
	GEMP_OWNED_BY(gemp_cypher_row_ids_free) gemp_cypher_row_ids ids = { 0 };
	if (!gemp_cypher_change_is_pending(w->change))
		return GEMP_OK;
	GEMP_TRY(gemp_cypher_row_ids_new(&ids, w->change, engine->tables));
	gemp_cypher_search_keep_values(w->search, &w->change->arena);
	gemp_cypher_search_end(w->search, GEMP_OK);
	broadcast_changes(w, true);
	gemp_cypher_search_free(w->search);
	w->search = NULL;
	GEMP_TRY(gemp_cypher_change_apply(w->change, w->context, w->graph, &ids));
	GEMP_TRY(renew_search(w));
	return gemp_cypher_row_ids_replace(&ids, engine->tables);
}

/* Ranks other than 0. */
static gemp_code serve_changes(writing *w)
{
	for (;;) {
		GEMP_TRY(gemp_cypher_search_serve(w->search));
		if (!broadcast_changes(w, false))
			return GEMP_OK;
		gemp_cypher_search_free(w->search);
		w->search = NULL;
		GEMP_TRY(gemp_cypher_change_apply(NULL, w->context, w->graph, NULL));
		GEMP_TRY(renew_search(w));
	}
}

/* Rank 0. A query without RETURN has no rows. */
static gemp_code execute_changes(writing *w, gemp_cypher_table *rows)
{
	gemp_cypher_live_table live = { .table = rows };
	GEMP_TRY(execute_query(&w->engine, w->tree->query, rows));
	if (w->tree->query->first->last->kind != GEMP_CY_RETURN)
		gemp_cypher_table_free(rows);
	w->engine.tables = &live;
	GEMP_TRY(apply_changes(&w->engine));
	return fetch_keys(&w->engine, rows);
}

/* Rank 0. */
static gemp_code lead_changes(writing *w, size_t budget, gemp_cypher_result *out)
{
	init_engine(&w->engine, budget, *w->graph, w->tree, w->search, w->parameters);
	w->engine.environment.graph = &w->change->graph;
	w->engine.change = w->change;
	w->engine.apply = apply_changes;
	const gemp_code code = gemp_cypher_engine_place(&w->engine, w->tree->query->last->last,
	                                                execute_changes(w, &out->rows));
	gemp_progress_end();
	if (!w->search)
		return code; /* all ranks have failed */
	gemp_cypher_search_end(w->search, code);
	if (code == GEMP_OK)
		broadcast_changes(w, false);
	return code;
}

static gemp_code run_changes(writing *w, gemp_cypher_result *out)
{
	const size_t budget = limit_memory(w->context);
	const gemp_code code = w->change ? lead_changes(w, budget, out) : serve_changes(w);
	gemp_memory_set_limit(0);
	return code;
}

/* Collective. */
static gemp_code begin_changes(writing *w, gemp_cypher_result *out)
{
	const gemp_comm *comm = w->context->comm;
	gemp_code code = GEMP_OK;
	if (comm->rank == 0) {
		code = GEMP_NEW(out->change, 1);
		w->change = out->change;
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (w->change)
		gemp_cypher_change_init(w->change);
	GEMP_TRY(find_first_key(w));
	return renew_search(w);
}

static gemp_code run_writing(gemp_cypher_result *out, writing *w, gemp_cypher_counts *counts)
{
	gemp_code code = gemp_cypher_divide_conditions(w->tree->query, &w->tree->arena);
	GEMP_THEN(name_columns(out, w->tree));
	GEMP_TRY(gemp_comm_agree(w->context->comm, code));
	code = begin_changes(w, out);
	GEMP_THEN(run_changes(w, out));
	out->search = w->search;
	if (code == GEMP_OK && w->change)
		*counts = w->change->counts;
	if (code == GEMP_OK)
		gemp_comm_sum(w->context->comm, (uint64_t *)counts, sizeof *counts / sizeof(uint64_t));
	return code;
}

gemp_code gemp_cypher_run_writing(gemp_cypher_result *out, gemp_runtime *context, gemp_shard **graph,
                                  gemp_cypher_tree *tree, const gemp_datum *parameters,
                                  const gemp_prepared_options *options, const gemp_cypher_analyses *analyses,
                                  gemp_cypher_counts *counts)
{
	writing w = { .context = context,
		          .graph = graph,
		          .tree = tree,
		          .parameters = parameters,
		          .options = options,
		          .analyses = analyses };
	*counts = (gemp_cypher_counts){ 0 };
	*out = (gemp_cypher_result){ 0 };
	const gemp_code code = run_writing(out, &w, counts);
	if (code != GEMP_OK)
		gemp_cypher_result_free(out);
	return code;
}

void gemp_cypher_result_free(gemp_cypher_result *result)
{
	gemp_cypher_table_free(&result->rows);
	gemp_cypher_search_free(result->search);
	if (result->change)
		gemp_cypher_change_free(result->change);
	gemp_free(result->change);
	*result = (gemp_cypher_result){ 0 };
}
