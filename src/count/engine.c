#include "count/engine.h"

#include "core/memory.h"
#include "count/codegen.h"
#include "device/tuning.h"

#include <stdio.h>
#include <string.h>

/* At most four times the work-items that the device holds at once, so that later groups balance earlier ones. */
gemp_count_shape gemp_count_launch_shape(const gemp_device *device, uint64_t tasks, unsigned lanes, size_t wanted)
{
	gemp_count_shape shape = { 1, device->units };
	if (!device->gpu)
		return shape;
	size_t maximum = (size_t)device->units * 32 * 256 / wanted; /* four times what the device holds at once */
	shape.group = wanted < device->max_group ? wanted : device->max_group;
	shape.groups = (size_t)((tasks * lanes + shape.group - 1) / shape.group);
	if (shape.groups > maximum)
		shape.groups = maximum;
	if (shape.groups == 0)
		shape.groups = 1;
	return shape;
}

/* Positions are uploaded as 32-bit words unless the graph has more entries than 32 bits can number: halving the
 * offsets saves memory traffic in every kernel. */
static gemp_code upload_positions(gemp_count_engine *engine, gemp_buffer *buffer, uint64_t *positions, size_t count)
{
	gemp_device *device = engine->context->device;
	GEMP_OWNED uint32_t *narrow = NULL;
	if (engine->graph.wide)
		return gemp_buffer_borrow(buffer, device, count * sizeof *positions, positions);
	GEMP_TRY(GEMP_NEW(narrow, count));
	for (size_t i = 0; i < count; i++)
		narrow[i] = (uint32_t)positions[i];
	return gemp_buffer_new(buffer, device, count * sizeof *narrow, narrow);
}

/* The view owns the device copy of its rows, so that several engines and the matcher share it. */
static gemp_code upload_rows(gemp_count_engine *engine)
{
	double began = gemp_now();
	GEMP_TRY(gemp_view_upload(engine->view, engine->context->device, engine->rows->wide));
	engine->graph.row_offsets = engine->view->device_begin;
	engine->graph.column_indices = engine->view->device_neighbours;
	gemp_timers_add(&engine->context->timers, GEMP_PHASE_UPLOAD, began);
	return GEMP_OK;
}

/* Launches a kernel of the program that all plans share. */
#define launch_rows_kernel(engine, timings, name, shape, ...)                                     \
	gemp_count_launch_once((timings), (engine)->context->device, &(engine)->rows_program, (name), \
	                       (shape).group *(shape).groups, (shape).group, __VA_ARGS__)

/* Finds in each row the first neighbour of greater slot, and stores the degrees as table 0. The host needs the
 * splits to list tasks and to number the low rows. */
static gemp_code split_rows(gemp_count_engine *engine, gemp_timings *timings)
{
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	size_t size = g->wide ? sizeof(uint64_t) : sizeof(uint32_t), count = g->vertices;
	GEMP_TRY(gemp_buffer_new(&g->upper_offsets, device, count * size, NULL));
	GEMP_TRY(gemp_buffer_new(&g->tables[0], device, count * sizeof(int64_t), NULL));
	GEMP_TRY(launch_rows_kernel(engine, timings, "count_split", gemp_count_launch_shape(device, count, 1, 256),
	                            GEMP_ARG(&g->row_offsets.mem), GEMP_ARG(&g->column_indices.mem), GEMP_ARG(&g->vertices),
	                            GEMP_ARG(&g->upper_offsets.mem), GEMP_ARG(&g->tables[0].mem)));
	GEMP_TRY(GEMP_NEW(engine->upper_offsets, count));
	GEMP_TRY(gemp_buffer_read(device, &g->upper_offsets, 0, count * size, engine->upper_offsets));
	for (size_t v = count; !g->wide && v-- > 0;) /* widens in place, from the end */
		engine->upper_offsets[v] = ((const uint32_t *)engine->upper_offsets)[v];
	g->host_offsets = engine->view->begin;
	g->host_upper_offsets = engine->upper_offsets;
	g->host_indices = engine->view->neighbours;
	for (size_t v = 0; v < count; v++)
		g->max_prefix = (uint32_t)gemp_max(g->max_prefix, engine->upper_offsets[v] - g->host_offsets[v]);
	return GEMP_OK;
}

