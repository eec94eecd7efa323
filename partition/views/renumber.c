/* The new rows are cut into chunks of consecutive rows. The threads of the host copy the ids of a chunk into the lanes
 * of a transfer (device/transfer.h); a row is found by its offset, so every part of a lane can be written by itself. On
 * the device entries become keys of row and number, which a radix sort orders. While the device sorts a chunk, the next
 * one is uploaded: chunks use two buffers of ids in turn. */

#include "partition/views/renumber.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "core/vector.h"
#include "device/launch.h"
#include "device/program.h"
#include "device/transfer.h"
#include "partition/build/row_builder.h"
#include "primitive/sort.h"

#include <stdatomic.h>

enum {
	MIN_ENTRIES = 1 << 22, /* fewer are made by the host in less time than kernels are loaded */
	MIN_CHUNK = 1 << 16,
	BYTES = 26, /* of an entry of a chunk: two ids, two keys, and the sort's counters */
	GROUP = 256,
	AHEAD = 8, /* rows whose memory is fetched before it is needed */
};

/* Chunks become smaller until their arrays take a quarter of the free memory at most. */
static uint64_t chunk_for(const gemp_device *device, uint64_t rest)
{
	uint64_t chunk = gemp_limits_now()->renumber_chunk;
	while (chunk > MIN_CHUNK && (chunk * BYTES > rest / 4 || chunk * sizeof(uint64_t) > device->max_buffer))
		chunk /= 2;
	return chunk;
}

/* Returns the free bytes of the device beside the new rows and the map of numbers. */
static uint64_t rest_of(const gemp_device *device, uint64_t vertices, uint64_t entries)
{
	uint64_t taken = device->buffer_bytes + entries * sizeof(gemp_vertex) +
	                 (vertices + 1) * (sizeof(uint64_t) + sizeof(gemp_vertex));
	return device->memory > taken ? device->memory - taken : 0;
}

bool gemp_renumber_sorts(const gemp_device *device, uint64_t rest, uint64_t entries, uint64_t longest)
{
	uint64_t sorted = gemp_max(longest, gemp_min(entries, (uint64_t)MIN_CHUNK)); /* entries of a chunk, at least */
	return sorted * sizeof(uint64_t) <= device->max_buffer && sorted * BYTES <= rest / 2;
}

bool gemp_renumber_possible(const gemp_device *device, uint64_t vertices, uint64_t entries, uint64_t longest)
{
	uint64_t min = gemp_limits_now()->renumber_min;
	if (!min)
		min = device->gpu ? MIN_ENTRIES : UINT64_MAX;
	return vertices && entries >= min && entries * sizeof(gemp_vertex) <= device->max_buffer &&
	       gemp_renumber_sorts(device, rest_of(device, vertices, entries), entries, longest);
}

/* LENGTHS */

typedef struct length_task {
	const gemp_renumber *rows;
	const gemp_vertex *place_of; /* [rows->vertices] or NULL */
	uint64_t *begin;
	_Atomic uint64_t longest;
	atomic_bool loops, parallel;
} length_task;

/* The ids of a row of a list. */
typedef struct id_span {
	const gemp_vertex *ids;
	size_t count;
} id_span;

static id_span span_of(const gemp_id_rows *list, size_t row)
{
	return (id_span){ list->ids + list->begin[row], (size_t)(list->begin[row + 1] - list->begin[row]) };
}

/* *first becomes the position of the first loop in the span. Returns the number of loops. */
static size_t find_loops(id_span span, gemp_vertex id, size_t *first)
{
	size_t end = *first = gemp_lower_bound_u32(span.ids, span.count, id);
	while (end < span.count && span.ids[end] == id)
		end++;
	return end - *first;
}

/* Has a span an id twice, or have both spans an id in common? Loops are not compared. */
static bool has_parallel(id_span a, id_span b, gemp_vertex id)
{
	for (size_t i = 1; i < a.count; i++)
		if (a.ids[i] == a.ids[i - 1] && a.ids[i] != id)
			return true;
	for (size_t i = 1; i < b.count; i++)
		if (b.ids[i] == b.ids[i - 1] && b.ids[i] != id)
			return true;
	for (size_t i = 0, k = 0; i < a.count && k < b.count;) {
		if (a.ids[i] == b.ids[k] && a.ids[i] != id)
			return true;
		bool less = a.ids[i] < b.ids[k];
		i += less || a.ids[i] == b.ids[k];
		k += !less;
	}
	return false;
}

/* What the row of one vertex has; see gemp_renumber_found. */
typedef struct row_found {
	uint64_t length;
	bool loops, parallel;
} row_found;

