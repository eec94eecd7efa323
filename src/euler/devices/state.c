#include "euler/devices/state.h"

#include "core/limits.h"
#include "core/memory.h"

/* The order of gemp_euler_kernel. */
static const char *const names[GEMP_EULER_KERNELS] = {
	"ranks_count",  "ranks_group", "ranks_cursors", "ranks_fill",     "ranks_pair",    "ranks_answer",
	"ranks_link",   "euler_check", "ranks_tally",   "ranks_divide",   "ranks_assign",  "ranks_unlabelled",
	"ranks_choose", "ranks_walk",  "ranks_copies",  "ranks_links",    "ranks_posts",   "ranks_alone",
	"ranks_values", "euler_least", "euler_double",  "euler_circuits", "euler_roots",   "ranks_join",
	"ranks_marks",  "ranks_unite", "ranks_refuse",  "euler_words",    "ranks_changes", "ranks_starts",
	"ranks_place",  "ranks_order"
};

/* Work-items of a group, and the number of work-items that a unit runs at the same time. */
enum { GPU_GROUP = 256, GPU_ITEMS_PER_UNIT = 2048, CPU_GROUP = 8, CPU_ITEMS_PER_UNIT = 64 };
enum { IN_FLIGHT = 1 << 23, SPACING = 16, SPACING_PER_RANK = 8 };

gemp_code gemp_euler_launch(gemp_euler_state *e, gemp_euler_kernel kernel, uint64_t work,
                            const gemp_argument *arguments, size_t count)
{
	const size_t items = work < e->max_items ? (size_t)work : e->max_items;
	return gemp_launch_with(e->device, e->kernels[kernel], items, e->group, arguments, count);
}

/* An empty array has a buffer, too, since kernels take it as an argument. */
gemp_code gemp_euler_reserve(gemp_euler_state *e, gemp_buffer *buffer, size_t count, size_t size)
{
	const size_t bytes = (count ? count : 1) * size;
	if (buffer->size >= bytes)
		return GEMP_OK;
	gemp_buffer_free(buffer, e->device);
	*buffer = (gemp_buffer){ 0 };
	return gemp_buffer_new(buffer, e->device, bytes, NULL);
}

gemp_code gemp_euler_grow(gemp_euler_state *e, gemp_buffer *buffer, size_t count, size_t size)
{
	gemp_buffer larger = { 0 };
	gemp_code code = GEMP_OK;
	if (buffer->size >= count * size)
		return GEMP_OK;
	GEMP_TRY(gemp_euler_reserve(e, &larger, count, size));
	if (buffer->size)
		code = GEMP_CL(
			clEnqueueCopyBuffer(e->device->queue, buffer->mem, larger.mem, 0, 0, buffer->size, 0, NULL, NULL));
	GEMP_ALSO(GEMP_CL(clFinish(e->device->queue)));
	gemp_buffer_free(buffer, e->device);
	*buffer = larger;
	return code;
}

gemp_code gemp_euler_read_counters(gemp_euler_state *e)
{
	return gemp_buffer_read(e->device, &e->on.counters, 0, sizeof e->counters, e->counters);
}

gemp_code gemp_euler_zero_counter(gemp_euler_state *e, size_t counter)
{
	return gemp_buffer_zero(e->device, &e->on.counters, counter * sizeof(cl_uint), sizeof(cl_uint));
}

gemp_code gemp_euler_write_table(gemp_euler_state *e, gemp_buffer *buffer, const uint64_t *values)
{
	for (size_t r = 0; r <= e->ranks; r++)
		e->table[r] = (cl_uint)values[r];
	return gemp_buffer_write(e->device, buffer, 0, (e->ranks + (size_t)1) * sizeof *e->table, e->table);
}