/* The low rows contain each edge once, at its end of greater slot. Their offsets are a prefix sum on the host. */
static gemp_code make_low_rows(gemp_count_engine *engine, gemp_timings *timings)
{
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	size_t bytes = g->entries / 2 * sizeof(uint32_t);
	GEMP_TRY(GEMP_NEW(engine->low_offsets, (size_t)g->vertices + 1));
	for (size_t v = 0; v < g->vertices; v++)
		engine->low_offsets[v + 1] = engine->low_offsets[v] + engine->upper_offsets[v] - g->host_offsets[v];
	GEMP_TRY(upload_positions(engine, &g->low_offsets, engine->low_offsets, (size_t)g->vertices + 1));
	GEMP_TRY(gemp_buffer_new(&g->low_indices, device, bytes, NULL));
	GEMP_TRY(gemp_buffer_new(&g->low_source, device, bytes, NULL));
	return launch_rows_kernel(
		engine, timings, "count_low", gemp_count_launch_shape(device, g->vertices, engine->lanes, 256),
		GEMP_ARG(&g->row_offsets.mem), GEMP_ARG(&g->column_indices.mem), GEMP_ARG(&g->vertices),
		GEMP_ARG(&g->low_offsets.mem), GEMP_ARG(&g->low_indices.mem), GEMP_ARG(&g->low_source.mem));
}

/* CPU devices: one word per vertex for each worker, zero between launches, in which a worker marks the row that it
 * intersects. */
static gemp_code make_maps(gemp_count_engine *engine)
{
	gemp_device *device = engine->context->device;
	size_t bytes = (size_t)device->units * engine->graph.vertices * sizeof(uint32_t);
	GEMP_TRY(gemp_buffer_new(&engine->maps, device, bytes, NULL));
	return gemp_buffer_zero(device, &engine->maps, 0, bytes);
}

/* Low rows come last, since they need the splits. */
gemp_code gemp_count_rows(gemp_count_engine *engine, gemp_timings *timings)
{
	GEMP_TRY(upload_rows(engine));
	GEMP_TRY(split_rows(engine, timings));
	if (engine->needs.low)
		GEMP_TRY(make_low_rows(engine, timings));
	if (engine->needs.maps)
		GEMP_TRY(make_maps(engine));
	return GEMP_OK;
}

/* SUPPORTS: the number of triangles on each edge. A GPU computes all supports on every rank, which is faster than an
 * exchange between ranks; ranks with CPU devices share the work and add up their results. */

/* CPU: a worker marks the row of a vertex and counts triangles along its lower neighbours. Buffers are zeroed with
 * several ranks, because each rank writes only its share before the sum over ranks. */
static gemp_code support_by_vertices(gemp_count_engine *engine, gemp_timings *timings)
{
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	cl_uint rank = (cl_uint)engine->context->comm->rank, ranks = (cl_uint)engine->context->comm->size;
	if (ranks > 1)
		GEMP_TRY(gemp_buffer_zero(device, &g->low_support, 0, g->low_support.size));
	if (ranks > 1 && engine->needs.both_entries)
		GEMP_TRY(gemp_buffer_zero(device, &g->support, 0, g->support.size));
	if (engine->needs.ordered_support) /* the kernel skips entries that lead to smaller slots */
		GEMP_TRY(gemp_buffer_zero(device, &g->ordered_support, 0, g->ordered_support.size));
	return launch_rows_kernel(
		engine, timings, "count_support", gemp_count_launch_shape(device, g->vertices, 1, 1),
		GEMP_ARG(&g->row_offsets.mem), GEMP_ARG(&g->upper_offsets.mem), GEMP_ARG(&g->column_indices.mem),
		GEMP_ARG(&g->low_offsets.mem), GEMP_ARG(&g->low_indices.mem), GEMP_ARG(&g->vertices), GEMP_ARG(&rank),
		GEMP_ARG(&ranks), GEMP_ARG(&g->low_support.mem), GEMP_ARG(&g->support.mem), GEMP_ARG(&g->ordered_support.mem),
		GEMP_ARG(&engine->maps.mem), GEMP_ARG(&engine->partials.control.mem));
}

/* GPU: the shorter row of each edge is searched in the longer one. Supports are added atomically, so they start at
 * zero. */
