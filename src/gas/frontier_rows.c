#include "gas/frontier_rows.h"

#include "core/memory.h"

typedef struct lists {
	cl_uint2 *slices, *pieces;
	size_t slice_count, slice_room, piece_count, piece_room;
	uint32_t *light;
} lists;

static gemp_code add(cl_uint2 **list, size_t *count, size_t *room, uint32_t x, uint32_t y)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(*list, *room, *count + 1));
	(*list)[(*count)++] = (cl_uint2){ { x, y } };
done:
	return code;
}

/* Rows of one word whose edges together are worth a warp. */
enum { PIECE_ROWS = 4 };

static gemp_code take_row(lists *l, const gemp_gas_rows *rows, uint32_t row, const gemp_frontier_shape *shape)
{
	gemp_code code = GEMP_OK;
	uint64_t edges = rows->begin[row + 1] - rows->begin[row];
	cl_uint2 *last = l->piece_count ? &l->pieces[l->piece_count - 1] : NULL;
	if (edges > shape->slice) {
		for (uint64_t at = 0; at < edges; at += shape->slice)
			GEMP_TRY(add(&l->slices, &l->slice_count, &l->slice_room, row, (uint32_t)(at / shape->slice)));
	} else if (!l->light) {
		return GEMP_OK;
	} else if (edges <= shape->piece) {
		l->light[row / 32] |= 1u << row % 32;
	} else if (last && last->s[0] == row / 32 && __builtin_popcount(last->s[1]) < PIECE_ROWS) {
		last->s[1] |= 1u << row % 32;
	} else {
		code = add(&l->pieces, &l->piece_count, &l->piece_room, row / 32, 1u << row % 32);
	}
done:
	return code;
}

static gemp_code take_heads(gemp_frontier *f, gemp_frontier_rows *out, const gemp_gas_rows *rows)
{
	gemp_code code = GEMP_OK;
	uint32_t *heads;
	GEMP_TRY(GEMP_NEW(heads, rows->rows));
	for (uint32_t row = 0; row < rows->rows; row++)
		heads[row] = rows->begin[row] < rows->begin[row + 1] ? rows->end[rows->begin[row]] : row;
	code = gemp_buffer_new(&out->heads, f->device, rows->rows * sizeof *heads, heads);
done:
	gemp_free(heads);
	return code;
}

gemp_code gemp_frontier_rows_new(gemp_frontier *f, gemp_frontier_rows *out, const gemp_gas_rows *rows,
                                 const gemp_gas_device_rows *held, bool sources)
{
	gemp_code code = GEMP_OK;
	lists l = { 0 };
	out->rows = held;
	if (sources)
		GEMP_TRY(GEMP_NEW(l.light, f->words));
	for (uint32_t row = 0; row < rows->rows; row++) {
		GEMP_TRY(take_row(&l, rows, row, &f->shape));
	}
	out->slice_count = (cl_uint)l.slice_count;
	out->piece_count = (cl_uint)l.piece_count;
	GEMP_TRY(gemp_buffer_new(&out->slices, f->device, l.slice_count * sizeof *l.slices, l.slices));
	if (!sources)
		code = take_heads(f, out, rows);
	if (sources) {
		GEMP_TRY(gemp_buffer_new(&f->pieces, f->device, l.piece_count * sizeof *l.pieces, l.pieces));
		GEMP_TRY(gemp_buffer_new(&f->light, f->device, f->words * sizeof *l.light, l.light));
	}
done:
	gemp_free(l.slices);
	gemp_free(l.pieces);
	gemp_free(l.light);
	return code;
}
