#include "query/rows/sort_runs.h"

#include "core/memory.h"
#include "core/text.h"

void gemp_sort_runs_init(gemp_sort_runs *out, size_t fan, uint64_t max_rows)
{
	*out = (gemp_sort_runs){ .fan = gemp_max(fan, (size_t)2), .max_rows = max_rows };
}

void gemp_sort_runs_free(gemp_sort_runs *runs)
{
	gemp_scratch_close(&runs->file);
	gemp_free_all(runs->blocks, runs->runs);
	gemp_frame_free(&runs->firsts);
	*runs = (gemp_sort_runs){ .fan = runs->fan, .max_rows = runs->max_rows };
}

static size_t end_of_run(const gemp_sort_runs *runs, size_t run)
{
	return run + 1 < runs->run_count ? runs->runs[run + 1].first : runs->count;
}

/* WRITING */

/* A block that is being made. */
typedef struct block_writer {
	gemp_sort_runs *runs;
	gemp_frame first; /* the first row */
	gemp_text packed;
	uint64_t rows; /* of the run */
} block_writer;

static void free_writer(block_writer *w)
{
	gemp_frame_free(&w->first);
	gemp_text_free(&w->packed);
}

static gemp_code write_block(block_writer *w)
{
	gemp_sort_runs *runs = w->runs;
	if (w->packed.size == 0)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(runs->blocks, runs->capacity, runs->count + 1));
	GEMP_TRY(gemp_frame_append(&runs->firsts, &w->first));
	gemp_frame_free(&w->first);
	const uint64_t begin = runs->file.size;
	GEMP_TRY(gemp_scratch_append(&runs->file, w->packed.data, w->packed.size));
	runs->blocks[runs->count++] = (gemp_sort_block){ .begin = begin, .end = runs->file.size };
	gemp_text_clear(&w->packed);
	return GEMP_OK;
}

static gemp_code write_row(block_writer *w, const gemp_frame *frame, size_t row)
{
	if (w->packed.size == 0)
		GEMP_TRY(gemp_frame_slice(&w->first, frame, row, 1));
	GEMP_TRY(gemp_frame_pack(frame, row, row + 1, 1, &w->packed));
	w->rows++;
	return w->packed.size < GEMP_SORT_BLOCK ? GEMP_OK : write_block(w);
}

static gemp_code begin_run(gemp_sort_runs *runs, unsigned level)
{
	GEMP_TRY(GEMP_RESERVE(runs->runs, runs->run_capacity, runs->run_count + 1));
	runs->runs[runs->run_count++] = (gemp_sort_run){ .first = runs->count, .next = runs->count, .level = level };
	return GEMP_OK;
}

/* READING */

static gemp_code load_block(const gemp_sort_runs *runs, size_t block, gemp_frame *rows)
{
	const gemp_sort_block *at = &runs->blocks[block];
	const size_t size = at->end - at->begin;
	GEMP_OWNED char *bytes = NULL;
	GEMP_TRY(GEMP_NEW(bytes, size));
	GEMP_TRY(gemp_scratch_read(&runs->file, at->begin, bytes, size));
	if (!rows->columns)
		GEMP_TRY(gemp_frame_like(rows, &runs->firsts));
	gemp_frame_clear(rows);
	return gemp_frame_unpack(rows, bytes, bytes + size);
}

/* Appends the rows of a block that are in the range. */
static gemp_code read_block(const gemp_sort_runs *runs, const gemp_row_order *order, const gemp_frame *splitters,
                            size_t from, size_t to, size_t block, gemp_frame *out)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame rows = { 0 };
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame part = { 0 };
	size_t first = 0, end;
	GEMP_TRY(load_block(runs, block, &rows));
	while (from != SIZE_MAX && first < rows.rows && gemp_row_order_compare(order, &rows, first, splitters, from) < 0)
		first++;
	for (end = first; end < rows.rows; end++)
		if (to != SIZE_MAX && gemp_row_order_compare(order, &rows, end, splitters, to) >= 0)
			break;
	GEMP_TRY(gemp_frame_slice(&part, &rows, first, end - first));
	return gemp_frame_append(out, &part);
}

/* The rows of a block lie between its first row and the first row of the next block of the run. The last block with
 * rows of this range may also have rows of the next one. */
gemp_code gemp_sort_runs_read(gemp_sort_runs *runs, const gemp_row_order *order, const gemp_frame *splitters,
                              size_t from, size_t to, gemp_frame *out)
{
	for (size_t r = 0; r < runs->run_count; r++) {
		gemp_sort_run *run = &runs->runs[r];
		const size_t end = end_of_run(runs, r);
		size_t b = run->next;
		for (; b < end && (to == SIZE_MAX || gemp_row_order_compare(order, &runs->firsts, b, splitters, to) < 0); b++)
			if (from == SIZE_MAX || b + 1 == end ||
			    gemp_row_order_compare(order, &runs->firsts, b + 1, splitters, from) >= 0)
				GEMP_TRY(read_block(runs, order, splitters, from, to, b, out));
		run->next = b > run->next ? b - 1 : b;
	}
	return GEMP_OK;
}

/* MERGING */

/* The next row of a run, and the block that has it. */
typedef struct merge_cursor {
	size_t block, end, row;
	gemp_frame rows;
} merge_cursor;

typedef struct merge_state {
	const gemp_row_order *order;
	size_t count;
	merge_cursor *cursors; /* [count] */
	size_t heap_size;
	size_t *heap; /* [heap_size] cursors; the one with the smallest row is at the root */
} merge_state;

