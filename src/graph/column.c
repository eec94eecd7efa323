/* This file adds, compares, packs and prints one value at a time. The strings of a column are contiguous in `bytes`,
 * and offsets[row + 1] is the end of the row's string. `null` has a byte for each row; the array exists only if some
 * row is NULL. Operations on whole columns are in column_bulk.c. */

#include "graph/column.h"

#include "core/memory.h"
#include "core/number_text.h"
#include "core/text.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

const char *const gemp_type_name[5] = { "string", "integer", "float", "boolean", "json" };

/* The column is empty and does not count as loaded. */
gemp_code gemp_column_init(gemp_column *column, const char *name, gemp_type type)
{
	*column = (gemp_column){ .type = type };
	column->name = gemp_strdup(name);
	return column->name ? GEMP_OK : GEMP_ENOMEM;
}

void gemp_column_free(gemp_column *column)
{
	if (!column)
		return;
	gemp_free_all(column->name, column->integers, column->floats, column->booleans, column->offsets, column->bytes,
	              column->null);
	*column = (gemp_column){ 0 };
}

bool gemp_column_loaded(const gemp_column *column)
{
	return column->integers || column->floats || column->booleans || column->offsets;
}

/* The array gets exactly this size; the callers decide how columns grow. */
static gemp_code resize(void **array, size_t count, size_t size)
{
	void *moved = gemp_realloc(gemp_pointer_get(array), count, size);
	if (!moved)
		return GEMP_ENOMEM;
	gemp_pointer_set(array, moved);
	return GEMP_OK;
}

/* offsets has one element more than the column has rows. Its first element is 0. */
static gemp_code resize_values(gemp_column *column, size_t capacity)
{
	gemp_code code = GEMP_EINTERNAL;
	bool first_time = !column->offsets;
	switch (column->type) {
	case GEMP_INTEGER: return resize((void **)&column->integers, capacity, sizeof *column->integers);
	case GEMP_FLOAT: return resize((void **)&column->floats, capacity, sizeof *column->floats);
	case GEMP_BOOLEAN: return resize((void **)&column->booleans, capacity, sizeof *column->booleans);
	case GEMP_STRING:
	case GEMP_LIST:
		code = resize((void **)&column->offsets, capacity + 1, sizeof *column->offsets);
		if (code == GEMP_OK && first_time)
			column->offsets[0] = 0;
	}
	return code;
}

/* Clears the new part of null, because gemp_realloc does not zero it. */
gemp_code gemp_column_reserve(gemp_column *column, size_t rows, size_t bytes)
{
	if (rows > column->capacity || !gemp_column_loaded(column)) {
		GEMP_TRY(resize_values(column, rows));
		if (column->null) {
			GEMP_TRY(resize((void **)&column->null, rows, 1));
			memset(column->null + column->rows, 0, rows - column->rows);
		}
		column->capacity = rows;
	}
	if (gemp_is_text(column->type) && (bytes > column->bytes_capacity || !column->bytes)) {
		GEMP_TRY(resize((void **)&column->bytes, bytes, 1));
		column->bytes_capacity = bytes;
	}
	return GEMP_OK;
}

gemp_code gemp_column_grow(gemp_column *column, size_t rows, size_t bytes)
{
	const size_t row_capacity = column->capacity, byte_capacity = column->bytes_capacity;
	return gemp_column_reserve(column, rows > row_capacity ? gemp_grown_capacity(row_capacity, rows) : row_capacity,
	                           bytes > byte_capacity ? gemp_grown_capacity(byte_capacity, bytes) : byte_capacity);
}

/* A string points into the column and is valid until the column grows. */
gemp_value gemp_column_get(const gemp_column *column, size_t row)
{
	gemp_value value = { .type = column->type, .null = column->null && column->null[row] };
	switch (column->type) {
	case GEMP_INTEGER: value.integer = column->integers[row]; break;
	case GEMP_FLOAT: value.real = column->floats[row]; break;
	case GEMP_BOOLEAN: value.truth = column->booleans[row]; break;
	case GEMP_STRING:
	case GEMP_LIST:
		value.string.bytes = column->bytes + column->offsets[row];
		value.string.size = column->offsets[row + 1] - column->offsets[row];
	}
	return value;
}

