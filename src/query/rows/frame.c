/* Frames are filled column by column: elements as blocks of ids, values by the functions of graph/column. A cleared
 * frame keeps its columns' memory, because every block of a query has the same columns. */

#include "query/rows/frame.h"

#include "core/memory.h"
#include "core/text.h"
#include "graph/column_bulk.h"
#include "graph/column_rows.h"

#include <math.h>
#include <string.h>

/* The zeroed columns are values without a name and a type. */
gemp_code gemp_frame_init(gemp_frame *frame, size_t count)
{
	*frame = (gemp_frame){ 0 };
	GEMP_TRY(GEMP_NEW(frame->columns, count));
	frame->count = count;
	return GEMP_OK;
}

/* A column may be set again when its frame is reused. */
gemp_code gemp_frame_set(gemp_frame *frame, size_t column, gemp_cell_kind kind, const char *name, gemp_type type)
{
	gemp_frame_column *c = &frame->columns[column];
	c->kind = kind;
	gemp_column_free(&c->values);
	return gemp_column_init(&c->values, name, type);
}

/* Names are copied, since the other frame may be freed first. */
gemp_code gemp_frame_set_like(gemp_frame *frame, const gemp_frame *from, size_t count)
{
	for (size_t c = 0; c < count; c++) {
		const gemp_column *values = &from->columns[c].values;
		GEMP_TRY(gemp_frame_set(frame, c, from->columns[c].kind, values->name ? values->name : "", values->type));
	}
	return GEMP_OK;
}

/* After a failure *out is empty, so that callers may free it in any case. */
gemp_code gemp_frame_like(gemp_frame *out, const gemp_frame *frame)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame made = { 0 };
	*out = made;
	GEMP_TRY(gemp_frame_init(&made, frame->count));
	GEMP_TRY(gemp_frame_set_like(&made, frame, frame->count));
	*out = made;
	made = (gemp_frame){ 0 };
	return GEMP_OK;
}

void gemp_frame_column_free(gemp_frame_column *column)
{
	gemp_column_free(&column->values);
	gemp_free_all(column->elements, column->index);
}

void gemp_frame_free(gemp_frame *frame)
{
	for (size_t c = 0; c < frame->count; c++)
		gemp_frame_column_free(&frame->columns[c]);
	gemp_free_all(frame->columns, frame->multiplicity);
	*frame = (gemp_frame){ 0 };
}

/* Columns keep their memory for the next block. Multiplicities are freed, because the next block may have none. */
void gemp_frame_clear(gemp_frame *frame)
{
	frame->rows = 0;
	for (size_t c = 0; c < frame->count; c++) {
		frame->columns[c].values.rows = 0;
		frame->columns[c].dictionary = NULL;
		frame->columns[c].folded = NULL;
	}
	gemp_free(frame->multiplicity);
	frame->multiplicity = NULL;
	frame->multiplicity_capacity = 0;
}

/* The number of bytes of a value in a column. A string counts as one offset here; its bytes are counted separately. */
static size_t value_size(gemp_type type)
{
	return type == GEMP_BOOLEAN ? 1 : sizeof(uint64_t);
}

/* Counts capacities instead of sizes, because the memory budget limits allocated memory. */
size_t gemp_frame_memory(const gemp_frame *frame)
{
	size_t bytes = frame->multiplicity_capacity * sizeof *frame->multiplicity;
	for (size_t c = 0; c < frame->count; c++) {
		const gemp_frame_column *column = &frame->columns[c];
		bytes += column->capacity * sizeof *column->elements + column->values.bytes_capacity +
		         column->index_capacity * sizeof *column->index +
		         column->values.capacity * (value_size(column->values.type) + (column->values.null != NULL));
	}
	return bytes;
}

/* A string value is borrowed from the column. */
gemp_value gemp_frame_value(const gemp_frame_column *column, size_t row)
{
	if (column->dictionary && column->index[row] == GEMP_NO_ROW)
		return (gemp_value){ .type = column->values.type, .null = true };
	if (column->dictionary)
		return gemp_column_get(column->dictionary, column->index[row]);
	return gemp_column_get(&column->values, row);
}