static void free_merge(merge_state *m)
{
	for (size_t i = 0; m->cursors && i < m->count; i++)
		gemp_frame_free(&m->cursors[i].rows);
	gemp_free_all(m->cursors, m->heap);
}

static bool is_less(const merge_state *m, size_t a, size_t b)
{
	const merge_cursor *x = &m->cursors[a], *y = &m->cursors[b];
	return gemp_row_order_compare(m->order, &x->rows, x->row, &y->rows, y->row) < 0;
}

static void sift_down(merge_state *m, size_t at)
{
	const size_t moved = m->heap[at];
	for (size_t child; (child = 2 * at + 1) < m->heap_size; at = child) {
		child += child + 1 < m->heap_size && is_less(m, m->heap[child + 1], m->heap[child]);
		if (!is_less(m, m->heap[child], moved))
			break;
		m->heap[at] = m->heap[child];
	}
	m->heap[at] = moved;
}

static gemp_code open_cursors(merge_state *m, const gemp_sort_runs *runs, size_t first_run)
{
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(m->cursors, m->count), GEMP_ARRAY(m->heap, m->count)));
	for (size_t i = 0; i < m->count; i++) {
		merge_cursor *c = &m->cursors[i];
		c->block = runs->runs[first_run + i].first;
		c->end = end_of_run(runs, first_run + i);
		GEMP_TRY(load_block(runs, c->block, &c->rows));
		m->heap[m->heap_size++] = i;
	}
	for (size_t at = m->heap_size / 2; at-- > 0;)
		sift_down(m, at);
	return GEMP_OK;
}

/* Moves the cursor at the root to its next row. */
static gemp_code advance(merge_state *m, const gemp_sort_runs *runs)
{
	merge_cursor *c = &m->cursors[m->heap[0]];
	if (++c->row == c->rows.rows) {
		c->row = 0;
		if (++c->block < c->end)
			GEMP_TRY(load_block(runs, c->block, &c->rows));
		else
			m->heap[0] = m->heap[--m->heap_size];
	}
	if (m->heap_size)
		sift_down(m, 0);
	return GEMP_OK;
}

/* Forgets the blocks [first, end), which lie before the merged ones. */
static gemp_code drop_blocks(gemp_sort_runs *runs, size_t first, size_t end)
{
	GEMP_OWNED uint64_t *kept = NULL;
	gemp_frame firsts;
	const size_t count = runs->count - (end - first);
	GEMP_TRY(GEMP_NEW(kept, count));
	for (size_t b = 0; b < count; b++)
		kept[b] = b < first ? b : b + (end - first);
	GEMP_TRY(gemp_frame_pick(&firsts, &runs->firsts, kept, count));
	gemp_frame_free(&runs->firsts);
	runs->firsts = firsts;
	gemp_scratch_discard(&runs->file, runs->blocks[first].begin, runs->blocks[end - 1].end);
	for (size_t b = first; b < count; b++)
		runs->blocks[b] = runs->blocks[kept[b]];
	runs->count = count;
	return GEMP_OK;
}

/* Merges the last `count` runs, none of which is empty. */
static gemp_code merge_last(gemp_sort_runs *runs, const gemp_row_order *order, size_t count)
{
	GEMP_OWNED_BY(free_merge) merge_state m = { .order = order, .count = count };
	GEMP_OWNED_BY(free_writer) block_writer writer = { .runs = runs };
	const size_t first_run = runs->run_count - count, first = runs->runs[first_run].first, end = runs->count;
	const unsigned level = runs->runs[first_run].level + 1;
	GEMP_TRY(open_cursors(&m, runs, first_run));
	while (m.heap_size && writer.rows < runs->max_rows) {
		const merge_cursor *least = &m.cursors[m.heap[0]];
		GEMP_TRY(write_row(&writer, &least->rows, least->row));
		GEMP_TRY(advance(&m, runs));
	}
	GEMP_TRY(write_block(&writer));
	GEMP_TRY(drop_blocks(runs, first, end));
	runs->run_count = first_run + 1;
	runs->runs[first_run] = (gemp_sort_run){ .first = first, .next = first, .level = level };
	return GEMP_OK;
}

gemp_code gemp_sort_runs_add(gemp_sort_runs *runs, const gemp_row_order *order, const gemp_frame *frame)
{
	GEMP_OWNED_BY(free_writer) block_writer writer = { .runs = runs };
	if (!runs->firsts.columns)
		GEMP_TRY(gemp_frame_like(&runs->firsts, frame));
	if (frame->rows == 0 || runs->max_rows == 0)
		return GEMP_OK;
	GEMP_TRY(begin_run(runs, 0));
	for (size_t row = 0; row < frame->rows && writer.rows < runs->max_rows; row++)
		GEMP_TRY(write_row(&writer, frame, row));
	GEMP_TRY(write_block(&writer));
	while (runs->run_count >= runs->fan &&
	       runs->runs[runs->run_count - runs->fan].level == runs->runs[runs->run_count - 1].level)
		GEMP_TRY(merge_last(runs, order, runs->fan));
	return GEMP_OK;
}

/* The last runs are the shortest ones. */
gemp_code gemp_sort_runs_finish(gemp_sort_runs *runs, const gemp_row_order *order)
{
	while (runs->run_count > runs->fan)
		GEMP_TRY(merge_last(runs, order, gemp_min(runs->fan, runs->run_count - runs->fan + 1)));
	return GEMP_OK;
}
