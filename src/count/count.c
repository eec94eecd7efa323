#include "count/count.h"

#include "core/memory.h"
#include "count/codegen.h"
#include "count/engine.h"
#include "count/expression.h"
#include "count/host_sums.h"
#include "count/neighbours.h"
#include "count/plan.h"
#include "count/wedges.h"
#include "device/tuning.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Do the plan's direct sums read supports? These sums read them in the low rows. Sums over wedges and neighbourhoods
 * read supports at both entries of an edge. */
static bool sums_mention_support(const gemp_count_plan *plan)
{
	static const char *const names[] = { "t_01", "t_02", "t_12" };
	bool found = false;
	for (size_t i = 0; i < plan->sum_count; i++)
		for (size_t n = 0; n < 3; n++)
			found |= gemp_sum_is_direct(&plan->sums[i]) && gemp_expression_mentions(plan->sums[i].expression, names[n]);
	return found;
}

/* Lists the inputs that must be on the device before the sums run. A support costs a pass over all triangles, so each
 * form of it is made only if some expression mentions it. */
static gemp_count_needs find_needs(const gemp_count_plan *plan, bool gpu)
{
	gemp_count_needs needs = { 0 };
	bool triangles = false;
	for (size_t k = 1; k < plan->table_count; k++)
		needs.both_entries |= gemp_expression_mentions(plan->tables[k].expression, "t_01");
	for (size_t i = 0; i < plan->sum_count; i++) {
		const gemp_sum *sum = &plan->sums[i];
		triangles |= sum->kind == GEMP_SUM_TRIANGLES;
		needs.cliques |= sum->kind == GEMP_SUM_CLIQUES;
		needs.low |= sum->kind == GEMP_SUM_EDGES;
		needs.both_entries |= plan->support && !gemp_sum_is_direct(sum);
	}
	needs.ordered_support = plan->ordered_support;
	needs.support = needs.ordered_support || needs.both_entries || (plan->support && sums_mention_support(plan));
	needs.low |= needs.support || needs.cliques || triangles;
	needs.maps = !gpu && (needs.support || needs.cliques || triangles);
	return needs;
}

/* PREPARATION */
gemp_code gemp_count_get_rows(gemp_resident **out, gemp_runtime *context, gemp_shard *graph, const gemp_view_key *key)
{
	double began = gemp_now();
	GEMP_TRY(gemp_view_load(graph, key));
	gemp_timers_add(&context->timers, GEMP_PHASE_READ, began);
	return gemp_resident_get(out, context, graph, key, 1, GEMP_REPLICATE_ALL);
}

/* Sets the sizes on which the types and bounds of the kernels depend. They must be known before a program is built. */
static void describe_graph(gemp_count_engine *engine)
{
	gemp_count_graph *g = &engine->graph;
	const uint64_t *begin = engine->view->begin;
	g->context = engine->context;
	g->vertices = (uint32_t)engine->view->rows;
	g->entries = begin[engine->view->rows];
	g->wide = engine->rows->wide;
	g->max_degree = (uint32_t)gemp_view_row_lengths(engine->view).longest;
}

/* Returns an upper bound on the length of low rows before they exist. Each of the d neighbours in a low row has about d
 * neighbours or more, because slots are in descending order of degree classes; hence d * d <= 1.44 * entries. If
 * parallel edges or loops have changed the order of slots, the bound is the maximum degree. */
static double longest_low(const gemp_count_engine *engine)
{
	const gemp_count_graph *g = &engine->graph;
	const uint64_t *begin = engine->view->begin;
	double maximum = 1.2 * sqrt((double)g->entries) + 1;
	uint64_t minimum = g->max_degree;
	for (size_t v = 0; v < g->vertices; v++) {
		uint64_t length = begin[v + 1] - begin[v];
		if (length > minimum + minimum / 5)
			return g->max_degree;
		minimum = gemp_min(minimum, length);
	}
	return fmin(maximum, g->max_degree);
}

