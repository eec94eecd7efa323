#include "analytics/traversal/frontier.h"

#include "core/limits.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/timer.h"
#include "device/transfer.h"
#include "primitive/split.h"

#include <stdio.h>

/* The state of a search consists of GAS_CONTROL numbers. The numbers from GAS_SUMS to GAS_RULED are counters to which
 * the kernels of a round add. From these counters the rule computes the mode and thresholds of the next round. On one
 * rank the device applies the rule, and a round whose mode is 0 does nothing, so the host can launch rounds ahead. With
 * several ranks the host applies the rule to the sums of all ranks. */

typedef struct row_lists {
	cl_uint2 *slices, *pieces;
	size_t slice_count, slice_capacity, piece_count, piece_capacity;
	uint32_t *light;
} row_lists;

static gemp_code append_pair(cl_uint2 **list, size_t *count, size_t *capacity, uint32_t x, uint32_t y)
{
	GEMP_TRY(GEMP_RESERVE(*list, *capacity, *count + 1));
	(*list)[(*count)++] = (cl_uint2){ { x, y } };
	return GEMP_OK;
}

/* The maximum number of rows in a piece, which a warp takes together. */
enum { PIECE_ROWS = 4 };

/* Rows longer than `slice` edges are cut into slices. Of the shorter rows, rows longer than `piece` edges are grouped
 * into pieces of up to PIECE_ROWS rows within one bitmap word. All other rows are light. */
static gemp_code list_row(row_lists *l, const gemp_layout_rows *rows, uint32_t row, const gemp_frontier_shape *shape)
{
	uint64_t edges = rows->begin[row + 1] - rows->begin[row];
	cl_uint2 *last = l->piece_count ? &l->pieces[l->piece_count - 1] : NULL;
	if (edges > shape->slice) {
		for (uint64_t at = 0; at < edges; at += shape->slice)
			GEMP_TRY(append_pair(&l->slices, &l->slice_count, &l->slice_capacity, row, (uint32_t)(at / shape->slice)));
	} else if (!l->light) {
		return GEMP_OK;
	} else if (edges <= shape->piece) {
		gemp_bits32_set(l->light, row);
	} else if (last && last->s[0] == row / 32 && __builtin_popcount(last->s[1]) < PIECE_ROWS) {
		last->s[1] |= 1u << row % 32;
	} else {
		return append_pair(&l->pieces, &l->piece_count, &l->piece_capacity, row / 32, 1u << row % 32);
	}
	return GEMP_OK;
}

/* heads[] has the first end of each row. If that end is in the frontier, a pull reads no edges of the row. */
static gemp_code upload_heads(gemp_frontier *f, gemp_frontier_rows *out, const gemp_layout_rows *rows)
{
	if (f->device->gpu || (rows->begin && !rows->end))
		return gemp_row_heads_new(&out->heads, f->device, &out->rows->begin, &out->rows->end, rows->rows,
		                          f->device_rows.wide, &f->build_seconds);
	GEMP_OWNED uint32_t *heads = NULL;
	GEMP_TRY(GEMP_NEW(heads, rows->rows));
	for (uint32_t row = 0; row < rows->rows; row++)
		heads[row] = rows->begin[row] < rows->begin[row + 1] ? rows->end[rows->begin[row]] : row;
	return gemp_buffer_new(&out->heads, f->device, rows->rows * sizeof *heads, heads);
}

/* Returns the first own vertex from which on no row has more than `max` edges. A single rank knows the degrees by which
 * its vertices are sorted. */
static uint32_t first_short(const gemp_layout *layout, uint32_t max)
{
	size_t first;
	if (!layout->comm || layout->comm->size > 1 || !(layout->symmetric || layout->in.begin))
		return layout->own;
	const uint64_t *out = layout->out_degree, *in = layout->in.begin;
	GEMP_PARTITION_POINT(first, 0, layout->own,
	                     out[first] + (layout->symmetric ? out[first] : in[first + 1] - in[first]) > max);
	return (uint32_t)first;
}

static void mark_light(uint32_t *light, uint32_t begin, uint32_t end)
{
	for (; begin < end && begin % 32; begin++)
		gemp_bits32_set(light, begin);
	for (; begin + 32 <= end; begin += 32)
		light[begin / 32] = UINT32_MAX;
	for (; begin < end; begin++)
		gemp_bits32_set(light, begin);
}

