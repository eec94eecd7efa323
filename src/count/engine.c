#include "count/engine.h"

#include "core/memory.h"
#include "core/threads.h"
#include "count/codegen.h"
#include "device/transfer.h"
#include "device/tuning.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* At most four times the work-items that the device holds at once, so that later groups balance the load of earlier
 * groups. */
gemp_count_shape gemp_count_launch_shape(const gemp_device *device, uint64_t tasks, unsigned lanes, size_t wanted)
{
	gemp_count_shape shape = { 1, device->units };
	if (!device->gpu)
		return shape;
	size_t maximum = (size_t)device->units * 32 * 256 / wanted; /* 2048 resident work-items per unit */
	shape.group = wanted < device->max_group ? wanted : device->max_group;
	shape.groups = (size_t)((tasks * lanes + shape.group - 1) / shape.group);
	if (shape.groups > maximum)
		shape.groups = maximum;
	if (shape.groups == 0)
		shape.groups = 1;
	return shape;
}

/* Uploads positions as 32-bit words unless the graph has 2^32 entries or more. Halving the offsets saves memory traffic
 * in every kernel. */
static gemp_code upload_positions(gemp_count_engine *engine, gemp_buffer *buffer, uint64_t *positions, size_t count)
{
	if (engine->graph.wide)
		return gemp_buffer_load(buffer, engine->context->device, count * sizeof *positions, positions);
	GEMP_TRY(gemp_buffer_new(buffer, engine->context->device, count * sizeof(uint32_t), NULL));
	return gemp_transfer_upload(engine->context->device, buffer, (gemp_transfer_numbers){ .wide = positions }, count);
}

/* The device copy of the rows belongs to the view, so that several engines and the matcher share it. */
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

/* The inverse of upload_positions. */
static gemp_code download_positions(gemp_count_engine *engine, const gemp_buffer *from, uint64_t *positions,
                                    size_t count)
{
	const bool wide = engine->graph.wide;
	const gemp_transfer_numbers to = { wide ? (uint32_t *)(void *)positions : NULL, wide ? NULL : positions };
	return gemp_transfer_download(engine->context->device, from, 0, to, wide ? 2 * count : count);
}

/* The lengths of low rows, which all threads compute. */
typedef struct low_task {
	const uint64_t *begin, *upper;
	uint64_t *low; /* offsets; NULL: only the maximum is wanted */
	_Atomic uint64_t longest;
} low_task;

static void measure_low_rows(void *context, size_t begin, size_t end)
{
	low_task *t = context;
	uint64_t longest = 0, known = t->longest;
	for (size_t v = begin; v < end; v++) {
		longest = gemp_max(longest, t->upper[v] - t->begin[v]);
		if (t->low)
			t->low[v + 1] = t->upper[v] - t->begin[v];
	}
	while (longest > known && !atomic_compare_exchange_weak(&t->longest, &known, longest))
		;
}

/* Finds in each row the first neighbour with a greater slot, and stores the degrees as table 0. The host reads the
 * splits to list tasks and to compute the offsets of the low rows. */
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
	GEMP_TRY(GEMP_CL(clFinish(device->queue))); /* the copy takes another queue */
	GEMP_TRY(download_positions(engine, &g->upper_offsets, engine->upper_offsets, count));
	g->host_offsets = engine->view->begin;
	g->host_upper_offsets = engine->upper_offsets;
	low_task t = { engine->view->begin, engine->upper_offsets, NULL, 0 };
	gemp_for_elements(count, measure_low_rows, &t);
	g->max_prefix = (uint32_t)t.longest;
	return GEMP_OK;
}

/* Makes the low rows, which contain each edge once, in the row of the end with the greater slot. The host computes
 * their offsets as a prefix sum. */
