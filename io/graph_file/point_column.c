#include "io/graph_file/point_column.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/hdf5/hdf5_attributes.h"

#include <math.h>
#include <string.h>

static void free_column(gemp_point_column **column)
{
	if (*column)
		gemp_free_all((*column)->path, *column);
}

void gemp_point_columns_free(gemp_point_columns *columns)
{
	for (size_t i = 0; i < columns->count; i++)
		free_column(&columns->columns[i]);
	gemp_free(columns->columns);
	*columns = (gemp_point_columns){ 0 };
}

static gemp_code damaged(const gemp_point_columns *columns, const gemp_point_column *column, const char *what)
{
	return gemp_fail(GEMP_EDATA, "%s: '%s' %s; make the file again", columns->points->path, column->path, what);
}

/* Finds the dataset `name` in the group of a column. */
static gemp_code find_below(gemp_point_columns *columns, const gemp_point_column *column, const char *name,
                            const gemp_h5_array **out)
{
	GEMP_OWNED char *path = gemp_h5_join(column->path, name);
	return gemp_h5_points_array(columns->points, path, out);
}

static gemp_code find_mask(gemp_point_columns *columns, gemp_point_column *column)
{
	GEMP_OWNED char *path = gemp_h5_join(column->path, "mask");
	const gemp_h5 *h5;
	bool there = false;
	GEMP_TRY(path ? gemp_h5_points_hdf5(columns->points, &h5) : GEMP_ENOMEM);
	GEMP_TRY(gemp_h5_exists(h5, path, &there));
	if (!there)
		return GEMP_OK;
	GEMP_TRY(gemp_h5_points_array(columns->points, path, &column->mask));
	return column->mask->type.kind == GEMP_H5_BOOL && column->mask->total == column->rows
	           ? GEMP_OK
	           : damaged(columns, column, "has a mask that does not fit its values");
}

/* Finds the datasets of a column by its encoding (graph_file_strings.h, graph_file_tables.h). */
static gemp_code find_arrays(gemp_point_columns *columns, gemp_point_column *column, const char *encoding)
{
	const bool grouped = strncmp(encoding, "nullable-", 9) == 0;
	if (strcmp(encoding, "categorical") == 0) {
		column->form = GEMP_POINT_CODES;
		GEMP_TRY(find_below(columns, column, "codes", &column->values));
		GEMP_TRY(find_below(columns, column, "categories", &column->texts));
	} else if (strcmp(encoding, "gemp-strings") == 0) {
		column->form = GEMP_POINT_BYTES;
		GEMP_TRY(find_below(columns, column, "offsets", &column->values));
		GEMP_TRY(find_below(columns, column, "bytes", &column->texts));
	} else {
		column->form = gemp_is_text(column->type) ? GEMP_POINT_FIXED : GEMP_POINT_NUMBERS;
		GEMP_TRY(grouped ? find_below(columns, column, "values", &column->values)
		                 : gemp_h5_points_array(columns->points, column->path, &column->values));
	}
	column->rows = column->values->total - (column->form == GEMP_POINT_BYTES && column->values->total);
	return grouped || column->form == GEMP_POINT_BYTES ? find_mask(columns, column) : GEMP_OK;
}

/* Whether the datasets have the types that the form of the column needs. */
static bool has_right_types(const gemp_point_column *column)
{
	const gemp_h5_kind kind = column->values->type.kind;
	switch (column->form) {
	case GEMP_POINT_CODES:
		return kind <= GEMP_H5_I32 && gemp_is_text(column->type) && column->texts->type.kind == GEMP_H5_TEXT;
	case GEMP_POINT_BYTES:
		return kind == GEMP_H5_U64 && gemp_is_text(column->type) && column->texts->type.kind == GEMP_H5_U8;
	case GEMP_POINT_FIXED: return kind == GEMP_H5_TEXT;
	default:
		return column->type == GEMP_INTEGER ? kind <= GEMP_H5_I64
		                                    : kind == (column->type == GEMP_FLOAT ? GEMP_H5_F64 : GEMP_H5_BOOL);
	}
}

gemp_code gemp_point_columns_find(gemp_point_columns *columns, const char *path, gemp_type type,
                                  const gemp_point_column **out)
{
	GEMP_OWNED_BY(free_column) gemp_point_column *column = NULL;
	GEMP_OWNED char *encoding = NULL;
	const gemp_h5 *h5;
	for (size_t i = 0; i < columns->count; i++)
		if (strcmp(columns->columns[i]->path, path) == 0) {
			*out = columns->columns[i];
			return GEMP_OK;
		}
	GEMP_TRY(GEMP_RESERVE(columns->columns, columns->capacity, columns->count + 1));
	GEMP_TRY(GEMP_NEW(column, 1));
	*column = (gemp_point_column){ .path = gemp_strdup(path), .type = type };
	GEMP_TRY(column->path ? gemp_h5_points_hdf5(columns->points, &h5) : GEMP_ENOMEM);
	GEMP_TRY(gemp_h5_get_text(h5, path, "encoding-type", &encoding));
	GEMP_TRY(find_arrays(columns, column, encoding));
	if (!has_right_types(column))
		return damaged(columns, column, "is not a column of the type that the graph has for it");
	*out = columns->columns[columns->count++] = column;
	column = NULL;
	return GEMP_OK;
}

