#include "analytics/layout/list_device.h"

#include "analytics/layout/device_layout.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/timer.h"
#include "device/launch.h"
#include "device/transfer.h"
#include "primitive/sort.h"
#include "topology/csr.h"

#include <stdio.h>

/* Fewer arcs are made by the host in less time than kernels are loaded. An arc needs two keys, two entries, an id, two
 * ends, and, while rows by source are sorted, two sources and two targets, with three weights. */
enum { MIN_ENTRIES = 1 << 22, BYTES = 60 };

static uint64_t entries_of(const gemp_layout_state *state)
{
	uint64_t entries = 0;
	for (size_t l = 0; l < state->list_count; l++)
		entries += state->in_lists[l].begin[state->graph->rows];
	return entries;
}

bool gemp_layout_device_can(const gemp_layout_state *state, const gemp_device *device)
{
	uint64_t min = gemp_limits_now()->renumber_min, entries = entries_of(state);
	if (!min)
		min = device->gpu ? MIN_ENTRIES : UINT64_MAX;
	return entries && entries >= min && entries <= gemp_device_max() && !gemp_layout_wide(entries) &&
	       entries * sizeof(uint64_t) <= device->max_buffer && device->memory > device->buffer_bytes &&
	       entries * BYTES <= device->memory - device->buffer_bytes;
}

enum { KEYS, SPLIT, OUT, KERNELS };

/* The buffers and kernels while rows are made. */
typedef struct device_rows_task {
	gemp_layout_state *state;
	gemp_device *device;
	gemp_made_rows *made;
	size_t weight_size;
	cl_uint entries, arcs; /* arcs: entries without the loops that are dropped */
	cl_uint bits;          /* of the largest local vertex */
	gemp_toolbox *box;
	gemp_program program;
	cl_kernel kernels[KERNELS];
	gemp_device_csr csr;
	gemp_buffer local, ghosts, before, ghost_local, weights;
	gemp_sort_buffers sorted, by_source; /* arcs by target: keys and entries; by source: sources and targets */
} device_rows_task;

static void close_task(device_rows_task *t)
{
	gemp_toolbox_free(t->box); /* waits for the launches */
	gemp_kernels_free(&t->kernels[KEYS], &t->kernels[SPLIT], &t->kernels[OUT]);
	gemp_program_store_and_free(t->device, &t->program);
	gemp_device_csr_free(&t->csr);
	gemp_buffers_free(t->device, &t->local, &t->ghosts, &t->before, &t->ghost_local, &t->weights, &t->sorted.keys[0],
	                  &t->sorted.keys[1], &t->sorted.values[0], &t->sorted.values[1], &t->by_source.keys[0],
	                  &t->by_source.keys[1], &t->by_source.values[0], &t->by_source.values[1]);
}

/* OpenCL has no empty buffers. */
static gemp_code new_buffer(device_rows_task *t, gemp_buffer *out, uint64_t count, size_t size)
{
	return gemp_buffer_new(out, t->device, (size_t)gemp_max(count * size, (uint64_t)1), NULL);
}

/* Makes a buffer with a copy of numbers of 32 bits. */
static gemp_code upload(device_rows_task *t, gemp_buffer *out, const void *from, uint64_t count)
{
	GEMP_TRY(new_buffer(t, out, count, sizeof(uint32_t)));
	return gemp_transfer_upload(t->device, out, (gemp_transfer_numbers){ .narrow = (uint32_t *)(uintptr_t)from },
	                            (size_t)count);
}

/* Offsets become numbers of 32 bits. */
static gemp_code upload_begin(device_rows_task *t, gemp_device_rows *out, const gemp_layout_rows *rows)
{
	*out = (gemp_device_rows){ .rows = rows->rows, .edges = gemp_layout_row_edges(rows) };
	GEMP_TRY(new_buffer(t, &out->begin, (uint64_t)rows->rows + 1, sizeof(uint32_t)));
	return gemp_transfer_upload(t->device, &out->begin, (gemp_transfer_numbers){ .wide = rows->begin },
	                            (size_t)rows->rows + 1);
}

static gemp_code new_ends(device_rows_task *t, gemp_device_rows *out)
{
	GEMP_TRY(new_buffer(t, &out->end, out->edges, sizeof(uint32_t)));
	return new_buffer(t, &out->weight, out->edges, t->weight_size);
}