/* *own becomes the number of loops, *equal whether another id is in the list twice. */
GEMP_VECTOR_BODY void compare_ids_loop(id_span span, gemp_vertex id, uint32_t *own, uint32_t *equal)
{
	uint32_t loops = span.count && span.ids[0] == id, same = 0;
	for (size_t i = 1; i < span.count; i++) {
		loops += span.ids[i] == id;
		same |= (span.ids[i] == span.ids[i - 1]) & (span.ids[i] != id);
	}
	*own = loops;
	*equal = same;
}
GEMP_VECTOR_LOOP(compare_ids, (id_span span, gemp_vertex id, uint32_t *own, uint32_t *equal), (span, id, own, equal))

static row_found examine_list(const gemp_renumber *rows, size_t row)
{
	const gemp_id_rows *list = rows->lists;
	const id_span span = span_of(list, row);
	uint32_t own, equal;
	compare_ids(span, rows->first + (gemp_vertex)row, &own, &equal);
	return (row_found){ span.count - (list->drop_loops ? own : 0), own && !list->drop_loops, equal };
}

/* seek: parallel edges are looked for. */
static row_found examine_lists(const gemp_renumber *rows, size_t row, bool seek)
{
	const gemp_vertex id = rows->first + (gemp_vertex)row;
	row_found found = { 0 };
	for (size_t l = 0; l < rows->list_count; l++) {
		size_t first;
		id_span span = span_of(&rows->lists[l], row);
		size_t own = find_loops(span, id, &first);
		found.length += span.count - (rows->lists[l].drop_loops ? own : 0);
		found.loops |= own > 0 && !rows->lists[l].drop_loops;
	}
	if (seek && rows->list_count == 2)
		found.parallel = has_parallel(span_of(&rows->lists[0], row), span_of(&rows->lists[1], row), id);
	return found;
}

/* Ids ascend, so the lists are read from front to back. */
static void find_lengths(void *context, size_t begin, size_t end)
{
	length_task *t = context;
	const gemp_renumber *rows = t->rows;
	uint64_t longest = 0, known = atomic_load_explicit(&t->longest, memory_order_relaxed);
	bool loops = false, parallel = false;
	for (size_t v = begin; v < end; v++) {
		const row_found found = rows->list_count == 1 ? examine_list(rows, v) : examine_lists(rows, v, !parallel);
		t->begin[(t->place_of ? t->place_of[v] : v) + 1] = found.length;
		longest = gemp_max(longest, found.length);
		loops |= found.loops;
		parallel |= found.parallel;
	}
	while (longest > known && !atomic_compare_exchange_weak(&t->longest, &known, longest))
		;
	if (loops)
		atomic_store_explicit(&t->loops, true, memory_order_relaxed);
	if (parallel)
		atomic_store_explicit(&t->parallel, true, memory_order_relaxed);
}

void gemp_renumber_lengths(const gemp_renumber *rows, const gemp_vertex *place_of, uint64_t *begin,
                           gemp_renumber_found *found)
{
	length_task t = { .rows = rows, .place_of = place_of, .begin = begin };
	begin[0] = 0;
	gemp_for_elements((size_t)rows->vertices, find_lengths, &t);
	gemp_prefix_inclusive(begin, (size_t)rows->vertices + 1);
	*found = (gemp_renumber_found){ t.longest, t.loops, t.parallel };
}

/* COPIES OF ROWS */

static unsigned bits_of(uint64_t vertices)
{
	unsigned bits = 1;
	while (bits < 32 && vertices >> bits)
		bits++;
	return bits;
}

typedef struct chunk_rows {
	const gemp_renumber *rows;
	size_t first, end; /* rows */
} chunk_rows;

/* Writes entries of a span to `to`: the first *skip entries of the row are left out, and at most `left` are written.
 * Returns the number of written entries. */
static size_t copy_span(uint32_t *to, id_span span, uint64_t *skip, size_t left)
{
	if (*skip >= span.count) {
		*skip -= span.count;
		return 0;
	}
	size_t count = gemp_min(span.count - (size_t)*skip, left);
	memcpy(to, span.ids + *skip, count * sizeof *to);
	*skip = 0;
	return count;
}

