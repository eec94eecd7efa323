#include "query/counting.h"

#include "core/limits.h"
#include "core/log.h"
#include "core/status.h"
#include "count/host_sums.h"
#include "count/neighbours.h"
#include "partition/views/renumbered_view.h"
#include "pattern/symmetry/automorphism.h"
#include "query/edge_sides.h"

#include <float.h>

/* Sums give numbers, so options must not ask for rows, counts by part or vertex, a profile, or an early end. */
static bool only_counts(const gemp_match_options *o)
{
	return (!o->listed || o->groups.only_presence) && !o->count_parts && !o->count_per && !o->profile && !o->sampled &&
	       o->limit == UINT64_MAX;
}

/* Returns why the pattern or an option rules out sums; NULL if sums are possible. */
static const char *unsupported_reason(const gemp_pattern *pattern, const gemp_match_options *o)
{
	if (!o->count_by_formula)
		return "count-by enumerate";
	if (o->distinct == GEMP_BY_VERTICES || (o->distinct == GEMP_BY_SUBGRAPH && pattern->has_return))
		return "matches with one image are to be put together";
	if (o->symmetry_by_hash || o->pivot_off || o->order_count || o->lanes)
		return "an option says how to search";
	if (o->replicate != GEMP_REPLICATE_AUTO && o->replicate != GEMP_REPLICATE_ALL)
		return "replicate does not let every rank hold all rows";
	return NULL;
}

/* The memory of sums relative to the rows. All sums need the rows, and the rows of lower slots with the source of each
 * entry, which are as large. Supports of both take the same again, and other sums have tables of their own. */
static uint64_t copies_of_rows(const gemp_count_plan *plan)
{
	enum { WITHOUT_TABLES = 3, WITH_TABLES = 8 };
	for (size_t i = 0; i < plan->sum_count; i++)
		if (plan->sums[i].kind > GEMP_SUM_TRIANGLES)
			return WITH_TABLES;
	return plan->support ? WITH_TABLES : WITHOUT_TABLES;
}

/* Collective. Sums may use half of the device's memory. */
static bool rows_fit(const gemp_runtime *context, const gemp_shard *graph, const gemp_count_plan *plan)
{
	const gemp_device *device = context->device;
	uint64_t entries = 2 * gemp_shard_edges(graph);
	uint64_t bytes = copies_of_rows(plan) * (entries + graph->vertex_count) * sizeof(uint32_t);
	bool fits = bytes <= device->memory / 2 && entries * sizeof(uint32_t) <= device->max_buffer;
	return gemp_comm_sum1(context->comm, !fits) == 0;
}

/* Collective. All ranks must get the same plan, so a kind of sum is allowed only if all devices support it. */
static void allow_for_devices(gemp_count_planner_options *out, const gemp_runtime *context, const gemp_shard *graph)
{
	out->ordered = gemp_comm_sum1(context->comm, context->device->gpu) == 0;
	bool codegrees = gemp_neighbours_codegrees(context->device, graph->vertex_count);
	out->codegrees = gemp_comm_sum1(context->comm, !codegrees) == 0;
}

/* Do the options ask for the number of embeddings? Only then are there sums for edge-iso and hom, under which an orbit
 * may have fewer embeddings than the group has automorphisms. */
static bool counts_embeddings(const gemp_match_options *o)
{
	return o->distinct == GEMP_BY_NOTHING;
}

/* Collective. Labels and directions that the edges imply are left out of the sums. A pattern that has neither is not
 * checked, and an index of rows, which has no directions, is then enough. */
static gemp_code find_implied(gemp_count_planner_options *out, const gemp_counting *c, gemp_shard *graph,
                              const gemp_pattern *pattern)
{
	gemp_edge_sides sides = { .implied = out->implied, .two_sided = out->two_sided };
	if (sides.implied || sides.two_sided)
		GEMP_TRY(gemp_edge_sides_check(&sides, c->context, graph, pattern));
	out->implied = sides.implied;
	out->two_sided = sides.two_sided;
	return GEMP_OK;
}

/* Sets what the pattern and the options allow, if the graph has it, too. Sums over embeddings alone may ignore labels,
 * since automorphisms of the pattern keep labels. */
