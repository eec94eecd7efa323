#include "query/rows/row_order.h"

#include "core/loop_failure.h"
#include "core/memory.h"
#include "core/threads.h"
#include "primitive/sort.h"

#include <string.h>

enum {
	CHUNK = 1 << 14,    /* rows whose digits a thread reads at a time */
	SHORT_RUN = 24,     /* a run with fewer rows is sorted by comparisons */
	LONG_RUN = 1 << 15, /* a run with more rows is sorted by all threads */
	MAX_BYTES = 64,     /* rows whose strings have this many equal bytes are sorted by comparisons */
	DIGIT = 8,          /* bytes of a string in a digit */
	MAX_HEAP = 1 << 10, /* a larger selection is a sort */
};

int gemp_row_order_compare(const gemp_row_order *order, const gemp_frame *a, size_t x, const gemp_frame *b, size_t y)
{
	for (size_t i = 0; i < order->count; i++) {
		const size_t c = order->columns[i].item;
		const gemp_value left = gemp_frame_value(&a->columns[c], x), right = gemp_frame_value(&b->columns[c], y);
		const int less = gemp_value_order(&left, &right);
		if (less)
			return order->columns[i].descending ? -less : less;
	}
	return 0;
}

/* DIGITS */

/* Digit `part` of a sort column. Of a number, part 0 is the number and part 1 tells NULL from the largest values. Of a
 * string, the parts are 8 bytes each, and the part LAST is its size. NULL has the largest digits. */
typedef struct digit {
	size_t column, part;
} digit;

enum { LAST = MAX_BYTES / DIGIT };

static uint64_t read_digit(const gemp_row_order *order, const gemp_frame *frame, digit d, size_t row)
{
	const gemp_sort_item *column = &order->columns[d.column];
	gemp_value value = gemp_frame_value(&frame->columns[column->item], row);
	uint64_t bits = value.null;
	if (d.part == 0) {
		bits = gemp_order_bits(&value);
	} else if (gemp_is_text(value.type) && !value.null) {
		const size_t skipped = gemp_min(value.string.size, d.part * DIGIT);
		bits = value.string.size;
		value.string.bytes += skipped;
		value.string.size -= skipped;
		if (d.part < LAST)
			bits = gemp_order_bits(&value);
	} else if (value.null) {
		bits = UINT64_MAX;
	}
	return column->descending ? ~bits : bits;
}

/* Rows that are equal in all digits before `d` are to be sorted by the others. Returns false if there are none. */
static bool next_digit(const gemp_row_order *order, const gemp_frame *frame, digit *d)
{
	const gemp_type type = frame->columns[order->columns[d->column].item].values.type;
	const size_t last = gemp_is_text(type) ? LAST : type == GEMP_BOOLEAN ? 0 : 1;
	if (d->part < last) {
		d->part++;
		return true;
	}
	d->part = 0;
	return ++d->column < order->count;
}

/* True if some of the rows has a string of more than `bytes` bytes. */
static bool has_longer(const gemp_row_order *order, const gemp_frame *frame, size_t column, const uint64_t *rows,
                       size_t count, size_t bytes)
{
	for (size_t i = 0; i < count; i++) {
		const gemp_value value = gemp_frame_value(&frame->columns[order->columns[column].item], rows[i]);
		if (!value.null && value.string.size > bytes)
			return true;
	}
	return false;
}

/* Rows whose strings have no more bytes than the earlier parts have read differ only in their sizes. Returns false if
 * strings continue behind MAX_BYTES, so that digits cannot sort them. */
static bool skip_parts(const gemp_row_order *order, const gemp_frame *frame, digit *d, const uint64_t *rows,
                       size_t count)
{
	const gemp_type type = frame->columns[order->columns[d->column].item].values.type;
	if (!gemp_is_text(type) || d->part == 0)
		return true;
	if (has_longer(order, frame, d->column, rows, count, d->part * DIGIT))
		return d->part < LAST;
	d->part = LAST;
	return true;
}

/* RUNS */

typedef struct sort_entry {
	uint64_t bits, row;
} sort_entry;

typedef struct order_task {
	const gemp_row_order *order;
	const gemp_frame *frame;
	uint64_t *rows; /* [frame->rows] */
} order_task;

static int compare_bits(const void *a, const void *b)
{
	const sort_entry *x = a, *y = b;
	return (x->bits > y->bits) - (x->bits < y->bits);
}