/* Makes the lists of a set of rows on the device. sources: the rows belong to frontier vertices, and get pieces and a
 * mask of light rows. Otherwise the rows get heads. Of a single rank only the rows of high-degree vertices are looked
 * at one by one. */
static gemp_code upload_rows(gemp_frontier *f, gemp_frontier_rows *out, const gemp_layout_rows *rows,
                             const gemp_device_rows *held, bool sources)
{
	gemp_code code = GEMP_OK;
	row_lists l = { 0 };
	out->rows = held;
	if (sources)
		GEMP_TRY_DONE(GEMP_NEW(l.light, f->words));
	uint32_t tail = first_short(f->layout, sources ? f->shape.piece : f->shape.slice);
	for (uint32_t row = 0; row < tail; row++)
		GEMP_TRY_DONE(list_row(&l, rows, row, &f->shape));
	if (sources)
		mark_light(l.light, tail, f->layout->own);
	for (uint32_t row = f->layout->own; row < rows->rows; row++)
		GEMP_TRY_DONE(list_row(&l, rows, row, &f->shape));
	out->slice_count = (cl_uint)l.slice_count;
	out->piece_count = (cl_uint)l.piece_count;
	GEMP_TRY_DONE(gemp_buffer_new(&out->slices, f->device, l.slice_count * sizeof *l.slices, l.slices));
	if (!sources)
		code = upload_heads(f, out, rows);
	if (sources) {
		GEMP_TRY_DONE(gemp_buffer_new(&f->pieces, f->device, l.piece_count * sizeof *l.pieces, l.pieces));
		GEMP_TRY_DONE(gemp_buffer_new(&f->light, f->device, f->words * sizeof *l.light, l.light));
	}
done:
	gemp_free_all(l.slices, l.pieces, l.light);
	return code;
}

enum {
	WARP = 32,
	/* with fewer known vertices each compute unit gets FEW_ITEMS work-items, since a smaller launch ends sooner */
	FEW_VERTICES = 1 << 20,
	FEW_ITEMS = 512,
	/* launches before the host reads the counters, until a search has shown how many rounds it takes */
	FIRST_BATCH = 12,
	MAX_ARGUMENTS = 40,
};

static const gemp_frontier_shape gpu_shape = { true, 2048, 128, 16, 1, 0, 1024, 256 };
static const gemp_frontier_shape cpu_shape = { false, 1 << 14, 0, 0, 64, 0, 1, 1 };

/* Takes the default shape of the device, and replaces the members that the caller has set. */
static void choose_shape(gemp_frontier *f, const gemp_frontier_shape *wanted)
{
	bool groups = f->device->gpu || (wanted && wanted->groups);
	gemp_frontier_shape s = groups ? gpu_shape : cpu_shape;
	if (groups && f->layout->known < FEW_VERTICES)
		s.items = FEW_ITEMS;
	if (wanted) {
		s.slice = wanted->slice ? wanted->slice : s.slice;
		s.piece = wanted->piece ? wanted->piece : s.piece;
		s.lane_max = wanted->lane_max ? wanted->lane_max : s.lane_max;
		s.chunk = wanted->chunk ? wanted->chunk : s.chunk;
		s.batch = wanted->batch;
		s.items = wanted->items ? wanted->items : s.items;
		s.group = wanted->group ? wanted->group : s.group;
	}
	if (!groups || s.piece > s.slice)
		s.piece = s.slice;
	f->shape = s;
	f->lanes = groups ? WARP : 1;
	f->group = gemp_worker_group_size(f->device, f->lanes, s.group);
	f->items = f->device->units * (size_t)(s.items > f->group ? s.items : f->group);
}

static void free_program(gemp_frontier *f)
{
	for (size_t k = 0; k < GEMP_FRONTIER_KERNELS; k++)
		gemp_kernels_free(&f->kernels[k]);
	gemp_program_free(&f->program);
}

/* The program depends on the shape, and on the types of offsets and weights. */
gemp_code gemp_frontier_build(gemp_frontier *f, const char *file, const char *more, const char *const *names,
                              size_t count)
{
	char rows[GEMP_LAYOUT_OPTIONS_SIZE], options[256];
	gemp_kernel_entry entries[GEMP_FRONTIER_KERNELS];
	GEMP_CHECK(count <= GEMP_FRONTIER_KERNELS);
	free_program(f);
	f->stored = false;
	for (size_t k = 0; k < count; k++)
		entries[k] = (gemp_kernel_entry){ names[k], &f->kernels[k] };
	gemp_device_layout_options(&f->device_rows, rows);
	int length = snprintf(options, sizeof options,
	                      "-DGEMP_LANES=%u -DGAS_GROUP=%zu -DGAS_LONG=%uu -DGAS_SHORT=%uu "
	                      "-DGAS_CHUNK=%uu%s%s",
	                      f->lanes, f->group, f->shape.slice, f->shape.lane_max, f->shape.chunk, rows, more);
	GEMP_CHECK(length > 0 && (size_t)length < sizeof options);
	GEMP_TRY(gemp_program_build_list(&f->program, f->device, file, options, entries, count));
	f->build_seconds += f->program.seconds;
	return GEMP_OK;
}