/* The maps from ids to local numbers. A single rank has no ghosts. */
static gemp_code upload_maps(device_rows_task *t)
{
	const gemp_layout *layout = t->state->out;
	const gemp_rank_bitmap *ghosts = &t->state->ghosts;
	const uint64_t words = ghosts->words ? ghosts->count / 64 + 1 : 0;
	GEMP_TRY(upload(t, &t->local, layout->local, layout->own));
	GEMP_TRY(upload(t, &t->ghosts, ghosts->words, 2 * words));
	GEMP_TRY(upload(t, &t->before, ghosts->before, 2 * ((words + GEMP_RANK_WORDS - 1) / GEMP_RANK_WORDS)));
	return upload(t, &t->ghost_local, t->state->ghost_local, layout->known - layout->own);
}

/* The weights of all lists, one behind the other, as numbers of 32 bits. */
static void copy_weights(const void *self, uint32_t *to, size_t begin, size_t end)
{
	const device_rows_task *t = self;
	const gemp_layout_state *state = t->state;
	const uint64_t from = begin * sizeof *to, till = end * sizeof *to;
	uint64_t at = 0;
	for (size_t l = 0; l < state->list_count; l++) {
		const uint64_t bytes = state->in_lists[l].begin[state->graph->rows] * t->weight_size;
		const uint64_t first = gemp_max(from, at), last = gemp_min(till, at + bytes);
		if (first < last)
			memcpy((char *)to + (first - from), (const char *)state->in_weights[l] + (first - at),
			       (size_t)(last - first));
		at += bytes;
	}
}

static gemp_code upload_weights(device_rows_task *t)
{
	const uint64_t numbers = (t->entries * (uint64_t)t->weight_size + sizeof(uint32_t) - 1) / sizeof(uint32_t);
	GEMP_TRY(new_buffer(t, &t->weights, numbers, sizeof(uint32_t)));
	return gemp_transfer_make(t->device, &t->weights, copy_weights, t, (size_t)numbers);
}

/* Uploads a list and makes the keys of its arcs from place `at` on. */
static gemp_code list_arcs(device_rows_task *t, const gemp_id_rows *list, cl_uint at)
{
	const gemp_shard *graph = t->state->graph;
	const gemp_csr csr = { .vertices = graph->vertex_count,
		                   .first = (gemp_vertex)graph->first_vertex,
		                   .rows = graph->rows,
		                   .begin = list->begin,
		                   .target = list->ids };
	const cl_uint drop_loops = list->drop_loops;
	char options[40] = "";
	GEMP_TRY(GEMP_CL(clFinish(t->device->queue))); /* the kernel has read the list before */
	gemp_device_csr_free(&t->csr);
	GEMP_TRY(gemp_device_csr_new(&t->csr, t->device, &csr));
	if (t->weight_size)
		snprintf(options, sizeof options, "-DLIST_WEIGHT=%zu", t->weight_size);
	if (!t->program.program)
		GEMP_TRY(gemp_device_csr_program(&t->program, &t->csr, "list_rows.cl", options,
		                                 { "list_keys", &t->kernels[KEYS] }, { "list_split", &t->kernels[SPLIT] },
		                                 { "list_out", &t->kernels[OUT] }));
	const gemp_device_grid grid = gemp_device_csr_grid(&t->csr);
	return gemp_launch(t->device, t->kernels[KEYS], grid.items, grid.group, GEMP_ARG(&t->csr.begin.mem),
	                   GEMP_ARG(&t->csr.target.mem), GEMP_ARG(&t->csr.rows), GEMP_ARG(&t->csr.edges),
	                   GEMP_ARG(&t->csr.first), GEMP_ARG(&t->local.mem), GEMP_ARG(&t->ghosts.mem),
	                   GEMP_ARG(&t->before.mem), GEMP_ARG(&t->ghost_local.mem), GEMP_ARG(&t->bits),
	                   GEMP_ARG(&drop_loops), GEMP_ARG(&at), GEMP_ARG(&t->sorted.keys[0].mem),
	                   GEMP_ARG(&t->sorted.values[0].mem), GEMP_LOCAL(grid.local));
}