static int compare_by_values(const void *a, const void *b, void *context)
{
	const order_task *t = context;
	return gemp_row_order_compare(t->order, t->frame, *(const uint64_t *)a, t->frame, *(const uint64_t *)b);
}

static gemp_code sort_run(const order_task *t, size_t begin, size_t count, digit d);

/* Sorts the runs of equal digits in entries that are sorted by their digits, and stores the rows. */
static gemp_code sort_equal(const order_task *t, const sort_entry *entries, size_t begin, size_t count, digit d)
{
	const bool more = next_digit(t->order, t->frame, &d);
	for (size_t i = 0; i < count; i++)
		t->rows[begin + i] = entries[i].row;
	for (size_t i = 0, end; i < count && more; i = end) {
		for (end = i + 1; end < count && entries[end].bits == entries[i].bits; end++)
			;
		GEMP_TRY(sort_run(t, begin + i, end - i, d));
	}
	return GEMP_OK;
}

/* Sorts rows that are equal in all digits before `d`, by one thread. */
static gemp_code sort_run(const order_task *t, size_t begin, size_t count, digit d)
{
	GEMP_OWNED sort_entry *entries = NULL;
	if (count < 2)
		return GEMP_OK;
	if (count < SHORT_RUN || !skip_parts(t->order, t->frame, &d, t->rows + begin, count)) {
		qsort_r(t->rows + begin, count, sizeof *t->rows, compare_by_values, (void *)(uintptr_t)t);
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_NEW(entries, count));
	for (size_t i = 0; i < count; i++)
		entries[i] = (sort_entry){ read_digit(t->order, t->frame, d, t->rows[begin + i]), t->rows[begin + i] };
	qsort(entries, count, sizeof *entries, compare_bits);
	return sort_equal(t, entries, begin, count, d);
}

/* LONG RUNS, by all threads */

typedef struct long_run {
	const order_task *task;
	size_t begin, count;
	digit digit;
	uint64_t *bits; /* [count] */
	size_t run_count, run_capacity;
	struct {
		size_t begin, end;
	} * runs; /* [run_count] short runs of equal digits */
	gemp_loop_failure failure;
} long_run;

static void free_long_run(long_run *r)
{
	gemp_free_all(r->bits, r->runs);
}

static void read_digits(void *context, size_t chunk, size_t begin, size_t end)
{
	const long_run *r = context;
	(void)chunk;
	for (size_t i = begin; i < end; i++)
		r->bits[i] = read_digit(r->task->order, r->task->frame, r->digit, r->task->rows[r->begin + i]);
}

static void sort_short(void *context, size_t chunk, size_t begin, size_t end)
{
	long_run *r = context;
	(void)chunk;
	for (size_t i = begin; i < end && !gemp_loop_failed(&r->failure); i++)
		gemp_loop_record(&r->failure,
		                 sort_run(r->task, r->begin + r->runs[i].begin, r->runs[i].end - r->runs[i].begin, r->digit));
}

/* After a sort by all threads, long runs of equal digits are sorted one after the other by all threads, and short runs
 * concurrently by one thread each. */
static gemp_code sort_long_run(const order_task *t, size_t begin, size_t count, digit d)
{
	enum { RUNS = 64 }; /* short runs that a thread sorts at a time */
	const gemp_sort sort = { .key = GEMP_KEY_U64, .value_size = sizeof *t->rows };
	if (count < LONG_RUN || !skip_parts(t->order, t->frame, &d, t->rows + begin, count))
		return sort_run(t, begin, count, d);
	GEMP_OWNED_BY(free_long_run) long_run r = { .task = t, .begin = begin, .count = count, .digit = d };
	GEMP_TRY(GEMP_NEW(r.bits, count));
	gemp_for_chunks(count, CHUNK, read_digits, &r);
	GEMP_TRY(gemp_sort_host(&sort, r.bits, t->rows + begin, count));
	if (!next_digit(t->order, t->frame, &r.digit))
		return GEMP_OK;
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && r.bits[end] == r.bits[i]; end++)
			;
		if (end - i >= LONG_RUN) {
			GEMP_TRY(sort_long_run(t, begin + i, end - i, r.digit));
		} else if (end - i > 1) {
			GEMP_TRY(GEMP_RESERVE(r.runs, r.run_capacity, r.run_count + 1));
			r.runs[r.run_count].begin = i;
			r.runs[r.run_count++].end = end;
		}
	}
	gemp_for_chunks(r.run_count, RUNS, sort_short, &r);
	return gemp_loop_status(&r.failure);
}