static gemp_code make_low_rows(gemp_count_engine *engine, gemp_timings *timings)
{
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	size_t bytes = g->entries / 2 * sizeof(uint32_t);
	GEMP_TRY(GEMP_NEW(engine->low_offsets, (size_t)g->vertices + 1));
	low_task t = { g->host_offsets, g->host_upper_offsets, engine->low_offsets, 0 };
	gemp_for_elements(g->vertices, measure_low_rows, &t);
	gemp_prefix_inclusive(engine->low_offsets, (size_t)g->vertices + 1);
	GEMP_TRY(upload_positions(engine, &g->low_offsets, engine->low_offsets, (size_t)g->vertices + 1));
	GEMP_TRY(gemp_buffer_new(&g->low_indices, device, bytes, NULL));
	GEMP_TRY(gemp_buffer_new(&g->low_source, device, bytes, NULL));
	return launch_rows_kernel(
		engine, timings, "count_low", gemp_count_launch_shape(device, g->vertices, engine->lanes, 256),
		GEMP_ARG(&g->row_offsets.mem), GEMP_ARG(&g->column_indices.mem), GEMP_ARG(&g->vertices),
		GEMP_ARG(&g->low_offsets.mem), GEMP_ARG(&g->low_indices.mem), GEMP_ARG(&g->low_source.mem));
}

/* A worker of a CPU device marks the row to intersect in one word per vertex, which is zero between launches. */
static gemp_code make_maps(gemp_count_engine *engine)
{
	gemp_device *device = engine->context->device;
	size_t bytes = (size_t)device->units * engine->graph.vertices * sizeof(uint32_t);
	GEMP_TRY(gemp_buffer_new(&engine->maps, device, bytes, NULL));
	return gemp_buffer_zero(device, &engine->maps, 0, bytes);
}

/* The order matters: low rows are made from the splits. */
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

/* SUPPORTS: the number of triangles on each edge. Every GPU computes all supports, which is faster than an exchange
 * between ranks. Ranks with CPU devices each compute a part and add up their results. */

/* CPU: a worker marks the row of a vertex and counts the marked vertices in the rows of its neighbours with greater
 * slots. With several ranks the buffers are zeroed, because each rank writes only its part before the sum over
 * ranks. */
static gemp_code support_by_vertices(gemp_count_engine *engine, gemp_timings *timings)
{
	gemp_device *device = engine->context->device;
	gemp_count_graph *g = &engine->graph;
	cl_uint rank = (cl_uint)engine->context->comm->rank, ranks = (cl_uint)engine->context->comm->size;
	if (ranks > 1)
		GEMP_TRY(gemp_buffer_zero(device, &g->low_support, 0, g->low_support.size));
	if (ranks > 1 && engine->needs.both_entries)
		GEMP_TRY(gemp_buffer_zero(device, &g->support, 0, g->support.size));
	if (engine->needs.ordered_support) /* the kernel does not write entries that lead to smaller slots */
		GEMP_TRY(gemp_buffer_zero(device, &g->ordered_support, 0, g->ordered_support.size));
	return launch_rows_kernel(
		engine, timings, "count_support", gemp_count_launch_shape(device, g->vertices, 1, 1),
		GEMP_ARG(&g->row_offsets.mem), GEMP_ARG(&g->upper_offsets.mem), GEMP_ARG(&g->column_indices.mem),
		GEMP_ARG(&g->low_offsets.mem), GEMP_ARG(&g->low_indices.mem), GEMP_ARG(&g->vertices), GEMP_ARG(&rank),
		GEMP_ARG(&ranks), GEMP_ARG(&g->low_support.mem), GEMP_ARG(&g->support.mem), GEMP_ARG(&g->ordered_support.mem),
		GEMP_ARG(&engine->maps.mem), GEMP_ARG(&engine->partials.control.mem));
}

/* GPU: for each edge, the longer row is searched for each slot of the shorter row. Supports are added atomically, so
 * they start at zero. */
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

/* Copies the support of each edge to both of its entries. mirror[entries / 2], the entry in the row of the end with the
 * smaller slot, is temporary. */
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
	code = GEMP_CL(clFinish(device->queue)); /* before the mirror is freed */
