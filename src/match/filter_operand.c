#include "match/filter_operand.h"

enum { READ_PAST = 32 }; /* by filter_contains on a GPU */

static gemp_code copy(gemp_buffer *out, gemp_device *device, size_t size, void *from, bool lasting)
{
	return lasting ? gemp_buffer_borrow(out, device, size, from) : gemp_buffer_new(out, device, size, from);
}

static gemp_code copy_bytes(gemp_operand *out, gemp_device *device, const gemp_column *column, bool lasting)
{
	gemp_code code = GEMP_OK;
	if (!device->gpu)
		return copy(&out->values, device, out->bytes, column->bytes, lasting);
	GEMP_TRY(gemp_buffer_new(&out->values, device, out->bytes + READ_PAST, NULL));
	GEMP_TRY(gemp_buffer_write(device, &out->values, 0, out->bytes, column->bytes));
done:
	return code;
}

static gemp_code copy_values(gemp_operand *out, gemp_device *device, const gemp_column *column, bool lasting)
{
	gemp_code code = GEMP_OK;
	size_t rows = column->rows;
	switch (column->type) {
	case GEMP_INTEGER:
		return copy(&out->values, device, rows * sizeof(int64_t), column->integers, lasting);
	case GEMP_FLOAT:
		return copy(&out->values, device, rows * sizeof(double), column->floats, lasting);
	case GEMP_BOOLEAN:
		return copy(&out->values, device, rows, column->booleans, lasting);
	case GEMP_STRING:
	case GEMP_LIST:
		break;
	}
	static uint64_t none[1];
	uint64_t *offsets = rows ? column->offsets : none;
	out->bytes = offsets[rows];
	GEMP_TRY(copy(&out->offsets, device, (rows + 1) * sizeof *offsets, offsets, lasting));
	GEMP_TRY(copy_bytes(out, device, column, lasting));
done:
	return code;
}

gemp_code gemp_operand_column(gemp_operand *out, gemp_device *device, const gemp_column *column, bool lasting)
{
	static uint8_t not_null;
	gemp_code code = GEMP_OK;
	*out = (gemp_operand){ .type = column->type, .step = 1, .null_step = column->null ? 1 : 0 };
	GEMP_TRY(copy_values(out, device, column, lasting));
	if (column->null)
		GEMP_TRY(copy(&out->null, device, column->rows, column->null, lasting));
	else
		GEMP_TRY(gemp_buffer_new(&out->null, device, 1, &not_null));
done:
	if (code != GEMP_OK) {
		gemp_operand_free(out, device);
		gemp_fail_in(code, "attribute %s: ", column->name);
	}
	return code;
}

gemp_code gemp_operand_literals(gemp_operand *out, gemp_device *device, gemp_type type, const gemp_value *values,
                                size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_column column = { 0 };
	*out = (gemp_operand){ 0 };
	GEMP_TRY(gemp_column_init(&column, "literal", type));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(gemp_column_add(&column, &values[i]));
	GEMP_TRY(gemp_operand_column(out, device, &column, false));
	out->step = 0;
done:
	gemp_column_free(&column);
	return code;
}

void gemp_operand_free(gemp_operand *operand, gemp_device *device)
{
	gemp_buffer_free(&operand->values, device);
	gemp_buffer_free(&operand->offsets, device);
	gemp_buffer_free(&operand->null, device);
	*operand = (gemp_operand){ 0 };
}