/* Bitmaps have a bit for each known vertex, because ghosts are also in frontiers after their bits have been
 * received. */
gemp_code gemp_frontier_new(gemp_frontier *out, const gemp_layout *layout, gemp_device *device, unsigned parts,
                            const gemp_frontier_shape *shape, const char *file, const char *options,
                            const char *const *names, size_t count)
{
	gemp_frontier *f = out;
	*f = (gemp_frontier){ .device = device, .layout = layout, .words = layout->known / 32 + 1 };
	choose_shape(f, shape);
	GEMP_TRY(gemp_device_layout_new(&f->device_rows, device, layout, parts));
	f->build_seconds = f->device_rows.build;
	GEMP_TRY(upload_rows(f, &f->out, &layout->out, &f->device_rows.out, true));
	if (parts & GEMP_LAYOUT_IN) {
		GEMP_TRY(upload_rows(f, &f->in, &layout->in, &f->device_rows.in, false));
		GEMP_TRY(upload_rows(f, &f->in_ghost, &layout->in_ghost, &f->device_rows.in_ghost, false));
	}
	for (int b = 0; b < GEMP_FRONTIER_BITMAPS; b++)
		GEMP_TRY(gemp_buffer_new(&f->bitmap[b], device, f->words * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&f->control, device, sizeof f->state, NULL));
	return gemp_frontier_build(f, file, options, names, count);
}

void gemp_frontier_free(gemp_frontier *f)
{
	if (!f->device)
		return;
	gemp_timings_free(&f->timings);
	free_program(f);
	gemp_buffer_free(&f->control, f->device);
	for (int b = 0; b < GEMP_FRONTIER_BITMAPS; b++)
		gemp_buffer_free(&f->bitmap[b], f->device);
	gemp_buffers_free(f->device, &f->pieces, &f->light);
	gemp_buffers_free(f->device, &f->out.slices, &f->out.heads, &f->in.slices, &f->in.heads, &f->in_ghost.slices,
	                  &f->in_ghost.heads);
	gemp_device_layout_free(&f->device_rows);
	*f = (gemp_frontier){ 0 };
}

gemp_code gemp_frontier_launch_list(gemp_frontier *f, int kernel, const gemp_argument *arguments, size_t count)
{
	GEMP_TRY(gemp_launch_with(f->device, f->kernels[kernel], f->items, f->group, arguments, count));
	return gemp_timings_add(&f->timings, f->device);
}

/* The kernel's parameters are the rows, then the caller's arguments, then the tuples. */
gemp_code gemp_frontier_launch_push_list(gemp_frontier *f, int kernel, const gemp_frontier_tuples *tuples,
                                         const gemp_argument *arguments, size_t count)
{
	const gemp_frontier_rows *out = &f->out;
	const gemp_argument rows[] = {
		GEMP_ARG(&out->rows->begin.mem), GEMP_ARG(&out->rows->end.mem), GEMP_ARG(&out->slices.mem),
		GEMP_ARG(&out->slice_count),     GEMP_ARG(&f->pieces.mem),      GEMP_ARG(&out->piece_count),
		GEMP_ARG(&f->light.mem),         GEMP_ARG(&f->layout->known),
	};
	const gemp_argument lists[] = { GEMP_ARG(&tuples->target.mem), GEMP_ARG(&tuples->value.mem),
		                            GEMP_ARG(&tuples->extent.mem) };
	enum { ROWS = sizeof rows / sizeof *rows, LISTS = sizeof lists / sizeof *lists };
	gemp_argument all[MAX_ARGUMENTS];
	GEMP_CHECK(ROWS + count + LISTS <= MAX_ARGUMENTS);
	memcpy(all, rows, sizeof rows);
	memcpy(all + ROWS, arguments, count * sizeof *arguments);
	if (tuples->frontier) {
		memcpy(all + ROWS + count, lists, sizeof lists);
		GEMP_TRY(gemp_buffer_zero(f->device, &tuples->extent, 0, tuples->extent.size));
	}
	return gemp_frontier_launch_list(f, kernel, all, ROWS + count + (tuples->frontier ? LISTS : 0));
}