static gemp_code support_by_edges(gemp_count_engine *engine, gemp_timings *timings)
{
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	cl_ulong edges = g->entries / 2;
	GEMP_TRY(launch_rows_kernel(engine, timings, "count_clear", gemp_count_launch_shape(device, edges, 1, 256),
	                            GEMP_ARG(&g->low_support.mem), GEMP_ARG(&edges)));
	return launch_rows_kernel(engine, timings, "count_support",
	                          gemp_count_launch_shape(device, edges, engine->lanes, 256), GEMP_ARG(&g->low_offsets.mem),
	                          GEMP_ARG(&g->low_indices.mem), GEMP_ARG(&g->low_source.mem), GEMP_ARG(&edges),
	                          GEMP_ARG(&g->low_support.mem));
}

/* Copies the support of each edge to both of its entries. mirror[entries / 2] is the entry at the edge's lower end;
 * only this step reads it. */
static gemp_code spread_to_entries(gemp_count_engine *engine, gemp_timings *timings)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	gemp_buffer mirror = { 0 };
	cl_ulong edges = g->entries / 2;
	gemp_count_shape flat = gemp_count_launch_shape(device, edges, 1, 256);
	GEMP_TRY_DONE(gemp_buffer_new(&mirror, device, edges * (g->wide ? sizeof(uint64_t) : sizeof(uint32_t)), NULL));
	GEMP_TRY_DONE(launch_rows_kernel(engine, timings, "count_mirror", flat, GEMP_ARG(&g->row_offsets.mem),
	                                 GEMP_ARG(&g->upper_offsets.mem), GEMP_ARG(&g->column_indices.mem),
	                                 GEMP_ARG(&g->low_indices.mem), GEMP_ARG(&g->low_source.mem), GEMP_ARG(&edges),
	                                 GEMP_ARG(&mirror.mem)));
	GEMP_TRY_DONE(launch_rows_kernel(engine, timings, "count_spread", flat, GEMP_ARG(&g->row_offsets.mem),
	                                 GEMP_ARG(&g->low_offsets.mem), GEMP_ARG(&g->low_source.mem), GEMP_ARG(&mirror.mem),
	                                 GEMP_ARG(&g->low_support.mem), GEMP_ARG(&edges), GEMP_ARG(&g->support.mem)));
	code = GEMP_CL(clFinish(device->queue)); /* the mirror is freed below */
done:
	gemp_buffer_free(&mirror, device);
	return code;
}

/* Local. Computes all supports on a GPU and this rank's share on a CPU device. */
static gemp_code make_supports(gemp_count_engine *engine, gemp_timings *timings)
{
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	GEMP_TRY(gemp_buffer_new(&g->low_support, device, g->entries / 2 * sizeof(uint32_t), NULL));
	if (engine->needs.both_entries)
		GEMP_TRY(gemp_buffer_new(&g->support, device, g->entries * sizeof(uint32_t), NULL));
	if (engine->needs.ordered_support)
		GEMP_TRY(gemp_buffer_new(&g->ordered_support, device, g->entries * sizeof(uint32_t), NULL));
	if (!device->gpu)
		return support_by_vertices(engine, timings);
	GEMP_TRY(support_by_edges(engine, timings));
	return engine->needs.both_entries ? spread_to_entries(engine, timings) : GEMP_OK;
}

/* Collective. Each number is nonzero on one rank only, so that a sum joins the shares. It runs in chunks, since
 * counts of MPI are ints. */
static gemp_code sum_over_ranks(const gemp_count_engine *engine, const gemp_buffer *buffer)
{
	const gemp_comm *comm = engine->context->comm;
	gemp_device *device = engine->context->device;
	enum { CHUNK = 1 << 24 };
	size_t count = buffer->size / sizeof(uint32_t);
	GEMP_OWNED uint32_t *numbers = NULL;
	double began = gemp_now();
	gemp_code code = GEMP_NEW(numbers, count);
	GEMP_THEN(gemp_buffer_read(device, buffer, 0, buffer->size, numbers));
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t at = 0; at < count; at += CHUNK)
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, numbers + at, (int)(count - at < CHUNK ? count - at : CHUNK), MPI_UINT32_T,
		                       MPI_SUM, comm->world));
	GEMP_TRY(gemp_comm_agree(comm, gemp_buffer_write(device, buffer, 0, buffer->size, numbers)));
	gemp_timers_add(&engine->context->timers, GEMP_PHASE_EXCHANGE, began);
	return GEMP_OK;
}