static void allow_for_pattern(gemp_count_planner_options *out, const gemp_match_options *options,
                              const gemp_pattern *pattern)
{
	const gemp_edge_sides sides = gemp_edge_sides_of_pattern(pattern);
	*out = (gemp_count_planner_options){ .iso = options->semantics == GEMP_ISO };
	out->edge_iso = options->semantics == GEMP_EDGE_ISO && counts_embeddings(options);
	out->hom = options->semantics == GEMP_HOM && counts_embeddings(options);
	out->implied = !out->iso && sides.implied;
	out->two_sided = !out->iso && sides.two_sided;
}

/* Collective. The simple view of a --pattern has neither loops nor parallel edges. The rows of other views are read for
 * these only if the pattern itself allows sums, since a search may need fewer rows. */
static gemp_code find_planner_options(gemp_count_planner_options *out, const gemp_counting *c, gemp_shard *graph,
                                      const gemp_pattern *pattern)
{
	gemp_runtime *context = c->context;
	const gemp_view_key key = { .relations = pattern->edge_count ? pattern->edges[0].relations : NULL,
		                        .direction = GEMP_VIEW_EITHER,
		                        .simple = pattern->simple };
	allow_for_pattern(out, c->options, pattern);
	if (pattern->simple || !pattern->edge_count || gemp_count_refusal(pattern, out))
		return GEMP_OK;
	double began = gemp_now();
	GEMP_TRY(find_implied(out, c, graph, pattern));
	if (gemp_count_refusal(pattern, out))
		return GEMP_OK;
	for (size_t r = 0; r < graph->relation_count && !gemp_view_index(graph, &key); r++) /* an index has the answer */
		if (key.relations[r])
			GEMP_TRY(gemp_shard_load_relation(graph, r, gemp_view_parts(key.direction)));
	if (!out->iso && !gemp_view_is_loaded(graph, &key))
		GEMP_TRY(gemp_view_load(graph, &key));
	began = gemp_timers_add(&context->timers, GEMP_PHASE_READ, began);
	GEMP_TRY(gemp_view_parallel(context->comm, graph, &key, &out->parallel));
	if (!out->iso && !out->parallel)
		GEMP_TRY(gemp_view_loops(context->comm, graph, &key, &out->loops));
	gemp_timers_add(&context->timers, GEMP_PHASE_CONVERT, began);
	return GEMP_OK;
}

/* If the order of the group overflows, the planner gets order 1. It refuses patterns of such a size anyway. */
static gemp_code find_sums(gemp_counting *c, const gemp_pattern *pattern,
                           const gemp_count_planner_options *planner_options)
{
	GEMP_OWNED_BY(gemp_symmetry_free_at) gemp_symmetry *own = NULL;
	const gemp_symmetry *symmetry = c->options->symmetry;
	bool overflow = false;
	if (!symmetry) {
		GEMP_TRY(gemp_automorphism_find(&own, pattern, true));
		symmetry = own;
	}
	c->order = gemp_symmetry_order(symmetry, &overflow);
	if (!planner_options->iso)
		c->order = 1;
	return gemp_count_plan_new(&c->plan, pattern, overflow ? 1 : c->order, planner_options, &c->enumerated);
}

static void release_rows(gemp_counting *c)
{
	gemp_resident_release(c->rows);
	c->rows = NULL;
}

/* The reason why matches are enumerated stays. */
void gemp_counting_free(gemp_counting *c)
{
	gemp_count_free(c->engine);
	release_rows(c);
	gemp_count_plan_free(c->plan);
	gemp_typed_counting_free(c->typed);
	c->engine = NULL;
	c->plan = NULL;
	c->typed = NULL;
}

/* Sums that do not fit into memory or 64 bits are no error. Rank 0 warns, and the matches are enumerated. */
static bool falls_back(gemp_counting *c, gemp_code *code)
{
	if (*code != GEMP_ENOMEM && *code != GEMP_EDATA)
		return false;
	if (c->context->comm->rank == 0)
		gemp_warn("%s: matches are counted one by one", gemp_message());
	*code = GEMP_OK;
	c->enumerated = "its sums do not fit";
	gemp_counting_free(c);
	return true;
}