/* Only the owner of a vertex has its local vertex. */
gemp_code gemp_frontier_source(const gemp_frontier *f, gemp_vertex id, cl_uint *local)
{
	const gemp_layout *l = f->layout;
	const uint64_t first = l->graph->first_vertex;
	if (id >= l->vertices)
		return gemp_fail(GEMP_EUSAGE, "there is no vertex %" GEMP_PRIVERTEX " to begin at; the graph has %" PRIu64, id,
		                 l->vertices);
	*local = id >= first && id - first < l->own ? l->local[id - first] : UINT32_MAX;
	return GEMP_OK;
}

/* The rounds of the search from no vertex say nothing about the next search. */
gemp_code gemp_frontier_warm_up(gemp_frontier *f, gemp_frontier_stage *search, gemp_frontier_stage *parents, void *self)
{
	const int wanted = gemp_limits_now()->search_warm_up;
	const double since = gemp_now();
	double seconds;
	if (!(wanted < 0 ? gemp_comm_sum1(f->layout->comm, !f->device->gpu) == 0 : wanted))
		return GEMP_OK;
	gemp_code code = search(self, UINT32_MAX);
	if (parents)
		GEMP_THEN(parents(self, UINT32_MAX));
	GEMP_THEN(gemp_frontier_seconds(f, &seconds));
	f->rounds = 0;
	f->build_seconds += gemp_now() - since;
	return gemp_comm_agree(f->layout->comm, code);
}

/* The last slice of a row may have fewer than `slice` edges, so the product is an upper bound of the number of edges in
 * slices. */
bool gemp_frontier_has_hubs(const gemp_frontier *f)
{
	return (uint64_t)f->out.slice_count * f->shape.slice > f->device_rows.out.edges / 2;
}

gemp_code gemp_frontier_read(gemp_frontier *f)
{
	return gemp_buffer_read(f->device, &f->control, 0, sizeof f->state, f->state);
}

gemp_code gemp_frontier_write(gemp_frontier *f)
{
	return GEMP_CL(
		clEnqueueWriteBuffer(f->device->queue, f->control.mem, CL_FALSE, 0, sizeof f->state, f->state, 0, NULL, NULL));
}

/* Launches are enqueued in batches. The first batch has as many rounds as the last search took, since searches of the
 * same graph take about the same number of rounds. */
static gemp_code run_one_rank(gemp_frontier *f, const gemp_frontier_search *search)
{
	unsigned batch = f->shape.batch ? f->shape.batch : f->rounds ? f->rounds : FIRST_BATCH;
	do {
		for (unsigned r = 0; r < batch; r++, f->current++)
			GEMP_TRY(search->launch(search->self));
		GEMP_TRY(gemp_frontier_read(f));
		gemp_progress("searching, rounds so far", f->state[GAS_ROUND], 0, 0);
		batch = f->shape.batch ? f->shape.batch : FIRST_BATCH;
	} while (f->state[GAS_MODE]);
	f->rounds = (unsigned)f->state[GAS_ROUND];
	return GEMP_OK;
}

/* With several ranks even a rank with a failed code enters the rounds, since other ranks wait for its messages. */
gemp_code gemp_frontier_run(gemp_frontier *f, const gemp_frontier_search *search, gemp_code code, double *exchange)
{
	if (f->layout->comm->size > 1)
		return gemp_frontier_run_ranks(f, search, code, exchange);
	return code == GEMP_OK ? run_one_rank(f, search) : code;
}

gemp_code gemp_frontier_fetch(gemp_frontier *f, const gemp_buffer *from, void *to, size_t size)
{
	if (f->device->gpu)
		return gemp_transfer_download(f->device, from, 0, (gemp_transfer_numbers){ .narrow = to },
		                              size / sizeof(uint32_t));
	return gemp_buffer_read(f->device, from, 0, size, to);
}

/* The first call after a build stores the program in the cache. A driver may compile kernels at their first launch, and
 * the cache then has the result of that work, too. */
gemp_code gemp_frontier_seconds(gemp_frontier *f, double *seconds)
{
	GEMP_TRY(gemp_timings_seconds(&f->timings, seconds));
	if (!f->stored) {
		GEMP_TRY(gemp_program_store(f->device, &f->program));
		f->stored = true;
	}
	return GEMP_OK;
}

