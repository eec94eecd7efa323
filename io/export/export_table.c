/* TSV and CSV: a file of vertices and one of edges, types stated, as import reads them. */

#include "io/export/export.h"
#include "io/text/escape.h"

#include <string.h>

static bool is_csv(const gemp_export_context *e)
{
	return e->form == &gemp_export_csv;
}

/* The two formats differ in what they can hold, not in what a column is. */
static gemp_code add_text(const gemp_export_context *e, gemp_text *out, const char *bytes, size_t size)
{
	if (!is_csv(e))
		return gemp_escape_tsv(out, bytes, size);
	if (memchr(bytes, '\0', size))
		return gemp_fail(GEMP_EDATA, "a string has a zero byte, which text files cannot hold; write .jsonl");
	gemp_escape_csv(out, bytes, size);
	return GEMP_OK;
}

/* An empty field is NULL; an empty string is "" in CSV and refused in TSV. */
static gemp_code add_value(const gemp_export_context *e, gemp_text *out, const gemp_value *value)
{
	if (!value->null && value->type == GEMP_STRING)
		return add_text(e, out, value->string.bytes, value->string.size);
	gemp_value_print(value, out);
	return GEMP_OK;
}

static void separate(const gemp_export_context *e, gemp_text *out)
{
	gemp_text_add(out, is_csv(e) ? "," : "\t", 1);
}

static void end_line(const gemp_export_context *e, gemp_text *out)
{
	gemp_text_print(out, "%s", is_csv(e) ? "\r\n" : "\n");
}

/* HEADERS */

/* A name that import takes for something else, or not at all, would not come back as this column. */
static gemp_code check_name(const gemp_export_context *e, const char *name, const char *const *taken)
{
	for (size_t i = 0; taken[i]; i++)
		if (strcmp(name, taken[i]) == 0)
			return gemp_fail(GEMP_EDATA,
			                 "%s: column '%s' cannot be told from the column of that name which says "
			                 "what the line is; write .jsonl or .graphml",
			                 e->options->path, name);
	for (const char *at = name; *at; at++)
		if ((unsigned char)*at < ' ')
			return gemp_fail(GEMP_EDATA,
			                 "%s: the name of column '%s' has a control character; write .jsonl or .graphml",
			                 e->options->path, name);
	return GEMP_OK;
}

/* Names are checked before a file is opened, since a header could not be taken back. */
static gemp_code check(const gemp_export_context *e)
{
	static const char *const of_vertices[] = { "", "id", "type", NULL };
	static const char *const of_edges[] = { "", "src", "dst", "type", NULL };
	gemp_code code = GEMP_OK;
	for (size_t c = 0; c < e->graph->attributes.count && code == GEMP_OK; c++)
		code = check_name(e, e->graph->attributes.columns[c].name, of_vertices);
	for (size_t c = 0; c < e->columns.count && code == GEMP_OK; c++)
		code = check_name(e, e->columns.columns[c].name, of_edges);
	return code;
}

/* Types are stated, so that import need not infer them and integers stay what they were. */
static gemp_code add_name(const gemp_export_context *e, gemp_text *out, const char *name, gemp_type type)
{
	static const char *const names[] = {
		[GEMP_STRING] = "string",
		[GEMP_INTEGER] = "int",
		[GEMP_FLOAT] = "float",
		[GEMP_BOOLEAN] = "bool",
	};
	gemp_text field = { 0 };
	gemp_text_print(&field, "%s:%s", name, names[type]);
	gemp_code code = gemp_text_status(&field);
	separate(e, out);
	GEMP_THEN(add_text(e, out, field.data, field.size));
	gemp_text_free(&field);
	return code;
}

/* Keys of both kinds are not stated: import takes those that look like integers as such. */
static const char *key_type(const gemp_export_context *e)
{
	return e->graph->keys.type == GEMP_INTEGER ? ":int" : e->string_keys ? ":string" : "";
}

/* The header is the one that import reads; `type` holds the labels. */
static gemp_code before_vertices(const gemp_export_context *e, gemp_text *out)
{
	gemp_text_print(out, "id%s%stype", key_type(e), is_csv(e) ? "," : "\t");
	for (size_t c = 0; c < e->graph->attributes.count; c++)
		GEMP_PROPAGATE(add_name(e, out, e->graph->attributes.columns[c].name, e->graph->attributes.columns[c].type));
	end_line(e, out);
	return GEMP_OK;
}

/* Keys have their type stated twice, for either end. */
static gemp_code before_edges(const gemp_export_context *e, gemp_text *out)
{
	const char *type = key_type(e), *between = is_csv(e) ? "," : "\t";
	gemp_text_print(out, "src%s%sdst%s%stype", type, between, type, between);
	for (size_t c = 0; c < e->columns.count; c++)
		GEMP_PROPAGATE(add_name(e, out, e->columns.columns[c].name, e->columns.columns[c].type));
	end_line(e, out);
	return GEMP_OK;
}

/* LINES */

static gemp_code add_labels(const gemp_export_context *e, gemp_text *out, size_t row)
{
	gemp_text labels = { 0 };
	gemp_vertex_labels_text(e->graph, row, &labels);
	gemp_code code = gemp_text_status(&labels);
	if (code == GEMP_OK && labels.size)
		code = add_text(e, out, labels.data, labels.size);
	gemp_text_free(&labels);
	return code;
}

/* A failure names the column that could not be written. */
static gemp_code vertex(const gemp_export_context *e, size_t row, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	const char *column = "id";
	gemp_value value = gemp_column_get(&e->graph->keys, row);
	GEMP_TRY(add_value(e, out, &value));
	separate(e, out);
	column = "type";
	GEMP_TRY(add_labels(e, out, row));
	for (size_t c = 0; c < e->graph->attributes.count; c++) {
		column = e->graph->attributes.columns[c].name;
		value = gemp_column_get(&e->graph->attributes.columns[c], row);
		separate(e, out);
		GEMP_TRY(add_value(e, out, &value));
	}
	end_line(e, out);
done:
	return gemp_export_in_vertex(code, e, row, column);
}

/* Columns of other types are empty: the table has the columns of all. */
static gemp_code edge(const gemp_export_context *e, const gemp_export_edge *line, gemp_text *out)
{
	gemp_code code = GEMP_OK;
	const char *column = NULL, *type = e->graph->relations[line->relation].name;
	GEMP_TRY(add_value(e, out, &line->source));
	separate(e, out);
	GEMP_TRY(add_value(e, out, &line->target));
	separate(e, out);
	GEMP_TRY(add_text(e, out, type, strlen(type)));
	for (size_t c = 0; c < e->columns.count; c++) {
		gemp_value value = gemp_export_edge_value(e, line, c);
		column = e->columns.columns[c].name;
		separate(e, out);
		GEMP_TRY(add_value(e, out, &value));
	}
	end_line(e, out);
done:
	return gemp_export_in_edge(code, e, line, column);
}

const gemp_export_writer gemp_export_tsv = {
	.name = "tsv",
	.ending = ".tsv",
	.two_files = true,
	.labels = true,
	.attributes = true,
	.props = true,
	.check = check,
	.before_vertices = before_vertices,
	.vertex = vertex,
	.before_edges = before_edges,
	.edge = edge,
};

const gemp_export_writer gemp_export_csv = {
	.name = "csv",
	.ending = ".csv",
	.two_files = true,
	.labels = true,
	.attributes = true,
	.props = true,
	.check = check,
	.before_vertices = before_vertices,
	.vertex = vertex,
	.before_edges = before_edges,
	.edge = edge,
};
