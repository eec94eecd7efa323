/* GraphML: labels of vertices are their data `labels` ("A;B"), types of edges their data `label`, as Neo4j has them. */

#include "io/export/export.h"
#include "io/text/escape.h"

#include <math.h>
#include <string.h>

static gemp_code add_text(gemp_text *out, const char *text)
{
	return gemp_escape_xml(out, text, strlen(text));
}

/* Infinite numbers are written as XML Schema says them, which is what other readers expect. */
static gemp_code add_value(gemp_text *out, const gemp_value *value)
{
	if (value->type == GEMP_STRING)
		return gemp_escape_xml(out, value->string.bytes, value->string.size);
	if (value->type == GEMP_FLOAT && isinf(value->real))
		gemp_text_print(out, "%s", value->real > 0 ? "INF" : "-INF"); /* as XML Schema says it */
	else
		gemp_value_print(value, out);
	return GEMP_OK;
}

/* Keys of columns are v0, v1, ... and e0, e1, ... */
static gemp_code add_key(gemp_text *out, char kind, size_t number, const char *name, gemp_type type)
{
	static const char *const types[] = {
		[GEMP_STRING] = "string",
		[GEMP_INTEGER] = "long",
		[GEMP_FLOAT] = "double",
		[GEMP_BOOLEAN] = "boolean",
	};
	gemp_text_print(out, "<key id=\"%c%zu\" for=\"%s\" attr.name=\"", kind, number, kind == 'v' ? "node" : "edge");
	gemp_code code = add_text(out, name);
	gemp_text_print(out, "\" attr.type=\"%s\"/>\n", types[type]);
	return code;
}

/* Labels and types are data of these names, so that an attribute of the same name would be mixed up with
 * them. */
static gemp_code check(const gemp_export_context *e)
{
	static const char taken[] = "%s: column '%s' of %s cannot be told from the data of that name which holds %s; "
								"write .jsonl";
	for (size_t c = 0; c < e->graph->attributes.count; c++)
		if (strcmp(e->graph->attributes.columns[c].name, "labels") == 0)
			return gemp_fail(GEMP_EDATA, taken, e->options->path, "labels", "vertices", "their labels");
	for (size_t c = 0; c < e->columns.count; c++)
		if (strcmp(e->columns.columns[c].name, "label") == 0)
			return gemp_fail(GEMP_EDATA, taken, e->options->path, "label", "edges", "their type");
	return GEMP_OK;
}

/* Keys declare all data before the graph, as the format demands. */
static gemp_code before_vertices(const gemp_export_context *e, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	gemp_text_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	                     "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"\n"
	                     "\txmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
	                     "\txsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
	                     "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n"
	                     "<key id=\"labels\" for=\"node\" attr.name=\"labels\" attr.type=\"string\"/>\n"
	                     "<key id=\"label\" for=\"edge\" attr.name=\"label\" attr.type=\"string\"/>\n");
	if (e->string_keys)
		gemp_text_print(out, "<key id=\"ids\" for=\"graph\" attr.name=\"gemp-ids\" attr.type=\"string\"/>\n");
	for (size_t c = 0; c < e->graph->attributes.count; c++) {
		const gemp_column *column = &e->graph->attributes.columns[c];
		GEMP_TRY(add_key(out, 'v', c, column->name, column->type));
	}
	for (size_t c = 0; c < e->columns.count; c++)
		GEMP_TRY(add_key(out, 'e', c, e->columns.columns[c].name, e->columns.columns[c].type));
	gemp_text_print(out, "<graph id=\"G\" edgedefault=\"%sdirected\">\n", e->directed ? "" : "un");
	if (e->string_keys)
		gemp_text_print(out, "<data key=\"ids\">string</data>\n");
done:
	return code == GEMP_EDATA ? gemp_fail_in(code, "%s: a column's name: ", e->options->path) : code;
}

/* Labels are one text with semicolons between them; import reads it again. */
static gemp_code add_labels(const gemp_export_context *e, size_t row, gemp_text *out)
{
	gemp_text labels = { 0 };
	gemp_vertex_labels_text(e->graph, row, &labels);
	gemp_code code = gemp_text_status(&labels);
	if (code == GEMP_OK && labels.size) {
		/* One that begins with a colon would be read as in Neo4j's ":A:B". */
		gemp_text_print(out, "<data key=\"labels\">%s", labels.data[0] == ':' ? ";" : "");
		code = gemp_escape_xml(out, labels.data, labels.size);
		gemp_text_print(out, "</data>");
	}
	gemp_text_free(&labels);
	return code;
}

/* A NULL has no data element. */
static gemp_code add_data(gemp_text *out, char kind, size_t number, const gemp_value *value)
{
	if (value->null)
		return GEMP_OK;
	gemp_text_print(out, "<data key=\"%c%zu\">", kind, number);
	gemp_code code = add_value(out, value);
	gemp_text_print(out, "</data>");
	return code;
}

/* The key is the id, which GraphML keeps as text; gemp-ids says whether numbers are meant. */
static gemp_code vertex(const gemp_export_context *e, size_t row, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	const char *column = NULL;
	gemp_value value = gemp_column_get(&e->graph->keys, row);
	gemp_text_print(out, "<node id=\"");
	GEMP_TRY(add_value(out, &value));
	gemp_text_print(out, "\">");
	GEMP_TRY(add_labels(e, row, out));
	for (size_t c = 0; c < e->graph->attributes.count; c++) {
		column = e->graph->attributes.columns[c].name;
		value = gemp_column_get(&e->graph->attributes.columns[c], row);
		GEMP_TRY(add_data(out, 'v', c, &value));
	}
	gemp_text_print(out, "</node>\n");
done:
	return gemp_export_in_vertex(code, e, row, column);
}

/* The type is data like the attributes, as GraphML has no types of edges. */
static gemp_code edge(const gemp_export_context *e, const gemp_export_edge *line, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	const gemp_relation *relation = &e->graph->relations[line->relation];
	const char *column = NULL;
	gemp_text_print(out, "<edge source=\"");
	GEMP_TRY(add_value(out, &line->source));
	gemp_text_print(out, "\" target=\"");
	GEMP_TRY(add_value(out, &line->target));
	gemp_text_print(out, "\"%s><data key=\"label\">", e->directed && !relation->directed ? " directed=\"false\"" : "");
	GEMP_TRY(add_text(out, relation->name));
	gemp_text_print(out, "</data>");
	for (size_t c = 0; c < e->columns.count; c++) {
		gemp_value value = gemp_export_edge_value(e, line, c);
		column = e->columns.columns[c].name;
		GEMP_TRY(add_data(out, 'e', c, &value));
	}
	gemp_text_print(out, "</edge>\n");
done:
	return gemp_export_in_edge(code, e, line, column);
}

static gemp_code after_edges(const gemp_export_context *e, gemp_text *out)
{
	(void)e;
	gemp_text_print(out, "</graph>\n</graphml>\n");
	return GEMP_OK;
}

const gemp_export_writer gemp_export_graphml = {
	.name = "graphml",
	.ending = ".graphml",
	.labels = true,
	.attributes = true,
	.props = true,
	.check = check,
	.before_vertices = before_vertices,
	.vertex = vertex,
	.edge = edge,
	.after_edges = after_edges,
};