/* Each form of the supports is summed over the ranks on its own. */
gemp_code gemp_count_support(gemp_count_engine *engine, gemp_timings *timings)
{
	const gemp_runtime *context = engine->context;
	if (!engine->needs.support)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(context->comm, make_supports(engine, timings)));
	if (context->comm->size == 1 || context->device->gpu)
		return GEMP_OK;
	GEMP_TRY(sum_over_ranks(engine, &engine->graph.low_support));
	if (engine->needs.both_entries)
		GEMP_TRY(sum_over_ranks(engine, &engine->graph.support));
	if (engine->needs.ordered_support)
		GEMP_TRY(sum_over_ranks(engine, &engine->graph.ordered_support));
	return GEMP_OK;
}

/* VERTEX TABLES: sums over the neighbours of each vertex. */

enum { LONG_ROW = 512, GROUP_ROW = 32 };

/* Rows [first, end) by groups of `group` work-items each; 0: one work-item per row. The order of arguments is that
 * of count_table.cl. */
static gemp_code launch_table(gemp_count_engine *engine, gemp_timings *timings, size_t k, uint32_t first, uint32_t end,
                              size_t group)
{
	gemp_count_graph *g = &engine->graph;
	gemp_device *device = engine->context->device;
	gemp_count_shape shape = gemp_count_launch_shape(device, end - first, group ? (unsigned)group : 1,
	                                                 group ? group : 256);
	gemp_argument arguments[GEMP_MAX_VERTEX_TABLES + 9];
	char name[32];
	if (first == end)
		return GEMP_OK;
	snprintf(name, sizeof name, group ? "count_rows_%zu" : "count_table_%zu", k);
	size_t count = gemp_count_table_arguments(g, engine->plan->tables[k].expression, arguments);
	gemp_count_add_arguments(arguments, count, GEMP_ARG(&g->row_offsets.mem), GEMP_ARG(&g->column_indices.mem),
	                         GEMP_ARG(&g->support.mem), GEMP_ARG(&g->ordered_support.mem), GEMP_ARG(&first),
	                         GEMP_ARG(&end), GEMP_ARG(&g->tables[k].mem), GEMP_ARG(&engine->partials.control.mem));
	if (group)
		arguments[count++] = GEMP_LOCAL(shape.group * sizeof(cl_long));
	return gemp_count_launch_once_with(timings, device, &engine->program, name, shape.group * shape.groups, shape.group,
	                                   arguments, count);
}

/* Long rows go to groups of 256, middle ones to groups of 32, short ones to single work-items, so that no group waits
 * for one long row. */
static gemp_code make_table(gemp_count_engine *engine, gemp_timings *timings, size_t k)
{
	gemp_count_graph *g = &engine->graph;
	gemp_device *device = engine->context->device;
	uint32_t groups = device->gpu ? gemp_count_rows_from_length(g, g->vertices, GROUP_ROW) : 0,
			 longs = device->gpu ? gemp_count_rows_from_length(g, g->vertices, LONG_ROW) : 0;
	GEMP_TRY(gemp_buffer_new(&g->tables[k], device, g->vertices * sizeof(int64_t), NULL));
	GEMP_TRY(launch_table(engine, timings, k, 0, longs, 256));
	GEMP_TRY(launch_table(engine, timings, k, longs, groups, 32));
	return launch_table(engine, timings, k, groups, g->vertices, 0);
}

/* A table may read the tables before it, hence the order. */
gemp_code gemp_count_tables(gemp_count_engine *engine, gemp_timings *timings)
{
	for (size_t k = 1; k < engine->plan->table_count; k++)
		GEMP_TRY(make_table(engine, timings, k));
	return GEMP_OK;
}

/* CLIQUES */

enum { SPARE_LOCAL = 128 }; /* bytes of local memory that a kernel has beside its argument */

/* The odd number of words in a row ( | 1) keeps the rows of one column in different banks of local memory. */
static size_t bit_words(size_t d)
{
	return d + d * ((d + 31) / 32 | 1);
}

/* The longest low row whose bits fit into local memory, of which at most 48 KiB are used. The bits grow
 * quadratically with d, so the linear search is short. */
static uint32_t longest_local(const gemp_device *device)
{
	size_t words = (device->local_memory < 49152 ? device->local_memory : 49152) - SPARE_LOCAL, d = 0;
	words /= sizeof(uint32_t);
	while (bit_words(d + 1) <= words)
		d++;
	return (uint32_t)d;
}

/* A CPU device keeps all bits in global memory. */
bool gemp_count_cliques_large(const gemp_device *device, uint32_t longest_low)
{
	return device->gpu && longest_low > longest_local(device);
}