done:
	gemp_buffer_free(&mirror, device);
	return code;
}

/* Local. Computes all supports on a GPU, or this rank's part on a CPU device. */
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

/* Collective. Each number is nonzero on one rank only, so the sum over ranks collects the parts. The sum runs in
 * chunks, since MPI counts are ints. */
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

/* Collective. Each form of the supports needs a sum over ranks of its own. */
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

/* Computes rows [first, end) of table k: by groups of `group` work-items for each row, or by one work-item for each row
 * if group is 0. The order of arguments is the order of count_table.cl's parameters. */
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

/* Long rows go to groups of 256, medium rows to groups of 32, and short rows to single work-items, so that no group
 * waits for one long row. */
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

/* The tables are computed in order, since a table may read the tables before it. */
gemp_code gemp_count_tables(gemp_count_engine *engine, gemp_timings *timings)
{
	for (size_t k = 1; k < engine->plan->table_count; k++)
		GEMP_TRY(make_table(engine, timings, k));
	return GEMP_OK;
}

/* CLIQUES */

enum { SPARE_LOCAL = 128 }; /* bytes of local memory that a kernel uses besides its argument */

/* Words of the slots and the bitmap of a low row of length d. The number of words in a bitmap row is odd ( | 1), so
 * that the words of one column lie in different banks of local memory. */
static size_t bit_words(size_t d)
{
	return d + d * ((d + 31) / 32 | 1);
}

/* Returns the length of the longest low row whose bitmap fits into 48 KiB of local memory, or into all local memory if
 * there is less. The bitmap grows quadratically with d, so the linear search is short. */
static uint32_t longest_local(const gemp_device *device)
{
	size_t words = (device->local_memory < 49152 ? device->local_memory : 49152) - SPARE_LOCAL, d = 0;
	words /= sizeof(uint32_t);
	while (bit_words(d + 1) <= words)
		d++;
	return (uint32_t)d;
}

/* A CPU device always has its bitmaps in global memory, and needs no second kernel. */
bool gemp_count_cliques_large(const gemp_device *device, uint32_t longest_low)
{
	return device->gpu && longest_low > longest_local(device);
}

/* The lower limit is 32 because a bitmap row of one word gains nothing from registers. */
bool gemp_count_cliques_narrow(const gemp_device *device, uint32_t longest_low)
{
	return device->gpu && longest_low > 32 && longest_low <= 32 * GEMP_NARROW_WORDS;
}

static uint32_t low_length(const gemp_count_engine *engine, size_t v)
{
	return (uint32_t)(engine->low_offsets[v + 1] - engine->low_offsets[v]);
}

/* Lists the vertices by length of their low rows with a counting sort. The longest come first, so that long tasks start
 * early. clique_count[d] becomes the number of low rows of at least length d, which is the position in the list of the
 * first shorter row. */
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

/* Returns the number of vertices whose low rows have at least this length. They are at the front of the list. */
static uint32_t count_at_least(const gemp_count_engine *engine, size_t length)
{
	return length > engine->graph.max_prefix ? 0 : engine->clique_count[length];
}

/* Allocates global memory for bitmaps that do not lie in local memory. On a GPU it takes at most a quarter of the free
 * memory, but always the bitmap of one group. */
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

/* Refuses low rows whose pairs cannot be numbered in 32 bits. */
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

/* With few tasks or large cliques, groups are large, to keep the device busy. Otherwise they are small, since more
 * small groups are resident. */
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

/* Launches one kernel over positions [from, end) of the vertex list. At the end, local memory also holds two words of
 * each work-item for the reduction. */
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

/* The low rows that are too long for local memory come first in the list and go to the kernel with the slab. The other
 * rows go to the kernel with local memory. A vertex with fewer than clique - 1 lower neighbours cannot have the
 * greatest slot of a clique and is skipped. */
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

/* A CPU device has one worker for each compute unit, and workers take chunks of vertices. */
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
