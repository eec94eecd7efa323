/* Sums over vertices, edges and triangles. */
#include "count/count_parts.h"
#include "count/source.h"

size_t gemp_count_sum_groups(const gemp_count_engine *engine)
{
	const gemp_device *device = engine->context->device;
	return device->gpu ? (size_t)device->units * 32 * 256 / 32 : device->units;
}

static gemp_count_shape shape_of(const gemp_count_engine *engine, const gemp_sum *sum, uint64_t tasks)
{
	const gemp_device *device = engine->context->device;
	uint64_t mine = tasks / (uint64_t)engine->context->comm->size + 256;
	if (sum->kind != GEMP_SUM_TRIANGLES)
		return gemp_count_shape_of(device, mine, 1, 256);
	return gemp_count_shape_of(device, mine, engine->lanes, gemp_tuning(device, "count.triangle.group", 256));
}

gemp_code gemp_count_sum_launch(gemp_count_engine *engine, size_t index, size_t first, size_t *groups, gemp_laps *laps)
{
	gemp_argument arguments[GEMP_MAX_VERTEX_TABLES + 13];
	size_t count = 0;
	const gemp_sum *sum = &engine->plan->sums[index];
	gemp_count_graph *g = &engine->graph;
	const gemp_device *device = engine->context->device;
	bool vertices = sum->kind == GEMP_SUM_VERTICES || (sum->kind == GEMP_SUM_TRIANGLES && !device->gpu);
	cl_ulong tasks = vertices ? g->vertices : g->entries / 2, place = first;
	cl_uint rank = (cl_uint)engine->context->comm->rank, ranks = (cl_uint)engine->context->comm->size;
	gemp_count_shape shape = shape_of(engine, sum, tasks);
	for (size_t k = 0; k < engine->plan->table_count; k++)
		if (gemp_expression_reads_table(sum->expression, k))
			arguments[count++] = GEMP_ARG(&g->tables[k].mem);
	arguments[count++] = GEMP_ARG(&g->low_begin.mem);
	arguments[count++] = GEMP_ARG(&g->low_near.mem);
	arguments[count++] = GEMP_ARG(&g->low_source.mem);
	arguments[count++] = GEMP_ARG(&g->low_support.mem);
	arguments[count++] = GEMP_ARG(&tasks);
	arguments[count++] = GEMP_ARG(&rank);
	arguments[count++] = GEMP_ARG(&ranks);
	arguments[count++] = GEMP_ARG(&g->vertices);
	arguments[count++] = GEMP_ARG(&engine->maps.mem);
	arguments[count++] = GEMP_ARG(&engine->partials.control.mem);
	arguments[count++] = GEMP_ARG(&engine->partials.out.mem);
	arguments[count++] = GEMP_ARG(&place);
	arguments[count++] = GEMP_LOCAL(2 * shape.group * sizeof(cl_long));
	*groups = shape.groups;
	return gemp_count_launch_with(engine, laps, engine->sums[index], shape, arguments, count);
}