/* Lists the arcs of all lists, and sorts them by target and source. */
static gemp_code sort_arcs(device_rows_task *t)
{
	const gemp_sort sort = { .key = GEMP_KEY_U64, .value_size = t->weight_size ? sizeof(cl_uint) : 0 };
	const uint32_t own = t->state->out->own; /* the target of dropped loops */
	cl_uint at = 0;
	GEMP_TRY(new_buffer(t, &t->sorted.keys[0], t->entries, sizeof(cl_ulong)));
	GEMP_TRY(new_buffer(t, &t->sorted.values[0], t->weight_size ? t->entries : 1, sizeof(cl_uint)));
	for (size_t l = 0; l < t->state->list_count; l++) {
		GEMP_TRY(list_arcs(t, &t->state->in_lists[l], at));
		at += (cl_uint)t->csr.edges;
	}
	GEMP_TRY(GEMP_CL(clFinish(t->device->queue)));
	gemp_device_csr_free(&t->csr);
	GEMP_TRY(new_buffer(t, &t->sorted.keys[1], t->entries, sizeof(cl_ulong)));
	if (t->weight_size)
		GEMP_TRY(new_buffer(t, &t->sorted.values[1], t->entries, sizeof(cl_uint)));
	else
		gemp_buffer_free(&t->sorted.values[0], t->device);
	return gemp_sort_device(t->box, &sort, &t->sorted, t->entries, t->bits + 32 - (unsigned)__builtin_clz(own | 1));
}

/* Makes the rows by target, and lists the arcs by source. The sort by target is over before its second buffers go. */
static gemp_code split_arcs(device_rows_task *t, cl_uint by_source)
{
	gemp_made_rows *made = t->made;
	const gemp_device_grid grid = gemp_device_grid_over(t->device, t->arcs);
	GEMP_TRY(GEMP_CL(clFinish(t->device->queue)));
	gemp_buffers_free(t->device, &t->sorted.keys[1], &t->sorted.values[1]);
	GEMP_TRY(upload_begin(t, &made->in, &t->state->out->in));
	GEMP_TRY(upload_begin(t, &made->in_ghost, &t->state->out->in_ghost));
	GEMP_TRY(new_ends(t, &made->in));
	GEMP_TRY(new_ends(t, &made->in_ghost));
	GEMP_TRY(new_buffer(t, &t->by_source.keys[0], by_source ? t->arcs : 1, sizeof(cl_uint)));
	GEMP_TRY(new_buffer(t, &t->by_source.values[0], by_source ? t->arcs : 1, t->weight_size ? 8 : 4));
	if (t->weight_size)
		GEMP_TRY(upload_weights(t));
	else
		GEMP_TRY(new_buffer(t, &t->weights, 1, 1));
	if (!t->sorted.values[0].mem)
		GEMP_TRY(new_buffer(t, &t->sorted.values[0], 1, sizeof(cl_uint)));
	return gemp_launch(t->device, t->kernels[SPLIT], grid.items, grid.group, GEMP_ARG(&t->sorted.keys[0].mem),
	                   GEMP_ARG(&t->sorted.values[0].mem), GEMP_ARG(&t->arcs), GEMP_ARG(&t->bits),
	                   GEMP_ARG(&t->weights.mem), GEMP_ARG(&made->in.begin.mem), GEMP_ARG(&made->in.end.mem),
	                   GEMP_ARG(&made->in.weight.mem), GEMP_ARG(&made->in_ghost.begin.mem),
	                   GEMP_ARG(&made->in_ghost.end.mem), GEMP_ARG(&made->in_ghost.weight.mem), GEMP_ARG(&by_source),
	                   GEMP_ARG(&t->by_source.keys[0].mem), GEMP_ARG(&t->by_source.values[0].mem));
}

