/* JSON lines in the form of Neo4j's APOC:
 *   {"type":"node","id":"ann","labels":["Person"],"properties":{"age":30}}
 *   {"type":"relationship","label":"KNOWS","properties":{"since":1999},"start":{"id":"ann"},"end":{"id":"bob"}}
 * An id is a number where it is one here. NULL is left out. */

#include "graph/json_value.h"
#include "io/export/export.h"

#include <math.h>
#include <string.h>

/* JSON has no infinite numbers; NaN does not occur, since it is NULL here. */
static gemp_code add_value(gemp_text *out, const gemp_value *value)
{
	if (value->type == GEMP_STRING)
		gemp_json_string(out, value->string.bytes, value->string.size);
	else if (value->type == GEMP_FLOAT && !isfinite(value->real))
		return gemp_fail(GEMP_EDATA, "the number is infinite, which JSON cannot say; write .tsv, .csv or .graphml");
	else
		gemp_value_print(value, out);
	return GEMP_OK;
}

/* NULL is left out, so that the comma depends on what was written before. */
static gemp_code add_property(gemp_text *out, const char *name, const gemp_value *value, bool *first)
{
	if (value->null)
		return GEMP_OK;
	gemp_text_add(out, ",", *first ? 0 : 1);
	*first = false;
	gemp_json_string(out, name, strlen(name));
	gemp_text_add(out, ":", 1);
	return add_value(out, value);
}

/* Labels are a list, as a vertex may have none or several. */
static gemp_code vertex(const gemp_export_context *e, size_t row, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	const gemp_shard *graph = e->graph;
	const gemp_label_set *set = &graph->label_sets[graph->label_set_of[row]];
	const char *column = NULL;
	bool first = true;
	gemp_value value = gemp_column_get(&graph->keys, row);
	gemp_text_print(out, "{\"type\":\"node\",\"id\":");
	GEMP_TRY(add_value(out, &value));
	gemp_text_print(out, ",\"labels\":[");
	for (size_t l = 0; l < set->count; l++) {
		const char *label = graph->labels[set->labels[l]];
		gemp_text_add(out, ",", l ? 1 : 0);
		gemp_json_string(out, label, strlen(label));
	}
	gemp_text_print(out, "],\"properties\":{");
	for (size_t c = 0; c < graph->attributes.count; c++) {
		column = graph->attributes.columns[c].name;
		value = gemp_column_get(&graph->attributes.columns[c], row);
		GEMP_TRY(add_property(out, column, &value, &first));
	}
	gemp_text_print(out, "}}\n");
done:
	return gemp_export_in_vertex(code, e, row, column);
}

/* APOC repeats properties of the ends; the ids are enough to import. */
static gemp_code edge(const gemp_export_context *e, const gemp_export_edge *line, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	const char *column = NULL, *type = e->graph->relations[line->relation].name;
	bool first = true;
	gemp_text_print(out, "{\"type\":\"relationship\",\"label\":");
	gemp_json_string(out, type, strlen(type));
	gemp_text_print(out, ",\"properties\":{");
	for (size_t c = 0; c < e->columns.count; c++) {
		gemp_value value = gemp_export_edge_value(e, line, c);
		column = e->columns.columns[c].name;
		GEMP_TRY(add_property(out, column, &value, &first));
	}
	gemp_text_print(out, "},\"start\":{\"id\":");
	GEMP_TRY(add_value(out, &line->source));
	gemp_text_print(out, "},\"end\":{\"id\":");
	GEMP_TRY(add_value(out, &line->target));
	gemp_text_print(out, "}}\n");
done:
	return gemp_export_in_edge(code, e, line, column);
}

const gemp_export_writer gemp_export_jsonl = {
	.name = "jsonl",
	.ending = ".jsonl",
	.labels = true,
	.attributes = true,
	.props = true,
	.vertex = vertex,
	.edge = edge,
};