/* A column of values has a byte of validity for each row only if some value is NULL. */
bool gemp_frame_is_null(const gemp_frame_column *column, size_t row)
{
	if (column->dictionary)
		return column->index[row] == GEMP_NO_ROW ||
		       (column->dictionary->null && column->dictionary->null[column->index[row]]);
	if (column->kind == GEMP_CELL_VALUE)
		return column->values.null && column->values.null[row];
	return column->elements[row] == GEMP_NO_ELEMENT;
}

/* The caller counts the frame's rows, because a row is complete only with its last column. */
gemp_code gemp_frame_add_element(gemp_frame_column *column, size_t row, uint64_t element)
{
	GEMP_TRY(GEMP_RESERVE(column->elements, column->capacity, row + 1));
	column->elements[row] = element;
	return GEMP_OK;
}

/* A frame without multiplicities counts every row once. When a block with multiplicities is appended to such a frame,
 * the array is allocated, with 1 for the earlier rows. */
static gemp_code append_multiplicity(gemp_frame *frame, const gemp_frame *from)
{
	size_t before = frame->rows, rows = from->rows;
	if (!from->multiplicity && !frame->multiplicity)
		return GEMP_OK;
	bool fresh = !frame->multiplicity;
	GEMP_TRY(GEMP_RESERVE(frame->multiplicity, frame->multiplicity_capacity, before + rows));
	for (size_t row = 0; row < before && fresh; row++)
		frame->multiplicity[row] = 1;
	for (size_t row = 0; row < rows; row++)
		frame->multiplicity[before + row] = from->multiplicity ? from->multiplicity[row] : 1;
	return GEMP_OK;
}

/* A column of the frame owns its values afterwards. The capacity of `index` stays for the next block. */
static gemp_code flatten_column(gemp_frame_column *column, size_t rows)
{
	const gemp_column *dictionary = column->dictionary;
	column->values.rows = 0;
	column->dictionary = NULL;
	return gemp_column_append_rows(&column->values, dictionary, column->index, rows);
}

gemp_code gemp_frame_flatten(gemp_frame *frame)
{
	for (size_t c = 0; c < frame->count; c++)
		if (frame->columns[c].dictionary)
			GEMP_TRY(flatten_column(&frame->columns[c], frame->rows));
	return GEMP_OK;
}

/* A column without elements, which no clause reads, stays without elements. */
static gemp_code append_cells(gemp_frame_column *to, size_t before, const gemp_frame_column *from, size_t rows)
{
	if (from->kind != GEMP_CELL_VALUE) {
		if (!from->elements)
			return GEMP_OK;
		GEMP_TRY(GEMP_RESERVE(to->elements, to->capacity, before + rows));
		memcpy(to->elements + before, from->elements, rows * sizeof *to->elements);
		return GEMP_OK;
	}
	to->values.rows = before;
	if (from->dictionary)
		return gemp_column_append_rows(&to->values, from->dictionary, from->index, rows);
	return gemp_column_extend(&to->values, &from->values);
}

/* All columns are appended as blocks. */
gemp_code gemp_frame_append(gemp_frame *frame, const gemp_frame *from)
{
	if (from->rows == 0)
		return GEMP_OK;
	GEMP_TRY(append_multiplicity(frame, from));
	for (size_t c = 0; c < frame->count; c++)
		GEMP_TRY(append_cells(&frame->columns[c], frame->rows, &from->columns[c], from->rows));
	frame->rows += from->rows;
	return GEMP_OK;
}

static gemp_code pick_rows(gemp_frame_column *out, const gemp_frame_column *column, const uint64_t *picked,
                           size_t count)
{
	GEMP_TRY(GEMP_RESERVE(out->index, out->index_capacity, count));
	for (size_t i = 0; i < count; i++)
		out->index[i] = column->index[picked[i]];
	out->dictionary = column->dictionary;
	return GEMP_OK;
}

