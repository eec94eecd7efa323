#include "match/filter_columns.h"

#include "core/memory.h"

void gemp_filter_columns_forget(gemp_filter_columns *c)
{
	for (size_t i = 0; i < c->count; i++) {
		gemp_filter_column *column = &c->columns[i];
		gemp_operand_free(&column->operand, c->device);
		gemp_operand_free(&column->values, c->device);
		gemp_buffer_free(&column->codes, c->device);
		gemp_filter_codes_free(&column->dictionary);
	}
	c->count = 0;
	gemp_buffer_free(&c->label_set, c->device);
}

void gemp_filter_columns_free(gemp_filter_columns *c)
{
	gemp_filter_columns_forget(c);
	gemp_free(c->columns);
	c->columns = NULL;
	c->capacity = 0;
}

/* Valid until the next one comes. */
static gemp_code find(gemp_filter_columns *c, int id, gemp_filter_column **out)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < c->count; i++)
		if (c->columns[i].id == id) {
			*out = &c->columns[i];
			return GEMP_OK;
		}
	GEMP_TRY(GEMP_RESERVE(c->columns, c->capacity, c->count + 1));
	*out = &c->columns[c->count++];
	**out = (gemp_filter_column){ .id = id };
done:
	return code;
}

gemp_code gemp_filter_need_column(gemp_filter_columns *c, const gemp_filter_view *view, int id, gemp_operand *out)
{
	gemp_code code = GEMP_OK;
	gemp_filter_column *column;
	double began = gemp_now();
	GEMP_TRY(find(c, id, &column));
	if (!column->on_device) {
		GEMP_TRY(gemp_operand_column(&column->operand, c->device, gemp_filter_column_of(view, id),
		                             view->rows->lasting));
		column->on_device = true;
		c->copied += view->count;
		gemp_timers_add(c->timers, GEMP_UPLOAD, began);
	}
	*out = column->operand;
done:
	return code;
}

static gemp_code upload_dictionary(gemp_filter_columns *c, gemp_filter_column *column, size_t rows)
{
	gemp_code code = GEMP_OK;
	double began = gemp_now();
	if (column->dictionary_on_device)
		return GEMP_OK;
	if (!column->codes.mem)
		GEMP_TRY(gemp_buffer_borrow(&column->codes, c->device, rows * sizeof(uint32_t),
		                            column->dictionary.codes));
	GEMP_TRY(gemp_operand_column(&column->values, c->device, &column->dictionary.values, true));
	column->dictionary_on_device = true;
	c->copied += rows + column->dictionary.values.rows;
	gemp_timers_add(c->timers, GEMP_UPLOAD, began);
done:
	return code;
}

gemp_code gemp_filter_need_dictionary(gemp_filter_columns *c, const gemp_filter_view *view, int id, bool eager,
                                      const gemp_filter_column **out)
{
	gemp_code code = GEMP_OK;
	gemp_filter_column *column;
	*out = NULL;
	GEMP_TRY(find(c, id, &column));
	if (!column->dictionary.codes && !(eager ? column->tried : column->sampled)) {
		GEMP_TRY(gemp_filter_codes_new(&column->dictionary, gemp_filter_column_of(view, id), eager));
		column->sampled = true;
		column->tried = eager;
	}
	if (!column->dictionary.codes)
		return GEMP_OK;
	GEMP_TRY(upload_dictionary(c, column, view->count));
	*out = column;
done:
	return code;
}

gemp_code gemp_filter_need_label_set(gemp_filter_columns *c, const gemp_filter_view *view)
{
	const gemp_filter_rows *rows = view->rows;
	if (c->label_set.mem)
		return GEMP_OK;
	GEMP_CHECK(rows->label_set != NULL);
	return gemp_buffer_new(&c->label_set, c->device, rows->rows * sizeof *rows->label_set, rows->label_set);
}
