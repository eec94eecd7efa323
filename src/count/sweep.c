#include "count/sweep.h"

#include "count/sweep_bound.h"
#include "count/sweep_emit.h"

#include "core/memory.h"

#include <string.h>

/* Of a 64-bit sum, room for what a double rounds. */
static const double most = 0x1p62;

static gemp_code emit(gemp_sweep *sweep, const char *file, gemp_text *source)
{
	gemp_code code = GEMP_OK;
	char *fixed = NULL;
	GEMP_TRY(gemp_kernel_source(&fixed, file));
	GEMP_TRY(gemp_sweep_emit(source, sweep->graph, sweep->sum, sweep->watched));
	gemp_text_print(source, "%s", fixed);
	GEMP_TRY(gemp_text_status(source));
done:
	gemp_free(fixed);
	return code;
}

static gemp_code prepare(gemp_sweep *sweep, gemp_text *source)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *graph = sweep->graph;
	const gemp_comm *comm = graph->context->comm;
	sweep->ends = graph->vertices;
	while (sweep->ends && graph->host_begin[sweep->ends] == graph->host_begin[sweep->ends - 1])
		sweep->ends--;
	sweep->first = (cl_uint)comm->rank;
	sweep->step = (cl_uint)comm->size;
	sweep->roots = sweep->first < sweep->ends ? (sweep->ends - sweep->first - 1) / sweep->step + 1 : 0;
	GEMP_TRY(gemp_sweep_watch(graph, sweep->sum, sweep->ends, &sweep->watched));
	GEMP_TRY(emit(sweep, "count_sweep_dense.cl", source));
done:
	return code;
}

static gemp_code run(gemp_sweep *sweep)
{
	if (sweep->roots == 0)
		return GEMP_OK;
	gemp_code code = gemp_sweep_dense(sweep);
	if (code == GEMP_OK && !sweep->program.cached)
		code = gemp_program_store(sweep->graph->context->device, &sweep->program);
	return code;
}

gemp_code gemp_sweep_sum_shaped(const gemp_count_graph *graph, const gemp_sum *sum, const gemp_sweep_shape *shape,
                                gemp_sum_result *result)
{
	gemp_code code = GEMP_OK;
	gemp_sweep sweep = { .graph = graph, .sum = sum, .shape = *shape, .result = result };
	gemp_text source = { 0 };
	const gemp_comm *comm = graph->context->comm;
	*result = (gemp_sum_result){ 0 };
	GEMP_TRY(gemp_comm_agree(comm, prepare(&sweep, &source)));
	GEMP_TRY(gemp_context_program(graph->context, &sweep.program, source.data, NULL));
	GEMP_TRY(gemp_comm_agree(comm, run(&sweep)));
done:
	gemp_program_free(&sweep.program);
	gemp_text_free(&source);
	return code;
}

gemp_code gemp_sweep_sum(const gemp_count_graph *graph, const gemp_sum *sum, gemp_sum_result *result)
{
	gemp_sweep_shape shape;
	gemp_sweep_shape_for(&shape, graph, sum);
	return gemp_sweep_sum_shaped(graph, sum, &shape, result);
}

gemp_code gemp_sweep_collect(gemp_sweep *sweep, const gemp_buffer *values, const gemp_buffer *magnitudes, size_t workers)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = sweep->graph->context->device;
	cl_long *value = NULL;
	cl_double *magnitude = NULL;
	GEMP_TRY(GEMP_NEW(value, workers));
	GEMP_TRY(GEMP_NEW(magnitude, workers));
	GEMP_TRY(gemp_buffer_read(device, values, 0, workers * sizeof *value, value));
	GEMP_TRY(gemp_buffer_read(device, magnitudes, 0, workers * sizeof *magnitude, magnitude));
	for (size_t w = 0; w < workers; w++) {
		sweep->result->total += value[w];
		if (!(magnitude[w] < most))
			GEMP_TRY(gemp_fail(GEMP_EDATA, "a sum of '%s' over this graph does not fit into 64 bits; use more "
			                   "ranks or devices, so that each sums up less, or --count-by enumerate",
			                   sweep->sum->expression ? sweep->sum->expression : "paths"));
	}
done:
	gemp_free(magnitude);
	gemp_free(value);
	return code;
}