/* Writes entries of a row of the lists. */
static void copy_row(uint32_t *to, const gemp_renumber *rows, size_t row, uint64_t skip, size_t left)
{
	const gemp_vertex id = rows->first + (gemp_vertex)row;
	for (size_t l = 0; l < rows->list_count && left; l++) {
		id_span span = span_of(&rows->lists[l], row);
		size_t first = 0, loops = rows->lists[l].drop_loops ? find_loops(span, id, &first) : 0;
		size_t before = loops ? first : span.count;
		size_t count = copy_span(to, (id_span){ span.ids, before }, &skip, left);
		if (loops && count < left)
			count += copy_span(to + count, (id_span){ span.ids + first + loops, span.count - first - loops }, &skip,
			                   left - count);
		to += count;
		left -= count;
	}
}

/* Rows are read in a random order of ids. The offsets and then the ids of later rows are fetched in advance. */
static void fetch_ahead(const gemp_renumber *rows, size_t row, size_t end)
{
	for (size_t l = 0; l < rows->list_count; l++) {
		const gemp_id_rows *list = &rows->lists[l];
		if (row + 2 * AHEAD < end)
			__builtin_prefetch(&list->begin[rows->row_of[row + 2 * AHEAD]]);
		if (row + AHEAD < end)
			__builtin_prefetch(list->ids + list->begin[rows->row_of[row + AHEAD]]);
	}
}

static void copy_rows(const void *self, uint32_t *to, size_t begin, size_t end)
{
	const chunk_rows *chunk = self;
	const gemp_renumber *rows = chunk->rows;
	uint64_t at = rows->begin[chunk->first] + begin, last = rows->begin[chunk->first] + end;
	size_t row = chunk->first + gemp_range_find(rows->begin + chunk->first, chunk->end - chunk->first, at);
	for (; at < last; row++) {
		size_t count = (size_t)(gemp_min(rows->begin[row + 1], last) - at);
		fetch_ahead(rows, row, chunk->end);
		copy_row(to, rows, rows->row_of[row], at - rows->begin[row], count);
		to += count;
		at += count;
	}
}

/* ON THE HOST */

typedef struct host_rows {
	const gemp_renumber *rows;
	gemp_vertex *to;
	unsigned bits;      /* bits of the largest number */
	gemp_vertex *spare; /* [threads][longest] */
	size_t longest;
} host_rows;

/* The first row that begins at or behind `place`. */
static size_t row_behind(const gemp_renumber *rows, uint64_t place)
{
	size_t row;
	GEMP_PARTITION_POINT(row, 0, (size_t)rows->vertices, rows->begin[row] < place);
	return row;
}

/* Makes the rows that begin in a chunk of entries. A row is copied, mapped and sorted while it is in the cache. */
static void make_host_chunk(void *context, unsigned thread, size_t chunk)
{
	const host_rows *h = context;
	const gemp_renumber *rows = h->rows;
	const gemp_vertex *number_of = rows->number_of;
	size_t end = row_behind(rows, (chunk + 1) * (uint64_t)MIN_CHUNK);
	for (size_t row = row_behind(rows, chunk * (uint64_t)MIN_CHUNK); row < end; row++) {
		size_t count = (size_t)(rows->begin[row + 1] - rows->begin[row]);
		gemp_vertex *to = h->to + rows->begin[row];
		fetch_ahead(rows, row, end);
		copy_row(to, rows, rows->row_of[row], 0, count);
		for (size_t i = 0; i < count; i++)
			to[i] = number_of[to[i]];
		gemp_row_sort(to, NULL, count, h->bits, h->spare + thread * h->longest, NULL);
	}
}

/* Empty rows behind the last entry are in no chunk, and need nothing. */
gemp_code gemp_renumber_rows(const gemp_renumber *rows, uint64_t longest, gemp_vertex *to)
{
	GEMP_OWNED gemp_vertex *spare = NULL;
	const uint64_t entries = rows->begin[rows->vertices];
	const size_t chunks = (size_t)((entries + MIN_CHUNK - 1) / MIN_CHUNK);
	GEMP_TRY(GEMP_NEW(spare, (chunks > 1 ? gemp_threads() : 1) * (size_t)longest));
	gemp_parallel_for(chunks, make_host_chunk,
	                  &(host_rows){ rows, to, bits_of(rows->numbers), spare, (size_t)longest });
	return GEMP_OK;
}

/* ON THE DEVICE */

typedef struct renumbering {
	gemp_device *device;
	const gemp_renumber *rows;
	gemp_renumbered *out;
	uint64_t chunk; /* entries */
	cl_uint bits;   /* bits of the largest number */
	gemp_toolbox *box;
	gemp_program program;
	cl_kernel keys, take, parts;
	gemp_buffer number_of, ids[2], longest;
	gemp_sort_buffers sorted;
	cl_event read[2]; /* the device has read ids[i] */
} renumbering;

