#include "query/rows/row_compare.h"

#include <math.h>
#include <string.h>

/* COMPARISON */

static bool is_negative_zero(const gemp_frame_column *column, size_t row)
{
	if (column->values.type != GEMP_FLOAT)
		return false;
	const gemp_value value = gemp_frame_value(column, row);
	return !value.null && value.real == 0 && signbit(value.real);
}

/* One bit for each sort column: 0 for a negative zero, which comes first. */
static uint64_t sign_bits(const gemp_row_order *order, const gemp_frame *frame, size_t row)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < order->count; i++)
		bits = bits << 1 | !is_negative_zero(&frame->columns[order->columns[i].item], row);
	return bits;
}

static bool has_floats(const gemp_row_order *order, const gemp_frame *frame)
{
	bool found = false;
	for (size_t i = 0; i < order->count && !found; i++)
		found = frame->columns[order->columns[i].item].values.type == GEMP_FLOAT;
	return found;
}

int gemp_row_order_compare(const gemp_row_order *order, const gemp_frame *a, size_t x, const gemp_frame *b, size_t y)
{
	for (size_t i = 0; i < order->count; i++) {
		const size_t c = order->columns[i].item;
		const gemp_value left = gemp_frame_value(&a->columns[c], x), right = gemp_frame_value(&b->columns[c], y);
		const int less = gemp_value_order(&left, &right);
		if (less)
			return order->columns[i].descending ? -less : less;
	}
	if (!order->total || !has_floats(order, a))
		return 0;
	const uint64_t left = sign_bits(order, a, x), right = sign_bits(order, b, y);
	return (left > right) - (left < right);
}

/* ONE DIGIT */

static gemp_type type_of(const gemp_row_order *order, const gemp_frame *frame, gemp_row_digit digit)
{
	return frame->columns[order->columns[digit.column].item].values.type;
}

bool gemp_row_digit_is_text(const gemp_row_order *order, const gemp_frame *frame, gemp_row_digit digit)
{
	return digit.column < order->count && gemp_is_text(type_of(order, frame, digit));
}

uint64_t gemp_row_digit_read(const gemp_row_order *order, const gemp_frame *frame, gemp_row_digit digit, size_t row)
{
	if (digit.column == order->count)
		return sign_bits(order, frame, row);
	const gemp_sort_item *column = &order->columns[digit.column];
	gemp_value value = gemp_frame_value(&frame->columns[column->item], row);
	uint64_t bits = value.null;
	if (digit.part == 0) {
		bits = gemp_order_bits(&value);
	} else if (gemp_is_text(value.type) && !value.null) {
		const size_t skipped = gemp_min(value.string.size, digit.part * GEMP_DIGIT_BYTES);
		bits = value.string.size;
		value.string.bytes += skipped;
		value.string.size -= skipped;
		if (digit.part < GEMP_DIGIT_LAST)
			bits = gemp_order_bits(&value);
	} else if (value.null) {
		bits = UINT64_MAX;
	}
	return column->descending ? ~bits : bits;
}

bool gemp_row_digit_next(const gemp_row_order *order, const gemp_frame *frame, gemp_row_digit *digit)
{
	if (digit->column == order->count)
		return false;
	const gemp_type type = type_of(order, frame, *digit);
	const size_t last = gemp_is_text(type) ? GEMP_DIGIT_LAST : type == GEMP_BOOLEAN ? 0 : 1;
	if (digit->part < last) {
		digit->part++;
		return true;
	}
	*digit = (gemp_row_digit){ digit->column + 1, 0 };
	return digit->column < order->count || (order->total && has_floats(order, frame));
}

/* MANY DIGITS */

/* A sort column as arrays, so that a loop over its rows has no call. */
typedef struct digit_reader {
	const gemp_column *values;
	const uint32_t *index; /* rows of `values`; NULL: row i is row i */
	const uint64_t *rows;  /* NULL: rows first, first + 1, ... */
	size_t first, count;
	uint64_t flip; /* UINT64_MAX if descending, else 0 */
	uint64_t *bits;
} digit_reader;

/* Returns the row of `values` that has the value of row i of the loop, or SIZE_MAX for NULL. */
static inline size_t place_of(const digit_reader *r, size_t i)
{
	size_t row = r->rows ? (size_t)r->rows[i] : r->first + i;
	if (r->index) {
		if (r->index[row] == GEMP_NO_ROW)
			return SIZE_MAX;
		row = r->index[row];
	}
	return r->values->null && r->values->null[row] ? SIZE_MAX : row;
}

static void read_integers(const digit_reader *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const size_t row = place_of(r, i);
		const uint64_t bits = row == SIZE_MAX ? UINT64_MAX : (uint64_t)r->values->integers[row] ^ (UINT64_C(1) << 63);
		r->bits[i] = bits ^ r->flip;
	}
}

/* The first 8 bytes of a string as a number, the first byte on top; 0 stands for bytes behind the string. */
static inline uint64_t first_bytes(const char *bytes, size_t size, size_t readable)
{
	uint64_t bits = 0;
	if (readable < sizeof bits) {
		memcpy(&bits, bytes, size);
		return __builtin_bswap64(bits);
	}
	memcpy(&bits, bytes, sizeof bits);
	bits = __builtin_bswap64(bits);
	return size >= sizeof bits ? bits : size == 0 ? 0 : bits & UINT64_MAX << (64 - 8 * size);
}

static void read_strings(const digit_reader *r)
{
	const gemp_column *values = r->values;
	const uint64_t end = values->rows ? values->offsets[values->rows] : 0;
	for (size_t i = 0; i < r->count; i++) {
		const size_t row = place_of(r, i);
		uint64_t bits = UINT64_MAX;
		if (row != SIZE_MAX)
			bits = first_bytes(values->bytes + values->offsets[row], values->offsets[row + 1] - values->offsets[row],
			                   end - values->offsets[row]);
		r->bits[i] = bits ^ r->flip;
	}
}

void gemp_row_digits_read(const gemp_row_order *order, const gemp_frame *frame, gemp_row_digit digit,
                          const uint64_t *rows, size_t first, size_t count, uint64_t *bits)
{
	if (digit.column < order->count && digit.part == 0) {
		const gemp_sort_item *item = &order->columns[digit.column];
		const gemp_frame_column *column = &frame->columns[item->item];
		const digit_reader reader = { .values = column->dictionary ? column->dictionary : &column->values,
			                          .index = column->dictionary ? column->index : NULL,
			                          .rows = rows,
			                          .first = first,
			                          .count = count,
			                          .flip = item->descending ? UINT64_MAX : 0,
			                          .bits = bits };
		if (column->values.type == GEMP_INTEGER) {
			read_integers(&reader);
			return;
		}
		if (gemp_is_text(column->values.type)) {
			read_strings(&reader);
			return;
		}
	}
	for (size_t i = 0; i < count; i++)
		bits[i] = gemp_row_digit_read(order, frame, digit, rows ? (size_t)rows[i] : first + i);
}
