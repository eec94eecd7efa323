/* Cliques of four or more vertices, in the bitmap of each vertex's low row. */

#include "count/cliques.h"

#include "core/memory.h"
#include "count/codegen.h"
#include "device/tuning.h"

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

bool gemp_count_cliques_large(const gemp_device *device, uint32_t longest_low)
{
	return device->gpu && longest_low > longest_local(device);
}

/* A row of one word gains nothing from registers, hence the lower limit of 32. */
bool gemp_count_cliques_narrow(const gemp_device *device, uint32_t longest_low)
{
	return device->gpu && longest_low > 32 && longest_low <= 32 * GEMP_NARROW_WORDS;
}

/* TASKS: vertices by the length of their low rows, the longest first. */
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
	GEMP_PROPAGATE(GEMP_NEW(engine->clique_count, (size_t)g->max_prefix + 2));
	GEMP_PROPAGATE(GEMP_NEW(next, (size_t)g->max_prefix + 2));
	count = engine->clique_count;
	for (size_t v = 0; v < g->vertices; v++)
		count[low_length(engine, v)]++;
	for (size_t d = g->max_prefix + 1; d-- > 0;) {
		next[d] = count[d + 1];
		count[d] += count[d + 1];
	}
	GEMP_PROPAGATE(GEMP_NEW(list, g->vertices));
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
		                 "large; --count-by enumerate does without",
		                 GEMP_MAX_LOW_ROW);
	if (device->gpu)
		GEMP_PROPAGATE(list_vertices(engine));
	if (!device->gpu || gemp_count_cliques_large(device, engine->graph.max_prefix))
		GEMP_PROPAGATE(make_slab(engine));
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
		GEMP_PROPAGATE(launch_list(engine, timings, engine->large[index], shape, 0, large, 0, first));
		*groups = shape.groups;
	}
	if (all > large) {
		size_t group = choose_group(engine, clique, all - large);
		size_t maximum = (size_t)device->units * 2048 / (group > 32 ? group : 32);
		uint32_t mine = (all - large - 1) / (uint32_t)engine->context->comm->size + 1;
		gemp_count_shape shape = { group, mine < maximum ? mine : maximum };
		size_t local = sizeof(uint32_t) * bit_words(longest < limit ? longest : limit);
		GEMP_PROPAGATE(launch_list(engine, timings, engine->sums[index], shape, large, all, local, first + *groups));
		*groups += shape.groups;
	}
	return GEMP_OK;
}

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