gemp_code gemp_row_order_sort(const gemp_row_order *order, const gemp_frame *frame, uint64_t **rows)
{
	GEMP_OWNED uint64_t *sorted = NULL;
	GEMP_TRY(GEMP_NEW(sorted, frame->rows));
	for (size_t row = 0; row < frame->rows; row++)
		sorted[row] = row;
	const order_task t = { order, frame, sorted };
	if (order->count)
		GEMP_TRY(sort_long_run(&t, 0, frame->rows, (digit){ 0 }));
	*rows = sorted;
	sorted = NULL;
	return GEMP_OK;
}

/* SELECTION */

/* Each chunk keeps its `wanted` smallest rows in a heap whose root is the largest of them. The wanted-th smallest of
 * all heaps is the limit. */
typedef struct select_task {
	const gemp_row_order *order;
	const gemp_frame *frame;
	const gemp_frame *bound;
	size_t at;
	size_t wanted, chunk;
	uint64_t *bits;     /* [rows] first digits */
	sort_entry *heaps;  /* [chunks * wanted] */
	size_t *heap_sizes; /* [chunks] */
	bool limited;       /* `limit` is known */
	sort_entry limit;
} select_task;

static void free_select(select_task *t)
{
	gemp_free_all(t->bits, t->heaps, t->heap_sizes);
}

static bool is_larger(const select_task *t, sort_entry a, sort_entry b)
{
	if (a.bits != b.bits)
		return a.bits > b.bits;
	return gemp_row_order_compare(t->order, t->frame, a.row, t->frame, b.row) > 0;
}

static void sift_down(const select_task *t, sort_entry *heap, size_t size, sort_entry entry)
{
	size_t at = 0;
	for (size_t child; (child = 2 * at + 1) < size; at = child) {
		child += child + 1 < size && is_larger(t, heap[child + 1], heap[child]);
		if (!is_larger(t, heap[child], entry))
			break;
		heap[at] = heap[child];
	}
	heap[at] = entry;
}

static void push_heap(const select_task *t, sort_entry *heap, size_t *size, sort_entry entry)
{
	if (*size == t->wanted) {
		if (is_larger(t, heap[0], entry))
			sift_down(t, heap, *size, entry);
		return;
	}
	size_t at = (*size)++;
	for (; at > 0 && is_larger(t, entry, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = entry;
}

static void select_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	select_task *t = context;
	sort_entry *heap = t->heaps + chunk * t->wanted;
	for (size_t row = begin; row < end; row++) {
		t->bits[row] = read_digit(t->order, t->frame, (digit){ 0 }, row);
		push_heap(t, heap, &t->heap_sizes[chunk], (sort_entry){ t->bits[row], row });
	}
}

/* The heap of the first chunk takes the entries of the others. */
static gemp_code find_limit(select_task *t)
{
	const size_t rows = t->frame->rows;
	t->chunk = gemp_max((size_t)CHUNK, 8 * t->wanted);
	const size_t chunks = (rows + t->chunk - 1) / t->chunk;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(t->bits, rows), GEMP_ARRAY(t->heaps, chunks * t->wanted),
	                      GEMP_ARRAY(t->heap_sizes, chunks)));
	gemp_for_chunks(rows, t->chunk, select_chunk, t);
	for (size_t chunk = 1; chunk < chunks; chunk++)
		for (size_t i = 0; i < t->heap_sizes[chunk]; i++)
			push_heap(t, t->heaps, &t->heap_sizes[0], t->heaps[chunk * t->wanted + i]);
	t->limited = t->heap_sizes[0] == t->wanted;
	t->limit = t->heaps[0];
	return GEMP_OK;
}

static bool is_candidate(const void *self, size_t row)
{
	const select_task *t = self;
	if (t->limited && is_larger(t, (sort_entry){ t->bits[row], row }, t->limit))
		return false;
	return !t->bound || gemp_row_order_compare(t->order, t->frame, row, t->bound, t->at) <= 0;
}

gemp_code gemp_row_order_select(const gemp_row_order *order, const gemp_frame *frame, uint64_t wanted,
                                const gemp_frame *bound, size_t at, uint64_t **rows, size_t *count)
{
	GEMP_OWNED_BY(free_select)
	select_task t = { .order = order, .frame = frame, .bound = bound, .at = at, .wanted = (size_t)wanted };
	if (order->count && wanted && wanted <= MAX_HEAP && frame->rows > wanted)
		GEMP_TRY(find_limit(&t));
	return gemp_pick(rows, count, frame->rows, is_candidate, &t);
}
