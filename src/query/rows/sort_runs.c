#include "query/rows/sort_runs.h"

#include "core/memory.h"
#include "core/text.h"

void gemp_sort_runs_free(gemp_sort_runs *runs)
{
	gemp_scratch_close(&runs->file);
	gemp_free(runs->blocks);
	gemp_frame_free(&runs->firsts);
	*runs = (gemp_sort_runs){ 0 };
}

/* Writes the packed rows, of which the first is row `row` of the frame. */
static gemp_code add_block(gemp_sort_runs *runs, const gemp_frame *frame, size_t row, const gemp_text *packed)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame first = { 0 };
	GEMP_TRY(GEMP_RESERVE(runs->blocks, runs->capacity, runs->count + 1));
	GEMP_TRY(gemp_frame_slice(&first, frame, row, 1));
	GEMP_TRY(gemp_frame_append(&runs->firsts, &first));
	const uint64_t begin = runs->file.size;
	GEMP_TRY(gemp_scratch_append(&runs->file, packed->data, packed->size));
	runs->blocks[runs->count++] = (gemp_sort_block){ .begin = begin, .end = runs->file.size };
	return GEMP_OK;
}

gemp_code gemp_sort_runs_add(gemp_sort_runs *runs, const gemp_frame *frame)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text packed = { 0 };
	size_t first = 0;
	if (!runs->firsts.columns)
		GEMP_TRY(gemp_frame_like(&runs->firsts, frame));
	for (size_t row = 0; row < frame->rows; row++) {
		GEMP_TRY(gemp_frame_pack(frame, row, row + 1, 1, &packed));
		if (packed.size < GEMP_SORT_BLOCK && row + 1 < frame->rows)
			continue;
		GEMP_TRY(add_block(runs, frame, first, &packed));
		gemp_text_clear(&packed);
		first = row + 1;
	}
	if (frame->rows)
		runs->blocks[runs->count - 1].last = true;
	return GEMP_OK;
}

/* The rows of a block lie between its first row and the first row of the next block of the run. */
static bool may_have(const gemp_sort_runs *runs, const gemp_row_order *order, const gemp_frame *splitters, size_t from,
                     size_t to, size_t b)
{
	if (to != SIZE_MAX && gemp_row_order_compare(order, &runs->firsts, b, splitters, to) >= 0)
		return false;
	return from == SIZE_MAX || runs->blocks[b].last ||
	       gemp_row_order_compare(order, &runs->firsts, b + 1, splitters, from) >= 0;
}

/* Appends the rows of a block that are in the range. */
static gemp_code read_block(const gemp_sort_runs *runs, const gemp_row_order *order, const gemp_frame *splitters,
                            size_t from, size_t to, const gemp_sort_block *block, gemp_frame *out)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame rows = { 0 };
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame part = { 0 };
	GEMP_OWNED char *bytes = NULL;
	const size_t size = block->end - block->begin;
	size_t first = 0, end;
	GEMP_TRY(GEMP_NEW(bytes, size));
	GEMP_TRY(gemp_scratch_read(&runs->file, block->begin, bytes, size));
	GEMP_TRY(gemp_frame_like(&rows, &runs->firsts));
	GEMP_TRY(gemp_frame_unpack(&rows, bytes, bytes + size));
	while (from != SIZE_MAX && first < rows.rows && gemp_row_order_compare(order, &rows, first, splitters, from) < 0)
		first++;
	for (end = first; end < rows.rows; end++)
		if (to != SIZE_MAX && gemp_row_order_compare(order, &rows, end, splitters, to) >= 0)
			break;
	GEMP_TRY(gemp_frame_slice(&part, &rows, first, end - first));
	return gemp_frame_append(out, &part);
}

gemp_code gemp_sort_runs_read(const gemp_sort_runs *runs, const gemp_row_order *order, const gemp_frame *splitters,
                              size_t from, size_t to, gemp_frame *out)
{
	for (size_t b = 0; b < runs->count; b++)
		if (may_have(runs, order, splitters, from, to, b))
			GEMP_TRY(read_block(runs, order, splitters, from, to, &runs->blocks[b], out));
	return GEMP_OK;
}