/* Sorts the arcs by source. Their order by target stays, so ends ascend in each row. */
static gemp_code make_out(device_rows_task *t)
{
	gemp_layout *layout = t->state->out;
	gemp_device_rows *out = &t->made->out;
	const gemp_sort sort = { .key = GEMP_KEY_U32, .value_size = t->weight_size ? 8 : 4 };
	const cl_uint known = layout->known;
	*out = (gemp_device_rows){ .rows = known, .edges = t->arcs };
	GEMP_TRY(GEMP_CL(clFinish(t->device->queue)));
	gemp_buffers_free(t->device, &t->sorted.keys[0], &t->sorted.values[0]);
	GEMP_TRY(new_buffer(t, &t->by_source.keys[1], t->arcs, sizeof(cl_uint)));
	GEMP_TRY(new_buffer(t, &t->by_source.values[1], t->arcs, sort.value_size));
	GEMP_TRY(gemp_sort_device(t->box, &sort, &t->by_source, t->arcs, t->bits));
	GEMP_TRY(new_buffer(t, &out->begin, (uint64_t)known + 1, sizeof(cl_uint)));
	GEMP_TRY(gemp_tool_each(t->box, "owners.cl", "owners_begins", (size_t)known + 1,
	                        GEMP_ARG(&t->by_source.keys[0].mem), GEMP_ARG(&t->arcs), GEMP_ARG(&known),
	                        GEMP_ARG(&out->begin.mem)));
	GEMP_TRY(GEMP_CL(clFinish(t->device->queue)));
	gemp_buffers_free(t->device, &t->by_source.keys[0], &t->by_source.keys[1], &t->by_source.values[1]);
	if (!t->weight_size) {
		out->end = t->by_source.values[0];
		t->by_source.values[0] = (gemp_buffer){ 0 };
		return new_buffer(t, &out->weight, 1, 1);
	}
	GEMP_TRY(new_ends(t, out));
	const gemp_device_grid grid = gemp_device_grid_over(t->device, t->arcs);
	return gemp_launch(t->device, t->kernels[OUT], grid.items, grid.group, GEMP_ARG(&t->by_source.values[0].mem),
	                   GEMP_ARG(&t->arcs), GEMP_ARG(&t->weights.mem), GEMP_ARG(&out->end.mem),
	                   GEMP_ARG(&out->weight.mem));
}

/* The host keeps the offsets of all rows. */
static gemp_code read_out_begin(device_rows_task *t)
{
	gemp_layout_rows *out = &t->state->out->out;
	out->rows = t->made->out.rows;
	GEMP_TRY(GEMP_NEW(out->begin, (size_t)out->rows + 1));
	GEMP_TRY(GEMP_CL(clFinish(t->device->queue)));
	return gemp_transfer_download(t->device, &t->made->out.begin, 0, (gemp_transfer_numbers){ .wide = out->begin },
	                              (size_t)out->rows + 1);
}

gemp_code gemp_layout_make_on_device(gemp_layout_state *state, gemp_device *device, unsigned parts)
{
	gemp_layout *out = state->out;
	const bool shared = parts & GEMP_LAYOUT_OUT && out->symmetric && state->comm->size == 1;
	const bool by_source = parts & GEMP_LAYOUT_OUT && !shared;
	GEMP_OWNED_BY(close_task)
	device_rows_task t = { .state = state,
		                   .device = device,
		                   .weight_size = gemp_layout_weight_size(out->weights),
		                   .entries = (cl_uint)entries_of(state),
		                   .arcs = (cl_uint)(gemp_layout_row_edges(&out->in) + gemp_layout_row_edges(&out->in_ghost)),
		                   .bits = out->known > 1 ? 32 - (unsigned)__builtin_clz(out->known - 1) : 1 };
	GEMP_TRY(GEMP_NEW(out->made, 1));
	t.made = out->made;
	t.made->device = device;
	double since = gemp_now();
	gemp_code code = gemp_toolbox_new(&t.box, device, GEMP_FORM_AUTO);
	GEMP_THEN(upload_maps(&t));
	GEMP_THEN(sort_arcs(&t));
	gemp_trace_add("upload arcs", GEMP_LANE_HOST, since);
	since = gemp_now();
	GEMP_THEN(split_arcs(&t, by_source));
	gemp_trace_add("split arcs", GEMP_LANE_HOST, since);
	if (by_source) {
		GEMP_THEN(make_out(&t));
		GEMP_THEN(read_out_begin(&t));
	}
	GEMP_THEN(GEMP_CL(clFinish(device->queue)));
	if (code == GEMP_OK) {
		if (shared) { /* as in gemp_layout_make_out */
			t.made->out = t.made->in;
			out->out = out->in;
		}
		t.made->build = t.program.seconds + gemp_toolbox_build_seconds(t.box);
		return GEMP_OK;
	}
	gemp_made_rows_free(out->made);
	gemp_free(out->out.begin);
	out->made = NULL;
	out->out = (gemp_layout_rows){ 0 };
	return code;
}
