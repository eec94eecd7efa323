#include "match/filter/filter_codes.h"

#include "core/memory.h"
#include "partition/build/dictionary.h"

#include <string.h>

enum {
	SAMPLED = 1 << 14,
	REPEATED_ONE_IN = 8, /* a dictionary pays if at least 1 of this many sampled rows repeats a value */
	NO_VALUE = UINT32_MAX
};

/* A cache of recent strings. Most rows have one of few strings, which then need no lookup in the dictionary. */
enum { RECENT_BITS = 12 };

typedef struct recent_string {
	uint64_t mark; /* some bytes of the string, see mark_of */
	uint32_t number, size;
} recent_string;

typedef struct string_numbering {
	gemp_dictionary values;
	recent_string recent[1 << RECENT_BITS]; /* entries of size 0 are empty */
} string_numbering;

/* The mark of a string has all bytes of a short string. For a string longer than eight bytes it mixes the first and the
 * last eight bytes. */
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

/* Mark and size identify a string of up to eight bytes; longer strings are compared. */
static bool is_recent(const string_numbering *n, const recent_string *entry, uint64_t mark, const char *bytes,
                      size_t size)
{
	if (entry->mark != mark || entry->size != size || size == 0)
		return false;
	return size <= sizeof mark || memcmp(n->values.list.bytes + n->values.list.begin[entry->number], bytes, size) == 0;
}

/* Finds the code of a row's string in the cache of recent strings or in the dictionary. */
static gemp_code number(string_numbering *n, const gemp_column *column, size_t row, uint32_t *out)
{
	*out = NO_VALUE;
	if (column->null && column->null[row])
		return GEMP_OK;
	const char *bytes = column->bytes + column->offsets[row];
	size_t size = column->offsets[row + 1] - column->offsets[row];
	uint64_t mark = mark_of(bytes, size);
	recent_string *entry = &n->recent[(mark + size) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RECENT_BITS)];
	if (is_recent(n, entry, mark, bytes, size)) {
		*out = entry->number;
		return GEMP_OK;
	}
	GEMP_TRY(gemp_dictionary_add(&n->values, bytes, size, out));
	if (size <= UINT32_MAX)
		*entry = (recent_string){ mark, *out, (uint32_t)size };
	return GEMP_OK;
}

/* Samples rows at equal distances, since columns are often sorted. */
static gemp_code sample(const gemp_column *column, string_numbering *n, bool *repeats)
{
	size_t rows = column->rows < SAMPLED ? column->rows : SAMPLED, known = 0;
	uint32_t one;
	for (size_t i = 0; i < rows; i++) {
		GEMP_TRY(number(n, column, i * column->rows / rows, &one));
		known += one != NO_VALUE;
	}
	*repeats = known - n->values.list.count >= known / REPEATED_ONE_IN;
	return GEMP_OK;
}

/* The column takes over the arrays of the list, so no string is copied again. */
static gemp_code take_values(gemp_column *out, gemp_bytes *list, bool with_null)
{
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
	return GEMP_OK;
}

/* Stops without a dictionary as soon as more than half of the rows have distinct values. */
gemp_code gemp_filter_codes_new(gemp_filter_codes *out, const gemp_column *column, bool eager)
{
	gemp_code code = GEMP_OK;
	string_numbering *n = NULL;
	bool repeats = eager, with_null = false;
	*out = (gemp_filter_codes){ 0 };
	GEMP_TRY_DONE(GEMP_NEW(n, 1));
	if (!eager)
		GEMP_TRY_DONE(sample(column, n, &repeats));
	if (!repeats || column->rows == 0)
		goto done;
	GEMP_TRY_DONE(GEMP_NEW(out->codes, column->rows));
	for (size_t row = 0; row < column->rows && n->values.list.count <= column->rows / 2; row++) {
		GEMP_TRY_DONE(number(n, column, row, &out->codes[row]));
		with_null |= out->codes[row] == NO_VALUE;
	}
	if (n->values.list.count > column->rows / 2) {
		gemp_filter_codes_free(out);
		goto done;
	}
	for (size_t row = 0; with_null && row < column->rows; row++)
		if (out->codes[row] == NO_VALUE)
			out->codes[row] = (uint32_t)n->values.list.count;
	GEMP_TRY_DONE(take_values(&out->values, &n->values.list, with_null));
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
