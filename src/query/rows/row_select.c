/* Each chunk keeps its `wanted` smallest rows in a heap whose root is the largest of them. The wanted-th smallest row
 * of all heaps is the limit. A second pass over the digits collects the rows that are not larger than the limit and the
 * bound. Rows of one digit are compared as a whole only if it is equal to a root's, the limit's or the bound's. */

#include "query/rows/row_select.h"

#include "core/memory.h"
#include "core/pages.h"
#include "core/threads.h"

#include <string.h>

enum {
	CHUNK = 1 << 14,    /* rows whose digits a thread reads at a time */
	MAX_HEAP = 1 << 10, /* a larger selection is a sort */
};

typedef struct select_entry {
	uint64_t bits, row;
} select_entry;

typedef struct select_task {
	const gemp_row_order *order;
	const gemp_frame *frame;
	const gemp_frame *bound; /* NULL: none */
	size_t at;
	uint64_t bound_bits; /* first digit of the bound; UINT64_MAX if there is none */
	size_t wanted, chunk, chunks;
	uint64_t *bits;      /* [rows] first digits; the collected rows of chunk c then begin at bits[c * chunk] */
	select_entry *heaps; /* [chunks * wanted]; NULL: only the bound leaves out rows */
	size_t *sizes;       /* [chunks] of the heaps, and then of the collected rows */
	bool limited;        /* `limit` is known */
	select_entry limit;
} select_task;

static void free_select(select_task *t)
{
	gemp_free_all(t->bits, t->heaps, t->sizes);
}

static int compare(const select_task *t, select_entry a, select_entry b)
{
	if (a.bits != b.bits)
		return a.bits < b.bits ? -1 : 1;
	return gemp_row_order_compare(t->order, t->frame, a.row, t->frame, b.row);
}

static bool is_beyond_bound(const select_task *t, select_entry entry)
{
	if (entry.bits != t->bound_bits || !t->bound)
		return entry.bits > t->bound_bits;
	return gemp_row_order_compare(t->order, t->frame, entry.row, t->bound, t->at) > 0;
}

/* HEAPS */

static void sift_down(const select_task *t, select_entry *heap, size_t size, select_entry entry)
{
	size_t at = 0;
	for (size_t child; (child = 2 * at + 1) < size; at = child) {
		child += child + 1 < size && compare(t, heap[child + 1], heap[child]) > 0;
		if (compare(t, heap[child], entry) <= 0)
			break;
		heap[at] = heap[child];
	}
	heap[at] = entry;
}

static void push_heap(const select_task *t, select_entry *heap, size_t *size, select_entry entry)
{
	if (*size == t->wanted) {
		if (compare(t, heap[0], entry) > 0)
			sift_down(t, heap, *size, entry);
		return;
	}
	size_t at = (*size)++;
	for (; at > 0 && compare(t, entry, heap[(at - 1) / 2]) > 0; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = entry;
}

/* Most rows are larger than the root or the bound in their first digit, and end there. */
static void select_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	select_task *t = context;
	select_entry *heap = t->heaps ? t->heaps + chunk * t->wanted : NULL;
	size_t size = 0;
	gemp_row_digits_read(t->order, t->frame, (gemp_row_digit){ 0 }, NULL, begin, end - begin, t->bits + begin);
	for (size_t row = begin; row < end && heap; row++) {
		const select_entry entry = { t->bits[row], row };
		if (entry.bits <= t->bound_bits && (size < t->wanted || entry.bits <= heap[0].bits) &&
		    !is_beyond_bound(t, entry))
			push_heap(t, heap, &size, entry);
	}
	t->sizes[chunk] = size;
}

/* The heap of the first chunk takes the entries of the others. */
static void find_limit(select_task *t)
{
	for (size_t chunk = 1; chunk < t->chunks; chunk++)
		for (size_t i = 0; i < t->sizes[chunk]; i++)
			push_heap(t, t->heaps, &t->sizes[0], t->heaps[chunk * t->wanted + i]);
	t->limited = t->sizes[0] == t->wanted;
	t->limit = t->heaps[0];
}

/* COLLECTING */

/* The row numbers replace the digits that are already read: no more rows are collected than were read. */
static void collect_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	select_task *t = context;
	const uint64_t largest = t->limited ? gemp_min(t->limit.bits, t->bound_bits) : t->bound_bits;
	size_t found = 0;
	for (size_t row = begin; row < end; row++) {
		const select_entry entry = { t->bits[row], row };
		if (entry.bits > largest || is_beyond_bound(t, entry) || (t->limited && compare(t, entry, t->limit) > 0))
			continue;
		t->bits[begin + found++] = row;
	}
	t->sizes[chunk] = found;
}

static gemp_code join_chunks(const select_task *t, uint64_t **rows, size_t *count)
{
	size_t at = 0;
	*count = 0;
	for (size_t chunk = 0; chunk < t->chunks; chunk++)
		*count += t->sizes[chunk];
	GEMP_TRY(GEMP_NEW(*rows, *count));
	for (size_t chunk = 0; chunk < t->chunks; at += t->sizes[chunk++])
		if (t->sizes[chunk])
			memcpy(*rows + at, t->bits + chunk * t->chunk, t->sizes[chunk] * sizeof **rows);
	return GEMP_OK;
}

gemp_code gemp_row_order_select(const gemp_row_order *order, const gemp_frame *frame, uint64_t wanted,
                                const gemp_frame *bound, size_t at, uint64_t **rows, size_t *count)
{
	GEMP_OWNED_BY(free_select)
	select_task t = { .order = order, .frame = frame, .at = at, .bound_bits = UINT64_MAX, .wanted = (size_t)wanted };
	const bool has_heaps = order->count && wanted && wanted <= MAX_HEAP && frame->rows > wanted;
	if (order->count && bound) {
		t.bound = bound;
		t.bound_bits = gemp_row_digit_read(order, bound, (gemp_row_digit){ 0 }, at);
	}
	t.chunk = has_heaps ? gemp_max((size_t)CHUNK, 8 * t.wanted) : CHUNK;
	t.chunks = (frame->rows + t.chunk - 1) / t.chunk;
	GEMP_TRY(GEMP_NEW_UNSET(t.bits, frame->rows));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(t.heaps, has_heaps ? t.chunks * t.wanted : 0), GEMP_ARRAY(t.sizes, t.chunks)));
	if (!has_heaps) {
		gemp_free(t.heaps);
		t.heaps = NULL;
	}
	gemp_for_chunks(frame->rows, t.chunk, select_chunk, &t);
	if (has_heaps)
		find_limit(&t);
	gemp_for_chunks(frame->rows, t.chunk, collect_chunk, &t);
	return join_chunks(&t, rows, count);
}
