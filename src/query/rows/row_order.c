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
};

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
 * strings continue behind the last digit, so that digits cannot sort them. */
static bool skip_parts(const gemp_row_order *order, const gemp_frame *frame, gemp_row_digit *d, const uint64_t *rows,
                       size_t count)
{
	if (!gemp_row_digit_is_text(order, frame, *d) || d->part == 0)
		return true;
	if (has_longer(order, frame, d->column, rows, count, d->part * GEMP_DIGIT_BYTES))
		return d->part < GEMP_DIGIT_LAST;
	d->part = GEMP_DIGIT_LAST;
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

static gemp_code sort_run(const order_task *t, size_t begin, size_t count, gemp_row_digit d);

/* Sorts the runs of equal digits in entries that are sorted by their digits, and stores the rows. */
static gemp_code sort_equal(const order_task *t, const sort_entry *entries, size_t begin, size_t count,
                            gemp_row_digit d)
{
	const bool more = gemp_row_digit_next(t->order, t->frame, &d);
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
static gemp_code sort_run(const order_task *t, size_t begin, size_t count, gemp_row_digit d)
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
		entries[i] = (sort_entry){ gemp_row_digit_read(t->order, t->frame, d, t->rows[begin + i]), t->rows[begin + i] };
	qsort(entries, count, sizeof *entries, compare_bits);
	return sort_equal(t, entries, begin, count, d);
}

/* LONG RUNS, by all threads */

typedef struct long_run {
	const order_task *task;
	size_t begin, count;
	gemp_row_digit digit;
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
	gemp_row_digits_read(r->task->order, r->task->frame, r->digit, r->task->rows + r->begin + begin, 0, end - begin,
	                     r->bits + begin);
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
static gemp_code sort_long_run(const order_task *t, size_t begin, size_t count, gemp_row_digit d)
{
	enum { RUNS = 64 }; /* short runs that a thread sorts at a time */
	const gemp_sort sort = { .key = GEMP_KEY_U64, .value_size = sizeof *t->rows };
	if (count < LONG_RUN || !skip_parts(t->order, t->frame, &d, t->rows + begin, count))
		return sort_run(t, begin, count, d);
	GEMP_OWNED_BY(free_long_run) long_run r = { .task = t, .begin = begin, .count = count, .digit = d };
	GEMP_TRY(GEMP_NEW(r.bits, count));
	gemp_for_chunks(count, CHUNK, read_digits, &r);
	GEMP_TRY(gemp_sort_host(&sort, r.bits, t->rows + begin, count));
	if (!gemp_row_digit_next(t->order, t->frame, &r.digit))
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
		GEMP_TRY(sort_long_run(&t, 0, frame->rows, (gemp_row_digit){ 0 }));
	*rows = sorted;
	sorted = NULL;
	return GEMP_OK;
}