/* Bounds the tables in order, since the expression of a table may contain earlier tables. A table sums its expression
 * over one row, hence the factor max_degree. The rows and the sums are separate programs, so that all plans share the
 * cached program of the rows. */
static gemp_code write_sources(gemp_count_engine *engine, gemp_text *rows, gemp_text *sums)
{
	gemp_count_graph *g = &engine->graph;
	gemp_count_codegen source = { .graph = g, .lanes = engine->lanes };
	g->low_bound = longest_low(engine);
	source.large_low = gemp_count_cliques_large(engine->context->device, (uint32_t)g->low_bound);
	g->table_bound[0] = g->max_degree;
	for (size_t k = 1; k < engine->plan->table_count; k++) {
		GEMP_TRY(gemp_count_bound(g, engine->plan->tables[k].expression, &g->table_bound[k]));
		g->table_bound[k] *= g->max_degree;
	}
	GEMP_TRY(gemp_count_emit_rows(rows, &source));
	GEMP_TRY(gemp_count_emit(sums, engine->plan, &source));
	engine->checked = source.checked;
	return GEMP_OK;
}

/* Runs after the rows are split, because the longest low row decides between the forms of the clique kernel. */
static gemp_code make_kernels(gemp_count_engine *engine)
{
	const gemp_count_plan *plan = engine->plan;
	char name[40]; /* "count_narrow_" and a number of up to 20 digits */
	for (size_t i = 0; i < plan->sum_count; i++) {
		if (!gemp_sum_has_kernel(&plan->sums[i]))
			continue;
		bool narrow = plan->sums[i].kind == GEMP_SUM_CLIQUES &&
		              gemp_count_cliques_narrow(engine->context->device, engine->graph.max_prefix);
		snprintf(name, sizeof name, "count_%s_%zu", narrow ? "narrow" : "sum", i);
		GEMP_TRY(gemp_kernel_new(&engine->sums[i], &engine->program, name));
		snprintf(name, sizeof name, "count_large_%zu", i);
		if (plan->sums[i].kind == GEMP_SUM_CLIQUES &&
		    gemp_count_cliques_large(engine->context->device, engine->graph.max_prefix))
			GEMP_TRY(gemp_kernel_new(&engine->large[i], &engine->program, name));
	}
	return GEMP_OK;
}

/* An upper bound on the number of groups in all launches of one sum. The partial sums of all sums are allocated
 * together. */
static size_t sum_groups(const gemp_device *device)
{
	return device->gpu ? (size_t)device->units * 32 * 256 / 32 : device->units;
}

/* Local. Runs the steps that come before the supports: partial sums, split rows, low rows. */
static gemp_code prepare_rows(gemp_count_engine *engine, gemp_timings *timings)
{
	size_t groups = sum_groups(engine->context->device) * engine->plan->sum_count;
	GEMP_TRY(gemp_partials_new(&engine->partials, engine->context->device, groups));
	engine->partials.checked = engine->checked;
	GEMP_TRY(gemp_count_rows(engine, timings));
	return gemp_timings_seconds(timings, &engine->preparation);
}

/* Local. Runs the steps that read the supports: vertex tables, task lists of cliques, kernels. The read at the end
 * fails if a value of a table overflowed. */
static gemp_code prepare_sums(gemp_count_engine *engine, gemp_timings *timings)
{
	double seconds;
	GEMP_TRY(gemp_timings_seconds(timings, &engine->support_seconds));
	GEMP_TRY(gemp_count_tables(engine, timings));
	GEMP_TRY(gemp_timings_seconds(timings, &seconds));
	engine->preparation += engine->support_seconds + seconds;
	engine->context->timers.seconds[GEMP_PHASE_PREPARE] += engine->preparation;
	GEMP_TRY(gemp_count_cliques_prepare(engine));
	GEMP_TRY(make_kernels(engine));
	return gemp_partials_read(&engine->partials, engine->context->device, 0);
}