/* Reads bytes of a text that are not in memory yet, or lie in two blocks. */
static gemp_code read_bytes_of(gemp_point_columns *columns, const gemp_h5_array *array, uint64_t first, uint64_t count,
                               gemp_text *buffer, const char **out)
{
	const uint64_t size = count * array->type.size;
	GEMP_OWNED char *bytes = NULL;
	char small[256];
	if (size > sizeof small)
		GEMP_TRY(GEMP_NEW(bytes, size));
	char *to = bytes ? bytes : small;
	GEMP_TRY(gemp_h5_points_read(columns->points, array, first, count, to));
	gemp_text_clear(buffer);
	gemp_text_add(buffer, to, size);
	*out = buffer->data;
	return gemp_text_status(buffer);
}

/* Zeros that pad a text of fixed length are cut. */
static gemp_code read_text(gemp_point_columns *columns, const gemp_h5_array *array, uint64_t first, uint64_t count,
                           gemp_text *buffer, gemp_value *value)
{
	const char *bytes = gemp_h5_points_peek(columns->points, array, first, count);
	size_t size = (size_t)(count * array->type.size);
	if (!bytes)
		GEMP_TRY(read_bytes_of(columns, array, first, count, buffer, &bytes));
	while (array->type.kind == GEMP_H5_TEXT && size && !bytes[size - 1])
		size--;
	value->string = (gemp_string){ bytes, size };
	return GEMP_OK;
}

static gemp_code read_coded(gemp_point_columns *columns, const gemp_point_column *column, uint64_t row,
                            gemp_text *buffer, gemp_value *value)
{
	int64_t code;
	GEMP_TRY(gemp_h5_points_integers(columns->points, column->values, row, 1, &code));
	if (code == -1) {
		value->null = true;
		return GEMP_OK;
	}
	if (code < 0 || (uint64_t)code >= column->texts->total)
		return damaged(columns, column, "has a code beyond its categories");
	return read_text(columns, column->texts, (uint64_t)code, 1, buffer, value);
}

static gemp_code read_bytes(gemp_point_columns *columns, const gemp_point_column *column, uint64_t row,
                            gemp_text *buffer, gemp_value *value)
{
	int64_t offsets[2];
	GEMP_TRY(gemp_h5_points_integers(columns->points, column->values, row, 2, offsets));
	if (offsets[0] < 0 || offsets[1] < offsets[0] || (uint64_t)offsets[1] > column->texts->total)
		return damaged(columns, column, "has offsets that do not ascend");
	return read_text(columns, column->texts, (uint64_t)offsets[0], (uint64_t)(offsets[1] - offsets[0]), buffer, value);
}

static gemp_code read_number(gemp_point_columns *columns, const gemp_point_column *column, uint64_t row,
                             gemp_value *value)
{
	uint8_t truth = 0;
	if (column->type == GEMP_INTEGER)
		return gemp_h5_points_integers(columns->points, column->values, row, 1, &value->integer);
	if (column->type == GEMP_FLOAT) {
		GEMP_TRY(gemp_h5_points_read(columns->points, column->values, row, 1, &value->real));
		value->null = isnan(value->real);
		return GEMP_OK;
	}
	GEMP_TRY(gemp_h5_points_read(columns->points, column->values, row, 1, &truth));
	value->truth = truth;
	return GEMP_OK;
}

gemp_code gemp_point_columns_value(gemp_point_columns *columns, const gemp_point_column *column, uint64_t row,
                                   gemp_text *buffer, gemp_value *value)
{
	uint8_t null = 0;
	*value = (gemp_value){ .type = column->type };
	if (row >= column->rows)
		return damaged(columns, column, "has another number of rows than its table");
	if (column->mask)
		GEMP_TRY(gemp_h5_points_read(columns->points, column->mask, row, 1, &null));
	if (null) {
		value->null = true;
		return GEMP_OK;
	}
	switch (column->form) {
	case GEMP_POINT_FIXED: return read_text(columns, column->values, row, 1, buffer, value);
	case GEMP_POINT_CODES: return read_coded(columns, column, row, buffer, value);
	case GEMP_POINT_BYTES: return read_bytes(columns, column, row, buffer, value);
	default: return read_number(columns, column, row, value);
	}
}