static void close(renumbering *r)
{
	clFinish(r->device->queue);
	for (int i = 0; i < 2; i++)
		if (r->read[i])
			clReleaseEvent(r->read[i]);
	gemp_toolbox_free(r->box);
	gemp_kernels_free(&r->keys, &r->take, &r->parts);
	gemp_program_store_and_free(r->device, &r->program);
	gemp_buffers_free(r->device, &r->number_of, &r->ids[0], &r->ids[1], &r->longest, &r->sorted.keys[0],
	                  &r->sorted.keys[1]);
}

/* A GPU gets a work-item for each element, and a CPU device one for each unit. */
static size_t items_of(const gemp_device *device, size_t count)
{
	return device->gpu ? count : gemp_min(count, (size_t)device->units);
}

static size_t group_of(const gemp_device *device)
{
	return device->gpu ? gemp_min((size_t)GROUP, device->max_group) : 1;
}

/* Returns the end of the chunk that begins with row `first`: as many rows as fit, and at least one. */
static size_t chunk_end(const gemp_renumber *rows, size_t first, uint64_t chunk)
{
	size_t end;
	GEMP_PARTITION_POINT(end, first + 1, (size_t)rows->vertices, rows->begin[end + 1] - rows->begin[first] <= chunk);
	return end;
}

/* Allocates the arrays of the largest chunk. A row that is longer than a chunk is a chunk of its own. */
static gemp_code allocate(renumbering *r)
{
	const gemp_renumber *rows = r->rows;
	uint64_t capacity = 1;
	for (size_t first = 0, end; first < rows->vertices; first = end) {
		end = chunk_end(rows, first, r->chunk);
		capacity = gemp_max(capacity, rows->begin[end] - rows->begin[first]);
	}
	for (int i = 0; i < 2; i++) {
		GEMP_TRY(gemp_buffer_new(&r->ids[i], r->device, capacity * sizeof(uint32_t), NULL));
		GEMP_TRY(gemp_buffer_new(&r->sorted.keys[i], r->device, capacity * sizeof(uint64_t), NULL));
	}
	return GEMP_OK;
}

/* Builds the kernels, and uploads offsets and numbers. */
static gemp_code open(renumbering *r, bool wide, double *build)
{
	gemp_device *device = r->device;
	const size_t vertices = (size_t)r->rows->vertices, numbers = (size_t)r->rows->numbers,
				 offset = wide ? sizeof(uint64_t) : sizeof(uint32_t);
	const uint64_t *begin = r->rows->begin;
	const uint64_t entries = begin[vertices];
	const uint32_t zero[2] = { 0 };
	GEMP_TRY(gemp_program_build(&r->program, device, "renumber.cl", wide ? "-DRENUMBER_WIDE" : "",
	                            { "renumber_keys", &r->keys }, { "renumber_take", &r->take },
	                            { "renumber_parts", &r->parts }));
	*build += r->program.seconds;
	GEMP_TRY(gemp_toolbox_new(&r->box, device, GEMP_FORM_AUTO));
	GEMP_TRY(allocate(r));
	GEMP_TRY(gemp_buffer_new(&r->longest, device, sizeof zero, zero));
	GEMP_TRY(gemp_buffer_new(&r->number_of, device, numbers * sizeof(uint32_t), NULL));
	GEMP_TRY(gemp_buffer_new(&r->out->begin, device, (vertices + 1) * offset, NULL));
	GEMP_TRY(gemp_buffer_new(&r->out->entries, device, gemp_max(entries, 1) * sizeof(uint32_t), NULL));
	GEMP_TRY(gemp_transfer_upload(device, &r->number_of,
	                              (gemp_transfer_numbers){ .narrow = (uint32_t *)(uintptr_t)r->rows->number_of },
	                              numbers));
	if (wide)
		return gemp_transfer_upload(device, &r->out->begin,
		                            (gemp_transfer_numbers){ .narrow = (uint32_t *)(uintptr_t)begin },
		                            2 * (vertices + 1));
	return gemp_transfer_upload(device, &r->out->begin, (gemp_transfer_numbers){ .wide = (uint64_t *)(uintptr_t)begin },
	                            vertices + 1);
}