/* Collective. Leaves the plan if its sums are small enough for the host, or if the options force them there. All ranks
 * have all rows of the view, so they choose alike. The rows stay for sums on the device. */
static gemp_code prepare_on_host(gemp_counting *c, gemp_shard *graph, const gemp_view_key *key)
{
	double limit = c->options->place == GEMP_PLACE_HOST ? DBL_MAX : (double)gemp_limits_now()->host_entries;
	if (gemp_host_sums_too_large(gemp_shard_edges(graph), limit)) {
		gemp_counting_free(c);
		return GEMP_OK;
	}
	GEMP_TRY(gemp_count_get_rows(&c->rows, c->context, graph, key));
	GEMP_TRY(gemp_comm_agree(c->context->comm, gemp_renumbered_view_to_host(&c->rows->views[0])));
	c->on_host = gemp_host_sums_work(c->plan, &c->rows->views[0]) <= limit;
	if (!c->on_host) {
		gemp_count_plan_free(c->plan);
		c->plan = NULL;
		return GEMP_OK;
	}
	if (c->options->explained)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(c->context->comm, gemp_count_prepare_host(&c->engine, c->context, c->rows, c->plan)));
	c->rows = NULL; /* the engine has them now */
	return GEMP_OK;
}

/* Collective. Used for --explain. The rows take most of the memory, so the memory report is nearly right without a
 * run. */
static gemp_code upload_rows(gemp_counting *c, const gemp_view_key *key)
{
	if (!c->rows)
		GEMP_TRY(gemp_count_get_rows(&c->rows, c->context, c->graph, key));
	return gemp_comm_agree(c->context->comm, gemp_view_upload(&c->rows->views[0], c->context->device, c->rows->wide));
}

/* The view whose rows the sums read. */
static gemp_view_key rows_key(const gemp_counting *c)
{
	return (gemp_view_key){ .relations = c->pattern->edge_count ? c->pattern->edges[0].relations : NULL,
		                    .direction = GEMP_VIEW_EITHER,
		                    .simple = true };
}

/* Collective. The planner is asked again, since devices allow further kinds of sums. If it finds none with all kinds,
 * no device is opened. */
static gemp_code prepare_on_device(gemp_counting *c)
{
	gemp_count_planner_options planner_options = c->planner;
	const gemp_view_key key = rows_key(c);
	planner_options.ordered = planner_options.codegrees = true;
	GEMP_TRY(gemp_comm_agree(c->context->comm, find_sums(c, c->pattern, &planner_options)));
	if (!c->plan)
		return GEMP_OK;
	gemp_count_plan_free(c->plan);
	c->plan = NULL;
	GEMP_TRY(gemp_runtime_open_devices(c->context));
	allow_for_devices(&planner_options, c->context, c->graph);
	GEMP_TRY(gemp_comm_agree(c->context->comm, find_sums(c, c->pattern, &planner_options)));
	if (!c->plan)
		return GEMP_OK;
	if (!rows_fit(c->context, c->graph, c->plan)) {
		gemp_count_plan_free(c->plan);
		c->plan = NULL;
		c->enumerated = "the rows do not fit on every device";
		return GEMP_OK;
	}
	return c->options->explained ? upload_rows(c, &key)
	                             : gemp_count_prepare(&c->engine, c->context, c->graph, &key, c->plan);
}

/* Collective. Sums on the host come first, since they need no device. */
static gemp_code prepare(gemp_counting *c)
{
	const gemp_view_key key = rows_key(c);
	GEMP_TRY(find_planner_options(&c->planner, c, c->graph, c->pattern));
	c->devices_left = c->options->place != GEMP_PLACE_HOST;
	if (c->options->place == GEMP_PLACE_DEVICE)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(c->context->comm, find_sums(c, c->pattern, &c->planner)));
	if (c->plan)
		GEMP_TRY(prepare_on_host(c, c->graph, &key));
	if (!c->plan && !c->enumerated)
		c->enumerated = "the host has no form of its sums";
	return GEMP_OK;
}

