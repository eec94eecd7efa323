#include "match/filter_codes.h"

#include "core/memory.h"
#include "partition/builder_bytes.h"

enum {
	SAMPLED = 1 << 14,
	REPEATED_ONE_IN = 8, /* of the sampled rows, for codes to pay */
	NO_VALUE = UINT32_MAX
};

static gemp_code number(gemp_dictionary *values, const gemp_column *column, size_t row, uint32_t *out)
{
	gemp_value value = gemp_column_get(column, row);
	*out = NO_VALUE;
	return value.null ? GEMP_OK : gemp_dictionary_add(values, value.string.bytes, value.string.size, out);
}

static gemp_code sample(const gemp_column *column, bool *repeats)
{
	gemp_code code = GEMP_OK;
	gemp_dictionary values = { 0 };
	size_t rows = column->rows < SAMPLED ? column->rows : SAMPLED, known = 0;
	uint32_t one;
	for (size_t i = 0; i < rows; i++) {
		GEMP_TRY(number(&values, column, i * column->rows / rows, &one));
		known += one != NO_VALUE;
	}
	*repeats = known - values.list.count >= known / REPEATED_ONE_IN;
done:
	gemp_dictionary_free(&values);
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
	gemp_dictionary values = { 0 };
	bool repeats = eager, with_null = false;
	*out = (gemp_filter_codes){ 0 };
	if (!eager)
		GEMP_TRY(sample(column, &repeats));
	if (!repeats || column->rows == 0)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(out->codes, column->rows));
	for (size_t row = 0; row < column->rows && values.list.count <= column->rows / 2; row++) {
		GEMP_TRY(number(&values, column, row, &out->codes[row]));
		with_null |= out->codes[row] == NO_VALUE;
	}
	if (values.list.count > column->rows / 2) {
		gemp_filter_codes_free(out);
		goto done;
	}
	for (size_t row = 0; with_null && row < column->rows; row++)
		if (out->codes[row] == NO_VALUE)
			out->codes[row] = (uint32_t)values.list.count;
	GEMP_TRY(take_values(&out->values, &values.list, with_null));
done:
	gemp_dictionary_free(&values);
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
