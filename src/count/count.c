#include "count/count_parts.h"

#include "core/memory.h"
#include "count/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* NEEDS. */
static bool sums_mention_support(const gemp_count_plan *plan)
{
	static const char *const names[] = { "t_01", "t_02", "t_12" };
	bool found = false;
	for (size_t i = 0; i < plan->sum_count; i++)
		for (size_t n = 0; n < 3; n++)
			found |= gemp_sum_own(&plan->sums[i]) && gemp_sum_mentions(plan->sums[i].expression, names[n]);
	return found;
}

static gemp_count_needs find_needs(const gemp_count_plan *plan, bool gpu)
{
	gemp_count_needs needs = { 0 };
	bool triangles = false;
	for (size_t k = 1; k < plan->table_count; k++)
		needs.spread |= gemp_sum_mentions(plan->tables[k].expression, "t_01");
	for (size_t i = 0; i < plan->sum_count; i++) {
		const gemp_sum *sum = &plan->sums[i];
		triangles |= sum->kind == GEMP_SUM_TRIANGLES;
		needs.cliques |= sum->kind == GEMP_SUM_CLIQUES;
		needs.low |= sum->kind == GEMP_SUM_EDGES;
		needs.spread |= plan->support && !gemp_sum_own(sum);
	}
	needs.over = plan->over;
	needs.support = needs.over || needs.spread || (plan->support && sums_mention_support(plan));
	needs.low |= needs.support || needs.cliques || triangles;
	needs.maps = !gpu && (needs.support || needs.cliques || triangles);
	return needs;
}

/* PREPARATION. */
gemp_code gemp_count_get_rows(gemp_resident **out, gemp_context *context, gemp_graph *graph, const gemp_view_key *key)
{
	gemp_code code = GEMP_OK;
	double began = gemp_now();
	for (size_t r = 0; r < graph->relation_count; r++)
		if (key->relations[r])
			GEMP_TRY(gemp_graph_need_relation(graph, r, gemp_view_parts(key->direction)));
	gemp_timers_add(&context->timers, GEMP_READ, began);
	GEMP_TRY(gemp_resident_get(out, context, graph, key, 1, GEMP_REPLICATE_ALL));
done:
	return code;
}

static void describe_graph(gemp_count_engine *engine)
{
	gemp_count_graph *g = &engine->graph;
	g->context = engine->context;
	g->vertices = (uint32_t)engine->view->rows;
	g->entries = engine->view->begin[engine->view->rows];
	g->wide = engine->rows->wide;
	for (size_t v = 0; v < g->vertices; v++) {
		uint64_t length = engine->view->begin[v + 1] - engine->view->begin[v];
		if (length > g->longest)
			g->longest = (uint32_t)length;
	}
}

/* The d neighbours in a low row have d neighbours each, but for the width of a class of degrees: d * d <= 1.44 * entries. That
 * is so unless the order of slots comes from parallel edges or loops, which rows do not have. */
static double longest_low(const gemp_count_engine *engine)
{
	const gemp_count_graph *g = &engine->graph;
	double most = 1.2 * sqrt((double)g->entries) + 1;
	uint64_t least = g->longest;
	for (size_t v = 0; v < g->vertices; v++) {
		uint64_t length = engine->view->begin[v + 1] - engine->view->begin[v];
		if (length > least + least / 5)
			most = g->longest;
		if (length < least)
			least = length;
	}
	return most < g->longest ? most : g->longest;
}

static gemp_code write_sources(gemp_count_engine *engine, gemp_text *rows, gemp_text *sums)
{
	gemp_code code = GEMP_OK;
	gemp_count_graph *g = &engine->graph;
	const gemp_device *device = engine->context->device;
	gemp_count_source source = { .wide = g->wide, .gpu = device->gpu, .lanes = engine->lanes, .longest = g->longest,
		.longest_low = longest_low(engine), .tables = g->table_bound };
	source.large_low = gemp_count_cliques_large(device, (uint32_t)source.longest_low);
	g->table_bound[0] = g->longest;
	for (size_t k = 1; k < engine->plan->table_count; k++)
		GEMP_TRY(gemp_table_bound(engine->plan, k, &source, &g->table_bound[k]));
	GEMP_TRY(gemp_count_emit_rows(rows, &source));
	GEMP_TRY(gemp_count_emit(sums, engine->plan, &source));
	engine->checked = source.checked;
done:
	return code;
}

static gemp_code make_kernels(gemp_count_engine *engine)
{
	gemp_code code = GEMP_OK;
	const gemp_count_plan *plan = engine->plan;
	char name[32];
	for (size_t i = 0; i < plan->sum_count; i++) {
		if (!gemp_sum_has_kernel(&plan->sums[i]))
			continue;
		bool narrow = plan->sums[i].kind == GEMP_SUM_CLIQUES &&
		              gemp_count_cliques_narrow(engine->context->device, engine->graph.longest_prefix);
		snprintf(name, sizeof name, "count_%s_%zu", narrow ? "narrow" : "sum", i);
		GEMP_TRY(gemp_kernel_new(&engine->sums[i], &engine->program, name));
		snprintf(name, sizeof name, "count_large_%zu", i);
		if (plan->sums[i].kind == GEMP_SUM_CLIQUES &&
		    gemp_count_cliques_large(engine->context->device, engine->graph.longest_prefix))
			GEMP_TRY(gemp_kernel_new(&engine->large[i], &engine->program, name));
	}
done:
	return code;
}

