#include "match/filter_operand.h"

static gemp_code copy_values(gemp_operand *out, gemp_device *device, const gemp_column *column)
{
	gemp_code code = GEMP_OK;
	size_t rows = column->rows;
	switch (column->type) {
	case GEMP_INTEGER:
		return gemp_buffer_new(&out->values, device, rows * sizeof(int64_t), column->integers);
	case GEMP_FLOAT:
		return gemp_buffer_new(&out->values, device, rows * sizeof(double), column->floats);
	case GEMP_BOOLEAN:
		return gemp_buffer_new(&out->values, device, rows, column->booleans);
	default: /* texts */
		break;
	}
	static const uint64_t none[1];
	const uint64_t *offsets = rows ? column->offsets : none;
	GEMP_TRY(gemp_buffer_new(&out->offsets, device, (rows + 1) * sizeof *offsets, offsets));
	GEMP_TRY(gemp_buffer_new(&out->values, device, offsets[rows], column->bytes));
done:
	return code;
}

gemp_code gemp_operand_column(gemp_operand *out, gemp_device *device, const gemp_column *column)
{
	static const uint8_t not_null = 0;
	gemp_code code = GEMP_OK;
	*out = (gemp_operand){ .type = column->type, .step = 1, .null_step = column->null ? 1 : 0 };
	GEMP_TRY(copy_values(out, device, column));
	GEMP_TRY(gemp_buffer_new(&out->null, device, column->null ? column->rows : 1,
	                         column->null ? column->null : &not_null));
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
	GEMP_TRY(gemp_operand_column(out, device, &column));
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