/* Uploads and sorts the rows of a chunk. The queue is in order, so the keys need no event. */
static gemp_code make_chunk(renumbering *r, size_t first, size_t end, int side)
{
	const chunk_rows chunk = { r->rows, first, end };
	cl_ulong base = r->rows->begin[first];
	cl_uint count = (cl_uint)(r->rows->begin[end] - base), first_row = (cl_uint)first, end_row = (cl_uint)end;
	unsigned bits = r->bits;
	if (count == 0)
		return GEMP_OK;
	while ((end - first - 1) >> (bits - r->bits))
		bits++;
	if (r->read[side]) {
		GEMP_TRY(GEMP_CL(clWaitForEvents(1, &r->read[side])));
		clReleaseEvent(r->read[side]);
		r->read[side] = NULL;
	}
	GEMP_TRY(gemp_transfer_make(r->device, &r->ids[side], copy_rows, &chunk, count));
	GEMP_TRY(gemp_launch(r->device, r->keys, items_of(r->device, count), group_of(r->device),
	                     GEMP_ARG(&r->ids[side].mem), GEMP_ARG(&count), GEMP_ARG(&r->out->begin.mem),
	                     GEMP_ARG(&first_row), GEMP_ARG(&end_row), GEMP_ARG(&base), GEMP_ARG(&r->number_of.mem),
	                     GEMP_ARG(&r->bits), GEMP_ARG(&r->sorted.keys[0].mem)));
	GEMP_TRY(GEMP_CL(clEnqueueMarkerWithWaitList(r->device->queue, 0, NULL, &r->read[side])));
	GEMP_TRY(gemp_sort_device(r->box, &(gemp_sort){ .key = GEMP_KEY_U64 }, &r->sorted, count, bits));
	GEMP_TRY(gemp_launch(r->device, r->take, items_of(r->device, count), group_of(r->device),
	                     GEMP_ARG(&r->sorted.keys[0].mem), GEMP_ARG(&count), GEMP_ARG(&r->bits),
	                     GEMP_ARG(&r->out->entries.mem), GEMP_ARG(&base)));
	return GEMP_CL(clFlush(r->device->queue));
}

/* Reads the lengths of the longest parts of rows. */
static gemp_code find_longest(renumbering *r)
{
	cl_uint vertices = (cl_uint)r->rows->vertices;
	GEMP_TRY(gemp_launch(r->device, r->parts, items_of(r->device, vertices), group_of(r->device),
	                     GEMP_ARG(&r->out->begin.mem), GEMP_ARG(&r->out->entries.mem), GEMP_ARG(&vertices),
	                     GEMP_ARG(&r->longest.mem)));
	return gemp_buffer_read(r->device, &r->longest, 0, sizeof r->out->longest, r->out->longest);
}

gemp_code gemp_renumber_make(gemp_renumbered *out, gemp_device *device, const gemp_renumber *rows, bool wide,
                             double *build)
{
	gemp_code code = GEMP_OK;
	const uint64_t rest = rest_of(device, rows->numbers, rows->begin[rows->vertices]);
	renumbering r = {
		.device = device, .rows = rows, .out = out, .chunk = chunk_for(device, rest), .bits = bits_of(rows->numbers)
	};
	int side = 0;
	*out = (gemp_renumbered){ 0 };
	GEMP_TRY_DONE(open(&r, wide, build));
	for (size_t first = 0, end; first < rows->vertices; first = end, side = 1 - side) {
		end = chunk_end(rows, first, r.chunk);
		GEMP_TRY_DONE(make_chunk(&r, first, end, side));
	}
	if (rows->parts)
		GEMP_TRY_DONE(find_longest(&r));
done:
	if (r.box)
		*build += gemp_toolbox_build_seconds(r.box);
	close(&r);
	if (code != GEMP_OK)
		gemp_buffers_free(device, &out->begin, &out->entries);
	return code;
}

gemp_code gemp_row_heads_new(gemp_buffer *heads, gemp_device *device, const gemp_buffer *begin,
                             const gemp_buffer *entries, uint32_t rows, bool wide, double *build)
{
	gemp_program program = { 0 };
	cl_kernel kernel = NULL;
	gemp_code code = gemp_buffer_new(heads, device, rows * sizeof(uint32_t), NULL);
	GEMP_THEN(gemp_program_build(&program, device, "renumber.cl", wide ? "-DRENUMBER_WIDE" : "",
	                             { "renumber_heads", &kernel }));
	*build += program.seconds;
	GEMP_THEN(gemp_launch(device, kernel, items_of(device, rows), group_of(device), GEMP_ARG(&begin->mem),
	                      GEMP_ARG(&entries->mem), GEMP_ARG(&rows), GEMP_ARG(&heads->mem)));
	gemp_kernels_free(&kernel);
	gemp_program_store_and_free(device, &program);
	if (code != GEMP_OK)
		gemp_buffer_free(heads, device);
	return code;
}