/* Local. Makes the arrays of which the sizes are known, so a graph that does not fit is refused early. */
static gemp_code new_arrays(gemp_euler_state *e)
{
	gemp_euler_arrays *on = &e->on;
	const size_t word = sizeof(cl_uint), table = e->ranks + (size_t)1;
	const struct {
		gemp_buffer *buffer;
		size_t count, size;
	} list[] = {
		{ &on->slots, e->own, sizeof(cl_uint4) },
		{ &on->target, e->own, word },
		{ &on->begin, e->rows + (size_t)1, word },
		{ &on->cursor, e->rows, word },
		{ &on->counters, EULER_RANKS_COUNTERS, word },
		{ &on->splitter, 1, word },
		{ &on->segments, 1, sizeof(cl_uint2) },
		{ &on->starts, 1, word },
		{ &on->inbox, 1, word },
		{ &on->tags, 1, word },
		{ &on->source, 1, word },
		{ &on->mark, e->words, word },
		{ &on->some, e->words / 32 + (size_t)1, word },
		{ &on->full, e->words / 32 + (size_t)1, word },
		{ &on->coarse, 1, EULER_COARSE / 8 },
		{ &on->vertex_bounds, table, word },
		{ &on->slot_bounds, table, word },
		{ &on->segment_bounds, table, word },
		{ &on->place_bounds, table, word },
		{ &on->cursors, table, word },
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		GEMP_TRY(gemp_euler_reserve(e, list[i].buffer, list[i].count, list[i].size));
	gemp_buffer *const zeroed[] = { &on->counters, &on->mark, &on->some, &on->full, &on->coarse };
	for (size_t i = 0; i < sizeof zeroed / sizeof *zeroed; i++)
		GEMP_TRY(gemp_buffer_zero(e->device, zeroed[i], 0, zeroed[i]->size));
	return GEMP_OK;
}

/* Each device gets the segments of all ranks, so more ranks have fewer splitters. */
static void choose_sizes(gemp_euler_state *e)
{
	const gemp_euler_edges *edges = e->edges;
	const size_t in_flight = gemp_limits_now()->euler_in_flight;
	e->rank = (cl_uint)e->comm->rank;
	e->ranks = (cl_uint)e->comm->size;
	e->rows = (cl_uint)edges->rows;
	e->own = (cl_uint)edges->begin[edges->rows];
	e->first = (cl_uint)edges->first;
	e->words = e->own / 32 + 1;
	e->seed = (cl_uint)e->options->seed;
	e->spacing = e->options->spacing ? e->options->spacing : (cl_uint)gemp_max(SPACING, SPACING_PER_RANK * e->ranks);
	e->in_flight = in_flight ? in_flight : IN_FLIGHT;
	e->group = e->device->gpu ? GPU_GROUP : CPU_GROUP;
	e->max_items = e->device->units * (size_t)(e->device->gpu ? GPU_ITEMS_PER_UNIT : CPU_ITEMS_PER_UNIT);
}

gemp_code gemp_euler_state_new(gemp_euler_state *e)
{
	gemp_kernel_entry entries[GEMP_EULER_KERNELS];
	const size_t ranks = (size_t)e->comm->size;
	choose_sizes(e);
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(e->slot_bounds, ranks + 1), GEMP_ARRAY(e->table, ranks + 1),
	                      GEMP_ARRAY(e->send, ranks), GEMP_ARRAY(e->received, ranks)));
	for (size_t k = 0; k < GEMP_EULER_KERNELS; k++)
		entries[k] = (gemp_kernel_entry){ names[k], &e->kernels[k] };
	GEMP_TRY(gemp_program_build_list(&e->program, e->device, "euler_ranks.cl", "", entries, GEMP_EULER_KERNELS));
	return new_arrays(e);
}

void gemp_euler_state_free(gemp_euler_state *e)
{
	gemp_euler_arrays *on = &e->on;
	for (size_t k = 0; k < GEMP_EULER_KERNELS; k++)
		gemp_kernels_free(&e->kernels[k]);
	gemp_program_free(&e->program);
	gemp_buffers_free(e->device, &on->begin, &on->target, &on->cursor, &on->slots, &on->counters, &on->splitter,
	                  &on->segments, &on->mark, &on->some, &on->full, &on->coarse, &on->marked, &on->changed,
	                  &on->starts, &on->all, &on->links, &on->values, &on->lists[0], &on->lists[1], &on->parent,
	                  &on->root, &on->order, &on->source, &on->vertex_bounds, &on->slot_bounds, &on->segment_bounds,
	                  &on->place_bounds, &on->stage, &on->grouped, &on->tags, &on->cursors, &on->inbox, &on->answers);
	gemp_free_all(e->slot_bounds, e->table, e->send, e->received);
}
