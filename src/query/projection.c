#include "query/projection.h"

#include "core/memory.h"
#include "query/elements.h"
#include "query/evaluate.h"

#include <string.h>

gemp_code gemp_project_none(const gemp_graph *graph, const gemp_pattern *pattern, gemp_projected *out)
{
	gemp_code code = GEMP_OK;
	memset(out, 0, pattern->result.shown * sizeof *out);
	for (size_t i = 0; i < pattern->result.shown; i++) {
		const gemp_return_item *item = &pattern->result.items[i];
		out[i].name = item->name;
		out[i].edge = gemp_item_cell(item->expr) == GEMP_CELL_EDGE;
		GEMP_TRY(gemp_column_init(&out[i].value, item->name, gemp_item_type(graph, item->expr)));
		if (!out[i].edge)
			continue;
		GEMP_TRY(gemp_column_init(&out[i].source, item->name, graph->key.type));
		GEMP_TRY(gemp_column_init(&out[i].target, item->name, graph->key.type));
	}
done:
	if (code != GEMP_OK)
		gemp_projected_free(out, pattern->result.shown);
	return code;
}

void gemp_projected_free(gemp_projected *columns, size_t count)
{
	for (size_t i = 0; columns && i < count; i++) {
		gemp_column_free(&columns[i].value);
		gemp_column_free(&columns[i].source);
		gemp_column_free(&columns[i].target);
	}
}

static gemp_code add_key(gemp_column *out, const gemp_elements *elements, uint64_t vertex)
{
	gemp_value key = gemp_elements_key(elements, vertex);
	return gemp_column_add(out, &key);
}

static gemp_code add_edge(gemp_projected *out, const gemp_elements *elements, uint64_t edge)
{
	gemp_code code = GEMP_OK;
	const gemp_edge_ends *ends = gemp_elements_ends(elements, edge);
	gemp_value type = gemp_elements_type(elements, edge);
	GEMP_TRY(gemp_column_add(&out->value, &type));
	GEMP_TRY(add_key(&out->source, elements, ends ? ends->source : GEMP_NO_ELEMENT));
	GEMP_TRY(add_key(&out->target, elements, ends ? ends->target : GEMP_NO_ELEMENT));
done:
	return code;
}

static gemp_code project_column(gemp_projected *out, gemp_frame_column *column, const gemp_elements *elements,
                                size_t rows)
{
	gemp_code code = GEMP_OK;
	if (column->kind == GEMP_CELL_VALUE && gemp_column_loaded(&column->values)) {
		gemp_column taken = column->values;
		column->values = (gemp_column){ .name = taken.name, .type = taken.type };
		taken.name = out->value.name;
		taken.rows = rows;
		out->value = taken;
	}
	for (size_t row = 0; row < rows && column->kind != GEMP_CELL_VALUE; row++)
		GEMP_TRY(column->kind == GEMP_CELL_EDGE ? add_edge(out, elements, column->elements[row])
		                                        : add_key(&out->value, elements, column->elements[row]));
done:
	return code;
}

gemp_code gemp_project(gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern, gemp_frame *frame,
                       gemp_projected *out)
{
	gemp_code code = GEMP_OK;
	size_t shown = pattern->result.shown, count = 0;
	const gemp_frame_column **columns = NULL;
	gemp_elements elements = { 0 };
	bool made = false;
	code = GEMP_NEW(columns, shown);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t c = 0; c < shown; c++)
		if (frame->columns[c].kind != GEMP_CELL_VALUE)
			columns[count++] = &frame->columns[c];
	if (count)
		GEMP_TRY(gemp_elements_fetch(&elements, context, graph, columns, count, frame->rows, false));
	code = gemp_project_none(graph, pattern, out);
	made = code == GEMP_OK;
	for (size_t c = 0; c < shown && code == GEMP_OK; c++)
		code = project_column(&out[c], &frame->columns[c], &elements, frame->rows);
	code = gemp_comm_agree(context->comm, code);
done:
	if (code != GEMP_OK && made)
		gemp_projected_free(out, shown);
	gemp_elements_free(&elements);
	gemp_free(columns);
	return code;
}
