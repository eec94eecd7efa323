#include "match/filter_codes.h"

#include "core/memory.h"
#include "partition/builder_bytes.h"

#include <string.h>

enum {
	SAMPLED = 1 << 14,
	REPEATED_ONE_IN = 8, /* of the sampled rows, for codes to pay */
	NO_VALUE = UINT32_MAX
};

/* Strings met lately, by some of their bytes: most rows have one of few, and need no lookup in the dictionary. */
enum { RECENT_BITS = 12 };

typedef struct recent {
	uint64_t mark; /* see mark_of */
	uint32_t number, size;
} recent;

typedef struct numbering {
	gemp_dictionary values;
	recent recent[1 << RECENT_BITS]; /* those of size 0 are not in use */
} numbering;

/* Up to eight bytes tell all of it, 0 after them; of more, the first and the last eight are mixed. */
static uint64_t mark_of(const char *bytes, size_t size)
{
	uint64_t mark = 0, last;
	if (size < sizeof mark) {
		for (size_t i = 0; i < size; i++)
			mark |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
		return mark;
	}
	memcpy(&mark, bytes, sizeof mark);
	memcpy(&last, bytes + size - sizeof last, sizeof last);
	return size == sizeof mark ? mark : mark + (last << 1);
}

static bool is_recent(const numbering *n, const recent *entry, uint64_t mark, const char *bytes, size_t size)
{
	if (entry->mark != mark || entry->size != size || size == 0)
		return false;
	return size <= sizeof mark ||
	       memcmp(n->values.list.bytes + n->values.list.begin[entry->number], bytes, size) == 0;
}

static gemp_code number(numbering *n, const gemp_column *column, size_t row, uint32_t *out)
{
	gemp_code code = GEMP_OK;
	*out = NO_VALUE;
	if (column->null && column->null[row])
		return GEMP_OK;
	const char *bytes = column->bytes + column->offsets[row];
	size_t size = column->offsets[row + 1] - column->offsets[row];
	uint64_t mark = mark_of(bytes, size);
	recent *entry = &n->recent[(mark + size) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RECENT_BITS)];
	if (is_recent(n, entry, mark, bytes, size)) {
		*out = entry->number;
		return GEMP_OK;
	}
	GEMP_TRY(gemp_dictionary_add(&n->values, bytes, size, out));
	if (size <= UINT32_MAX)
		*entry = (recent){ mark, *out, (uint32_t)size };
done:
	return code;
}

static gemp_code sample(const gemp_column *column, numbering *n, bool *repeats)
{
	gemp_code code = GEMP_OK;
	size_t rows = column->rows < SAMPLED ? column->rows : SAMPLED, known = 0;
	uint32_t one;
	for (size_t i = 0; i < rows; i++) {
		GEMP_TRY(number(n, column, i * column->rows / rows, &one));
		known += one != NO_VALUE;
	}
	*repeats = known - n->values.list.count >= known / REPEATED_ONE_IN;
done:
	return code;
}

/* The list becomes the column's. */
static gemp_code take_values(gemp_column *out, gemp_bytes *list, bool with_null)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_column_init(out, "distinct values", GEMP_STRING));
	if (list->count) {
		out->rows = list->count;
		out->capacity = list->capacity - 1;
		out->offsets = list->begin;
		out->bytes = list->bytes;
		out->bytes_capacity = list->bytes_capacity;
		*list = (gemp_bytes){ 0 };
	}
	if (with_null)
		GEMP_TRY(gemp_column_add(out, &(gemp_value){ .type = GEMP_STRING, .null = true }));
done:
	return code;
}

gemp_code gemp_filter_codes_new(gemp_filter_codes *out, const gemp_column *column, bool eager)
{
	gemp_code code = GEMP_OK;
	numbering *n = NULL;
	bool repeats = eager, with_null = false;
	*out = (gemp_filter_codes){ 0 };
	GEMP_TRY(GEMP_NEW(n, 1));
	if (!eager)
		GEMP_TRY(sample(column, n, &repeats));
	if (!repeats || column->rows == 0)
		goto done;
	GEMP_TRY(GEMP_NEW(out->codes, column->rows));
	for (size_t row = 0; row < column->rows && n->values.list.count <= column->rows / 2; row++) {
		GEMP_TRY(number(n, column, row, &out->codes[row]));
		with_null |= out->codes[row] == NO_VALUE;
	}
	if (n->values.list.count > column->rows / 2) {
		gemp_filter_codes_free(out);
		goto done;
	}
	for (size_t row = 0; with_null && row < column->rows; row++)
		if (out->codes[row] == NO_VALUE)
			out->codes[row] = (uint32_t)n->values.list.count;
	GEMP_TRY(take_values(&out->values, &n->values.list, with_null));
done:
	if (n)
		gemp_dictionary_free(&n->values);
	gemp_free(n);
	if (code != GEMP_OK)
		gemp_filter_codes_free(out);
	return code;
}

void gemp_filter_codes_free(gemp_filter_codes *codes)
{
	gemp_free(codes->codes);
	gemp_column_free(&codes->values);
	*codes = (gemp_filter_codes){ 0 };
}