/* A row of one word gains nothing from registers, hence the lower limit of 32. */
bool gemp_count_cliques_narrow(const gemp_device *device, uint32_t longest_low)
{
	return device->gpu && longest_low > 32 && longest_low <= 32 * GEMP_NARROW_WORDS;
}

static uint32_t low_length(const gemp_count_engine *engine, size_t v)
{
	return (uint32_t)(engine->low_offsets[v + 1] - engine->low_offsets[v]);
}

/* Counting sort by length of the low row, the longest first, so that long tasks start early. clique_count[d]
 * becomes the number of low rows of length d or more, which is also where the rows shorter than d begin. */
static gemp_code list_vertices(gemp_count_engine *engine)
{
	const gemp_count_graph *g = &engine->graph;
	GEMP_OWNED uint32_t *list = NULL, *next = NULL;
	uint32_t *count;
	GEMP_TRY(GEMP_NEW(engine->clique_count, (size_t)g->max_prefix + 2));
	GEMP_TRY(GEMP_NEW(next, (size_t)g->max_prefix + 2));
	count = engine->clique_count;
	for (size_t v = 0; v < g->vertices; v++)
		count[low_length(engine, v)]++;
	for (size_t d = g->max_prefix + 1; d-- > 0;) {
		next[d] = count[d + 1];
		count[d] += count[d + 1];
	}
	GEMP_TRY(GEMP_NEW(list, g->vertices));
	for (size_t v = 0; v < g->vertices; v++)
		list[next[low_length(engine, v)]++] = (uint32_t)v;
	return gemp_buffer_new(&engine->clique_list, engine->context->device, g->vertices * sizeof *list, list);
}

/* Number of vertices at the front of the list whose low rows have at least this length. */
static uint32_t count_at_least(const gemp_count_engine *engine, size_t length)
{
	return length > engine->graph.max_prefix ? 0 : engine->clique_count[length];
}

/* Global memory for rows that do not fit into local memory: on a GPU a quarter of the free memory at most. */
static gemp_code make_slab(gemp_count_engine *engine)
{
	gemp_device *device = engine->context->device;
	size_t d = engine->graph.max_prefix, groups = device->units, bytes;
	if (device->gpu) {
		size_t rows = count_at_least(engine, (size_t)longest_local(device) + 1);
		engine->slab_words = bit_words(d);
		bytes = engine->slab_words * sizeof(uint32_t);
		groups = 4 * groups < rows ? 4 * groups : rows;
		size_t fit = (device->memory - device->buffer_bytes) / 4 / bytes;
		groups = groups > fit ? fit ? fit : 1 : groups;
	} else {
		engine->slab_words = d * ((d + 63) / 64);
		bytes = engine->slab_words * sizeof(uint64_t);
	}
	return gemp_buffer_new(&engine->slab, device, groups * bytes, NULL);
}

/* The pairs of a low row are numbered in 32 bits, hence the limit on its length. */
gemp_code gemp_count_cliques_prepare(gemp_count_engine *engine)
{
	const gemp_device *device = engine->context->device;
	if (!engine->needs.cliques)
		return GEMP_OK;
	if (engine->graph.max_prefix > GEMP_MAX_LOW_ROW)
		return gemp_fail(GEMP_EDATA,
		                 "a vertex has more than %d neighbours of greater degree, and their bitmap is too "
		                 "large; count-by enumerate does without",
		                 GEMP_MAX_LOW_ROW);
	if (device->gpu)
		GEMP_TRY(list_vertices(engine));
	if (!device->gpu || gemp_count_cliques_large(device, engine->graph.max_prefix))
		GEMP_TRY(make_slab(engine));
	return GEMP_OK;
}

/* Few long rows want large groups; many short ones small groups, of which more are resident. */
static size_t choose_group(const gemp_count_engine *engine, int clique, uint32_t tasks)
{
	const gemp_device *device = engine->context->device;
	size_t group = engine->graph.max_prefix > 128 ? 128 : 64, resident = (size_t)device->units * 2048;
	while (group < 256 && 6 * resident > group * tasks)
		group *= 2;
	for (int k = 4; k < clique && group < 512; k++)
		group *= engine->graph.max_prefix > 128 ? 4 : 2;
	group = gemp_tuning(device, "count.clique.group", (uint32_t)(group > 512 ? 512 : group));
	return group < device->max_group ? group : device->max_group;
}