/* Collective. Supports are exchanged between ranks, so the ranks agree on their codes before and after the exchange. */
static gemp_code prepare_device(gemp_count_engine *engine)
{
	GEMP_OWNED_BY(gemp_timings_free) gemp_timings timings = { 0 };
	const gemp_comm *comm = engine->context->comm;
	GEMP_TRY(gemp_comm_agree(comm, prepare_rows(engine, &timings)));
	GEMP_TRY(gemp_count_support(engine, &timings));
	return gemp_comm_agree(comm, prepare_sums(engine, &timings));
}

/* Does the engine of wedges.h compute this sum? */
static bool is_wedge_sum(const gemp_sum *sum)
{
	return sum->kind == GEMP_SUM_WEDGES || sum->kind == GEMP_SUM_PAIRS || sum->kind == GEMP_SUM_JOINED ||
	       sum->kind == GEMP_SUM_PATH_PAIRS;
}

/* Collective. Sums over wedges have programs and task lists of their own. The sum over an empty graph is 0 and needs
 * neither. */
static gemp_code make_wedges(gemp_count_engine *engine)
{
	const gemp_count_plan *plan = engine->plan;
	for (size_t i = 0; i < plan->sum_count; i++) {
		uint64_t launches;
		if (!is_wedge_sum(&plan->sums[i]) || engine->graph.entries == 0)
			continue;
		GEMP_TRY(gemp_wedges_new(&engine->wedges[i], &engine->graph, &plan->sums[i]));
		double seconds = gemp_wedges_preparation(engine->wedges[i], &launches);
		engine->preparation += seconds;
		engine->prepared += launches;
		engine->context->timers.seconds[GEMP_PHASE_PREPARE] += seconds;
	}
	return GEMP_OK;
}

/* Collective. One rank per node builds a program and the other ranks of the node load the stored result, so all ranks
 * must make the same calls. */
static gemp_code build_programs(gemp_count_engine *engine)
{
	gemp_runtime *context = engine->context;
	GEMP_OWNED_BY(gemp_text_free) gemp_text rows = { 0 }, sums = { 0 };
	GEMP_TRY(gemp_comm_agree(context->comm, write_sources(engine, &rows, &sums)));
	GEMP_TRY(gemp_runtime_program(context, &engine->rows_program, rows.data, NULL));
	if (sums.size)
		GEMP_TRY(gemp_runtime_program(context, &engine->program, sums.data, NULL));
	return GEMP_OK;
}

/* Collective. Ranks agree after every step, so either all ranks keep their engines or all free them. */
gemp_code gemp_count_prepare(gemp_count_engine **out, gemp_runtime *context, gemp_shard *graph,
                             const gemp_view_key *key, const gemp_count_plan *plan)
{
	GEMP_OWNED_BY(gemp_count_free_at) gemp_count_engine *engine = NULL;
	assert(gemp_count_plan_is_valid(plan));
	*out = NULL;
	gemp_code code = GEMP_NEW(engine, 1);
	if (code == GEMP_OK)
		engine->context = context;
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(gemp_runtime_open_devices(context));
	engine->plan = plan;
	engine->needs = find_needs(plan, context->device->gpu);
	engine->lanes = context->device->gpu ? gemp_tuning(context->device, "count.triangle.lanes", 4) : 1;
	GEMP_TRY(gemp_count_get_rows(&engine->rows, context, graph, key));
	engine->view = &engine->rows->views[0];
	describe_graph(engine);
	GEMP_TRY(build_programs(engine));
	GEMP_TRY(prepare_device(engine));
	GEMP_TRY(make_wedges(engine));
	*out = engine;
	engine = NULL;
	return GEMP_OK;
}