/* A column keeps its dictionary, so its values are not copied. Other values are gathered by a function of graph/column,
 * which copies the strings as one block. */
static gemp_code pick_cells(gemp_frame_column *out, const gemp_frame_column *column, const uint64_t *picked,
                            size_t count)
{
	if (column->kind == GEMP_CELL_VALUE) {
		if (count == 0)
			return GEMP_OK;
		if (column->dictionary)
			return pick_rows(out, column, picked, count);
		gemp_column_free(&out->values);
		return gemp_column_gather(&out->values, &column->values, NULL, picked, count);
	}
	if (!column->elements)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(out->elements, out->capacity, count));
	for (size_t i = 0; i < count; i++)
		out->elements[i] = column->elements[picked[i]];
	return GEMP_OK;
}

/* The array has count + 1 elements, so that an empty frame with multiplicities has a non-NULL array and is still
 * recognised as one. */
gemp_code gemp_frame_pick(gemp_frame *out, const gemp_frame *frame, const uint64_t *picked, size_t count)
{
	GEMP_OWNED_BY(gemp_frame_free) gemp_frame made = { 0 };
	*out = made;
	GEMP_TRY(gemp_frame_like(&made, frame));
	for (size_t c = 0; c < frame->count; c++)
		GEMP_TRY(pick_cells(&made.columns[c], &frame->columns[c], picked, count));
	if (frame->multiplicity) {
		GEMP_TRY(GEMP_RESERVE(made.multiplicity, made.multiplicity_capacity, count + 1));
		for (size_t i = 0; i < count; i++)
			made.multiplicity[i] = frame->multiplicity[picked[i]];
	}
	made.rows = count;
	*out = made;
	made = (gemp_frame){ 0 };
	return GEMP_OK;
}

/* A slice is a selection of consecutive rows. */
gemp_code gemp_frame_slice(gemp_frame *out, const gemp_frame *frame, size_t first, size_t count)
{
	GEMP_OWNED uint64_t *picked = NULL;
	GEMP_TRY(GEMP_NEW(picked, count));
	for (size_t i = 0; i < count; i++)
		picked[i] = first + i;
	return gemp_frame_pick(out, frame, picked, count);
}

/* The number of times that gemp_frame_expand writes a row. */
static uint64_t capped_multiplicity(const gemp_frame *frame, size_t row, uint64_t max_times)
{
	return frame->multiplicity[row] < max_times ? frame->multiplicity[row] : max_times;
}

/* No caller needs more than max_times rows in total, so no row is repeated more often. */
gemp_code gemp_frame_expand(gemp_frame *frame, uint64_t max_times)
{
	gemp_frame expanded = { 0 };
	GEMP_OWNED uint64_t *picked = NULL;
	size_t rows = 0;
	if (!frame->multiplicity)
		return GEMP_OK;
	for (size_t row = 0; row < frame->rows; row++)
		if (__builtin_add_overflow(rows, capped_multiplicity(frame, row, max_times), &rows))
			return gemp_fail(GEMP_ENOMEM, "more than 2^64 rows are to be written; count them instead");
	GEMP_TRY(GEMP_NEW(picked, rows));
	for (size_t row = 0, i = 0; row < frame->rows; row++)
		for (uint64_t k = capped_multiplicity(frame, row, max_times); k > 0; k--)
			picked[i++] = row;
	GEMP_TRY(gemp_frame_pick(&expanded, frame, picked, rows));
	gemp_free(expanded.multiplicity);
	expanded.multiplicity = NULL;
	expanded.multiplicity_capacity = 0;
	gemp_frame_free(frame);
	*frame = expanded;
	return GEMP_OK;
}

/* CELLS */

/* All NaNs become one NaN, and -0.0 becomes 0.0, so that equal values have equal bytes. */
gemp_value gemp_value_canonical(gemp_value value)
{
	if (value.type == GEMP_FLOAT && !value.null)
		value.real = isnan(value.real) ? (double)NAN : value.real == 0 ? 0 : value.real;
	return value;
}