/* Launches one kernel over the places [from, end) of the vertex list. Local memory must also hold the reduction of
 * the group's two words per work-item. */
static gemp_code launch_list(gemp_count_engine *engine, gemp_timings *timings, cl_kernel kernel, gemp_count_shape shape,
                             uint32_t from, uint32_t end, size_t local, size_t first)
{
	gemp_count_graph *g = &engine->graph;
	cl_uint rank = (cl_uint)engine->context->comm->rank, ranks = (cl_uint)engine->context->comm->size;
	cl_ulong slab_words = engine->slab_words, place = first;
	size_t minimum = 2 * shape.group * sizeof(cl_long);
	return gemp_count_launch(
		engine, timings, kernel, shape, GEMP_ARG(&g->low_offsets.mem), GEMP_ARG(&g->low_indices.mem),
		GEMP_ARG(&engine->clique_list.mem), GEMP_ARG(&from), GEMP_ARG(&end), GEMP_ARG(&rank), GEMP_ARG(&ranks),
		GEMP_ARG(&engine->slab.mem), GEMP_ARG(&slab_words), GEMP_ARG(&engine->partials.control.mem),
		GEMP_ARG(&engine->partials.out.mem), GEMP_ARG(&place), GEMP_LOCAL(local > minimum ? local : minimum));
}

/* Low rows too long for local memory come first in the list and go to the kernel with the slab; the rest go to the
 * kernel with local memory. A vertex with fewer than clique - 1 lower neighbours cannot be the last vertex of a
 * clique and is skipped. */
static gemp_code launch_gpu(gemp_count_engine *engine, size_t index, size_t first, size_t *groups,
                            gemp_timings *timings)
{
	const gemp_device *device = engine->context->device;
	int clique = engine->plan->sums[index].clique;
	uint32_t limit = longest_local(device), longest = engine->graph.max_prefix;
	uint32_t large = count_at_least(engine, (size_t)limit + 1), all = count_at_least(engine, (size_t)clique - 1);
	if (large) {
		gemp_count_shape shape = { device->max_group < 512 ? device->max_group : 512,
			                       engine->slab.size / sizeof(uint32_t) / engine->slab_words };
		GEMP_TRY(launch_list(engine, timings, engine->large[index], shape, 0, large, 0, first));
		*groups = shape.groups;
	}
	if (all > large) {
		size_t group = choose_group(engine, clique, all - large);
		size_t maximum = (size_t)device->units * 2048 / (group > 32 ? group : 32);
		uint32_t mine = (all - large - 1) / (uint32_t)engine->context->comm->size + 1;
		gemp_count_shape shape = { group, mine < maximum ? mine : maximum };
		size_t local = sizeof(uint32_t) * bit_words(longest < limit ? longest : limit);
		GEMP_TRY(launch_list(engine, timings, engine->sums[index], shape, large, all, local, first + *groups));
		*groups += shape.groups;
	}
	return GEMP_OK;
}

/* CPU device: one worker for each compute unit, which takes vertices in turn. */
gemp_code gemp_count_cliques_launch(gemp_count_engine *engine, size_t index, size_t first, size_t *groups,
                                    gemp_timings *timings)
{
	gemp_count_graph *g = &engine->graph;
	const gemp_device *device = engine->context->device;
	cl_uint minimum = (cl_uint)engine->plan->sums[index].clique - 1, rank = (cl_uint)engine->context->comm->rank;
	cl_uint ranks = (cl_uint)engine->context->comm->size;
	cl_ulong slab_words = engine->slab_words, place = first;
	gemp_count_shape shape = { 1, device->units };
	*groups = 0;
	if (device->gpu)
		return launch_gpu(engine, index, first, groups, timings);
	*groups = shape.groups;
	return gemp_count_launch(engine, timings, engine->sums[index], shape, GEMP_ARG(&g->low_offsets.mem),
	                         GEMP_ARG(&g->low_indices.mem), GEMP_ARG(&g->vertices), GEMP_ARG(&minimum), GEMP_ARG(&rank),
	                         GEMP_ARG(&ranks), GEMP_ARG(&engine->maps.mem), GEMP_ARG(&engine->slab.mem),
	                         GEMP_ARG(&slab_words), GEMP_ARG(&engine->partials.control.mem),
	                         GEMP_ARG(&engine->partials.out.mem), GEMP_ARG(&place));
}
