/* Vertex tables: sums over the neighbours of each vertex. */
#include "count/count_parts.h"
#include "count/source.h"

#include "core/memory.h"

#include <stdio.h>

enum { LONG_ROW = 512, GROUP_ROW = 32 };

/* Rows become shorter with the slot, within classes of degrees only: about the first that is shorter than this. */
static uint32_t first_shorter(const gemp_count_graph *g, uint64_t length)
{
	uint32_t low = 0, high = g->vertices;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (g->host_begin[middle + 1] - g->host_begin[middle] >= length)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Rows [first, end) by groups of so many work-items; 0: a work-item has a row. */
static gemp_code launch(gemp_count_engine *engine, gemp_laps *laps, size_t k, uint32_t first, uint32_t end, size_t group)
{
	gemp_code code = GEMP_OK;
	gemp_argument arguments[GEMP_MAX_VERTEX_TABLES + 9];
	size_t count = 0;
	gemp_count_graph *g = &engine->graph;
	gemp_device *device = engine->context->device;
	gemp_count_shape shape = gemp_count_shape_of(device, end - first, group ? (unsigned)group : 1, group ? group : 256);
	cl_kernel kernel = NULL;
	char name[32];
	if (first == end)
		return GEMP_OK;
	snprintf(name, sizeof name, group ? "count_rows_%zu" : "count_table_%zu", k);
	GEMP_TRY(gemp_kernel_new(&kernel, &engine->program, name));
	for (size_t j = 0; j < k; j++)
		if (gemp_expression_reads_table(engine->plan->tables[k].expression, j))
			arguments[count++] = GEMP_ARG(&g->tables[j].mem);
	arguments[count++] = GEMP_ARG(&g->begin.mem);
	arguments[count++] = GEMP_ARG(&g->near.mem);
	arguments[count++] = GEMP_ARG(&g->support.mem);
	arguments[count++] = GEMP_ARG(&g->over.mem);
	arguments[count++] = GEMP_ARG(&first);
	arguments[count++] = GEMP_ARG(&end);
	arguments[count++] = GEMP_ARG(&g->tables[k].mem);
	arguments[count++] = GEMP_ARG(&engine->partials.control.mem);
	if (group)
		arguments[count++] = GEMP_LOCAL(shape.group * sizeof(cl_long));
	GEMP_TRY(gemp_count_launch_with(engine, laps, kernel, shape, arguments, count));
done:
	if (kernel)
		clReleaseKernel(kernel);
	return code;
}

/* Long rows by groups, so that none is waited for. */
static gemp_code make_table(gemp_count_engine *engine, gemp_laps *laps, size_t k)
{
	gemp_code code = GEMP_OK;
	gemp_count_graph *g = &engine->graph;
	gemp_device *device = engine->context->device;
	uint32_t groups = device->gpu ? first_shorter(g, GROUP_ROW) : 0, longs = device->gpu ? first_shorter(g, LONG_ROW) : 0;
	GEMP_TRY(gemp_buffer_new(&g->tables[k], device, g->vertices * sizeof(int64_t), NULL));
	GEMP_TRY(launch(engine, laps, k, 0, longs, 256));
	GEMP_TRY(launch(engine, laps, k, longs, groups, 32));
	GEMP_TRY(launch(engine, laps, k, groups, g->vertices, 0));
done:
	return code;
}

gemp_code gemp_count_tables(gemp_count_engine *engine, gemp_laps *laps)
{
	gemp_code code = GEMP_OK;
	for (size_t k = 1; k < engine->plan->table_count; k++)
		GEMP_TRY(make_table(engine, laps, k));
done:
	return code;
}