enum { MAX_GATHER_ARGUMENTS = 16, OWN_ARGUMENTS = 4 };

/* A range has as many targets as values fit in local memory. */
static unsigned shift_of(size_t value_size)
{
	return value_size > sizeof(cl_uint) ? GEMP_SHUFFLE_SHIFT - 1 : GEMP_SHUFFLE_SHIFT;
}

void gemp_frontier_tuples_options(char options[GEMP_TUPLES_OPTIONS_SIZE], size_t value_size)
{
	snprintf(options, GEMP_TUPLES_OPTIONS_SIZE, " -DGAS_SHUFFLE -DGAS_RANGE=%uu", 1u << shift_of(value_size));
}

/* The arrays hold a tuple for each edge. There are two sets of arrays, since decode does not work in place. */
gemp_code gemp_frontier_tuples_new(gemp_frontier_tuples *out, gemp_frontier *f, size_t value_size)
{
	const unsigned shift = shift_of(value_size);
	const uint32_t own = f->layout->own;
	unsigned bits = 1;
	*out = (gemp_frontier_tuples){ .frontier = f, .capacity = (size_t)f->device_rows.out.edges };
	while (bits <= GEMP_SPLIT_BITS && own > (uint64_t)1 << (bits + shift))
		bits++;
	if (bits > GEMP_SPLIT_BITS || f->device_rows.out.edges > gemp_device_max())
		return gemp_fail(GEMP_EUSAGE,
		                 "--pass shuffle: a rank has %u vertices and %llu edges, and %llu vertices and %zu edges "
		                 "are possible; use more ranks, or --pass push",
		                 own, (unsigned long long)f->device_rows.out.edges, 1ull << (GEMP_SPLIT_BITS + shift),
		                 gemp_device_max());
	out->ranges = 1u << bits;
	out->how = (gemp_shuffle){
		.layout = GEMP_SHUFFLE_SOA, .size = (unsigned)(sizeof(cl_uint) + value_size), .bits = bits, .shift = shift
	};
	GEMP_TRY(gemp_toolbox_new(&out->box, f->device, GEMP_FORM_AUTO));
	GEMP_TRY(gemp_buffer_new(&out->target, f->device, out->capacity * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&out->value, f->device, out->capacity * value_size, NULL));
	GEMP_TRY(gemp_buffer_new(&out->target_out, f->device, out->capacity * sizeof(cl_uint), NULL));
	GEMP_TRY(gemp_buffer_new(&out->value_out, f->device, out->capacity * value_size, NULL));
	GEMP_TRY(gemp_buffer_new(&out->begin, f->device, ((size_t)out->ranges + 1) * sizeof(cl_uint), NULL));
	return gemp_buffer_new(&out->extent, f->device, 2 * sizeof(cl_uint), NULL);
}

void gemp_frontier_tuples_free(gemp_frontier_tuples *t)
{
	if (!t->frontier)
		return;
	gemp_toolbox_free(t->box);
	gemp_buffers_free(t->frontier->device, &t->target, &t->value, &t->target_out, &t->value_out, &t->begin, &t->extent);
	*t = (gemp_frontier_tuples){ 0 };
}

/* Decoding groups the tuples by range in target_out[] and value_out[], and sets begin[ranges + 1] to the begins of the
 * ranges. */
gemp_code gemp_frontier_tuples_gather_list(gemp_frontier_tuples *t, int kernel, const gemp_argument *arguments,
                                           size_t count)
{
	const gemp_tuples in = { &t->target, &t->value, t->capacity, &t->extent };
	const gemp_tuples out = { &t->target_out, &t->value_out, t->capacity, NULL };
	gemp_argument all[MAX_GATHER_ARGUMENTS] = { GEMP_ARG(&t->begin.mem), GEMP_ARG(&t->ranges),
		                                        GEMP_ARG(&t->target_out.mem), GEMP_ARG(&t->value_out.mem) };
	GEMP_CHECK(OWN_ARGUMENTS + count <= MAX_GATHER_ARGUMENTS);
	memcpy(all + OWN_ARGUMENTS, arguments, count * sizeof *arguments);
	GEMP_TRY(gemp_shuffle_decode(t->box, &t->how, &in, &out, &t->begin));
	return gemp_frontier_launch_list(t->frontier, kernel, all, OWN_ARGUMENTS + count);
}