/* NULL is stored as 0, NaN or an empty string, so that columns with the same content have the same bytes and hashes. */
static void set_value(gemp_column *column, size_t row, const gemp_value *value)
{
	switch (column->type) {
	case GEMP_INTEGER: column->integers[row] = value->null ? 0 : value->integer; break;
	case GEMP_FLOAT: column->floats[row] = value->null ? (double)NAN : value->real; break;
	case GEMP_BOOLEAN: column->booleans[row] = !value->null && value->truth; break;
	case GEMP_STRING:
	case GEMP_LIST: {
		uint64_t at = column->offsets[row];
		size_t size = value->null ? 0 : value->string.size;
		if (size)
			memcpy(column->bytes + at, value->string.bytes, size);
		column->offsets[row + 1] = at + size;
	}
	}
}

gemp_code gemp_column_add(gemp_column *column, const gemp_value *value)
{
	GEMP_CHECK(value->null || value->type == column->type);
	size_t row = column->rows, bytes = 0;
	if (gemp_is_text(column->type))
		bytes = (row ? column->offsets[row] : 0) + (value->null ? 0 : value->string.size);
	GEMP_TRY(gemp_column_grow(column, row + 1, bytes));
	if (value->null && !column->null)
		GEMP_TRY(GEMP_NEW(column->null, column->capacity));
	set_value(column, row, value);
	if (column->null)
		column->null[row] = value->null;
	column->rows++;
	return GEMP_OK;
}

/* Compares without converting the integer to a double, which is not exact above 2^53. */
static int compare_mixed(int64_t integer, double real)
{
	if (real >= 0x1p63)
		return -1;
	if (real < -0x1p63)
		return 1;
	int64_t truncated = (int64_t)real;
	if (integer != truncated)
		return integer < truncated ? -1 : 1;
	double fraction = real - (double)truncated;
	return (fraction < 0) - (fraction > 0);
}

/* Integers and floats are compared by value without rounding. Strings are compared bytewise, which for UTF-8 is the
 * order of code points. */
int gemp_value_compare(const gemp_value *a, const gemp_value *b, bool *comparable)
{
	*comparable = true;
	if (a->type == GEMP_INTEGER && b->type == GEMP_FLOAT)
		return compare_mixed(a->integer, b->real);
	if (a->type == GEMP_FLOAT && b->type == GEMP_INTEGER)
		return -compare_mixed(b->integer, a->real);
	*comparable = a->type == b->type;
	if (!*comparable)
		return 0;
	switch (a->type) {
	case GEMP_INTEGER: return (a->integer > b->integer) - (a->integer < b->integer);
	case GEMP_FLOAT: return (a->real > b->real) - (a->real < b->real);
	case GEMP_BOOLEAN: return (int)a->truth - (int)b->truth;
	case GEMP_STRING:
	case GEMP_LIST: return gemp_compare_bytes(a->string.bytes, a->string.size, b->string.bytes, b->string.size);
	}
	return 0;
}

/* In a graph with keys of both types, integers come first. */
int gemp_value_compare_keys(const gemp_value *a, const gemp_value *b)
{
	if (a->type != b->type)
		return a->type == GEMP_INTEGER ? -1 : 1;
	bool comparable;
	return gemp_value_compare(a, b, &comparable);
}

/* NULLs come first and are equal to each other. */
int gemp_column_compare(const gemp_column *column, size_t a, size_t b)
{
	gemp_value left = gemp_column_get(column, a), right = gemp_column_get(column, b);
	bool comparable;
	if (left.null || right.null)
		return (int)right.null - (int)left.null;
	return gemp_value_compare(&left, &right, &comparable);
}