/* Collective. Patterns for which the simple graph has no sums may have sums of typed edges. */
static gemp_code prepare_typed(gemp_counting *c)
{
	const char *reason;
	if (c->plan)
		return GEMP_OK;
	GEMP_TRY(gemp_typed_counting_new(&c->typed, c->context, c->graph, c->pattern, c->options, &reason));
	if (!c->typed)
		c->enumerated = c->enumerated ? c->enumerated : reason;
	c->on_host |= c->typed != NULL;
	return GEMP_OK;
}

/* Sums that do not fit into the memory of the host do not fit on devices. */
static gemp_code finish(gemp_counting *c, gemp_code code)
{
	if (falls_back(c, &code))
		c->devices_left = false;
	if (!c->plan || c->engine)
		release_rows(c);
	return code;
}

gemp_code gemp_counting_prepare(gemp_counting *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_match_options *options)
{
	*out = (gemp_counting){ .context = context, .options = options, .graph = graph, .pattern = pattern, .order = 1 };
	if (!only_counts(options))
		return GEMP_OK;
	out->enumerated = unsupported_reason(pattern, options);
	if (out->enumerated)
		return GEMP_OK;
	if (options->among_count || pattern->optional_count) /* sums over the simple graph know neither */
		return finish(out, prepare_typed(out));
	gemp_code code = finish(out, prepare(out));
	return code == GEMP_OK ? finish(out, prepare_typed(out)) : code;
}

gemp_code gemp_counting_prepare_devices(gemp_counting *c)
{
	return gemp_counting_has_sums(c) || !c->devices_left ? GEMP_OK : finish(c, prepare_on_device(c));
}

/* An orbit has as many embeddings as the group has automorphisms, so orbits times automorphisms is the number of
 * embeddings. */
static gemp_code fill_result(const gemp_counting *c, const gemp_count_result *counted, gemp_match_result *result)
{
	bool embeddings = counts_embeddings(c->options);
	uint64_t peaks[] = { gemp_memory_peak(), gemp_runtime_device_peak(c->context) };
	gemp_comm_max(c->context->comm, peaks, 2);
	*result = (gemp_match_result){ .matches = counted->matches,
		                           .complete = true,
		                           .embeddings_known = true,
		                           .launches = counted->launches,
		                           .rounds = 1,
		                           .local_share = 1,
		                           .kernel_imbalance = 1,
		                           .match_imbalance = 1,
		                           .host_peak = peaks[0],
		                           .device_peak = peaks[1],
		                           .distinct_passes = 1,
		                           .by_sums = true,
		                           .on_host = c->on_host };
	if (counted->overflow)
		return gemp_fail(GEMP_EDATA, "there are 2^64 matches or more");
	if (__builtin_mul_overflow(counted->matches, c->order, &result->embeddings)) {
		result->embeddings_known = false;
		result->embeddings_reason = "more than 2^64 - 1";
		if (embeddings)
			return gemp_fail(GEMP_EDATA, "more than 2^64 - 1 embeddings; count with distinct orbit");
	}
	if (embeddings)
		result->matches = result->embeddings;
	return GEMP_OK;
}

/* Sums that do not fit into 64 bits show it only here. */
gemp_code gemp_counting_run(gemp_counting *c, bool *counted, gemp_match_result *result)
{
	gemp_count_result sums = { 0 };
	gemp_code code = c->typed ? gemp_typed_counting_run(c->typed, &sums.matches) : gemp_count_run(c->engine, &sums);
	*counted = !falls_back(c, &code);
	GEMP_TRY(code);
	return *counted ? fill_result(c, &sums, result) : GEMP_OK;
}

gemp_code gemp_counting_deliver(const gemp_counting *c, gemp_sink *sink)
{
	return sink ? gemp_typed_counting_deliver(c->typed, sink) : GEMP_OK;
}

void gemp_counting_explain(const gemp_counting *c, gemp_text *out)
{
	const gemp_view_key key = rows_key(c);
	if (c->typed) {
		gemp_typed_counting_explain(c->typed, out);
		return;
	}
	gemp_count_plan_print(c->plan, out);
	if (c->on_host)
		gemp_text_print(out, "on the host\n");
	if (key.relations)
		gemp_view_index_print(c->graph, &key, out);
}