/* Local. The inputs are made at once, since nothing has to be built. */
gemp_code gemp_count_prepare_host(gemp_count_engine **out, gemp_runtime *context, gemp_resident *rows,
                                  const gemp_count_plan *plan)
{
	GEMP_OWNED gemp_count_engine *engine = NULL;
	double began = gemp_now();
	assert(gemp_count_plan_is_valid(plan));
	*out = NULL;
	GEMP_TRY(GEMP_NEW(engine, 1));
	engine->context = context;
	engine->plan = plan;
	engine->on_host = true;
	gemp_code code = gemp_host_graph_new(&engine->host, &rows->views[0], plan, context->comm->rank,
	                                     context->comm->size);
	if (code != GEMP_OK) {
		gemp_host_graph_free(&engine->host);
		return code;
	}
	engine->rows = rows;
	engine->preparation = gemp_now() - began;
	context->timers.seconds[GEMP_PHASE_PREPARE] += engine->preparation;
	*out = engine;
	engine = NULL;
	return GEMP_OK;
}

/* Frees what gemp_count_prepare has put on the device. */
static void free_buffers(gemp_count_engine *engine)
{
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	gemp_buffer *buffers[] = { &g->upper_offsets,    &g->support,    &g->ordered_support, &g->low_offsets,
		                       &g->low_indices,      &g->low_source, &g->low_support,     &engine->maps,
		                       &engine->clique_list, &engine->slab };
	gemp_program_store_and_free(device, &engine->rows_program);
	gemp_program_store_and_free(device, &engine->program);
	for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
		gemp_buffer_free(buffers[i], device);
	for (size_t k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		gemp_buffer_free(&g->tables[k], device);
	gemp_partials_free(&engine->partials, device);
}

/* Also frees a partly prepared engine, whose missing buffers and kernels are zero. */
void gemp_count_free(gemp_count_engine *engine)
{
	if (!engine)
		return;
	for (size_t i = 0; i < GEMP_MAX_SUMS; i++) {
		gemp_kernels_free(&engine->sums[i]);
		gemp_kernels_free(&engine->large[i]);
		gemp_wedges_free(engine->wedges[i]);
	}
	if (!engine->on_host)
		free_buffers(engine);
	gemp_host_graph_free(&engine->host);
	gemp_resident_release(engine->rows);
	gemp_free_all(engine->upper_offsets, engine->low_offsets, engine->clique_count, engine);
}

/* A rank has at most tasks / size + 256 tasks, since ranks take blocks of 256. */
static gemp_count_shape shape_of(const gemp_count_engine *engine, const gemp_sum *sum, uint64_t tasks)
{
	const gemp_device *device = engine->context->device;
	uint64_t mine = tasks / (uint64_t)engine->context->comm->size + 256;
	if (sum->kind != GEMP_SUM_TRIANGLES)
		return gemp_count_launch_shape(device, mine, 1, 256);
	return gemp_count_launch_shape(device, mine, engine->lanes, gemp_tuning(device, "count.triangle.group", 256));
}

/* Local. Launches sum `index`. Its partial sums become number first .. first + *groups - 1. A CPU device takes
 * triangles by vertex, because it marks the row of a vertex once for all of the vertex's edges. The order of arguments
 * is the order of count_sum.cl's parameters. */
static gemp_code launch_sum(gemp_count_engine *engine, size_t index, size_t first, size_t *groups,
                            gemp_timings *timings)
{
	const gemp_sum *sum = &engine->plan->sums[index];
	gemp_count_graph *g = &engine->graph;
	gemp_device *device = engine->context->device;
	bool vertices = sum->kind == GEMP_SUM_VERTICES || (sum->kind == GEMP_SUM_TRIANGLES && !device->gpu);
	cl_ulong tasks = vertices ? g->vertices : g->entries / 2, place = first;
	cl_uint rank = (cl_uint)engine->context->comm->rank, ranks = (cl_uint)engine->context->comm->size;
	gemp_count_shape shape = shape_of(engine, sum, tasks);
	gemp_argument arguments[GEMP_MAX_VERTEX_TABLES + 13];
	size_t count = gemp_count_table_arguments(g, sum->expression, arguments);
	gemp_count_add_arguments(arguments, count, GEMP_ARG(&g->low_offsets.mem), GEMP_ARG(&g->low_indices.mem),
	                         GEMP_ARG(&g->low_source.mem), GEMP_ARG(&g->low_support.mem), GEMP_ARG(&tasks),
	                         GEMP_ARG(&rank), GEMP_ARG(&ranks), GEMP_ARG(&g->vertices), GEMP_ARG(&engine->maps.mem),
	                         GEMP_ARG(&engine->partials.control.mem), GEMP_ARG(&engine->partials.out.mem),
	                         GEMP_ARG(&place), GEMP_LOCAL(2 * shape.group * sizeof(cl_long)));
	*groups = shape.groups;
	return gemp_launch_timed_with(timings, device, engine->sums[index], shape.group * shape.groups, shape.group,
	                              arguments, count);
}

/* One run of an engine: computes all sums, adds them up over the ranks and divides the total. */
typedef struct sum_run {
	gemp_count_engine *engine;
	gemp_count_result *result;
	gemp_timings timings[GEMP_MAX_SUMS];
	/* sum i has the partial sums first[i] .. first[i] + groups[i] - 1 */
	size_t first[GEMP_MAX_SUMS], groups[GEMP_MAX_SUMS];
	size_t used;               /* number of partial sums so far */
	bool known[GEMP_MAX_SUMS]; /* totals[i] was computed on the host */
	__int128 totals[GEMP_MAX_SUMS];
	__int128 total; /* the total of this rank; after add_ranks, the total of all ranks */
} sum_run;

/* Computes a sum on the host if it needs no kernel. If every task counts 1, the sum is the number of tasks, which rank
 * 0 alone contributes. A sum over vertices that could exceed 64 bits (of a star around a hub) is computed in 128
 * bits. */
static gemp_code find_known(sum_run *r, size_t i)
{
	const gemp_sum *sum = &r->engine->plan->sums[i];
	const gemp_count_graph *g = &r->engine->graph;
	bool passes, one = gemp_sum_is_direct(sum) && !gemp_sum_has_kernel(sum) && !sum->leaves;
	GEMP_TRY(gemp_vertex_sum_overflows(g, sum, &passes));
	r->known[i] = one || passes;
	if (one)
		r->totals[i] = r->engine->context->comm->rank ? 0 : sum->kind == GEMP_SUM_EDGES ? g->entries / 2 : g->vertices;
	else if (passes)
		GEMP_TRY(gemp_vertex_sum(g, sum, &r->totals[i]));
	return GEMP_OK;
}

/* Local. Launches all sums over vertices, edges, triangles and cliques before it reads their partial sums, so that the
 * queue is drained only once. */
static gemp_code run_direct_sums(sum_run *r)
{
	gemp_count_engine *engine = r->engine;
	const gemp_count_plan *plan = engine->plan;
	for (size_t i = 0; i < plan->sum_count; i++) {
		GEMP_TRY(find_known(r, i));
		if (!gemp_sum_is_direct(&plan->sums[i]) || r->known[i])
			continue;
		r->first[i] = r->used;
		GEMP_TRY((plan->sums[i].kind == GEMP_SUM_CLIQUES ? gemp_count_cliques_launch : launch_sum)(
			engine, i, r->used, &r->groups[i], &r->timings[i]));
		r->used += r->groups[i];
		r->result->launches += r->timings[i].count;
	}
	if (r->used)
		GEMP_TRY(gemp_partials_read(&engine->partials, engine->context->device, r->used));
	for (size_t i = 0; i < plan->sum_count; i++) {
		if (!gemp_sum_is_direct(&plan->sums[i]))
			continue;
		GEMP_TRY(gemp_timings_seconds(&r->timings[i], &r->result->sum_seconds[i]));
		if (!r->known[i])
			r->totals[i] = gemp_partials_total(&engine->partials, r->first[i], r->groups[i]);
		r->total += r->totals[i] * plan->sums[i].factor;
	}
	return GEMP_OK;
}

/* Collective. Runs the sums over wedges and neighbourhoods one after the other. Each has its own partial sums. */
static gemp_code run_other_sums(sum_run *r)
{
	gemp_count_engine *engine = r->engine;
	for (size_t i = 0; i < engine->plan->sum_count; i++) {
		const gemp_sum *sum = &engine->plan->sums[i];
		gemp_sum_result one = { 0 };
		if (gemp_sum_is_direct(sum) || engine->graph.entries == 0)
			continue;
		GEMP_TRY(sum->kind == GEMP_SUM_NEIGHBOURS ? gemp_neighbours_sum(&engine->graph, sum, &one)
		                                          : gemp_wedges_run(engine->wedges[i], &one));
		r->total += one.total * sum->factor;
		r->result->sum_seconds[i] = one.seconds;
		r->result->launches += one.launches;
		r->result->preparation_seconds += one.preparation;
		engine->context->timers.seconds[GEMP_PHASE_PREPARE] += one.preparation;
	}
	return GEMP_OK;
}

/* Collective. Adds the totals of the ranks modulo 2^128, as four sums of 32-bit digits, which cannot overflow 64
 * bits. */
static void add_ranks(sum_run *r)
{
	uint64_t pieces[4];
	unsigned __int128 sum = 0;
	for (int i = 0; i < 4; i++)
		pieces[i] = (uint32_t)((unsigned __int128)r->total >> 32 * i);
	gemp_comm_sum(r->engine->context->comm, pieces, 4);
	for (int i = 0; i < 4; i++)
		sum += (unsigned __int128)pieces[i] << 32 * i;
	r->total = (__int128)sum;
}

/* The total of a correct plan is a multiple of the divisor, so a remainder is an internal error. */
static gemp_code divide(sum_run *r)
{
	uint64_t divisor = r->engine->plan->divisor;
	if (r->total < 0 || r->total % divisor != 0)
		return gemp_fail(GEMP_EINTERNAL,
		                 "the sums of a count plan do not add up to a multiple of %llu; count-by "
		                 "enumerate does without them",
		                 (unsigned long long)divisor);
	r->total /= divisor;
	r->result->overflow = r->total > (__int128)UINT64_MAX;
	r->result->matches = r->result->overflow ? 0 : (gemp_count)r->total;
	return GEMP_OK;
}

/* Local. */
static gemp_code run_on_host(sum_run *r)
{
	const gemp_count_engine *engine = r->engine;
	double began = gemp_now();
	GEMP_TRY(gemp_host_sums(&engine->host, engine->plan, r->totals));
	for (size_t i = 0; i < engine->plan->sum_count; i++)
		r->total += r->totals[i] * engine->plan->sums[i].factor;
	r->result->kernel_seconds = gemp_now() - began;
	return GEMP_OK;
}

/* Computes the direct sums first, because their launches share one wait for the queue. */
gemp_code gemp_count_run(gemp_count_engine *engine, gemp_count_result *result)
{
	gemp_code code = GEMP_OK;
	sum_run r = { .engine = engine, .result = result };
	*result = (gemp_count_result){ .preparation_seconds = engine->preparation,
		                           .support_seconds = engine->support_seconds };
	GEMP_TRY_DONE(gemp_comm_agree(engine->context->comm, engine->on_host ? run_on_host(&r) : run_direct_sums(&r)));
	if (!engine->on_host)
		GEMP_TRY_DONE(run_other_sums(&r));
	add_ranks(&r);
	for (size_t i = 0; i < engine->plan->sum_count; i++)
		result->kernel_seconds += result->sum_seconds[i];
	engine->context->timers.seconds[GEMP_PHASE_KERNEL] += result->kernel_seconds;
	engine->context->work.seconds += result->kernel_seconds;
	GEMP_TRY_DONE(divide(&r));
done:
	for (size_t i = 0; i < GEMP_MAX_SUMS; i++)
		gemp_timings_free(&r.timings[i]);
	return code;
}