/* Local. What is made on the device before supports, and from them. */
static gemp_code prepare_rows(gemp_count_engine *engine, gemp_laps *laps)
{
	gemp_code code = GEMP_OK;
	size_t groups = gemp_count_sum_groups(engine) * engine->plan->sum_count;
	GEMP_TRY(gemp_partials_new(&engine->partials, engine->context->device, groups));
	engine->partials.checked = engine->checked;
	GEMP_TRY(gemp_count_rows(engine, laps));
	GEMP_TRY(gemp_laps_seconds(laps, &engine->preparation));
done:
	return code;
}

static gemp_code prepare_sums(gemp_count_engine *engine, gemp_laps *laps)
{
	gemp_code code = GEMP_OK;
	double seconds;
	GEMP_TRY(gemp_laps_seconds(laps, &engine->support_seconds));
	GEMP_TRY(gemp_count_tables(engine, laps));
	GEMP_TRY(gemp_laps_seconds(laps, &seconds));
	engine->preparation += engine->support_seconds + seconds;
	engine->context->timers.seconds[GEMP_PREPARE] += engine->preparation;
	GEMP_TRY(gemp_count_cliques_prepare(engine));
	GEMP_TRY(make_kernels(engine));
	GEMP_TRY(gemp_partials_read(&engine->partials, engine->context->device, 0));
done:
	return code;
}

/* Collective. */
static gemp_code prepare_device(gemp_count_engine *engine)
{
	gemp_code code = GEMP_OK;
	gemp_laps laps = { 0 };
	const gemp_comm *comm = engine->context->comm;
	GEMP_TRY(gemp_comm_agree(comm, prepare_rows(engine, &laps)));
	GEMP_TRY(gemp_count_support(engine, &laps));
	GEMP_TRY(gemp_comm_agree(comm, prepare_sums(engine, &laps)));
done:
	gemp_laps_free(&laps);
	return code;
}

static bool swept(const gemp_sum *sum)
{
	return sum->kind == GEMP_SUM_WEDGES || sum->kind == GEMP_SUM_PAIRS || sum->kind == GEMP_SUM_JOINED ||
	       sum->kind == GEMP_SUM_PATH_PAIRS;
}

/* Collective. */
static gemp_code make_sweeps(gemp_count_engine *engine)
{
	gemp_code code = GEMP_OK;
	const gemp_count_plan *plan = engine->plan;
	for (size_t i = 0; i < plan->sum_count; i++) {
		uint64_t launches;
		if (!swept(&plan->sums[i]) || engine->graph.entries == 0)
			continue;
		GEMP_TRY(gemp_sweep_new(&engine->sweeps[i], &engine->graph, &plan->sums[i]));
		double seconds = gemp_sweep_preparation(engine->sweeps[i], &launches);
		engine->preparation += seconds;
		engine->prepared += launches;
		engine->context->timers.seconds[GEMP_PREPARE] += seconds;
	}
done:
	return code;
}

/* Collective. */
static gemp_code build(gemp_count_engine *engine)
{
	gemp_code code = GEMP_OK;
	gemp_context *context = engine->context;
	gemp_text rows = { 0 }, sums = { 0 };
	GEMP_TRY(gemp_comm_agree(context->comm, write_sources(engine, &rows, &sums)));
	GEMP_TRY(gemp_context_program(context, &engine->rows_program, rows.data, NULL));
	if (sums.size)
		GEMP_TRY(gemp_context_program(context, &engine->program, sums.data, NULL));
done:
	gemp_text_free(&sums);
	gemp_text_free(&rows);
	return code;
}

gemp_code gemp_count_prepare(gemp_count_engine **out, gemp_context *context, gemp_graph *graph, const gemp_view_key *key,
                             const gemp_count_plan *plan)
{
	gemp_code code = GEMP_OK;
	gemp_count_engine *engine = NULL;
	*out = NULL;
	code = GEMP_NEW(engine, 1);
	if (code == GEMP_OK)
		engine->context = context;
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	engine->plan = plan;
	engine->needs = find_needs(plan, context->device->gpu);
	engine->lanes = context->device->gpu ? gemp_tuning(context->device, "count.triangle.lanes", 4) : 1;
	GEMP_TRY(gemp_count_get_rows(&engine->rows, context, graph, key));
	engine->view = &engine->rows->views[0];
	describe_graph(engine);
	GEMP_TRY(build(engine));
	GEMP_TRY(prepare_device(engine));
	GEMP_TRY(make_sweeps(engine));
	*out = engine;
	engine = NULL;
done:
	gemp_count_free(engine);
	return code;
}

static void free_program(gemp_program *program, gemp_device *device)
{
	if (program->program && !program->cached)
		gemp_program_store(device, program); /* with what its first launches compiled */
	gemp_program_free(program);
}

void gemp_count_free(gemp_count_engine *engine)
{
	if (!engine)
		return;
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	gemp_buffer *buffers[] = { &g->mid, &g->support, &g->over, &g->low_begin, &g->low_near, &g->low_source,
		&g->low_support, &engine->maps, &engine->clique_list, &engine->slab };
	for (size_t i = 0; i < GEMP_MAX_SUMS; i++) {
		if (engine->sums[i])
			clReleaseKernel(engine->sums[i]);
		if (engine->large[i])
			clReleaseKernel(engine->large[i]);
		gemp_sweep_free(engine->sweeps[i]);
	}
	free_program(&engine->rows_program, device);
	free_program(&engine->program, device);
	for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
		gemp_buffer_free(buffers[i], device);
	for (size_t k = 0; k < GEMP_MAX_VERTEX_TABLES; k++)
		gemp_buffer_free(&g->tables[k], device);
	gemp_partials_free(&engine->partials, device);
	gemp_resident_release(engine->rows);
	gemp_free(engine->mid);
	gemp_free(engine->low_begin);
	gemp_free(engine->clique_count);
	gemp_free(engine);
}