/* The first byte says whether the value is NULL. The bytes of the value follow; a string's size precedes its bytes.
 * Grouping packs every key, so the first byte and the fixed part are added to the text together. */
void gemp_value_pack(const gemp_value *value, gemp_text *out)
{
	char fixed[1 + sizeof(uint64_t)] = { (char)value->null };
	size_t size = 1 + (value->type == GEMP_BOOLEAN ? 1 : sizeof(uint64_t));
	switch (value->type) {
	case GEMP_INTEGER: memcpy(fixed + 1, &value->integer, sizeof value->integer); break;
	case GEMP_FLOAT: memcpy(fixed + 1, &value->real, sizeof value->real); break;
	case GEMP_BOOLEAN: fixed[1] = (char)value->truth; break;
	case GEMP_STRING:
	case GEMP_LIST: memcpy(fixed + 1, &(uint64_t){ value->string.size }, sizeof(uint64_t));
	}
	gemp_text_add(out, fixed, value->null ? 1 : size);
	if (!value->null && gemp_is_text(value->type))
		gemp_text_add(out, value->string.bytes, value->string.size);
}

gemp_code gemp_column_pack(const gemp_column *column, size_t row, gemp_text *out)
{
	gemp_value value = gemp_column_get(column, row);
	gemp_value_pack(&value, out);
	return gemp_text_status(out);
}

/* Copies bytes from a packed buffer. Returns false if the buffer ends too early. */
static bool read_bytes(void *to, size_t size, const char **at, const char *end)
{
	if ((size_t)(end - *at) < size)
		return false;
	memcpy(to, *at, size);
	*at += size;
	return true;
}

/* A string stays in the buffer: value->string points into the buffer until gemp_column_add copies it. */
static bool unpack_value(gemp_value *value, const char **at, const char *end)
{
	uint8_t byte = 0;
	uint64_t size = 0;
	bool complete = read_bytes(&byte, 1, at, end);
	value->null = byte;
	if (!complete || value->null)
		return complete;
	switch (value->type) {
	case GEMP_INTEGER: return read_bytes(&value->integer, sizeof value->integer, at, end);
	case GEMP_FLOAT: return read_bytes(&value->real, sizeof value->real, at, end);
	case GEMP_BOOLEAN:
		complete = read_bytes(&byte, 1, at, end);
		value->truth = byte;
		return complete;
	case GEMP_STRING:
	case GEMP_LIST:
		if (!read_bytes(&size, sizeof size, at, end) || (uint64_t)(end - *at) < size)
			return false;
		value->string.bytes = *at;
		value->string.size = size;
		*at += size;
		return true;
	}
	return false;
}

/* Only gemp_value_pack writes packed values, so an incomplete value is an error of the program and not of the user's
 * data. */
gemp_code gemp_column_unpack(gemp_column *column, const char **at, const char *end)
{
	gemp_value value = { .type = column->type };
	if (!unpack_value(&value, at, end))
		return gemp_fail(GEMP_EINTERNAL, "column '%s': a packed value is cut", column->name);
	return gemp_column_add(column, &value);
}

gemp_code gemp_table_add(gemp_table *table, const char *name, gemp_type type, gemp_column **out)
{
	GEMP_TRY(GEMP_RESERVE(table->columns, table->capacity, table->count + 1));
	GEMP_TRY(gemp_column_init(&table->columns[table->count], name, type));
	if (out)
		*out = &table->columns[table->count];
	table->count++;
	return GEMP_OK;
}

/* The name is copied before the arrays move, so that a failure changes nothing. */
gemp_code gemp_table_add_column(gemp_table *table, const char *name, gemp_column *column)
{
	gemp_column *added;
	GEMP_TRY(gemp_table_add(table, name, column->type, &added));
	char *kept = added->name;
	gemp_free(column->name);
	*added = *column;
	added->name = kept;
	*column = (gemp_column){ 0 };
	return GEMP_OK;
}

