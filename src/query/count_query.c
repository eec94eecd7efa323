#include "query/count_query.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/text.h"
#include "count/count.h"
#include "count/neighbours.h"
#include "count/planner.h"
#include "pattern/symmetry/automorphism.h"

struct gemp_count_query {
	gemp_runtime *context;
	const gemp_pattern *pattern;
	bool embeddings; /* --distinct none: these are counted, not orbits */
	uint64_t order;  /* automorphisms */
	gemp_count_plan *plan;
	gemp_count_engine *engine; /* NULL: the query is only explained, and has rows instead */
	gemp_resident *rows;       /* NULL: the engine has its own */
};

/* Sums give one number: no rows, no share per rank or vertex, no profile and no early end. */
static bool only_counts(const gemp_match_options *o)
{
	return !o->listed && !o->count_parts && !o->count_per && !o->profile && !o->sampled && o->limit == UINT64_MAX;
}

/* Options that fix how matches are searched for, or distinguish matches by more than orbits. */
static const char *unsupported_reason(const gemp_pattern *pattern, const gemp_match_options *o)
{
	if (!o->count_by_formula)
		return "--count-by enumerate";
	if (o->distinct == GEMP_BY_VERTICES || (o->distinct == GEMP_BY_SUBGRAPH && pattern->has_return))
		return "matches with one image are to be put together";
	if (o->symmetry_by_hash || o->pivot_off || o->order_count || o->lanes)
		return "an option says how to search";
	if (o->replicate != GEMP_REPLICATE_AUTO && o->replicate != GEMP_REPLICATE_ALL)
		return "--replicate does not let every rank hold all rows";
	return NULL;
}

/* Collective. An estimate: rows, their lower halves, supports at both ends of an edge, and as much again for tables.
 * Half of the device's memory may be used. */
static bool rows_fit(const gemp_runtime *context, const gemp_shard *graph)
{
	const gemp_device *device = context->device;
	uint64_t entries = 2 * gemp_shard_edges(graph), bytes = 8 * (entries + graph->vertex_count) * sizeof(uint32_t);
	bool fits = bytes <= device->memory / 2 && entries * sizeof(uint32_t) <= device->max_buffer;
	return gemp_comm_sum1(context->comm, !fits) == 0;
}

/* Collective. Facts about devices and parallel edges that the planner needs. All ranks must get the same plan, so
 * a sum is allowed only if all devices support it. Only directed or labelled views can have parallel edges. */
static gemp_code find_planner_options(gemp_count_planner_options *out, gemp_runtime *context, gemp_shard *graph,
                                      const gemp_pattern *pattern, const gemp_match_options *options)
{
	const gemp_view_key key = { .relations = pattern->edge_count ? pattern->edges[0].relations : NULL,
		                        .direction = GEMP_VIEW_EITHER,
		                        .simple = pattern->simple };
	*out = (gemp_count_planner_options){ .iso = options->semantics == GEMP_ISO };
	out->hom = options->semantics == GEMP_HOM && options->distinct == GEMP_BY_NOTHING && pattern->simple;
	out->ordered = gemp_comm_sum1(context->comm, context->device->gpu) == 0;
	out->codegrees = gemp_comm_sum1(context->comm, !gemp_neighbours_codegrees(context->device, graph->vertex_count)) ==
	                 0;
	if (pattern->simple || !pattern->edge_count)
		return GEMP_OK;
	double began = gemp_now();
	for (size_t r = 0; r < graph->relation_count; r++)
		if (key.relations[r])
			GEMP_PROPAGATE(gemp_shard_load_relation(graph, r, gemp_view_parts(key.direction)));
	began = gemp_timers_add(&context->timers, GEMP_PHASE_READ, began);
	GEMP_PROPAGATE(gemp_view_parallel(context->comm, graph, &key, &out->parallel));
	gemp_timers_add(&context->timers, GEMP_PHASE_CONVERT, began);
	return GEMP_OK;
}

/* A group whose order overflows is treated as of order 1: the planner refuses such patterns by their size. */
static gemp_code find_plan(gemp_count_query *c, const gemp_count_planner_options *planner_options,
                           const gemp_match_options *options, const char **reason)
{
	GEMP_OWNED_BY(gemp_symmetry_free_at) gemp_symmetry *own = NULL;
	const gemp_symmetry *symmetry = options->symmetry;
	bool overflow = false;
	if (!symmetry) {
		GEMP_PROPAGATE(gemp_automorphism_find(&own, c->pattern, true));
		symmetry = own;
	}
	c->order = gemp_symmetry_order(symmetry, &overflow);
	if (planner_options->hom)
		c->order = 1;
	return gemp_count_plan_new(&c->plan, c->pattern, overflow ? 1 : c->order, planner_options, reason);
}