/* Elements are packed as ids, because ids are equal on all ranks. */
static void pack_cell(const gemp_frame_column *column, size_t row, bool canonical, gemp_text *out)
{
	if (column->kind != GEMP_CELL_VALUE) {
		gemp_text_add(out, &column->elements[row], sizeof *column->elements);
		return;
	}
	const gemp_value value = gemp_column_get(&column->values, row);
	const gemp_value packed = canonical ? gemp_value_canonical(value) : value;
	gemp_value_pack(&packed, out);
}

void gemp_cell_pack(const gemp_frame_column *column, size_t row, gemp_text *out)
{
	pack_cell(column, row, true, out);
}

/* gemp_column_unpack checks values against `end`. Elements have a fixed size. */
gemp_code gemp_cell_unpack(gemp_frame_column *column, size_t row, const char **at, const char *end)
{
	uint64_t element;
	if (column->kind == GEMP_CELL_VALUE) {
		column->values.rows = row;
		return gemp_column_unpack(&column->values, at, end);
	}
	memcpy(&element, *at, sizeof element);
	*at += sizeof element;
	return gemp_frame_add_element(column, row, element);
}

gemp_code gemp_frame_pack(const gemp_frame *frame, size_t first, size_t end, size_t step, gemp_text *out)
{
	for (size_t row = first; row < end; row += step)
		for (size_t c = 0; c < frame->count; c++)
			pack_cell(&frame->columns[c], row, false, out);
	return gemp_text_status(out);
}

gemp_code gemp_frame_unpack(gemp_frame *frame, const char *at, const char *end)
{
	while (at < end) {
		for (size_t c = 0; c < frame->count; c++)
			GEMP_TRY(gemp_cell_unpack(&frame->columns[c], frame->rows, &at, end));
		frame->rows++;
	}
	return GEMP_OK;
}

/* NaN comes after all numbers, and NULL after every value. All other values of a column are comparable. */
int gemp_value_order(const gemp_value *a, const gemp_value *b)
{
	bool comparable;
	if (a->null || b->null)
		return (int)a->null - (int)b->null;
	bool x = a->type == GEMP_FLOAT && isnan(a->real), y = b->type == GEMP_FLOAT && isnan(b->real);
	if (x || y)
		return (int)x - (int)y;
	return gemp_value_compare(a, b, &comparable);
}

/* Negative floats compare in reverse order of their bits, which are therefore inverted. */
uint64_t gemp_order_bits(const gemp_value *value)
{
	const uint64_t top = UINT64_C(1) << 63;
	uint64_t bits = 0;
	if (value->null || (value->type == GEMP_FLOAT && isnan(value->real)))
		return UINT64_MAX;
	switch (value->type) {
	case GEMP_INTEGER: return (uint64_t)value->integer ^ top;
	case GEMP_FLOAT:
		if (value->real != 0)
			memcpy(&bits, &value->real, sizeof bits);
		return bits & top ? ~bits : bits | top;
	case GEMP_BOOLEAN: return value->truth;
	case GEMP_STRING:
	case GEMP_LIST:
		for (size_t i = 0; i < sizeof bits; i++)
			bits = bits << 8 | (i < value->string.size ? (unsigned char)value->string.bytes[i] : 0);
	}
	return bits;
}

gemp_value gemp_order_value(gemp_type type, uint64_t bits)
{
	const uint64_t top = UINT64_C(1) << 63;
	gemp_value value = { .type = type };
	if (type == GEMP_INTEGER) {
		value.integer = (int64_t)(bits ^ top);
	} else if (type == GEMP_BOOLEAN) {
		value.truth = bits != 0;
	} else {
		GEMP_CHECK(type == GEMP_FLOAT);
		const uint64_t real = bits & top ? bits ^ top : ~bits;
		memcpy(&value.real, &real, sizeof real);
		if (bits == UINT64_MAX)
			value.real = (double)NAN;
	}
	return value;
}