/* Stops at the first failure. The columns that were added stay in the table, which the caller frees. */
gemp_code gemp_table_copy_schema(gemp_table *to, const gemp_table *from)
{
	for (size_t c = 0; c < from->count; c++)
		GEMP_TRY(gemp_table_add(to, from->columns[c].name, from->columns[c].type, NULL));
	return GEMP_OK;
}

/* Tables have few columns, so a loop is as fast as a hash table. */
gemp_column *gemp_table_find(const gemp_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (strcmp(table->columns[i].name, name) == 0)
			return &table->columns[i];
	return NULL;
}

void gemp_table_free(gemp_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->count; i++)
		gemp_column_free(&table->columns[i]);
	gemp_free(table->columns);
	*table = (gemp_table){ 0 };
}

/* NULL prints nothing, since each writer has its own form of NULL. */
void gemp_value_print(const gemp_value *value, gemp_text *out)
{
	char number[GEMP_FLOAT_TEXT];
	if (value->null)
		return;
	switch (value->type) {
	case GEMP_INTEGER: gemp_text_add(out, number, (size_t)(gemp_integer_put(number, value->integer) - number)); break;
	case GEMP_FLOAT: gemp_text_add(out, number, (size_t)(gemp_float_put(number, value->real) - number)); break;
	case GEMP_BOOLEAN: gemp_text_print(out, "%s", value->truth ? "true" : "false"); break;
	case GEMP_STRING:
	case GEMP_LIST: gemp_text_add(out, value->string.bytes, value->string.size);
	}
}

/* jansson's dump calls this for each part of its output. */
static int add_bytes(const char *bytes, size_t size, void *out)
{
	gemp_text_add(out, bytes, size);
	return 0;
}

/* Printable ASCII without quotes and backslashes needs no escapes. Most strings are like that, and need no call of
 * jansson. */
static bool is_plain(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)bytes[i] < ' ' || (unsigned char)bytes[i] > '~' || bytes[i] == '"' || bytes[i] == '\\')
			return false;
	return true;
}

/* jansson escapes the characters. It refuses a string that is not UTF-8, which is then replaced as a whole. */
void gemp_json_string(gemp_text *out, const char *bytes, size_t size)
{
	if (is_plain(bytes, size)) {
		gemp_text_add(out, "\"", 1);
		gemp_text_add(out, bytes, size);
		gemp_text_add(out, "\"", 1);
		return;
	}
	json_t *string = json_stringn(bytes, size);
	if (!string)
		string = json_string("\xef\xbf\xbd");
	if (!string || json_dump_callback(string, add_bytes, out, JSON_ENCODE_ANY) != 0)
		out->failed = true;
	json_decref(string);
}

/* JSON has neither NaN nor infinities. */
void gemp_json_value(gemp_text *out, const gemp_value *value)
{
	if (value->null || (value->type == GEMP_FLOAT && !isfinite(value->real)))
		gemp_text_add(out, "null", 4);
	else if (value->type == GEMP_STRING)
		gemp_json_string(out, value->string.bytes, value->string.size);
	else
		gemp_value_print(value, out);
}

/* Type and keys are printed like other values, so a missing edge has three NULLs. */
void gemp_json_edge(gemp_text *out, const gemp_value *type, const gemp_value *source, const gemp_value *target)
{
	gemp_text_print(out, "{\"type\": ");
	gemp_json_value(out, type);
	gemp_text_print(out, ", \"source\": ");
	gemp_json_value(out, source);
	gemp_text_print(out, ", \"target\": ");
	gemp_json_value(out, target);
	gemp_text_add(out, "}", 1);
}

/* Readers use these words in messages about values of a wrong kind. */
const char *gemp_json_kind(const json_t *value)
{
	static const char *const kinds[] = {
		[JSON_OBJECT] = "an object",   [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
		[JSON_INTEGER] = "an integer", [JSON_REAL] = "a float",   [JSON_TRUE] = "a boolean",
		[JSON_FALSE] = "a boolean",    [JSON_NULL] = "null",
	};
	return value ? kinds[json_typeof(value)] : "missing";
}