/* Collective. For --explain: the rows take most of the memory, so that the memory report is close without running
 * a kernel. */
static gemp_code prepare_rows(gemp_count_query *c, gemp_shard *graph, const gemp_view_key *key)
{
	GEMP_PROPAGATE(gemp_count_get_rows(&c->rows, c->context, graph, key));
	return gemp_comm_agree(c->context->comm, gemp_view_upload(&c->rows->views[0], c->context->device, c->rows->wide));
}

/* Sums that do not fit in memory or 64 bits are no error of the query: rank 0 warns and matches are enumerated. */
static bool falls_back(const gemp_runtime *context, gemp_code *code)
{
	if (*code != GEMP_ENOMEM && *code != GEMP_EDATA)
		return false;
	if (context->comm->rank == 0)
		gemp_warn("%s: matches are counted one by one", gemp_message());
	*code = GEMP_OK;
	return true;
}

gemp_code gemp_count_query_new(gemp_count_query **out, gemp_runtime *context, gemp_shard *graph,
                               const gemp_pattern *pattern, const gemp_match_options *options, const char **reason)
{
	gemp_code code = GEMP_OK;
	gemp_count_query *c = NULL;
	gemp_count_planner_options planner_options;
	*out = NULL;
	*reason = NULL;
	if (!only_counts(options) || (*reason = unsupported_reason(pattern, options)) != NULL)
		return GEMP_OK;
	if (!rows_fit(context, graph)) {
		*reason = "the rows do not fit on every device";
		return GEMP_OK;
	}
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(c, 1)));
	*c = (gemp_count_query){ .context = context,
		                     .pattern = pattern,
		                     .embeddings = options->distinct == GEMP_BY_NOTHING };
	GEMP_TRY(find_planner_options(&planner_options, context, graph, pattern, options));
	GEMP_TRY(gemp_comm_agree(context->comm, find_plan(c, &planner_options, options, reason)));
	if (!c->plan)
		goto done;
	const gemp_view_key key = { .relations = pattern->edges[0].relations,
		                        .direction = GEMP_VIEW_EITHER,
		                        .simple = true };
	code = options->explained ? prepare_rows(c, graph, &key)
	                          : gemp_count_prepare(&c->engine, context, graph, &key, c->plan);
	if (falls_back(context, &code)) {
		*reason = "its sums do not fit";
		goto done;
	}
	GEMP_TRY(code);
	*out = c;
	c = NULL;
done:
	gemp_count_query_free(c);
	return code;
}

void gemp_count_query_free(gemp_count_query *c)
{
	if (!c)
		return;
	gemp_count_free(c->engine);
	gemp_resident_release(c->rows);
	gemp_count_plan_free(c->plan);
	gemp_free(c);
}

void gemp_count_query_explain(const gemp_count_query *c, gemp_text *out)
{
	gemp_count_plan_print(c->plan, out);
}

/* An orbit has as many embeddings as the group has automorphisms, so the product is the number of embeddings. */
static gemp_code fill_result(const gemp_count_query *c, const gemp_count_result *counted, gemp_match_result *result)
{
	size_t peaks[] = { gemp_memory_peak(), c->context->device->buffer_peak };
	uint64_t peak_values[] = { peaks[0], peaks[1] };
	gemp_comm_max(c->context->comm, peak_values, 2);
	*result = (gemp_match_result){ .matches = counted->matches,
		                           .complete = true,
		                           .embeddings_known = true,
		                           .launches = counted->launches,
		                           .rounds = 1,
		                           .local_share = 1,
		                           .kernel_imbalance = 1,
		                           .match_imbalance = 1,
		                           .host_peak = peak_values[0],
		                           .device_peak = peak_values[1],
		                           .distinct_passes = 1,
		                           .by_sums = true };
	if (counted->overflow)
		return gemp_fail(GEMP_EDATA, "there are 2^64 matches or more");
	if (__builtin_mul_overflow(counted->matches, c->order, &result->embeddings)) {
		result->embeddings_known = false;
		result->embeddings_reason = "more than 2^64 - 1";
		if (c->embeddings)
			return gemp_fail(GEMP_EDATA, "more than 2^64 - 1 embeddings; count with --distinct orbit");
	}
	if (c->embeddings)
		result->matches = result->embeddings;
	return GEMP_OK;
}

gemp_code gemp_count_query_run(gemp_count_query *c, gemp_match_result *result, bool *fits)
{
	gemp_count_result counted;
	gemp_code code = gemp_count_run(c->engine, &counted);
	*fits = !falls_back(c->context, &code);
	return *fits && code == GEMP_OK ? fill_result(c, &counted, result) : code;
}
